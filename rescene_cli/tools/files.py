"""Reading, writing and editing single files."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from rescene_cli.core.changes import Cause, Change, Kind, PathState
from rescene_cli.core.errors import ToolError
from rescene_cli.core.messages import Image, Text, image_type
from rescene_cli.core.text import plural
from rescene_cli.core.tools import CallContext, Effect, Outcome
from rescene_cli.tools.spec import at, tool_spec
from rescene_cli.workspace import edit, text
from rescene_cli.workspace.diff import diff
from rescene_cli.workspace.files import Opened, Workspace

MAX_LINES = 2000
MAX_CHARACTERS = 50_000
MAX_COLUMNS = 2000  # characters of one line
MAX_IMAGE = 5_000_000  # bytes; providers refuse larger ones

_PATH = {"type": "string"}


class ReadFile:
    """`read_file(path, offset, limit)`: text with line numbers, or an image as such."""

    spec = tool_spec(
        "read_file",
        {"path": _PATH, "offset": {"type": "integer", "minimum": 1}, "limit": {"type": "integer", "minimum": 1}},
        [Effect.READ],
        required=["path"],
        targets=at("path"),
    )

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:  # noqa: ARG002
        """Read, and remember what was shown."""
        opened = self._workspace.open(arguments["path"])
        media_type = image_type(opened.content)
        if media_type:
            outcome = _image(opened, media_type)
        else:
            outcome = _page(opened, arguments.get("offset") or 1, arguments.get("limit") or MAX_LINES)
        self._workspace.saw(opened)
        return outcome


def _image(opened: Opened, media_type: str) -> Outcome:
    size = len(opened.content)
    if size > MAX_IMAGE:
        message = (
            f"{opened.name} is an image of {size:,} bytes; at most {MAX_IMAGE:,} can be shown. Scale it down first."
        )
        raise ToolError(message)
    about = f"{opened.name}: {media_type}, {size:,} bytes"
    return Outcome((Text(about), Image(media_type, opened.content)), title=f"{opened.name}  image")


def _page(opened: Opened, offset: int, limit: int) -> Outcome:
    document = text.decode(opened.content, opened.name)
    total = len(document.raw)
    if offset > max(total, 1):
        message = f"{opened.name} has {plural(total, 'line')}; offset {offset} lies behind its end."
        raise ToolError(message)
    shown = _numbered(document, offset, min(limit, MAX_LINES))
    last = offset + len(shown) - 1
    notes = [text.label(document)] if text.label(document) else []
    if not total:
        notes.append(f"{opened.name} is empty")
    if last < total:
        notes.append(f"lines {offset}-{last} of {total}; continue with offset={last + 1}")
    body = "\n".join(shown) + (f"\n[{'; '.join(notes)}]" if notes else "")
    part = f"{offset}-{last} of " if last - offset + 1 < total else ""
    return Outcome.text(body.lstrip("\n"), title=f"{opened.name}  {part}{plural(total, 'line')}")


def _numbered(document: text.Document, offset: int, limit: int) -> list[str]:
    """Lines `N TAB text` from `offset` on, as many as fit."""
    shown: list[str] = []
    room = MAX_CHARACTERS
    for number, line in enumerate(islice(document.lines, offset - 1, offset - 1 + limit), offset):
        cut = line if len(line) <= MAX_COLUMNS else f"{line[:MAX_COLUMNS]} [cut: the line has {len(line):,} characters]"
        entry = f"{number}\t{cut}"
        room -= len(entry) + 1
        if room < 0 and shown:
            break
        shown.append(entry)
    return shown


class WriteFile:
    """`write_file(path, content)`: a new file, or the whole of one that was read."""

    spec = tool_spec(
        "write_file",
        {"path": _PATH, "content": {"type": "string"}},
        [Effect.WRITE],
        required=["path", "content"],
        targets=at("path"),
    )

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:
        """Write the file whole."""
        place = self._workspace.look(arguments["path"])
        after = self._after(place.name, place.state, arguments["content"])
        if after == place.state:
            return Outcome.text(f"{place.name} already has exactly this content.", title=f"{place.name}  unchanged")
        change = Change(place.name, place.state, after)
        self._workspace.check_fresh([change])
        return finish(self._workspace, change, Cause("write_file", context.call_id))

    def _after(self, name: str, state: PathState | None, content: str) -> PathState:
        if state is None:
            return PathState.file(text.new_document(content).encode(), self._workspace.file_mode)
        if state.kind is not Kind.FILE:
            message = f"{name} is {state.kind.said}, not a file. Choose another path."
            raise ToolError(message)
        if state.content and not self._workspace.has_seen(name):
            message = f"{name} exists. Read it before you overwrite it, or use edit_file. Nothing was written."
            raise ToolError(message)
        document = text.decode(state.content or b"", name)
        return PathState.file(edit.rewrite(document, content).encode(), state.mode)


class EditFile:
    """`edit_file(path, old_string, new_string, replace_all)`."""

    spec = tool_spec(
        "edit_file",
        {
            "path": _PATH,
            "old_string": {"type": "string"},
            "new_string": {"type": "string"},
            "replace_all": {"type": "boolean"},
        },
        [Effect.WRITE],
        required=["path", "old_string", "new_string"],
        targets=at("path"),
    )

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:
        """Replace, and say how it went."""
        opened = self._workspace.open(arguments["path"])
        change = Change(opened.name, opened.state, None)
        self._workspace.check_fresh([change])
        document = text.decode(opened.content, opened.name)
        everywhere = bool(arguments.get("replace_all"))
        edited = edit.replace(document, arguments["old_string"], arguments["new_string"], everywhere=everywhere)
        after = PathState.file(edited.document.encode(), opened.state.mode)
        change = Change(opened.name, opened.state, after)
        note = f"Replaced {plural(edited.places, 'place')}. {edited.note}".rstrip()
        return finish(self._workspace, change, Cause("edit_file", context.call_id), note)


def finish(workspace: Workspace, change: Change, cause: Cause, note: str = "") -> Outcome:
    """Commit one file's change and describe it."""
    operation = workspace.commit([change], cause)
    shown = diff([change])
    counts = f"+{shown.added} -{shown.removed}"
    verb = "Created" if change.before is None else "Changed"
    said = f"{verb} {change.path} ({counts}). {note}".rstrip()
    return Outcome((Text(said),), title=f"{change.path}  {counts}", diff=shown.text, operation=operation)
