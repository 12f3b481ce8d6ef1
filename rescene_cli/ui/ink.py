"""Colours and attributes as escape codes. Only the terminal's own 16 colours: its theme decides how they look."""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import IntEnum


class Depth(IntEnum):
    """What may be used: nothing at all, bold and dim, or colours too."""

    NONE = 0
    ATTRIBUTES = 1
    COLORS = 2


def depth_for(environment: Mapping[str, str] | None = None) -> Depth:
    """What this environment allows on a terminal (https://no-color.org)."""
    found = os.environ if environment is None else environment
    if found.get("TERM") in {None, "", "dumb"}:
        return Depth.NONE
    return Depth.ATTRIBUTES if found.get("NO_COLOR") else Depth.COLORS


class Ink:
    """Styles text; with `Depth.NONE` it hands text back as it came."""

    def __init__(self, depth: Depth) -> None:
        self.depth = depth

    def bold(self, text: str) -> str:
        """What the eye should find first."""
        return self._style("1", text, Depth.ATTRIBUTES)

    def dim(self, text: str) -> str:
        """What is there for those who look."""
        return self._style("2", text, Depth.ATTRIBUTES)

    def accent(self, text: str) -> str:
        """The person's own words and the program's signs."""
        return self._style("36", text, Depth.COLORS)

    def good(self, text: str) -> str:
        """Done, added, passed."""
        return self._style("32", text, Depth.COLORS)

    def bad(self, text: str) -> str:
        """Failed, removed, refused."""
        return self._style("31", text, Depth.COLORS)

    def warn(self, text: str) -> str:
        """Needs a look."""
        return self._style("33", text, Depth.COLORS)

    def _style(self, code: str, text: str, least: Depth) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if text and self.depth >= least else text
