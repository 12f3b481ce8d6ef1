"""The responses format: what OpenAI's reasoning and coding models speak."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rescene_cli.core.llm import Request, Stop, StreamItem, SystemPrompt, Usage
from rescene_cli.core.messages import Assistant, Message, Part, Text, ToolResult, User
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.tools import ToolSpec
from rescene_cli.llm import failures
from rescene_cli.llm.assembly import ReplyBuilder, read_reply
from rescene_cli.llm.encoding import Memo, MessageCache, arguments_text, data_url, encode, fit_id, fit_name
from rescene_cli.llm.provider import Endpoint, wire_name
from rescene_cli.llm.reading import Json, count, member, members, parse, place, text
from rescene_cli.llm.transport import Outgoing, Transport

_THOUGHT_DELTAS = {"response.reasoning_summary_text.delta", "response.reasoning_text.delta"}

_STOPS = {"max_output_tokens": Stop.LENGTH, "content_filter": Stop.REFUSED}


class ResponsesClient:
    """Speaks responses to one endpoint; nothing is stored there, so reasoning travels along encrypted."""

    def __init__(self, endpoint: Endpoint, transport: Transport) -> None:
        self._endpoint = endpoint
        self._transport = transport
        self._messages = MessageCache(_encode_message)
        self._tools = Memo(_encode_tools)
        self._system = Memo(_encode_system)

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[StreamItem]:
        """See `core.llm.LLM`."""
        outgoing = self._endpoint.post("/responses", self._body(request))
        yield from read_reply(self._transport.stream(outgoing, interrupt), _ResponsesReply(request, outgoing), outgoing)

    def _body(self, request: Request) -> bytes:
        settings: dict[str, Any] = {
            "model": wire_name(request.model, self._endpoint.name),
            "stream": True,
            "store": False,
            "include": ["reasoning.encrypted_content"],
        }
        if request.max_output:
            settings["max_output_tokens"] = request.max_output
        if request.effort:
            settings["reasoning"] = {"effort": request.effort.value, "summary": "auto"}
        if request.session:
            settings["prompt_cache_key"] = request.session
        items = b",".join(item for item in self._messages.encoded(request.messages, request.model) if item)
        parts = [encode(settings)[:-1], self._system(request.system), b',"input":[', items, b"]"]
        if request.tools:
            parts += [b',"tools":', self._tools(request.tools)]
        return b"".join((*parts, b"}"))


def _encode_system(system: SystemPrompt) -> bytes:
    text = "\n\n".join(part for part in (system.stable, system.volatile) if part)
    return b',"instructions":' + encode(text) if text else b""


def _encode_tools(tools: tuple[ToolSpec, ...]) -> bytes:
    return encode(
        [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
                "strict": False,
            }
            for tool in tools
        ]
    )


def _encode_message(message: Message, model: str) -> bytes:
    return b",".join(encode(item) for item in _items(message, model))


def _items(message: Message, model: str) -> Iterator[dict[str, Any]]:
    match message:
        case User(parts):
            yield {"role": "user", "content": _content(parts)}
        case Assistant():
            yield from _assistant_items(message, model)
        case ToolResult(call_id, parts):
            plain = all(isinstance(part, Text) for part in parts)
            output = "".join(part.text for part in parts if isinstance(part, Text)) if plain else _content(parts)
            yield {"type": "function_call_output", "call_id": fit_id(call_id), "output": output}


def _assistant_items(message: Assistant, model: str) -> Iterator[dict[str, Any]]:
    if message.model == model and (message.text or message.calls):  # reasoning must be followed by what it led to
        for thinking in message.thinking:
            if thinking.payload:
                yield json.loads(thinking.payload)
    if message.text:
        content = [{"type": "output_text", "text": message.text, "annotations": []}]
        yield {"type": "message", "role": "assistant", "content": content}
    for call in message.calls:
        yield {
            "type": "function_call",
            "call_id": fit_id(call.id),
            "name": fit_name(call.name),
            "arguments": arguments_text(call),
        }


def _content(parts: tuple[Part, ...]) -> list[dict[str, Any]]:
    return [
        {"type": "input_text", "text": part.text}
        if isinstance(part, Text)
        else {"type": "input_image", "image_url": data_url(part), "detail": "auto"}
        for part in parts
    ]


class _ResponsesReply:
    """A reply from responses events."""

    def __init__(self, request: Request, sent: Outgoing) -> None:
        self.builder = ReplyBuilder(request.model, request.messages)
        self.ended = self.whole = False
        self._sent = sent
        self._said: set[object] = set()  # output items whose text came in deltas

    def finish(self) -> Iterator[StreamItem]:
        """The reply."""
        return self.builder.finish()

    def take(self, data: str) -> Iterator[StreamItem]:
        """What one event brings. Raises ProviderError for one that reports an error."""
        event = parse(data)
        kind = text(event, "type")
        if kind.endswith(".delta"):
            yield from self._delta(kind, event)
        elif kind == "response.output_item.added":
            yield from self._open(event, member(event, "item"))
        elif kind == "response.output_item.done":
            yield from self._close(event, member(event, "item"))
        elif kind in {"response.completed", "response.incomplete"}:
            self._end(member(event, "response"))
        elif kind in {"response.failed", "error"} or event.get("error"):
            error = member(event, "response").get("error") or event
            raise failures.from_event(error, self._sent.who, self._sent.secret)

    def _delta(self, kind: str, event: Json) -> Iterator[StreamItem]:
        if kind in {"response.output_text.delta", "response.refusal.delta"}:
            self._said.add(place(event, "output_index"))
            yield from self.builder.text(text(event, "delta"))
        elif kind in _THOUGHT_DELTAS:
            yield from self.builder.think(text(event, "delta"))
        elif kind == "response.function_call_arguments.delta":
            yield from self.builder.calls.add(place(event, "output_index"), text(event, "delta"))

    def _open(self, event: Json, item: Json) -> Iterator[StreamItem]:
        if item.get("type") == "function_call":
            yield from self.builder.calls.open(place(event, "output_index"), text(item, "call_id"), text(item, "name"))

    def _close(self, event: Json, item: Json) -> Iterator[StreamItem]:
        """An item is whole; it says again what its deltas said."""
        where, kind = place(event, "output_index"), item.get("type")
        if kind == "function_call":
            yield from self._open(event, item)
            self.builder.calls.settle(where, text(item, "arguments"))
        elif kind == "message" and where not in self._said:
            for part in members(item, "content"):
                yield from self.builder.text(text(part, "text") or text(part, "refusal"))
        elif kind == "reasoning":
            self._keep_reasoning(item)

    def _keep_reasoning(self, item: Json) -> None:
        summary = "\n\n".join(text(part, "text") for part in members(item, "summary"))
        names = ("type", "summary", "encrypted_content")  # not the id: nothing is stored that it could name
        sealed = text(item, "encrypted_content")
        payload = json.dumps({name: item[name] for name in names if name in item}) if sealed else ""
        thought = self.builder.thought() or summary
        if thought or payload:
            self.builder.keep_thinking(thought, payload=payload)

    def _end(self, response: Json) -> None:
        self.ended = self.whole = True
        reason = text(member(response, "incomplete_details"), "reason")
        self.builder.stop = _STOPS.get(reason, Stop.DONE)
        usage = member(response, "usage")
        cached = count(member(usage, "input_tokens_details"), "cached_tokens")
        self.builder.usage = Usage(count(usage, "input_tokens"), count(usage, "output_tokens"), cached)
