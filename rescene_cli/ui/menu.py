"""The menu under the prompt: slash commands, their arguments, and files after an @."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from rescene_cli.ui.commands import COMMANDS
from rescene_cli.ui.finder import Finder

ROWS = 8


class Choice(NamedTuple):
    """One line: what is shown, what it puts in, and how many characters before the caret that replaces."""

    label: str
    text: str
    replaces: int
    note: str = ""


@cache
def _at_file() -> re.Pattern[str]:
    return re.compile(r"(?:^|(?<=[\s(\"'`]))@(\S*)$")


class Menu:
    """What can be chosen for the text before the caret. `files` gives the index, `None` while it is built."""

    def __init__(self, files: Callable[[], Finder | None]) -> None:
        self._files = files
        self._dismissed: str | None = None
        self.choices: list[Choice] = []
        self.place = 0
        self.note = ""

    @property
    def open(self) -> bool:
        """Whether there is something to choose."""
        return bool(self.choices)

    @property
    def chosen(self) -> Choice | None:
        """The line under the bar."""
        return self.choices[self.place] if self.choices else None

    def update(self, before: str, after: str) -> None:
        """Look again, for new text around the caret."""
        self.note = ""
        self.place = 0
        if before == self._dismissed:
            return
        self._dismissed = None
        self.choices = self._find(before, after)

    def move(self, step: int) -> None:
        """The bar goes one line on, and round at the ends."""
        self.place = (self.place + step) % len(self.choices)

    def dismiss(self, before: str) -> None:
        """Close until the text changes."""
        self.choices = []
        self._dismissed = before

    def completes(self, before: str) -> bool:
        """Whether the chosen line says more than what is typed: then Enter takes it, else it sends."""
        choice = self.chosen
        return choice is not None and choice.text.rstrip() != before[len(before) - choice.replaces :]

    def _find(self, before: str, after: str) -> list[Choice]:
        if before.startswith("/") and "\n" not in before and not after.strip():
            return _commands(before)
        match = _at_file().search(before)
        return self._matching_files(match[1]) if match else []

    def _matching_files(self, query: str) -> list[Choice]:
        finder = self._files()
        if finder is None:
            self.note = "reading the project's files"
            return []
        return [Choice(path, f"@{path} ", len(query) + 1) for path in finder.find(query, ROWS)]


def _commands(before: str) -> list[Choice]:
    name, space, argument = before[1:].partition(" ")
    if not space:
        found = [command for key, command in COMMANDS.items() if key.startswith(name)]
        found.sort(key=lambda command: command.name != name)  # what is typed out is what is meant
        return [
            Choice(command.usage, f"/{command.name}{' ' if command.argument else ''}", len(before), command.description)
            for command in found
        ]
    command = COMMANDS.get(name)
    choices = [word for word in command.choices if word.startswith(argument)] if command else []
    return [Choice(word, word, len(argument)) for word in choices if word != argument]
