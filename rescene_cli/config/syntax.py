"""TOML text as plain values."""

from __future__ import annotations

from typing import Any


def toml_values(text: str) -> dict[str, Any]:
    """What `text` says. Raises ValueError that says why it is no TOML."""
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("Values are nested too deeply") from None
