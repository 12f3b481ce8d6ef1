"""How fast is the program itself? Measured with a model that answers at once, from another process on loopback.

    python -m tests.bench.harness [--runs N] [--quick] [--peers mini,vibe,kimi] [--markdown] [--json FILE]

Run it with the Python of an environment that holds only the program (`pip install .`): test tools there slow the
start. Each run measures every agent in turn, so that all see the same machine; figures are medians over the runs,
with the smallest and the largest. docs/performance.md says what each figure means.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from tests.bench import agents, machine, peers, project
from tests.bench.agents import Agent
from tests.bench.figures import LONG, SHORT, Cold, Round, figures
from tests.bench.report import Report
from tests.bench.session import Failed, alone, measure

LARGER = (10_000, 50_000)
COLD = 5  # whole processes a run, of which the median counts


def main() -> int:
    """Measure, print the table, and write it as JSON where asked."""
    options = _options()
    measured = [agents.rescene(options.program), *peers.find(options.peers, options.peer_directory)]
    facts = machine.facts()
    with tempfile.TemporaryDirectory(prefix="bench-") as place:
        roots = _repositories(Path(place), () if options.quick else LARGER)
        rounds = _rounds(measured, roots, options.runs)
    if not rounds["rescene"]:
        return 1
    tables = {name: list(figures(_best(taken))) for name, taken in rounds.items() if taken}
    report = Report(facts, rounds, tables)
    print("\n".join(report.markdown() if options.markdown else report.lines()))
    if options.json:
        options.json.write_text(json.dumps(report.plain(), indent=1) + "\n")
    return 0


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(
        prog="harness", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("--program", type=Path, default=Path(sys.executable).with_name("rescene"))
    options.add_argument("--runs", type=int, default=3, help="how often everything is measured")
    options.add_argument("--quick", action="store_true", help="leave out the repositories of 10,000 and 50,000 files")
    options.add_argument("--peers", default="", help=f"others to measure beside it: {', '.join(peers.KNOWN)}")
    options.add_argument("--peer-directory", type=Path, default=Path(tempfile.gettempdir()) / "rescene-bench-peers")
    options.add_argument("--markdown", action="store_true", help="print the table as docs/performance.md has it")
    options.add_argument("--json", type=Path, help="write figures and single values there")
    return options.parse_args()


def _repositories(place: Path, larger: Sequence[int]) -> dict[int, Path]:
    roots = {further: place / f"files-{further}" for further in (0, *larger)}
    for further, root in roots.items():
        _tell(f"making a repository of {project.MODULES + further:,} files")
        project.make(root, further)
    os.sync()  # or the system writes fifty thousand files back while something is measured
    return roots


def _rounds(measured: Sequence[Agent], roots: Mapping[int, Path], runs: int) -> dict[str, list[Round]]:
    """One unmeasured session each writes the compiled files and fills the page cache; then all in turn."""
    rounds: dict[str, list[Round]] = {agent.name: [] for agent in measured}
    for number in range(runs + 1):
        for agent in measured:
            _tell(f"run {number} of {runs}: {agent.name}" if number else f"warming up: {agent.name}")
            try:
                taken = _round(agent, roots) if number else measure(agent, roots[0], 4)
            except Failed as failed:
                _tell(str(failed))
                continue
            if isinstance(taken, Round):
                rounds[agent.name].append(taken)
    return rounds


def _round(agent: Agent, roots: Mapping[int, Path]) -> Round:
    sessions = {further: measure(agent, root, SHORT) for further, root in roots.items()}
    return Round(_cold(agent), sessions.pop(0), measure(agent, roots[0], LONG), sessions)


def _cold(agent: Agent) -> Cold:
    """Whole processes, one of each kind after the other."""
    taken = [
        (alone(Path(sys.executable), "-c", "pass"), _if_known(agent, "--version"), _if_known(agent, "--help"))
        for _ in range(COLD)
    ]
    python, version, shown = (median(column) for column in zip(*taken, strict=True))
    return Cold(python, version, shown)


def _if_known(agent: Agent, option: str) -> float:
    try:
        return alone(agent.program, option)
    except Failed:
        return 0.0


def _best(rounds: Sequence[Round]) -> Sequence[Round]:
    """Quiet rounds alone, where there are any."""
    return [one for one in rounds if one.quiet] or rounds


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
