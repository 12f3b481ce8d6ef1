"""Path patterns: `*`, `?`, `[...]`, `{a,b}` and `**` over any number of directories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from rescene_cli.core.errors import ToolError
from rescene_cli.workspace.automaton import ANY, DIRECTORIES, SEGMENT, Automaton, Letters, Step, literal

_MOST_PATTERNS = 1000  # that one pattern with braces may stand for
_LONGEST = 1000  # characters of a pattern

_CLASSES = {  # as git has them
    "alnum": "09AZaz", "alpha": "AZaz", "blank": "  \t\t", "cntrl": "\0\x1f\x7f\x7f", "digit": "09", "graph": "!~",
    "lower": "az", "print": " ~", "punct": "!/:@[`{~", "space": "\t\r  ", "upper": "AZ", "xdigit": "09AFaf",
}  # fmt: skip


class PathPattern:
    """A pattern for relative paths."""

    def __init__(self, alternatives: Sequence[Sequence[str]]) -> None:
        self._automaton = Automaton([list(_steps(tokens)) for tokens in alternatives])

    def fits(self, path: str) -> bool:
        """Whether it fits the whole of `path`."""
        return self._automaton.last(path) >= 0


@cache
def compile_glob(pattern: str) -> PathPattern:
    """The pattern for relative paths. One without `/` fits the last part of a path, at any depth;
    one that ends in `/` fits everything in that directory. Raises ToolError for one that is too long.
    """
    if len(pattern) > _LONGEST:
        message = f"The pattern has {len(pattern):,} characters; {_LONGEST:,} are allowed. Use a shorter one."
        raise ToolError(message)
    pattern = pattern.removeprefix("./") + ("**" if pattern.endswith("/") else "")
    anywhere = [] if "/" in pattern else ["**", "/"]
    return PathPattern([[*anywhere, *tokens] for tokens in _expanded(_tokens(pattern.lstrip("/")))])


def read_set(pattern: str, at: int) -> tuple[Letters, int] | None:
    """The `[...]` that begins at `at`, and where the pattern goes on; None where nothing closes it.

    One with a class that there is not, such as `[:foo:]`, takes no letter.
    """
    negated = pattern[at + 1 : at + 2] in {"!", "^"}
    begin = at = at + 1 + negated
    ranges: list[tuple[str, str]] = []
    unknown = False
    while at < len(pattern) and (pattern[at] != "]" or at == begin):
        name = _class_name(pattern, at)
        if name is None:
            first, at = _letter(pattern, at)
            last = first
            if pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in {"", "]"}:
                last, at = _letter(pattern, at + 1)
            ranges.append((first, last) if first <= last else (first, first))  # as git: `[z-a]` takes z
        else:
            ends = _CLASSES.get(name, "")
            unknown = unknown or not ends
            ranges += zip(ends[::2], ends[1::2], strict=True)
            at += len(name) + len("[::]")
    letters = Letters() if unknown else Letters(tuple(ranges), negated)
    return (letters, at + 1) if at < len(pattern) else None


def _class_name(pattern: str, at: int) -> str | None:
    """`alpha` where `[:alpha:]` stands."""
    end = pattern.find("]", at + 2) if pattern.startswith("[:", at) else -1
    return pattern[at + 2 : end - 1] if end > at + 2 and pattern[end - 1] == ":" else None


def _letter(pattern: str, at: int) -> tuple[str, int]:
    at += pattern[at] == "\\" and at + 1 < len(pattern)
    return pattern[at], at + 1


def _tokens(pattern: str) -> list[str]:
    """The pattern in pieces: each set and each run of stars as one, else single characters."""
    tokens: list[str] = []
    at = 0
    closed = True  # where one set is not closed, those behind it are not either
    while at < len(pattern):
        found = read_set(pattern, at) if pattern[at] == "[" and closed else None
        closed = closed and (pattern[at] != "[" or found is not None)
        end = found[1] if found else at + max(1, _stars(pattern, at))
        tokens.append(pattern[at:end])
        at = end
    return tokens


def _stars(pattern: str, at: int) -> int:
    return len(pattern) - at - len(pattern[at:].lstrip("*"))


def _steps(tokens: Sequence[str]) -> Iterator[Step]:
    before = "/"
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token.startswith("**") and before == "/" and tokens[at : at + 1] == ["/"]:
            yield from DIRECTORIES
            at += 1
            continue
        before = token
        if token.startswith("*"):
            yield Step(ANY if len(token) > 1 else SEGMENT, repeats=True)
        elif token == "?":
            yield Step(SEGMENT)
        else:
            found = read_set(token, 0) if len(token) > 1 else None
            yield Step(found[0]) if found else literal(token)


def _expanded(tokens: list[str]) -> list[list[str]]:
    """The patterns without braces that a pattern stands for; braces that don't pair stand for themselves."""
    done: list[list[str]] = []
    pending = [tokens] if _is_balanced(tokens) else []
    while pending:
        one = pending.pop()
        group = _first_group(one)
        if group:
            begin, end = group[0], group[-1]
            inner = (one[a + 1 : b] for a, b in pairwise(group))
            pending += [one[:begin] + alternative + one[end + 1 :] for alternative in inner]
        else:
            done.append(one)
        if len(done) + len(pending) > _MOST_PATTERNS:
            message = f"The braces stand for more than {_MOST_PATTERNS:,} patterns. Use fewer, or a star."
            raise ToolError(message)
    return done or [tokens]


def _first_group(tokens: Sequence[str]) -> list[int]:
    """Where the first `{`, its commas and its `}` stand; nothing where there is none."""
    places: list[int] = []
    depth = 0
    for at, token in enumerate(tokens):
        depth += token == "{"
        if depth == 1 and token in {"{", ",", "}"}:
            places.append(at)
        if token == "}":
            depth -= 1
            if not depth:
                return places
    return []


def _is_balanced(tokens: Sequence[str]) -> bool:
    depth = 0
    for token in tokens:
        depth += {"{": 1, "}": -1}.get(token, 0)
        if depth < 0:
            return False
    return depth == 0
