"""The repository that is measured in: 62 modules of 200 lines, and as many further files of 2 KB as asked for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

MODULES = 62
LINES = 200
FILES_PER_FOLDER = 200


def module(number: int) -> str:
    """The path of one of the modules."""
    return f"src/module_{number:02}.py"


def line(number: int) -> str:
    """Line `number` (from 1) of every module."""
    return f"value_{number:03} = {number}  # measured in milliseconds, line {number} of {LINES}"


def make(root: Path, further: int) -> None:
    """Write the repository, and commit it where there is git."""
    text = "".join(f"{line(number)}\n" for number in range(1, LINES + 1))
    (root / "src").mkdir(parents=True)
    for number in range(MODULES):
        (root / module(number)).write_text(text)
    filler = "".join(f"row {number:02}: {'x' * 31}\n" for number in range(50))[:2048]
    for number in range(further):
        folder = root / "data" / f"part_{number // FILES_PER_FOLDER:03}"
        if number % FILES_PER_FOLDER == 0:
            folder.mkdir(parents=True)
        (folder / f"file_{number:05}.txt").write_text(f"{number}\n{filler}")
    _commit(root)


def _commit(root: Path) -> None:
    git = shutil.which("git")
    if git is None:
        return
    for words in (
        ("init", "-q", "-b", "main"),
        ("config", "gc.auto", "0"),
        ("add", "-A"),
        ("-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-q", "-m", "start"),
    ):
        subprocess.run([git, "-C", str(root), *words], check=True, stdin=subprocess.DEVNULL)


def edited(root: Path, edits: int) -> bool:
    """Whether every edit of a script is in its file."""
    return all(edit_line(number) in (root / edited_module(number)).read_text() for number in range(edits))


def edited_module(number: int) -> str:
    """Where edit `number` (from 0) is made."""
    return module(1 + number % (MODULES - 1))


def edit_line(number: int) -> str:
    """What edit `number` puts in the place of line 100."""
    return f"value_100 = {1000 + number}  # edited"
