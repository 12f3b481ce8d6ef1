"""Directories made and removed, files moved and removed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rescene_cli.core.changes import Cause, Change, Kind, PathState
from rescene_cli.core.errors import ToolError
from rescene_cli.core.messages import Text
from rescene_cli.core.text import plural
from rescene_cli.core.tools import CallContext, Effect, Outcome, Targets
from rescene_cli.history.tree import read_state
from rescene_cli.tools.spec import at, away, tool_spec
from rescene_cli.workspace.diff import diff
from rescene_cli.workspace.files import Workspace

_PATH = {"type": "string"}


class CreateDirectory:
    """`create_directory(path)`."""

    spec = tool_spec(
        "create_directory", {"path": _PATH}, [Effect.WRITE], required=["path"], targets=at("path"), resident=False
    )

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:
        """Make it, and the directories above it."""
        place = self._workspace.look(arguments["path"])
        if place.state is not None and place.state.kind is Kind.DIRECTORY:
            return Outcome.text(f"{place.name} is there already.", title=f"{place.name}/  unchanged")
        if place.state is not None:
            message = f"{place.name} is {place.state.kind.said}. Choose another path, or delete it first."
            raise ToolError(message)
        change = Change(place.name, None, self._workspace.new_directory())
        operation = self._workspace.commit([change], Cause("create_directory", context.call_id))
        return Outcome((Text(f"Created {place.name}/."),), title=f"{place.name}/  created", operation=operation)


class MoveFile:
    """`move_file(source, destination)`: a file, a link or a whole directory."""

    spec = tool_spec(
        "move_file",
        {"source": _PATH, "destination": _PATH},
        [Effect.WRITE, Effect.REMOVE],
        required=["source", "destination"],
        targets=lambda a: Targets((a["source"], a["destination"]), (a["source"],)),
        resident=False,
    )

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:
        """Move; an existing destination is never replaced, but moved into if it is a directory."""
        source = _existing(self._workspace, arguments["source"])
        _refuse_protected(self._workspace, source, "moved")
        target = self._workspace.boundary.resolve(arguments["destination"], follow=False)
        if target.is_dir():
            target = Path(os.path.realpath(target)) / source.name
        names = f"{self._workspace.tree.name(source)} -> {self._workspace.tree.name(target)}"
        if os.path.lexists(target):
            message = f"{self._workspace.tree.name(target)} exists already. Delete it first, or choose another name."
            raise ToolError(message)
        if source in target.parents:
            message = f"A directory can't be moved into itself ({names})."
            raise ToolError(message)
        changes = list(_moves(self._workspace, source, target))
        operation = self._workspace.commit(changes, Cause("move_file", context.call_id))
        return Outcome((Text(f"Moved {names}."),), title=names, operation=operation)


class DeleteFile:
    """`delete_file(path)`: a file or a link, not what the link points to."""

    spec = tool_spec(
        "delete_file", {"path": _PATH}, [Effect.REMOVE], required=["path"], targets=away("path"), resident=False
    )

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:
        """Delete one file."""
        place = _existing(self._workspace, arguments["path"])
        name = self._workspace.tree.name(place)
        _refuse_protected(self._workspace, place, "deleted")
        state = _read(place, content=True)
        if state.kind is Kind.DIRECTORY:
            message = f"{name} is a directory. Use delete_directory."
            raise ToolError(message)
        change = Change(name, state, None)
        operation = self._workspace.commit([change], Cause("delete_file", context.call_id))
        shown = diff([change])
        title = f"{name}  deleted, -{shown.removed}"
        return Outcome((Text(f"Deleted {name}."),), title=title, diff=shown.text, operation=operation)


class DeleteDirectory:
    """`delete_directory(path)`: a directory with all that is in it."""

    spec = tool_spec(
        "delete_directory", {"path": _PATH}, [Effect.REMOVE], required=["path"], targets=away("path"), resident=False
    )

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:
        """Delete everything below, each path as a change of its own."""
        place = _existing(self._workspace, arguments["path"])
        name = self._workspace.tree.name(place)
        _refuse_protected(self._workspace, place, "deleted")
        if _read(place).kind is not Kind.DIRECTORY:
            message = f"{name} is no directory. Use delete_file."
            raise ToolError(message)
        changes = [Change(self._workspace.tree.name(path), state, None) for path, state in _tree(place)]
        operation = self._workspace.commit(changes, Cause("delete_directory", context.call_id))
        files = sum(change.before is not None and change.before.kind is not Kind.DIRECTORY for change in changes)
        said = f"Deleted {name}/ with {plural(files, 'file')}."
        return Outcome((Text(said),), title=f"{name}/  deleted, {plural(files, 'file')}", operation=operation)


def _existing(workspace: Workspace, path: str) -> Path:
    """The place of `path`, a link at its end left alone. Raises ToolError, with the nearest name, if it is missing."""
    place = workspace.boundary.resolve(path, follow=False)
    if not os.path.lexists(place):
        workspace.open(path)
    return place


def _refuse_protected(workspace: Workspace, place: Path, verb: str) -> None:
    """The root, what holds it, and git's own directory are never moved or deleted by a tool."""
    if place == workspace.root or place in workspace.root.parents:
        message = f"The working directory itself can't be {verb}."
        raise ToolError(message)
    if ".git" in place.parts:
        message = f"{workspace.tree.name(place)} belongs to git and can't be {verb} with this tool."
        raise ToolError(message)


def _tree(place: Path) -> Iterator[tuple[Path, PathState]]:
    """A directory and everything in it with its state, links not followed."""
    yield place, _read(place)
    try:
        entries = sorted(os.scandir(place), key=lambda entry: entry.name)
    except OSError as error:
        message = f"{place} can't be listed: {error.strerror or error}. Nothing was changed."
        raise ToolError(message) from error
    for entry in entries:
        path = place / entry.name
        if entry.is_dir(follow_symlinks=False):
            yield from _tree(path)
        else:
            yield path, _read(path)


def _moves(workspace: Workspace, source: Path, target: Path) -> Iterator[Change]:
    """Two changes for every path: gone here, there now. The content travels along only to another device."""
    far = _device(source) != _device(target)
    for path, state in (
        list(_tree(source)) if source.is_dir() and not source.is_symlink() else [(source, _read(source))]
    ):
        moved = _read(path, content=True) if far else state
        yield Change(workspace.tree.name(path), state, None)
        yield Change(workspace.tree.name(target / path.relative_to(source)), None, moved)


def _device(place: Path) -> int:
    return next(parent for parent in place.parents if parent.is_dir()).stat().st_dev


def _read(path: Path, *, content: bool = False) -> PathState:
    try:
        state = read_state(path, content=content)
    except OSError as error:
        message = f"{path} can't be read: {error.strerror or error}. Nothing was changed."
        raise ToolError(message) from error
    if state is None:
        message = f"{path} went away. Nothing was changed."
        raise ToolError(message)
    return state
