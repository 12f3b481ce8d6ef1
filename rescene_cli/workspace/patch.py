"""A patch as a whole: read in either format, worked out against the files, and turned into changes."""

from __future__ import annotations

from collections.abc import Callable

from rescene_cli.core.changes import Change, Kind, PathState
from rescene_cli.core.errors import ToolError
from rescene_cli.workspace import begin_patch, hunks, text, unified
from rescene_cli.workspace.files import Place
from rescene_cli.workspace.hunks import Action, FilePatch

Look = Callable[[str, bool], Place]  # with True a link at the end of the path is followed


def parse(patch: str) -> list[FilePatch]:
    """The file patches of a `*** Begin Patch` text or a unified diff. Raises ToolError for anything else."""
    if begin_patch.BEGIN in (line.strip() for line in patch.split("\n")):
        return begin_patch.parse(patch)
    return unified.parse(patch)


def paths(patch: str) -> list[str]:
    """Every path that the patch names, as written; empty for a text that is no patch."""
    return list(dict.fromkeys(path for part in _parts(patch) for path in (part.path, part.target) if path))


def removes(patch: str) -> list[str]:
    """The paths that the patch deletes, moves away or may leave empty; empty for a text that is no patch."""
    return [part.path for part in _parts(patch) if _removes(part)]


def _parts(patch: str) -> list[FilePatch]:
    try:
        return parse(patch)
    except ToolError:
        return []


def _removes(part: FilePatch) -> bool:
    match part.action:
        case Action.DELETE:
            return True
        case Action.ADD:
            return part.replaces and not hunks.content(part)
        case Action.UPDATE:
            return bool(part.target or (part.hunks and all(hunk.only_removes for hunk in part.hunks)))


def plan(patch: str, look: Look, new_mode: int = 0o644) -> list[Change]:
    """The changes that carry the patch out. Raises ToolError, and then nothing of it may be done.

    `look` resolves a path and reads what stands there; `new_mode` is for files that the patch makes.
    """
    draft = _Draft(look, new_mode)
    for part in parse(patch):
        draft.apply(part)
    changes = draft.changes()
    if not changes:
        message = "The patch would change nothing: the files are already as it wants them."
        raise ToolError(message)
    return changes


class _Draft:
    """The files as the patch has left them so far, beside what they were."""

    def __init__(self, look: Look, new_mode: int) -> None:
        self._look = look
        self._new_mode = new_mode
        self._before: dict[str, PathState | None] = {}
        self._after: dict[str, PathState | None] = {}

    def apply(self, part: FilePatch) -> None:
        # A link is what is deleted or moved, but what it points to is what is changed.
        name = self._find(part.path, follow=part.action is not Action.DELETE and not part.target)
        match part.action:
            case Action.ADD:
                self._add(name, part)
            case Action.DELETE:
                self._delete(name, part)
            case Action.UPDATE:
                self._update(name, part)

    def changes(self) -> list[Change]:
        pairs = ((name, self._before[name], after) for name, after in self._after.items())
        return [Change(*pair) for pair in pairs if pair[1] != pair[2]]

    def _find(self, path: str, *, follow: bool = True) -> str:
        place = self._look(path, follow)
        self._before.setdefault(place.name, place.state)
        self._after.setdefault(place.name, place.state)
        return place.name

    def _file(self, name: str, path: str) -> PathState:
        state = self._after[name]
        if state is None:
            message = f"There is no file {path}. Nothing was written."
            raise ToolError(message)
        if state.kind is not Kind.FILE:
            message = f"{path} is {state.kind.said}, and a patch changes files only. Nothing was written."
            raise ToolError(message)
        return state

    def _add(self, name: str, part: FilePatch) -> None:
        mode = self._new_mode
        if self._after[name] is not None:
            if not part.replaces:
                message = f"{part.path} exists already, but the patch creates it. Nothing was written."
                raise ToolError(message)
            mode = self._file(name, part.path).mode
        self._after[name] = PathState.file(text.new_document(hunks.content(part)).encode(), _with_bits(mode, part.mode))

    def _delete(self, name: str, part: FilePatch) -> None:
        state = self._file(name, part.path)
        if part.hunks and hunks.apply(text.decode(_content(state), part.path), part.hunks, part.path).raw:
            message = f"{part.path} holds more than the patch removes, so it is not deleted. Nothing was written."
            raise ToolError(message)
        self._after[name] = None

    def _update(self, name: str, part: FilePatch) -> None:
        state = self._file(name, part.path)
        if part.hunks:
            document = hunks.apply(text.decode(_content(state), part.path), part.hunks, part.path)
            state = PathState.file(document.encode(), state.mode)
        if part.mode is not None:
            state = PathState(state.kind, _with_bits(state.mode, part.mode), state.digest, state.content)
        if part.target:
            target = self._find(part.target)
            if self._after[target] is not None and target != name:
                self._file(target, part.target)
            self._after[name] = None
            name = target
        self._after[name] = state


def _content(state: PathState) -> bytes:
    return state.content or b""


def _with_bits(mode: int, wanted: int | None) -> int:
    """`mode`, executable wherever it is readable if `wanted` is executable, and nowhere if not."""
    if wanted is None:
        return mode
    return mode | (mode & 0o444) >> 2 if wanted & 0o111 else mode & ~0o111
