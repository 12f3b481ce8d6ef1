"""Replies from pieces."""

from __future__ import annotations

import pytest

from rescene_cli.core.llm import CallPiece, Reply, Stop
from rescene_cli.core.messages import Assistant, CallId, ToolCall
from rescene_cli.llm.assembly import CallAssembler, ReplyBuilder
from rescene_cli.llm.openai_chat import ChatReply
from tests.support.models import request, user

Delta = dict[str, object]


def deltas(*calls: Delta) -> tuple[ToolCall, ...]:
    """The calls that chat-completions deltas make."""
    reply = ChatReply(request(), "test")
    for call in calls:
        list(reply.chunk({"choices": [{"delta": {"tool_calls": [call]}}]}))
    last = list(reply.finish())[-1]
    assert isinstance(last, Reply)
    return last.message.calls


def delta(index: int | None, call_id: str = "", name: str = "", arguments: object = "") -> Delta:
    made: Delta = {"function": {"name": name or None, "arguments": arguments}}
    return made | ({} if index is None else {"index": index}) | ({"id": call_id} if call_id else {})


def shapes(calls: tuple[ToolCall, ...]) -> list[tuple[str, str, str]]:
    return [(call.id, call.name, call.arguments) for call in calls]


def test_parallel_calls_with_split_arguments() -> None:
    calls = deltas(
        delta(0, "a", "read"),
        delta(1, "b", "list"),
        delta(0, arguments='{"p":'),
        delta(1, arguments='{"q"'),
        delta(0, arguments="1}"),
        delta(1, arguments=":2}"),
    )
    assert shapes(calls) == [("a", "read", '{"p":1}'), ("b", "list", '{"q":2}')]


def test_no_index_and_gaps() -> None:
    assert shapes(deltas(delta(None, "a", "x", "{}"), delta(None, "b", "y", "{"), delta(None, arguments="}"))) == [
        ("a", "x", "{}"),
        ("b", "y", "{}"),
    ]
    assert shapes(deltas(delta(4, "a", "x", "{}"), delta(9, "b", "y", "{}"))) == [("a", "x", "{}"), ("b", "y", "{}")]


def test_all_calls_counted_as_the_first() -> None:
    calls = deltas(delta(0, "a", "x", "{"), delta(0, arguments="}"), delta(0, "b", "y", "["), delta(0, arguments="]"))
    assert shapes(calls) == [("a", "x", "{}"), ("b", "y", "[]")]


def test_id_and_name_repeated_in_each_piece() -> None:
    assert shapes(deltas(delta(0, "a", "x", "{"), delta(0, "a", "x", "}"))) == [("a", "x", "{}")]
    assert shapes(deltas(delta(None, "a", "x", "{"), delta(None, "a", "x", "}"))) == [("a", "x", "{}")]


def test_missing_ids_are_given_and_one_id_twice_becomes_two() -> None:
    assert [call.id for call in deltas(delta(0, "", "x"), delta(1, "", "y"))] == ["call_1_0", "call_1_1"]
    assert [call.id for call in deltas(delta(0, "a", "x"), delta(1, "a", "y"))] == ["a", "a-2"]


def test_an_id_of_an_earlier_reply_is_not_used_again() -> None:
    earlier = Assistant("", (ToolCall(CallId("call_0"), "x", "{}"),))
    assembler = CallAssembler()
    list(assembler.open(0, "call_0", "x"))
    assert [call.id for call in assembler.named([user("a"), earlier]).values()] == ["call_0-2"]


@pytest.mark.parametrize("arguments", ["", None, "  "])
def test_no_arguments_are_an_empty_object(arguments: object) -> None:
    assert shapes(deltas(delta(0, "a", "x", arguments))) == [("a", "x", "{}")]


def test_arguments_sent_as_an_object() -> None:
    assert deltas(delta(0, "a", "x", {"p": 1}))[0].arguments == '{"p": 1}'


def test_progress_is_reported_now_and_then() -> None:
    assembler = CallAssembler()
    seen = list(assembler.open(0, "a", "write_file"))
    for _ in range(1000):
        seen += assembler.add(0, "x")
    assert [piece.size for piece in seen] == [0, 400, 800]
    assert all(isinstance(piece, CallPiece) and piece.name == "write_file" for piece in seen)


def test_a_reply_with_calls_stops_for_tools() -> None:
    builder = ReplyBuilder("m", ())
    list(builder.calls.open(0, "a", "x"))
    reply = list(builder.finish())[-1]
    assert isinstance(reply, Reply)
    assert reply.stop is Stop.TOOLS
