"""Where the program keeps its own files, and how their folders are made: private to the person."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rescene_cli.store import atomic

_PRIVATE = 0o700


def data_dir(environment: Mapping[str, str]) -> Path:
    """The folder of everything that is kept; `RESCENE_DATA_DIR`, or `rescene_data` in the home."""
    override = environment.get("RESCENE_DATA_DIR", "")
    return Path(override).expanduser() if override else Path.home() / "rescene_data"


def private_directory(path: Path) -> Path:
    """Make `path`, and its parents, readable by nobody else. Raises OSError."""
    if not path.is_dir():
        private_directory(path.parent)
        path.mkdir(_PRIVATE, exist_ok=True)
    return path


def write_private(path: Path, content: bytes) -> Path:
    """Replace the file that `path` names, following a link there, and keep its mode; a new one is private.

    Returns the file that was written. Raises OSError.
    """
    target = path.resolve()
    private_directory(target.parent)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    atomic.write(target, content, mode)
    return target
