"""A reply as it comes: what of it is shown, and what is made right before anything of it runs."""

from __future__ import annotations

import secrets
from typing import assert_never

from rescene_cli.core.events import CallProgress, Event, ProviderFailover, ProviderRetry, TextDelta, ThinkingDelta
from rescene_cli.core.llm import CallPiece, FailedOver, RetryScheduled, TextPiece, ThinkingPiece
from rescene_cli.core.messages import Assistant, CallId, ToolCall

Piece = TextPiece | ThinkingPiece | CallPiece | RetryScheduled | FailedOver


def event_of(item: Piece) -> Event:
    """What happened, as everybody sees it."""
    match item:
        case TextPiece(text):
            return TextDelta(text)
        case ThinkingPiece(text):
            return ThinkingDelta(text)
        case CallPiece(name, size):
            return CallProgress(name, size)
        case RetryScheduled(reason, wait, attempt, attempts):
            return ProviderRetry(reason, wait, attempt, attempts)
        case FailedOver(source, target, reason):
            return ProviderFailover(source, target, reason)
        case _:
            assert_never(item)


def distinct_calls(message: Assistant) -> Assistant:
    """Every call with an id of its own.

    Models repeat ids. The same call under the same id is one call; another call under a used id, or one
    without an id, gets a new id, since a result can only be matched by it.
    """
    kept: dict[CallId, ToolCall] = {}
    for call in message.calls:
        first = kept.get(call.id)
        if first == call:
            continue
        if first is not None or not call.id:
            call = call._replace(id=CallId(f"call_{secrets.token_hex(8)}"))
        kept[call.id] = call
    calls = tuple(kept.values())
    return message if calls == message.calls else message._replace(calls=calls)
