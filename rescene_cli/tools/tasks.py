"""Background tasks: commands that go on while the model works, and the five tools for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from rescene_cli import process
from rescene_cli.core.errors import ToolError
from rescene_cli.core.events import TaskFinished
from rescene_cli.core.text import seconds
from rescene_cli.core.tools import CallContext, Effect, Outcome, ToolSpec
from rescene_cli.tools.output import LIMIT, is_binary, readable
from rescene_cli.tools.shell import how_it_ended, shell_argv, working_directory
from rescene_cli.tools.spec import at, tool_spec
from rescene_cli.workspace.boundary import Boundary

MOST = 32  # tasks that are remembered; as many may run
_LINES, _WAIT, _LONGEST_WAIT = 100, 60, 600
_END = 5.0  # seconds that ending a task may take: SIGTERM, SIGKILL, and giving up have one each


class Starter(Protocol):
    """What starts a command: `process.start`, or something that watches it as well."""

    def __call__(self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None) -> process.Background:
        """As `process.start`."""
        ...


class Task(NamedTuple):
    """A command in the background."""

    id: str
    command: str
    work: process.Background

    @property
    def state(self) -> str:
        """`running, 12 s` or `exit 1, 3.2 s`."""
        finished = self.work.poll()
        return how_it_ended(finished) if finished else f"running, {seconds(self.work.age)}"


class Tasks:
    """The tasks of one session. The oldest ended ones are forgotten when there are too many."""

    def __init__(self, environment: Mapping[str, str], start: Starter = process.start) -> None:
        self._environment, self._start = environment, start
        self._tasks: dict[str, Task] = {}
        self._untold: list[Task] = []  # ends that `finished` has not reported
        self._count = 0

    def start(self, command: str, cwd: Path) -> Task:
        """Start `command`. Raises ToolError when too many run."""
        argv = shell_argv(command)
        self._make_room()
        self._count += 1
        task = Task(f"b{self._count}", command, self._start(argv, cwd=cwd, env=self._environment))
        self._tasks[task.id] = task
        self._untold.append(task)
        return task

    def get(self, task_id: str) -> Task:
        """The task; ToolError with the known ids if there is none."""
        if task := self._tasks.get(task_id):
            return task
        raise ToolError(f"There is no task {task_id!r}. Tasks: {', '.join(self._tasks) or 'none'}.")

    def all(self) -> tuple[Task, ...]:
        """Every task that is remembered, oldest first."""
        return tuple(self._tasks.values())

    def running(self) -> tuple[str, ...]:
        """The running ones as `b1: npm run dev`."""
        return tuple(f"{task.id}: {task.command}" for task in self.all() if task.work.poll() is None)

    def finished(self) -> tuple[TaskFinished, ...]:
        """Tasks that ended since this was last asked."""
        ended = [(task, finished) for task in self._untold if (finished := task.work.poll())]
        for task, _ in ended:
            self._untold.remove(task)
        return tuple(TaskFinished(task.id, done.exit, round(done.seconds, 3)) for task, done in ended)

    def close(self) -> tuple[str, ...]:
        """End all of them; returns those that were running, as `running` does."""
        running = self.running()
        for task in self.all():
            task.work.kill()
        for task in self.all():
            task.work.wait(_END)
        return running

    def _make_room(self) -> None:
        if len(self._tasks) < MOST:
            return
        ended = next((task.id for task in self.all() if task.work.poll()), None)
        if ended is None:
            raise ToolError(f"{MOST} tasks run already. End one with task_kill first.")
        del self._tasks[ended]


class RunTask:
    """`run_task(command, cwd)`."""

    spec = tool_spec(
        "run_task",
        {"command": {"type": "string"}, "cwd": {"type": "string"}},
        [Effect.EXECUTE],
        required=["command"],
        targets=at("cwd"),
        resident=False,
    )

    def __init__(self, tasks: Tasks, boundary: Boundary) -> None:
        self._tasks = tasks
        self._boundary = boundary

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:  # noqa: ARG002
        """Start it."""
        cwd = working_directory(self._boundary, arguments.get("cwd"))
        task = self._tasks.start(arguments["command"], cwd)
        return Outcome.text(f"Task {task.id} runs in {cwd} (process group {task.work.pid}).", title=f"task {task.id}")


Action = Callable[[Tasks, Mapping[str, Any], CallContext], Outcome]


@dataclass(frozen=True, slots=True)
class TaskTool:
    """A tool that looks at tasks or ends one: all four differ only in `action`."""

    tasks: Tasks
    spec: ToolSpec
    action: Action

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:
        """Do it."""
        return self.action(self.tasks, arguments, context)


def task_tools(tasks: Tasks, boundary: Boundary) -> tuple[RunTask | TaskTool, ...]:
    """The five tools over one set of tasks."""
    return (RunTask(tasks, boundary), *(TaskTool(tasks, spec, action) for spec, action in _actions()))


def _status(tasks: Tasks, arguments: Mapping[str, Any], _: CallContext) -> Outcome:
    chosen = [tasks.get(arguments["task_id"])] if "task_id" in arguments else tasks.all()
    lines = [f"{task.id} ({task.state}): {task.command}" for task in chosen]
    return Outcome.text("\n".join(lines) or "Tasks: none.", title=f"{len(tasks.running())} running")


def _log(tasks: Tasks, arguments: Mapping[str, Any], _: CallContext) -> Outcome:
    task = tasks.get(arguments["task_id"])
    return _report(task, arguments.get("lines", _LINES))


def _wait(tasks: Tasks, arguments: Mapping[str, Any], context: CallContext) -> Outcome:
    task = tasks.get(arguments["task_id"])
    task.work.wait(arguments.get("timeout", _WAIT), context.interrupt)
    context.interrupt.check()
    return _report(task, _LINES)


def _kill(tasks: Tasks, arguments: Mapping[str, Any], _: CallContext) -> Outcome:
    task = tasks.get(arguments["task_id"])
    if task.work.poll():
        return Outcome.text(f"Task {task.id} had ended already ({task.state}).", title="had ended already")
    task.work.kill()
    task.work.wait(_END)
    return _report(task, _LINES)


def _report(task: Task, lines: int) -> Outcome:
    """The last lines of the output, then the state."""
    return Outcome.text(f"{_tail(task, lines)}[task {task.id}: {task.state}]", title=f"{task.id}: {task.state}")


def _tail(task: Task, lines: int) -> str:
    raw = task.work.tail()
    if not raw:
        return "(no output yet)\n"
    if is_binary(raw):
        return f"[binary output, {task.work.total:,} bytes, not shown]\n"
    text = readable(raw).rstrip("\n")
    last = "\n".join(text.split("\n")[-lines:])[-LIMIT:]
    cut = "" if len(last) == len(text) and task.work.total == len(raw) else "[earlier output left out]\n"
    return f"{cut}{last}\n"


_TASK_ID = {"task_id": {"type": "string"}}


@cache
def _actions() -> tuple[tuple[ToolSpec, Action], ...]:
    lines = {"type": "integer", "minimum": 1, "maximum": 2000, "default": _LINES}
    timeout = {"type": "integer", "minimum": 1, "maximum": _LONGEST_WAIT, "default": _WAIT}
    return (
        (_task_spec("task_status", _TASK_ID, required=()), _status),
        (_task_spec("task_log", {**_TASK_ID, "lines": lines}), _log),
        (_task_spec("task_wait", {**_TASK_ID, "timeout": timeout}), _wait),
        (_task_spec("task_kill", _TASK_ID), _kill),
    )


def _task_spec(name: str, properties: Mapping[str, Any], required: Sequence[str] = ("task_id",)) -> ToolSpec:
    # Ending a task is no more than taking back what run_task was allowed to start.
    return tool_spec(name, properties, [Effect.CONVERSE], required=required, resident=False)
