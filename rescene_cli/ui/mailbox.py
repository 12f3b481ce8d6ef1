"""Hands events from the thread that works to the thread that draws, without either waiting for the other."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from rescene_cli.core.events import Event, TextDelta, ThinkingDelta, ToolOutput

_TAIL = 4_000  # characters of a call's output that can matter to the screen


class Mailbox:
    """Keeps what arrived until it is taken; pieces that follow each other are joined, so it stays small."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._lock = threading.Lock()
        self._events: deque[Event] = deque()
        self._pieces: list[str] = []  # text of the last event in `_events`, when that is a piece

    def put(self, event: Event) -> None:
        """Add an event; called on any thread. Only the first one since the last `take` wakes the reader."""
        with self._lock:
            first = not self._events
            if self._events and _joins(self._events[-1], event):
                self._pieces.append(event.text)  # type: ignore[union-attr]
                if isinstance(event, ToolOutput) and len(self._pieces) > 64:
                    self._pieces = ["".join(self._pieces)[-_TAIL:]]
            else:
                self._seal()
                self._events.append(event)
                if isinstance(event, TextDelta | ThinkingDelta | ToolOutput):
                    self._pieces = [event.text]
        if first:
            self._wake()

    def take(self) -> list[Event]:
        """Everything that arrived since the last call."""
        with self._lock:
            self._seal()
            events = list(self._events)
            self._events.clear()
        return events

    def _seal(self) -> None:
        """Put the joined text back into the event it belongs to."""
        if not self._pieces:
            return
        text, self._pieces = "".join(self._pieces), []
        last = self._events[-1]
        if isinstance(last, ToolOutput):
            self._events[-1] = last._replace(text=text[-_TAIL:])
        elif isinstance(last, TextDelta | ThinkingDelta):
            self._events[-1] = last._replace(text=text)


def _joins(last: Event, event: Event) -> bool:
    match last, event:
        case (TextDelta(), TextDelta()) | (ThinkingDelta(), ThinkingDelta()):
            return True
        case ToolOutput(), ToolOutput():
            return last.call_id == event.call_id
        case _:
            return False
