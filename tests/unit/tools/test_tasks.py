from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from rescene_cli import process
from rescene_cli.core.errors import Interrupted, ToolError
from rescene_cli.core.messages import CallId, plain_text
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.tools import CallContext, Effect
from rescene_cli.tools.tasks import MOST, Tasks, task_tools
from rescene_cli.workspace.boundary import Boundary
from tests.support.processes import eventually, runs


class Desk:
    """The five tools over one set of tasks."""

    def __init__(self, root: Path) -> None:
        self.tasks, self.interrupt = Tasks(process.child_environment(os.environ)), Interrupt()
        self.tools = {tool.spec.name: tool for tool in task_tools(self.tasks, Boundary(root))}

    def __call__(self, tool: str, **arguments: object) -> str:
        outcome = self.tools[tool].run(arguments, CallContext(CallId("c1"), self.interrupt))
        return re.sub(r"\d+(\.\d)? m?s\b", "TIME", plain_text(outcome.parts))

    def says(self, task_id: str, text: str) -> bool:
        return eventually(lambda: text in self("task_log", task_id=task_id))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.tasks.close()


def test_a_server_is_started_watched_and_ended(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    started = desk("run_task", command="echo ready $$; pwd; exec sleep 300", cwd="web")
    assert re.fullmatch(rf"Task b1 runs in {tmp_path}/web \(process group \d+\)\.", started)
    assert desk.says("b1", f"{tmp_path}/web\n[task b1: running, TIME]")
    assert desk("task_status") == "b1 (running, TIME): echo ready $$; pwd; exec sleep 300"
    pid = int(desk("task_log", task_id="b1").split()[1])
    assert desk("task_kill", task_id="b1").endswith("[task b1: exit 143 (SIGTERM), TIME]")
    assert not runs(pid)
    assert desk("task_kill", task_id="b1") == "Task b1 had ended already (exit 143 (SIGTERM), TIME)."


def test_waiting(desk: Desk) -> None:
    desk("run_task", command="echo out; exit 3")
    assert desk("task_wait", task_id="b1", timeout=30) == "out\n[task b1: exit 3, TIME]"
    desk("run_task", command="sleep 300")
    assert desk("task_wait", task_id="b2", timeout=0) == "(no output yet)\n[task b2: running, TIME]"


def test_an_interrupt_ends_the_waiting_and_not_the_task(desk: Desk) -> None:
    desk("run_task", command="sleep 300")
    desk.interrupt.set()
    with pytest.raises(Interrupted):
        desk("task_wait", task_id="b1", timeout=600)
    assert desk.tasks.running() == ("b1: sleep 300",)


def test_ends_are_reported_once(desk: Desk) -> None:
    desk("run_task", command="exit 5")
    desk("run_task", command="sleep 300")
    desk("task_wait", task_id="b1")
    (ended,) = desk.tasks.finished()
    assert (ended.task_id, ended.exit) == ("b1", 5)
    assert desk.tasks.finished() == ()
    assert desk.tasks.running() == ("b2: sleep 300",)
    desk("task_kill", task_id="b2")
    assert [event.task_id for event in desk.tasks.finished()] == ["b2"]


def test_the_last_lines(desk: Desk) -> None:
    desk("run_task", command="seq 1 500")
    desk("task_wait", task_id="b1")
    assert desk("task_log", task_id="b1", lines=2) == "[earlier output left out]\n499\n500\n[task b1: exit 0, TIME]"
    assert desk("task_log", task_id="b1", lines=500).startswith("1\n2\n")


def test_a_log_is_bounded_and_readable(desk: Desk) -> None:
    desk("run_task", command=r"printf '\033[31mred\033[0m\n'; printf ' 1%%\r 2%%'")
    assert desk("task_wait", task_id="b1") == "red\n 2%\n[task b1: exit 0, TIME]"
    desk("run_task", command="seq 1 1000000")
    desk("task_wait", task_id="b2")
    log = desk("task_log", task_id="b2", lines=2000)
    assert log.startswith("[earlier output left out]\n")
    assert log.endswith("\n1000000\n[task b2: exit 0, TIME]")
    desk("run_task", command="head -c 1000000 /dev/zero | tr '\\0' x")
    desk("task_wait", task_id="b3")
    assert len(desk("task_log", task_id="b3")) < 30_100
    desk("run_task", command="head -c 999 /dev/zero")
    assert "[binary output, 999 bytes, not shown]" in desk("task_wait", task_id="b4")


def test_unknown_tasks(desk: Desk) -> None:
    for tool in ("task_log", "task_wait", "task_kill", "task_status"):
        with pytest.raises(ToolError, match=r"There is no task 'b9'. Tasks: none\."):
            desk(tool, task_id="b9")
    assert desk("task_status") == "Tasks: none."


def test_what_can_not_be_started(desk: Desk) -> None:
    with pytest.raises(ToolError, match="no folder 'nowhere'"):
        desk("run_task", command="true", cwd="nowhere")
    with pytest.raises(ToolError, match="empty"):
        desk("run_task", command=" ")
    assert desk("task_status") == "Tasks: none."


def test_a_bounded_number(desk: Desk) -> None:
    for _ in range(MOST - 1):
        desk("run_task", command="sleep 300")
    desk("run_task", command="exit 1")
    desk("task_wait", task_id=f"b{MOST}")
    desk("run_task", command="sleep 300")  # takes the place of the one that ended
    assert len(desk.tasks.all()) == MOST
    with pytest.raises(ToolError, match="32 tasks run already"):
        desk("run_task", command="true")
    assert [event.task_id for event in desk.tasks.finished()] == [f"b{MOST}"]
    assert len(desk.tasks.close()) == MOST
    assert desk.tasks.running() == ()


def test_the_end_of_the_session_ends_them_and_says_which(desk: Desk) -> None:
    desk("run_task", command="trap '' TERM; echo $$; while :; do sleep 0.1; done")
    desk("run_task", command="true")
    desk("task_wait", task_id="b2")
    assert desk.says("b1", "\n")
    pid = int(desk("task_log", task_id="b1").split()[0])
    assert [line.split(":")[0] for line in desk.tasks.close()] == ["b1"]
    assert not runs(pid)
    assert desk.tasks.close() == ()


def test_how_the_model_sees_them(desk: Desk) -> None:
    specs = {name: tool.spec for name, tool in desk.tools.items()}
    assert list(specs) == ["run_task", "task_status", "task_log", "task_wait", "task_kill"]
    assert not any(spec.resident for spec in specs.values())
    assert specs["run_task"].effects == {Effect.EXECUTE}
    assert specs["run_task"].targets({"cwd": "x"}).named == ("x",)
    assert all(spec.effects == {Effect.CONVERSE} for name, spec in specs.items() if name != "run_task")
