"""The help of a command, from the same data as its reference and its completions."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from rescene_cli.cli.surface import Option, Page, describe
from rescene_cli.cli.table import root_help

_WIDEST = 88
_COLUMN = 26  # where descriptions begin at the latest


def help_text(words: Sequence[str], built: Any) -> str:
    """The help of the command that `words` name; of the program where there are none."""
    if not words:
        return root_help()
    page = describe(tuple(words), built)
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    parts = [f"Usage: {usage(page)}", textwrap.fill(page.about, width)]
    parts += _section("Commands", page.members, width)
    parts += _section("Arguments", [(argument.name, argument.about) for argument in page.arguments], width)
    parts += _section("Options", [(_names(option), described(option)) for option in page.options], width)
    return "\n\n".join(parts) + "\n"


def usage(page: Page) -> str:
    """How the command is written."""
    names = [f"{argument.name}..." if argument.many else argument.name for argument in page.arguments]
    required = [argument.required for argument in page.arguments]
    arguments = [name if needed else f"[{name}]" for name, needed in zip(names, required, strict=True)]
    return " ".join(["rescene", *page.words, *(["COMMAND"] if page.members else arguments), "[OPTIONS]"])


def described(option: Option) -> str:
    """What an option is for, what it is by itself, and whether it may come again."""
    notes = [f"Default: {option.default}."] if option.default else []
    notes += ["May be given more than once."] if option.many else []
    return " ".join([option.about, *notes])


def _names(option: Option) -> str:
    short = [name for name in option.names if not name.startswith("--")]
    long = [name for name in option.names if name.startswith("--")]
    names = ", ".join([*short, *long])
    return f"{names if short else '    ' + names} {option.type}".rstrip()


def _section(title: str, rows: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    if rows:
        column = min(max(len(name) for name, _ in rows) + 4, _COLUMN)
        yield "\n".join([f"{title}:", *(_row(name, about, column, width) for name, about in rows)])


def _row(name: str, about: str, column: int, width: int) -> str:
    head = f"  {name}"
    if len(head) + 2 > column:
        return f"{head}\n{textwrap.fill(about, width, initial_indent=' ' * column, subsequent_indent=' ' * column)}"
    return textwrap.fill(about, width, initial_indent=f"{head:<{column}}", subsequent_indent=" " * column)
