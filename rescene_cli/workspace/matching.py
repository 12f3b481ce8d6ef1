"""Finding lines in a file: exactly first, then with other white space, and what comes nearest when both fail."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

_SHOWN = 16  # lines of the file that an error shows
_CLOSE = 200  # lines that are compared character by character when no line is equal

Key = Callable[[str], str]


class Shift(NamedTuple):
    """How new lines are indented as the file is: another margin (`drop`, `add`), or another unit (spaces, tabs)."""

    drop: str = ""
    add: str = ""
    unit: str = ""
    instead: str = ""

    def apply(self, line: str) -> str | None:
        """The line as the file would indent it; None where that can't be said."""
        indent = _indent(line)
        if indent == line:
            return line
        if self.unit:
            levels = len(indent) // len(self.unit)
            return self.instead * levels + line[len(indent) :] if indent == self.unit * levels else None
        return self.add + line[len(self.drop) :] if line.startswith(self.drop) else None


class Match(NamedTuple):
    """A place where the wanted lines stand; `shift` turns the indentation of new lines into the file's."""

    start: int
    shift: Shift


_SAME = Shift()
_PUNCTUATION = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2013": "-",
        "\u2014": "-",
        "\u2212": "-",
        "\xa0": " ",
    }
)


def _trimmed(line: str) -> str:
    return line.rstrip()


def _stripped(line: str) -> str:
    return line.strip()


def _plain(line: str) -> str:
    return line.translate(_PUNCTUATION).strip()


def find(lines: Sequence[str], wanted: Sequence[str]) -> list[Match]:
    """All places of `wanted`: exact, else with other trailing space, else other indentation, else other typography."""
    exact = [Match(start, _SAME) for start in positions(lines, wanted)]
    if exact or not any(line.strip() for line in wanted):
        return exact
    for key in (_trimmed, _stripped, _plain):
        keyed, sought = [key(line) for line in lines], [key(line) for line in wanted]
        starts = positions(keyed, sought)
        found = [
            Match(at, shift) for at in starts if (shift := _shift(wanted, lines[at : at + len(wanted)])) is not None
        ]
        if found:
            return found
    return []


def positions(lines: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Where `wanted` stands in `lines`; searched by its longest line, which is seldom a common one."""
    block, source = list(wanted), list(lines)
    if not block:
        return []
    pivot = max(range(len(block)), key=lambda at: len(block[at]))
    found, at = [], pivot
    with suppress(ValueError):  # how `index` says that there are no more
        while True:
            at = source.index(block[pivot], at)
            if source[at - pivot : at - pivot + len(block)] == block:
                found.append(at - pivot)
            at += 1
    return found


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _shift(wanted: Sequence[str], found: Sequence[str]) -> Shift | None:
    """The one shift that takes every wanted line to the file's indentation; None where there is none."""
    pairs = {(_indent(want), _indent(have)) for want, have in zip(wanted, found, strict=True) if want.strip()}
    drop, add = min(pairs, key=lambda pair: len(pair[0]))
    candidates = [Shift(drop, add)]
    old, new = max(pairs, key=lambda pair: len(pair[0]))
    levels = math.gcd(len(old), len(new))
    if levels and set(old) != set(new):
        candidates.append(Shift(unit=old[: len(old) // levels], instead=new[: len(new) // levels]))
    fits = (shift for shift in candidates if all(shift.apply(want + ".") == have + "." for want, have in pairs))
    return next(fits, None)


def numbered(lines: Sequence[str], start: int, stop: int) -> str:
    """Lines `start` up to `stop` (from 0) as an error shows them."""
    return "\n".join(f"{at + 1}\t{lines[at][:200]}" for at in range(max(0, start), min(stop, len(lines))))


def nearest(lines: Sequence[str], wanted: Sequence[str]) -> str:
    """The part of the file most like `wanted`, with line numbers; '' where nothing is like it.

    Bounded: equal lines vote for a place; only when there are none are a few hundred lines compared by character.
    """
    sought = [line.strip() for line in wanted]
    start = _vote([line.strip() for line in lines], sought)
    if start is None:
        start = _resemble(lines, sought)
    return "" if start is None else numbered(lines, start - 1, start + min(len(wanted) + 1, _SHOWN))


def _vote(lines: Sequence[str], sought: Sequence[str]) -> int | None:
    """The start for which most lines agree; rare lines count more."""
    counts = Counter(lines)
    votes: Counter[int] = Counter()
    places: dict[str, list[int]] = {line: [] for line in sought if line and 0 < counts[line] <= _CLOSE}
    for at, line in enumerate(lines):
        if line in places:
            places[line].append(at)
    for offset, line in enumerate(sought):
        for at in places.get(line, ()):
            votes[at - offset] += 1000 // counts[line] + 1
    return max(0, votes.most_common(1)[0][0]) if votes else None


def _resemble(lines: Sequence[str], sought: Sequence[str]) -> int | None:
    from difflib import SequenceMatcher

    offset = max(range(len(sought)), key=lambda at: len(sought[at]), default=0)
    if not sought or not sought[offset]:
        return None
    words = set(sought[offset].split())
    letters = set(sought[offset])
    ranked = sorted(
        range(len(lines)),
        key=lambda at: (-len(words.intersection(lines[at].split())), -len(letters.intersection(lines[at]))),
    )
    matcher = SequenceMatcher(b=sought[offset][:400], autojunk=False)
    best, place = 0.5, None
    for at in ranked[:_CLOSE]:
        matcher.set_seq1(lines[at].strip()[:400])
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (ratio := matcher.ratio()) > best:
            best, place = ratio, at
    return None if place is None else max(0, place - offset)
