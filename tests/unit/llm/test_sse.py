"""Events come out the same however the bytes are cut."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rescene_cli.llm.reading import Unreadable
from rescene_cli.llm.sse import LARGEST_EVENT, EventDecoder

STREAM = (
    ": a comment\n\n"
    "event: one\ndata: {\"a\": 1}\nid: 7\n\n"
    "data:no space\n\n"
    "data: two\ndata: lines\n\n"
    "retry: 10\n\n"
    "data: Grüße 😀\n\n"
    "data\n\n"
    "data: [DONE]\n\n"
)  # fmt: skip
EVENTS = ['{"a": 1}', "no space", "two\nlines", "Grüße 😀", "[DONE]"]


def decoded(parts: list[bytes]) -> list[str]:
    decoder = EventDecoder()
    return [event for part in parts for event in decoder.feed(part)] + decoder.close()


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 10_000])
def test_cuts_and_line_ends(newline: str, size: int) -> None:
    raw = STREAM.replace("\n", newline).encode()
    assert decoded([raw[start : start + size] for start in range(0, len(raw), size)]) == EVENTS


@given(st.lists(st.integers(0, len(STREAM.encode())), max_size=12), st.sampled_from(["\n", "\r\n", "\r"]))
def test_any_cuts(cuts: list[int], newline: str) -> None:
    raw = STREAM.replace("\n", newline).encode()
    edges = [0, *sorted(cut for cut in cuts if cut <= len(raw)), len(raw)]
    assert decoded([raw[start:end] for start, end in itertools.pairwise(edges)]) == EVENTS


def test_an_event_is_out_with_its_blank_line() -> None:
    decoder = EventDecoder()
    assert decoder.feed(b"data: x\n") == []
    assert decoder.feed(b"\n") == ["x"]


def test_the_end_completes_an_event() -> None:
    assert decoded([b"data: a\n\ndata: b"]) == ["a", "b"]


def test_a_byte_order_mark_is_no_content() -> None:
    assert decoded([b"\xef\xbb\xbfdata: a\n\n"]) == ["a"]


def test_bytes_that_are_no_utf8_do_not_end_the_stream() -> None:
    assert decoded([b"data: \xff!\n\n"]) == ["\ufffd!"]


def test_a_long_line_in_single_bytes_is_copied_once() -> None:
    decoder = EventDecoder()
    for _ in range(200_000):
        assert decoder.feed(b"x") == []
    assert len(decoder._pending) == 200_000  # pieces are kept apart until the line ends


@pytest.mark.parametrize("piece", [b"x" * 65_536, b"data: " + b"x" * 65_530 + b"\n", b"data:\n" * 5_000])
def test_an_event_without_an_end_is_refused(piece: bytes) -> None:
    decoder = EventDecoder()
    with pytest.raises(Unreadable, match="larger than 32 MiB"):
        for _ in range(LARGEST_EVENT // 65_536 + 2):
            assert decoder.feed(piece) == []


def test_many_events_are_no_large_one() -> None:
    decoder = EventDecoder()
    for _ in range(LARGEST_EVENT // 60_000 + 2):
        assert len(decoder.feed(b"data: " + b"x" * 60_000 + b"\n\n")) == 1
