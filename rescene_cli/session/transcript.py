"""What was said, in memory: the one list of messages that every request is built from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rescene_cli.core.messages import Assistant, CallId, Message, Part, Text, ToolResult, User, plain_text

_CHARACTERS_PER_TOKEN = 4  # a coarse mean over English and code; only used for display


class Transcript:
    """Append-only within a session. After each reply every call gets exactly one result, whatever happens."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._open: dict[CallId, None] = {}

    def user(self, parts: Iterable[Part]) -> None:
        """Something said to the model. Two in a row are joined, since providers want turns to alternate."""
        last = self.messages[-1] if self.messages else None
        if isinstance(last, User):
            self.messages[-1] = User((*last.parts, Text("\n\n"), *parts))
        else:
            self.messages.append(User(tuple(parts)))

    def reply(self, message: Assistant) -> None:
        """A reply of the model."""
        self.messages.append(message)
        self._open = dict.fromkeys(call.id for call in message.calls)

    def result(self, result: ToolResult) -> None:
        """The result of one call."""
        self._open.pop(result.call_id, None)
        self.messages.append(result)

    def close(self, reason: str) -> None:
        """Answer every call that has no result: providers refuse a conversation with a dangling call."""
        for call_id in list(self._open):
            self.result(ToolResult(call_id, (Text(reason),), ok=False))

    def clear(self) -> None:
        """Forget everything."""
        self.messages.clear()
        self._open.clear()


def tokens(size: int) -> int:
    """Tokens of a text of so many characters, coarsely."""
    return size // _CHARACTERS_PER_TOKEN


def characters(messages: Sequence[Message]) -> int:
    """The size of `messages` as text."""
    return sum(_size(message) for message in messages)


def _size(message: Message) -> int:
    if isinstance(message, Assistant):
        return len(message.text) + sum(len(call.name) + len(call.arguments) for call in message.calls)
    return len(plain_text(message.parts))
