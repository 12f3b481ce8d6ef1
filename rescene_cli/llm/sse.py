"""Server-sent events, from bytes in whatever pieces they come."""

from __future__ import annotations

from rescene_cli.llm.reading import Unreadable

_DATA = b"data:"
LARGEST_EVENT = 32 << 20  # bytes; the largest in use repeat a whole reply, and a reply of 10 MB must work
_LINE = 64  # what a line of data costs beside its bytes


class EventDecoder:
    """Cuts a byte stream into the data of its events. Raises Unreadable for an event larger than LARGEST_EVENT.

    The three wire formats repeat an event's name inside its data, so only data is kept. A piece costs one
    search while no line is complete, so 1-byte pieces of a long line are not copied again and again.
    """

    def __init__(self) -> None:
        self._pending = bytearray()  # a line that has not ended
        self._data: list[bytes] = []  # data lines of an event that has not ended
        self._size = 0  # of those
        self._started = False

    def feed(self, piece: bytes) -> list[str]:
        """The data of every event that `piece` completes."""
        if b"\n" not in piece and b"\r" not in piece and not self._pending.endswith(b"\r"):
            self._pending += piece
            events = []
        else:
            events = self._cut(bytes(self._pending) + piece if self._pending else piece, final=False)
        if self._size + len(self._pending) > LARGEST_EVENT:
            message = f"an event is larger than {LARGEST_EVENT >> 20} MiB"
            raise Unreadable(message)
        return events

    def close(self) -> list[str]:
        """What the end of the stream completes: servers leave out the last blank line."""
        events = self._cut(bytes(self._pending) + b"\n", final=True)
        if self._data:
            events.append(self._take())
        return events

    def _cut(self, text: bytes, *, final: bool) -> list[str]:
        if not self._started:
            text = text.removeprefix(b"\xef\xbb\xbf")
            self._started = True
        if b"\r" in text:
            held = text.endswith(b"\r") and not final  # the other half of CRLF may be in the next piece
            body = text[:-1] if held else text
            text = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n") + (b"\r" if held else b"")
        *lines, rest = text.split(b"\n")
        self._pending = bytearray(rest)
        events: list[str] = []
        for line in lines:
            if line.startswith(_DATA):
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
                self._size += len(line) + _LINE
            elif not line and self._data:
                events.append(self._take())
        return events

    def _take(self) -> str:
        data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        self._data, self._size = [], 0
        return data.decode("utf-8", "replace")
