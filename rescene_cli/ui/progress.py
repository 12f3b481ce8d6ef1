"""One task at a terminal: the same look as a conversation, line after line; only the last row is drawn again."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from rescene_cli.core import events
from rescene_cli.core.events import Event
from rescene_cli.ui.calls import ASKING
from rescene_cli.ui.clean import one_line
from rescene_cli.ui.ink import Depth, depth_for
from rescene_cli.ui.marks import marks_for
from rescene_cli.ui.paint import Painter
from rescene_cli.ui.stream import Stream

_TICK = 1.0  # seconds between two drawings of the last row
_ERASE = "\r\x1b[K"


class TerminalProgress:
    """An observer. Where `result` is no terminal, the last reply goes there and all before it to `out`.

    So `rescene run TASK > file` leaves the answer in the file and the work on the screen.
    """

    def __init__(self, out: TextIO, result: TextIO, tick: float = _TICK) -> None:
        marks = marks_for(out.encoding)
        depth = depth_for()
        self._painter = Painter(depth, shutil.get_terminal_size().columns, unicode=marks.prompt != ">")
        self._stream = Stream(self._painter, marks, time.monotonic, rest="")
        self._row = LastRow(out, self._now if depth > Depth.NONE else lambda: "", tick)
        self._result = result
        self._splits = not result.isatty()
        self._held: list[events.TextDelta] = []
        self._begun = False

    def __call__(self, event: Event) -> None:
        """Show `event`, if it is worth a line."""
        with self._row.lock:
            self._take(event)
            lines = self._stream.take()
            if lines and not self._begun:
                self._begun = True
                lines = lines if lines[0] else lines[1:]
            self._row.say(lines)

    def close(self) -> None:
        """Draw no longer."""
        self._row.stop()

    def _take(self, event: Event) -> None:
        match event:
            case events.TextDelta() if self._splits:
                self._held.append(event)
                self._stream.live.act("answering", time.monotonic())
                return
            case events.AssistantMessage(calls=()) if self._splits:
                pass  # it may be the last one: what comes next tells
            case events.ProviderRetry():
                self._held.clear()
                reason = one_line(event.reason).rstrip(".")
                self._stream.say([f"{reason}. Trying again in {event.wait:.0f} s."])
            case events.TurnFinished():
                self._finish(event)
            case events.UserMessage(source="user"):
                self._stream.live.begin(time.monotonic())
                self._row.start()
            case events.AssistantMessage() | events.UserMessage():
                self._release()
            case _:
                self._question(event)
        self._stream.feed(event)

    def _question(self, event: Event) -> None:
        """While a person is asked, the row is theirs."""
        match event:
            case events.ApprovalRequested():
                self._stream.diff_is_shown(event.call_id)
                self._row.stop()
            case events.ToolStarted(name=name) if name == ASKING:
                self._row.stop()
            case events.ApprovalAnswered():
                self._row.start()
            case events.ToolFinished(name=name) if name == ASKING:
                self._row.start()

    def _release(self) -> None:
        """The reply that was held back is not the last one."""
        for delta in self._held:
            self._stream.feed(delta)
        self._held.clear()

    def _finish(self, event: events.TurnFinished) -> None:
        self._row.stop()
        if self._splits and event.message:
            self._result.write(event.message.rstrip("\n") + "\n")
            self._result.flush()

    def _now(self) -> str:
        columns = min(self._painter.columns, shutil.get_terminal_size().columns) - 1
        painter = Painter(self._painter.ink.depth, columns)
        return self._stream.live.row(painter, self._stream.marks, time.monotonic())


class LastRow:
    """A row below the lines that are final, drawn again every `tick` seconds on a thread of its own."""

    def __init__(self, out: TextIO, draw: Callable[[], str], tick: float) -> None:
        self.lock = threading.RLock()
        self._out, self._draw, self._tick = out, draw, tick
        self._shown = False
        self._ended: threading.Event | None = None

    def say(self, lines: list[str]) -> None:
        """Write final lines above the row."""
        with self.lock:
            if lines:
                text = "".join(f"{line}\n" for line in lines)
                self._write(self._erased() + text + self._drawn())

    def start(self) -> None:
        """Begin to draw the row, if that is not done already."""
        with self.lock:
            if self._ended is None:
                self._ended = threading.Event()
                threading.Thread(target=self._run, args=(self._ended,), daemon=True).start()

    def stop(self) -> None:
        """Take the row off the screen."""
        with self.lock:
            if self._ended is not None:
                self._ended.set()
                self._ended = None
                self._write(self._erased())

    def _run(self, ended: threading.Event) -> None:
        while not ended.wait(self._tick):
            with self.lock, suppress(OSError, ValueError):  # the terminal has gone: the work says so itself
                if not ended.is_set():
                    self._write(self._erased() + self._drawn())

    def _erased(self) -> str:
        shown, self._shown = self._shown, False
        return _ERASE if shown else ""

    def _drawn(self) -> str:
        row = self._draw() if self._ended is not None else ""
        self._shown = bool(row)
        return row

    def _write(self, text: str) -> None:
        if text:
            self._out.write(text)
            self._out.flush()
