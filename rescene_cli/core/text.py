"""Text in small."""

from __future__ import annotations


def shorten(text: str, width: int = 60) -> str:
    """`text` on one line of at most `width` characters."""
    line = " ".join(text.split())
    return line if len(line) <= width else f"{line[: width - 1]}\u2026"
