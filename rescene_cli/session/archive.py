"""Long output, kept whole while the model sees only its ends. In memory: it ends with the session."""

from __future__ import annotations

import threading

LIMIT = 1 << 26  # bytes of all outputs together


class OutputArchive:
    """Outputs by id (`out1`, `out2`, ...); beyond the limit the oldest are dropped, and known to be dropped."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._kept: dict[str, bytes] = {}
        self._size = 0
        self._lock = threading.Lock()  # calls that only read run beside each other
        self.count = 0  # outputs that were ever too long to be shown whole

    def keep(self, content: bytes) -> str:
        """Keep `content`; returns its id."""
        with self._lock:
            self.count += 1
            name = f"out{self.count}"
            self._kept[name] = content
            self._size += len(content)
            while self._size > self._limit:
                self._size -= len(self._kept.pop(next(iter(self._kept))))
            return name

    def get(self, name: str) -> bytes | None:
        """The content, None when the id is unknown or was dropped."""
        return self._kept.get(name)

    def dropped(self, name: str) -> bool:
        """Whether the id was given out and its output is no longer there."""
        return name not in self._kept and name in {f"out{number + 1}" for number in range(self.count)}

    @property
    def names(self) -> tuple[str, ...]:
        """The ids that can be read, oldest first."""
        return tuple(self._kept)
