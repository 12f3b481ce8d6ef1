"""Finding lines, and what comes nearest."""

from __future__ import annotations

import pytest

from rescene_cli.workspace.matching import Shift, find, nearest, positions


def test_positions_overlap_and_end_with_the_file() -> None:
    assert positions(["a", "a", "a"], ["a", "a"]) == [0, 1]
    assert positions(["a", "b"], ["b", "c"]) == []
    assert positions(["a"], []) == []
    assert positions(["long line", "a"], ["x", "long line"]) == []  # would begin before the file


def test_an_exact_place_hides_tolerant_ones() -> None:
    assert [match.start for match in find(["  a", "a"], ["a"])] == [1]
    assert [match.start for match in find(["  a", " a"], ["a"])] == [0, 1]
    assert find(["  "], [""]) == []


@pytest.mark.parametrize(
    ("shift", "line", "expected"),
    [
        (Shift("", "\t"), "x", "\tx"),
        (Shift("    ", ""), "      x", "  x"),
        (Shift("    ", ""), "  x", None),
        (Shift("    ", "  "), "", ""),
        (Shift(unit="    ", instead="\t"), "        x", "\t\tx"),
        (Shift(unit="    ", instead="\t"), "      x", None),
    ],
)
def test_shift(shift: Shift, line: str, expected: str | None) -> None:
    assert shift.apply(line) == expected


def test_nearest_prefers_rare_equal_lines_to_common_ones() -> None:
    lines = ["return x"] * 50 + ["def unusual(y):", "    return y"] + ["return x"] * 50
    assert "51\tdef unusual(y):" in nearest(lines, ["def unusual(y):", "return x"])


def test_nearest_of_a_very_long_line_stays_short() -> None:
    shown = nearest(["x = " + "1" * 100_000], ["x = " + "1" * 399])
    assert shown == "1\tx = " + "1" * 196
