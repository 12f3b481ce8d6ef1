"""The bench measures what it says it does; its figures that no load can change hold in every test run."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.bench import agents, project
from tests.bench.figures import Figure, met, p10
from tests.bench.session import Failed, measure

RESCENE = agents.rescene(Path(sys.executable).with_name("rescene"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    project.make(tmp_path, 3)
    return tmp_path


def test_a_session(root: Path) -> None:
    session = measure(RESCENE, root, 7)
    assert session.calls == ("read", "shell", "read", "edit", "shell", "read", "edit")
    assert len(session.gaps) == 7 and min(session.gaps) > 0
    assert (session.connections, session.requests) == (1, 8)
    assert session.body <= 14_000
    assert session.memory <= 90
    assert not project.edited(root, 1)  # undone, for the next session


def test_a_session_that_fails_is_no_result(root: Path) -> None:
    wrong = RESCENE._replace(tools=lambda call: {"name": "read_file", "args": {"path": "not-there.py"}})
    with pytest.raises(Failed, match="an edit is not in its file"):
        measure(wrong, root, 4)


@dataclass(frozen=True)
class _Case:
    figure: Figure
    python: float
    fulfilled: bool | None


@pytest.mark.parametrize(
    "case",
    [
        _Case(Figure("ratio", "x", (1.0, 1.2, 1.3), 1.1), 24.8, False),
        _Case(Figure("time", "ms", (9.0, 10.0, 30.0), 6, timed=True), 24.8, True),
        _Case(Figure("time", "ms", (9.0, 10.0, 30.0), 6, timed=True), 12.4, False),
        _Case(Figure("python", "ms", (12.0,)), 12.4, None),
    ],
)
def test_a_time_counts_in_proportion_to_the_interpreter(case: _Case) -> None:
    assert met(case.figure, case.python) is case.fulfilled


def test_p10() -> None:
    assert p10([float(number) for number in range(101)]) == 10
