"""The responses format: what OpenAI's reasoning and coding models speak."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from rescene_cli.core.llm import Request, Stop, StreamItem, SystemPrompt, Usage
from rescene_cli.core.messages import Assistant, Message, Part, Text, Thinking, ToolResult, User
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.tools import ToolSpec
from rescene_cli.llm import failures
from rescene_cli.llm.assembly import ReplyBuilder, parse, whole
from rescene_cli.llm.encoding import Memo, MessageCache, arguments_text, data_url, encode, fit_id, fit_name
from rescene_cli.llm.provider import Endpoint, wire_name
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
        reply = _ResponsesReply(request, outgoing)
        with closing(self._transport.stream(outgoing, interrupt)) as events:
            for data in events:
                yield from reply.take(data)
                if reply.builder.stop is not None:
                    break
        if reply.builder.stop is None:
            raise failures.dropped(outgoing.who)
        yield from reply.builder.finish()

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
        self._sent = sent
        self._said: set[object] = set()  # output items whose text came in deltas

    def take(self, data: str) -> Iterator[StreamItem]:
        """What one event brings. Raises ProviderError for one that reports an error."""
        event = parse(data, self._sent.who)
        kind = str(event.get("type", ""))
        if kind.endswith(".delta"):
            yield from self._delta(kind, event)
        elif kind == "response.output_item.added":
            yield from self._open(event, event.get("item") or {})
        elif kind == "response.output_item.done":
            yield from self._close(event, event.get("item") or {})
        elif kind in {"response.completed", "response.incomplete"}:
            self._end(event.get("response") or {})
        elif kind in {"response.failed", "error"} or event.get("error"):
            raise failures.from_event(
                (event.get("response") or {}).get("error") or event, self._sent.who, self._sent.secret
            )

    def _delta(self, kind: str, event: Mapping[str, Any]) -> Iterator[StreamItem]:
        text = event.get("delta") or ""
        if kind in {"response.output_text.delta", "response.refusal.delta"}:
            self._said.add(event.get("output_index"))
            yield from self.builder.text(text)
        elif kind in _THOUGHT_DELTAS:
            yield from self.builder.think(text)
        elif kind == "response.function_call_arguments.delta":
            yield from self.builder.calls.add(event.get("output_index"), text)

    def _open(self, event: Mapping[str, Any], item: Mapping[str, Any]) -> Iterator[StreamItem]:
        if item.get("type") == "function_call":
            place = event.get("output_index")
            yield from self.builder.calls.open(place, item.get("call_id") or "", item.get("name") or "")

    def _close(self, event: Mapping[str, Any], item: Mapping[str, Any]) -> Iterator[StreamItem]:
        """An item is whole; it says again what its deltas said."""
        place, kind = event.get("output_index"), item.get("type")
        if kind == "function_call":
            yield from self._open(event, item)
            self.builder.calls.settle(place, item.get("arguments") or "")
        elif kind == "message" and place not in self._said:
            for part in item.get("content") or ():
                yield from self.builder.text(part.get("text") or part.get("refusal") or "")
        elif kind == "reasoning":
            self._keep_reasoning(item)

    def _keep_reasoning(self, item: Mapping[str, Any]) -> None:
        text = self.builder.thought()
        if not text:
            text = "\n\n".join(part.get("text") or "" for part in item.get("summary") or ())
        sealed = item.get("encrypted_content")
        names = ("type", "summary", "encrypted_content")  # not the id: nothing is stored that it could name
        payload = json.dumps({name: item[name] for name in names if name in item}) if sealed else ""
        if text or payload:
            self.builder.thinking.append(Thinking(text, payload=payload))

    def _end(self, response: Mapping[str, Any]) -> None:
        reason = (response.get("incomplete_details") or {}).get("reason")
        self.builder.stop = _STOPS.get(str(reason), Stop.DONE)
        if usage := response.get("usage"):
            cached = whole((usage.get("input_tokens_details") or {}).get("cached_tokens"))
            self.builder.usage = Usage(whole(usage.get("input_tokens")), whole(usage.get("output_tokens")), cached)
