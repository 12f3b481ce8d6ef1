"""The tools of a session, made for one place: its files, its commands, its background tasks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from rescene_cli import process
from rescene_cli.core.errors import Interrupted, ToolError
from rescene_cli.core.events import TodoItem
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.text import shorten
from rescene_cli.core.tools import CallContext, Effect, Invocation, Tool
from rescene_cli.history.tree import VersionedTree
from rescene_cli.session.archive import OutputArchive
from rescene_cli.tools.conversation import (
    AskUser,
    HarnessState,
    HarnessStatus,
    Questioner,
    ReadOutput,
    TodoList,
    UpdateTodo,
)
from rescene_cli.tools.files import EditFile, ReadFile, WriteFile
from rescene_cli.tools.output import for_model
from rescene_cli.tools.patch import ApplyPatch
from rescene_cli.tools.search import Glob, Grep, ListDirectory
from rescene_cli.tools.shell import TIMEOUT, RunCommand, how_it_ended, shell_argv, whole_output
from rescene_cli.tools.tasks import Tasks, task_tools
from rescene_cli.tools.tree import CreateDirectory, DeleteDirectory, DeleteFile, MoveFile
from rescene_cli.workspace.boundary import Boundary
from rescene_cli.workspace.files import Workspace

_NOTICE_TIMEOUT = 10.0  # seconds
_NOTICE_WIDTH = 300  # characters


class Kit:
    """Everything tools share. `environment` is that of every command; `told` hears of a changed todo list.

    `interrupt` stops what a person or a check runs. `shell_timeout` ends a command, in seconds, where the model
    gives none.
    """

    def __init__(
        self,
        boundary: Boundary,
        environment: Mapping[str, str],
        interrupt: Interrupt,
        told: Callable[[tuple[TodoItem, ...]], None],
        shell_timeout: int = TIMEOUT,
    ) -> None:
        self._interrupt = interrupt
        self._shell_timeout = shell_timeout
        self.boundary = boundary
        self.environment = environment
        self.archive = OutputArchive()
        self.todo = TodoList(told)
        self.tasks = Tasks(environment)
        self.workspace = Workspace(VersionedTree(boundary.root, boundary.may_write), boundary)

    def tools(self, ask: Questioner, state: Callable[[], HarnessState]) -> tuple[Tool, ...]:
        """All of them, in the order the model sees them."""
        return (
            *_file_tools(self.workspace),
            RunCommand(self.boundary, self.archive, self.environment, timeout=self._shell_timeout),
            *task_tools(self.tasks, self.boundary),
            UpdateTodo(self.todo),
            AskUser(ask),
            ReadOutput(self.archive),
            HarnessStatus(state),
        )

    def preview(self, invocation: Invocation) -> str:
        """The diff that a call would make, "" where it makes none or can't run."""
        if Effect.WRITE not in invocation.spec.effects:
            return ""
        ahead = {tool.spec.name: tool for tool in _file_tools(self.workspace.rehearsal())}
        try:
            context = CallContext(invocation.call.id, self._interrupt)
            return ahead[invocation.spec.name].run(invocation.arguments, context).diff
        except (ToolError, OSError):  # the call itself will say it
            return ""

    def standing(self, path: str) -> Iterator[str]:
        """How changes name what a path argument points to, and everything below it."""
        place = self.boundary.resolve(path, follow=False)
        yield self.workspace.tree.name(place)
        for folder, directories, files in os.walk(place) if not place.is_symlink() else ():
            yield from (self.workspace.tree.name(Path(folder, name)) for name in (*directories, *files))

    def permit(self, invocation: Invocation) -> None:
        """A person said yes to this call: its paths may be written even where they lie outside."""
        for path in invocation.targets.named:
            self.boundary.permit(self.boundary.resolve(path))
            self.boundary.permit(self.boundary.resolve(path, follow=False))

    def evidence(self, command: str) -> tuple[int, str]:
        """Run a check to its end; its exit code and what it said. Raises Interrupted."""
        finished = self._run(command)
        if finished.interrupted:
            raise Interrupted(self._interrupt.reason)
        return finished.exit, for_model(whole_output(finished), self.archive)

    def own_command(self, command: str, show: Callable[[str], None]) -> tuple[bool, str]:
        """Run a person's own command: whether it succeeded, and what the model is told of it."""
        finished = self._run(command, show)
        said = f"{for_model(whole_output(finished), self.archive)}\n[{how_it_ended(finished)}]"
        return finished.exit == 0, said

    def notify(self, command: str, notice: str) -> None:
        """Run a person's notice command; what it says, and whether it works, is nobody's concern."""
        # The text may be a model's: of any length, with characters that no variable can hold.
        text = shorten(notice.replace("\0", " "), _NOTICE_WIDTH).encode("utf-8", "replace").decode()
        env = {**self.environment, "RESCENE_NOTICE": text}
        with suppress(ToolError, OSError):
            process.run(shell_argv(command), cwd=self.boundary.root, env=env, timeout=_NOTICE_TIMEOUT)

    def _run(self, command: str, show: Callable[[str], None] | None = None) -> process.Finished:
        return process.run(
            shell_argv(command), cwd=self.boundary.root, env=self.environment, interrupt=self._interrupt, show=show
        )

    def close(self) -> tuple[str, ...]:
        """End what still runs; returns it."""
        return self.tasks.close()


def _file_tools(workspace: Workspace) -> tuple[Tool, ...]:
    return (
        ReadFile(workspace),
        WriteFile(workspace),
        EditFile(workspace),
        ApplyPatch(workspace),
        ListDirectory(workspace),
        Glob(workspace),
        Grep(workspace),
        CreateDirectory(workspace),
        MoveFile(workspace),
        DeleteFile(workspace),
        DeleteDirectory(workspace),
    )
