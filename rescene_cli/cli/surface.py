"""The command line as plain data: what completions and the reference are generated from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_args

from rescene_cli.cli.group import LazyGroup, build
from rescene_cli.cli.table import COMMANDS, Command
from rescene_cli.config.keys import BY_NAME


class Option(NamedTuple):
    """An option; `choices` where its values are listed, `file` where they are paths, `flag` where it takes none."""

    names: tuple[str, ...]
    about: str
    flag: bool
    choices: tuple[str, ...]
    file: bool
    many: bool  # may be given more than once
    type: str


class Argument(NamedTuple):
    """A positional argument."""

    name: str
    about: str
    required: bool
    choices: tuple[str, ...]
    file: bool
    many: bool


class Page(NamedTuple):
    """A command: its words after `rescene`, and what may follow them."""

    words: tuple[str, ...]
    summary: str
    about: str
    options: tuple[Option, ...]
    arguments: tuple[Argument, ...]
    members: tuple[tuple[str, str], ...]  # name and summary, for a group


def pages() -> Iterator[Page]:
    """Every command of the table, groups before their members."""
    for name, command in COMMANDS.items():
        yield from _pages((name,), command)


def _pages(words: tuple[str, ...], command: Command) -> Iterator[Page]:
    built = build(words[-1], command)
    visible = [param for param in built.params if not getattr(param, "hidden", False)]
    options = [_option(param) for param in visible if param.param_type_name == "option"]
    arguments = [_argument(param) for param in visible if param.param_type_name == "argument"]
    members = tuple((name, member.summary) for name, member in command.commands.items())
    about = (built.help or command.summary).strip()
    yield Page(words, command.summary, about, (*options, _HELP), tuple(arguments), members)
    if isinstance(built, LazyGroup):
        for name, member in command.commands.items():
            yield from _pages((*words, name), member)


_HELP = Option(("--help",), "Show the help of this command.", True, (), False, False, "")


def _option(param: Any) -> Option:
    shown = "" if param.is_flag else _type(param)
    names = (*param.opts, *param.secondary_opts)
    return Option(names, _sentence(param.help), param.is_flag, _choices(param), _is_file(param), param.multiple, shown)


def _argument(param: Any) -> Argument:
    name = (param.metavar or param.name).upper()
    many = param.nargs != 1
    return Argument(name, _sentence(param.help), param.required, _choices(param), _is_file(param), many)


def _choices(param: Any) -> tuple[str, ...]:
    if param.metavar == "KEY":  # a configuration key, wherever a command takes one
        return tuple(BY_NAME)
    return tuple(getattr(choice, "value", str(choice)) for choice in param.type_descriptor.choices or ())


def _is_file(param: Any) -> bool:
    descriptor = param.type_descriptor
    return bool(descriptor.is_file or descriptor.is_path or Path in get_args(descriptor.annotation))


def _type(param: Any) -> str:
    choices = _choices(param)
    return "|".join(choices) if choices else (param.metavar or param.name).upper()


def _sentence(text: str | None) -> str:
    return " ".join((text or "").split())
