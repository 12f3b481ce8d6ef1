"""Which files an outcome changed, and how many lines."""

from __future__ import annotations

from collections.abc import Iterable

from rescene_cli.core.changes import Change, Kind
from rescene_cli.core.events import FileTouched
from rescene_cli.core.tools import Outcome


def touched(outcome: Outcome) -> tuple[FileTouched, ...]:
    """The files of the outcome's operation; directories are left out."""
    if outcome.operation is None:
        return ()
    counts = _count(outcome.diff)
    return tuple(
        FileTouched(change.path, _kind(change), *counts.get(change.path, (0, 0)))
        for change in outcome.operation.changes
        if any(state is not None and state.kind is not Kind.DIRECTORY for state in (change.before, change.after))
    )


def merge(earlier: Iterable[FileTouched], later: Iterable[FileTouched]) -> tuple[FileTouched, ...]:
    """One entry a file over a whole turn; a file that was made and removed again is not in it."""
    files = {file.path: file for file in earlier}
    for file in later:
        old = files.pop(file.path, None)
        if old is None:
            files[file.path] = file
        elif not (old.change == "created" and file.change == "deleted"):
            change = _net(old.change, file.change)
            files[file.path] = FileTouched(file.path, change, old.added + file.added, old.removed + file.removed)
    return tuple(files.values())


def made_here(earlier: frozenset[str], changes: Iterable[Change]) -> frozenset[str]:
    """The paths that hold what the agent itself made. A user's file stays the user's wherever it is moved to."""
    changes = tuple(changes)
    gone = {change.path for change in changes if change.after is None}
    moved = {change.before.digest for change in changes if change.path in gone - earlier and change.before is not None}
    new = {change.path for change in changes if change.before is None and change.after is not None
           and change.after.digest not in moved}  # fmt: skip
    return (earlier - gone) | new


def _net(old: str, new: str) -> str:
    if old == "created":
        return "created"
    return "modified" if (old, new) == ("deleted", "created") else new


def _kind(change: Change) -> str:
    if change.before is None:
        return "created"
    return "deleted" if change.after is None else "modified"


def _count(diff: str) -> dict[str, tuple[int, int]]:
    """Lines added and removed, by the file that a unified diff names.

    The hunk headers' own counts say where a hunk ends: a removed line may itself start with `--`.
    """
    counts: dict[str, tuple[int, int]] = {}
    before = path = ""
    old = new = 0  # lines of the present hunk still to come
    for line in diff.split("\n"):  # not splitlines: a file may hold form feeds and Unicode line ends
        if old > 0 or new > 0:
            mark = line[:1]
            old -= mark not in {"+", "\\"}
            new -= mark not in {"-", "\\"}
            added, removed = counts.get(path, (0, 0))
            counts[path] = (added + (mark == "+"), removed + (mark == "-"))
        elif line.startswith("--- "):
            before = line[4:].split("\t")[0].removeprefix("a/")
        elif line.startswith("+++ "):
            after = line[4:].split("\t")[0].removeprefix("b/")
            path = before if after == "/dev/null" else after
        elif line.startswith("@@ "):
            old, new = (_length(span) for span in line.split(" ")[1:3])
    return counts


def _length(span: str) -> int:
    """`-3,7` is 7 lines, `+3` is one."""
    return int(span.partition(",")[2] or 1)
