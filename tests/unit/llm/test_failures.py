"""What providers say, understood."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rescene_cli.core.errors import ProviderFault
from rescene_cli.llm.failures import from_event, from_parts, from_response, malformed, retry_after

OVERFLOWS = [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "prompt is too long: 208310 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000",
    "the request exceeds the available context size. try increasing the context size or enable context shift",
    "Requested token count exceeds the model's maximum context length of 32768 tokens.",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "prompt (5000 tokens) is longer than the model's context",
    "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
]
TOOL_PARSES = [
    "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101]",
    "error parsing tool call: raw='{\"path\": ', err=unexpected end of JSON input",
    "Failed to parse input at pos 120: <tool_call>",
]


def said(status: int, error: dict[str, Any] | str, headers: dict[str, str] | None = None) -> Any:
    body = error if isinstance(error, str) else json.dumps({"error": error})
    return from_response(status, headers or {}, body.encode(), "acme", "hunter2-key")


@pytest.mark.parametrize("message", OVERFLOWS)
def test_overflow_by_phrase(message: str) -> None:
    assert said(400, {"message": message, "type": "invalid_request_error"}).fault is ProviderFault.CONTEXT_OVERFLOW


@pytest.mark.parametrize("message", TOOL_PARSES)
def test_a_weak_model_is_no_broken_server(message: str) -> None:
    assert said(500, {"message": message, "type": "server_error"}).fault is ProviderFault.MALFORMED


def test_overflow_by_code() -> None:
    error = said(400, {"message": "too much", "code": "context_length_exceeded", "type": "invalid_request_error"})
    assert error.fault is ProviderFault.CONTEXT_OVERFLOW
    assert said(400, {"message": "n_ctx", "type": "exceed_context_size_error"}).fault is ProviderFault.CONTEXT_OVERFLOW


def test_a_bad_request_that_speaks_of_context_is_one() -> None:
    assert said(400, {"message": "unknown field: context"}).fault is ProviderFault.BAD_REQUEST


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"error": {"message": "no"}}', "no"),
        ('{"error": "no"}', "no"),
        ('{"message": "no"}', "no"),
        ('{"detail": "no"}', "no"),
        ('{"detail": [{"loc": ["body"]}]}', '[{"loc": ["body"]}]'),
        ('[{"error": {"message": "no", "status": "X"}}]', "no"),
        ('{"type": "error", "error": {"type": "t", "message": "no"}}', "no"),
        ('event: error\ndata: {"error": {"message": "no"}}\n\n', "no"),
        ("no", "no"),
        ("many\n  lines", "many lines"),
    ],
)
def test_wherever_the_message_stands(body: str, message: str) -> None:
    assert said(418, body).message == f"acme answered 418: {message}"


@pytest.mark.parametrize("body", ["", "<html>Bad gateway</html>", "null", "{}"])
def test_no_message(body: str) -> None:
    assert said(502, body).message == "acme answered 502."


def test_messages_are_short_and_hold_no_key() -> None:
    long = said(400, {"message": "hunter2-key sk-proj-abc123def AIzaSyD-12345 " + "x " * 1000})
    assert "hunter2" not in long.message
    assert "abc123" not in long.message
    assert "12345" not in long.message
    assert len(long.message) < 340


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 1970 00:16:50 GMT"}, 10.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "1e999"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "Thu, 01 Jan 99999999999999999999 00:00:00 GMT"}, None),
        ({}, None),
    ],
)
def test_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, 1000.0) == seconds


def test_gemini_says_it_in_the_body() -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "17s"}]
    error = said(429, {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "quota", "details": details})
    assert error.retry_after == 17.0
    assert error.fault is ProviderFault.RATE_LIMITED


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("This model is only supported in v1/responses and not in v1/chat/completions.", '"responses"'),
        ("This is not a chat model and thus not supported in the v1/chat/completions endpoint.", '"responses"'),
        ("POST /v1/responses is not supported", '"chat"'),
    ],
)
def test_the_other_format_is_named(message: str, wanted: str) -> None:
    error = said(404, {"message": message})
    assert error.hint == f"Set format = {wanted} for this provider in [[providers]]."


def test_events() -> None:
    assert from_event({"code": "rate_limit_exceeded", "message": "m"}, "acme").fault is ProviderFault.RATE_LIMITED
    assert from_event({"type": "error", "error": {"type": "api_error"}}, "acme").fault is ProviderFault.SERVER
    assert from_event("gone", "acme").message == "acme reported an error: gone"


def test_a_known_fault_gives_way_to_a_more_exact_one() -> None:
    over = from_parts(500, {}, {"message": "prompt is too long"}, "acme", ProviderFault.DROPPED)
    assert over.fault is ProviderFault.CONTEXT_OVERFLOW
    assert from_parts(500, {}, {"message": "broke"}, "acme", ProviderFault.DROPPED).fault is ProviderFault.DROPPED


def test_every_fault_but_two_has_a_hint() -> None:
    """TLS and a missing key are explained where they are found."""
    statuses = [400, 401, 402, 404, 408, 413, 429, 500, 503]
    assert all(said(status, "x").hint for status in statuses)
    assert malformed("acme", "x").hint


@pytest.mark.parametrize("delay", ["nans", "infs", "s", "-1e999s", 5, ["s"]])
def test_a_delay_that_is_none(delay: Any) -> None:
    error = said(429, {"message": "quota", "details": [{"retryDelay": delay}]})
    assert error.retry_after is None


@pytest.mark.parametrize("message", ["pars" * 2_000_000, "sk-" * 2_000_000, "exceeds the " * 700_000])
def test_a_long_message_costs_no_more_than_its_beginning(message: str) -> None:
    """Some patterns take the square of what they search: this test would not end."""
    assert len(from_event({"message": message}, "acme", "hunter2-key").message) < 340
