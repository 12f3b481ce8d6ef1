"""Exact text: what a model may edit without a byte changing that it did not mean to change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from typing import NamedTuple

from rescene_cli.core.errors import ToolError

BOM = "\ufeff"
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


class Line(NamedTuple):
    """A line to put into a document. `ending` is `\\n`, `\\r\\n`, '' for none, or None for what the file uses there."""

    text: str
    ending: str | None = None


class Splice(NamedTuple):
    """Lines `start` up to `stop` (from 0) give way to `lines`."""

    start: int
    stop: int
    lines: tuple[Line, ...]


class Document(NamedTuple):
    """A text file: its lines with the ending each has on disk, its encoding and its byte order mark.

    `known` is false when the bytes are shown as Latin-1 because they are in no encoding we can name.
    """

    raw: tuple[str, ...]
    encoding: str = "utf-8"
    mark: bytes = b""
    known: bool = True

    @property
    def text(self) -> str:
        """What the model sees: LF, no byte order mark."""
        return "".join(self.raw).replace("\r\n", "\n")

    @property
    def view(self) -> tuple[str, ...]:
        """The lines of `text`, with LF."""
        whole = "".join(self.raw)
        return split(whole.replace("\r\n", "\n")) if "\r\n" in whole else self.raw

    @property
    def lines(self) -> list[str]:
        """The lines without their endings."""
        lines = self.text.split("\n")
        return lines if lines[-1] else lines[:-1]

    def encode(self) -> bytes:
        """The bytes of the file. Raises ToolError when its encoding can't hold a character."""
        try:
            return self.mark + "".join(self.raw).encode(self.encoding)
        except UnicodeEncodeError as error:
            wrong = error.object[error.start]
            message = (
                f"The file's encoding ({_label(self)}) can't hold {wrong!r}. Nothing was written. "
                "Use characters it can hold, or convert the file first."
            )
            raise ToolError(message) from None

    def splice(self, splices: Sequence[Splice]) -> Document:
        """The document with lines replaced; `splices` are in order and do not overlap.

        New lines take the endings of the lines they replace, or a neighbour's.
        """
        raw: list[str] = list(self.raw)
        added: list[str] = []
        for splice in reversed(splices):
            lines = self._finish(splice)
            raw[splice.start : splice.stop] = lines
            added += lines
        if not self.known:
            self._check_new(added)
        own = _ending(self.raw, len(self.raw))
        if not all(line.endswith("\n") for line in (*self.raw[-1:], *added)):  # a line without end may not be last now
            last = len(raw) - 1
            raw = [line if line.endswith("\n") or at == last else line + own for at, line in enumerate(raw)]
        return self._replace(raw=tuple(raw))

    def _finish(self, splice: Splice) -> list[str]:
        around = _ending(self.raw, splice.stop)
        own = [_own_ending(line) or around for line in self.raw[splice.start : splice.stop]]
        own += [around] * (len(splice.lines) - len(own))
        return [line.text + (own[at] if line.ending is None else line.ending) for at, line in enumerate(splice.lines)]

    def _check_new(self, added: Iterable[str]) -> None:
        """In an unknown encoding only the characters the file already has mean what they seem to mean."""
        strange = {c for line in added for c in line if c > "\x7f"} - set("".join(self.raw))
        if strange:
            message = (
                f"The file is in an unknown encoding (bytes shown as Latin-1), so {min(strange)!r} can't be written "
                "exactly. Nothing was written. Use ASCII, or convert the file first."
            )
            raise ToolError(message)


def decode(data: bytes, name: str) -> Document:
    """The bytes of file `name` as a document. Raises ToolError for what is no text."""
    mark, encoding = next(((m, e) for m, e in _MARKS if data.startswith(m)), (b"", "utf-8"))
    known = True
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        if encoding != "utf-8":
            message = f"{name} has a {encoding} byte order mark but is not valid {encoding}; it can't be read as text."
            raise ToolError(message) from None
        mark, encoding = b"", "latin-1"
        text = data.decode("latin-1")
        # 0x80 to 0x9f are no characters of Latin-1: whatever this is, it is something else.
        known = not any("\x80" <= c <= "\x9f" for c in set(text))
    if "\0" in text:
        message = f"{name} is a binary file ({len(data):,} bytes); it can't be read or edited as text."
        raise ToolError(message)
    return Document(split(text), encoding, mark, known)


def new_document(text: str) -> Document:
    """A new file with exactly this text, in UTF-8."""
    return Document(split(text))


def split(text: str) -> tuple[str, ...]:
    """Lines with their endings; only LF and CRLF end a line."""
    return tuple(StringIO(text, newline="\n"))


def label(document: Document) -> str:
    """How the file differs from plain UTF-8 with LF, for a person or a model; '' where it does not."""
    crlf = sum(line.endswith("\r\n") for line in document.raw)
    notes = []
    if document.encoding != "utf-8" or document.mark:
        notes.append(_label(document))
    if crlf:
        notes.append("CRLF" if crlf >= sum(line.endswith("\n") for line in document.raw) else "mixed line endings")
    return ", ".join(notes)


def _label(document: Document) -> str:
    if document.encoding == "latin-1":
        return "Latin-1" if document.known else "unknown encoding, shown as Latin-1"
    return {"utf-8": "UTF-8 with BOM" if document.mark else "UTF-8"}.get(document.encoding, "UTF-16")


def _own_ending(line: str) -> str:
    if line.endswith("\r\n"):
        return "\r\n"
    return "\n" if line.endswith("\n") else ""


def _ending(raw: tuple[str, ...], position: int) -> str:
    """The ending used next to `position`: that of the line before it, else of the first line after it."""
    around = (*reversed(raw[max(0, position - 2) : position]), *raw[position : position + 1])
    return next((own for line in around if (own := _own_ending(line))), "\n")
