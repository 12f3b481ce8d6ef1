"""The files a session works on: read as they are, changed only where they still are as the model saw them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from pathlib import Path
from typing import NamedTuple

from rescene_cli.core.changes import Cause, Change, Kind, Operation, PathState
from rescene_cli.core.errors import BoundaryError, ConflictError, ToolError, TryAgainError
from rescene_cli.history.tree import Rehearsal, VersionedTree, read_state
from rescene_cli.workspace.boundary import Boundary

MAX_BYTES = 50_000_000  # a larger file is neither shown nor edited


class Place(NamedTuple):
    """A path that a tool names: how changes name it, and what stands there, with its content."""

    name: str
    state: PathState | None


class Opened(NamedTuple):
    """A file that was read: its place on disk, how changes name it, and its state with content."""

    place: Path
    name: str
    state: PathState

    @property
    def content(self) -> bytes:
        """Its bytes."""
        return self.state.content or b""


class Workspace:
    """One tree, its boundary, and what the model last saw of each file."""

    def __init__(self, tree: VersionedTree, boundary: Boundary) -> None:
        self.tree = tree
        self.boundary = boundary
        self._seen: dict[str, str] = {}  # name -> digest of what the model last read or wrote
        mask = os.umask(0o077)
        os.umask(mask)
        self._file_mode, self._directory_mode = 0o666 & ~mask, 0o777 & ~mask

    def rehearsal(self) -> Workspace:
        """The same files and memory for a look ahead: what is done there changes neither."""
        ahead = copy(self)  # not made anew: reading the umask sets it for a moment, for every thread
        ahead.tree, ahead._seen = Rehearsal(self.tree.root), dict(self._seen)
        return ahead

    @property
    def root(self) -> Path:
        """The working directory."""
        return self.tree.root

    @property
    def file_mode(self) -> int:
        """Permission bits of a new file, as the umask has them."""
        return self._file_mode

    def look(self, path: str, follow: bool = True) -> Place:
        """What stands at `path`, with its content. Raises ToolError when it can't be read."""
        place = self.boundary.resolve(path, follow=follow)
        return Place(self.tree.name(place), self._state(place, path))

    def open(self, path: str) -> Opened:
        """The file at `path`, links followed. Raises ToolError, with the nearest name where there is none."""
        place = self.boundary.resolve(path)
        state = self._state(place, path)
        if state is None:
            raise ToolError(f"There is no {path}.{self._suggest(place)}")
        if state.kind is Kind.DIRECTORY:
            message = f"{path} is a directory. Use list_directory or glob to see what is in it."
            raise ToolError(message)
        if state.kind is not Kind.FILE:
            message = f"{path} is {state.kind.said}; it can't be read."
            raise ToolError(message)
        return Opened(place, self.tree.name(place), state)

    def saw(self, opened: Opened) -> None:
        """Remember that the model was shown this state of the file."""
        self._seen[opened.name] = opened.state.digest

    def has_seen(self, name: str) -> bool:
        """Whether the model read or wrote the file in this session."""
        return name in self._seen

    def check_fresh(self, changes: Iterable[Change]) -> None:
        """Raise ToolError if a file is no longer as the model last saw it."""
        for change in changes:
            seen = self._seen.get(change.path)
            if change.before is not None and seen not in {None, change.before.digest}:
                message = f"{change.path} changed since you read it; read it again. Nothing was written."
                raise ToolError(message)

    def commit(self, changes: Sequence[Change], cause: Cause) -> Operation:
        """Apply `changes`, and make the directories they need. Raises ToolError with nothing changed."""
        self._check_writable(changes)
        try:
            operation = self.tree.commit([*self._parents(changes), *changes], cause)
        except (ConflictError, BoundaryError, TryAgainError) as error:
            raise ToolError(f"{error.message} {error.hint}".strip()) from error
        except OSError as error:
            where = f" ({self.tree.name(Path(error.filename))})" if error.filename else ""
            message = f"The system refused{where}: {error.strerror or error}. Nothing was changed."
            raise ToolError(message) from error
        self._note(changes)
        return operation

    def _check_writable(self, changes: Sequence[Change]) -> None:
        """A file is replaced and not opened, so the system would not mind that it may not be written: we do."""
        for change in changes:
            before, after = change.before, change.after
            if before is None or after is None or before.kind is not Kind.FILE or before.digest == after.digest:
                continue
            if not before.mode & 0o222 or not os.access(self.tree.locate(change.path), os.W_OK):
                message = f"{change.path} is read-only. Make it writable with a command first, if it shall be changed."
                raise ToolError(f"{message} Nothing was written.")

    def _note(self, changes: Sequence[Change]) -> None:
        """What the model wrote whole it has seen, what it edited only if it had seen it before; a move keeps that."""
        gone = {self._seen.pop(change.path, "") for change in changes if change.after is None}
        for change in changes:
            before, after = change.before, change.after
            if after is None or after.kind is not Kind.FILE:
                continue
            whole = after.content is not None and (before is None or not before.content)
            if whole or change.path in self._seen or after.digest in gone:
                self._seen[change.path] = after.digest

    def _state(self, place: Path, path: str) -> PathState | None:
        try:
            return read_state(place, content=True, most=MAX_BYTES)
        except OSError as error:
            message = f"{path} can't be read: {error.strerror or error}."
            if error.errno == errno.EFBIG:
                message = f"{path} is larger than {MAX_BYTES // 1_000_000} MB. Use grep, or a command such as head."
            raise ToolError(message) from error

    def _parents(self, changes: Sequence[Change]) -> Iterator[Change]:
        """The directories that the new files need and that neither exist nor are among the changes."""
        made = {self.tree.locate(change.path) for change in changes if change.after is not None}
        for change in changes:
            if change.before is not None or change.after is None:
                continue
            for parent in reversed(self.tree.locate(change.path).parents):
                if parent in made or parent.is_dir():
                    continue
                if parent.exists() or parent.is_symlink():
                    message = f"{self.tree.name(parent)} is no directory, so nothing can be put below it."
                    raise ToolError(message)
                made.add(parent)
                yield Change(self.tree.name(parent), None, PathState.directory(self._directory_mode))

    def new_directory(self) -> PathState:
        """The state of a directory that is to be made."""
        return PathState.directory(self._directory_mode)

    def _suggest(self, place: Path) -> str:
        """The names nearest to a missing one: beside it first, then the same name anywhere in the project."""
        from difflib import get_close_matches

        from rescene_cli.workspace.listing import files

        parent = next(parent for parent in place.parents if parent.is_dir())
        wanted = place.relative_to(parent).parts[0]
        near = [self.tree.name(parent / name) for name in get_close_matches(wanted, _names(parent), 3, 0.7)]
        if not near and self.boundary.inside(place):
            near = [name for name in files(self.root) if name.rpartition("/")[2] == place.name][:3]
        return f" Did you mean {' or '.join(near)}?" if near else " Use glob or list_directory to find it."


def _names(directory: Path) -> list[str]:
    try:
        return [entry.name for entry in os.scandir(directory)]
    except OSError:
        return []
