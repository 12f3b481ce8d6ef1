"""Diffs as people see them."""

from __future__ import annotations

from rescene_cli.ui.diffs import diff_lines, shortened
from rescene_cli.ui.ink import Depth, Ink

INK = Ink(Depth.NONE)
TWO_HUNKS = "--- a/x\n+++ b/x\n@@ -9,2 +9,2 @@\n a\n-b\n+c\n@@ -40 +40 @@\n-d\n+e\n"


def test_between_two_hunks_there_is_a_gap_and_nothing_before_the_first() -> None:
    assert diff_lines(TWO_HUNKS, INK, 60) == ["   9  a", "  10 -b", "  10 +c", "     ...", "  40 -d", "  40 +e"]


def test_the_section_of_the_first_hunk_is_said() -> None:
    assert diff_lines("--- a/x\n+++ b/x\n@@ -9 +9 @@ def f():\n-b\n+c\n", INK, 60)[0] == "     ... def f():"


def test_files_are_named_where_there_are_several_and_where_asked() -> None:
    gone = "--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\n"
    assert diff_lines(gone, INK, 60) == ["   1 -z"]
    assert diff_lines(gone, INK, 60, named=True) == ["     y", "   1 -z"]
    rows = diff_lines(TWO_HUNKS + gone, INK, 60)
    assert (rows[0], rows[-2]) == ("     x", "     y")


def test_a_removed_line_that_looks_like_a_header_is_a_line() -> None:
    rows = diff_lines("--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- old\n+++ new\n", INK, 60)
    assert rows == ["   1 --- old", "   1 +++ new"]


def test_what_is_left_out_is_counted() -> None:
    assert shortened(["a"] * 5, 3, INK, ", Ctrl-O shows them") == ["a", "a", "     ... 3 more lines, Ctrl-O shows them"]
    assert shortened(["a"] * 3, 3, INK, "") == ["a"] * 3
