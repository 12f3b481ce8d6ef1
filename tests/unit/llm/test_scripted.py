"""Scripts: everything a line may say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rescene_cli.core.errors import ConfigError, Interrupted, ProviderError, ProviderFault
from rescene_cli.core.llm import CallPiece, Reply, Stop, TextPiece, ThinkingPiece, Usage
from rescene_cli.core.messages import Assistant, CallId, Text, ToolCall, ToolResult
from rescene_cli.core.runtime import Interrupt
from rescene_cli.llm.scripted import ScriptedModel
from tests.support.models import answer, ask, request, texts, user


def script(folder: Path, *lines: dict[str, Any] | str) -> ScriptedModel:
    path = folder / "play.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), "utf-8")
    return ScriptedModel(path)


def test_a_whole_reply(tmp_path: Path) -> None:
    calls = [{"name": "a", "args": {"x": 1}}, {"name": "b", "raw_args": "{oops", "id": "mine"}]
    usage = {"input": 9, "output": 2, "cached": 1}
    line = {"text": "Look.", "thinking": "hm", "calls": calls, "usage": usage, "chunk": 2}
    items = ask(script(tmp_path, line))
    assert texts(items, TextPiece) == "Look."
    assert next(item for item in items if isinstance(item, TextPiece)).text == "Lo"
    assert texts(items, ThinkingPiece) == "hm"
    assert [item.name for item in items if isinstance(item, CallPiece)] == ["a", "b"]
    reply = items[-1]
    assert isinstance(reply, Reply)
    assert reply.usage == Usage(9, 2, 1)
    assert reply.stop is Stop.TOOLS
    assert reply.message.calls == (
        ToolCall(CallId("call_1_0"), "a", '{"x": 1}'),
        ToolCall(CallId("mine"), "b", "{oops"),
    )


def test_lines_come_in_order_and_then_no_more(tmp_path: Path) -> None:
    model = script(tmp_path, {"text": "1"}, "", {"text": "2"})
    assert [answer(model).message.text for _ in range(2)] == ["1", "2"]
    with pytest.raises(ProviderError, match=r"play\.jsonl has no reply left after 2") as caught:
        ask(model)
    assert caught.value.fault is ProviderFault.BAD_REQUEST  # never tried again


def test_expectations(tmp_path: Path) -> None:
    said = [user("old words"), Assistant("b"), ToolResult(CallId("c"), (Text("exit 0"),)), user("go on")]
    expect = {"text": "yes", "expect": ["exit 0", "go on"]}
    assert answer(script(tmp_path, expect), request(*said)).message.text == "yes"
    model = script(tmp_path, {"text": ""}, {"expect": "old words"})
    answer(model)
    with pytest.raises(ProviderError, match="line 2 expects 'old words'"):
        ask(model, request(*said))


def test_errors_and_waits(tmp_path: Path) -> None:
    model = script(tmp_path, {"error": "rate_limited", "retry_after": 3}, {"text": "well", "delay": 0.01})
    with pytest.raises(ProviderError) as caught:
        ask(model)
    assert (caught.value.fault, caught.value.retry_after) == (ProviderFault.RATE_LIMITED, 3)
    assert answer(model).message.text == "well"


def test_an_interrupt_ends_a_wait(tmp_path: Path) -> None:
    interrupt = Interrupt()
    stream = script(tmp_path, {"text": "abc", "chunk": 1}, {"delay": 60}).stream(request(), interrupt)
    assert next(stream) == TextPiece("a")
    interrupt.set()
    with pytest.raises(Interrupted):
        next(stream)


@pytest.mark.parametrize(
    "line",
    ["{", "[]", '{"txt": "a"}', '{"error": "gremlins"}', '{"calls": [{"args": {}}]}', '{"usage": {"tokens": 1}}'],
)
def test_a_line_that_is_no_reply(tmp_path: Path, line: str) -> None:
    with pytest.raises(ConfigError, match=r"Line 2 of the script play\.jsonl"):
        script(tmp_path, {"text": ""}, line)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can't be read"):
        ScriptedModel(tmp_path / "no.jsonl")
