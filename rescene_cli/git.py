"""The only caller of git."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rescene_cli import process

_SECONDS = 20.0
# Reading must neither write (index refresh) nor run what a repository's configuration names (file system monitor).
_QUIET = ("--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")


def work_tree(directory: Path) -> Path | None:
    """The work tree that holds `directory`: the nearest parent with a `.git`; found without starting git."""
    return next((place for place in (directory, *directory.parents) if (place / ".git").exists()), None)


def branch(directory: Path) -> str:
    """The branch that HEAD names, "" outside a repository; read from the file, since a start has no time for git."""
    for folder in (directory, *directory.parents):
        dot_git = folder / ".git"
        try:
            if dot_git.is_file():  # a worktree or submodule: the file names the real directory
                dot_git = folder / dot_git.read_text("utf-8", "replace").removeprefix("gitdir:").strip()
            head = (dot_git / "HEAD").read_text("utf-8", "replace").strip()
        except (OSError, ValueError):  # a name with a NUL is a ValueError
            continue
        return head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else f"detached at {head[:12]}"
    return ""


def listed(directory: Path) -> list[str] | None:
    """Tracked and untracked files below `directory`, relative to it, without ignored ones; an untracked
    repository inside is one entry that ends in `/`. None where git can't say.

    Tracked files that were deleted are still in it. Names that are not UTF-8 come as surrogate escapes.
    """
    return _names(directory, ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"])


def ignored(directory: Path, names: Sequence[str]) -> set[str] | None:
    """Those of `names` in `directory` that git ignores and does not track. None where git can't say."""
    if not names:
        return set()
    found = _names(directory, ["--literal-pathspecs", "check-ignore", "-z", "--", *names], accepted=(0, 1))
    return None if found is None else set(found)


def _names(directory: Path, arguments: list[str], accepted: tuple[int, ...] = (0,)) -> list[str] | None:
    output = _read(directory, arguments, accepted)
    return None if output is None else output.decode("utf-8", "surrogateescape").split("\0")[:-1]


def _read(directory: Path, arguments: list[str], accepted: tuple[int, ...]) -> bytes | None:
    """What git prints; None when it is missing, fails, takes too long or says more than is kept."""
    # The shell keeps git's warnings out of the answer, which has one pipe for both.
    quiet = ["/bin/sh", "-c", 'exec "$@" 2>/dev/null', "sh"]
    done = process.run([*quiet, "git", *_QUIET, *arguments], cwd=directory, timeout=_SECONDS)
    whole = done.exit in accepted and not (done.timed_out or done.interrupted or done.omitted)
    return done.output if whole else None
