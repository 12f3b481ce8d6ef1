"""Unified diffs for people: line numbers, colours, and a bound on how much is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from rescene_cli.ui.cells import chop, clip
from rescene_cli.ui.clean import visible
from rescene_cli.ui.ink import Ink

_HEADERS = ("--- ", "+++ ", "diff --git", "index ")


@cache
def _hunk() -> re.Pattern[str]:
    return re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")


def diff_lines(diff: str, ink: Ink, columns: int, *, named: bool = False) -> list[str]:
    """`diff` as styled lines within `columns`; files are named where there are several, or if `named`."""
    numbered = list(_numbered(visible(diff)))
    named = named or sum(not number and line.startswith("+++ ") for number, line in numbered) > 1
    rows: list[str] = []
    name = ""
    first = True  # no hunk of this file was shown yet
    for number, line in numbered:
        if number or not line.startswith(_HEADERS):
            rows += _painted(number, line, ink, columns, first=first)
            first = first and not _hunk().match(line)
        elif line.startswith("--- "):
            name, first = _name(line), True
        elif line.startswith("+++ "):
            name = _name(line) or name
            rows += [ink.bold(clip(f"     {name}", columns))] if named else []
    return rows


def shortened(rows: list[str], limit: int, ink: Ink, rest: str) -> list[str]:
    """At most `limit` of the lines of a diff; how many are left out is said, and `rest`."""
    if len(rows) <= limit:
        return rows
    return [*rows[: limit - 1], ink.dim(f"     ... {len(rows) - limit + 1} more lines{rest}")]


def _name(header: str) -> str:
    """The file that a header names; none where the file is not there on that side."""
    name = header[4:].split("\t")[0]
    return "" if name == "/dev/null" else name.removeprefix("a/" if header.startswith("-") else "b/")


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


def _painted(number: str, line: str, ink: Ink, columns: int, *, first: bool) -> list[str]:
    if match := None if number else _hunk().match(line):
        where = f"     ... {match[5]}".rstrip()
        return [] if first and not match[5] else [ink.dim(clip(where, columns))]
    rows = chop(line, max(8, columns - 5))
    gutters = [f"{number:>4} ", *["     "] * (len(rows) - 1)]
    style = _style(number, line, ink)
    return [ink.dim(gutter) + style(row) for gutter, row in zip(gutters, rows, strict=True)]


def _style(number: str, line: str, ink: Ink) -> Callable[[str], str]:
    if not number:
        return ink.dim
    return {"+": ink.good, "-": ink.bad}.get(line[:1], str)
