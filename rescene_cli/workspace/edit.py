"""Replacing one piece of text by another, exactly, or with other white space where only one place is meant."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from rescene_cli.core.errors import ToolError
from rescene_cli.workspace import matching
from rescene_cli.workspace.text import BOM, Document, Line, Splice, split


class Edited(NamedTuple):
    """The document after an edit: how many places it changed, and what the model should know of it."""

    document: Document
    places: int
    note: str = ""


def replace(document: Document, old: str, new: str, *, everywhere: bool = False) -> Edited:
    """`document` with `old` replaced by `new`. Raises ToolError, with what to do, when the place is not certain."""
    old, new = (text.replace("\r\n", "\n").removeprefix(BOM) for text in (old, new))
    if not old:
        message = "old_string is empty. Give the text to replace, or use write_file to write the whole file."
        raise ToolError(message)
    if old == new:
        message = "old_string and new_string are the same; nothing would change."
        raise ToolError(message)
    text = document.text
    count = text.count(old)
    if count > 1 and not everywhere:
        raise ToolError(_ambiguous(_line_numbers(text, old), count))
    if count:
        return Edited(document.splice(_exact_splices(text, old, new)), count)
    return _tolerant(document, old, new)


def rewrite(document: Document, text: str) -> Document:
    """`document` with `text` as its whole content; endings and byte order mark stay the file's own.

    Text that itself has CRLF says its endings, and is taken as it is.
    """
    text = text.removeprefix(BOM) if document.mark else text
    if "\r\n" in text:
        return document.splice([Splice(0, len(document.raw), tuple(_explicit(line) for line in split(text)))])
    return document.splice([_trim(0, document.view, split(text))])


def _explicit(line: str) -> Line:
    if line.endswith("\r\n"):
        return Line(line[:-2], "\r\n")
    return Line(line.removesuffix("\n"), "\n" if line.endswith("\n") else "")


def _exact_splices(text: str, old: str, new: str) -> list[Splice]:
    """A splice of whole lines for every place; places that share a line become one."""
    regions: list[tuple[int, int]] = []
    for at in _places(text, old):
        begin, stop = text.rfind("\n", 0, at) + 1, _line_end(text, at + len(old))
        if regions and begin < regions[-1][1]:
            begin = regions.pop()[0]
        regions.append((begin, stop))
    splices, line, counted = [], 0, 0
    for begin, stop in regions:
        line += text.count("\n", counted, begin)
        counted = begin
        part = text[begin:stop]
        splices.append(_trim(line, split(part), split(part.replace(old, new))))
    return splices


def _places(text: str, old: str) -> Iterator[int]:
    at = text.find(old)
    while at >= 0:
        yield at
        at = text.find(old, at + len(old))


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1


def _trim(start: int, old: tuple[str, ...], new: tuple[str, ...]) -> Splice:
    """The splice without the lines that stay as they are, so that these keep their own endings."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    lines = new[head : len(new) - tail]
    return Splice(start + head, start + len(old) - tail, tuple(_line(line) for line in lines))


def _line(text: str) -> Line:
    return Line(text[:-1]) if text.endswith("\n") else Line(text, "")


def _tolerant(document: Document, old: str, new: str) -> Edited:
    lines, wanted, wished = document.lines, _lines(old), _lines(new)
    found = matching.find(lines, wanted)
    if len(found) > 1:
        raise ToolError(_ambiguous([match.start + 1 for match in found], len(found)))
    if not found:
        raise ToolError(_not_found(lines, wanted))
    [match] = found
    splice = _trim(match.start, tuple(wanted), tuple(wished))
    shifted = [match.shift.apply(line.text) for line in splice.lines]
    if any(line is None for line in shifted):
        raise ToolError(_not_found(lines, wanted))
    open_end = splice.stop == len(lines) and not document.raw[-1].endswith("\n")
    replaced = [Line(text or "") for text in shifted]
    if replaced and open_end:
        replaced[-1] = replaced[-1]._replace(ending="")
    note = f"Matched at line {match.start + 1} with different white space; the file's indentation was kept."
    return Edited(document.splice([splice._replace(lines=tuple(replaced))]), 1, note)


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _line_numbers(text: str, old: str) -> list[int]:
    return [text.count("\n", 0, at) + 1 for at in islice(_places(text, old), 11)]


def _ambiguous(numbers: list[int], count: int) -> str:
    shown = ", ".join(str(number) for number in numbers[:10]) + (" ..." if len(numbers) > 10 else "")
    return (
        f"old_string stands in {count} places (lines {shown}). Add lines around the one you mean, "
        "or set replace_all. Nothing was written."
    )


def _not_found(lines: list[str], wanted: list[str]) -> str:
    if _has_line_numbers(wanted):
        return (
            "old_string holds the line numbers that read_file shows. Leave out each number and the tab after it. "
            "Nothing was written."
        )
    near = matching.nearest(lines, wanted)
    if not near:
        return "old_string was not found, nor anything like it. Read the file again. Nothing was written."
    return f"old_string was not found. The nearest text (line number, tab, text) is:\n{near}\nNothing was written."


def _has_line_numbers(wanted: list[str]) -> bool:
    filled = [line for line in wanted if line.strip()]
    return bool(filled) and all(
        line.lstrip().partition("\t")[0].isdecimal() and "\t" in line.strip() for line in filled
    )
