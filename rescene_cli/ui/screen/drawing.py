"""Brings events to the screen: collects them from the thread that works, prints what is final, draws the rest."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from prompt_toolkit.application import Application

from rescene_cli.core.events import Event, TextDelta
from rescene_cli.ui.mailbox import Mailbox
from rescene_cli.ui.paint import Painter
from rescene_cli.ui.screen.area import print_above
from rescene_cli.ui.stream import Stream

_FRAME = 0.03  # seconds between two drawings while text streams in
_PATCH = 0.05  # seconds that one drawing spends on what arrived, so that keys are heard in between
_PIECE = 8_000  # characters of a reply that are rendered at once


class Drawing:
    """The thread that draws, as the others see it. `take` gets each event in order; `repaint` gives a new painter."""

    def __init__(
        self,
        application: Application[Any],
        stream: Stream,
        take: Callable[[Event], None],
        repaint: Callable[[], Painter],
    ) -> None:
        self._application = application
        self._stream = stream
        self._take = take
        self._repaint = repaint
        self._loop: asyncio.AbstractEventLoop | None = None
        self._backlog: deque[Event] = deque()
        self._due = False
        self.mailbox = Mailbox(lambda: self.call(self.soon))

    def start(self) -> None:
        """The loop runs: from now on there is somebody who draws. A bug in what it does ends the program."""
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(self._crash)
        self.soon()

    def call(self, what: Callable[[], object]) -> None:
        """Have `what` done by the thread that draws; for every other thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(what)

    def after(self, seconds: float, what: Callable[[], object]) -> None:
        """Have `what` done after a while."""
        if self._loop is not None:
            self._loop.call_later(seconds, what)

    def refresh(self, seconds: float = 0.0) -> None:
        """Draw the rows again, at once or after a while."""
        if seconds:
            self.after(seconds + 0.01, self._application.invalidate)
        else:
            self._application.invalidate()

    def soon(self) -> None:
        """Take what arrived with the next drawing."""
        if not self._due:
            self._due = True
            self.after(_FRAME, self.now)

    def now(self) -> bool:
        """Take what arrived, print what is final and draw; returns whether nothing is left to take."""
        self._due = False
        if self._application._running_in_terminal:  # an editor has the terminal, or the shell
            self.soon()
            return True
        self._resize()
        self._backlog.extend(self.mailbox.take())
        end = time.monotonic() + _PATCH
        while self._backlog and time.monotonic() < end:
            self._take(self._next())
        if self._backlog:
            self.soon()
        lines = self._stream.take()
        if lines:
            print_above(self._application, lines)
        else:
            self._application.invalidate()
        return not self._backlog

    def say(self, lines: list[str], kind: str = "note") -> None:
        """Print lines of the program's own."""
        self._stream.say(lines, kind)
        self.now()

    def _resize(self) -> None:
        if self._stream.painter.columns != max(20, self._application.output.get_size().columns):
            self._stream.painter = self._repaint()

    def _next(self) -> Event:
        """The oldest event; a big piece of text in parts."""
        event = self._backlog.popleft()
        if isinstance(event, TextDelta) and len(event.text) > _PIECE:
            self._backlog.appendleft(TextDelta(event.text[_PIECE:]))
            return TextDelta(event.text[:_PIECE])
        return event

    def _crash(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        future = self._application.future
        if isinstance(error, Exception) and future is not None and not future.done():
            self._application.exit(exception=error)
