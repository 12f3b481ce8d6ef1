from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from rescene_cli.process import reap_all, run, spawn, start
from rescene_cli.process.follow import follow
from tests.support.processes import eventually, runs

PROJECT = Path(__file__).parents[3]

TERMINATED = """
import signal, sys
from pathlib import Path
from rescene_cli.core.errors import InterruptReason
from rescene_cli.core.runtime import Interrupt
from rescene_cli import process
interrupt = Interrupt()
signal.signal(signal.SIGTERM, lambda *_: interrupt.set(InterruptReason.TERMINATED))
task = process.start(["bash", "-c", "trap '' TERM; echo task $$; while :; do sleep 1; done"], cwd=Path("/"))
while not task.tail(): task.wait(0.01)
print(task.tail().decode(), end="", flush=True)
show = lambda text: print(text, end="", flush=True)
process.run(["bash", "-c", "sleep 300 & echo left $!"], cwd=Path("/"), show=show)
process.run(["bash", "-c", "echo call $$; sleep 300"], cwd=Path("/"), interrupt=interrupt, show=show)
sys.exit(143)
"""


def test_all_that_was_started_ends_with_the_program() -> None:
    """Terminated in the middle of a call, with a task that ignores SIGTERM and a process left behind."""
    said: list[str] = []
    child = spawn([sys.executable, "-c", TERMINATED], cwd=PROJECT)

    def show(text: str) -> None:
        said.append(text)
        if "call" in text:
            os.kill(child.pid, signal.SIGTERM)

    finished = follow(child, timeout=60, show=show)
    words = "".join(said).split()
    assert (finished.exit, finished.left_over) == (143, False), finished.output
    assert words[::2] == ["task", "left", "call"]
    for pid in words[1::2]:
        assert eventually(lambda pid=pid: not runs(int(pid)))  # type: ignore[misc]


def test_reaping_ends_tasks_and_can_be_repeated() -> None:
    task = start(["sleep", "300"], cwd=Path("/"))
    assert reap_all() >= 1
    finished = task.wait(20)
    assert finished is not None
    assert finished.exit == 128 + signal.SIGTERM
    assert reap_all() == 0


def test_a_group_number_that_belongs_to_somebody_else_by_now_is_left_alone() -> None:
    stranger = spawn(["sleep", "300"], cwd=Path("/"))
    gone = spawn(["true"], cwd=Path("/"))
    follow(gone)
    gone.pid = stranger.pid
    gone.signal(signal.SIGKILL)
    assert follow(stranger, timeout=0.3).exit == 128 + signal.SIGTERM  # of the timeout


def test_descriptors_of_this_program_are_not_handed_down() -> None:
    reader, writer = os.pipe()
    try:
        finished = run(["bash", "-c", f"exec 9<&{reader}"], cwd=Path("/"))
        assert finished.exit != 0
    finally:
        os.close(reader)
        os.close(writer)


@pytest.mark.parametrize("argument", ["a\0b"])
def test_an_impossible_argument(argument: str) -> None:
    with pytest.raises(ValueError, match="null"):
        spawn(["true", argument], cwd=Path("/"))
