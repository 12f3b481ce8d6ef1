"""The chat-completions format: OpenAI's older one, and that of nearly every other server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rescene_cli.core.llm import Request, Stop, StreamItem, SystemPrompt, Usage
from rescene_cli.core.messages import Assistant, Image, Message, Part, Text, ToolCall, ToolResult, User
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.tools import ToolSpec
from rescene_cli.llm import failures
from rescene_cli.llm.assembly import ReplyBuilder, read_reply
from rescene_cli.llm.encoding import (
    Memo,
    MessageCache,
    arguments_text,
    data_url,
    encode,
    fit_id,
    fit_name,
)
from rescene_cli.llm.provider import Endpoint, wire_name
from rescene_cli.llm.reading import Json, count, member, members, parse, place, text
from rescene_cli.llm.transport import Transport

STOPS = {"length": Stop.LENGTH, "content_filter": Stop.REFUSED, "tool_calls": Stop.TOOLS, "function_call": Stop.TOOLS}


class ChatClient:
    """Speaks chat-completions to one endpoint."""

    def __init__(self, endpoint: Endpoint, transport: Transport) -> None:
        self._endpoint = endpoint
        self._transport = transport
        self._id_form = endpoint.quirks.call_id
        self._messages = MessageCache(self._encode_message)
        self._tools = Memo(encode_tools)
        self._system = Memo(_encode_system)

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[StreamItem]:
        """See `core.llm.LLM`."""
        outgoing = self._endpoint.post("/chat/completions", self._body(request))
        reply = ChatReply(request, outgoing.who, outgoing.secret)
        yield from read_reply(self._transport.stream(outgoing, interrupt), reply, outgoing)

    def _body(self, request: Request) -> bytes:
        quirks = self._endpoint.quirks
        settings: dict[str, Any] = {"model": wire_name(request.model, self._endpoint.name), "stream": True}
        if quirks.usage_option:
            settings["stream_options"] = {"include_usage": True}
        if request.max_output:
            settings[quirks.max_tokens] = request.max_output
        if request.effort:
            settings.update(quirks.effort(request.effort))
        if request.session and quirks.cache_key:
            settings["prompt_cache_key"] = request.session
        messages = self._messages.encoded(request.messages, request.model)
        parts = [encode(settings)[:-1], b',"messages":[', b",".join([*self._system(request.system), *messages]), b"]"]
        if request.tools:
            parts += [b',"tools":', self._tools(request.tools)]
        return b"".join((*parts, b"}"))

    def _encode_message(self, message: Message, model: str) -> bytes:
        quirks = self._endpoint.quirks
        return b",".join(encode(entry) for entry in chat_entries(message, model, self._id_form, quirks.foreign_call))


def chat_entries(
    message: Message, model: str, id_form: str, foreign_call: Mapping[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """A message as chat-completions entries, as `model` may see it.

    `foreign_call` goes onto calls that another model made, where the provider insists on a signature.
    """
    match message:
        case User(parts):
            yield {"role": "user", "content": _content(parts)}
        case Assistant():
            if message.text or message.calls:
                yield _assistant(message, model, id_form, foreign_call)
        case ToolResult():
            yield from _result(message, id_form)


def _assistant(message: Assistant, model: str, id_form: str, foreign_call: Mapping[str, Any] | None) -> dict[str, Any]:
    own = message.model == model
    entry: dict[str, Any] = {"role": "assistant", "content": message.text or None}
    extras: dict[str, Any] = {}
    if own and message.calls:
        for thinking in message.thinking:
            kept = json.loads(thinking.payload) if thinking.payload else {}
            extras.update(kept.get("calls", {}))
            entry.update({"reasoning_content": thinking.text} if "echo" in kept else kept.get("message", {}))
    if message.calls:
        entry["tool_calls"] = [
            _call(call, id_form, extras.get(call.id) or (None if own else foreign_call)) for call in message.calls
        ]
    return entry


def _call(call: ToolCall, id_form: str, extra: Mapping[str, Any] | None) -> dict[str, Any]:
    function = {"name": fit_name(call.name), "arguments": arguments_text(call)}
    entry: dict[str, Any] = {"id": fit_id(call.id, id_form), "type": "function", "function": function}
    return entry | {"extra_content": extra} if extra else entry


def _result(message: ToolResult, id_form: str) -> Iterator[dict[str, Any]]:
    """A tool result holds text only; its images follow as the user's."""
    images = tuple(part for part in message.parts if isinstance(part, Image))
    text = "".join(part.text for part in message.parts if isinstance(part, Text))
    if images and not text:
        text = "The image follows."
    yield {"role": "tool", "tool_call_id": fit_id(message.call_id, id_form), "content": text}
    if images:
        yield {"role": "user", "content": _content(images)}


def _content(parts: tuple[Part, ...]) -> str | list[dict[str, Any]]:
    if all(isinstance(part, Text) for part in parts):
        return "".join(part.text for part in parts if isinstance(part, Text))
    return [
        {"type": "text", "text": part.text}
        if isinstance(part, Text)
        else {"type": "image_url", "image_url": {"url": data_url(part)}}
        for part in parts
    ]


def tool_entries(tools: tuple[ToolSpec, ...]) -> list[dict[str, Any]]:
    """Tools as chat-completions lists them."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in tools
    ]


def encode_tools(tools: tuple[ToolSpec, ...]) -> bytes:
    """The same, encoded."""
    return encode(tool_entries(tools))


def system_entries(system: SystemPrompt) -> list[dict[str, Any]]:
    """The system prompt as one entry: its stable part first, so that a cached prefix reaches as far as it can."""
    text = "\n\n".join(part for part in (system.stable, system.volatile) if part)
    return [{"role": "system", "content": text}] if text else []


def _encode_system(system: SystemPrompt) -> list[bytes]:
    return [encode(entry) for entry in system_entries(system)]


class ChatReply:
    """A reply from chat-completions chunks."""

    def __init__(self, request: Request, who: str, secret: str = "") -> None:
        self.builder = ReplyBuilder(request.model, request.messages)
        self.ended = False
        self._who = who
        self._secret = secret
        self._echo = False
        self._details = _Details(self.builder)
        self._extras: dict[object, Any] = {}

    @property
    def whole(self) -> bool:
        """Servers leave out the reason of the end, or the end."""
        return self.ended or self.builder.stop is not None

    def take(self, data: str) -> Iterator[StreamItem]:
        """What one event brings. Raises ProviderError for one that reports an error."""
        if data.startswith("[DONE]"):
            self.ended = True
        else:
            yield from self.chunk(parse(data))

    def chunk(self, chunk: Json) -> Iterator[StreamItem]:
        """The same, of an event that was decoded by somebody else."""
        if chunk.get("error"):
            raise failures.from_event(chunk["error"], self._who, self._secret)
        if chunk.get("usage"):
            self.builder.usage = chat_usage(member(chunk, "usage"))
        for choice in members(chunk, "choices"):
            yield from self._delta(member(choice, "delta") or member(choice, "message"))
            if reason := text(choice, "finish_reason"):
                self.builder.stop = STOPS.get(reason, Stop.DONE)

    def _delta(self, delta: Json) -> Iterator[StreamItem]:
        for name in ("reasoning_content", "reasoning"):
            if thought := text(delta, name):
                # The first is wanted back with a call (DeepSeek, Kimi), the second refused (Groq).
                self._echo = self._echo or name == "reasoning_content"
                yield from self.builder.think(thought)
                break
        for detail in members(delta, "reasoning_details"):
            self._details.add(detail)
        if said := _content_text(delta) or text(delta, "refusal"):
            yield from self.builder.text(said)
        for call in members(delta, "tool_calls"):
            yield from self._call(call)

    def _call(self, delta: Json) -> Iterator[StreamItem]:
        function = member(delta, "function")
        call_id, name = text(delta, "id"), text(function, "name")
        calls = self.builder.calls
        key = calls.key_for(place(delta, "index"), call_id, name)
        yield from calls.open(key, call_id, name)
        if arguments := function.get("arguments"):
            yield from calls.add(key, arguments if isinstance(arguments, str) else json.dumps(arguments))
        if delta.get("extra_content"):
            self._extras[key] = self.builder.keep(member(delta, "extra_content"))

    def finish(self) -> Iterator[StreamItem]:
        """The end of the stream; what the provider wants back with this reply is put away with its reasoning."""
        kept: dict[str, Any] = {}
        if details := self._details.joined():
            kept["message"] = {"reasoning_details": details}
        elif self._echo:
            kept["echo"] = True
        if self._extras:
            calls = self.builder.calls.named(self.builder.sent)
            kept["calls"] = {calls[key].id: extra for key, extra in self._extras.items()}
        if kept:
            self.builder.keep_thinking(self.builder.thought(), payload=json.dumps(kept))
        yield from self.builder.finish()


class _Details:
    """Reasoning details as they are sent back: pieces of one text joined, the rest as it came."""

    _GROW = ("text", "summary")

    def __init__(self, builder: ReplyBuilder) -> None:
        self._builder = builder
        self._parts: list[dict[str, Any]] = []
        self._texts: list[dict[str, list[str]]] = []  # of each part, what its growing fields are joined from

    def add(self, detail: Json) -> None:
        """One more, or more of the last."""
        texts = {name: detail[name] for name in self._GROW if isinstance(detail.get(name), str)}
        rest = {name: value for name, value in detail.items() if name not in texts}
        last = self._parts[-1] if self._parts else None
        if last is None or any(last.get(name) != detail.get(name) for name in ("type", "index")):
            self._parts.append(last := {})
            self._texts.append({})
        for name, value in texts.items():
            self._builder.room.take(len(value))
            self._texts[-1].setdefault(name, []).append(value)
        for name, value in rest.items():
            if name not in last or (value is not None and last[name] != value):
                last[name] = self._builder.keep(value)

    def joined(self) -> list[dict[str, Any]]:
        """All of them."""
        return [
            {**part, **{name: "".join(pieces) for name, pieces in texts.items()}}
            for part, texts in zip(self._parts, self._texts, strict=True)
        ]


def chat_usage(usage: Json) -> Usage:
    """Token counts; DeepSeek names the cached ones in its own way."""
    details = member(usage, "prompt_tokens_details")
    cached = count(details, "cached_tokens") or count(usage, "prompt_cache_hit_tokens")
    written = count(details, "cache_write_tokens")
    return Usage(count(usage, "prompt_tokens"), count(usage, "completion_tokens"), cached, written)


def _content_text(delta: Json) -> str:
    """Text of a delta: a string, or the text parts of a list, which is how Mistral sends it beside reasoning."""
    if isinstance(delta.get("content"), list):
        return "".join(text(part, "text") for part in members(delta, "content") if part.get("type") == "text")
    return text(delta, "content")
