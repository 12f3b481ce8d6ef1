"""Patterns for paths, all matched at once, in time linear to the path whatever the patterns are.

A regular expression goes back and tries again: forty stars in a row never end, and no signal is heard meanwhile.
Here each position of each pattern is a bit, a character moves all bits in one step, and steps are remembered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

_MOST_BITS = 50_000_000  # of states that are remembered; when paths have led to more, the memory starts afresh


class Letters(NamedTuple):
    """The characters in one of the `ranges` (both ends count), or in none if `negated`; `/` only if `slash`."""

    ranges: tuple[tuple[str, str], ...] = ()
    negated: bool = False
    slash: bool = False

    def take(self, character: str) -> bool:
        """Whether the character is one of them."""
        if character == "/" and not self.slash:
            return False
        return any(first <= character <= last for first, last in self.ranges) != self.negated


class Step(NamedTuple):
    """One position of a pattern: the letters it takes; `repeats` any number of times, also none; or a fork.

    A fork takes nothing: the pattern goes on behind it, or `skips` positions further on.
    """

    letters: Letters = Letters()
    repeats: bool = False
    skips: int = 0


SEGMENT = Letters(negated=True)  # any character but `/`
ANY = Letters(negated=True, slash=True)


def literal(character: str) -> Step:
    """The position of a character that stands for itself."""
    return Step(Letters(((character, character),), slash=True))


DIRECTORIES = (Step(skips=3), Step(ANY, repeats=True), literal("/"))  # any number of them, each with its `/`


class _State(dict[str, "_State"]):
    """Where the patterns stand after some characters, and where each next character leads to."""

    __slots__ = ("active", "advance", "last")

    def __init__(self, active: int, last: int, advance: Callable[[int, str], _State]) -> None:
        self.active = active
        self.last = last
        self.advance = advance

    def __missing__(self, character: str) -> _State:
        following = self[character] = self.advance(self.active, character)
        return following


class Automaton:
    """Patterns in their order, each a sequence of steps."""

    def __init__(self, patterns: Sequence[Sequence[Step]]) -> None:
        steps: list[Step] = []
        begins: list[int] = []
        self._ends: dict[int, int] = {}  # position behind a pattern -> its place in the order
        for order, pattern in enumerate(patterns):
            begins.append(len(steps))
            steps.extend(pattern)
            self._ends[len(steps)] = order
            steps.append(Step())
        self._size = len(steps)
        self._places = _by_letters(steps)
        self._accepting = self._bits(self._ends)
        self._repeating = self._bits(at for at, step in enumerate(steps) if step.repeats)
        self._passing = self._bits(at for at, step in enumerate(steps) if step.repeats or step.skips)
        self._jumps = {
            length: self._bits(at for at, step in enumerate(steps) if step.skips == length)
            for length in {step.skips for step in steps if step.skips}
        }
        self._taking: dict[str, int] = {}
        self._states: dict[int, _State] = {}
        self._start = self._state(self._bits(begins))
        self._head = "", self._start

    def last(self, path: str) -> int:
        """The place in the order of the last pattern that fits the whole of `path`; -1 if none does."""
        cut = path.rfind("/") + 1
        head, state = self._head  # paths come in order: most have the directory of the one before
        if head != path[:cut]:
            head, state = self._head = path[:cut], _follow(self._start, path[:cut])
        return _follow(state, path[cut:]).last

    def _advance(self, active: int, character: str) -> _State:
        taken = active & self._takes(character)
        return self._state((taken & ~self._repeating) << 1 | (taken & self._repeating))

    def _state(self, active: int) -> _State:
        before = -1
        while active != before:
            before = active
            active |= (active & self._passing) << 1
            for length, forks in self._jumps.items():
                active |= (active & forks) << length
        known = self._states.get(active)
        if known is not None:
            return known
        if len(self._states) * self._size > _MOST_BITS:
            self._states.clear()
            self._start.clear()
        accepted = active & self._accepting
        last = self._ends[accepted.bit_length() - 1] if accepted else -1
        state = self._states[active] = _State(active, last, self._advance)
        return state

    def _takes(self, character: str) -> int:
        """The positions that take the character."""
        if character not in self._taking:
            places = (at for letters, found in self._places.items() if letters.take(character) for at in found)
            self._taking[character] = self._bits(places)
        return self._taking[character]

    def _bits(self, positions: Iterable[int]) -> int:
        bits = bytearray(self._size // 8 + 1)
        for at in positions:
            bits[at >> 3] |= 1 << (at & 7)
        return int.from_bytes(bits, "little")


def _follow(state: _State, text: str) -> _State:
    for character in text:
        state = state[character]
    return state


def _by_letters(steps: Sequence[Step]) -> dict[Letters, list[int]]:
    places: dict[Letters, list[int]] = defaultdict(list)
    for at, step in enumerate(steps):
        if step.letters != _NOTHING:
            places[step.letters].append(at)
    return places


_NOTHING = Letters()
