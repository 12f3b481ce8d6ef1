"""Text from models, tools and file names, made safe: no control sequence of theirs reaches the terminal."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_TAB = "    "


@cache
def _sequences() -> re.Pattern[str]:
    """Escape sequences as ECMA-48 writes them: strings (OSC, DCS, PM, APC, SOS), CSI, and the two-byte ones."""
    return re.compile(
        r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
        r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
        r"|\x1b[ -/]*[0-Z\\^-~]?"
    )


@cache
def _leftovers() -> dict[int, str | None]:
    """Controls that are left show as nothing; so do signs that reorder a line (bidirectional overrides)."""
    table: dict[int, str | None] = dict.fromkeys(range(0x20))
    table |= dict.fromkeys(range(0x7F, 0xA0))
    table |= dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C, 0xFEFF])
    table[ord("\n")] = "\n"
    table[ord("\t")] = _TAB
    return table | dict.fromkeys([0x2028, 0x2029], "\n")


def visible(text: str) -> str:
    """`text` with newlines kept, tabs as spaces, and everything else that could steer a terminal taken out."""
    if text.isascii() and text.isprintable():
        return text
    if "\x1b" in text or not text.isascii():
        text = _sequences().sub("", text)
    text = text.replace("\r\n", "\n")
    if "\r" in text:
        text = "\n".join(_overwritten(line) for line in text.split("\n"))
    return text.translate(_leftovers()).encode("utf-8", "replace").decode("utf-8")


def _overwritten(line: str) -> str:
    """What a person sees of a line that goes back to its start, as progress bars do."""
    return line.rstrip("\r").rpartition("\r")[2]


def exact(text: str) -> str:
    """`text` with every sign spelled out that steers a terminal, is not seen, or reorders others.

    For what a person agrees to: `visible` takes such signs out, and a command could hide behind that.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_spelled(sign) for sign in text.replace("\r\n", "\n"))


def _spelled(sign: str) -> str:
    if sign == "\n" or sign.isprintable() or unicodedata.category(sign) == "Zs":
        return sign
    if sign == "\t":
        return _TAB
    number = ord(sign)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def exact_line(text: str) -> str:
    """`exact`, on a single line."""
    return " ".join(exact(text).split())


def one_line(text: str) -> str:
    """`text` on a single line."""
    return " ".join(visible(text).split())
