"""Numbers as people read them."""

from __future__ import annotations


def seconds(value: float) -> str:
    """A duration: 0.4 s, 12 s, 3 min 5 s, 2 h 10 min."""
    if value < 9.95:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def elapsed(value: float) -> str:
    """A duration that still grows, in whole seconds."""
    return f"{int(value)} s" if value < 60 else seconds(value)


def count(value: int) -> str:
    """A number of tokens: 950, 12.3k, 1.2M."""
    if value < 1000:
        return str(value)
    if value < 999_950:
        return f"{value / 1000:.1f}k" if value < 99_950 else f"{value / 1000:.0f}k"
    return f"{value / 1_000_000:.1f}M"


def dollars(value: float | None) -> str:
    """A price; nothing when it is not known or nothing was paid."""
    if not value:
        return ""
    return f"${value:.4f}" if value < 0.01 else f"${value:.2f}"


def plural(number: int, noun: str) -> str:
    """A number with its noun: 1 file, 2 files."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
