"""The rules of a `.gitignore`, as git reads them; a line that git takes for no pattern is none here either."""

from __future__ import annotations

import os
from typing import NamedTuple

from rescene_cli.workspace.automaton import ANY, DIRECTORIES, SEGMENT, Automaton, Step, literal
from rescene_cli.workspace.globs import read_set

MOST_BYTES = 1 << 17  # of a file of rules that are read; the lines behind are left out
_LONGEST = 4096  # bytes of a line, as a path can have


class Rules:
    """The rules of one file, for paths relative to its directory."""

    def __init__(self, data: bytes) -> None:
        lines = data[: data.rfind(b"\n") + 1] if len(data) >= MOST_BYTES else data
        text = lines.removeprefix(b"\xef\xbb\xbf").decode("latin-1")  # git compares bytes
        rules = [rule for line in text.split("\n") if len(line) <= _LONGEST and (rule := _rule(line))]
        self._ignores = [rule.ignores for rule in rules]
        self._automaton = Automaton([rule.steps for rule in rules])

    def verdict(self, path: str) -> bool | None:
        """Whether `path` is ignored, None where no rule speaks of it. A directory ends in `/`."""
        last = self._automaton.last(os.fsencode(path).decode("latin-1"))
        return None if last < 0 else self._ignores[last]


class _Rule(NamedTuple):
    steps: list[Step]
    ignores: bool


def _rule(line: str) -> _Rule | None:
    """The rule of a line; None for a comment, an empty line, and what fits nothing."""
    line = _without_blanks(line.removesuffix("\r"))
    if line.startswith("#"):
        return None
    pattern = line.removeprefix("!")
    ignores = pattern == line
    only_directories = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    anywhere = "/" not in pattern
    steps = _steps(pattern.removeprefix("/"))
    if not steps:
        return None
    ending = [literal("/")] if only_directories else [Step(skips=2), literal("/")]
    return _Rule([*(DIRECTORIES if anywhere else ()), *steps, *ending], ignores)


def _without_blanks(line: str) -> str:
    """The line without the blanks at its end, but for one behind a backslash."""
    short = line.rstrip(" ")
    backslashes = len(short) - len(short.rstrip("\\"))
    return short + line[len(short) : len(short) + 1] if backslashes % 2 else short


def _steps(pattern: str) -> list[Step]:
    """The steps of a pattern; none for one that fits nothing: a set that does not end, a backslash at the end."""
    steps: list[Step] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "*":
            more, at = _stars(pattern, at)
            steps += more
        elif character == "[":
            found = read_set(pattern, at)
            if found is None:
                return []
            steps.append(Step(found[0]))
            at = found[1]
        else:
            at += character == "\\"
            if at == len(pattern):
                return []
            steps.append(Step(SEGMENT) if character == "?" else literal(pattern[at]))
            at += 1
    return steps


def _stars(pattern: str, at: int) -> tuple[list[Step], int]:
    """What stars at `at` stand for, and where the pattern goes on."""
    end = len(pattern) - len(pattern[at:].lstrip("*"))
    first = not set("*?[\\") & set(pattern[:at])  # git compares what is before by itself: the pattern begins here
    alone = end - at > 1 and (first or pattern[at - 1] == "/")
    if alone and pattern.startswith("/", end):
        return [*DIRECTORIES], end + 1
    if alone and end == len(pattern):
        return [*([Step(ANY)] if pattern[at - 1 : at] in {"", "/"} else []), Step(ANY, repeats=True)], end
    return [Step(SEGMENT, repeats=True)], end
