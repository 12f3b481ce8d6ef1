"""Numbers as people read them."""

from __future__ import annotations

from rescene_cli.core.text import seconds


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
