"""One task at a terminal: the same look as a conversation, line after line, with nothing redrawn."""

from __future__ import annotations

import shutil
import time
from typing import TextIO

from rescene_cli.core import events
from rescene_cli.core.events import Event
from rescene_cli.ui.clean import one_line
from rescene_cli.ui.ink import depth_for
from rescene_cli.ui.marks import marks_for
from rescene_cli.ui.paint import Painter
from rescene_cli.ui.plain import HEARTBEAT, Heartbeat
from rescene_cli.ui.stream import Stream
from rescene_cli.ui.words import elapsed


class TerminalProgress:
    """An observer. Where `result` is no terminal, the last reply goes there and all before it to `out`.

    So `rescene run TASK > file` leaves the answer in the file and the work on the screen.
    """

    def __init__(self, out: TextIO, result: TextIO, heartbeat: float = HEARTBEAT) -> None:
        self._out, self._result = out, result
        marks = marks_for(out.encoding)
        painter = Painter(depth_for(), shutil.get_terminal_size().columns, unicode=marks.prompt != ">")
        self._stream = Stream(painter, marks, time.monotonic, rest="")
        self._splits = not result.isatty()
        self._held: list[events.TextDelta] = []
        self._since = time.monotonic()
        self._heartbeat = Heartbeat(heartbeat, self._beat)

    def __call__(self, event: Event) -> None:
        """Show `event`, if it is worth a line."""
        match event:
            case events.TextDelta() if self._splits:
                self._held.append(event)
                return
            case events.AssistantMessage(calls=()) if self._splits:
                pass  # it may be the last one: what comes next tells
            case events.ProviderRetry():
                self._held.clear()
                self._say([f"{one_line(event.reason)} Trying again in {event.wait:.0f} s."])
            case events.TurnFinished():
                self._finish(event)
            case events.UserMessage(source="user"):
                self._heartbeat.start()
            case events.AssistantMessage() | events.UserMessage():
                self._release()
        self._stream.feed(event)
        self._say(self._stream.take())

    def close(self) -> None:
        """Stop the heartbeat."""
        self._heartbeat.stop()

    def _release(self) -> None:
        """The reply that was held back is not the last one."""
        for delta in self._held:
            self._stream.feed(delta)
        self._held.clear()

    def _finish(self, event: events.TurnFinished) -> None:
        self._heartbeat.stop()
        if self._splits and event.message:
            self._result.write(event.message.rstrip("\n") + "\n")
            self._result.flush()

    def _beat(self) -> None:
        self._say([f"still working, {elapsed(time.monotonic() - self._since)}"])

    def _say(self, lines: list[str]) -> None:
        if lines:
            self._heartbeat.heard()
            self._out.write("\n".join(lines) + "\n")
            self._out.flush()
