from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rescene_cli.ui.cells import chop, clip, clip_left, hanging, table_rows, width, wrap

FAMILY = "👨\u200d👩\u200d👧"
WORDS = st.lists(st.sampled_from(["a", "b", " ", "中", "👍", FAMILY, "e\u0301"]), max_size=40).map("".join)


@pytest.mark.parametrize(
    ("text", "cells"), [("abc", 3), ("中文", 4), ("e\u0301", 1), (FAMILY, 2), ("❤\ufe0f", 2), ("", 0)]
)
def test_width_counts_what_is_seen(text: str, cells: int) -> None:
    assert width(text) == cells


def test_clip_never_cuts_a_character() -> None:
    assert clip(f"ab{FAMILY}cd", 4) == "ab…"
    assert clip("abcd", 4) == "abcd"
    assert clip_left("src/very/long/path.py", 8) == "…path.py"


@given(WORDS, st.integers(2, 12))
def test_rows_fit_and_lose_nothing(text: str, columns: int) -> None:
    rows = chop(text, columns)
    assert "".join(rows) == text
    assert all(width(row) <= columns for row in rows)
    wrapped = wrap(text, columns)
    assert all(width(row) <= columns for row in wrapped)
    assert "".join(wrapped).replace(" ", "") == text.replace(" ", "")


@given(WORDS, st.integers(1, 12))
def test_clipped_text_fits(text: str, columns: int) -> None:
    assert width(clip(text, columns)) <= columns
    assert width(clip_left(text, columns)) <= columns


def test_a_sign_hangs_in_front_of_its_rows() -> None:
    assert hanging("- ", "one two three", 9) == ["- one two", "  three"]


def test_the_last_column_of_a_table_wraps_within_itself() -> None:
    assert table_rows("Enter   sends the text", 18) == ["Enter   sends the", "        text"]
    assert table_rows("no column here at all", 18) == ["no column here at", "all"]
