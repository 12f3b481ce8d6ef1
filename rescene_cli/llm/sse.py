"""Server-sent events, from bytes in whatever pieces they come."""

from __future__ import annotations

_DATA = b"data:"


class EventDecoder:
    """Cuts a byte stream into the data of its events.

    The three wire formats repeat an event's name inside its data, so only data is kept. A piece costs one
    search while no line is complete, so 1-byte pieces of a long line are not copied again and again.
    """

    def __init__(self) -> None:
        self._pending: list[bytes] = []  # pieces of a line that has not ended
        self._data: list[bytes] = []  # data lines of an event that has not ended
        self._started = False

    def feed(self, piece: bytes) -> list[str]:
        """The data of every event that `piece` completes."""
        if b"\n" not in piece and b"\r" not in piece and not self._held_return():
            self._pending.append(piece)
            return []
        return self._cut(b"".join((*self._pending, piece)), final=False)

    def close(self) -> list[str]:
        """What the end of the stream completes: servers leave out the last blank line."""
        events = self._cut(b"".join(self._pending) + b"\n", final=True)
        if self._data:
            events.append(self._take())
        return events

    def _held_return(self) -> bool:
        return bool(self._pending) and self._pending[-1].endswith(b"\r")

    def _cut(self, text: bytes, *, final: bool) -> list[str]:
        if not self._started:
            text = text.removeprefix(b"\xef\xbb\xbf")
            self._started = True
        if b"\r" in text:
            held = text.endswith(b"\r") and not final  # the other half of CRLF may be in the next piece
            body = text[:-1] if held else text
            text = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n") + (b"\r" if held else b"")
        *lines, rest = text.split(b"\n")
        self._pending = [rest] if rest else []
        events: list[str] = []
        for line in lines:
            if line.startswith(_DATA):
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif not line and self._data:
                events.append(self._take())
        return events

    def _take(self) -> str:
        data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        self._data = []
        return data.decode("utf-8", "replace")
