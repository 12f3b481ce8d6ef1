"""Streamed Markdown cut into blocks, each complete when it is handed out and never shown a second time."""

from __future__ import annotations

from typing import NamedTuple

_LONGEST = 8_000  # characters of one block; a longer one is handed out in parts
_CODE_PART = 20  # complete lines of an open code block that are handed out together


class Block(NamedTuple):
    """A finished piece. `code` is set for a part of a fenced block: its language, with `context` lines before it."""

    text: str
    code: str | None = None
    context: str = ""
    first: bool = True  # a blank line belongs in front of it


class Blocks:
    """Takes text as it comes, gives blocks as they end; `rest` is what is not finished."""

    def __init__(self) -> None:
        self._lines: list[str] = []  # complete lines of the open block
        self._partial = ""
        self._fence = ""
        self._language = ""
        self._shown: list[str] = []  # lines of the open code block that were handed out
        self._gap = False  # a blank line that may end the block; an indented line after it goes on with it

    @property
    def rest(self) -> Block | None:
        """The unfinished end, as far as it is known."""
        if self._fence:
            code = "\n".join([*self._lines, *([self._partial] if self._partial else [])])
            return Block(code, self._language, "\n".join(self._shown), not self._shown) if code else None
        text = "\n".join([*self._lines, self._partial])
        return Block(text) if text.strip() else None

    def feed(self, text: str) -> list[Block]:
        """Add `text`; returns the blocks that it completes."""
        done: list[Block] = []
        *lines, self._partial = (self._partial + text).split("\n")
        for line in lines:
            done += self._take(line)
        if self._gap and self._partial.strip() and not self._partial.startswith(("  ", "\t")):
            done += self._close()
        if len(self._partial) > _LONGEST and not self._fence:
            done += self._close()
            cut = self._partial.rfind(" ", 0, _LONGEST) + 1 or _LONGEST
            done.append(Block(self._partial[:cut]))
            self._partial = self._partial[cut:]
        return done

    def close(self) -> list[Block]:
        """The text ended: hand out what is left."""
        partial, self._partial = self._partial, ""
        done = self._take(partial) if partial else []
        done += self._end_code() if self._fence else self._close()
        return done

    def _take(self, line: str) -> list[Block]:
        if self._fence:
            return self._take_code(line)
        marker = _fence(line)
        if marker:
            done = self._close()
            self._fence, self._language = marker, _language(line, marker)
            return done
        if not line.strip():
            self._gap = bool(self._lines)
            return []
        done = self._close() if self._gap and not line.startswith(("  ", "\t")) else []
        if self._gap:
            self._lines.append("")
            self._gap = False
        self._lines.append(line)
        if sum(map(len, self._lines[-50:])) > _LONGEST or len(self._lines) > 200:
            done += self._close()
        return done

    def _take_code(self, line: str) -> list[Block]:
        stripped = line.strip()
        if stripped.startswith(self._fence) and not stripped.strip(self._fence[0]):
            return self._end_code()
        self._lines.append(line)
        return self._code_part() if len(self._lines) >= _CODE_PART else []

    def _code_part(self) -> list[Block]:
        block = Block("\n".join(self._lines), self._language, "\n".join(self._shown), not self._shown)
        self._shown += self._lines
        self._lines = []
        return [block]

    def _end_code(self) -> list[Block]:
        done = self._code_part() if self._lines else []
        self._fence = self._language = ""
        self._shown = []
        return done

    def _close(self) -> list[Block]:
        lines, self._lines, self._gap = self._lines, [], False
        return [Block("\n".join(lines))] if lines else []


def _fence(line: str) -> str:
    """The fence that opens a code block here, or nothing. Up to three spaces may stand before it."""
    stripped = line.lstrip(" ")
    if len(line) - len(stripped) > 3:
        return ""
    for sign in "`~":
        length = len(stripped) - len(stripped.lstrip(sign))
        if length >= 3 and (sign == "~" or "`" not in stripped[length:]):
            return sign * length
    return ""


def _language(line: str, fence: str) -> str:
    words = line.strip().removeprefix(fence).split()
    return words[0].strip("{}.").lower() if words else ""
