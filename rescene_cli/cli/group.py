"""From the command table to Typer: a command's module is imported when that command runs."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from rescene_cli.cli.face import Face
from rescene_cli.cli.table import COMMANDS, Command
from rescene_cli.core.errors import UsageError
from rescene_cli.core.findings import Report

PROGRAM = "rescene"


class LazyGroup(TyperGroup):
    """A group whose members come from the table."""

    def __init__(self, name: str, table: Mapping[str, Command], summary: str) -> None:
        super().__init__(name=name, help=summary, rich_markup_mode=None, params=_shared())
        self.table = table

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        """One of them, imported now. Raises UsageError with the nearest name."""
        if cmd_name not in self.table:
            raise _unknown(ctx.command_path, cmd_name, self.table)
        return build(cmd_name, self.table[cmd_name])


def build(name: str, command: Command) -> TyperCommand | LazyGroup:
    """The Typer command that the table describes."""
    if command.commands:
        return LazyGroup(name, command.commands, command.summary)
    module, _, function = command.target.partition(":")
    built = _typer_command(getattr(import_module(module), function), name)
    built.params += _shared()
    return built


def root() -> LazyGroup:
    """The whole program."""
    return LazyGroup(PROGRAM, COMMANDS, "")


def invoke(arguments: Sequence[str], face: Face) -> Report | int:
    """Parse and carry out. A command returns a Report, or the exit code when it printed for itself."""
    group = root()
    try:
        with group.make_context(PROGRAM, list(arguments), obj=face) as context:
            result = group.invoke(context)
    except typer.Exit as leave:
        return leave.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except typer.TyperException as error:
        raise _usage(error) from None
    return result if isinstance(result, Report) else int(result or 0)


def _typer_command(function: Callable[..., Any], name: str) -> TyperCommand:
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(name)(function)
    built = get_command(app)
    assert isinstance(built, TyperCommand)  # an app with one command is that command
    return built


def _shared() -> list[Any]:
    """The options that every command has; `edge` has acted on them before anything was parsed."""
    params = _typer_command(_options, "options").params
    for param in params:
        param.expose_value = False
    return params


def _show_help(context: typer.Context, wanted: bool) -> None:
    if wanted:
        from rescene_cli.cli.help import help_text

        typer.echo(help_text(context.command_path.split()[1:], context.command), nl=False)
        raise typer.Exit


def _options(
    json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    show_help: Annotated[
        bool, typer.Option("--help", "-h", help="Show this.", is_eager=True, callback=_show_help)
    ] = False,
) -> None: ...


def _unknown(path: str, name: str, table: Mapping[str, Command]) -> UsageError:
    nearest = difflib.get_close_matches(name, table, 1, 0.5)
    hint = f"Did you mean `{path} {nearest[0]}`?" if nearest else f"`{path} --help` lists them."
    return UsageError(f"{path} has no command {name!r}.", hint)


def _usage(error: typer.TyperException) -> UsageError:
    """Typer's message as one sentence, with the help of the command that was meant."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else PROGRAM
    option = getattr(error, "option_name", "")
    if option and path == PROGRAM:
        return UsageError(f"{option} needs a command before it.", f"For example `{PROGRAM} run {option}`.")
    message = " ".join(error.format_message().split())
    return UsageError(message if message.endswith((".", "?", ")")) else f"{message}.", f"See `{path} --help`.")
