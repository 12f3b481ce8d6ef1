"""Messages: what is sent, and what is kept for the next request."""

from __future__ import annotations

from typing import Any

import pytest

from rescene_cli.core.llm import Effort, Request, Usage
from rescene_cli.core.messages import Assistant, CallId, Image, Text, Thinking, ToolCall, ToolResult, User
from rescene_cli.llm.anthropic_client import AnthropicClient
from rescene_cli.llm.catalog import Catalog
from rescene_cli.llm.provider import Endpoint
from rescene_cli.llm.transport import Transport
from tests.support.model_server import ModelServer
from tests.support.models import READ, answer, client, request, user

NEW, OLD = "anthropic/claude-opus-5", "anthropic/claude-sonnet-4-5"
CALL = ToolCall(CallId("c"), "x", "{}")


def body(wanted: Request) -> dict[str, Any]:
    transport = Transport()
    with ModelServer() as server:
        answer(AnthropicClient(Endpoint("anthropic", server.url, "k"), transport, Catalog()), wanted)
        assert server.seen[0].headers["x-api-key"] == "k"
        assert server.seen[0].headers["anthropic-version"] == "2023-06-01"
        assert server.seen[0].path == "/v1/messages"
        sent: dict[str, Any] = server.seen[0].body
    transport.close()
    return sent


def test_everything_that_is_asked_for() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    assert body(request(model=NEW, tools=(READ,), max_output=500)) == {
        "model": "claude-opus-5",
        "stream": True,
        "max_tokens": 500,
        "tools": [{"name": "read_file", "description": "Read a file.", "input_schema": READ.parameters, **mark}],
        "system": [{"type": "text", "text": "Be exact.", **mark}, {"type": "text", "text": "Today."}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hello", **mark}]}],
    }


@pytest.mark.parametrize(
    ("model", "most"), [(NEW, 32_000), ("anthropic/unknown", 32_000), ("deepseek/deepseek-chat", 8192)]
)
def test_the_longest_reply(model: str, most: int) -> None:
    assert body(request(model=model))["max_tokens"] == most


@pytest.mark.parametrize(
    "model", [NEW, "anthropic/claude-opus-4-6", "anthropic/claude-haiku-5-5", "anthropic/claude-next"]
)
def test_effort_of_newer_models(model: str) -> None:
    sent = body(request(model=model, effort=Effort.HIGH))
    assert sent["thinking"] == {"type": "adaptive"}
    assert sent["output_config"] == {"effort": "high"}


@pytest.mark.parametrize(
    "model",
    [OLD, "anthropic/claude-opus-4-20250514", "anthropic/claude-haiku-4-5", "anthropic/claude-3-7-sonnet-latest"],
)
def test_effort_of_older_models(model: str) -> None:
    sent = body(request(model=model, effort=Effort.MEDIUM))
    assert sent["thinking"] == {"type": "enabled", "budget_tokens": 12_000}
    assert "output_config" not in sent


def test_a_budget_leaves_room_for_the_reply() -> None:
    sent = body(request(model=OLD, effort=Effort.HIGH, max_output=8000))
    assert sent["thinking"]["budget_tokens"] == 4000
    assert "thinking" not in body(request(model=OLD, effort=Effort.HIGH, max_output=1000))


def test_no_budget_in_the_middle_of_another_models_calls() -> None:
    results = [ToolResult(CALL.id, (Text("r"),))]
    foreign = [user("a"), Assistant("", (CALL,), (), "openai/x"), *results]
    own = [user("a"), Assistant("", (CALL,), (Thinking("t", "S"),), OLD), *results]
    assert "thinking" not in body(request(*foreign, model=OLD, effort=Effort.HIGH))
    assert "thinking" in body(request(*own, model=OLD, effort=Effort.HIGH))
    assert "thinking" in body(request(*foreign, user("b"), model=OLD, effort=Effort.HIGH))


def test_redacted_and_signed_thinking_in_order() -> None:
    with ModelServer([{"redacted": "R", "thinking": "hm", "signature": "S", "text": "yes"}]) as server:
        llm = client(server.url, "anthropic")
        message = answer(llm, request(model="anthropic/m")).message
        assert message.thinking == (Thinking("", payload="R"), Thinking("hm", "S"))
        answer(llm, request(user("a"), message, user("b"), model="anthropic/m"))
        blocks = server.seen[1].body["messages"][1]["content"]
    assert blocks == [
        {"type": "redacted_thinking", "data": "R"},
        {"type": "thinking", "thinking": "hm", "signature": "S"},
        {"type": "text", "text": "yes"},
    ]


def test_what_the_provider_refuses_is_not_sent() -> None:
    said = [user(" "), Assistant("\n ", (), (Thinking("t", "S"),), NEW), ToolResult(CallId("c"), (Text(""),))]
    blocks = body(request(*said, model=NEW))["messages"]
    assert len(blocks) == 1  # the empty reply is gone, so both sides of it are one message
    assert blocks[0]["content"][0] == {"type": "text", "text": "(empty)"}
    assert blocks[0]["content"][1]["content"] == []


def test_images_and_errors() -> None:
    png = Image("image/png", b"\x89PNG")
    said = [User((png,)), Assistant("", (CALL,), (), NEW), ToolResult(CALL.id, (Text("no"), png), ok=False)]
    messages = body(request(*said, model=NEW))["messages"]
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}
    assert messages[0]["content"][0]["source"] == source
    result = messages[2]["content"][0]
    assert result["is_error"] is True
    assert [block["type"] for block in result["content"]] == ["text", "image"]


def test_usage_counts_all_of_the_prompt() -> None:
    usage = {"input": 1000, "cached": 700, "cache_written": 200, "output": 9}
    with ModelServer([{"text": "a", "usage": usage}]) as server:
        assert answer(client(server.url, "anthropic")).usage == Usage(1000, 9, 700, 200)


def test_no_messages_at_all() -> None:
    assert body(Request(NEW, request().system, ()))["messages"] == []
