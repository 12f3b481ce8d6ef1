"""The interactive program without drawing: a line in, lines out. For screen readers, dumb terminals and pipes."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from rescene_cli.core.conversation import Conversation
from rescene_cli.core.decisions import ApprovalRequest
from rescene_cli.core.errors import Interrupted
from rescene_cli.core.events import Observer
from rescene_cli.core.runtime import Interrupt
from rescene_cli.ui.approve import approval_answer, approval_facts, approval_keys, chosen
from rescene_cli.ui.clean import exact, one_line, visible
from rescene_cli.ui.commands import is_command, react
from rescene_cli.ui.desk import OpenQuestion, Pending
from rescene_cli.ui.options import UiOptions
from rescene_cli.ui.plain import PlainStream

_PIECE = 65_536  # bytes
_TWICE = 2.0  # seconds within which a second Ctrl-C leaves


class Left(KeyboardInterrupt):
    """Ctrl-C from somebody who wants to leave."""


class LineProgram:
    """A conversation by lines. Turns run on the thread that reads, so nothing is printed into what is typed."""

    def __init__(self, conversation: Conversation, options: UiOptions, out: TextIO) -> None:
        self._conversation = conversation
        self._options = options
        self._out = out
        self._working = False
        self._stopped_at = float("-inf")
        self._typed = TypedLines(sys.stdin)

    def run(self, subscribe: Callable[[Observer], None]) -> int:
        """Until the input ends or the person leaves; returns the exit code."""
        stream = PlainStream(self._out, replies=True)
        subscribe(stream)
        self._options.desk.attach(LineAnswers(self._typed, self._out, self._conversation.interrupt))
        before = signal.signal(signal.SIGINT, self._stop)
        try:
            self._greet()
            return self._read()
        except Left:
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
            text = read_text(self._typed, self._out)
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
            raise Left
        self._stopped_at = now
        self._conversation.interrupt.set()

    def _say(self, line: str) -> None:
        self._out.write(visible(line) + "\n")
        self._out.flush()


class TypedLines:
    """The lines of `source`. Waiting for one can be given up, which a stream's own `readline` does not allow."""

    def __init__(self, source: TextIO) -> None:
        self._descriptor = source.fileno()
        self._encoding = source.encoding
        self._held = b""

    def read(self, interrupt: Interrupt | None = None) -> str | None:
        """The next line without its end; `None` at the end of the input. Raises Interrupted."""
        while b"\n" not in self._held:
            if interrupt is not None:
                interrupt.wait_for(self._descriptor)
            piece = self._piece()
            if not piece:
                break
            self._held += piece
        line, newline, self._held = self._held.partition(b"\n")
        return line.decode(self._encoding, "replace").rstrip("\r") if line or newline else None

    def forget(self) -> None:
        """Throw away what a terminal holds of earlier typing; what comes through a pipe was not typed early."""
        if os.isatty(self._descriptor):
            import termios

            self._held = b""
            with suppress(termios.error):
                termios.tcflush(self._descriptor, termios.TCIFLUSH)

    def _piece(self) -> bytes:
        try:
            return os.read(self._descriptor, _PIECE)
        except OSError:  # the terminal is gone
            return b""


class LineAnswers:
    """Answers questions from lines, until `interrupt` is set. What was typed before the question does not count."""

    def __init__(self, typed: TypedLines, out: TextIO, interrupt: Interrupt) -> None:
        self._typed = typed
        self._out = out
        self._interrupt = interrupt

    def __call__(self, pending: Pending) -> None:
        """Put the question and answer it."""
        try:
            pending.answer(self._ask(pending.question))
        except Interrupted:
            pending.answer(None)

    def _ask(self, question: ApprovalRequest | OpenQuestion) -> str | None:
        self._typed.forget()
        if isinstance(question, OpenQuestion):
            options = [f"{place}. {one_line(text)}" for place, text in enumerate(question.options, 1)]
            self._say(visible(question.text), *options)
            return chosen(question, self._line("answer: ") or "")
        effect, why = approval_facts(question)
        self._say(*([exact(question.diff)] if question.diff else []), effect, f"Asked because {why}.")
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
        return self._typed.read(self._interrupt)

    def _say(self, *lines: str) -> None:
        for line in lines:
            self._out.write(line + "\n")
        self._out.flush()


def read_text(typed: TypedLines, out: TextIO) -> str | None:
    """A message: lines up to one that does not end in a backslash; `None` when the input is at its end."""
    lines: list[str] = []
    while True:
        out.write("... " if lines else "> ")
        out.flush()
        line = typed.read()
        if line is None:
            return "\n".join(lines) if lines else None
        if not line.endswith("\\"):
            return "\n".join([*lines, line])
        lines.append(line[:-1])


def run_lines(conversation: Conversation, subscribe: Callable[[Observer], None], options: UiOptions) -> int:
    """The whole program by lines; the session is closed at its end."""
    try:
        return LineProgram(conversation, options, sys.stdout).run(subscribe)
    finally:
        ended = conversation.close()
        if ended:
            sys.stderr.write(f"Ended with the session: {', '.join(ended)}\n")
