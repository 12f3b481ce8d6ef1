"""What a model is sent and what it answers, independent of any wire format."""

from __future__ import annotations

from typing import NamedTuple, NewType

CallId = NewType("CallId", str)


class Text(NamedTuple):
    """A piece of text."""

    text: str


class Image(NamedTuple):
    """An image, as the bytes of its file."""

    media_type: str
    data: bytes


Part = Text | Image

_MAGIC = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))


def image_type(data: bytes) -> str:
    """The media type of an image that models take, by its first bytes; '' for anything else."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((media_type for magic, media_type in _MAGIC if data.startswith(magic)), "")


class Thinking(NamedTuple):
    """Reasoning of a model.

    `signature` is opaque and belongs to `Assistant.model`: providers verify it, so it is sent back to
    that model only. `payload` holds reasoning the provider keeps encrypted.
    """

    text: str
    signature: str = ""
    payload: str = ""


class ToolCall(NamedTuple):
    """A call as the model wrote it; `arguments` is its JSON text, not yet checked."""

    id: CallId
    name: str
    arguments: str


class User(NamedTuple):
    """Something said to the model by a person, or by the harness in a person's place."""

    parts: tuple[Part, ...]


class Assistant(NamedTuple):
    """One reply. `model` is `provider/name`; signed thinking is valid for it alone."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    thinking: tuple[Thinking, ...] = ()
    model: str = ""


class ToolResult(NamedTuple):
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
