"""The command line as plain data: what completions and the reference are generated from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from typer.core import TyperCommand

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
    type: str  # "" for a flag
    default: str


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
    about: str
    options: tuple[Option, ...]
    arguments: tuple[Argument, ...]
    members: tuple[tuple[str, str], ...]  # name and summary, for a group


# Typer's names of types, as people read them; a text is named after its option.
_TYPES = {"int": "N", "int range": "N", "float": "NUMBER", "float range": "NUMBER", "path": "PATH"}


def pages() -> Iterator[Page]:
    """Every command of the table, groups before their members."""
    for name, command in COMMANDS.items():
        yield from _pages((name,), command)


def _pages(words: tuple[str, ...], command: Command) -> Iterator[Page]:
    yield describe(words, build(words[-1], command))
    for name, member in command.commands.items():
        yield from _pages((*words, name), member)


def describe(words: tuple[str, ...], built: TyperCommand | LazyGroup) -> Page:
    """One command as plain data."""
    options = [_option(param) for param in built.params if param.param_type_name == "option"]
    arguments = [_argument(param) for param in built.params if param.param_type_name == "argument"]
    table = built.table if isinstance(built, LazyGroup) else {}
    members = tuple((name, member.summary) for name, member in table.items())
    return Page(words, _sentence(built.help), tuple(options), tuple(arguments), members)


def _option(param: Any) -> Option:
    shown = "" if param.is_flag else _type(param)
    default = "" if param.is_flag or param.default is None or param.default == Path() else str(param.default)
    names = (*param.opts, *param.secondary_opts)
    about = _sentence(param.help)
    return Option(names, about, param.is_flag, _choices(param), _is_file(param), param.multiple, shown, default)


def _argument(param: Any) -> Argument:
    name = (param.metavar or param.name).upper()
    many = param.nargs != 1
    return Argument(name, _sentence(param.help), param.required, _choices(param), _is_file(param), many)


def _choices(param: Any) -> tuple[str, ...]:
    if param.metavar == "KEY":  # a configuration key, wherever a command takes one
        return tuple(BY_NAME)
    return tuple(getattr(param.type, "choices", ()))


def _is_file(param: Any) -> bool:
    return bool(param.type.name == "path")


def _type(param: Any) -> str:
    choices = _choices(param)
    if choices:
        return "|".join(choices)
    return str(param.metavar or _TYPES.get(param.type.name, param.name.upper()))


def _sentence(text: str | None) -> str:
    return " ".join((text or "").split())
