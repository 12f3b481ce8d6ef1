"""What goes onto the wire."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rescene_cli.core.messages import CallId, Message, ToolCall
from rescene_cli.llm.encoding import (
    MessageCache,
    SurrogateJoiner,
    arguments_object,
    arguments_text,
    encode,
    fit_id,
    fit_name,
)
from tests.support.models import user


def written(arguments: str) -> ToolCall:
    return ToolCall(CallId("c"), "t", arguments)


@given(st.text(st.characters(), max_size=40))
def test_any_text_can_be_sent(text: str) -> None:
    decoded = json.loads(encode({"t": text}))["t"]
    assert decoded == text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert encode("\ud83d\ude00") == '"😀"'.encode()


@given(st.text(st.characters(), max_size=30), st.lists(st.integers(0, 30)))
def test_characters_split_over_pieces_are_joined(text: str, cuts: list[int]) -> None:
    halves = "".join(
        c if ord(c) < 0x10000 else c.encode("utf-16-be").decode("utf-16-be", "surrogatepass") for c in text
    )
    joiner = SurrogateJoiner()
    edges = [0, *sorted(min(cut, len(halves)) for cut in cuts), len(halves)]
    out = "".join(joiner.feed(halves[a:b]) for a, b in itertools.pairwise(edges)) + joiner.close()
    out.encode()
    assert out == text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def test_a_half_is_held_until_the_other_comes() -> None:
    joiner = SurrogateJoiner()
    assert joiner.feed("a\ud83d") == "a"
    assert joiner.feed("\ude00b") == "😀b"
    assert joiner.feed("\ud83d") == ""
    assert joiner.close() == "\ufffd"


@pytest.mark.parametrize("text", ['{"a": ', "[1]", "null", "", "rm -rf /"])
def test_malformed_arguments_go_back_inside_an_object(text: str) -> None:
    assert arguments_object(written(text)) == {"malformed_arguments": text}
    assert json.loads(arguments_text(written(text))) == {"malformed_arguments": text}


def test_good_arguments_go_back_as_they_were_written() -> None:
    assert arguments_text(written('{ "a" :1}')) == '{ "a" :1}'


@pytest.mark.parametrize(("name", "fit"), [("read_file", "read_file"), ("a b/ü", "a_b__"), ("", "unnamed")])
def test_names_every_provider_takes(name: str, fit: str) -> None:
    assert fit_name(name) == fit
    assert len(fit_name("x" * 200)) == 64


def test_ids_keep_their_form_where_it_is_allowed() -> None:
    assert fit_id("call_1-a") == "call_1-a"
    assert fit_id("call 1") == fit_id("call 1") != fit_id("call 2")
    assert len(fit_id("call_1", r"[A-Za-z0-9]{9}")) == 9


def test_a_message_is_encoded_once() -> None:
    made: list[Message] = []

    def make(message: Message, model: str) -> str:
        made.append(message)
        return f"{model}:{len(made)}"

    cache = MessageCache(make)
    first, second, third = user("1"), user("2"), user("3")
    assert cache.encoded([first, second], "m") == ["m:1", "m:2"]
    assert cache.encoded([first, second, third], "m") == ["m:1", "m:2", "m:3"]
    assert cache.encoded([first, third], "m") == ["m:1", "m:4"]  # the middle went away
    assert cache.encoded([first, third], "n") == ["n:5", "n:6"]  # another model sees something else
    assert cache.encoded([user("1"), third], "n") == ["n:7", "n:6"]  # an equal message is another one
