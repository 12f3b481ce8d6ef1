"""Each thing that goes wrong at a provider, over all three wire formats, ends as `docs/reference/models.md` says."""

from __future__ import annotations

import random
from typing import Any

import pytest

from rescene_cli.core.errors import ProviderError, ProviderFault
from rescene_cli.core.llm import FailedOver, Reply, RetryScheduled, Stop, StreamItem, TextPiece, ThinkingPiece, Usage
from rescene_cli.core.messages import ToolResult
from rescene_cli.core.runtime import Interrupt
from rescene_cli.llm.policy import Policy, Route
from rescene_cli.llm.transport import Timeouts, Transport
from tests.support.model_server import ModelServer
from tests.support.models import FORMATS, answer, ask, client, directory, failure, request, texts, user

pytestmark = pytest.mark.parametrize("form", FORMATS)
WELL = {"text": "Well."}
STATUSES: list[tuple[int, dict[str, Any], ProviderFault]] = [
    (400, {}, ProviderFault.BAD_REQUEST),
    (401, {}, ProviderFault.AUTHENTICATION),
    (402, {}, ProviderFault.QUOTA),
    (403, {}, ProviderFault.AUTHENTICATION),
    (404, {}, ProviderFault.NOT_FOUND),
    (408, {}, ProviderFault.TIMEOUT),
    (413, {}, ProviderFault.CONTEXT_OVERFLOW),
    (422, {}, ProviderFault.BAD_REQUEST),
    (429, {}, ProviderFault.RATE_LIMITED),
    (429, {"code": "insufficient_quota"}, ProviderFault.QUOTA),
    (500, {}, ProviderFault.SERVER),
    (502, {}, ProviderFault.SERVER),
    (503, {}, ProviderFault.OVERLOADED),
    (529, {"type": "overloaded_error"}, ProviderFault.OVERLOADED),
    (400, {"code": "context_length_exceeded"}, ProviderFault.CONTEXT_OVERFLOW),
    (500, {"message": "Failed to parse tool call arguments as JSON"}, ProviderFault.MALFORMED),
]


def policy(server: ModelServer, form: str, waits: list[float]) -> Policy:
    llm = directory(server.url).open_model(f"{form}/m")
    return Policy(
        [Route(f"{form}/m", llm)], random_share=random.Random(1).random, wait=lambda _, seconds: waits.append(seconds)
    )


@pytest.mark.parametrize(("status", "error", "fault"), STATUSES)
def test_status(form: str, status: int, error: dict[str, Any], fault: ProviderFault) -> None:
    body = {"error": {"message": "no sk-test-4711-secret today", **error}}
    with ModelServer([{"status": status, "body": body}]) as server:
        error_ = failure(client(server.url, form))
    assert (error_.fault, error_.status) == (fault, status)
    assert str(status) in error_.message
    assert error_.hint
    assert "4711" not in error_.message  # a key that comes back is not shown


def test_429_waits_as_asked_and_goes_on(form: str) -> None:
    waits: list[float] = []
    with ModelServer([{"status": 429, "headers": {"retry-after": "7"}}, {"status": 429}, WELL]) as server:
        items = ask(policy(server, form, waits))
    retries = [item for item in items if isinstance(item, RetryScheduled)]
    assert [retry.wait for retry in retries] == waits
    assert 7 <= waits[0] < 8
    assert 1 < waits[1] < 3
    assert texts(items, TextPiece) == "Well."


def test_500_then_well(form: str) -> None:
    with ModelServer([{"status": 500}, WELL]) as server:
        items = ask(policy(server, form, []))
        assert server.connections == 1  # an error's body is read to its end too
    assert next(type(item) for item in items) is RetryScheduled
    assert texts(items, TextPiece) == "Well."


@pytest.mark.parametrize("status", [400, 401, 404])
def test_mistakes_of_ours_are_not_repeated(form: str, status: int) -> None:
    with ModelServer([{"status": status}]) as server:
        failure(policy(server, form, []))
        assert len(server.seen) == 1


@pytest.mark.parametrize("after", [0, 1, 3, 5])
def test_a_dropped_stream(form: str, after: int) -> None:
    turn = {"text": "abcdefgh", "chunk": 1, "drop": after, "calls": [{"name": "read_file"}]}
    with ModelServer([turn, turn, WELL]) as server:
        error = failure(client(server.url, form))
        items = ask(policy(server, form, []))
    assert error.fault is ProviderFault.DROPPED
    assert texts(items[[type(i) for i in items].index(RetryScheduled) :], TextPiece) == "Well."
    assert [item for item in items if isinstance(item, Reply)] == items[-1:]


def test_a_connection_closed_without_an_answer(form: str) -> None:
    with ModelServer([{"hang_up": True}]) as server:
        assert failure(client(server.url, form)).fault is ProviderFault.DROPPED


def test_a_stream_that_ends_early_but_properly(form: str) -> None:
    with ModelServer([{"raw": ": nothing but a comment\n\n"}]) as server:
        assert failure(client(server.url, form)).fault is ProviderFault.DROPPED


def test_a_stalled_stream(form: str) -> None:
    timeouts = Timeouts(stall=0.2)
    with ModelServer([{"text": "abcdef", "chunk": 1, "stall": [3, 20]}, WELL]) as server:
        llm = client(server.url, form, timeouts)
        error = failure(llm)
        assert error.fault is ProviderFault.STALLED
        assert "0.2 s" in error.message
        assert answer(llm).message.text == "Well."  # on a new connection


def test_no_answer_in_time(form: str) -> None:
    with ModelServer([{"delay": 20}]) as server:
        assert failure(client(server.url, form, Timeouts(first_byte=0.2))).fault is ProviderFault.TIMEOUT


def test_an_error_in_the_middle_of_a_stream(form: str) -> None:
    error = {"type": "overloaded_error", "message": "Overloaded"}
    with ModelServer([{"text": "a", "error": error}, {"text": "a", "error": {"message": "?"}}]) as server:
        llm = client(server.url, form)
        assert failure(llm).fault is ProviderFault.OVERLOADED
        assert failure(llm).fault is ProviderFault.SERVER


def test_events_that_are_no_json(form: str) -> None:
    with ModelServer([{"raw": "data: {oops\n\n"}]) as server:
        assert failure(client(server.url, form)).fault is ProviderFault.MALFORMED


@pytest.mark.parametrize("body", ['{"error": {"message": "sorry"}}', "<html>portal</html>", "hello"])
def test_an_answer_that_is_no_stream(form: str, body: str) -> None:
    with ModelServer([{"raw": body, "type": "application/json"}]) as server:
        error = failure(client(server.url, form))
    assert error.fault is ProviderFault.MALFORMED
    assert "html" not in error.message


def test_an_error_object_instead_of_a_stream(form: str) -> None:
    body = '{"error": {"message": "slow down", "type": "rate_limit_error"}}'
    with ModelServer([{"raw": body, "type": "application/json"}]) as server:
        assert failure(client(server.url, form)).fault is ProviderFault.RATE_LIMITED


def test_a_hundred_equal_pieces(form: str) -> None:
    with ModelServer([{"repeat": ["tok ", 100]}]) as server:
        assert answer(client(server.url, form)).message.text == "tok " * 100


@pytest.mark.parametrize("crlf", [False, True])
def test_single_bytes(form: str, crlf: bool) -> None:
    turn = {
        "text": "Grüße 😀\n",
        "thinking": "hm",
        "split": 1,
        "crlf": crlf,
        "calls": [{"name": "x", "args": {"a": "é"}}],
    }
    with ModelServer([turn]) as server:
        items = ask(client(server.url, form))
    reply = items[-1]
    assert isinstance(reply, Reply)
    assert reply.message.text == texts(items, TextPiece) == "Grüße 😀\n"
    assert texts(items, ThinkingPiece) == "hm"
    assert [(call.name, call.arguments) for call in reply.message.calls] == [("x", '{"a": "\\u00e9"}')]


@pytest.mark.parametrize("chunk", [0, 2_000])
def test_ten_megabytes(form: str, chunk: int) -> None:
    with ModelServer([{"size": 10_000_000, "chunk": chunk}]) as server:
        assert len(answer(client(server.url, form)).message.text) == 10_000_000


def test_malformed_arguments_ten_times(form: str) -> None:
    """They come as they were written, and the history that holds them can be sent again."""
    turns = [{"calls": [{"name": "read_file", "raw_args": '{"path": '}]}] * 10
    said = [user("go")]
    with ModelServer(turns) as server:
        llm = client(server.url, form)
        for _ in turns:
            message = answer(llm, request(*said, model=f"{form}/m")).message
            assert message.calls[0].arguments == '{"path":'
            said += [message, ToolResult(message.calls[0].id, user("no JSON").parts, ok=False)]
        assert answer(llm, request(*said, model=f"{form}/m")).message.text == "Done."
        assert "malformed_arguments" in str(server.seen[-1].body)


def test_two_calls_with_one_id_and_a_tool_of_no_name(form: str) -> None:
    turn = {"calls": [{"name": "read_file", "id": "same"}, {"name": "", "id": "same"}]}
    with ModelServer([turn]) as server:
        llm = client(server.url, form)
        message = answer(llm).message
        results = [ToolResult(call.id, user("r").parts) for call in message.calls]
        answer(llm, request(user("hello"), message, *results, model=f"{form}/m"))
        sent = str(server.seen[-1].body)
    assert [call.id for call in message.calls] == ["same", "same-2"]
    assert sent.count("'same-2'") == 2  # the call and its result
    assert "'unnamed'" in sent


def test_a_reply_cut_by_its_length(form: str) -> None:
    with ModelServer([{"text": "ab", "finish": "length"}]) as server:
        assert answer(client(server.url, form)).stop is Stop.LENGTH


def test_usage(form: str) -> None:
    with ModelServer([{"text": "a", "usage": {"input": 1000, "cached": 600, "output": 7}}]) as server:
        assert answer(client(server.url, form)).usage == Usage(1000, 7, 600)


def test_a_server_that_does_not_end_its_stream(form: str) -> None:
    with ModelServer([{"text": "whole", "open": True}, WELL]) as server:
        llm = client(server.url, form)
        assert answer(llm).message.text == "whole"
        assert answer(llm).message.text == "Well."


def test_nobody_listens(form: str) -> None:
    with ModelServer() as server:
        pass
    error = failure(client(server.url, form))
    assert error.fault is ProviderFault.UNREACHABLE
    assert "connection refused" in error.message


def test_32_requests_on_one_connection(form: str) -> None:
    turns = [{"text": "a" * 100, "chunk": 3, "calls": [{"name": "read_file", "args": {"p": 1}}]}] * 32
    transport = Transport()
    with ModelServer(turns) as server:
        llm = client(server.url, form, transport=transport)
        for _ in turns:
            answer(llm)
        assert {seen.connection for seen in server.seen} == {1}
        assert {seen.headers.get("authorization") or seen.headers["x-api-key"] for seen in server.seen} <= {
            "Bearer sk-test-4711-secret",
            "sk-test-4711-secret",
        }
    transport.close()


def test_the_next_model_takes_over(form: str) -> None:
    with ModelServer(final={"status": 429}) as busy, ModelServer([WELL, WELL]) as free:
        first, second = (directory(server.url).open_model(f"{form}/m") for server in (busy, free))
        routes = [Route(f"{form}/m", first), Route("other/n", second)]
        both = Policy(routes, random_share=lambda: 0.5, wait=lambda *_: None)
        items: list[StreamItem] = ask(both)
        assert len(busy.seen) == 3
        assert next(item for item in items if isinstance(item, FailedOver))[:2] == (f"{form}/m", "other/n")
        reply = items[-1]
        assert isinstance(reply, Reply)
        assert reply.message.model == "other/n"
        assert len(free.seen) == 1


def test_an_interrupt_ends_the_countdown(form: str) -> None:
    interrupt = Interrupt()
    with ModelServer([{"status": 500}]) as server:
        llm = Policy([Route(f"{form}/m", client(server.url, form))])
        stream = llm.stream(request(), interrupt)
        assert isinstance(next(stream), RetryScheduled)
        interrupt.set()
        with pytest.raises(Exception, match="Stopped"):
            next(stream)
        assert len(server.seen) == 1


def test_errors_are_provider_errors(form: str) -> None:
    with (
        ModelServer([{"status": 418, "body": "short and stout"}]) as server,
        pytest.raises(ProviderError, match="stout"),
    ):
        ask(client(server.url, form))
