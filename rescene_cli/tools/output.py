"""What the model sees of output: text as it would stand on a screen, and of long output both ends."""

from __future__ import annotations

from functools import cache
from re import Pattern
from typing import NamedTuple

from rescene_cli.session.archive import OutputArchive

LIMIT = 30_000  # characters of one output in the context (peers cut at 16,000 to 50,000)
HEAD = 12_000  # of them from its start; errors stand at the end
LINE = 2_000  # a longer line is folded, so that every part of it can be read by line number
_SAMPLE = 8_192  # bytes from each end that are looked at to tell text from binary

_NAMED = {0x08, 0x09, 0x0A, 0x0D, 0x1B}  # backspace, tab, newline, return, escape: text, on a terminal
_CONTROLS = bytes(code for code in (*range(0x20), 0x7F) if code not in _NAMED)


class Page(NamedTuple):
    """Some lines of a text; `first` counts from 1, `total` are the lines of the whole text."""

    text: str
    first: int
    last: int
    total: int


def is_binary(raw: bytes) -> bool:
    """Whether so many bytes are no text of any kind that showing it helps nobody.

    A few NULs are fine: `find -print0` and `git status -z` separate names by them.
    """
    sample = raw if len(raw) <= 2 * _SAMPLE else raw[:_SAMPLE] + raw[-_SAMPLE:]
    nuls = sample.count(b"\0")
    controls = len(sample) - len(sample.translate(None, _CONTROLS)) - nuls
    if nuls * 4 > len(sample) or controls * 20 > len(sample):
        return True
    strange = nuls + controls
    return strange * 50 > len(sample) and "\ufffd" in sample.decode("utf-8", "replace")


def readable(raw: bytes) -> str:
    """`raw` as text without control sequences.

    Of a line that was written over, as progress bars are, the last state stays. Bytes that are not UTF-8
    become U+FFFD, NUL becomes `\\0`. Takes linear time in whatever a program may print.
    """
    if b"\x1b" in raw or b"\xc2\x9b" in raw:
        raw = _sequences().sub(b"", _to_first_column().sub(b"\r", raw))
    if b"\r" in raw:
        raw = _last_states(raw.replace(b"\r\n", b"\n"))
    if b"\b" in raw:
        raw = _without_overstrike(raw)
    if b"\0" in raw:
        raw = raw.replace(b"\0", b"\\0")
    return raw.translate(None, _CONTROLS + b"\x1b").decode("utf-8", "replace")


def for_model(raw: bytes, archive: OutputArchive) -> str:
    """`raw` as the model gets it: whole, or both ends with a line between that says how to read the rest."""
    if is_binary(raw):
        return f"[binary output, {len(raw):,} bytes, not shown: write it to a file to look into it]"
    text = readable(raw)
    if len(text) <= LIMIT:
        return text
    text = folded(text)
    head, tail = text.rfind("\n", 0, HEAD) + 1, text.find("\n", len(text) - (LIMIT - HEAD)) + 1
    first = text.count("\n", 0, head) + 1
    last = first + text.count("\n", head, tail) - 1
    more = f'read_output(id="{archive.keep(raw)}", offset={first}, limit=400)'
    left_out = f"[lines {first} to {last} of {_line_count(text)} left out, {tail - head:,} characters: {more}]"
    return f"{text[:head]}{left_out}\n{text[tail:]}"


def page(raw: bytes, offset: int, limit: int) -> Page:
    """Lines of an archived output, numbered as in `for_model`; fewer than `limit` where they get too long."""
    text = folded(readable(raw))
    start = _line_start(text, 0, offset - 1)
    end = _line_start(text, start, limit)
    if end - start > LIMIT:
        end = text.rfind("\n", start, start + LIMIT) + 1
    chosen = text[start:end]
    return Page(chosen, offset, offset + _line_count(chosen) - 1, _line_count(text))


def folded(text: str) -> str:
    """`text` with a line break after each `LINE` characters of a longer line."""
    pieces, start, position = [], 0, 0
    while position + LINE < len(text):
        newline = text.rfind("\n", position, position + LINE + 1)
        if newline >= 0:
            position = newline + 1
            continue
        position += LINE
        pieces.append(text[start:position])
        start = position
    return "\n".join([*pieces, text[start:]]) if pieces else text


def _line_count(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and bool(text))


def _line_start(text: str, position: int, lines: int) -> int:
    """Where the line `lines` after the one at `position` begins; the end of the text where it has no more."""
    for _ in range(lines):
        newline = text.find("\n", position)
        if newline < 0:
            return len(text)
        position = newline + 1
    return position


def _last_states(raw: bytes) -> bytes:
    """Of each line that holds carriage returns what stands behind the last one; other lines are not looked at."""
    pieces, start = [], 0
    while (hit := raw.find(b"\r", start)) >= 0:
        begin = max(start, raw.rfind(b"\n", start, hit) + 1)
        end = raw.find(b"\n", hit)
        end = len(raw) if end < 0 else end
        pieces += [raw[start:begin], raw[begin:end].rstrip(b"\r").rpartition(b"\r")[2]]
        start = end
    return b"".join([*pieces, raw[start:]])


def _without_overstrike(raw: bytes) -> bytes:
    """Each backspace takes the character before it away; bold and underlined text is printed that way."""
    kept, start = bytearray(), 0
    while (hit := raw.find(b"\b", start)) >= 0:
        kept += raw[start:hit]
        while kept and 0x80 <= kept[-1] < 0xC0:  # the later bytes of one UTF-8 character
            kept.pop()
        if kept and kept[-1] != 0x0A:
            kept.pop()
        start = hit + 1
    return bytes(kept + raw[start:])


@cache
def _sequences() -> Pattern[bytes]:
    import re

    return re.compile(
        rb"(?:\x1b\[|\xc2\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, erasing
        rb"|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # OSC: titles, links, the clipboard
        rb"|\x1b[PX^_][^\x1b\n]*(?:\x1b\\)?"  # DCS, SOS, PM, APC: strings to the terminal
        rb"|\x1b[ -/]*[0-~]"  # the short ones
    )


@cache
def _to_first_column() -> Pattern[bytes]:
    import re

    return re.compile(rb"\x1b\[[01]?G")  # what some progress bars use in place of a carriage return
