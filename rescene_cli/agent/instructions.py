"""What the project says about itself: AGENTS.md files from the repository's top down to the working directory."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

MAX_BYTES = 32 * 1024  # of all files together; what Codex and Kimi read of AGENTS.md
_NAMES = ("AGENTS.md", "CLAUDE.md", ".cursorrules")  # the first that is there, in each folder


class Instructions(NamedTuple):
    """Text found in the project. `files` are named relative to `top`; `cut` says that the size cap was met."""

    files: tuple[str, ...]
    text: str
    cut: bool


def read_instructions(root: Path, names: tuple[str, ...] = _NAMES, max_bytes: int = MAX_BYTES) -> Instructions:
    """Read them, outermost first, so that the nearest folder has the last word."""
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    folders = [folder for folder in (root, *root.parents) if folder == top or top in folder.parents]
    files: list[str] = []
    parts: list[str] = []
    left, cut = max_bytes, False
    for folder in reversed(folders):
        found = next((folder / name for name in names if (folder / name).is_file()), None)
        if found is None:
            continue
        try:
            with found.open("rb") as file:
                data = file.read(left + 1)
        except OSError:
            continue
        cut = cut or len(data) > left
        text = data[:left].decode("utf-8", "ignore").strip()
        left -= min(len(data), left)
        if text:
            name = found.relative_to(top).as_posix()
            files.append(name)
            parts.append(f"[{name}]\n{text}")
    return Instructions(tuple(files), "\n\n".join(parts), cut)
