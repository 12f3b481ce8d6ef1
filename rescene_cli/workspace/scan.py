"""Our own search of lines, run as a process: `python -m rescene_cli.workspace.scan TARGET GLOB FLAGS CONTEXT PATTERN`.

Prints what `rg --null --line-number` prints. Exit code 2 for a pattern that is no regular expression.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from rescene_cli.core.text import shorten
from rescene_cli.store.regular import read_regular
from rescene_cli.workspace.globs import compile_glob
from rescene_cli.workspace.listing import files

COLUMNS = 500  # characters of a line that are shown
PER_FILE = 1000  # matching lines of one file that are looked at
_SNIFFED = 8192  # bytes at the start of a file that tell text from binary
REFUSED = 2  # exit code for a pattern that is no regular expression
_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": " \\t", "cntrl": r"\x00-\x1f\x7f", "digit": "0-9",
    "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~", "space": r"\s", "upper": "A-Z",
    "word": r"\w", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_LARGEST = 20_000_000  # bytes; larger files are left out, as they are no source text


def main(arguments: list[str]) -> int:
    """Search and print."""
    target, glob, flags, context, pattern = arguments
    try:
        regex = _compiled(pattern, ignore_case="i" in flags)
    except ValueError as error:
        sys.stderr.write(str(error))
        return REFUSED
    for path in _paths(target, glob):
        lines = list(_matches(Path(path), regex, int(context)))
        name = path.encode("utf-8", "surrogateescape")
        sys.stdout.buffer.writelines(b"--\n" if line is None else b"%s\0%s\n" % (name, line) for line in lines)
    return 0


def _compiled(pattern: str, *, ignore_case: bool) -> re.Pattern[str]:
    """Raises ValueError with what is wrong."""
    warnings.simplefilter("ignore")  # `[[` will mean something else one day: what is printed is read as lines
    shown = repr(shorten(pattern))
    try:
        return re.compile(with_classes(pattern), re.MULTILINE | (re.IGNORECASE if ignore_case else 0))
    except re.error as error:
        where = f" at character {error.pos + 1}" if error.pos is not None else ""
        message = f"The pattern {shown} is no valid regular expression: {error.msg}{where}. "
        raise ValueError(message + "Put a backslash before characters that are meant literally.") from None
    except (RecursionError, OverflowError, MemoryError):
        message = f"The pattern {shown} is nested too deep, or repeats too often. Use a simpler one."
        raise ValueError(message) from None


def with_classes(pattern: str) -> str:
    """`[[:alpha:]]` as ripgrep and grep read it; Python's patterns have no names for classes.

    Raises ValueError for a name that none has.
    """
    if "[:" not in pattern:
        return pattern
    return re.sub(r"\\.|\[\^?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]", _named, pattern, flags=re.DOTALL)


def _named(found: re.Match[str]) -> str:
    return re.sub(r"\[:(\w+):\]", _letters, found[0])


def _letters(found: re.Match[str]) -> str:
    if found[1] not in _CLASSES:
        message = f"There is no class {found[0]}. Use one of: {', '.join(_CLASSES)}."
        raise ValueError(message)
    return _CLASSES[found[1]]


def _paths(target: str, glob: str) -> Iterator[str]:
    place = Path(target)
    if not place.is_dir():
        yield target
        return
    wanted = compile_glob(glob) if glob else None
    yield from (path for path in files(place.resolve()) if wanted is None or wanted.fits(path))


def _matches(path: Path, regex: re.Pattern[str], context: int) -> Iterator[bytes | None]:
    """`number : text` for each line that matches, `number - text` around it, None between groups."""
    text = _read(path)
    if text is None or not regex.search(text):
        return
    lines = text.removesuffix("\n").split("\n")
    numbers = [at for at, line in enumerate(lines) if regex.search(line)][:PER_FILE]
    matching, last = set(numbers), -1
    for number in numbers:
        begin = max(last + 1, number - context)
        if context and -1 < last < begin - 1:
            yield None
        for at in range(begin, min(len(lines), number + context + 1)):
            mark = ":" if at in matching else "-"
            yield f"{at + 1}{mark}{lines[at][:COLUMNS]}".encode("utf-8", "replace")
            last = at


def _read(path: Path) -> str | None:
    """The text of a file; None for what is no readable text. A link is not followed."""
    try:
        data = read_regular(path, _LARGEST, follow=False)
    except OSError:
        return None
    return None if b"\0" in data[:_SNIFFED] else data.decode("utf-8", "replace").replace("\r\n", "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
