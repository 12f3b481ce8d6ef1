"""The commands, as a literal table: help and completions read it without importing any of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Command(NamedTuple):
    """`target` is `module:function`; a group has `commands` instead."""

    summary: str
    target: str = ""
    panel: str = ""
    commands: Mapping[str, Command] = {}


PANELS = ("Work", "Memory", "Secrets and safety", "More")

_CONFIG = {
    "get": Command("Print the value that holds.", "rescene_cli.cli.config:get"),
    "set": Command("Write a value to your file, or the project's.", "rescene_cli.cli.config:set_"),
    "unset": Command("Remove a value from your file, or the project's.", "rescene_cli.cli.config:unset"),
    "list": Command("All keys with their values.", "rescene_cli.cli.config:list_"),
    "explain": Command("Where a value comes from.", "rescene_cli.cli.config:explain"),
    "path": Command("Where the files are.", "rescene_cli.cli.config:path"),
}

COMMANDS: Mapping[str, Command] = {
    "run": Command("Work on a task in this folder; without one, a conversation.", "rescene_cli.cli.run:run", "Work"),
    "config": Command("Read and change the configuration.", panel="More", commands=_CONFIG),
    "models": Command("Models that are set up, and what is missing.", "rescene_cli.cli.models:models", "More"),
    "doctor": Command("What is there, what is missing, how to fix it.", "rescene_cli.cli.doctor:doctor", "More"),
    "completions": Command(
        "Print completions for bash, zsh or fish.", "rescene_cli.cli.completions:completions", "More"
    ),
}

_ROOT = """\
rescene: a coding agent for the terminal

Usage: rescene [COMMAND] [OPTIONS]   (no command: a conversation here)

{panels}
Options:
  --version  Print the version.
  --help     Print this, or the help of a command: rescene run --help

Exit codes:
  0 ok, 1 task failed, 2 usage or configuration, 3 conflict, 4 not verified,
  5 refused, 6 model or provider, 7 limit reached, 8 approval needed, 70 bug,
  75 try again later, 130 interrupted, 143 terminated
"""


def root_help() -> str:
    """The help of `rescene` itself."""
    sections = []
    for panel in PANELS:
        commands = {name: command for name, command in COMMANDS.items() if command.panel == panel}
        if commands:
            sections.append(f"{panel}:\n{rows(commands)}")
    return _ROOT.format(panels="\n".join(sections))


def rows(commands: Mapping[str, Command]) -> str:
    """One line a command."""
    width = max(len(name) for name in commands)
    return "".join(f"  {name:<{width}}  {command.summary}\n" for name, command in commands.items())


def meant(arguments: Sequence[str]) -> str:
    """The name of the command that a command line asks for, as far as it can be told; `run` where there is none."""
    words: list[str] = []
    commands: Mapping[str, Command] = COMMANDS
    for word in arguments:
        if word in commands:
            words.append(word)
            commands = commands[word].commands
    return " ".join(words) or "run"
