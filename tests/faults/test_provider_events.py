"""Events that are JSON but not what their format says end as a malformed reply in every format, never as a bug."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rescene_cli.core.errors import ProviderError, ProviderFault
from rescene_cli.core.events import AssistantMessage
from rescene_cli.core.llm import Reply, Request, StreamItem
from rescene_cli.core.messages import Message
from rescene_cli.llm.anthropic_client import _encode_message as to_anthropic
from rescene_cli.llm.anthropic_client import _MessagesReply
from rescene_cli.llm.assembly import MOST_CALLS, MOST_TEXT, Reading, read_reply
from rescene_cli.llm.encoding import encode
from rescene_cli.llm.openai_chat import ChatReply, chat_entries
from rescene_cli.llm.openai_responses import _encode_message as to_responses
from rescene_cli.llm.openai_responses import _ResponsesReply
from rescene_cli.llm.provider import Quirks
from rescene_cli.llm.transport import Outgoing
from rescene_cli.session.codec import event_line
from tests.support import wire
from tests.support.models import FORMATS, request

SENT = Outgoing("http://127.0.0.1/", {}, b"", "acme", "hunter2-key")
READERS: dict[str, Callable[[Request], Reading]] = {
    "chat": lambda asked: ChatReply(asked, "acme"),
    "responses": lambda asked: _ResponsesReply(asked, SENT),
    "anthropic": lambda asked: _MessagesReply(asked, SENT),
}
SENDERS: dict[str, Callable[[Message, str], object]] = {
    "chat": lambda message, model: [encode(entry) for entry in chat_entries(message, model, Quirks().call_id)],
    "responses": to_responses,
    "anthropic": to_anthropic,
}
PATHS = {"chat": "/chat/completions", "responses": "/responses", "anthropic": "/messages"}
TURN = {
    "text": "a b",
    "thinking": "hm",
    "redacted": "r",
    "calls": [{"name": "read_file", "args": {"path": "a"}}, {"name": "list", "args": {"x": 1}}],
    "usage": {"input": 9, "cached": 4, "output": 7},
}
EXTRA = [
    {"choices": [{"delta": {"reasoning_details": [{"type": "t", "index": 0, "text": "x", "signature": "s"}]}}]},
    {"choices": [{"delta": {"refusal": "no", "content": [{"type": "text", "text": "x"}]}}]},
    {"choices": [{"delta": {"tool_calls": [{"index": 0, "extra_content": {"google": {"thought_signature": "s"}}}]}}]},
]


def datas(form: str) -> list[str]:
    """The data of each event of a turn that has everything."""
    lines = "".join(wire.BY_PATH[PATHS[form]](TURN, 1)).splitlines()
    found = [line[6:] for line in lines if line.startswith("data: ")]
    return [*(json.dumps(extra) for extra in EXTRA), *found] if form == "chat" else found


def read(form: str, events: list[str]) -> list[StreamItem]:
    def stream() -> Iterator[str]:
        yield from events

    return list(read_reply(stream(), READERS[form](request()), SENT))  # type: ignore[arg-type]  # a generator it is


def malformed(form: str, events: list[str]) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        read(form, events)
    assert caught.value.fault is ProviderFault.MALFORMED
    return caught.value


@pytest.mark.parametrize("form", FORMATS)
def test_the_turn_itself_is_read(form: str) -> None:
    reply = read(form, datas(form))[-1]
    assert isinstance(reply, Reply)
    assert [call.name for call in reply.message.calls] == ["read_file", "list"]
    assert (reply.usage.input, reply.usage.cached, reply.usage.output) == (9, 4, 7)


@pytest.mark.parametrize("data", ["5", "[5]", '"x"', "{oops", '{"a": NaN}', '{"a":' * 50_000, "[" * 50_000])
@pytest.mark.parametrize("form", FORMATS)
def test_an_event_that_is_no_object(form: str, data: str) -> None:
    malformed(form, [data, *datas(form)])


CHAT: list[dict[str, Any]] = [
    {"choices": 5},
    {"choices": [5]},
    {"choices": [{"delta": 5}]},
    {"choices": [{"delta": {"content": 5}}]},
    {"choices": [{"delta": {"content": [5]}}]},
    {"choices": [{"delta": {"tool_calls": 5}}]},
    {"choices": [{"delta": {"tool_calls": [5]}}]},
    {"choices": [{"delta": {"tool_calls": [{"index": [0]}]}}]},
    {"choices": [{"delta": {"tool_calls": [{"id": 5}]}}]},
    {"choices": [{"delta": {"tool_calls": [{"function": 5}]}}]},
    {"choices": [{"delta": {"tool_calls": [{"function": {"name": {"a": 1}}}]}}]},
    {"choices": [{"delta": {"tool_calls": [{"function": {"name": "x" * 2_000}}]}}]},
    {"choices": [{"delta": {}, "finish_reason": ["x"]}]},
    {"usage": 5},
    {"usage": {"prompt_tokens": "many"}},
    {"usage": {"prompt_tokens": 10**400}},
    {"usage": {"prompt_tokens_details": 5}},
]
RESPONSES: list[dict[str, Any]] = [
    {"type": "response.output_text.delta", "delta": 5},
    {"type": "response.output_text.delta", "output_index": {}, "delta": "x"},
    {"type": "response.output_item.added", "item": 5},
    {"type": "response.output_item.added", "item": {"type": "function_call", "name": 5}},
    {"type": "response.output_item.done", "item": {"type": "message", "content": 5}},
    {"type": "response.output_item.done", "item": {"type": "reasoning", "summary": [5]}},
    {"type": "response.output_item.done", "item": {"type": "reasoning", "encrypted_content": 5}},
    {"type": "response.completed", "response": 5},
    {"type": "response.completed", "response": {"usage": 5}},
    {"type": "response.incomplete", "response": {"incomplete_details": 5}},
    {"type": {"a": 1}},
]
ANTHROPIC: list[dict[str, Any]] = [
    {"type": "content_block_delta", "delta": 5},
    {"type": "content_block_delta", "delta": {"type": "text_delta", "text": 5}},
    {"type": "content_block_delta", "index": [], "delta": {"type": "input_json_delta", "partial_json": 5}},
    {"type": "content_block_delta", "delta": {"type": "signature_delta", "signature": 5}},
    {"type": "content_block_start", "content_block": 5},
    {"type": "content_block_start", "content_block": {"type": "tool_use", "id": 5}},
    {"type": "content_block_start", "content_block": {"type": "redacted_thinking", "data": {"a": 1}}},
    {"type": "message_start", "message": 5},
    {"type": "message_delta", "usage": {"output_tokens": "many"}},
    {"type": "message_delta", "delta": {"stop_reason": 5}},
]
WRONG = [
    *(("chat", event) for event in CHAT),
    *(("responses", event) for event in RESPONSES),
    *(("anthropic", event) for event in ANTHROPIC),
]


@pytest.mark.parametrize(("form", "event"), WRONG, ids=[f"{form}-{str(event)[:60]}" for form, event in WRONG])
def test_a_value_of_a_wrong_type(form: str, event: dict[str, Any]) -> None:
    malformed(form, [json.dumps(event), *datas(form)])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in inner:
        yield from places(item, (*path, name))


def put(value: Any, path: tuple[Any, ...], wanted: Any) -> Any:
    if not path:
        return wanted
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(copy[path[0]], path[1:], wanted)
    return copy


@pytest.mark.parametrize("form", FORMATS)
@given(drawn=st.data())
def test_anything_anywhere_is_a_reply_or_a_fault(form: str, drawn: st.DataObject) -> None:
    """And such a reply can be shown, kept and sent again."""
    events = [json.loads(data) if data != "[DONE]" else data for data in datas(form)]
    for _ in range(drawn.draw(st.integers(1, 3))):
        number = drawn.draw(st.integers(0, len(events) - 1))
        path = drawn.draw(st.sampled_from(list(places(events[number]))))
        events[number] = put(events[number], path, drawn.draw(JSON))
    lines = [event if event == "[DONE]" else json.dumps(event) for event in events]
    try:
        reply = read(form, lines)[-1]
    except ProviderError:
        return
    assert isinstance(reply, Reply)
    usable(form, reply)


def usable(form: str, reply: Reply) -> None:
    message = reply.message
    thinking = "".join(item.text for item in message.thinking)
    names = tuple(call.name for call in message.calls)
    event_line(AssistantMessage(message.text, thinking, names, message.model, reply.usage, None, 0.0))
    for model in (message.model, "other/m"):
        SENDERS[form](message, model)


GROW: dict[str, tuple[str, ...]] = {
    "chat": (
        '{"choices":[{"delta":{"content":"%s"}}]}',
        '{"choices":[{"delta":{"reasoning":"%s"}}]}',
        '{"choices":[{"delta":{"reasoning_details":[{"type":"t","text":"%s"}]}}]}',
        '{"choices":[{"delta":{"reasoning_details":[{"type":"t","data":"%s","index":%d}]}}]}',
        '{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"x","arguments":"%s"}}]}}]}',
        '{"choices":[{"delta":{"tool_calls":[{"index":%d,"extra_content":{"x":"%s"}}]}}]}',
    ),
    "responses": (
        '{"type":"response.output_text.delta","delta":"%s"}',
        '{"type":"response.reasoning_text.delta","delta":"%s"}',
        '{"type":"response.function_call_arguments.delta","output_index":0,"delta":"%s"}',
        '{"type":"response.output_item.done","item":{"type":"reasoning","encrypted_content":"%s"}}',
        '{"type":"response.output_item.done","output_index":%d,"item":{"type":"function_call","arguments":"%s"}}',
    ),
    "anthropic": (
        '{"type":"content_block_delta","delta":{"type":"text_delta","text":"%s"}}',
        '{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"%s"}}',
        '{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"%s"}}',
        '{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"%s"}}',
        '{"type":"content_block_start","content_block":{"type":"redacted_thinking","data":"%s"}}',
    ),
}
ENDLESS = [(form, event) for form in FORMATS for event in GROW[form]]


@pytest.mark.parametrize(("form", "event"), ENDLESS)
def test_whatever_grows_without_an_end_is_refused(form: str, event: str) -> None:
    pad = "x" * (1 << 20)

    def stream() -> Iterator[str]:
        for number in range(10 * (MOST_TEXT >> 20)):
            yield event.replace("%d", str(number)).replace("%s", pad)

    items = 0
    with pytest.raises(ProviderError, match="larger than 64 Mi") as caught:
        for _ in read_reply(stream(), READERS[form](request()), SENT):  # type: ignore[arg-type]  # a generator it is
            items += 1
    assert caught.value.fault is ProviderFault.MALFORMED
    assert items <= 1 + (MOST_TEXT >> 20)


CALLS = {
    "chat": '{"choices":[{"delta":{"tool_calls":[{"index":%d,"id":"a","function":{"name":"x"}}]}}]}',
    "responses": '{"type":"response.output_item.added","output_index":%d,"item":{"type":"function_call","name":"x"}}',
    "anthropic": '{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","name":"x"}}',
}


@pytest.mark.parametrize("form", FORMATS)
def test_calls_without_an_end(form: str) -> None:
    events = [CALLS[form] % number for number in range(MOST_CALLS + 1)]
    assert "more than 1,000 calls" in malformed(form, events).message
    end = {"chat": "[DONE]", "responses": '{"type":"response.completed"}', "anthropic": '{"type":"message_stop"}'}
    reply = read(form, [*events[:-1], end[form]])[-1]
    assert isinstance(reply, Reply)
    assert len({call.id for call in reply.message.calls}) == MOST_CALLS
