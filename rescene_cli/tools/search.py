"""Finding files and lines."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rescene_cli.core.errors import ToolError
from rescene_cli.core.text import plural
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
MAX_PATTERN = 10_000  # characters of one regular expression

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
        shown = plural(min(len(lines), MAX_ENTRIES), "entry", "entries")
        if len(lines) > MAX_ENTRIES:
            del lines[MAX_ENTRIES:]
            lines.append(f"[the first {MAX_ENTRIES} entries; use glob, or list a directory below]")
            shown = f"the first {shown}"
        return Outcome.text("\n".join(lines), title=f"{name}  {shown}")


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

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:
        """Match every file of the project below `path`."""
        place = _directory(self._workspace, arguments.get("path") or ".")
        pattern = arguments["pattern"]
        place, below = _split(self._workspace, place, pattern)
        wanted = compile_glob(below)
        found = [place / path for path in listing.files(place, context.interrupt) if wanted.fits(path)]
        existing = [path for path in found[: 2 * MAX_FILES] if os.path.lexists(path)]
        if not existing:
            said = f"No file fits {pattern}. Files that .gitignore names are not searched."
            return Outcome.text(said, title=f"{pattern}  no files")
        lines = [_shown_name(self._workspace, path) for path in existing[:MAX_FILES]]
        if len(found) > len(lines):
            lines.append(f"[the first {len(lines)} of {len(found)} files; use a narrower pattern]")
        return Outcome.text("\n".join(lines), title=f"{pattern}  {plural(len(found), 'file')}")


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

        pattern, glob = arguments["pattern"], arguments.get("glob") or ""
        if any(character in "\n\0" or "\ud800" <= character <= "\udfff" for character in pattern + glob):
            message = "The pattern holds a line break or a character that no line can. Search for text within one line."
            raise ToolError(message)
        if len(pattern) > MAX_PATTERN:
            message = f"The pattern has {len(pattern):,} characters; {MAX_PATTERN:,} are allowed. Use a shorter one."
            raise ToolError(message)
        place = self._workspace.boundary.resolve(arguments.get("path") or ".")
        if not place.is_dir() and not place.is_file():
            self._workspace.open(str(arguments["path"]))  # raises, with the nearest name
        _refuse_climbing(glob)
        query = grep.Query(
            pattern,
            place,
            glob,
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
                f"[{plural(len(matches), 'match', 'matches')} in {plural(len(names), 'file')};"
                f" the first {MAX_LINES} lines. Narrow the search]"
            )
        if found.stopped:
            lines.append("[stopped: the search took too long, so there may be more]")
        count = f"{plural(len(matches), 'match', 'matches')} in {plural(len(names), 'file')}"
        title = f"{query.pattern}  {count}{', stopped' * found.stopped}"
        return Outcome.text("\n".join(lines), title=title)

    def _line(self, base: Path, hit: grep.Hit) -> str:
        if not hit.line:
            return "--"
        mark = ":" if hit.matches else "-"
        return f"{_shown_name(self._workspace, base / hit.path)}{mark}{hit.line}{mark}{hit.text}"


def _split(workspace: Workspace, place: Path, pattern: str) -> tuple[Path, str]:
    """Where to look, and what for: directories in front that lead elsewhere (`..`, `/`, a link) are gone to.

    Raises ToolError where that lies outside.
    """
    pattern = pattern.removeprefix(f"{place}/")
    parts = pattern.split("/")
    fixed = next((at for at, part in enumerate(parts) if set(part) & set("*?[{")), len(parts) - 1)
    front, below = "/".join(parts[:fixed]), "/".join(parts[fixed:])
    _refuse_climbing(below)
    inner = place / front.lstrip("/")
    elsewhere = pattern.startswith(("/", "~")) and not inner.is_dir()
    real = workspace.boundary.resolve((front or "/") if elsewhere else str(inner))
    if place not in {real, *real.parents} and not workspace.boundary.inside(real):
        message = f"The pattern {pattern} leads out of the project. To look there, name the directory in path."
        raise ToolError(message)
    return (place, pattern) if real == inner or not real.is_dir() else (real, f"/{below}")


def _refuse_climbing(pattern: str) -> None:
    if ".." in pattern.split("/"):
        message = f"The pattern {pattern} climbs with '..' and can fit nothing. Name the directory in path."
        raise ToolError(message)


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
