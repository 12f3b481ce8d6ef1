"""Figures as people and programs read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tests.bench.figures import REFERENCE, Figure, Round, met

_NOTE = f"a slower machine may take longer in proportion to `python -c pass`, {REFERENCE} ms where the target was set"


class Report(NamedTuple):
    """What was measured where; the first agent is ours, the others stand beside it."""

    machine: Mapping[str, str]
    rounds: Mapping[str, Sequence[Round]]
    tables: Mapping[str, Sequence[Figure]]

    def lines(self) -> Iterator[str]:
        """For a terminal."""
        own, *others = self.tables
        yield from self._head()
        names = "".join(f"{name:>15}" for name in others)
        yield f"\n{own + ':':<38}{'median':>9} {'smallest':>9} {'largest':>9} {'target':>7} {'':<7}{names}"
        for figure, beside in self._rows():
            low, high = min(figure.values), max(figure.values)
            row = f"{_name(figure):<38}{figure.median:9.2f} {low:9.2f} {high:9.2f} {_target(figure):>7}"
            yield f"{row} {self._verdict(figure):<7}" + "".join(f"{_shown(value):>15}" for value in beside)
        yield f"\n* {_NOTE}"

    def markdown(self) -> Iterator[str]:
        """For docs/performance.md."""
        own, *others = self.tables
        yield from (f"{line}  " for line in self._head())
        yield f"\n| figure | {own}: median (smallest to largest) | target | {''.join(f'| {name} ' for name in others)}|"
        yield "| --- " * (4 + len(others)) + "|"
        for figure, beside in self._rows():
            spread = f"{figure.median:.2f} ({min(figure.values):.2f} to {max(figure.values):.2f})"
            cells = [_name(figure), spread, _target(figure), self._verdict(figure), *map(_shown, beside)]
            yield f"| {' | '.join(cells)} |".replace("*", "\\*")
        yield f"\n\\* {_NOTE}"

    def plain(self) -> dict[str, Any]:
        """For programs; `foreign` is how many processors others used, run by run."""
        agents = {
            name: {
                "runs": len(self.rounds[name]),
                "quiet": sum(one.quiet for one in self.rounds[name]),
                "foreign": [one.long.foreign for one in self.rounds[name]],
                "figures": [{**figure._asdict(), "median": figure.median} for figure in table],
            }
            for name, table in self.tables.items()
        }
        return {"machine": dict(self.machine), "agents": agents}

    def _head(self) -> Iterator[str]:
        yield "; ".join(f"{name}: {value}" for name, value in self.machine.items())
        for name, taken in self.rounds.items():
            quiet = sum(one.quiet for one in taken)
            yield f"{name}: {len(taken)} runs, {quiet} of them on a quiet machine"
            if taken and not quiet:
                yield "NOT QUIET: other processes used the machine in every run; only ratios of one run mean something."

    def _rows(self) -> Iterator[tuple[Figure, list[float | None]]]:
        own, *others = self.tables
        found = [{_name(figure): figure.median for figure in self.tables[name]} for name in others]
        for figure in self.tables[own]:
            yield figure, [medians.get(_name(figure)) for medians in found]

    def _verdict(self, figure: Figure) -> str:
        own = next(iter(self.tables))
        fulfilled = met(figure, self.tables[own][0].median)
        return "" if fulfilled is None else "ok" if fulfilled else "MISSED"


def _name(figure: Figure) -> str:
    return f"{figure.name}{', ' if figure.unit else ''}{figure.unit}"


def _target(figure: Figure) -> str:
    return "" if figure.target is None else f"{figure.target:g}{'*' if figure.timed else ''}"


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
