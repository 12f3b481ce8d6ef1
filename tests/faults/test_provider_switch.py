"""One conversation over three formats and back: signed reasoning goes to the model that made it, and to no other."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from rescene_cli.core.messages import Message, Text, ToolResult
from tests.support.model_server import ModelServer
from tests.support.models import FORMATS, READ, answer, directory, request, user

SECRET = {"chat": "hm", "responses": "sealed", "anthropic": "signed"}  # what only its own model may see again


def turn(number: int) -> dict[str, Any]:
    call = {"name": "read_file", "args": {"path": f"{number}.txt"}}
    return {"text": f"text{number}", "thinking": f"hm{number}", "calls": [call, call]}


def sent(body: dict[str, Any]) -> str:
    return json.dumps(body.get("messages") or body.get("input"))


@pytest.mark.parametrize("order", [FORMATS, FORMATS[::-1], [FORMATS[1], FORMATS[0], FORMATS[2]]])
def test_there_and_back(order: list[str]) -> None:
    said: list[Message] = [user("Begin.")]
    makers: dict[int, str] = {}
    with ModelServer([turn(number) for number in range(1, 7)]) as server:
        known = directory(server.url)
        llms = {form: known.open_model(f"{form}/m") for form in FORMATS}
        for number, form in enumerate([*order, *order], 1):
            message = answer(llms[form], request(*said, model=f"{form}/m", tools=(READ,))).message
            makers[number] = form
            assert message.model == f"{form}/m"
            said += [message, *(ToolResult(call.id, (Text(f"result{number}"),)) for call in message.calls)]
        for number, seen in enumerate(server.seen, 1):
            text = sent(seen.body)
            for earlier in range(1, number):
                assert text.count(f'"text{earlier}"') == 1
                assert text.count(f"result{earlier}") == 2
                own = makers[earlier] == makers[number]
                secret = f"hm{earlier}" if makers[earlier] == "chat" else f"{SECRET[makers[earlier]]}{earlier}"
                assert (secret in text) is own
            assert "echo" not in text  # our own notes are for nobody


def test_anthropic_gets_results_grouped_and_at_most_four_breakpoints() -> None:
    with ModelServer([turn(1), turn(2), turn(3)]) as server:
        llm = directory(server.url).open_model("anthropic/m")
        said: list[Message] = [user("Begin."), user("And this.")]
        for _ in range(3):
            message = answer(llm, request(*said, model="anthropic/m", tools=(READ,))).message
            said += [message, *(ToolResult(call.id, (Text("r"),)) for call in message.calls)]
        body = server.seen[-1].body
    assert [entry["role"] for entry in body["messages"]] == ["user", "assistant"] * 2 + ["user"]
    assert [block["type"] for block in body["messages"][2]["content"]] == ["tool_result", "tool_result"]
    assert json.dumps(body).count("cache_control") == 4
    marked = [entry["content"][-1].get("cache_control") for entry in body["messages"] if entry["role"] == "user"]
    assert marked == [None, {"type": "ephemeral"}, {"type": "ephemeral"}]
    assert body["tools"][-1]["cache_control"]
    assert body["system"][0]["cache_control"]
    assert "cache_control" not in body["system"][1]


@pytest.mark.parametrize("form", FORMATS)
def test_what_was_sent_before_is_sent_again_byte_for_byte(form: str) -> None:
    """Else no provider's cache would hit. Anthropic's breakpoints move, and are not part of what is compared there."""
    with ModelServer([turn(number) for number in range(1, 6)]) as server:
        llm = directory(server.url).open_model(f"{form}/m")
        said: list[Message] = [user("Begin.")]
        for _ in range(5):
            message = answer(llm, request(*said, model=f"{form}/m")).message
            said += [message, *(ToolResult(call.id, (Text("r"),)) for call in message.calls)]
        bodies = [sent(seen.body).replace(', "cache_control": {"type": "ephemeral"}', "") for seen in server.seen]
    for shorter, longer in pairwise(bodies):
        assert longer.startswith(shorter[:-1])
