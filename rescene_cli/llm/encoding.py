"""JSON for the wire, encoded once: a session's messages never change, so neither does their encoding."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Generic, TypeVar

from rescene_cli.core.json_text import loads
from rescene_cli.core.messages import Image, Message, ToolCall

T = TypeVar("T")
_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def encode(value: Any) -> bytes:
    """Compact JSON in UTF-8; a lone surrogate, which no UTF-8 can hold, becomes U+FFFD."""
    text = _dumps(value)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return mended(text).encode()


def mended(text: str) -> str:
    """`text` with surrogate pairs joined and lone surrogates replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class SurrogateJoiner:
    """Joins characters that a provider split over two pieces as escaped surrogate halves."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """`text` as far as its characters are whole."""
        if not self._held and text.isascii():
            return text
        text = self._held + text
        self._held = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
        whole = text[: len(text) - len(self._held)]
        try:
            whole.encode()
        except UnicodeEncodeError:
            return mended(whole)
        return whole

    def close(self) -> str:
        """What the end leaves of a half character."""
        held, self._held = self._held, ""
        return "\ufffd" if held else ""


class Memo(Generic[T]):
    """The encoding of the last value seen, by identity."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._last: tuple[Any, T] | None = None

    def __call__(self, value: Any) -> T:
        """The encoding of `value`."""
        if self._last is None or self._last[0] is not value:
            self._last = (value, self._make(value))
        return self._last[1]


class MessageCache(Generic[T]):
    """Encodings of a growing list of messages for one model.

    Message i is encoded again only when another object stands at i, as after a compaction.
    """

    def __init__(self, make: Callable[[Message, str], T]) -> None:
        self._make = make
        self._model = ""
        self._kept: list[tuple[Message, T]] = []

    def encoded(self, messages: Sequence[Message], model: str) -> list[T]:
        """One encoding for each message, as `model` is to see it."""
        if model != self._model:
            self._model, self._kept = model, []
        kept = self._kept
        del kept[len(messages) :]
        for index, message in enumerate(messages):
            if index == len(kept):
                kept.append((message, self._make(message, model)))
            elif kept[index][0] is not message:
                kept[index] = (message, self._make(message, model))
        return [item for _, item in kept]


def data_url(image: Image) -> str:
    """The image as a `data:` URL."""
    return f"data:{image.media_type};base64,{base64.b64encode(image.data).decode()}"


def arguments_object(call: ToolCall) -> dict[str, Any]:
    """A call's arguments as an object, whatever the model wrote.

    Servers parse the history they are sent, so text that is no JSON object goes back inside one.
    """
    try:
        value = loads(call.arguments)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"malformed_arguments": call.arguments}


def arguments_text(call: ToolCall) -> str:
    """A call's arguments as JSON text of an object; the model's own text where it is that."""
    value = arguments_object(call)
    return call.arguments if "malformed_arguments" not in value else _dumps(value)


@cache
def _unfit(kind: str) -> re.Pattern[str]:
    return re.compile(kind)


def fit_name(name: str) -> str:
    """A tool name that every provider accepts, also for a call of a tool that never was."""
    return _unfit(r"[^A-Za-z0-9_-]").sub("_", name)[:64] or "unnamed"


def fit_id(call_id: str, form: str = r"[A-Za-z0-9_-]{1,64}") -> str:
    """`call_id` where it has the form a provider asks for, else a stable one made from it."""
    if _unfit(form).fullmatch(call_id):
        return call_id
    return hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[:9]
