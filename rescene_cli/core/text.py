"""Text in small."""

from __future__ import annotations


def plural(number: int, noun: str, many: str = "") -> str:
    """`1 file`, `2 files`; `many` where an s is not enough."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def shorten(text: str, width: int = 60) -> str:
    """`text` on one line of at most `width` characters."""
    line = " ".join(text.split())
    return line if len(line) <= width else f"{line[: width - 1]}\u2026"
