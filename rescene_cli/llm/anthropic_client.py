"""Anthropic's messages format: cache breakpoints, signed thinking, tool results grouped into user messages."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rescene_cli.core.llm import Effort, Request, Stop, StreamItem, SystemPrompt, Usage
from rescene_cli.core.messages import Assistant, Message, Part, Text, ToolResult, User
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.tools import ToolSpec
from rescene_cli.llm import failures
from rescene_cli.llm.assembly import ReplyBuilder, read_reply
from rescene_cli.llm.catalog import Catalog
from rescene_cli.llm.encoding import Memo, MessageCache, arguments_object, encode, fit_id, fit_name
from rescene_cli.llm.provider import Endpoint, wire_name
from rescene_cli.llm.reading import Json, count, member, parse, place, text
from rescene_cli.llm.transport import Outgoing, Transport

_BUDGETS = {Effort.LOW: 4_000, Effort.MEDIUM: 12_000, Effort.HIGH: 32_000}  # thinking tokens, for models before 4.6
_MAX_TOKENS = 32_000  # asked for where the request names none; less where the catalog says the model has less
_BREAKPOINT = b',"cache_control":{"type":"ephemeral"}}'
_STOPS = {
    "tool_use": Stop.TOOLS,
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "refusal": Stop.REFUSED,
}
# Models that take a thinking budget and know nothing of adaptive thinking.
_BUDGETED = r"claude-3|claude-(opus|sonnet)-4(-[0-5])?(-\d{8}|@|$)|claude-haiku-4"

_OPEN = {role: b']},{"role":"%s","content":[' % role.encode() for role in ("user", "assistant")}
Entry = tuple[str, bytes]  # role, encoded content blocks with commas between


class AnthropicClient:
    """Speaks messages to one endpoint."""

    def __init__(self, endpoint: Endpoint, transport: Transport, catalog: Catalog) -> None:
        self._endpoint = endpoint
        self._transport = transport
        self._catalog = catalog
        self._messages = MessageCache(_encode_message)
        self._tools = Memo(_encode_tools)
        self._system = Memo(_encode_system)

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[StreamItem]:
        """See `core.llm.LLM`."""
        headers = {"anthropic-version": "2023-06-01"}
        if self._endpoint.key:
            headers["x-api-key"] = self._endpoint.key
        outgoing = self._endpoint.post("/v1/messages", self._body(request), headers)
        yield from read_reply(self._transport.stream(outgoing, interrupt), _MessagesReply(request, outgoing), outgoing)

    def _body(self, request: Request) -> bytes:
        info = self._catalog.info(request.model)
        settings: dict[str, Any] = {"model": wire_name(request.model, self._endpoint.name), "stream": True}
        settings["max_tokens"] = request.max_output or min(_MAX_TOKENS, info.max_output or _MAX_TOKENS)
        if request.effort and info.reasoning is not False:
            settings.update(_thinking(request, request.effort, settings["max_tokens"]))
        entries = self._messages.encoded(request.messages, request.model)
        parts = [encode(settings)[:-1]]
        if request.tools:
            parts += [b',"tools":', self._tools(request.tools)]
        parts += [self._system(request.system), b',"messages":[', _grouped(entries), b"]}"]
        return b"".join(parts)


def _thinking(request: Request, effort: Effort, max_tokens: int) -> dict[str, Any]:
    """Settings for an effort: newer models choose how much to think, older ones get a budget."""
    if re.search(_BUDGETED, request.model) is None:
        return {"thinking": {"type": "adaptive"}, "output_config": {"effort": effort.value}}
    if not _may_begin(request.messages, request.model):
        return {}
    budget = min(_BUDGETS[effort], max_tokens // 2)  # thinking and reply share max_tokens; 1,024 is the least allowed
    return {"thinking": {"type": "enabled", "budget_tokens": budget}} if budget >= 1024 else {}


def _may_begin(messages: Sequence[Message], model: str) -> bool:
    """Whether thinking with a budget may be on: not while the calls of a reply that has none are answered.

    After a switch in mid-turn that is so, and the provider would refuse the request.
    """
    for message in reversed(messages):
        if isinstance(message, User):
            return True
        if isinstance(message, Assistant):
            return message.model == model and any(item.signature or item.payload for item in message.thinking)
    return True


def _encode_system(system: SystemPrompt) -> bytes:
    """The stable part ends at a breakpoint; the volatile one follows it."""
    blocks = [encode({"type": "text", "text": text}) for text in (system.stable, system.volatile) if text]
    if system.stable:
        blocks[0] = _marked(blocks[0])
    return b',"system":[' + b",".join(blocks) + b"]" if blocks else b""


def _encode_tools(tools: tuple[ToolSpec, ...]) -> bytes:
    blocks = [
        encode({"name": tool.name, "description": tool.description, "input_schema": tool.parameters}) for tool in tools
    ]
    blocks[-1] = _marked(blocks[-1])
    return b"[" + b",".join(blocks) + b"]"


def _marked(block: bytes) -> bytes:
    return block[:-1] + _BREAKPOINT


def _grouped(entries: Sequence[Entry]) -> bytes:
    """Messages with roles taking turns; the last two of the user end at a breakpoint.

    The last marks what the next request reads from the cache, the one before it what this request reads.
    """
    parts: list[bytes] = []
    ends: list[int] = []  # where in `parts` each message of the user ends
    last = ""
    for role, blocks in entries:
        if not blocks:
            continue
        parts += (b"," if role == last else _OPEN[role], blocks)
        if role == "user":
            if role == last:
                ends.pop()
            ends.append(len(parts) - 1)
        last = role
    for end in ends[-2:]:
        parts[end] = _marked(parts[end])
    return b"".join(parts).removeprefix(b"]},") + b"]}" if parts else b""


def _encode_message(message: Message, model: str) -> Entry:
    match message:
        case User(parts):
            return "user", _joined(_content(parts) or [{"type": "text", "text": "(empty)"}])
        case Assistant():
            return "assistant", _joined(_assistant_blocks(message, model))
        case ToolResult(call_id, parts, ok):
            block: dict[str, Any] = {"type": "tool_result", "tool_use_id": fit_id(call_id), "content": _content(parts)}
            return "user", _joined([block if ok else block | {"is_error": True}])


def _joined(blocks: Iterable[Mapping[str, Any]]) -> bytes:
    return b",".join(encode(block) for block in blocks)


def _assistant_blocks(message: Assistant, model: str) -> Iterator[dict[str, Any]]:
    if message.model == model and (message.text.strip() or message.calls):
        for thinking in message.thinking:
            if thinking.payload:
                yield {"type": "redacted_thinking", "data": thinking.payload}
            elif thinking.signature:
                yield {"type": "thinking", "thinking": thinking.text, "signature": thinking.signature}
    if message.text.strip():  # the provider refuses text that is only blank
        yield {"type": "text", "text": message.text}
    for call in message.calls:
        yield {
            "type": "tool_use",
            "id": fit_id(call.id),
            "name": fit_name(call.name),
            "input": arguments_object(call),
        }


def _content(parts: tuple[Part, ...]) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for part in parts:
        if not isinstance(part, Text):
            data = base64.b64encode(part.data).decode()
            source = {"type": "base64", "media_type": part.media_type, "data": data}
            blocks.append({"type": "image", "source": source})
        elif part.text.strip():
            blocks.append({"type": "text", "text": part.text})
    return blocks


_COUNTS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")


class _MessagesReply:
    """A reply from messages events."""

    def __init__(self, request: Request, sent: Outgoing) -> None:
        self.builder = ReplyBuilder(request.model, request.messages)
        self.ended = self.whole = False
        self._sent = sent
        self._counts = dict.fromkeys(_COUNTS, 0)
        self._signature: list[str] = []

    def finish(self) -> Iterator[StreamItem]:
        """The reply."""
        return self.builder.finish()

    def take(self, data: str) -> Iterator[StreamItem]:
        """What one event brings. Raises ProviderError for one that reports an error."""
        event = parse(data)
        match event.get("type"):
            case "content_block_delta":
                yield from self._delta(place(event, "index"), member(event, "delta"))
            case "content_block_start":
                yield from self._open(place(event, "index"), member(event, "content_block"))
            case "content_block_stop":
                self._close()
            case "message_start":
                self._count(member(member(event, "message"), "usage"))
            case "message_delta":
                self._count(member(event, "usage"))
                self.builder.stop = _STOPS.get(text(member(event, "delta"), "stop_reason"), Stop.DONE)
            case "message_stop":
                self.ended = self.whole = True
            case "error":
                raise failures.from_event(event, self._sent.who, self._sent.secret)

    def _open(self, where: object, block: Json) -> Iterator[StreamItem]:
        match block.get("type"):
            case "tool_use":
                yield from self.builder.calls.open(where, text(block, "id"), text(block, "name"))
                if block.get("input"):  # a gateway that sends the arguments whole
                    yield from self.builder.calls.add(where, encode(block["input"]).decode())
            case "redacted_thinking":
                self.builder.keep_thinking("", payload=text(block, "data"))
            case "thinking":
                self._sign(text(block, "signature"))
                yield from self.builder.think(text(block, "thinking"))
            case "text":
                yield from self.builder.text(text(block, "text"))

    def _delta(self, where: object, delta: Json) -> Iterator[StreamItem]:
        match delta.get("type"):
            case "text_delta":
                yield from self.builder.text(text(delta, "text"))
            case "input_json_delta":
                yield from self.builder.calls.add(where, text(delta, "partial_json"))
            case "thinking_delta":
                yield from self.builder.think(text(delta, "thinking"))
            case "signature_delta":
                self._sign(text(delta, "signature"))

    def _sign(self, piece: str) -> None:
        self.builder.room.take(len(piece))
        self._signature.append(piece)

    def _close(self) -> None:
        """A block is whole. Thinking whose text is withheld still has a signature to send back."""
        thought, signature = self.builder.thought(), "".join(self._signature)
        if thought or signature:
            self.builder.keep_thinking(thought, signature)
        self._signature.clear()

    def _count(self, usage: Json) -> None:
        """Counts come in two events; the later one repeats, or adds, what it knows."""
        for name in _COUNTS:
            self._counts[name] = max(count(usage, name), self._counts[name])
        fresh, read, written, output = (self._counts[name] for name in _COUNTS)
        self.builder.usage = Usage(fresh + read + written, output, read, written)
