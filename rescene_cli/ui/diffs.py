"""Unified diffs for people: line numbers, colours, and a bound on how much is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from rescene_cli.ui.cells import chop, clip
from rescene_cli.ui.clean import visible
from rescene_cli.ui.ink import Ink


@cache
def _hunk() -> re.Pattern[str]:
    return re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")


def diff_lines(diff: str, ink: Ink, columns: int, *, limit: int = 0, rest: str = "") -> list[str]:
    """`diff` as styled lines within `columns`; beyond `limit` (0: none) they are counted, and `rest` is said."""
    numbered = list(_numbered(visible(diff)))
    several = sum(not number and line.startswith("+++ ") for number, line in numbered) > 1
    lines = [row for number, line in numbered for row in _painted(number, line, ink, columns, several)]
    if limit and len(lines) > limit:
        hidden = len(lines) - limit + 1
        lines = [*lines[: limit - 1], ink.dim(f"     ... {hidden} more lines{rest}")]
    return lines


def _numbered(diff: str) -> Iterator[tuple[str, str]]:
    """Pairs of a line number (of the new file, of the old one where a line goes) and the diff's line."""
    old = new = 0  # the next line of either side
    old_end = new_end = 0  # where the hunk ends: behind it a header may follow, whatever it begins with
    for line in diff.splitlines():
        if match := _hunk().match(line):
            old, new = int(match[1]), int(match[3])
            old_end, new_end = old + int(match[2] or 1), new + int(match[4] or 1)
            yield "", line
        elif old >= old_end and new >= new_end:
            yield "", line
        elif line.startswith("-"):
            yield str(old), line
            old += 1
        else:
            yield ("" if line.startswith("\\") else str(new)), line
            new += not line.startswith("\\")
            old += not line.startswith(("+", "\\"))


def _painted(number: str, line: str, ink: Ink, columns: int, several: bool) -> list[str]:
    if not number and line.startswith(("--- ", "+++ ", "diff --git", "index ")):
        name = line[4:].split("\t")[0].removeprefix("b/")
        return [ink.bold(clip(f"     {name}", columns))] if several and line.startswith("+++ ") else []
    if match := _hunk().match(line):
        return [ink.dim(clip(f"     ... {match[5]}".rstrip(), columns))]
    rows = chop(line, max(8, columns - 5))
    gutters = [f"{number:>4} ", *["     "] * (len(rows) - 1)]
    style = _style(number, line, ink)
    return [ink.dim(gutter) + style(row) for gutter, row in zip(gutters, rows, strict=True)]


def _style(number: str, line: str, ink: Ink) -> Callable[[str], str]:
    if not number:
        return ink.dim
    return {"+": ink.good, "-": ink.bad}.get(line[:1], str)
