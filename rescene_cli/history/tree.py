"""The only write seam: everything the program changes in someone's files goes through `VersionedTree.commit`.

A commit compares every path with the state its change was planned against, stages all new content beside
its target, and only then renames. It is all or nothing: a failure half way puts back what was there.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from rescene_cli.core.changes import Cause, Change, Kind, Operation, OperationId, PathState
from rescene_cli.core.errors import BoundaryError, ConflictError
from rescene_cli.store import atomic
from rescene_cli.store.lock import exclusive
from rescene_cli.store.regular import pieces, read_regular
from rescene_cli.store.temporary import Role, beside, sweep


def read_state(path: Path, *, content: bool = False, most: int = sys.maxsize) -> PathState | None:
    """What stands at `path`, without following a link there; with its bytes if `content`.

    Raises OSError where the path can't be read, and for a file of more than `most` bytes (EFBIG).
    """
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    mode = stat.S_IMODE(found.st_mode)
    if stat.S_ISDIR(found.st_mode):
        return PathState(Kind.DIRECTORY, mode)
    if stat.S_ISLNK(found.st_mode):
        target = os.fsencode(path.readlink())
        return PathState(Kind.SYMLINK, mode, hashlib.sha256(target).hexdigest(), target if content else None)
    if not stat.S_ISREG(found.st_mode):
        return PathState(Kind.OTHER, mode)
    if content:
        data = read_regular(path, most, follow=False)
        return PathState(Kind.FILE, mode, hashlib.sha256(data).hexdigest(), data)
    digest = hashlib.sha256()
    for piece in pieces(path, follow=False):
        digest.update(piece)
    return PathState(Kind.FILE, mode, digest.hexdigest())


@dataclass(slots=True)
class _Commit:
    """One commit under way: what is staged, and how to take back what is done.

    A commit of one change needs no way back: its rename happens or does not. `several` says that there
    is more than one, so that what stood at each path is kept until the last of them is done.
    """

    several: bool
    doomed: frozenset[Path]  # directories this commit removes
    staged: dict[Path, Path] = field(default_factory=dict)  # target -> temporary file
    backups: dict[Path, Path] = field(default_factory=dict)  # target -> where its old inode waits
    undo: list[Callable[[], object]] = field(default_factory=list)

    def stage(self, target: Path, after: PathState, *, is_new: bool) -> None:
        """Make a new directory, and write content that is given beside its target."""
        if after.kind is Kind.DIRECTORY and is_new:
            self.make_directory(target, after.mode)
        elif after.kind is Kind.SYMLINK and after.content is not None:
            temporary = beside(target)
            temporary.symlink_to(os.fsdecode(after.content))
            self.staged[target] = temporary
        elif after.content is not None:
            self.staged[target] = atomic.stage(target, after.content, after.mode)
            _keep_owner(target, self.staged[target])

    def place(self, target: Path, *, replaces: bool) -> None:
        """Put the staged file onto `target`, which is never missing in between."""
        temporary = self.staged.pop(target)
        try:
            if self.several and replaces:
                backup = self._second_name(target)
                self.undo.append(partial(_put_back, backup, target))
            temporary.replace(target)
        except BaseException:
            self.staged[target] = temporary
            raise
        if self.several and not replaces:
            self.undo.append(target.unlink)

    def remove(self, target: Path) -> None:
        if not self.several:
            target.unlink()
            return
        waiting = target
        while waiting.parent in self.doomed:  # a directory that goes too must be empty by then
            waiting = waiting.parent
        backup = self.backups[target] = beside(waiting, Role.OLD)
        target.rename(backup)
        self.undo.append(lambda: backup.rename(target))

    def move(self, after: PathState, target: Path) -> None:
        """Content that is not given is that of a path removed by the same commit: the inode itself moves."""
        for source, backup in self.backups.items():
            if read_state(backup) == after:  # the mode too: of two equal files one may be executable
                del self.backups[source]
                backup.rename(target)
                self.undo.append(partial(target.rename, backup))
                return
        message = f"Nothing in this commit has the content of {target.name}."
        raise ConflictError(message)

    def make_directory(self, target: Path, mode: int) -> None:
        target.mkdir(mode)
        self.undo.append(target.rmdir)
        target.chmod(mode)

    def remove_directory(self, target: Path, mode: int) -> None:
        target.rmdir()
        self.undo += [partial(target.chmod, mode), partial(target.mkdir, mode)]  # undone from the end

    def set_mode(self, target: Path, before: int, after: int) -> None:
        target.chmod(after)
        self.undo.append(lambda: target.chmod(before))

    def roll_back(self) -> list[Path]:
        """Take back what is done; returns the backups that could not go home and are the last of what they hold."""
        backups, self.backups = self.backups, {}  # from here on none is litter
        for step in reversed(self.undo):
            with suppress(OSError):
                step()
        return [backup for backup in backups.values() if os.path.lexists(backup)]

    def clean(self) -> None:
        for leftover in (*self.staged.values(), *self.backups.values()):
            with suppress(OSError):
                leftover.unlink(missing_ok=True)

    def _second_name(self, target: Path) -> Path:
        """Keep what stands at `target` under a second name: a link, or a copy where the device has no links."""
        backup = self.backups[target] = beside(target, Role.COPY)
        try:
            os.link(target, backup, follow_symlinks=False)
        except OSError:
            state = read_state(target, content=True)
            if state is None or state.kind is not Kind.FILE or state.content is None:
                raise
            atomic.stage(target, state.content, state.mode).rename(backup)
        return backup


class VersionedTree:
    """A directory tree whose changes are compared, applied whole and named.

    `inside` says of a real path whether it may be written; by default what lies below `root`.
    """

    def __init__(self, root: Path, inside: Callable[[Path], bool] | None = None) -> None:
        self.root = root.resolve()
        self._inside = inside or self._below_root
        self._operations = 0
        self._swept: set[Path] = set()

    def locate(self, path: str) -> Path:
        """The place on disk that `path` names."""
        return self.root / path

    def name(self, place: Path) -> str:
        """How changes name `place`: relative to the root where it lies below it."""
        return place.relative_to(self.root).as_posix() if self._below_root(place) else place.as_posix()

    def state(self, path: str, *, content: bool = False) -> PathState | None:
        """What stands at `path` now."""
        return read_state(self.locate(path), content=content)

    def commit(self, changes: Sequence[Change], cause: Cause) -> Operation:
        """Apply `changes` whole, or not at all.

        Raises BoundaryError for a path outside, ConflictError when a path is not in its `before` state,
        and OSError when the system refuses; in each case nothing is changed. Where that can't be kept because
        somebody else works on the same paths meanwhile, the ConflictError names what was put aside.
        """
        with exclusive(self.root):
            self._check(changes)
            with atomic.undisturbed():
                self._carry_out(changes)
                self._sweep({self.locate(change.path).parent for change in changes})
        self._operations += 1
        return Operation(OperationId(f"o{self._operations}"), cause, tuple(changes))

    def _carry_out(self, changes: Sequence[Change]) -> None:
        doomed = frozenset(self.locate(change.path) for change in changes if change.after is None)
        work = _Commit(len(changes) > 1, doomed)
        try:
            self._stage(changes, work)
            self._apply(changes, work)
        except BaseException as error:
            if left := work.roll_back():
                raise ConflictError(
                    f"The change failed half way ({error}), and something kept it from being taken back whole.",
                    f"What stood there is kept as {', '.join(map(self.name, left))}: give it its name again.",
                ) from error
            raise
        finally:
            work.clean()

    def _sweep(self, directories: set[Path]) -> None:
        """Once for each directory: what an earlier session that was killed left there."""
        for directory in directories - self._swept:
            sweep(directory)
        self._swept |= directories

    def _below_root(self, place: Path) -> bool:
        return place == self.root or self.root in place.parents

    def _check(self, changes: Sequence[Change]) -> None:
        for change in changes:
            place = self.locate(change.path)
            real = place.parent.resolve() / place.name  # the name itself may be a link, and is replaced as one
            if place.name in {"", "..", "."} or not self._inside(real):
                message = f"{change.path} lies outside the working directory."
                raise BoundaryError(message, "Allow its directory with --add-dir.")
        stale = [change.path for change in changes if self.state(change.path) != change.before]
        if stale:
            raise ConflictError(
                f"Changed on disk since it was read: {', '.join(stale)}. Nothing was written.",
                "Read it again and repeat the change.",
            )

    def _stage(self, changes: Sequence[Change], work: _Commit) -> None:
        """Make directories and write new content beside its targets: what can fail for want of space fails here."""
        for change in sorted(changes, key=lambda change: change.path.count("/")):
            target = self.locate(change.path)
            if change.after is not None:
                with _said_of(target):
                    work.stage(target, change.after, is_new=change.before is None)

    def _apply(self, changes: Sequence[Change], work: _Commit) -> None:
        for change in changes:
            if change.before is not None and change.before.kind is not Kind.DIRECTORY and change.after is None:
                with _said_of(self.locate(change.path)):
                    work.remove(self.locate(change.path))
        for change in changes:
            with _said_of(self.locate(change.path)):
                self._place(change, work)
        for change in sorted(changes, key=lambda change: -change.path.count("/")):
            if change.before is not None and change.before.kind is Kind.DIRECTORY and change.after is None:
                with _said_of(self.locate(change.path)):
                    work.remove_directory(self.locate(change.path), change.before.mode)

    def _place(self, change: Change, work: _Commit) -> None:
        after, before, target = change.after, change.before, self.locate(change.path)
        if target in work.staged:
            work.place(target, replaces=before is not None)
        elif after is None or (after.kind is Kind.DIRECTORY and before is None):
            return
        elif before is not None and before.digest == after.digest:
            work.set_mode(target, before.mode, after.mode)
        else:
            work.move(after, target)


class Rehearsal(VersionedTree):
    """The same tree for a look ahead: a commit is compared as ever, and changes nothing."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, lambda _: True)

    def commit(self, changes: Sequence[Change], cause: Cause) -> Operation:
        """What `VersionedTree.commit` would return; raises ConflictError as it does."""
        self._check(changes)
        return Operation(OperationId(""), cause, tuple(changes))


@contextmanager
def _said_of(target: Path) -> Iterator[None]:
    """Have an OSError name the path that was to be changed, not one of ours beside it."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(target)) from error


def _put_back(backup: Path, target: Path) -> None:
    backup.replace(target)
    backup.unlink(missing_ok=True)  # a rename between two names of one inode does nothing


def _keep_owner(target: Path, temporary: Path) -> None:
    """The new file belongs to whom the old one belonged, with its extended attributes, where the system lets us."""
    try:
        old = target.lstat()
    except OSError:
        return
    new = temporary.lstat()
    with suppress(OSError):
        if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
            os.chown(temporary, old.st_uid, old.st_gid)
            temporary.chmod(stat.S_IMODE(new.st_mode))  # chown takes setuid and setgid away
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for name in os.listxattr(target, follow_symlinks=False):
                with suppress(OSError):  # one that only the system may set is no reason to lose the others
                    os.setxattr(temporary, name, os.getxattr(target, name, follow_symlinks=False))
