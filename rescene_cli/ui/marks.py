"""The few signs the terminal uses, with ASCII forms for locales that are not UTF-8."""

from __future__ import annotations

from typing import NamedTuple


class Marks(NamedTuple):
    """One sign for each meaning; every one is a single cell wide."""

    prompt: str
    done: str
    failed: str
    stopped: str
    running: str
    question: str
    dot: str  # between parts of a line
    more: str  # something is cut off here
    bar: str  # in front of quoted output
    bullet: str


UNICODE = Marks("›", "✓", "✗", "■", "●", "?", "·", "…", "│", "•")  # noqa: RUF001 - the prompt sign is meant
ASCII = Marks(">", "+", "x", "#", "*", "?", "-", "~", "|", "-")


def marks_for(encoding: str | None) -> Marks:
    """The signs that `encoding` can carry."""
    return UNICODE if (encoding or "").lower().replace("-", "").replace("_", "") in {"utf8", "cp65001"} else ASCII
