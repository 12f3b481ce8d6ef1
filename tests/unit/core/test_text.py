"""Text in small."""

from __future__ import annotations

import pytest

from rescene_cli.core.text import plural, seconds, shorten


def test_one_is_no_many() -> None:
    assert [plural(number, "file") for number in (0, 1, 2000)] == ["0 files", "1 file", "2,000 files"]
    assert [plural(number, "entry", "entries") for number in (1, 2)] == ["1 entry", "2 entries"]


def test_one_line() -> None:
    assert shorten("a\n  b " + "c" * 9, 8) == "a b ccc\u2026"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0021, "2 ms"), (0.9994, "999 ms"), (0.9996, "1.0 s"), (1.24, "1.2 s"), (9.96, "10 s"), (59.6, "1 min 0 s"),
     (75.4, "1 min 15 s"), (7800, "2 h 10 min")],
)  # fmt: skip
def test_durations(value: float, text: str) -> None:
    assert seconds(value) == text
