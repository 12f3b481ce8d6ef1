"""The lines that end a turn, and the todo list."""

from __future__ import annotations

from collections.abc import Sequence

from rescene_cli.core.errors import ResceneError
from rescene_cli.core.events import TodoItem, TurnFinished
from rescene_cli.core.text import plural, seconds
from rescene_cli.ui.cells import width, wrap
from rescene_cli.ui.clean import one_line
from rescene_cli.ui.marks import Marks
from rescene_cli.ui.paint import Painter
from rescene_cli.ui.words import count, dollars


def turn_lines(event: TurnFinished, painter: Painter, marks: Marks) -> list[str]:
    """What a turn changed, how that was checked, and what it used; first why it ended, if not by being done."""
    ink = painter.ink
    lines = []
    if event.status == "interrupted":
        lines.append(f"{ink.warn(marks.stopped)} Stopped. What was done until then is kept.")
    elif event.status != "done":
        why = event.error or event.status.replace("_", " ")
        lines += error_lines(ResceneError(why, event.hint), painter, marks)
    return [*lines, *(ink.dim(row) for row in _joined(turn_parts(event), painter.columns, f" {marks.dot} "))]


def error_lines(error: ResceneError, painter: Painter, marks: Marks) -> list[str]:
    """An error: what it says, and what to do."""
    ink, columns = painter.ink, painter.columns - 2
    first, *more = wrap(one_line(error.message), columns)
    rows = [f"{ink.bad(marks.failed)} {ink.bad(first)}", *(f"  {ink.bad(row)}" for row in more)]
    return [*rows, *(ink.dim(f"  {row}") for row in wrap(one_line(error.hint), columns) if row)]


def turn_parts(event: TurnFinished) -> list[str]:
    """The facts of a turn, most important first."""
    parts = []
    if event.files:
        added, removed = sum(file.added for file in event.files), sum(file.removed for file in event.files)
        parts.append(f"{plural(len(event.files), 'file')} changed +{added} -{removed}")
    if event.operations:
        first, last = event.operations[0], event.operations[-1]
        parts.append(first if first == last else f"{first} to {last}")
    if event.evidence:
        parts.append(one_line(event.evidence))
    if event.denied:
        parts.append(f"{plural(len(event.denied), 'call')} not run")
    if event.usage.input or event.usage.output:
        parts.append(f"{count(event.usage.input)} in, {count(event.usage.output)} out")
    parts += [part for part in (dollars(event.usage.cost_usd),) if part]
    if event.seconds >= 0.05 or parts:
        parts.append(seconds(event.seconds) if parts else f"took {seconds(event.seconds)}")
    return parts


def todo_lines(items: Sequence[TodoItem], painter: Painter, marks: Marks) -> list[str]:
    """The whole list."""
    ink = painter.ink
    signs = {"done": ink.good(marks.done), "in_progress": ink.accent(marks.running)}
    lines = []
    for item in items:
        first, *more = wrap(one_line(item.text), painter.columns - 2)
        lines += [f"{signs.get(item.status, ink.dim(marks.bullet))} {first}", *(f"  {row}" for row in more)]
    return lines


def _joined(parts: list[str], columns: int, between: str) -> list[str]:
    """Parts on as few rows as they fit, broken between parts."""
    rows: list[str] = []
    for part in parts:
        if rows and width(rows[-1] + between + part) <= columns:
            rows[-1] += between + part
        else:
            rows += wrap(part, columns)
    return rows
