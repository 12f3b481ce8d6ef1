from __future__ import annotations

import signal
import threading
from pathlib import Path

from rescene_cli.core.runtime import Interrupt
from rescene_cli.process import Background, start
from rescene_cli.process.background import TAIL
from tests.support.processes import descriptors, eventually, runs


def begin(command: str) -> Background:
    return start(["bash", "-c", command], cwd=Path("/"))


def test_it_runs_while_other_work_is_done_and_ends_by_itself() -> None:
    task = begin("echo one; read -t 0.3 <> <(:); echo two; exit 4")
    assert task.poll() is None
    assert eventually(lambda: task.tail() == b"one\n")
    finished = task.wait(20)
    assert finished is not None
    assert (finished.exit, finished.output, task.tail()) == (4, b"one\ntwo\n", b"one\ntwo\n")
    assert task.poll() == finished
    assert task.wait(0) == finished


def test_waiting_has_an_end() -> None:
    task = begin("sleep 300")
    assert task.wait(0.05) is None
    task.kill()
    finished = task.wait(20)
    assert finished is not None
    assert finished.exit == 128 + signal.SIGTERM


def test_an_interrupt_ends_the_waiting_and_not_the_task() -> None:
    task, interrupt = begin("sleep 300"), Interrupt()
    threading.Timer(0.1, interrupt.set).start()
    assert task.wait(60, interrupt) is None
    assert task.poll() is None
    task.kill()
    assert task.wait(20)


def test_who_ignores_the_request_is_killed_with_its_children() -> None:
    task = begin("trap '' TERM; sleep 300 & echo $!; wait; sleep 300")
    assert eventually(task.tail)
    task.kill()
    task.kill()
    finished = task.wait(20)
    assert finished is not None
    assert finished.exit == 128 + signal.SIGKILL
    assert eventually(lambda: not runs(int(task.tail())))


def test_only_the_end_of_its_output_is_kept() -> None:
    task = begin("seq 1 200000")
    finished = task.wait(60)
    assert finished is not None
    assert len(task.tail()) == TAIL
    assert task.tail().endswith(b"\n199999\n200000\n")
    assert task.total == 1_288_895
    assert finished.omitted == task.total - TAIL


def test_nothing_stays_open() -> None:
    before = descriptors()
    for _ in range(20):
        assert begin("true").wait(20)
    assert eventually(lambda: descriptors() <= before)
    task = begin("sleep 300")
    task.kill()
    assert task.wait(20)
    assert eventually(lambda: descriptors() <= before)


def test_it_knows_its_age() -> None:
    task = begin("sleep 300")
    first = task.age
    assert eventually(lambda: task.age > first)
    task.kill()
    task.wait(20)
