"""What a model is sent and what it answers, independent of any wire format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType

CallId = NewType("CallId", str)


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """An image, as the bytes of its file."""

    media_type: str
    data: bytes


Part = Text | Image


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning of a model.

    `signature` is opaque and belongs to `Assistant.model`: providers verify it, so it is sent back to
    that model only. `payload` holds reasoning the provider keeps encrypted.
    """

    text: str
    signature: str = ""
    payload: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the model wrote it; `arguments` is its JSON text, not yet checked."""

    id: CallId
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class User:
    """Something said to the model by a person, or by the harness in a person's place."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Assistant:
    """One reply. `model` is `provider/name`; signed thinking is valid for it alone."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    thinking: tuple[Thinking, ...] = ()
    model: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer to one call."""

    call_id: CallId
    parts: tuple[Part, ...]
    ok: bool = True


Message = User | Assistant | ToolResult


def plain_text(parts: tuple[Part, ...]) -> str:
    """The text of `parts`; an image is named by its type and size."""
    return "".join(
        part.text if isinstance(part, Text) else f"[{part.media_type}, {len(part.data):,} bytes]" for part in parts
    )
