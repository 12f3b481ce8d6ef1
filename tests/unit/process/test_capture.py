from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rescene_cli.process.capture import Capture


@given(st.lists(st.binary(max_size=40)), st.integers(0, 30), st.integers(1, 30))
def test_keeps_both_ends_and_counts_the_rest(pieces: list[bytes], head: int, tail: int) -> None:
    capture = Capture(head, tail)
    for piece in pieces:
        capture.add(piece)
    whole = b"".join(pieces)
    assert capture.total == len(whole)
    assert capture.omitted == max(0, len(whole) - head - tail)
    if capture.omitted:
        assert capture.output() == whole[:head] + whole[-tail:]
        assert capture.gap == head
    else:
        assert capture.output() == whole


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_memory_is_bounded(size: int) -> None:
    capture = Capture(10, 100)
    for _ in range(5000 // size + 300):
        capture.add(b"x" * size)
        assert len(capture._head) + len(capture._tail) <= 10 + 2 * 100
