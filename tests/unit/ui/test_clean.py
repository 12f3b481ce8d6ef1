from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rescene_cli.ui.clean import one_line, visible


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\sixel", "sixel"),
        ("\x9b31mred", "red"),
        ("\x1b]52;c;AAAA", ""),
        ("a\x08\x7fb\x00", "ab"),
        ("10%\r50%\r100%\n", "100%\n"),
        ("one\r\ntwo", "one\ntwo"),
        ("tab\tstop", "tab    stop"),
        ("abc\u202edef\u2066", "abcdef"),
        ("half \ud800 pair", "half ? pair"),
        ("wide 中文 👍", "wide 中文 👍"),
        ("family 👨\u200d👩\u200d👧", "family 👨\u200d👩\u200d👧"),
    ],
)
def test_nothing_that_steers_a_terminal_is_left(hostile: str, shown: str) -> None:
    assert visible(hostile) == shown


@given(st.text(max_size=60))
def test_no_control_character_survives(text: str) -> None:
    shown = visible("\x1b" + text + "\x9d" + text)
    assert all(letter == "\n" or (letter >= " " and not "\x7f" <= letter < "\xa0") for letter in shown)


def test_one_line_is_one_line() -> None:
    assert one_line(" a\n\n b\tc ") == "a b c"
