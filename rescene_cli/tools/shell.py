"""`run_command`: one command, waited for."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from rescene_cli import process
from rescene_cli.core.errors import ToolError
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.text import seconds
from rescene_cli.core.tools import CallContext, Effect, Outcome, ToolSpec
from rescene_cli.session.archive import OutputArchive
from rescene_cli.tools.output import for_model
from rescene_cli.tools.spec import at, tool_spec
from rescene_cli.workspace.boundary import Boundary

TIMEOUT, LONGEST = 120, 600  # seconds
_ARGUMENT_BYTES = 131_072  # Linux MAX_ARG_STRLEN, with the NUL at the end


class Spawner(Protocol):
    """What runs a command: `process.run`, or something that watches it as well."""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str] | None,
        timeout: float | None,
        interrupt: Interrupt | None,
        show: Callable[[str], None] | None,
    ) -> process.Finished:
        """As `process.run`."""
        ...


@dataclass(frozen=True, slots=True)
class RunCommand:
    """`run_command(command, timeout, cwd)`. `environment` is the child's, whole; `timeout` is for calls without one."""

    boundary: Boundary
    archive: OutputArchive
    environment: Mapping[str, str]
    spawn: Spawner = process.run
    timeout: int = TIMEOUT

    @property
    def spec(self) -> ToolSpec:
        """How the model sees it."""
        return _spec(self.timeout)

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:
        """Run it to its end, its timeout or an interrupt; the output until then is in the result."""
        cwd = working_directory(self.boundary, arguments.get("cwd"))
        finished = self.spawn(
            shell_argv(arguments["command"]),
            cwd=cwd,
            env=self.environment,
            timeout=arguments.get("timeout", self.timeout),
            interrupt=context.interrupt,
            show=context.show,
        )
        output = for_model(whole_output(finished), self.archive) or "(no output)"
        between = "" if output.endswith("\n") else "\n"
        facts = [how_it_ended(finished), *_remarks(finished)]
        if cwd != self.boundary.root:
            facts.append(f"in {_relative(cwd, self.boundary.root)}")
        ok = finished.exit == 0 and not finished.timed_out and not finished.interrupted
        return Outcome.text(f"{output}{between}[{', '.join(facts)}]", ok=ok, title=_title(finished))


def shell_argv(command: str) -> list[str]:
    """The arguments that have the shell run `command`. Raises ToolError for text that can't be a command."""
    if not command.strip():
        raise ToolError("The command is empty.")
    if "\0" in command:
        raise ToolError("The command holds a NUL character, which no argument can. Write it as \\0 for printf.")
    try:
        size = len(command.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError as error:
        sign = f"U+{ord(command[error.start]):04X}"
        raise ToolError(f"The command holds {sign}, half of a character. Write the character whole.") from None
    if size >= _ARGUMENT_BYTES:
        raise ToolError(f"The command is longer than {_ARGUMENT_BYTES:,} bytes. Write a script and run that.")
    return [_shell(), "-c", command]


def working_directory(boundary: Boundary, argument: str | None) -> Path:
    """Where a command runs: the root, or the folder it names. Whether that may be outside is the gate's to say."""
    if argument is None:
        return boundary.root
    place = boundary.resolve(argument)
    if not place.is_dir():
        raise ToolError(f"cwd: there is no folder {argument!r}. Leave it out to run in {boundary.root}.")
    return place


def whole_output(finished: process.Finished) -> bytes:
    """What was kept of the output, with a line where something is missing."""
    if not finished.omitted:
        return finished.output
    note = f"\n[{finished.omitted:,} bytes were not kept]\n".encode()
    return finished.output[: finished.gap] + note + finished.output[finished.gap :]


def how_it_ended(finished: process.Finished) -> str:
    """`exit 0, 1.2 s`; a signal is named."""
    return f"exit {finished.exit}{_signal_name(finished.exit)}, {seconds(finished.seconds)}"


def _remarks(finished: process.Finished) -> list[str]:
    remarks = ["timed out and was stopped"] if finished.timed_out else []
    remarks += ["stopped early"] if finished.interrupted else []
    if finished.left_over:
        still = f"something it started still runs (process group {finished.pid}); its further output is not kept"
        remarks.append(f"{still}: use run_task for what shall go on")
    return remarks


def _title(finished: process.Finished) -> str:
    took = seconds(finished.seconds)
    if finished.timed_out:
        return f"timed out after {took}"
    if finished.interrupted:
        return f"stopped after {took}"
    running = ", something still runs" if finished.left_over else ""
    return f"exit {finished.exit}{_signal_name(finished.exit)} in {took}{running}"


def _signal_name(code: int) -> str:
    try:
        return f" ({signal.Signals(code - 128).name})" if code > 128 else ""
    except ValueError:  # exit codes above 128 that stand for no signal
        return ""


def _relative(place: Path, root: Path) -> str:
    return str(place.relative_to(root)) if place.is_relative_to(root) else str(place)


@cache
def _shell() -> str:
    """bash where there is one, else sh. `shutil.which` would load the archive formats for this."""
    places = ["/bin", "/usr/bin", *os.get_exec_path()]
    return next((name for place in places if os.access(name := f"{place}/bash", os.X_OK)), "/bin/sh")


@cache
def _spec(timeout: int) -> ToolSpec:
    return tool_spec(
        "run_command",
        {
            "command": {"type": "string"},
            "timeout": {"type": "integer", "minimum": 1, "maximum": max(LONGEST, timeout), "default": timeout},
            "cwd": {"type": "string"},
        },
        [Effect.EXECUTE],
        required=["command"],
        targets=at("cwd"),
    )
