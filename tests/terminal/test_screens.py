"""The documentation shows the program as it is."""

from __future__ import annotations

from pathlib import Path

from tests.terminal.screens import PAGE, page


def test_the_screenshots_are_as_the_program_looks(tmp_path: Path) -> None:
    text = PAGE.read_text("utf-8")
    assert page(text, tmp_path) == text, "python -m tests.terminal.screens renews them"
