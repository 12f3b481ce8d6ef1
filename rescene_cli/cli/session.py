"""Opening a session for `rescene run`, and the ways to spend it: a task, a conversation, the demo."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rescene_cli.cli.headless import OnAsk, Output, absent_approver, report, stream_to, under_signals
from rescene_cli.cli.task import Task
from rescene_cli.config.load import Config, load, project_root
from rescene_cli.core.errors import UsageError
from rescene_cli.core.runtime import Interrupt, deadline

if TYPE_CHECKING:
    from rescene_cli.ui.desk import Desk
    from rescene_cli.ui.plain import PlainStream
    from rescene_cli.ui.progress import TerminalProgress
    from rescene_cli.wiring import Opening


class Wanted(NamedTuple):
    """The options of `run`. `flags` are values by configuration key, None where not given."""

    directory: Path
    flags: Mapping[str, Any]
    output: Output
    on_ask: OnAsk
    accept: tuple[str, ...] = ()
    add_dir: tuple[Path, ...] = ()
    trust_project: bool = False

    @property
    def at_terminal(self) -> bool:
        """Whether somebody can be asked: both ends are a terminal and the output is for people."""
        ends = (sys.stdin, sys.stderr)
        return self.output is Output.TEXT and all(end is not None and end.isatty() for end in ends)

    def config(self) -> Config:
        """The configuration that holds in this folder. Raises UsageError, ConfigError."""
        for folder in (self.directory, *self.add_dir):
            _look_at(folder)
        return load(os.environ, project_root(self.directory), flags=self.flags, trusted=self.trust_project)


def _look_at(folder: Path) -> None:
    try:
        there = folder.is_dir()
    except OSError as error:
        raise UsageError(f"{folder} can't be looked at: {error.strerror}.", "Choose another folder.") from None
    if not there:
        raise UsageError(f"{folder} is not a folder.", "Check the name.")


TaskReader = Callable[[Interrupt], Task]


def carry_out(wanted: Wanted, read: TaskReader) -> int:
    """One task, one turn; returns the exit code. A signal is answered with a result from here on."""
    interrupt = Interrupt()
    with under_signals(interrupt):
        config = wanted.config()
        with deadline(interrupt, config.limits.timeout):
            task = read(interrupt)
        if not task.text and not task.images:
            raise UsageError("There is no task.", 'Say what to do: rescene run "fix the failing test"')
        interrupt.check()
        return _one_turn(wanted, config, task, interrupt)


def _one_turn(wanted: Wanted, config: Config, task: Task, interrupt: Interrupt) -> int:
    from rescene_cli.ui.desk import Desk
    from rescene_cli.wiring import open_session

    desk, progress = Desk(), _progress(wanted, config)
    opening = _opening(wanted, config, desk, interrupt)
    opening.observers.append(progress)
    if wanted.output is Output.STREAM_JSON:
        opening.observers.append(stream_to(sys.stdout))
    if wanted.at_terminal:
        from rescene_cli.ui.lines import LineAnswers, TypedLines

        desk.attach(LineAnswers(TypedLines(sys.stdin), sys.stderr, interrupt))
    conversation = open_session(opening)
    try:
        finished = conversation.turn(task.text, task.images)
    finally:
        progress.close()
        left = conversation.close()
    return report(conversation, finished, wanted.output, left)


def _progress(wanted: Wanted, config: Config) -> PlainStream | TerminalProgress:
    """What a person sees of the work: drawn lines at a terminal that takes them, else plain ones."""
    if wanted.at_terminal and not config.plain and os.environ.get("TERM") not in {None, "", "dumb"}:
        from rescene_cli.ui.progress import TerminalProgress

        return TerminalProgress(sys.stderr, sys.stdout)
    from rescene_cli.ui.plain import PlainStream

    return PlainStream(sys.stderr, result=sys.stdout if wanted.output is Output.TEXT else None)


def converse(wanted: Wanted, read: TaskReader) -> int:
    """A conversation at the terminal; returns the exit code."""
    from rescene_cli import __version__
    from rescene_cli.cli.crash import as_error
    from rescene_cli.ui.desk import Desk
    from rescene_cli.ui.interactive import UiOptions, run
    from rescene_cli.wiring import open_session

    config, desk, interrupt = wanted.config(), Desk(), Interrupt()
    with deadline(interrupt, config.limits.timeout):
        task = read(interrupt)
    opening = _opening(wanted, config, desk, interrupt)
    conversation = open_session(opening)
    notes = tuple(f"{found.message} {found.hint}".strip() for found in config.findings)
    options = UiOptions(__version__, desk, as_error, config.plain, task.text, notes)
    return run(conversation, opening.observers.append, options)


def play_demo(wanted: Wanted) -> int:
    """The recorded model at work on a copy of the sample project; returns the exit code."""
    from rescene_cli.demo.project import TASK, demo_script, prepare

    root = prepare()
    flags = {**wanted.flags, "model": f"scripted:{demo_script()}", "mode": "auto"}
    sys.stderr.write(
        "This model is recorded: its replies were written beforehand. The project, the edits, the commands and the "
        f"tests are real.\nThe project is a copy in {root}\nTask: {TASK}\n\n"
    )
    code = carry_out(
        wanted._replace(directory=root, flags=flags, accept=("python3 -m unittest",)), lambda _: Task(TASK)
    )
    sys.stderr.write(
        f"\nSee what it did: {root}\nNext: set ANTHROPIC_API_KEY or OPENAI_API_KEY (or start a local model server; "
        "`rescene models` shows what is found), then run `rescene` in a project of yours.\n"
    )
    return code


def _opening(wanted: Wanted, config: Config, desk: Desk, interrupt: Interrupt) -> Opening:
    from rescene_cli.ui.approve import TerminalApprover, TerminalQuestioner
    from rescene_cli.wiring import Opening

    there = wanted.at_terminal
    return Opening(
        config,
        wanted.directory,
        TerminalApprover(desk) if there else absent_approver(wanted.on_ask),
        TerminalQuestioner(desk) if there else lambda question, options: None,  # noqa: ARG005 - nobody answers
        interactive=there,
        added=wanted.add_dir,
        accept=wanted.accept,
        interrupt=interrupt,
    )
