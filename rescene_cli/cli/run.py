"""`rescene run`: a conversation at a terminal, or one task with a result for people or programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rescene_cli.cli.face import Face
from rescene_cli.cli.headless import OnAsk, Output
from rescene_cli.cli.session import Wanted, carry_out, converse, play_demo
from rescene_cli.cli.task import read_task
from rescene_cli.core.decisions import Mode
from rescene_cli.core.evidence import VerifyMode
from rescene_cli.core.llm import Effort


def run(
    ctx: typer.Context,
    task: Annotated[list[str] | None, typer.Argument(help="What to do; - reads it from standard input.")] = None,
    file: Annotated[
        list[Path] | None, typer.Option("--file", "-f", help="Add a file to the task: text, image.")
    ] = None,
    directory: Annotated[Path, typer.Option("--directory", "-C", help="Work there instead of here.")] = Path(),
    model: Annotated[str | None, typer.Option("--model", "-m", help="provider/name, or scripted:FILE.")] = None,
    fallback: Annotated[list[str] | None, typer.Option(help="A model to go on with when the first fails.")] = None,
    effort: Annotated[Effort | None, typer.Option(help="How hard a reasoning model should think.")] = None,
    mode: Annotated[Mode | None, typer.Option(help="How much runs unasked.")] = None,
    output: Annotated[Output, typer.Option("--output", "-o", help="How to report.")] = Output.TEXT,
    interactive: Annotated[bool, typer.Option("--interactive", "-i", help="Go on as a conversation.")] = False,
    on_ask: Annotated[OnAsk, typer.Option(help="The answer to a question when nobody is there.")] = OnAsk.DENY,
    accept: Annotated[list[str] | None, typer.Option(help="Done means that this command succeeds.")] = None,
    verify: Annotated[VerifyMode | None, typer.Option(help="What the configured checks are for.")] = None,
    max_turns: Annotated[int | None, typer.Option(min=1, help="Limit of model requests.")] = None,
    max_cost: Annotated[float | None, typer.Option(min=0.0, help="Limit in US dollars.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Limit of tokens in and out.")] = None,
    timeout: Annotated[float | None, typer.Option(min=0.0, help="Limit in seconds.")] = None,
    add_dir: Annotated[list[Path] | None, typer.Option(help="A further directory to work in.")] = None,
    trust_project: Annotated[bool, typer.Option("--trust-project", help="Take the project's files as orders.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines, for screen readers and logs.")] = False,
    demo: Annotated[bool, typer.Option("--demo", help="Watch a recorded model fix a small real project.")] = False,
) -> int:
    """Work on a task in this folder; without one, a conversation."""
    face: Face = ctx.obj
    flags = {
        "model": model,
        "fallback": fallback or None,
        "effort": effort,
        "mode": mode,
        "plain": plain or None,
        "verify.mode": verify,
        "limits.max_turns": max_turns,
        "limits.max_cost": max_cost,
        "limits.max_tokens": max_tokens,
        "limits.timeout": timeout,
    }
    shape = Output.JSON if face.json and output is Output.TEXT else output
    wanted = Wanted(directory, flags, shape, on_ask, tuple(accept or ()), tuple(add_dir or ()), trust_project)
    if demo:
        return play_demo(wanted)
    files = file or []
    if wanted.at_terminal and (interactive or not (task or file)):
        return converse(wanted, lambda interrupt: read_task(task or [], files, interrupt))
    words = task or ([] if file else ["-"])
    return carry_out(wanted, lambda interrupt: read_task(words, files, interrupt))
