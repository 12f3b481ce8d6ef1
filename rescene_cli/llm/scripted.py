"""A model that plays a file: for tests, demos and recordings of how a run should go."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rescene_cli.core.errors import ConfigError, ProviderError, ProviderFault
from rescene_cli.core.json_text import loads
from rescene_cli.core.llm import Request, StreamItem, Usage
from rescene_cli.core.messages import Assistant, Message, plain_text
from rescene_cli.core.runtime import Interrupt
from rescene_cli.llm.assembly import ReplyBuilder

_FIELDS = {"text", "thinking", "calls", "usage", "expect", "delay", "error", "chunk", "retry_after"}
_FORMAT = "docs/reference/models.md describes the file."


class ScriptedModel:
    """Plays a JSONL file, one reply a line (`docs/reference/models.md`).

    Raises ConfigError for a file that can't be read or has a line that is no reply.
    """

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._replies = _read(path)
        self._next = 0

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[StreamItem]:
        """See `core.llm.LLM`."""
        interrupt.check()
        if self._next == len(self._replies):
            raise self._wrong(f"has no reply left after {self._next}")
        line, reply = self._replies[self._next]
        self._next += 1
        self._expect(line, reply, request.messages)
        if reply.get("delay"):
            interrupt.wait(float(reply["delay"]))
        if reply.get("error"):
            fault = ProviderFault(reply["error"])
            message = f"{self._name} line {line} plays the error {fault.value}."
            raise ProviderError(message, fault=fault, retry_after=reply.get("retry_after"))
        yield from _play(reply, request, interrupt)

    def _expect(self, line: int, reply: Mapping[str, Any], messages: Sequence[Message]) -> None:
        wanted = reply.get("expect", ())
        sent = _latest(messages)
        for text in [wanted] if isinstance(wanted, str) else wanted:
            if text not in sent:
                raise self._wrong(f"line {line} expects {text!r} in what was sent last, which ends {sent[-300:]!r}")

    def _wrong(self, what: str) -> ProviderError:
        return ProviderError(f"The script {self._name} {what}.", _FORMAT, fault=ProviderFault.BAD_REQUEST)


def _play(reply: Mapping[str, Any], request: Request, interrupt: Interrupt) -> Iterator[StreamItem]:
    builder = ReplyBuilder(request.model, request.messages)
    size = int(reply.get("chunk") or 0)
    for piece in _cut(reply.get("thinking") or "", size):
        interrupt.check()
        yield from builder.think(piece)
    for piece in _cut(reply.get("text") or "", size):
        interrupt.check()
        yield from builder.text(piece)
    for place, call in enumerate(reply.get("calls") or ()):
        arguments = call["raw_args"] if "raw_args" in call else json.dumps(call.get("args") or {})
        yield from builder.calls.open(place, call.get("id") or "", call["name"])
        for piece in _cut(arguments, size):
            interrupt.check()
            yield from builder.calls.add(place, piece)
    builder.usage = Usage(**(reply.get("usage") or {}))
    yield from builder.finish()


def _cut(text: str, size: int) -> Iterator[str]:
    for start in range(0, len(text), size or max(1, len(text))):
        yield text[start : start + size] if size else text


def _latest(messages: Sequence[Message]) -> str:
    """The text of everything after the last reply."""
    texts: list[str] = []
    for message in reversed(messages):
        if isinstance(message, Assistant):
            break
        texts.append(plain_text(message.parts))
    return "\n".join(reversed(texts))


def _read(path: Path) -> list[tuple[int, dict[str, Any]]]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise ConfigError(f"The script {path} can't be read: {reason}.", "Give --model scripted:FILE.") from error
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    return [(number, _reply(path.name, number, line)) for number, line in numbered]


def _reply(name: str, number: int, line: str) -> dict[str, Any]:
    try:
        value = loads(line)
    except ValueError as error:
        raise ConfigError(f"Line {number} of the script {name} is no JSON: {error}.", _FORMAT) from error
    problem = _problem(value)
    if problem:
        raise ConfigError(f"Line {number} of the script {name} {problem}.", _FORMAT)
    return value  # type: ignore[no-any-return]  # checked just above


def _problem(value: Any) -> str:
    if not isinstance(value, dict):
        return "is no object"
    if unknown := set(value) - _FIELDS:
        return f"has unknown fields: {', '.join(sorted(unknown))}"
    if value.get("error") and value["error"] not in set(ProviderFault):
        return f"names no known fault: {value['error']}"
    if set(value.get("usage") or ()) - set(Usage.__slots__):
        return "counts in usage something other than input, output, cached, cache_written"
    if any(not isinstance(call, dict) or "name" not in call for call in value.get("calls") or ()):
        return "has a call without a name"
    return ""
