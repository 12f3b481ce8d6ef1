"""The conversation in memory: alternating, and never with a dangling call."""

from __future__ import annotations

from rescene_cli.core.messages import Assistant, CallId, Text, ToolCall, ToolResult, User, plain_text
from rescene_cli.session.transcript import Transcript, characters, tokens


def test_two_user_messages_in_a_row_are_one() -> None:
    transcript = Transcript()
    transcript.user((Text("a"),))
    transcript.user((Text("b"),))
    (message,) = transcript.messages
    assert isinstance(message, User)
    assert plain_text(message.parts) == "a\n\nb"


def test_every_call_gets_exactly_one_result() -> None:
    transcript = Transcript()
    one, two = (ToolCall(CallId(name), "t", "{}") for name in ("1", "2"))
    transcript.reply(Assistant("", (one, two)))
    transcript.result(ToolResult(one.id, (Text("done"),)))
    transcript.close("stopped")
    transcript.close("stopped")
    results = [message for message in transcript.messages if isinstance(message, ToolResult)]
    assert [(result.call_id, result.ok) for result in results] == [("1", True), ("2", False)]


def test_the_size_counts_text_and_arguments() -> None:
    assert (
        tokens(characters([User((Text("x" * 40),)), Assistant("y" * 40, (ToolCall(CallId("1"), "tool", "z" * 36),))]))
        == 30
    )
