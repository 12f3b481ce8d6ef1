"""Path patterns: `*`, `?`, `[...]`, `{a,b}` and `**` over any number of directories."""

from __future__ import annotations

import re
from functools import cache


@cache
def compile_glob(pattern: str) -> re.Pattern[str]:
    """The pattern for relative paths. One without `/` fits the last part of a path, at any depth;
    one that ends in `/` fits everything in that directory."""
    pattern = pattern.removeprefix("./") + ("**" if pattern.endswith("/") else "")
    anywhere = "" if "/" in pattern else "(?:.*/)?"
    return re.compile(anywhere + _translate(pattern.lstrip("/")), re.DOTALL)


_TOKEN = r"(?P<deep>(?:^|(?<=/))\*\*/)|(?P<rest>\*\*)|(?P<set>\[[!^]?\]?[^\]]*\])|(?P<any>.)"


def _translate(pattern: str) -> str:
    parts: list[str] = []
    depth = 0
    balanced = _is_balanced(pattern)
    for token in re.finditer(_TOKEN, pattern, re.DOTALL):
        text = token[0]
        if token["deep"]:
            parts.append("(?:.*/)?")
        elif token["rest"]:
            parts.append(".*")
        elif token["set"]:
            parts.append(_set(text))
        elif balanced and (text in "{}" or (text == "," and depth)):
            depth += {"{": 1, "}": -1, ",": 0}[text]
            parts.append({"{": "(?:", "}": ")", ",": "|"}[text])
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(text) or re.escape(text))
    return "".join(parts)


def _is_balanced(pattern: str) -> bool:
    depth = 0
    for character in pattern:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def _set(text: str) -> str:
    negated = text[1] in "!^"
    inner = text[2 if negated else 1 : -1].replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]")
    return f"(?!/)[{'^' if negated else ''}{inner}]"
