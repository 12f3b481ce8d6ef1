"""What happened, as lines: those that are final go to the scrollback once, the others are the live part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from rescene_cli.core import events
from rescene_cli.core.events import OWN_COMMAND, Event
from rescene_cli.core.messages import CallId
from rescene_cli.core.text import plural, seconds
from rescene_cli.ui.calls import ASKING, Running, call_title, finished_line, without_outcome
from rescene_cli.ui.cells import clip, width, wrap
from rescene_cli.ui.clean import exact, one_line, visible
from rescene_cli.ui.diffs import diff_lines, shortened
from rescene_cli.ui.folds import Fold, Folds
from rescene_cli.ui.live import Live
from rescene_cli.ui.marks import Marks
from rescene_cli.ui.paint import Painter
from rescene_cli.ui.reply import Reply
from rescene_cli.ui.summary import todo_lines, turn_lines
from rescene_cli.ui.words import elapsed

_DIFF_LINES = 40
_SHELL_LINES = 200
_ERROR_LINES = 3


class Stream:
    """Follows a session. `lines` collects what is final until it is taken; `live` holds what still changes."""

    def __init__(
        self, painter: Painter, marks: Marks, clock: Callable[[], float], rest: str = ", Ctrl-O shows them"
    ) -> None:
        self.painter = painter
        self.marks = marks
        self._rest = rest  # how a person gets at lines that were left out
        self.folds = Folds()
        self.live = Live()
        self._clock = clock
        self._reply = self.live.reply = Reply()
        self._lines: list[str] = []
        self._last = "note"
        self._shown_diffs: set[str] = set()
        self._asked: dict[CallId, str] = {}  # titles of calls that a person was asked about: they may never start

    def take(self) -> list[str]:
        """The final lines since the last call."""
        lines, self._lines = self._lines, []
        return lines

    def say(self, lines: list[str], kind: str = "note") -> None:
        """Add final lines; a blank line stands between different kinds, and around each block of text."""
        if not lines:
            return
        if kind != self._last or kind in {"user", "text"}:
            lines = ["", *lines] if lines[0] else lines
        self._last = kind
        self._lines += lines

    def diff_is_shown(self, call: str) -> None:
        """The diff of this call is on the screen already: a question was about it."""
        self._shown_diffs.add(call)

    def show_diff(self, call: str, diff: str) -> None:
        """A diff that a question is about; the call that makes the change does not show it again."""
        if diff:
            self.diff_is_shown(call)
            self.say(diff_lines(exact(diff), self.painter.ink, self.painter.columns, named=True), "diff")

    def feed(self, event: Event) -> None:
        """Take in one event."""
        match event:
            case (
                events.TextDelta() | events.ThinkingDelta() | events.CallProgress() | events.RequestStarted()
                | events.ProviderRetry() | events.ProviderFailover() | events.AssistantMessage()
            ):  # fmt: skip
                self._model(event)
            case events.ApprovalRequested() | events.ToolStarted() | events.ToolOutput() | events.ToolFinished():
                self._call(event)
            case events.VerificationStarted() | events.Verification():
                self._verification(event)
            case events.TurnFinished():
                self._finish(event)
            case events.UserMessage():
                self._user(event)
            case events.Notice() | events.TaskFinished() | events.TodoUpdated():
                self._note(event)
            case events.SessionStarted() | events.ApprovalAnswered():
                pass  # the first line, and the question itself, are on the screen already
            case _:
                assert_never(event)

    def _model(
        self,
        event: events.TextDelta | events.ThinkingDelta | events.CallProgress | events.RequestStarted
        | events.ProviderRetry | events.ProviderFailover | events.AssistantMessage,
    ) -> None:  # fmt: skip
        live = self.live
        live.retry = None
        match event:
            case events.RequestStarted():
                live.act("waiting for the model", self._clock())
            case events.ThinkingDelta(text):
                self._reply.think(text, self._clock())
                live.act("thinking", self._clock())
            case events.TextDelta(text):
                self._thought()
                live.act("answering", self._clock())
                self._text(self._reply.add(text, self.painter))
            case events.CallProgress(name, size):
                self._end_reply()
                live.act(f"writing {one_line(name)} ({plural(size, 'character')})", self._clock())
            case events.AssistantMessage():
                self._end_reply()
            case events.ProviderRetry():
                self._void()
                live.retry = (event, self._clock() + event.wait)
            case events.ProviderFailover(source, target, reason):
                self._void()
                self._warn(f"{one_line(source)}: {one_line(reason).rstrip('.')}. Going on with {one_line(target)}.")

    def _text(self, pieces: list[list[str]]) -> None:
        for piece in pieces:
            self.say(piece, "text") if piece and not piece[0] else self._lines.extend(piece)

    def _thought(self) -> None:
        since = self._reply.thinking_since
        text = self._reply.end_thinking()
        if since is None or not text.strip():
            return
        self.folds.add(Fold("Thinking", text))
        taken = self._clock() - since
        how_long = f"for {elapsed(taken)}" if taken >= 1 else "briefly"
        self.say([self.painter.ink.dim(f"{self.marks.dot} thought {how_long}")], "thought")

    def _end_reply(self) -> None:
        self._thought()
        self._text(self._reply.end(self.painter))
        self._reply.begun = False

    def _void(self) -> None:
        begun = self._reply.begun
        self._reply = self.live.reply = Reply()
        if begun:
            self.say([self.painter.ink.dim("(the reply above broke off and is asked for again)")])

    def _call(
        self, event: events.ApprovalRequested | events.ToolStarted | events.ToolOutput | events.ToolFinished
    ) -> None:
        running = self.live.calls
        match event:
            case events.ApprovalRequested():
                self._end_reply()
                self._asked[event.call_id] = call_title(event.name, event.arguments)
            case events.ToolStarted(call_id, name):
                self._end_reply()
                if name == ASKING:
                    self._asked[call_id] = call_title(name, event.arguments)
                else:
                    running[call_id] = Running(event, self._clock())
            case events.ToolOutput(call_id, text):
                if call_id in running:
                    running[call_id].tail.feed(text)
            case events.ToolFinished():
                started = running.pop(event.call_id, None)
                asked = self._asked.pop(event.call_id, "")
                self._finish_call(event, started.title if started else asked or event.name, asked=bool(asked))
                self.live.act("waiting for the model", self._clock())

    def _finish_call(self, event: events.ToolFinished, title: str, *, asked: bool) -> None:
        self._end_reply()
        if event.diff:
            self._changed(event, title)
        elif event.name == OWN_COMMAND or title.startswith("$ "):
            shown = _SHELL_LINES if event.name == OWN_COMMAND else _ERROR_LINES if event.status == "error" else 0
            self._say_call(event, title, self._quoted(without_outcome(event.text), shown) if shown else [])
            self.folds.add(Fold(title, event.text))
        elif event.status in {"error", "invalid"} or (event.status == "denied" and not asked):
            self._failed(event, title)
        else:
            self._say_call(event, title)
            self.folds.add(Fold(title, event.text))

    def _say_call(self, event: events.ToolFinished, title: str, more: Sequence[str] = ()) -> None:
        line = finished_line(event, title, self.painter.columns, self.painter.ink, self.marks)
        self.say([line, *more], "call")

    def _changed(self, event: events.ToolFinished, title: str) -> None:
        """A call that changed files: what it changed, unless the question before it showed that."""
        ink = self.painter.ink
        rows = diff_lines(event.diff, ink, self.painter.columns)
        shown = [] if event.call_id in self._shown_diffs else shortened(rows, _DIFF_LINES, ink, self._rest)
        self._say_call(event, title, shown)
        if shown and len(shown) < len(rows):
            self.folds.add(Fold(title, event.diff, diff=True))

    def _failed(self, event: events.ToolFinished, title: str) -> None:
        """A call that came to nothing: why, in its line if it fits there, else below it."""
        ink, columns = self.painter.ink, self.painter.columns
        why = visible(event.text).strip()
        whole = finished_line(event, title, columns * 2 + len(why), ink, self.marks)
        if why == visible(event.title).strip() and width(visible(whole)) <= columns:
            self.say([whole], "call")
            return
        rows = [row for line in why.split("\n") if line.strip() for row in wrap(line, columns - 4)]
        if len(rows) > _ERROR_LINES:
            rows = [*rows[: _ERROR_LINES - 1], f"{len(rows) - _ERROR_LINES + 1:,} more lines{self._rest}"]
            self.folds.add(Fold(title, event.text))
        self._say_call(event._replace(title=""), title, self._bar(rows))

    def _quoted(self, text: str, limit: int) -> list[str]:
        """The end of `text`, quoted; how much is left out is said."""
        lines = visible(text).strip("\n").split("\n")
        if limit < _SHELL_LINES:
            lines = [line for line in lines if line.strip()]
        if lines in ([], [""]):
            return []
        head = [f"{len(lines) - limit:,} more lines{self._rest}"] if len(lines) > limit else []
        return self._bar([*head, *lines[-limit:]])

    def _bar(self, lines: Sequence[str]) -> list[str]:
        columns = self.painter.columns - 4
        return [self.painter.ink.dim(f"  {self.marks.bar} {clip(line, columns, self.marks.more)}") for line in lines]

    def _verification(self, event: events.VerificationStarted | events.Verification) -> None:
        if isinstance(event, events.VerificationStarted):
            self._end_reply()
            self.live.act(f"checking: {one_line(event.command)}", self._clock())
            return
        if event.status == "skipped":
            return  # the end of the turn says so
        ink, evidence = self.painter.ink, event.evidence
        mark = ink.good(self.marks.done) if event.status == "pass" else ink.bad(self.marks.failed)
        command = one_line(evidence.command) if evidence else "check"
        notes = [event.status if event.status != "pass" else "passed", one_line(event.note)]
        notes += [seconds(evidence.seconds)] if evidence else []
        tail = "".join(f" {self.marks.dot} {note}" for note in notes if note)
        self.say(
            [f"{mark} {clip(command, self.painter.columns - 2 - len(tail), self.marks.more)}{ink.dim(tail)}"], "call"
        )
        if evidence and event.status == "fail":
            self.folds.add(Fold(command, evidence.log))
            self.say(self._quoted(evidence.log, 10), "call")

    def _finish(self, event: events.TurnFinished) -> None:
        self._end_reply()
        self.live.clear()
        self._shown_diffs.clear()
        self._asked.clear()
        self.say(turn_lines(event, self.painter, self.marks), "end")

    def _user(self, event: events.UserMessage) -> None:
        self._end_reply()
        if event.source in {"user", "steer"}:
            self.say_user(event.text)
            return
        first = visible(event.text).strip().split("\n", 1)[0]
        self._warn(f"{event.source}: {first}")
        self.folds.add(Fold(event.source, event.text))

    def say_user(self, text: str) -> None:
        """Words of the person, as the transcript has them."""
        lines = visible(text).strip("\n").split("\n")
        if len(lines) > 12:
            lines = [*lines[:8], f"[{len(lines) - 8:,} more lines]"]
        rows = [row for line in lines for row in wrap(line, self.painter.columns - 2)]
        signs = [self.marks.prompt, *[" "] * (len(rows) - 1)]
        ink = self.painter.ink
        self.say([f"{ink.accent(sign)} {ink.bold(row)}" for sign, row in zip(signs, rows, strict=True)], "user")

    def _note(self, event: events.Notice | events.TaskFinished | events.TodoUpdated) -> None:
        ink, columns = self.painter.ink, self.painter.columns
        match event:
            case events.TodoUpdated(items):
                self.live.todo = items
                if items and all(item.status == "done" for item in items):
                    self.say(todo_lines(items, self.painter, self.marks))
            case events.TaskFinished(task_id, code, taken):
                mark = ink.good(self.marks.done) if code == 0 else ink.bad(self.marks.failed)
                self.say([f"{mark} task {one_line(task_id)} ended with {code} after {seconds(taken)}"])
            case events.Notice(severity, message, hint):
                paint = {"error": ink.bad, "warning": ink.warn}.get(severity, ink.dim)
                self.say([paint(row) for row in wrap(one_line(message), columns)])
                self.say([ink.dim(row) for row in wrap(one_line(hint), columns) if row])

    def _warn(self, text: str) -> None:
        self.say([self.painter.ink.warn(row) for row in wrap(text, self.painter.columns)])
