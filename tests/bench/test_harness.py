"""The bench measures what it says it does; its figures that no load can change hold in every test run."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.bench import agents, project
from tests.bench.figures import Figure, met, p10
from tests.bench.session import Failed, measure

REPOSITORY = Path(__file__).parents[2]
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
    assert not project.edited(root, 1)  # undone, for the next session


def test_memory(root: Path) -> None:
    """In a process of its own: what the system calls a child's peak is never below the size of its parent."""
    code = (
        "import sys; from pathlib import Path\n"
        "from tests.bench import agents; from tests.bench.session import measure\n"
        "print(measure(agents.rescene(Path(sys.argv[1])), Path(sys.argv[2]), 7).memory)"
    )
    command = [sys.executable, "-c", code, str(RESCENE.program), str(root)]
    measured = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=120)
    assert 0 < float(measured.stdout) <= 90


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
