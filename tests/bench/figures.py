"""From measured sessions to the figures of docs/performance.md: medians with their spread, beside their targets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median, quantiles
from typing import NamedTuple

from tests.bench.agents import KINDS
from tests.bench.session import Session, cpu_a_turn

REFERENCE = 12.4  # ms of `python -c pass` on the machine that targets in milliseconds were set on
SHORT, LONG = 30, 100  # calls of a session


class Cold(NamedTuple):
    """Milliseconds of whole processes, taken in turn: the interpreter alone, and two that need no session."""

    python: float
    version: float
    help: float


class Round(NamedTuple):
    """One run of everything for one agent. `larger`: sessions in repositories of so many further files."""

    cold: Cold
    short: Session
    long: Session
    larger: dict[int, Session]

    @property
    def quiet(self) -> bool:
        """Whether others left the machine alone in all of it."""
        return all(session.quiet for session in (self.short, self.long, *self.larger.values()))


class Figure(NamedTuple):
    """One line of the table. `timed`: a target in milliseconds, which a slower machine may exceed in proportion."""

    name: str
    unit: str
    values: tuple[float, ...]
    target: float | None = None
    timed: bool = False

    @property
    def median(self) -> float:
        """The middle of all rounds."""
        return median(self.values)


class Line(NamedTuple):
    """How a figure is made from a round; None where the round does not hold it."""

    name: str
    unit: str
    target: float | None
    value: Callable[[Round], float | None]
    timed: bool = False


def figures(rounds: Sequence[Round]) -> Iterator[Figure]:
    """Every figure that the rounds hold."""
    for line in _lines(sorted(rounds[0].larger)):
        values = tuple(value for one in rounds if (value := line.value(one)) is not None)
        if values:
            yield Figure(line.name, line.unit, values, line.target, line.timed)


def met(figure: Figure, python: float) -> bool | None:
    """Whether the target holds; `python` is the median of `python -c pass` in the same rounds."""
    if figure.target is None:
        return None
    allowed = figure.target * python / REFERENCE if figure.timed else figure.target
    return figure.median <= allowed


def p10(values: Sequence[float]) -> float:
    """The value that one in ten lies below."""
    return quantiles(values, n=10, method="inclusive")[0]


def _lines(sizes: Sequence[int]) -> Iterator[Line]:
    yield Line("python -c pass", "ms", None, lambda one: one.cold.python)
    yield Line("--version", "x python", 2.2, lambda one: _ratio(one.cold.version, one.cold.python))
    yield Line("--help", "x python", 8, lambda one: _ratio(one.cold.help, one.cold.python))
    yield Line("start to first request", "ms", 300, lambda one: one.short.first, timed=True)
    yield Line("start to first request", "x python", 25, lambda one: _ratio(one.short.first, one.cold.python))
    for kind, target in zip(KINDS, (6, 5, 6), strict=True):
        yield from _turn(kind, target)
    yield Line(f"{LONG} calls, wall", "s", 1.5, lambda one: one.long.wall / 1000, timed=True)
    yield Line("processor time a turn", "ms", 10, lambda one: cpu_a_turn(one.long, one.short), timed=True)
    yield Line("turns 71-100 / turns 5-34", "x", 1.1, lambda one: one.long.between(71, 100) / one.long.between(5, 34))
    for size in sizes:
        yield _in_larger(size)
    yield Line(f"peak memory, {LONG} calls", "MB", 90, lambda one: one.long.memory)
    yield Line("body of the first request", "KB", 14, lambda one: one.short.body / 1000)
    yield Line("connections of a session", "", 1, lambda one: one.long.connections)


def _turn(kind: str, target: float) -> Iterator[Line]:
    yield Line(f"own share of a turn: {kind}", "ms", target, lambda one: median(one.long.of(kind)), timed=True)
    yield Line(f"own share of a turn: {kind}, p10", "ms", None, lambda one: p10(one.long.of(kind)))
    share: Callable[[Round], float | None] = lambda one: _ratio(median(one.long.of(kind)), one.cold.python)  # noqa: E731
    yield Line(f"own share of a turn: {kind}", "x python", None, share)


def _in_larger(size: int) -> Line:
    def ratio(one: Round) -> float | None:
        larger = one.larger.get(size)
        return larger.between(5, SHORT) / one.short.between(5, SHORT) if larger else None

    return Line(f"turns in {size:,} files / in 62", "x", 1.05, ratio)


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if part else None  # 0: the agent has no such option
