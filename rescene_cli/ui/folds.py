"""What is shown folded, kept so that Ctrl-O can unfold it."""

from __future__ import annotations

from typing import NamedTuple

from rescene_cli.ui.cells import chop, clip
from rescene_cli.ui.clean import visible
from rescene_cli.ui.diffs import diff_lines
from rescene_cli.ui.ink import Ink
from rescene_cli.ui.marks import Marks

_KEPT = 50  # folded pieces that can be unfolded
_SHOWN = 400  # lines of one piece that are printed, from both ends
_CHARACTERS = 200_000  # of one piece, from both ends


class Fold(NamedTuple):
    """A folded piece: what it is, its text, and whether that is a diff."""

    title: str
    text: str
    diff: bool = False


class Folds:
    """The folded pieces, newest last. Unfolding again goes one further back, until something new is folded."""

    def __init__(self) -> None:
        self._folds: list[Fold] = []
        self._next = 0

    def add(self, fold: Fold) -> None:
        """Keep a piece; one without text is not worth keeping."""
        if not fold.text.strip():
            return
        half = _CHARACTERS // 2
        if len(fold.text) > _CHARACTERS:
            fold = fold._replace(text=f"{fold.text[:half]}\n[...]\n{fold.text[-half:]}")
        self._folds = [*self._folds[1 - _KEPT :], fold]
        self._next = len(self._folds)

    def unfold(self) -> Fold | None:
        """The newest piece that was not unfolded yet."""
        if not self._next:
            return None
        self._next -= 1
        return self._folds[self._next]


def unfolded_lines(fold: Fold, columns: int, ink: Ink, marks: Marks) -> list[str]:
    """A piece with its title, bounded in the middle."""
    if fold.diff:
        body = diff_lines(fold.text, ink, columns - 2)
    else:
        rows = (row for line in _bounded(fold.text) for row in chop(line, columns - 2))
        body = [f"{ink.dim(marks.bar)} {row}" for row in rows]
    return [ink.bold(clip(fold.title, columns, marks.more)), *body]


def _bounded(text: str) -> list[str]:
    lines = visible(text).rstrip("\n").split("\n")
    if len(lines) <= _SHOWN:
        return lines
    half = _SHOWN // 2
    return [*lines[:half], f"[{len(lines) - 2 * half:,} lines not shown]", *lines[-half:]]
