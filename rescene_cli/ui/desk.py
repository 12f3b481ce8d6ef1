"""Where a working thread puts a question and waits for the person's answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from rescene_cli.core.decisions import ApprovalRequest


class OpenQuestion(NamedTuple):
    """A question of the model to the person, with answers to choose from."""

    text: str
    options: tuple[str, ...]


Question = ApprovalRequest | OpenQuestion


class Pending:
    """A question that waits. `answer` ends the waiting; the first answer counts."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self._done = threading.Event()
        self._answer: str | None = None

    def answer(self, answer: str | None) -> None:
        """Give the answer; `None` when there is none."""
        if not self._done.is_set():
            self._answer = answer
            self._done.set()

    def wait(self) -> str | None:
        """The answer, as soon as it is there."""
        self._done.wait()
        return self._answer


class Desk:
    """Takes one question at a time to the face that is attached; without one every question is unanswered."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._state = threading.Lock()
        self._show: Callable[[Pending], None] | None = None
        self._pending: Pending | None = None

    def attach(self, show: Callable[[Pending], None]) -> None:
        """From now on `show` puts questions to the person; it is called on the thread that asks."""
        with self._state:
            self._show = show

    def ask(self, question: Question) -> str | None:
        """Put `question` and wait. `None`: the person gave no answer, or there is nobody any more."""
        with self._turn:
            pending = Pending(question)
            with self._state:
                show = self._show
                if show is None:
                    return None
                self._pending = pending
            show(pending)
            return pending.wait()

    def withdraw(self) -> None:
        """Leave the open question, if there is one, without an answer."""
        with self._state:
            pending = self._pending
        if pending is not None:
            pending.answer(None)

    def close(self) -> None:
        """Nobody is here any more."""
        with self._state:
            self._show = None
        self.withdraw()
