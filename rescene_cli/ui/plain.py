"""Events as plain lines: for logs, pipes and screen readers. No control codes, nothing is drawn twice."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TextIO, assert_never

from rescene_cli.core import events
from rescene_cli.core.events import Event
from rescene_cli.core.findings import Finding, Severity
from rescene_cli.core.text import plural, seconds
from rescene_cli.ui.calls import call_title, outcome_title
from rescene_cli.ui.clean import one_line, visible
from rescene_cli.ui.summary import turn_parts

HEARTBEAT = 30.0  # seconds of silence after which a line says that work goes on


class PlainStream:
    """Prints each event that a person should know of as one line. `replies` prints the model's text too,
    `result` gets the last reply of a turn as it is.

    `out` may be closed by its reader at any time; then nothing more is printed.
    """

    def __init__(
        self,
        out: TextIO | None,
        *,
        replies: bool = False,
        result: TextIO | None = None,
        heartbeat: float = HEARTBEAT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._out = out
        self._replies = replies
        self._result = result
        self._clock = clock
        self._lock = threading.Lock()
        self._titles: dict[str, str] = {}
        self._text: list[str] = []
        self._doing = ""
        self._since = clock()
        self._heartbeat = Heartbeat(heartbeat, self._beat)

    def __call__(self, event: Event) -> None:
        """Print `event`, if it is worth a line."""
        match event:
            case events.UserMessage() | events.RequestStarted():
                self._began("waiting for the model")
            case events.TextDelta() | events.ThinkingDelta() | events.CallProgress() | events.AssistantMessage():
                self._model(event)
            case events.ToolStarted() | events.ToolOutput() | events.ToolFinished():
                self._call(event)
            case events.VerificationStarted() | events.Verification():
                self._verification(event)
            case events.ApprovalRequested() | events.ApprovalAnswered() | events.SessionStarted():
                self._session(event)
            case (
                events.ProviderRetry() | events.ProviderFailover() | events.Notice() | events.TaskFinished()
                | events.TodoUpdated()
            ):  # fmt: skip
                self._news(event)
            case events.TurnFinished():
                self._finish(event)
            case _:
                assert_never(event)

    def close(self) -> None:
        """Stop the heartbeat."""
        self._heartbeat.stop()

    def _began(self, doing: str) -> None:
        self._doing, self._since = doing, self._clock()
        self._heartbeat.start()

    def _model(
        self, event: events.TextDelta | events.ThinkingDelta | events.CallProgress | events.AssistantMessage
    ) -> None:
        match event:
            case events.TextDelta(text):
                self._doing = "the model is answering"
                if self._replies:
                    self._pieces(text)
            case events.ThinkingDelta():
                self._doing = "the model is thinking"
            case events.CallProgress(name):
                self._doing = f"the model is writing {name}"
            case events.AssistantMessage():
                self._flush_text()

    def _pieces(self, text: str) -> None:
        """Whole lines go out as they come; a line is never printed in pieces."""
        head, newline, tail = text.rpartition("\n")
        if newline:
            self._say("".join([*self._text, head]), prose=True)
            self._text = []
        self._text.append(tail)

    def _flush_text(self) -> None:
        text, self._text = "".join(self._text), []
        if text.strip():
            self._say(text, prose=True)

    def _call(self, event: events.ToolStarted | events.ToolOutput | events.ToolFinished) -> None:
        match event:
            case events.ToolStarted():
                self._titles[event.call_id] = call_title(event.name, event.arguments)
                self._began(self._titles[event.call_id])
            case events.ToolOutput():
                pass
            case events.ToolFinished():
                title = self._titles.pop(event.call_id, event.name)
                timed = event.seconds >= 1 and not (title.startswith("$ ") and event.title)
                notes = [seconds(event.seconds)] if timed else []
                notes += [event.operation] if event.operation else []
                tail = f" ({', '.join(notes)})" if notes else ""
                self._say(f"{event.status}: {outcome_title(event.name, title, event.title, '->')}{tail}")
                if event.name == events.OWN_COMMAND:
                    self._say(event.text.rstrip("\n"), prose=True)
                elif event.status in {"error", "invalid"} and event.text.strip() != event.title:
                    self._say(event.text.strip().split("\n", 1)[0])
                self._began("waiting for the model")

    def _verification(self, event: events.VerificationStarted | events.Verification) -> None:
        if isinstance(event, events.VerificationStarted):
            self._began(f"checking with {event.command}")
            return
        evidence = event.evidence
        what = f" {evidence.command} ({seconds(evidence.seconds)})" if evidence else ""
        self._say(f"check {event.status}:{what}{' ' + event.note if event.note else ''}")

    def _news(
        self, event: events.ProviderRetry | events.ProviderFailover | events.Notice | events.TaskFinished
        | events.TodoUpdated,
    ) -> None:  # fmt: skip
        match event:
            case events.ProviderRetry():
                self._text = []
                wait = seconds(event.wait)
                self._say(f"{event.reason}; trying again in {wait} ({event.attempt} of {event.attempts})")
            case events.ProviderFailover():
                self._text = []
                self._say(f"{event.source}: {event.reason}; going on with {event.target}")
            case events.Notice():
                self._say(
                    Finding(Severity(event.severity), "", event.message, event.hint).text(f"{event.severity}:", " ")
                )
            case events.TaskFinished():
                self._say(f"task {event.task_id} ended with {event.exit} after {seconds(event.seconds)}")
            case events.TodoUpdated(items):
                self._todo(items)

    def _session(self, event: events.ApprovalRequested | events.ApprovalAnswered | events.SessionStarted) -> None:
        match event:
            case events.SessionStarted():
                self._say(f"model {event.model}, mode {event.mode}, root {event.root}")
            case events.ApprovalRequested():
                self._heartbeat.stop()  # a question waits for a person; nothing works
                self._say(f"asking: {event.effect or call_title(event.name, event.arguments)} ({event.reason})")
            case events.ApprovalAnswered():
                self._say(f"answer: {event.answer}")
                self._began(self._doing)

    def _todo(self, items: tuple[events.TodoItem, ...]) -> None:
        done = sum(item.status == "done" for item in items)
        current = next((f": {item.text}" for item in items if item.status == "in_progress"), "")
        self._say(f"todo: {done} of {len(items)} done{current}")

    def _finish(self, event: events.TurnFinished) -> None:
        self._flush_text()
        self._heartbeat.stop()
        if event.status != "done":
            why = f": {event.error}" if event.error else ""
            self._say(f"{event.status.replace('_', ' ')}{why} {event.hint}".rstrip())
        for file in event.files:
            self._say(f"{file.change} {file.path} +{file.added} -{file.removed}")
        self._say(", ".join(turn_parts(event)) or plural(event.requests, "request"))
        if self._result is not None and event.message:
            self._result.write(event.message.rstrip("\n") + "\n")
            self._result.flush()

    def _beat(self) -> None:
        self._say(f"still working: {self._doing} for {seconds(self._clock() - self._since)}")

    def _say(self, text: str, *, prose: bool = False) -> None:
        if self._out is None:
            return
        line = visible(text) if prose else one_line(text)
        with self._lock:
            self._heartbeat.heard()
            try:
                self._out.write(line + "\n")
                self._out.flush()
            except (OSError, ValueError):  # the reader has gone: the work goes on without a log
                self._out = None


class Heartbeat:
    """Calls `beat` after every `seconds` in which nothing was heard, on a thread of its own."""

    def __init__(self, seconds: float, beat: Callable[[], None]) -> None:
        self._seconds = seconds
        self._beat = beat
        self._lock = threading.Lock()
        self._heard = 0.0
        self._ended: threading.Event | None = None

    def start(self) -> None:
        """Begin to listen for silence, if that is not done already."""
        with self._lock:
            if self._ended is None:
                self.heard()
                self._ended = threading.Event()
                threading.Thread(target=self._listen, args=(self._ended,), daemon=True).start()

    def heard(self) -> None:
        """Something was said: the silence begins anew."""
        self._heard = time.monotonic()

    def stop(self) -> None:
        """Listen no longer."""
        with self._lock:
            if self._ended is not None:
                self._ended.set()
                self._ended = None

    def _listen(self, ended: threading.Event) -> None:
        while not ended.wait(self._left()):
            if self._left() <= 0:
                self.heard()
                self._beat()

    def _left(self) -> float:
        return self._heard + self._seconds - time.monotonic()
