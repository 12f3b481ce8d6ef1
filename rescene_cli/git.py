"""The only caller of git."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path

from rescene_cli import process
from rescene_cli.core.runtime import Interrupt
from rescene_cli.store.regular import read_start

_SECONDS = 20.0
_HEAD_BYTES = 4096
_READ_BY_GIT = ("HEAD", "config", "config.worktree", "commondir", "index", "info/exclude", "packed-refs")
# Reading must neither write (index refresh) nor run what a repository's configuration names (file system monitor).
_QUIET = ("--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")


def work_tree(directory: Path) -> Path | None:
    """The work tree that holds `directory`: the nearest parent with a `.git`; found without starting git."""
    return next((place for place in (directory, *directory.parents) if (place / ".git").exists()), None)


def branch(directory: Path) -> str:
    """The branch that HEAD names, "" outside a repository; read from the file, since a start has no time for git."""
    for folder in (directory, *directory.parents):
        try:
            head = _head(_git_directory(folder) / "HEAD")
        except (OSError, ValueError):  # a name with a NUL is a ValueError
            continue
        return head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else f"detached at {head[:12]}"
    return ""


def waits(directory: Path) -> bool:
    """Whether a program that reads git's files would wait without end: a pipe stands where one belongs."""
    folders = (directory, *directory.parents)
    asked = [folder / ".gitignore" for folder in folders]
    top = work_tree(directory)
    try:
        asked += [_git_directory(top) / name for name in _READ_BY_GIT] if top else []
        return any(_is_special(path) for path in asked)
    except (OSError, ValueError):
        return False


def _git_directory(folder: Path) -> Path:
    dot_git = folder / ".git"
    if not dot_git.is_file():
        return dot_git
    # A worktree or submodule: the file names the real directory.
    return folder / _head(dot_git).removeprefix("gitdir:").strip()


def _head(path: Path) -> str:
    return read_start(path, _HEAD_BYTES).decode("utf-8", "replace").strip()


def _is_special(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def listed(directory: Path, interrupt: Interrupt | None = None) -> list[str] | None:
    """Tracked and untracked files below `directory`, relative to it, without ignored ones; an untracked
    repository inside is one entry that ends in `/`. None where git can't say.

    Tracked files that were deleted are still in it. Names that are not UTF-8 come as surrogate escapes.
    Raises Interrupted.
    """
    arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
    found = _names(directory, arguments, interrupt=interrupt)
    if interrupt:
        interrupt.check()
    return found


def ignored(directory: Path, names: Sequence[str]) -> set[str] | None:
    """Those of `names` in `directory` that git ignores and does not track. None where git can't say."""
    if not names:
        return set()
    found = _names(directory, ["--literal-pathspecs", "check-ignore", "-z", "--", *names], accepted=(0, 1))
    return None if found is None else set(found)


def _names(
    directory: Path, arguments: list[str], accepted: tuple[int, ...] = (0,), interrupt: Interrupt | None = None
) -> list[str] | None:
    output = _read(directory, arguments, accepted, interrupt)
    return None if output is None else output.decode("utf-8", "surrogateescape").split("\0")[:-1]


def _read(
    directory: Path, arguments: list[str], accepted: tuple[int, ...], interrupt: Interrupt | None
) -> bytes | None:
    """What git prints; None when it is missing, fails, takes too long or says more than is kept."""
    if waits(directory):
        return None
    # The shell keeps git's warnings out of the answer, which has one pipe for both.
    quiet = ["/bin/sh", "-c", 'exec "$@" 2>/dev/null', "sh"]
    done = process.run([*quiet, "git", *_QUIET, *arguments], cwd=directory, timeout=_SECONDS, interrupt=interrupt)
    whole = done.exit in accepted and not (done.timed_out or done.interrupted or done.omitted)
    return done.output if whole else None
