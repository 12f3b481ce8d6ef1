"""Tool calls on the screen: one line each, a bounded tail of output while they run."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from rescene_cli.core.events import OWN_COMMAND, FileTouched, ToolFinished, ToolStarted
from rescene_cli.core.text import seconds
from rescene_cli.ui.cells import clip, width
from rescene_cli.ui.clean import exact_line, one_line, visible
from rescene_cli.ui.ink import Ink
from rescene_cli.ui.marks import Marks
from rescene_cli.ui.words import elapsed

TAIL_LINES = 5
_PARTIAL = 2_000  # characters kept of a line that has no end yet
ASKING = "ask_user"  # the call that is a question: the person sees the question, not a call that runs
_COMMANDS = {"run_command", "run_task", OWN_COMMAND}
_COUNTED = ("+", "-")  # a word of a title that begins so and goes on with a number counts lines
_SHOWN_ARGUMENTS = ("pattern", "query", "url", "path", "source", "question", "task_id", "names", "id")


class Tail:
    """The last lines of an output of any length."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=TAIL_LINES)
        self._partial = ""

    def feed(self, text: str) -> None:
        """Add output; only its end is kept."""
        *lines, partial = (self._partial + text).split("\n")
        self._lines.extend(line[-_PARTIAL:] for line in lines[-TAIL_LINES:])
        self._partial = partial[-_PARTIAL:]

    def lines(self) -> list[str]:
        """The last lines, safe to show."""
        kept = [*self._lines, self._partial] if self._partial.strip() else list(self._lines)
        return [visible(line) for line in kept[-TAIL_LINES:]]


class Running:
    """A call that runs."""

    def __init__(self, event: ToolStarted, now: float) -> None:
        self.title = call_title(event.name, event.arguments)
        self.since = now
        self.tail = Tail()

    def lines(self, now: float, columns: int, ink: Ink, marks: Marks) -> list[str]:
        """The call, how long it runs, and the end of its output."""
        taken = f" {marks.dot} {elapsed(now - self.since)}" if now - self.since >= 1 else ""
        head = clip(self.title, columns - 2 - width(taken), marks.more)
        rows = [f"{ink.accent(marks.running)} {head}{ink.dim(taken)}"]
        rows += [ink.dim(clip(f"  {marks.bar} {line}", columns, marks.more)) for line in self.tail.lines()]
        return rows


def call_title(name: str, arguments: Mapping[str, Any]) -> str:
    """A call in one line: its name and the argument that says most."""
    if name in _COMMANDS and arguments.get("command"):
        return exact_line(f"$ {arguments['command']}")
    for key in _SHOWN_ARGUMENTS:
        if arguments.get(key):
            return exact_line(f"{name} {arguments[key]}")
    return one_line(name)


def outcome_title(name: str, started: str, outcome: str, dot: str) -> str:
    """A call that ended: what it was and how it came out, without saying the same twice."""
    facts = f" {dot} ".join(part for part in map(one_line, outcome.split("  ")) if part)
    argument = started.removeprefix(name).strip()
    if not facts or facts == started:
        return started or one_line(name)
    if started == name or (argument and facts.startswith(argument)):
        return f"{one_line(name)} {facts}"
    return f"{started} {dot} {facts}"


def without_outcome(text: str) -> str:
    """The output of a command, less the last line that tells the model how it ended: the call's line says that."""
    head, _, last = text.rstrip().rpartition("\n")
    return head if last.startswith("[") and last.endswith("]") else text


def finished_line(event: ToolFinished, started: str, columns: int, ink: Ink, marks: Marks) -> str:
    """A call that ended, in one line."""
    mark = {
        "ok": ink.good(marks.done),
        "interrupted": ink.warn(marks.stopped),
        "denied": ink.warn(marks.stopped),
    }.get(event.status, ink.bad(marks.failed))
    notes = [] if event.title or event.status in {"ok", "error"} else [event.status]
    if event.files and not _counts_lines(event.title):
        notes.append(_counts(event.files))
    if event.seconds >= 1 and not (started.startswith("$ ") and event.title):  # a command's outcome has its time
        notes.append(seconds(event.seconds))
    if event.operation:
        notes.append(event.operation)
    tail = "".join(f" {marks.dot} {note}" for note in notes if note)
    title = outcome_title(event.name, started, event.title, marks.dot)
    return f"{mark} {_shortened(title, columns - 2 - len(tail), marks)}{ink.dim(tail)}"


def _shortened(title: str, columns: int, marks: Marks) -> str:
    """A title that fits. What is cut is the middle, the argument: how it came out stays."""
    head, dot, outcome = title.rpartition(f" {marks.dot} ")
    if width(title) <= columns or not dot or len(outcome) > columns // 2:
        return clip(title, columns, marks.more)
    return clip(head, columns - width(dot + outcome), marks.more) + dot + outcome


def _counts_lines(title: str) -> bool:
    return any(word.startswith(_COUNTED) and word[1:].isdigit() for word in title.split())


def _counts(files: tuple[FileTouched, ...]) -> str:
    added, removed = sum(file.added for file in files), sum(file.removed for file in files)
    return f"+{added} -{removed}" if added or removed else ""
