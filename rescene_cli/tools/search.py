"""Finding files and lines."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rescene_cli.core.errors import ToolError
from rescene_cli.core.tools import CallContext, Effect, Outcome
from rescene_cli.tools.spec import at, tool_spec
from rescene_cli.workspace import listing
from rescene_cli.workspace.files import Workspace
from rescene_cli.workspace.globs import compile_glob

if TYPE_CHECKING:
    from rescene_cli.workspace import grep

MAX_ENTRIES = 500
MAX_FILES = 200
MAX_LINES = 200  # lines that one grep shows
MAX_DEPTH = 8

_PATH = {"type": "string"}


class ListDirectory:
    """`list_directory(path, depth)`: what is in a directory; ignored directories are named, not opened."""

    spec = tool_spec(
        "list_directory",
        {"path": _PATH, "depth": {"type": "integer", "minimum": 1, "maximum": MAX_DEPTH}},
        [Effect.READ],
        targets=at("path"),
    )

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:  # noqa: ARG002
        """List, directories first."""
        place = _directory(self._workspace, arguments.get("path") or ".")
        lines: list[str] = []
        _list(place, arguments.get("depth") or 1, "", lines)
        name = _shown_name(self._workspace, place)
        if not lines:
            return Outcome.text(f"{name} is empty.", title=f"{name}  empty")
        if len(lines) > MAX_ENTRIES:
            del lines[MAX_ENTRIES:]
            lines.append(f"[the first {MAX_ENTRIES} entries; use glob, or list a directory below]")
        return Outcome.text("\n".join(lines), title=f"{name}  {len(lines)} entries")


def _list(place: Path, depth: int, indent: str, lines: list[str]) -> None:
    """Append the entries of `place`, and below each directory its own, until there are too many."""
    try:
        entries = sorted(os.scandir(place), key=lambda entry: (not entry.is_dir(follow_symlinks=False), entry.name))
    except OSError as error:
        lines.append(f"{indent}[{error.strerror or error}]")
        return
    del entries[MAX_ENTRIES + 1 :]
    ignored = listing.ignored(place, [entry.name for entry in entries if entry.name != ".git"])
    for entry in entries:
        if len(lines) > MAX_ENTRIES:
            return
        is_directory = entry.is_dir(follow_symlinks=False)
        hidden = entry.name == ".git" or entry.name in ignored
        lines.append(
            indent + _entry(entry, is_directory=is_directory) + (" (ignored)" if entry.name in ignored else "")
        )
        if is_directory and depth > 1 and not hidden:
            _list(place / entry.name, depth - 1, indent + "  ", lines)


def _entry(entry: os.DirEntry[str], *, is_directory: bool) -> str:
    name = listing.shown(entry.name)
    if is_directory:
        return name + "/"
    return f"{name} -> {listing.shown(str(Path(entry.path).readlink()))}" if entry.is_symlink() else name


class Glob:
    """`glob(pattern, path)`: files whose path fits."""

    spec = tool_spec(
        "glob",
        {"pattern": {"type": "string", "minLength": 1}, "path": _PATH},
        [Effect.READ],
        required=["pattern"],
        targets=at("path"),
    )

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:  # noqa: ARG002
        """Match every file of the project below `path`."""
        place = _directory(self._workspace, arguments.get("path") or ".")
        pattern = arguments["pattern"].removeprefix(f"{place}/")
        wanted = compile_glob(pattern)
        found = [place / path for path in listing.files(place) if wanted.fits(path)]
        existing = [path for path in found[: 2 * MAX_FILES] if os.path.lexists(path)]
        if not existing:
            said = f"No file fits {pattern}. Files that .gitignore names are not searched."
            return Outcome.text(said, title=f"{pattern}  no files")
        lines = [_shown_name(self._workspace, path) for path in existing[:MAX_FILES]]
        if len(found) > len(lines):
            lines.append(f"[the first {len(lines)} of {len(found)} files; use a narrower pattern]")
        return Outcome.text("\n".join(lines), title=f"{pattern}  {len(found)} file{'s' * (len(found) != 1)}")


class Grep:
    """`grep(pattern, path, glob, ignore_case, context)`: lines that match a regular expression."""

    spec = tool_spec(
        "grep",
        {
            "pattern": {"type": "string", "minLength": 1},
            "path": _PATH,
            "glob": {"type": "string"},
            "ignore_case": {"type": "boolean"},
            "context": {"type": "integer", "minimum": 0, "maximum": 20},
        },
        [Effect.READ],
        required=["pattern"],
        targets=at("path"),
        resident=False,
    )

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:
        """Search, and show the first lines."""
        from rescene_cli.workspace import grep  # not on the start path

        pattern = arguments["pattern"]
        if any(character in "\n\0" or "\ud800" <= character <= "\udfff" for character in pattern):
            message = "The pattern holds a line break or a character that no line can. Search for text within one line."
            raise ToolError(message)
        place = self._workspace.boundary.resolve(arguments.get("path") or ".")
        if not place.exists():
            self._workspace.open(str(arguments["path"]))  # raises, with the nearest name
        query = grep.Query(
            pattern,
            place,
            arguments.get("glob") or "",
            bool(arguments.get("ignore_case")),
            int(arguments.get("context") or 0),
        )
        return self._outcome(query, grep.search(query, context.interrupt))

    def _outcome(self, query: grep.Query, found: grep.Found) -> Outcome:
        matches = [hit for hit in found.hits if hit.matches]
        names = {hit.path for hit in matches}
        if not matches and not found.stopped:
            said = f"No line matches {query.pattern}. Files that .gitignore names are not searched."
            return Outcome.text(said, title=f"{query.pattern}  no matches")
        base = query.place if query.place.is_dir() else query.place.parent
        lines = [self._line(base, hit) for hit in found.hits[:MAX_LINES]]
        if len(found.hits) > MAX_LINES:
            lines.append(
                f"[{len(matches)} matches in {len(names)} files; the first {MAX_LINES} lines. Narrow the search]"
            )
        if found.stopped:
            lines.append("[stopped: the search took too long, so there may be more]")
        files = f"{len(names)} file{'s' * (len(names) != 1)}"
        count = f"{len(matches)} match{'es' * (len(matches) != 1)}"
        return Outcome.text("\n".join(lines), title=f"{query.pattern}  {count} in {files}")

    def _line(self, base: Path, hit: grep.Hit) -> str:
        if not hit.line:
            return "--"
        mark = ":" if hit.matches else "-"
        return f"{_shown_name(self._workspace, base / hit.path)}{mark}{hit.line}{mark}{hit.text}"


def _directory(workspace: Workspace, path: str) -> Path:
    place = workspace.boundary.resolve(path)
    if place.is_dir():
        return place
    if not place.exists():
        workspace.open(path)  # raises, with the nearest name
    message = f"{path} is no directory. Use read_file to read it."
    raise ToolError(message)


def _shown_name(workspace: Workspace, place: Path) -> str:
    return listing.shown(workspace.tree.name(place))
