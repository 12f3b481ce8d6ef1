"""Widths in terminal cells, counted in graphemes: what a person calls one character is never cut in two."""

from __future__ import annotations

from collections.abc import Iterator


def width(text: str) -> int:
    """How many cells `text` (one line, no control characters) takes."""
    if text.isascii():
        return len(text)
    import wcwidth

    return max(0, wcwidth.width(text))


def graphemes(text: str) -> Iterator[str]:
    """The characters of `text` as a person counts them."""
    if text.isascii():
        return iter(text)
    import wcwidth

    return wcwidth.iter_graphemes(text)


def clip(text: str, columns: int, more: str = "…") -> str:
    """`text` within `columns` cells; what does not fit is replaced by `more`."""
    if width(text) <= columns:
        return text
    room = columns - width(more)
    if room < 0:
        return ""
    kept = 0
    used = 0
    for grapheme in graphemes(text):
        used += width(grapheme)
        if used > room:
            break
        kept += len(grapheme)
    return text[:kept].rstrip() + more


def clip_left(text: str, columns: int, more: str = "…") -> str:
    """The end of `text` within `columns` cells: for paths, whose end says most."""
    if width(text) <= columns:
        return text
    parts = list(graphemes(text))
    used = width(more)
    start = len(parts)
    while start and used + width(parts[start - 1]) <= columns:
        start -= 1
        used += width(parts[start])
    return more + "".join(parts[start:]) if used <= columns else ""


def chop(line: str, columns: int) -> list[str]:
    """`line` cut into rows of at most `columns` cells, anywhere: for output whose spaces mean something."""
    if width(line) <= columns:
        return [line]
    rows: list[str] = []
    row = ""
    used = 0
    for grapheme in graphemes(line):
        wide = width(grapheme)
        if used + wide > columns and row:
            rows.append(row)
            row, used = "", 0
        row += grapheme
        used += wide
    return [*rows, row]


def hanging(sign: str, line: str, columns: int) -> list[str]:
    """`line` behind `sign` (of any width), wrapped so that its rows stand below each other."""
    first, *more = wrap(line, columns - width(sign))
    return [sign + first, *(" " * width(sign) + row for row in more)]


def table_rows(line: str, columns: int) -> list[str]:
    """A line of a table, whose last column is wrapped within itself."""
    head, gap, text = line.rpartition("  ")
    return hanging(head + gap, text, columns) if gap and width(head) < columns // 2 else wrap(line, columns)


def wrap(line: str, columns: int) -> list[str]:
    """`line` in rows of at most `columns` cells, between words where it can be."""
    rows: list[str] = []
    row = ""
    for word in line.split(" "):
        longer = f"{row} {word}" if row else word
        if width(longer) <= columns:
            row = longer
            continue
        if row:
            rows.append(row)
        *full, row = chop(word, columns)
        rows += full
    return [*rows, row]
