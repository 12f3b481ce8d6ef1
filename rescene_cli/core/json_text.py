"""JSON from outside: what a model or a provider wrote, read within bounds, so that no code behind it meets a surprise.

A value that passed is finite, shallow and small enough to be walked by recursion, encoded again, or shown.
"""

from __future__ import annotations

import json
from typing import Any

DEEPEST = 64  # levels; deeper ones break recursive code, and no format and no tool needs ten
MOST_VALUES = 1_000_000  # in one text; a value costs up to 130 bytes of memory, and all are made in one step
_EXACT = 2**53  # integers below it are the same in every language (RFC 7493)
_DIGITS = 16  # of a text that may be such an integer


def loads(text: str, most: int = MOST_VALUES) -> Any:
    """The value. Raises ValueError for what is no JSON, not finite, deeper than DEEPEST, or more than `most` values.

    `3.0` is the integer 3, since some languages write every number so; an integer too large to be exact is a float.
    """
    roomy = len(text) <= most or _commas(text) < most
    if not roomy and _commas(text) >= MOST_VALUES:
        message = f"it holds more than {MOST_VALUES:,} values"
        raise ValueError(message)
    text = text.strip(_BLANK)
    try:
        value, end = _decode(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if end != len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    if not roomy or text.count("[") + text.count("{") > DEEPEST:
        bounded(value, most)
    return value


_TOO_DEEP = f"it is nested more than {DEEPEST} levels deep"


def _commas(text: str) -> int:
    """At least the number of values, for the text of a string may hold commas and brackets too."""
    return text.count(",") + text.count("[") + text.count("{")


def bounded(value: Any, most: int = MOST_VALUES) -> Any:
    """`value`, which was decoded elsewhere. Raises ValueError as `loads` does for what is too deep or too much."""
    level, values = [value] if isinstance(value, dict | list) else [], 0
    for _ in range(DEEPEST + 1):
        inner = [item for each in level for item in (each.values() if isinstance(each, dict) else each)]
        values += len(inner)
        level = [item for item in inner if isinstance(item, dict | list)]
        if not level:
            break
    else:
        raise ValueError(_TOO_DEEP)
    if values > most:
        message = f"it holds more than {most:,} values"
        raise ValueError(message)
    return value


def _whole(text: str) -> int | float:
    return int(text) if len(text) <= _DIGITS else _number(text)


def _number(text: str) -> int | float:
    value = float(text)
    if abs(value) < _EXACT:
        return int(value) if value.is_integer() else value
    if value - value != 0:
        return _refused(text)
    return value


def _refused(text: str) -> float:
    message = f"{text[:20]} is no number that JSON knows, or too large"
    raise ValueError(message)


_BLANK = " \t\n\r"
# `decode` itself looks for blanks with two patterns, a third of the cost of a small event.
_decode = json.JSONDecoder(parse_float=_number, parse_int=_whole, parse_constant=_refused).raw_decode
