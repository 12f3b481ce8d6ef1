"""The question that is on the screen, and which keys count as its answer."""

from __future__ import annotations

from rescene_cli.core.decisions import ApprovalRequest
from rescene_cli.ui.approve import approval_answer, approval_facts, approval_keys
from rescene_cli.ui.cells import hanging, wrap
from rescene_cli.ui.clean import one_line
from rescene_cli.ui.desk import OpenQuestion, Pending
from rescene_cli.ui.ink import Ink
from rescene_cli.ui.marks import Marks

QUIET = 0.7  # seconds without a key before a question that met a typing person takes one as its answer
LONG = 8  # rows of a command that the question shows; a longer one is printed whole above it
_RECENT = 1.0  # a key this short before the question means that the person was typing


class Asking:
    """Holds the question. A key counts only when it was typed for it: somebody who is typing is not answering."""

    def __init__(self) -> None:
        self.pending: Pending | None = None
        self._open_from = 0.0
        self._typed_at = float("-inf")

    @property
    def approval(self) -> ApprovalRequest | None:
        """The call that waits for a yes or no."""
        question = self.pending.question if self.pending else None
        return question if isinstance(question, ApprovalRequest) else None

    @property
    def open_question(self) -> OpenQuestion | None:
        """The question that waits for words."""
        question = self.pending.question if self.pending else None
        return question if isinstance(question, OpenQuestion) else None

    def show(self, pending: Pending, now: float, *, keys_waiting: bool) -> None:
        """The question appears; `keys_waiting`: keys typed before it are not read yet."""
        self.pending = pending
        typing = keys_waiting or now - self._typed_at < _RECENT
        self._open_from = now + QUIET if typing else now

    def typed(self, now: float) -> None:
        """Some key was typed."""
        self._typed_at = now

    def sent(self) -> None:
        """What was typed is sent: the person is done typing."""
        self._typed_at = float("-inf")

    def takes_keys(self, now: float) -> bool:
        """Whether a key is an answer now."""
        return now >= self._open_from

    def key(self, key: str, now: float) -> bool:
        """A key while a call waits for approval; returns whether it was an answer."""
        request = self.approval
        if request is None or self.pending is None:
            return False
        answer = approval_answer(request, key) if self.takes_keys(now) else None
        if answer is None:
            self._open_from = now + QUIET
            return False
        self.settle(answer.value)
        return True

    def settle(self, answer: str | None) -> None:
        """The question is answered and leaves the screen."""
        pending, self.pending = self.pending, None
        if pending is not None:
            pending.answer(answer)

    def lines(self, columns: int, ink: Ink, marks: Marks, now: float) -> list[str]:
        """The question as rows."""
        if request := self.approval:
            effect, why = approval_facts(request)
            keys = [row for line in approval_keys(request) for row in hanging("  ", line, columns)]
            paint = ink.bold if self.takes_keys(now) else ink.dim
            rows = effect_rows(effect, columns)
            if len(rows) > LONG:
                rows = [*rows[: LONG - 1], f"... {len(rows) - LONG + 1} more lines, all of it is above"]
            return [
                *_hanging(ink.warn(marks.question), [ink.bold(row) for row in rows]),
                *(ink.dim(f"  {row}") for row in wrap(f"Asked because {why}.", columns - 2)),
                *(paint(row) for row in keys),
            ]
        if question := self.open_question:
            rows = [row for line in question.text.splitlines() for row in wrap(one_line(line), columns - 2)]
            options = [
                row
                for place, text in enumerate(question.options, 1)
                for row in hanging(f"  {place}. ", one_line(text), columns)
            ]
            hint = "A number or your own words, then Enter. Esc: no answer."
            return [
                *_hanging(ink.warn(marks.question), [ink.bold(row) for row in rows or ["?"]]),
                *options,
                *(ink.dim(f"  {row}") for row in wrap(hint, columns - 2)),
            ]
        return []


def effect_rows(effect: str, columns: int) -> list[str]:
    """What would happen, as rows that leave room for the sign before them."""
    rows = []
    for line in effect.split("\n"):
        words = line.lstrip(" ")
        rows += hanging(line[: min(len(line) - len(words), columns // 3)], words, columns - 2)
    return rows


def _hanging(sign: str, rows: list[str]) -> list[str]:
    return [f"{sign} {rows[0]}", *(f"  {row}" for row in rows[1:])]
