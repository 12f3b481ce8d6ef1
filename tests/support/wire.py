"""Replies as the three wire formats stream them, built from one description (`model_server.py` says which)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def pieces(turn: dict[str, Any], key: str = "text") -> list[str]:
    """The text of a turn, cut as it asks."""
    if key == "text" and "repeat" in turn:
        text, count = turn["repeat"]
        return [text] * count
    text = "x" * turn["size"] if key == "text" and "size" in turn else turn.get(key) or ""
    size = turn.get("chunk") or max(1, len(text))
    return [text[start : start + size] for start in range(0, len(text), size)]


def arguments(call: dict[str, Any]) -> list[str]:
    """A call's argument text in three pieces."""
    text = call["raw_args"] if "raw_args" in call else json.dumps(call.get("args", {}))
    step = max(1, (len(text) + 2) // 3)
    return [text[start : start + step] for start in range(0, len(text), step)]


def data(value: Any) -> str:
    return f"data: {json.dumps(value)}\n\n"


def named(kind: str, **fields: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"


def chat(turn: dict[str, Any], number: int) -> Iterator[str]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return data({"id": f"c{number}", "object": "chat.completion.chunk", "model": "m", "choices": [choice]})

    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(turn, "thinking"):
        yield chunk({"reasoning_content": piece})
    for piece in pieces(turn):
        yield chunk({"content": piece})
    for place, call in enumerate(turn.get("calls", ())):
        call_id = call.get("id", f"call_{number}_{place}")
        head = {"index": place, "id": call_id, "type": "function", "function": {"name": call["name"], "arguments": ""}}
        yield chunk({"tool_calls": [head]})
        for piece in arguments(call):
            yield chunk({"tool_calls": [{"index": place, "function": {"arguments": piece}}]})
    yield chunk({}, "tool_calls" if turn.get("calls") else turn.get("finish", "stop"))
    usage = turn.get("usage", {})
    counts = {"prompt_tokens": usage.get("input", 10), "completion_tokens": usage.get("output", 5)}
    counts["prompt_tokens_details"] = {"cached_tokens": usage.get("cached", 0)}
    yield data({"id": f"c{number}", "object": "chat.completion.chunk", "choices": [], "usage": counts})
    yield "data: [DONE]\n\n"


def responses(turn: dict[str, Any], number: int) -> Iterator[str]:
    items: list[dict[str, Any]] = []
    yield named("response.created", response={"id": f"r{number}", "status": "in_progress", "output": []})
    if turn.get("thinking"):
        place = len(items)
        item = {
            "type": "reasoning",
            "id": f"rs_{number}",
            "encrypted_content": turn.get("signature", f"sealed{number}"),
        }
        item["summary"] = [{"type": "summary_text", "text": turn["thinking"]}]
        yield named("response.output_item.added", output_index=place, item={**item, "summary": []})
        for piece in pieces(turn, "thinking"):
            yield named("response.reasoning_summary_text.delta", output_index=place, summary_index=0, delta=piece)
        yield named("response.output_item.done", output_index=place, item=item)
        items.append(item)
    if turn.get("text") or "repeat" in turn or "size" in turn:
        place, text = len(items), "".join(pieces(turn))
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant"}
        yield named("response.output_item.added", output_index=place, item={**item, "content": []})
        for piece in pieces(turn):
            yield named("response.output_text.delta", output_index=place, content_index=0, delta=piece)
        item["content"] = [{"type": "output_text", "text": text, "annotations": []}]
        yield named("response.output_item.done", output_index=place, item=item)
        items.append(item)
    for index, call in enumerate(turn.get("calls", ())):
        place = len(items)
        item = {"type": "function_call", "id": f"fc_{number}_{index}", "name": call["name"]}
        item["call_id"] = call.get("id", f"call_{number}_{index}")
        yield named("response.output_item.added", output_index=place, item={**item, "arguments": ""})
        for piece in arguments(call):
            yield named("response.function_call_arguments.delta", output_index=place, delta=piece)
        item["arguments"] = "".join(arguments(call))
        yield named("response.output_item.done", output_index=place, item=item)
        items.append(item)
    usage = turn.get("usage", {})
    counts = {"input_tokens": usage.get("input", 10), "output_tokens": usage.get("output", 5)}
    counts["input_tokens_details"] = {"cached_tokens": usage.get("cached", 0)}
    short = turn.get("finish") == "length"
    done = {"id": f"r{number}", "status": "incomplete" if short else "completed", "output": items, "usage": counts}
    done["incomplete_details"] = {"reason": "max_output_tokens"} if short else None
    yield named("response.incomplete" if short else "response.completed", response=done)


def anthropic(turn: dict[str, Any], number: int) -> Iterator[str]:
    usage = turn.get("usage", {})
    cached, written = usage.get("cached", 0), usage.get("cache_written", 0)
    counts = {"input_tokens": usage.get("input", 10) - cached - written, "output_tokens": 1}
    counts |= {"cache_read_input_tokens": cached, "cache_creation_input_tokens": written}
    yield named("message_start", message={"id": f"m{number}", "role": "assistant", "content": [], "usage": counts})
    yield 'event: ping\ndata: {"type": "ping"}\n\n'
    place = 0
    if turn.get("redacted"):
        block = {"type": "redacted_thinking", "data": turn["redacted"]}
        yield named("content_block_start", index=place, content_block=block)
        yield named("content_block_stop", index=place)
        place += 1
    if turn.get("thinking"):
        block = {"type": "thinking", "thinking": "", "signature": ""}
        yield named("content_block_start", index=place, content_block=block)
        for piece in pieces(turn, "thinking"):
            yield named("content_block_delta", index=place, delta={"type": "thinking_delta", "thinking": piece})
        signature = turn.get("signature", f"signed{number}")
        yield named("content_block_delta", index=place, delta={"type": "signature_delta", "signature": signature})
        yield named("content_block_stop", index=place)
        place += 1
    if pieces(turn):
        yield named("content_block_start", index=place, content_block={"type": "text", "text": ""})
        for piece in pieces(turn):
            yield named("content_block_delta", index=place, delta={"type": "text_delta", "text": piece})
        yield named("content_block_stop", index=place)
        place += 1
    for index, call in enumerate(turn.get("calls", ())):
        block = {"type": "tool_use", "id": call.get("id", f"toolu_{number}_{index}"), "name": call["name"], "input": {}}
        yield named("content_block_start", index=place, content_block=block)
        for piece in arguments(call):
            yield named("content_block_delta", index=place, delta={"type": "input_json_delta", "partial_json": piece})
        yield named("content_block_stop", index=place)
        place += 1
    stop = "tool_use" if turn.get("calls") else {"length": "max_tokens"}.get(turn.get("finish", ""), "end_turn")
    output = {"output_tokens": usage.get("output", 5)}
    yield named("message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage=output)
    yield named("message_stop")


BY_PATH = {"/chat/completions": chat, "/responses": responses, "/messages": anthropic}


def error_event(path: str, error: dict[str, Any]) -> str:
    """An error in the middle of a stream, as each format reports it."""
    if path.endswith("/responses"):
        return named("response.failed", response={"status": "failed", "error": error})
    if path.endswith("/messages"):
        return named("error", error=error)
    return data({"error": error})
