"""Output of any length in bounded memory."""

from __future__ import annotations


class Capture:
    """Keeps the first `head` and the last `tail` bytes of a stream; what lies between is only counted.

    Between two trims up to twice `tail` is held, so that trimming costs nothing to speak of.
    """

    def __init__(self, head: int, tail: int) -> None:
        self._head_size, self._tail_size = head, tail
        self._head, self._tail = bytearray(), bytearray()
        self.total = 0

    def add(self, piece: bytes) -> None:
        """The next piece of the stream."""
        self.total += len(piece)
        room = self._head_size - len(self._head)
        if room > 0:
            self._head += piece[:room]
            piece = piece[room:]
        self._tail += piece
        if len(self._tail) > 2 * self._tail_size:
            del self._tail[: -self._tail_size]

    @property
    def omitted(self) -> int:
        """Bytes that were not kept."""
        return max(0, self.total - self._head_size - self._tail_size)

    @property
    def gap(self) -> int:
        """Where in `output` the omitted bytes were."""
        return len(self._head)

    def output(self) -> bytes:
        """What was kept, head and tail joined."""
        return b"".join((self._head, self._tail[-self._tail_size :]))
