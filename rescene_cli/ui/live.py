"""The part of the screen that still changes, within a bounded number of rows."""

from __future__ import annotations

from rescene_cli.core.events import ProviderRetry, TodoItem
from rescene_cli.core.messages import CallId
from rescene_cli.core.text import plural
from rescene_cli.ui.calls import Running
from rescene_cli.ui.cells import clip, width
from rescene_cli.ui.clean import one_line
from rescene_cli.ui.marks import Marks
from rescene_cli.ui.paint import Painter
from rescene_cli.ui.reply import Reply
from rescene_cli.ui.words import elapsed

_CALLS = 4  # running calls that are shown at once


class Live:
    """What is going on right now."""

    def __init__(self) -> None:
        self.reply = Reply()
        self.calls: dict[CallId, Running] = {}
        self.todo: tuple[TodoItem, ...] = ()
        self.retry: tuple[ProviderRetry, float] | None = None  # with the moment of the next try
        self.started: float | None = None
        self._activity = ""
        self._since = 0.0

    def begin(self, now: float) -> None:
        """A turn begins."""
        self.started = now
        self.act("waiting for the model", now)

    def act(self, activity: str, now: float) -> None:
        """Say what is going on; the time counts from the last change of its first word."""
        if activity.split(" ", 1)[0] != self._activity.split(" ", 1)[0]:
            self._since = now
        self._activity = activity

    def clear(self) -> None:
        """Nothing is going on any more."""
        self.calls.clear()
        self.retry = None
        self.started = None
        if all(item.status == "done" for item in self.todo):
            self.todo = ()

    def lines(self, painter: Painter, marks: Marks, now: float, height: int) -> list[str]:
        """At most `height` rows: the end of the reply above, what runs below."""
        below = self._below(painter, marks, now)[-height:]
        room = height - len(below)
        rest = self.reply.rest(painter)[-room:] if room > 0 else []
        gap = [""] if below and len(rest) + len(below) < height else []
        return [*rest, *gap, *below]

    def row(self, painter: Painter, marks: Marks, now: float) -> str:
        """What is going on in a single row; nothing when nothing is."""
        if self.started is None:
            return ""
        if not self.calls:
            return self._activity_line(painter, marks, now)[0]
        first, *others = self.calls.values()
        more = f" {marks.dot} and {plural(len(others), 'more call')}" if others else ""
        return first.lines(now, painter.columns - width(more), painter.ink, marks)[0] + painter.ink.dim(more)

    def _below(self, painter: Painter, marks: Marks, now: float) -> list[str]:
        columns, ink = painter.columns, painter.ink
        rows: list[str] = []
        for running in list(self.calls.values())[:_CALLS]:
            rows += running.lines(now, columns, ink, marks)
        if len(self.calls) > _CALLS:
            rows.append(ink.dim(f"  and {len(self.calls) - _CALLS} more calls"))
        if self.started is not None:
            rows += self._todo(painter, marks)
            rows += self._activity_line(painter, marks, now)
        return rows

    def _todo(self, painter: Painter, marks: Marks) -> list[str]:
        if not self.todo:
            return []
        done = sum(item.status == "done" for item in self.todo)
        current = next((item.text for item in self.todo if item.status == "in_progress"), "")
        text = f"  todo {done}/{len(self.todo)}" + (f" {marks.dot} {one_line(current)}" if current else "")
        return [painter.ink.dim(clip(text, painter.columns, marks.more))]

    def _activity_line(self, painter: Painter, marks: Marks, now: float) -> list[str]:
        ink, columns = painter.ink, painter.columns
        if self.retry:
            event, moment = self.retry
            wait = max(0, round(moment - now))
            text = f"trying again in {wait} s ({event.attempt} of {event.attempts}): {one_line(event.reason)}"
            return [ink.warn(clip(f"{marks.running} {text}", columns, marks.more))]
        if self.calls:
            return []
        taken = f" {marks.dot} {elapsed(now - self._since)}" if now - self._since >= 1 else ""
        thought = self.reply.last_thought() if self.reply.thinking_since is not None else ""
        head = clip(f"{self._activity}{taken}", columns - 2, marks.more)
        line = f"{ink.accent(marks.running)} {ink.dim(head)}"
        return [line, ink.dim(clip(f"  {marks.bar} {thought}", columns, marks.more))] if thought else [line]
