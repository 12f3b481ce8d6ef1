"""The `*** Begin Patch` format, read as models write it."""

from __future__ import annotations

from collections.abc import Iterator

from rescene_cli.core.errors import ToolError
from rescene_cli.workspace.hunks import Action, FilePatch, Hunk, HunkLine
from rescene_cli.workspace.unified import hunk_start

BEGIN, END = "*** Begin Patch", "*** End Patch"
_HEADERS = {"*** Add File:": Action.ADD, "*** Update File:": Action.UPDATE, "*** Delete File:": Action.DELETE}
_MOVE = "*** Move to:"
_END_OF_FILE = "*** End of File"


def parse(text: str) -> list[FilePatch]:
    """The file patches of `text`. Raises ToolError with the line that can't be read."""
    sections: list[tuple[Action, str, list[str]]] = []
    for number, line in _body(text):
        header = _header(line) if line.startswith("***") or not (sections and sections[-1][2]) else None
        if header:
            sections.append((*header, []))
        elif sections:
            sections[-1][2].append(line)
        elif line.strip():
            message = f"Line {number} of the patch, {line[:80]!r}, is none of: {', '.join(_HEADERS)}. {_UNWRITTEN}"
            raise ToolError(message)
    if not sections:
        message = f"The patch changes no file. Put {', '.join(_HEADERS)} sections into it. {_UNWRITTEN}"
        raise ToolError(message)
    return [_file_patch(*section) for section in sections]


_UNWRITTEN = "Nothing was written."


def _body(text: str) -> Iterator[tuple[int, str]]:
    """The numbered lines between begin and end; whatever wraps them (fences, a here-document) is left out."""
    lines = text.split("\n")
    if all(line.endswith("\r") for line in lines[:-1]):
        lines = [line.removesuffix("\r") for line in lines]
    marks = [line.strip() for line in lines]
    begin = marks.index(BEGIN)
    if END not in marks[begin:]:
        message = f"The patch has no {END!r} line, so it may be cut off. Send it whole. {_UNWRITTEN}"
        raise ToolError(message)
    end = next((at for at in range(begin, len(lines)) if lines[at].rstrip() == END), 0)
    end = end or len(lines) - 1 - marks[::-1].index(END)  # padded: only the last one can't be a context line
    return enumerate(lines[begin + 1 : end], begin + 2)


def _header(line: str) -> tuple[Action, str] | None:
    stripped = line.strip()
    for mark, action in _HEADERS.items():
        if stripped.startswith(mark) and stripped != mark:
            return action, stripped[len(mark) :].strip()
    return None


def _file_patch(action: Action, path: str, body: list[str]) -> FilePatch:
    while body and not body[-1]:
        body.pop()
    if action is Action.ADD:
        return FilePatch(action, path, _added(path, body), replaces=True)
    if action is Action.DELETE:
        if body:
            message = f"Delete File: {path} is followed by {body[0][:80]!r}; it takes no lines. {_UNWRITTEN}"
            raise ToolError(message)
        return FilePatch(action, path)
    target = ""
    if body and body[0].strip().startswith(_MOVE):
        target = body.pop(0).strip()[len(_MOVE) :].strip()
    hunks = tuple(_hunks(path, body))
    if not hunks and not target:
        message = f"Update File: {path} has no changes. Give lines that start with ' ', '-' or '+'. {_UNWRITTEN}"
        raise ToolError(message)
    return FilePatch(action, path, hunks, target)


def _added(path: str, body: list[str]) -> tuple[Hunk, ...]:
    lines: list[HunkLine] = []
    for line in body:
        if line.startswith("+") or not line:
            lines.append(HunkLine("+", line[1:]))
        elif line.startswith("\\") and lines:
            lines[-1] = lines[-1]._replace(open_end=True)
        else:
            message = f"Add File: {path} holds {line[:80]!r}; each of its lines must start with '+'. {_UNWRITTEN}"
            raise ToolError(message)
    return (Hunk(tuple(lines)),)


def _hunks(path: str, body: list[str]) -> Iterator[Hunk]:
    lines: list[HunkLine] = []
    headings: list[str] = []
    start: int | None = None
    at_end = False
    for line in [*body, "@@"]:
        if line.rstrip() == _END_OF_FILE:
            at_end = True
        elif line.startswith("@@"):
            if lines:
                yield Hunk(_without_bare_end(lines), start, tuple(headings), at_end)
                lines, headings, at_end = [], [], False
            start = hunk_start(line)
            heading = "" if start is not None else line[2:].strip().removesuffix("@@").strip()
            headings += [heading] if heading else []
        else:
            lines = _with(lines, line, path)
    if headings:
        message = f"Update File: {path} ends with an @@ line and no changes below it. {_UNWRITTEN}"
        raise ToolError(message)


def _with(lines: list[HunkLine], line: str, path: str) -> list[HunkLine]:
    tag = line[:1]
    if tag == "\\" and lines:
        return [*lines[:-1], lines[-1]._replace(open_end=True)]
    if tag and tag not in " +-":
        message = f"Update File: {path} holds {line[:80]!r}; a line of a hunk must start with ' ', '-' or '+'."
        raise ToolError(f"{message} {_UNWRITTEN}")
    lines.append(HunkLine(tag or "", line[1:]))
    return lines


def _without_bare_end(lines: list[HunkLine]) -> tuple[HunkLine, ...]:
    """Empty lines count as context, but for those that only set the next hunk or section apart."""
    kept = list(lines)
    while kept and not kept[-1].tag:
        kept.pop()
    return tuple(line if line.tag else HunkLine(" ", "") for line in kept)
