"""Responses: what is sent."""

from __future__ import annotations

from typing import Any

from rescene_cli.core.llm import Effort, Request
from rescene_cli.core.messages import Assistant, CallId, Image, Text, Thinking, ToolCall, ToolResult, User
from tests.support.model_server import ModelServer
from tests.support.models import READ, answer, client, request, user

PNG = Image("image/png", b"\x89PNG")


def body(wanted: Request) -> dict[str, Any]:
    with ModelServer() as server:
        answer(client(server.url, "responses"), wanted)
        sent: dict[str, Any] = server.seen[0].body
        return sent


def test_everything_that_is_asked_for() -> None:
    wanted = request(model="responses/gpt-5.6", tools=(READ,), effort=Effort.LOW, max_output=500, session="s1")
    assert body(wanted) == {
        "model": "gpt-5.6",
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "max_output_tokens": 500,
        "reasoning": {"effort": "low", "summary": "auto"},
        "prompt_cache_key": "s1",
        "instructions": "Be exact.\n\nToday.",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "hello"}]}],
        "tools": [
            {
                "type": "function",
                "name": "read_file",
                "description": "Read a file.",
                "parameters": READ.parameters,
                "strict": False,
            }
        ],
    }


def test_reasoning_alone_is_left_out() -> None:
    """The provider refuses reasoning that nothing follows."""
    thinking = (Thinking("hm", payload='{"type": "reasoning"}'),)
    said = [user("a"), Assistant("", (), thinking, "responses/m"), Assistant("b", (), thinking, "responses/m")]
    kinds = [item.get("type", item.get("role", "")) for item in body(request(*said, model="responses/m"))["input"]]
    assert kinds == ["user", "reasoning", "message"]


def test_results_with_images() -> None:
    call = ToolCall(CallId("c"), "x", "{}")
    said = [User((Text("see"), PNG)), Assistant("", (call,), (), "m"), ToolResult(call.id, (Text("r"), PNG))]
    items = body(request(*said))["input"]
    assert [part["type"] for part in items[0]["content"]] == ["input_text", "input_image"]
    assert [part["type"] for part in items[2]["output"]] == ["input_text", "input_image"]


def test_items_without_deltas() -> None:
    """Some gateways send whole items only."""
    item = '{"type": "message", "content": [{"type": "output_text", "text": "whole"}]}'
    call = '{"type": "function_call", "call_id": "c1", "name": "x", "arguments": "{\\"a\\": 1}"}'
    raw = (
        f'data: {{"type": "response.output_item.done", "output_index": 0, "item": {item}}}\n\n'
        f'data: {{"type": "response.output_item.done", "output_index": 1, "item": {call}}}\n\n'
        'data: {"type": "response.completed", "response": {}}\n\n'
    )
    with ModelServer([{"raw": raw}]) as server:
        message = answer(client(server.url, "responses")).message
    assert message.text == "whole"
    assert message.calls == (ToolCall(CallId("c1"), "x", '{"a": 1}'),)
