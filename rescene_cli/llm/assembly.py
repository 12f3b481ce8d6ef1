"""A reply, put together from the pieces a stream brings."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import Any, Protocol

from rescene_cli.core.llm import CallPiece, Reply, Stop, StreamItem, TextPiece, ThinkingPiece, Usage
from rescene_cli.core.messages import Assistant, CallId, Message, Thinking, ToolCall
from rescene_cli.llm import failures
from rescene_cli.llm.encoding import SurrogateJoiner
from rescene_cli.llm.reading import Unreadable, told
from rescene_cli.llm.transport import Outgoing

_REPORT_EVERY = 400  # characters of arguments between two reports of progress
MOST_TEXT = 64 << 20  # characters of one reply: text, reasoning and arguments
MOST_CALLS = 1_000
LONGEST_NAME = 1_000  # characters; no provider takes a tool with a name of more than 128
_LONGEST_ID = 1 << 16  # some providers put a signature into it
_OPAQUE = 16  # what a character of JSON costs that is kept as a value, in characters of text


class Room:
    """What one reply may still grow by, in characters."""

    def __init__(self) -> None:
        self._left = MOST_TEXT

    def take(self, size: int) -> None:
        """So much more came. Raises Unreadable when it is too much."""
        self._left -= size
        if self._left < 0:
            message = f"one reply is larger than {MOST_TEXT >> 20} Mi characters"
            raise Unreadable(message)


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

    def __init__(self, room: Room | None = None) -> None:
        self._room = room or Room()
        self._slots: dict[object, _Slot] = {}
        self._last: object = None

    def open(self, key: object, call_id: str, name: str) -> Iterator[CallPiece]:
        """A call begins, or says its id and name again."""
        slot = self._slot(key)
        slot.id = slot.id or _short(call_id, _LONGEST_ID, "the id of a call")
        slot.name = slot.name or _short(name, LONGEST_NAME, "the name of a tool")
        self._last = key
        yield from self._progress(slot)

    def add(self, key: object, arguments: str) -> Iterator[CallPiece]:
        """More of the arguments of a call."""
        self._room.take(len(arguments))
        slot = self._slot(key)
        slot.arguments.append(arguments)
        slot.size += len(arguments)
        yield from self._progress(slot)

    def settle(self, key: object, arguments: str) -> None:
        """The whole arguments of a call, as the provider repeats them at its end."""
        slot = self._slot(key)
        if arguments:
            self._room.take(max(0, len(arguments) - slot.size))
            slot.arguments, slot.size = [arguments], len(arguments)

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

    def _slot(self, key: object) -> _Slot:
        slot = self._slots.get(key)
        if slot is None:
            if len(self._slots) == MOST_CALLS:
                message = f"one reply has more than {MOST_CALLS:,} calls"
                raise Unreadable(message)
            slot = self._slots[key] = _Slot()
        return slot

    def _id_of(self, key: object) -> str:
        slot = self._slots.get(key)
        return slot.id if slot is not None else ""

    def _progress(self, slot: _Slot) -> Iterator[CallPiece]:
        if slot.reported < 0 or slot.size - slot.reported >= _REPORT_EVERY:
            slot.reported = slot.size
            yield CallPiece(slot.name, slot.size)


def _short(text: str, most: int, what: str) -> str:
    if len(text) > most:
        message = f"{what} is longer than {most:,} characters"
        raise Unreadable(message)
    return text


def _free(wanted: str, taken: set[CallId]) -> str:
    """`wanted`, or with the first number behind it that makes it unlike all others."""
    number, free = 2, wanted
    while free in taken:
        free, number = f"{wanted}-{number}", number + 1
    return free


class ReplyBuilder:
    """What a stream has brought so far. `text`, `think` and the calls yield what a person may see at once."""

    def __init__(self, model: str, sent: Sequence[Message]) -> None:
        self.room = Room()
        self.calls = CallAssembler(self.room)
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
            self.room.take(len(piece))
            self._text.append(piece)
            yield TextPiece(piece)

    def think(self, piece: str) -> Iterator[ThinkingPiece]:
        """More reasoning text."""
        if piece := self._thought_joiner.feed(piece):
            self.room.take(len(piece))
            self._thought.append(piece)
            yield ThinkingPiece(piece)

    def keep(self, value: Any) -> Any:
        """A value that only the provider understands, to be sent back."""
        self.room.take(len(json.dumps(value)) * _OPAQUE)
        return value

    def keep_thinking(self, text: str, signature: str = "", payload: str = "") -> None:
        """A piece of reasoning is whole; what of it was not streamed is counted here."""
        self.room.take(len(signature) + len(payload) + _OPAQUE)
        self.thinking.append(Thinking(text, signature, payload))

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
            self.keep_thinking(loose)
        calls = tuple(self.calls.named(self.sent).values())
        stop = self.stop or Stop.DONE
        if calls and stop is Stop.DONE:
            stop = Stop.TOOLS
        message = Assistant("".join(self._text), calls, tuple(self.thinking), self.model)
        yield Reply(message, self.usage, stop)


class Reading(Protocol):
    """A reply that is being read from one format's events."""

    @property
    def ended(self) -> bool:
        """Whether no further event is wanted."""
        ...

    @property
    def whole(self) -> bool:
        """Whether the reply is all there."""
        ...

    def take(self, data: str) -> Iterator[StreamItem]:
        """What the data of one event brings. Raises ProviderError for one that reports an error."""
        ...

    def finish(self) -> Iterator[StreamItem]:
        """The reply."""
        ...


def read_reply(events: Generator[str, None, None], reply: Reading, outgoing: Outgoing) -> Iterator[StreamItem]:
    """Feed `events` to `reply`. Raises ProviderError for what is no reply, whatever is wrong with it."""
    with told(outgoing.who, outgoing.secret):
        with closing(events):
            for data in events:
                yield from reply.take(data)
                if reply.ended:
                    break
        if not reply.whole:
            raise failures.dropped(outgoing.who)
        yield from reply.finish()
