"""Hunks: what a patch changes in one file, and where in the file each of them belongs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from rescene_cli.core.errors import ToolError
from rescene_cli.workspace import matching
from rescene_cli.workspace.matching import Match, Shift
from rescene_cli.workspace.text import BOM, Document, Line, Splice


class HunkLine(NamedTuple):
    """A line of a hunk: `tag` is ' ', '-' or '+'; `open_end` says that no line end follows it in the file."""

    tag: str
    text: str
    open_end: bool = False


class Hunk(NamedTuple):
    """Lines to find and what becomes of them.

    `start` is the line number the patch gives (from 1; 0 is above the first line), `headings` are lines that come
    somewhere before (`@@ class A`), `at_end` says that the hunk ends where the file does.
    """

    lines: tuple[HunkLine, ...]
    start: int | None = None
    headings: tuple[str, ...] = ()
    at_end: bool = False

    @property
    def old(self) -> list[HunkLine]:
        """What must be there: context and removed lines."""
        return [line for line in self.lines if line.tag != "+"]

    @property
    def core(self) -> tuple[int, int]:
        """The old lines, counted from the hunk's first, from the first change to behind the last one."""
        begin = end = at = 0
        changed = False
        for line in self.lines:
            if line.tag != " " and not changed:
                begin, changed = at, True
            at += line.tag != "+"
            end = at if line.tag != " " else end
        return begin, end

    @property
    def only_removes(self) -> bool:
        """Whether nothing but removed lines is in it."""
        return all(line.tag == "-" for line in self.lines)


class Action(StrEnum):
    """What a patch does with a file."""

    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"


class FilePatch(NamedTuple):
    """What a patch does with one file. `target` is its new path, `mode` its new permission bits, where given.

    `replaces` says that an added file may stand there already.
    """

    action: Action
    path: str
    hunks: tuple[Hunk, ...] = ()
    target: str = ""
    mode: int | None = None
    replaces: bool = False


def apply(document: Document, hunks: Sequence[Hunk], name: str) -> Document:
    """`document` with every hunk applied. Raises ToolError when one has no certain place; `name` is for its text."""
    hunks = [_own_endings(hunk) for hunk in hunks]
    if document.mark:
        marked = {line.tag for hunk in hunks for line in hunk.lines if line.text.startswith(BOM)}
        hunks = [_without_mark(hunk) for hunk in hunks]
        if marked == {"-"}:
            document = document._replace(mark=b"")
    lines = document.lines
    splices: list[Splice] = []
    for hunk, match in _placed(lines, hunks, name):
        splices += _splices(hunk, match, name)
    return document.splice(splices)


def content(patch: FilePatch) -> str:
    """The text of an added file."""
    lines = [line for hunk in patch.hunks for line in hunk.lines if line.tag == "+"]
    return "".join(line.text + ("" if line.open_end else "\n") for line in lines)


def _own_endings(hunk: Hunk) -> Hunk:
    """Without the CR of a diff whose every line has one: the file's own endings say it better."""
    if not all(line.text.endswith("\r") or line.open_end for line in hunk.lines):
        return hunk
    return hunk._replace(lines=tuple(line._replace(text=line.text.removesuffix("\r")) for line in hunk.lines))


def _without_mark(hunk: Hunk) -> Hunk:
    return hunk._replace(lines=tuple(line._replace(text=line.text.removeprefix(BOM)) for line in hunk.lines))


def _placed(lines: list[str], hunks: list[Hunk], name: str) -> list[tuple[Hunk, Match]]:
    """The hunks with their places, in file order. Raises ToolError when a place is not certain."""
    options = [_options(lines, hunk, name) for hunk in hunks]
    if all(len(found) == 1 for found in options):
        pairs = sorted(zip(hunks, (found[0] for found in options), strict=True), key=lambda pair: _span(*pair))
    else:
        pairs = _in_order(hunks, options, name)
    for (hunk, match), (following, its_match) in pairwise(pairs):
        if _span(hunk, match)[1] > _span(following, its_match)[0]:
            message = f"Two hunks change line {its_match.start + 1} of {name}. Make them one. Nothing was written."
            raise ToolError(message)
    return pairs


def _span(hunk: Hunk, match: Match) -> tuple[int, int]:
    begin, end = hunk.core
    return match.start + begin, match.start + end


def _in_order(hunks: list[Hunk], options: list[list[Match]], name: str) -> list[tuple[Hunk, Match]]:
    """One place for each hunk, given that they come in file order: that alone often leaves only one."""
    rooms = _rooms(hunks, options)
    pairs: list[tuple[Hunk, Match]] = []
    end = drift = 0
    for hunk, found, room in zip(hunks, options, rooms, strict=True):
        fitting = [match for match in found if _span(hunk, match)[0] >= end and _span(hunk, match)[1] <= room]
        match = _choose(hunk, fitting, drift)
        if match is None:
            raise ToolError(_uncertain(hunk, fitting or found, name))
        pairs.append((hunk, match))
        end = _span(hunk, match)[1]
        drift = drift if hunk.start is None else match.start + 1 - hunk.start
    return pairs


def _rooms(hunks: list[Hunk], options: list[list[Match]]) -> list[int]:
    """For each hunk the line before which its changes must end, so that those after it still have a place."""
    rooms: list[int] = []
    room = sys.maxsize
    for hunk, found in zip(reversed(hunks), reversed(options), strict=True):
        rooms.insert(0, room)
        room = max((begin for begin, end in (_span(hunk, match) for match in found) if end <= room), default=room)
    return rooms


def _choose(hunk: Hunk, fitting: list[Match], drift: int) -> Match | None:
    """The place that the patch's line number names (moved as far as the hunk before it), or the only one.

    Below an @@ heading it is the first one.
    """
    if len(fitting) == 1 or (fitting and hunk.headings):
        return fitting[0]
    if hunk.start is None:
        return None
    starts = {match.start: match for match in fitting}
    return starts.get(hunk.start - 1 + drift) or starts.get(hunk.start - 1)


def _uncertain(hunk: Hunk, places: list[Match], name: str) -> str:
    numbers = ", ".join(str(match.start + 1) for match in places[:10])
    return (
        f"A hunk for {name} ({_first(hunk)!r} ...) fits in more than one place (lines {numbers}), or not in this "
        "order. Add context lines, or an @@ line that names the function or section. Nothing was written."
    )


def _first(hunk: Hunk) -> str:
    return next((line.text.strip()[:80] for line in hunk.old if line.text.strip()), "")


def _options(lines: list[str], hunk: Hunk, name: str) -> list[Match]:
    """Every place where the hunk fits."""
    old = [line.text.removesuffix("\r") for line in hunk.old]
    heading = _heading(lines, hunk, name)
    if not old:
        return [Match(_insertion(lines, hunk, heading), Shift())]
    found = [match for match in matching.find(lines, old) if match.start >= heading]
    if hunk.at_end:
        found = [match for match in found if match.start + len(old) == len(lines)] or found
    if not found:
        near = matching.nearest(lines, old)
        shown = f"The nearest text (line number, tab, text) is:\n{near}\n" if near else ""
        message = f"{name} has no lines like those of a hunk ({_first(hunk)!r} ...). {shown}Read it again."
        raise ToolError(f"{message} Nothing was written.")
    return found


def _insertion(lines: list[str], hunk: Hunk, heading: int) -> int:
    """Where lines without any context go: below the heading, behind the numbered line, or to the end."""
    if hunk.headings:
        return heading + 1
    return len(lines) if hunk.start is None else min(hunk.start, len(lines))


def _heading(lines: list[str], hunk: Hunk, name: str) -> int:
    """The line of the hunk's last heading; the hunk may itself begin with it."""
    place = 0
    for heading in hunk.headings:
        sought = heading.strip()
        equal = (at for at in range(place, len(lines)) if lines[at].strip() == sought)
        holding = (at for at in range(place, len(lines)) if sought in lines[at])
        found = next(equal, None)
        found = next(holding, None) if found is None else found
        if found is None:
            message = f"{name} has no line {sought!r}, which an @@ line names. Read it again. Nothing was written."
            raise ToolError(message)
        place = found
    return place


def _splices(hunk: Hunk, match: Match, name: str) -> list[Splice]:
    """The hunk's changes as splices; context lines stay the file's own."""
    explicit = any(line.text.endswith("\r") for line in hunk.lines)
    splices: list[Splice] = []
    begin = at = match.start
    new: list[Line] = []
    for line in (*hunk.lines, HunkLine(" ", "")):
        if line.tag == " ":
            if new or at > begin:
                splices.append(Splice(begin, at, tuple(new)))
            at += 1
            begin, new = at, []
        elif line.tag == "-":
            at += 1
        else:
            new.append(_new_line(line, match.shift, name, explicit=explicit))
    return splices


def _new_line(line: HunkLine, shift: Shift, name: str, *, explicit: bool) -> Line:
    """The added line as it shall stand in the file; in an exact diff of mixed endings each line says its own."""
    text = line.text.removesuffix("\r")
    shifted = shift.apply(text)
    if shifted is None:
        message = f"The indentation of {text.strip()[:80]!r} does not fit {name}. Read it again. Nothing was written."
        raise ToolError(message)
    if line.open_end:
        return Line(shifted, "")
    ending = "\r\n" if line.text.endswith("\r") else "\n"
    return Line(shifted, ending if explicit else None)
