"""Chat-completions: what is sent, and what is kept for the next request."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rescene_cli.core.errors import ProviderFault
from rescene_cli.core.llm import Effort, Reply, ThinkingPiece
from rescene_cli.core.messages import Assistant, CallId, Image, Text, Thinking, ToolCall, ToolResult, User
from rescene_cli.llm.openai_chat import ChatClient as Client
from rescene_cli.llm.openai_chat import ChatReply, chat_entries, chat_usage
from rescene_cli.llm.provider import PROVIDERS, Endpoint, Quirks
from rescene_cli.llm.transport import Transport
from tests.support.model_server import ModelServer
from tests.support.models import READ, answer, request, user

QUIRKS = {provider.name: provider.quirks for provider in PROVIDERS}
PNG = Image("image/png", b"\x89PNG")
ANY_ID = Quirks().call_id


def body(name: str, wanted: Any) -> dict[str, Any]:
    """What a provider of the table is sent."""
    transport = Transport()
    with ModelServer() as server:
        answer(Client(Endpoint(name, f"{server.url}/v1", "", QUIRKS[name]), transport), wanted)
        sent: dict[str, Any] = server.seen[0].body
    transport.close()
    return sent


def test_everything_that_is_asked_for() -> None:
    wanted = request(model="openai/gpt-4.1", tools=(READ,), effort=Effort.HIGH, max_output=500, session="s1")
    assert body("openai", wanted) == {
        "model": "gpt-4.1",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 500,
        "reasoning_effort": "high",
        "prompt_cache_key": "s1",
        "messages": [
            {"role": "system", "content": "Be exact.\n\nToday."},
            {"role": "user", "content": "hello"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {"name": "read_file", "description": "Read a file.", "parameters": READ.parameters},
            }
        ],
    }


def test_what_other_providers_call_it() -> None:
    wanted = request(model="openrouter/a/b", effort=Effort.LOW, max_output=500, session="s1")
    sent = body("openrouter", wanted)
    assert sent["model"] == "a/b"
    assert sent["reasoning"] == {"effort": "low"}
    assert sent["max_tokens"] == 500
    assert "prompt_cache_key" not in sent


def test_what_mistral_wants() -> None:
    call = ToolCall(CallId("call_1_0"), "x", "{}")
    said = [user("a"), Assistant("", (call,), (), "other/m"), ToolResult(call.id, (Text("r"),))]
    sent = body("mistral", request(*said, model="mistral/m"))
    messages = sent["messages"]
    assert "stream_options" not in sent
    assert len(messages[2]["tool_calls"][0]["id"]) == 9
    assert messages[2]["tool_calls"][0]["id"] == messages[3]["tool_call_id"]


def test_signatures_gemini_wants() -> None:
    """Its own come back as they were; a call of another model gets the one that stands for none."""
    own, foreign = ToolCall(CallId("a"), "x", "{}"), ToolCall(CallId("b"), "x", "{}")
    thinking = Thinking("", payload='{"calls": {"a": {"google": {"thought_signature": "S"}}}}')
    said = [Assistant("", (own,), (thinking,), "gemini/g"), Assistant("", (foreign,), (), "other/m")]
    messages = body("gemini", request(user("a"), *said, model="gemini/g"))["messages"]
    assert messages[2]["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": "S"}}
    extra = messages[3]["tool_calls"][0]["extra_content"]
    assert extra == {"google": {"thought_signature": "skip_thought_signature_validator"}}


def test_images_of_a_result_follow_it_as_the_users() -> None:
    entries = list(chat_entries(ToolResult(CallId("c"), (PNG,)), "m", ANY_ID))
    assert [entry["role"] for entry in entries] == ["tool", "user"]
    assert entries[0]["content"] == "The image follows."
    assert entries[1]["content"] == [{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}]


def test_an_image_of_the_user() -> None:
    (entry,) = chat_entries(User((Text("see"), PNG)), "m", ANY_ID)
    assert [part["type"] for part in entry["content"]] == ["text", "image_url"]


def test_a_reply_of_nothing_is_left_out() -> None:
    assert list(chat_entries(Assistant("", (), (Thinking("hm"),), "m"), "m", ANY_ID)) == []


def play(*chunks: dict[str, Any]) -> Reply:
    reply = ChatReply(request(), "test")
    for chunk in chunks:
        list(reply.chunk(chunk))
    last = list(reply.finish())[-1]
    assert isinstance(last, Reply)
    return last


def choice(**delta: Any) -> dict[str, Any]:
    return {"choices": [{"delta": delta}]}


@pytest.mark.parametrize(("field", "back"), [("reasoning_content", True), ("reasoning", False)])
def test_reasoning_goes_back_with_a_call_to_who_wants_it(field: str, back: bool) -> None:
    call = {"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}}
    message = play(choice(**{field: "hm "}), choice(**{field: "hm"}), choice(tool_calls=[call])).message
    assert message.thinking[0].text == "hm hm"
    (entry,) = chat_entries(message, "one/m", ANY_ID)
    assert entry.get(field) == ("hm hm" if back else None)
    (entry,) = chat_entries(message, "two/m", ANY_ID)
    assert field not in entry


def test_reasoning_without_a_call_does_not_go_back() -> None:
    """DeepSeek's older model refuses it."""
    message = play(choice(reasoning_content="hm"), choice(content="yes")).message
    (entry,) = chat_entries(message, "one/m", ANY_ID)
    assert entry == {"role": "assistant", "content": "yes"}


def test_reasoning_details_are_joined_and_go_back() -> None:
    part = {"type": "reasoning.text", "index": 0}
    call = {"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}}
    message = play(
        choice(reasoning="a", reasoning_details=[{**part, "text": "a"}]),
        choice(reasoning="b", reasoning_details=[{**part, "text": "b", "signature": "S"}]),
        choice(tool_calls=[call]),
    ).message
    (entry,) = chat_entries(message, "one/m", ANY_ID)
    assert entry["reasoning_details"] == [{**part, "text": "ab", "signature": "S"}]
    assert message.thinking[0].text == "ab"


def test_details_of_another_kind_stay_apart() -> None:
    details = [{"type": "reasoning.text", "index": 0, "text": "a"}, {"type": "reasoning.encrypted", "data": "b"}]
    call = {"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}}
    message = play(choice(reasoning_details=details), choice(tool_calls=[call])).message
    assert json.loads(message.thinking[0].payload) == {"message": {"reasoning_details": details}}


def test_reasoning_is_shown_once_where_two_fields_repeat_it() -> None:
    reply = ChatReply(request(), "test")
    items = list(reply.chunk(choice(reasoning_content="hm", reasoning="hm")))
    assert items == [ThinkingPiece("hm")]


def test_content_as_a_list_and_as_null() -> None:
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "yes"}]
    assert play(choice(content=parts), choice(content=None)).message.text == "yes"


def test_a_refusal_is_text() -> None:
    assert play(choice(refusal="I can't.")).message.text == "I can't."


def test_empty_chunks() -> None:
    assert play({}, {"choices": []}, {"choices": [{}]}, {"choices": None}, choice(tool_calls=None)).message.text == ""


@pytest.mark.parametrize(
    ("usage", "cached"),
    [
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}, 4),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 5}, 5),
        ({"prompt_tokens": 9, "prompt_tokens_details": None}, 0),
    ],
)
def test_cached_tokens(usage: dict[str, Any], cached: int) -> None:
    assert (chat_usage(usage).input, chat_usage(usage).cached, chat_usage(usage).output) == (9, cached, 0)


def test_a_model_that_speaks_responses_only() -> None:
    message = "This model is only supported in v1/responses and not in v1/chat/completions."
    with ModelServer([{"status": 404, "body": {"error": {"message": message}}}]) as server:
        transport = Transport()
        with pytest.raises(Exception, match="only supported") as caught:
            answer(Client(Endpoint("mine", server.url), transport))
        transport.close()
    assert getattr(caught.value, "fault", None) is ProviderFault.NOT_FOUND
    assert 'format = "responses"' in getattr(caught.value, "hint", "")
