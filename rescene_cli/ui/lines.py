"""The interactive program without drawing: a line in, lines out. For screen readers, dumb terminals and pipes."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from rescene_cli.core.conversation import Conversation
from rescene_cli.core.decisions import ApprovalRequest
from rescene_cli.core.events import Observer
from rescene_cli.ui.approve import approval_answer, approval_facts, approval_keys, chosen
from rescene_cli.ui.clean import one_line, visible
from rescene_cli.ui.commands import is_command, react
from rescene_cli.ui.desk import OpenQuestion, Pending
from rescene_cli.ui.options import UiOptions
from rescene_cli.ui.plain import PlainStream

_TWICE = 2.0  # seconds within which a second Ctrl-C leaves


class LineProgram:
    """A conversation by lines. Turns run on the thread that reads, so nothing is printed into what is typed."""

    def __init__(self, conversation: Conversation, options: UiOptions, out: TextIO) -> None:
        self._conversation = conversation
        self._options = options
        self._out = out
        self._working = False
        self._stopped_at = float("-inf")
        self._answer = LineAnswers(out)

    def run(self, subscribe: Callable[[Observer], None]) -> int:
        """Until the input ends or the person leaves; returns the exit code."""
        stream = PlainStream(self._out, replies=True)
        subscribe(stream)
        self._options.desk.attach(self._answer)
        before = signal.signal(signal.SIGINT, self._stop)
        try:
            self._greet()
            return self._read()
        except KeyboardInterrupt:
            return 130
        finally:
            signal.signal(signal.SIGINT, before)
            self._options.desk.close()
            stream.close()

    def _greet(self) -> None:
        status = self._conversation.status()
        self._say(f"rescene {self._options.version}, model {status.model}, mode {status.mode}")
        self._say(f"root {self._conversation.root}")
        for note in self._options.notes:
            self._say(one_line(note))
        self._say("/help lists commands. A backslash at the end of a line continues it. Ctrl-D leaves.")

    def _read(self) -> int:
        if self._options.task:
            self._work(lambda: self._conversation.turn(self._options.task))
        while True:
            text = read_text(self._out)
            if text is None or not self._take(text):
                return 0

    def _take(self, text: str) -> bool:
        """Carry out what was typed; returns whether to go on."""
        if is_command(text):
            reaction = react(self._conversation, text, busy=False)
            for line in reaction.lines:
                self._say(line)
            return not reaction.leave
        if text.startswith("!"):
            self._work(lambda: self._conversation.shell(text[1:].strip()))
        elif text.strip():
            self._work(lambda: self._conversation.turn(text))
        return True

    def _work(self, job: Callable[[], object]) -> None:
        self._conversation.interrupt.clear()
        self._working = True
        try:
            job()
        finally:
            self._working = False

    def _stop(self, *_: object) -> None:
        """Ctrl-C: stop what runs; a second one, or one at the prompt, leaves."""
        now = time.monotonic()
        if not self._working or now - self._stopped_at < _TWICE:
            raise KeyboardInterrupt
        self._stopped_at = now
        self._conversation.interrupt.set()
        self._answer.drop()

    def _say(self, line: str) -> None:
        self._out.write(visible(line) + "\n")
        self._out.flush()


class QuestionDropped(Exception):  # noqa: N818 - an answer, not a fault
    """Ctrl-C at a question."""


class LineAnswers:
    """Answers questions from lines. What was typed before the question does not count."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.waiting = False

    def drop(self) -> None:
        """Called by a signal handler: raises `QuestionDropped` where a question waits, which ends it unanswered."""
        if self.waiting:
            raise QuestionDropped

    def __call__(self, pending: Pending) -> None:
        """Put the question and answer it."""
        # A signal is handled on the main thread: only there can it drop the question.
        self.waiting = threading.current_thread() is threading.main_thread()
        try:
            pending.answer(self._ask(pending.question))
        except QuestionDropped:
            pending.answer(None)
        finally:
            self.waiting = False

    def _ask(self, question: ApprovalRequest | OpenQuestion) -> str | None:
        _forget_typed()
        if isinstance(question, OpenQuestion):
            options = [f"{place}. {one_line(text)}" for place, text in enumerate(question.options, 1)]
            self._say(visible(question.text), *options)
            return chosen(question, self._line("answer: ") or "")
        effect, why = approval_facts(question)
        self._say(*([visible(question.diff)] if question.diff else []), effect, f"Asked because {why}.")
        while True:
            line = self._line(f"{'  '.join(approval_keys(question))}: ")
            if line is None:
                return None
            answer = approval_answer(question, line.strip()[:1])
            if answer is not None:
                return answer.value

    def _line(self, prompt: str) -> str | None:
        self._out.write(prompt)
        self._out.flush()
        line = sys.stdin.readline()
        return line.rstrip("\n") if line else None

    def _say(self, *lines: str) -> None:
        for line in lines:
            self._out.write(line + "\n")
        self._out.flush()


def read_text(out: TextIO) -> str | None:
    """A message: lines up to one that does not end in a backslash; `None` when the input is at its end."""
    lines: list[str] = []
    while True:
        out.write("... " if lines else "> ")
        out.flush()
        line = sys.stdin.readline()
        if not line:
            return "\n".join(lines) if lines else None
        line = line.rstrip("\n")
        if not line.endswith("\\"):
            return "\n".join([*lines, line])
        lines.append(line[:-1])


def _forget_typed() -> None:
    """Throw away what the terminal holds of earlier typing."""
    if sys.stdin.isatty():
        import termios

        with suppress(termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def run_lines(conversation: Conversation, subscribe: Callable[[Observer], None], options: UiOptions) -> int:
    """The whole program by lines; the session is closed at its end."""
    code = LineProgram(conversation, options, sys.stdout).run(subscribe)
    ended = conversation.close()
    if ended:
        sys.stderr.write(f"Ended with the session: {', '.join(ended)}\n")
    return code
