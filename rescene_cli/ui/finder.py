"""Finds files by a few letters of their path, fast in 50,000 of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice

_BUDGET = 0.012  # seconds that scattered letters are looked for; the shortest paths come first


class Finder:
    """An index of paths. Hits in a file's own name come before hits in its folders, shorter paths first."""

    def __init__(self, paths: Sequence[str], clock: Callable[[], float] = time.perf_counter) -> None:
        self._paths = sorted(paths, key=lambda path: (len(path), path))
        self._lower = [path.lower() for path in self._paths]
        self._names = [path[path.rfind("/", 0, -1) + 1 :] for path in self._lower]
        self._clock = clock
        self._query = ""
        self._candidates: Sequence[int] = range(len(self._paths))

    def find(self, query: str, limit: int = 8) -> list[str]:
        """The best paths for `query`: its letters in their order, upper or lower case."""
        query = query.lower()
        if not query:
            return self._paths[:limit]
        hits = dict.fromkeys(islice(self._whole(query), limit * 4))
        if len(hits) < limit:
            hits |= dict.fromkeys(self._scattered(query, limit))
        return [self._paths[index] for index in islice(hits, limit)]

    def _whole(self, query: str) -> Iterable[int]:
        """Paths that hold `query` in one piece."""
        names, lower = self._names, self._lower
        return chain(
            (index for index, name in enumerate(names) if name.startswith(query)),
            (index for index, name in enumerate(names) if query in name),
            (index for index, path in enumerate(lower) if query in path),
        )

    def _scattered(self, query: str, limit: int) -> list[int]:
        """Paths that hold the letters of `query` apart from each other; best are those that begin words."""
        if not (self._query and query.startswith(self._query)):
            self._candidates = range(len(self._paths))
        end = self._clock() + _BUDGET
        found: list[int] = []
        complete = True
        for count, index in enumerate(self._candidates):
            if not count % 500 and self._clock() > end:
                complete = False
                break
            if _holds(self._lower[index], query):
                found.append(index)
        if complete:
            self._query, self._candidates = query, found
        ranked = sorted(found[:400], key=lambda index: -_words_begun(self._lower[index], query))
        return ranked[:limit]


def _holds(path: str, query: str) -> bool:
    place = -1
    for letter in query:
        place = path.find(letter, place + 1)
        if place < 0:
            return False
    return True


def _words_begun(path: str, query: str) -> int:
    """How many letters of `query` stand at the beginning of a word of `path`, taken from the left."""
    begun = 0
    place = -1
    for letter in query:
        word = min((found for sign in "/_-." if (found := path.find(sign + letter, place + 1)) >= 0), default=-1)
        if word >= 0:
            begun, place = begun + 1, word + 1
        elif (place := path.find(letter, place + 1)) < 0:
            return begun
    return begun
