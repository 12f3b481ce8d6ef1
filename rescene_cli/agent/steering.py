"""Messages for the model while it works: a person's thread hands them over, the loop takes them."""

from __future__ import annotations

import threading


class Steering:
    """Takes messages only while a turn runs, so that none is left behind unseen."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said: list[str] = []
        self._open = False

    def begin(self) -> None:
        """A turn begins."""
        with self._lock:
            self._open = True

    def put(self, text: str) -> bool:
        """Hand over a message; False when no turn runs that could take it."""
        with self._lock:
            if self._open:
                self._said.append(text)
            return self._open

    def take(self) -> tuple[str, ...]:
        """What was handed over since the last time."""
        with self._lock:
            said, self._said = tuple(self._said), []
        return said

    def end(self) -> tuple[str, ...]:
        """The turn is over; returns what the model did not get."""
        with self._lock:
            self._open = False
        return self.take()
