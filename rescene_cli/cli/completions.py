"""`rescene completions`: scripts that complete without starting Python."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from rescene_cli.core.findings import Report


class Shell(StrEnum):
    """Shells that completions are written for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completions(shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="Your shell.")]) -> Report:
    """Print completions for a shell; docs/install.md says where they go."""
    from rescene_cli.cli.shells import script

    text = script(shell.value)
    return Report("completions", {"shell": shell.value, "script": text}, text)
