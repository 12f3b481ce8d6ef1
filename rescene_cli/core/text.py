"""Text in small."""

from __future__ import annotations


def plural(number: int, noun: str, many: str = "") -> str:
    """`1 file`, `2 files`; `many` where an s is not enough."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def seconds(value: float) -> str:
    """A duration: 2 ms, 1.2 s, 12 s, 3 min 5 s, 2 h 10 min."""
    if value < 0.9995:
        return f"{value * 1000:.0f} ms"
    if value < 9.95:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def shorten(text: str, width: int = 60) -> str:
    """`text` on one line of at most `width` characters."""
    line = " ".join(text.split())
    return line if len(line) <= width else f"{line[: width - 1]}\u2026"
