"""Unified diffs for people: three lines of context, fast on large files with small changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rescene_cli.core.changes import Change, Kind, PathState
from rescene_cli.core.errors import ToolError
from rescene_cli.workspace.text import decode

_CONTEXT = 3
_COMPARED = 4000  # changed lines that are compared with each other; more become one block


class Diff(NamedTuple):
    """The text of a unified diff and how many lines it adds and removes."""

    text: str
    added: int
    removed: int


def diff(changes: Sequence[Change]) -> Diff:
    """What `changes` do to the text of files; directories are left out, binary files are only named."""
    pieces: list[str] = []
    added = removed = 0
    for change in changes:
        head = [f"--- {_name('a/', change, change.before)}\n", f"+++ {_name('b/', change, change.after)}\n"]
        before, after = _lines(change.before, change.path), _lines(change.after, change.path)
        if before is None or after is None:
            pieces.append(f"Binary file {change.path} {'added' if change.before is None else 'changed'}\n")
            continue
        body = list(_body(before, after))
        added += sum(line.startswith("+") for line in body)
        removed += sum(line.startswith("-") for line in body)
        pieces += [*head, *body] if body else []
    return Diff("".join(pieces), added, removed)


def _name(prefix: str, change: Change, state: PathState | None) -> str:
    return "/dev/null" if state is None else prefix + change.path


def _lines(state: PathState | None, path: str) -> tuple[str, ...] | None:
    """The lines as a model sees them; None for what is no text."""
    if state is None or state.kind is not Kind.FILE or state.content is None:
        return ()
    try:
        return decode(state.content, path).view
    except ToolError:
        return None


def _body(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[str]:
    """The hunks. What is equal at both ends is cut off first, so that only the changed middle is compared."""
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    tail = next((at for at in range(shorter - head) if old[-1 - at] != new[-1 - at]), shorter - head)
    skip, keep = max(0, head - _CONTEXT), max(0, tail - _CONTEXT)
    before, after = old[skip : len(old) - keep], new[skip : len(new) - keep]
    if head == len(old) == len(new):
        return
    for group in _groups(before, after, head - skip, tail - keep):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1] + skip, last[2] + skip)} +{_range(first[3] + skip, last[4] + skip)} @@\n"
        for tag, a, b, c, d in group:
            if tag == "equal":
                yield from (_shown(" ", line) for line in before[a:b])
                continue
            yield from (_shown("-", line) for line in before[a:b])
            yield from (_shown("+", line) for line in after[c:d])


_Opcode = tuple[str, int, int, int, int]


def _groups(before: Sequence[str], after: Sequence[str], head: int, tail: int) -> list[list[_Opcode]]:
    old, new = len(before) - tail, len(after) - tail
    if max(old, new) > _COMPARED or set(before[head:old]).isdisjoint(after[head:new]):
        codes = [
            ("equal", 0, head, 0, head),
            ("replace", head, old, head, new),
            ("equal", old, len(before), new, len(after)),
        ]
        return [[code for code in codes if code[0] != "equal" or code[2] > code[1]]]
    from difflib import SequenceMatcher

    return list(SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(_CONTEXT))


def _shown(mark: str, line: str) -> str:
    return mark + line if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"


def _range(start: int, stop: int) -> str:
    """As `diff -u` counts: from 1, and the line before where the range is empty."""
    length = stop - start
    return f"{start + 1 if length else start},{length}"
