"""What a provider sent, read with its types checked: the one way from the wire into a reply.

Everything that can't be read, wherever it is found, is an `Unreadable`; `told` makes of it the error a person meets.
A value that is missing, null or empty reads as empty, whatever its type: servers differ in how they leave things out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rescene_cli.core.json_text import loads
from rescene_cli.llm import failures

Json = Mapping[str, Any]
_NOTHING: Json = {}
_MOST_TOKENS = 2**53
MOST_VALUES = 100_000  # in one event; between two of them an interrupt is seen


class Unreadable(Exception):  # noqa: N818 - a finding; what is raised to callers of this package is a ProviderError
    """What a provider sent is not what its format says, or more than a reply may be. The text says which."""


@contextmanager
def told(who: str, secret: str = "") -> Iterator[None]:
    """What is unreadable in the block is a fault of `who`; `secret` is kept out of the message."""
    try:
        yield
    except Unreadable as error:
        raise failures.malformed(who, str(error), secret) from error


def parse(data: str) -> Json:
    """The object in an event's data."""
    try:
        value = loads(data, MOST_VALUES)
    except ValueError as error:
        reason = str(error) if str(error).startswith("it ") else "it is no JSON"
        message = f"an event begins {data[:80]!r}, but {reason}"
        raise Unreadable(message) from None
    if type(value) is dict:
        return value
    return _checked(value, dict, "an event", "an object") if value else _NOTHING


def member(holder: Json, name: str) -> Json:
    """An object."""
    value = holder.get(name)
    if type(value) is dict:  # first what nearly always holds: these readers are most of what an event costs
        return value
    return _checked(value, dict, name, "an object") if value else _NOTHING


def members(holder: Json, name: str) -> Sequence[Json]:
    """A list of objects."""
    value = holder.get(name)
    if not value:
        return ()
    for item in _checked(value, list, name, "a list"):
        if type(item) is not dict:
            _checked(item, dict, name, "a list of objects")
    return value  # type: ignore[no-any-return]  # checked just above


def text(holder: Json, name: str) -> str:
    """A string."""
    value = holder.get(name)
    if type(value) is str:
        return value
    return _checked(value, str, name, "a text") if value else ""


def count(holder: Json, name: str) -> int:
    """A number of tokens, at least 0."""
    value = holder.get(name)
    if not value:
        return 0
    if not isinstance(value, int | float) or not abs(value) < _MOST_TOKENS:  # which NaN is not either
        message = f"{name} is no number of tokens"
        raise Unreadable(message)
    return max(0, int(value))


def place(holder: Json, name: str) -> int | str | None:
    """What tells the parts of a reply apart."""
    value = holder.get(name)
    if type(value) is int or value is None or isinstance(value, str):
        return value
    message = f"{name} is neither a number nor a text"
    raise Unreadable(message)


def _checked(value: Any, kind: type, name: str, kind_name: str) -> Any:
    if isinstance(value, kind):
        return value
    message = f"{name} is not {kind_name}"
    raise Unreadable(message)
