"""Finds files by a few letters of their path, fast in 50,000 of them."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice

_BUDGET = 0.006  # seconds that scattered letters are looked for; the shortest paths come first
_PART = 2_000  # paths that are looked at between two looks at the clock
_BITS = {letter: 1 << place for place, letter in enumerate("abcdefghijklmnopqrstuvwxyz0123456789_-./")}


class Lines:
    """Strings kept as one, so that looking for a piece of text in all of them is a single search."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._text = "\n" + "\n".join(lines) + "\n"
        self._starts = list(accumulate((len(line) + 1 for line in lines), initial=0))

    def holding(self, piece: str) -> Iterator[int]:
        """The places of the strings that hold `piece`, first to last; a newline in front of it means their start."""
        place = self._text.find(piece)
        while place >= 0:
            line = bisect_right(self._starts, place if piece[0] == "\n" else place - 1) - 1
            yield line
            place = self._text.find(piece, self._starts[line + 1])


class Finder:
    """An index of paths. Hits in a file's own name come before hits in its folders, shorter paths first."""

    def __init__(self, paths: Sequence[str], clock: Callable[[], float] = time.perf_counter) -> None:
        self._paths = sorted(paths, key=lambda path: (len(path), path))
        self._lower = [path.lower() for path in self._paths]
        self._whole_paths = Lines(self._lower)
        self._names = Lines([path[path.rfind("/", 0, -1) + 1 :] for path in self._lower])
        self._letters = [_letters(path) for path in self._lower]
        self._clock = clock
        self._query = ""
        self._candidates: Sequence[int] = range(len(self._paths))

    def find(self, query: str, limit: int = 8) -> list[str]:
        """The best paths for `query`: its letters in their order, upper or lower case."""
        query = query.lower()
        if not query:
            return self._paths[:limit]
        hits: dict[int, None] = {}
        for found in (
            self._names.holding("\n" + query),
            self._names.holding(query),
            self._whole_paths.holding(query),
        ):
            hits |= dict.fromkeys(islice(found, limit * 4))
        if len(hits) < limit:
            hits |= dict.fromkeys(self._scattered(query, limit))
        return [self._paths[index] for index in islice(hits, limit)]

    def _scattered(self, query: str, limit: int) -> list[int]:
        """Paths that hold the letters of `query` apart from each other; best are those that begin words."""
        if not (self._query and query.startswith(self._query)):
            self._candidates = range(len(self._paths))
        end = self._clock() + _BUDGET
        needed, letters, lower = _letters(query), self._letters, self._lower
        found: list[int] = []
        looked = 0
        while looked < len(self._candidates) and (not looked or self._clock() < end):
            part = self._candidates[looked : looked + _PART]
            likely = [index for index in part if letters[index] & needed == needed]
            found += [index for index in likely if _holds(lower[index], query)]
            looked += _PART
        # What the time did not suffice for is looked at with the next letter.
        self._query, self._candidates = query, [*found, *self._candidates[looked:]]
        return sorted(found[:300], key=lambda index: -_words_begun(lower[index], query))[:limit]


def _letters(text: str) -> int:
    """Which letters occur, as bits."""
    bits = 0
    for letter in set(text):
        bits |= _BITS.get(letter, 0)
    return bits


def _holds(path: str, query: str) -> bool:
    place = -1
    for letter in query:
        place = path.find(letter, place + 1)
        if place < 0:
            return False
    return True


def _words_begun(path: str, query: str) -> int:
    """How many letters of `query` stand at the beginning of a word of `path`, taken from the left."""
    path = "/" + path
    begun = 0
    place = -1
    for letter in query:
        words = [found for sign in "/_-." if (found := path.find(sign + letter, place + 1)) >= 0]
        if words:
            begun, place = begun + 1, min(words) + 1
        elif (place := path.find(letter, place + 1)) < 0:
            return begun
    return begun
