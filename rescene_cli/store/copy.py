"""Copies of folders that belong to the program."""

from __future__ import annotations

from pathlib import Path


def fresh_copy(source: Path, prefix: str) -> Path:
    """Copy `source`, without compiled Python, to a new folder in the system's place for temporary files."""
    import shutil
    import tempfile

    target = Path(tempfile.mkdtemp(prefix=prefix))
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    return target
