"""The one interface between the agent and any model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from rescene_cli.core.messages import Assistant, Message
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.tools import ToolSpec


class Effort(StrEnum):
    """How hard a reasoning model should think."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Stop(StrEnum):
    """Why a reply ended."""

    DONE = "done"
    TOOLS = "tools"
    LENGTH = "length"
    REFUSED = "refused"


class SystemPrompt(NamedTuple):
    """`stable` is the same for every request of a session, so that provider caches hit; `volatile` follows it."""

    stable: str
    volatile: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or many requests. `input` counts every prompt token, cached ones included."""

    input: int = 0
    output: int = 0
    cached: int = 0
    cache_written: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Tokens of both."""
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            self.cache_written + other.cache_written,
        )


class Request(NamedTuple):
    """Everything a client needs for one reply.

    `messages` grows at its end within a session (a later word of the user's may replace the last one) and its
    items are immutable, so clients may cache the encoding of each by identity. `session` is a random id that
    providers may use to route caches.
    """

    model: str
    system: SystemPrompt
    messages: Sequence[Message]
    tools: tuple[ToolSpec, ...] = ()
    effort: Effort | None = None
    max_output: int | None = None
    session: str = ""


class TextPiece(NamedTuple):
    """More text of the reply."""

    text: str


class ThinkingPiece(NamedTuple):
    """More reasoning text."""

    text: str


class CallPiece(NamedTuple):
    """A tool call is being written; `size` counts the characters of its arguments so far."""

    name: str
    size: int


class RetryScheduled(NamedTuple):
    """The request failed and goes out again in `wait` seconds; what was streamed of it is void."""

    reason: str
    wait: float
    attempt: int
    attempts: int


class FailedOver(NamedTuple):
    """The request goes to another model of the fallback list; what was streamed of it is void."""

    source: str
    target: str
    reason: str


class Reply(NamedTuple):
    """The whole reply; always the last item of a stream."""

    message: Assistant
    usage: Usage
    stop: Stop = Stop.DONE


StreamItem = TextPiece | ThinkingPiece | CallPiece | RetryScheduled | FailedOver | Reply


class LLM(Protocol):
    """A source of replies."""

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[StreamItem]:
        """Yield pieces as they arrive and end with a `Reply`.

        Raises `ProviderError`, or `Interrupted` as soon as `interrupt` is set, whatever it waits for.
        """
        ...
