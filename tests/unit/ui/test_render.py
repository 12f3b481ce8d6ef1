from __future__ import annotations

import subprocess
import sys

import pytest

from rescene_cli.core.findings import Finding, Report, Severity
from rescene_cli.ui import render
from rescene_cli.ui.diffs import diff_lines
from rescene_cli.ui.ink import Depth, Ink, depth_for


def test_a_report_is_its_text_and_its_findings() -> None:
    report = Report("doctor", text="All there.", findings=(Finding(Severity.WARNING, "git", "is old", "Update it."),))
    assert render.text(report, color=False, width=60) == ("All there.\nwarning git: is old\n        Update it.")
    assert "\x1b[33m" in render.text(report, color=True, width=60)


def test_a_table_is_aligned_by_cells_and_fits() -> None:
    shown = render.table(("name", "what"), (("中文", "a"), ("b", "x" * 50)), color=False, columns=20)
    assert shown.splitlines() == ["name  what", "中文  a", "b     xxxxxxxxxxxxx…"]


def test_diff_lines_have_numbers_of_the_right_side() -> None:
    diff = "--- a/f\n+++ b/f\n@@ -10,3 +10,3 @@ def f\n same\n-old\n+new\n tail\n"
    assert diff_lines(diff, Ink(Depth.NONE), 40) == [
        "     ... def f", "  10  same", "  11 -old", "  11 +new", "  12  tail",
    ]  # fmt: skip


def test_a_long_diff_says_how_much_is_hidden() -> None:
    diff = "--- a/f\n+++ b/f\n@@ -1,0 +1,100 @@\n" + "".join(f"+{n}\n" for n in range(100))
    lines = diff_lines(diff, Ink(Depth.NONE), 40, limit=10)
    assert len(lines) == 10
    assert "more lines" in lines[-1]


@pytest.mark.parametrize(
    ("environment", "depth"),
    [({"TERM": "xterm"}, Depth.COLORS), ({"TERM": "xterm", "NO_COLOR": "1"}, Depth.ATTRIBUTES),
     ({"TERM": "dumb"}, Depth.NONE), ({}, Depth.NONE), ({"TERM": "xterm", "NO_COLOR": ""}, Depth.COLORS)],
)  # fmt: skip
def test_how_much_colour(environment: dict[str, str], depth: Depth) -> None:
    assert depth_for(environment) is depth


def test_nothing_heavy_is_loaded_before_there_is_a_terminal() -> None:
    code = (
        "import sys, rescene_cli.ui.interactive, rescene_cli.ui.plain, rescene_cli.ui.render, rescene_cli.ui.approve;"
        "print(sorted({'rich', 'prompt_toolkit', 'asyncio', 'wcwidth', 'difflib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


def test_every_file_of_a_diff_is_named_and_signs_inside_a_hunk_are_lines() -> None:
    diff = (
        "--- a/one\n+++ b/one\n@@ -1,2 +1,2 @@\n--- a\n+++ b\n same\n--- a/two\n+++ b/two\n@@ -5 +5 @@\n-x\n"
        "\\ No newline at end of file\n+y\n"
    )
    assert diff_lines(diff, Ink(Depth.NONE), 40) == [
        "     one", "     ...", "   1 --- a", "   1 +++ b", "   2  same",
        "     two", "     ...", "   5 -x", "     \\ No newline at end of file", "   5 +y",
    ]  # fmt: skip
