"""What the project says about itself: AGENTS.md files from the repository's top down to the working directory."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from rescene_cli import git
from rescene_cli.store.regular import read_start


class Instructions(NamedTuple):
    """Text found in the project. `files` are named relative to `top`; `cut` says that the size cap was met."""

    files: tuple[str, ...]
    text: str
    cut: bool


def read_instructions(root: Path, names: tuple[str, ...], max_bytes: int) -> Instructions:
    """Read them, outermost first, so that the nearest folder has the last word.

    Of `names` the first that is there counts, in each folder; `max_bytes` is for all files together.
    """
    top = git.work_tree(root) or root
    folders = [folder for folder in (root, *root.parents) if folder == top or top in folder.parents]
    files: list[str] = []
    parts: list[str] = []
    left, cut = max_bytes, False
    for folder in reversed(folders):
        found = next((folder / name for name in names if (folder / name).is_file()), None)
        if found is None:
            continue
        try:
            data = read_start(found, left + 1)
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
