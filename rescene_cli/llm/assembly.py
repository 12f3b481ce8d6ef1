"""A reply, put together from the pieces a stream brings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from rescene_cli.core.llm import CallPiece, Reply, Stop, StreamItem, TextPiece, ThinkingPiece, Usage
from rescene_cli.core.messages import Assistant, CallId, Message, Thinking, ToolCall
from rescene_cli.llm import failures
from rescene_cli.llm.encoding import SurrogateJoiner

_REPORT_EVERY = 400  # characters of arguments between two reports of progress


class _Slot:
    """One call being written."""

    __slots__ = ("arguments", "id", "name", "reported", "size")

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []
        self.size = 0
        self.reported = -1


class CallAssembler:
    """Tool calls from their pieces, by whatever the provider tells them apart: a place, an id, or nothing."""

    def __init__(self) -> None:
        self._slots: dict[object, _Slot] = {}
        self._last: object = None

    def open(self, key: object, call_id: str, name: str) -> Iterator[CallPiece]:
        """A call begins, or says its id and name again."""
        slot = self._slots.setdefault(key, _Slot())
        slot.id = slot.id or call_id
        slot.name = slot.name or name
        self._last = key
        yield from self._progress(slot)

    def add(self, key: object, arguments: str) -> Iterator[CallPiece]:
        """More of the arguments of a call."""
        slot = self._slots.setdefault(key, _Slot())
        slot.arguments.append(arguments)
        slot.size += len(arguments)
        yield from self._progress(slot)

    def settle(self, key: object, arguments: str) -> None:
        """The whole arguments of a call, as the provider repeats them at its end."""
        slot = self._slots.setdefault(key, _Slot())
        if arguments:
            slot.arguments = [arguments]

    def key_for(self, index: object, call_id: str, name: str) -> object:
        """Where a chat-completions delta belongs: servers leave out the index, the id, or count all calls as 0."""
        if index is None:
            begins = bool(name) and not (call_id and self._id_of(self._last) == call_id)
            return len(self._slots) if begins or self._last is None else self._last
        known = self._id_of(index)
        if call_id and known and call_id != known and name:
            return (index, call_id)
        if not call_id and isinstance(self._last, tuple) and self._last[0] == index:
            return self._last
        return index

    def named(self, sent: Sequence[Message]) -> dict[object, ToolCall]:
        """The calls by their place, each with an id that no other call of the conversation has."""
        if not self._slots:
            return {}
        taken = {call.id for message in sent if isinstance(message, Assistant) for call in message.calls}
        calls: dict[object, ToolCall] = {}
        for number, (key, slot) in enumerate(self._slots.items()):
            call_id = CallId(_free(slot.id or f"call_{len(sent)}_{number}", taken))
            taken.add(call_id)
            calls[key] = ToolCall(call_id, slot.name, "".join(slot.arguments).strip() or "{}")
        return calls

    def _id_of(self, key: object) -> str:
        slot = self._slots.get(key)
        return slot.id if slot is not None else ""

    def _progress(self, slot: _Slot) -> Iterator[CallPiece]:
        if slot.reported < 0 or slot.size - slot.reported >= _REPORT_EVERY:
            slot.reported = slot.size
            yield CallPiece(slot.name, slot.size)


def _free(wanted: str, taken: set[CallId]) -> str:
    """`wanted`, or with the first number behind it that makes it unlike all others."""
    number, free = 2, wanted
    while free in taken:
        free, number = f"{wanted}-{number}", number + 1
    return free


class ReplyBuilder:
    """What a stream has brought so far. `text`, `think` and the calls yield what a person may see at once."""

    def __init__(self, model: str, sent: Sequence[Message]) -> None:
        self.calls = CallAssembler()
        self.thinking: list[Thinking] = []
        self.usage = Usage()
        self.stop: Stop | None = None
        self.model = model
        self.sent = sent
        self._text: list[str] = []
        self._thought: list[str] = []
        self._joiner = SurrogateJoiner()
        self._thought_joiner = SurrogateJoiner()

    def text(self, piece: str) -> Iterator[TextPiece]:
        """More text."""
        if piece := self._joiner.feed(piece):
            self._text.append(piece)
            yield TextPiece(piece)

    def think(self, piece: str) -> Iterator[ThinkingPiece]:
        """More reasoning text."""
        if piece := self._thought_joiner.feed(piece):
            self._thought.append(piece)
            yield ThinkingPiece(piece)

    def thought(self) -> str:
        """The reasoning text since the last call of this, taken."""
        text = "".join(self._thought) + self._thought_joiner.close()
        self._thought = []
        return text

    def finish(self) -> Iterator[StreamItem]:
        """The end of the stream: the reply."""
        if rest := self._joiner.close():
            self._text.append(rest)
            yield TextPiece(rest)
        if loose := self.thought():
            self.thinking.append(Thinking(loose))
        calls = tuple(self.calls.named(self.sent).values())
        stop = self.stop or Stop.DONE
        if calls and stop is Stop.DONE:
            stop = Stop.TOOLS
        message = Assistant("".join(self._text), calls, tuple(self.thinking), self.model)
        yield Reply(message, self.usage, stop)


def parse(data: str, who: str) -> dict[str, Any]:
    """The object in an event's data, empty for `[DONE]`. Raises ProviderError for text that is no JSON."""
    try:
        value = json.loads(data)
    except ValueError:
        if data.startswith("[DONE]"):
            return {}
        raise failures.malformed(who, f"{data[:80]!r} is no JSON") from None
    return value if isinstance(value, dict) else {}


def whole(value: Any) -> int:
    """A token count as providers send it: a number, null, or nothing."""
    return int(value) if isinstance(value, int | float) else 0
