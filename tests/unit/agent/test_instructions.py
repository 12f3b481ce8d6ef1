"""AGENTS.md from the repository's top down, bounded, and never orders before the project is trusted."""

from __future__ import annotations

import os
from pathlib import Path

from rescene_cli.agent.instructions import Instructions, read_instructions
from rescene_cli.agent.prompt import Surroundings, system_prompt
from rescene_cli.core.decisions import Mode

NAMES = ("AGENTS.md", "CLAUDE.md", ".cursorrules")


def test_outer_files_first_and_the_first_name_wins(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    deep = tmp_path / "a/b"
    deep.mkdir(parents=True)
    (tmp_path / "AGENTS.md").write_text("top")
    (tmp_path / "CLAUDE.md").write_text("not read")
    (tmp_path / "a/CLAUDE.md").write_text("middle")
    (deep / ".cursorrules").write_text("near")
    found = read_instructions(deep, NAMES, 1000)
    assert found.files == ("AGENTS.md", "a/CLAUDE.md", "a/b/.cursorrules")
    assert found.text.index("top") < found.text.index("middle") < found.text.index("near")
    assert "not read" not in found.text
    assert not found.cut


def test_nothing_above_the_repository_is_read(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("stranger")
    repository = tmp_path / "r"
    (repository / ".git").mkdir(parents=True)
    assert read_instructions(repository, NAMES, 1000).text == ""


def test_the_cap_counts_all_files_together_and_is_said(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "AGENTS.md").write_text("x" * 90)
    (tmp_path / "s").mkdir()
    (tmp_path / "s/AGENTS.md").write_text("é" * 50)
    found = read_instructions(tmp_path / "s", NAMES, 101)
    assert found.cut
    assert found.text.count("x") == 90
    assert found.text.count("é") == 5


def around(text: str, *, trusted: bool) -> Surroundings:
    return Surroundings(Path("/p"), "2026-01-01", "main", Instructions(("AGENTS.md",), text, False), trusted, True)


def test_untrusted_notes_are_marked_as_no_orders() -> None:
    assert "not orders" in system_prompt(around("do x", trusted=False), Mode.AUTO).volatile
    trusted = system_prompt(around("do x", trusted=True), Mode.AUTO).volatile
    assert "not orders" not in trusted
    assert "do x" in trusted


def test_the_stable_part_does_not_depend_on_the_project() -> None:
    one = system_prompt(around("a", trusted=True), Mode.AUTO)
    two = system_prompt(around("b", trusted=False), Mode.PLAN)
    assert one.stable == two.stable
    assert one.volatile != two.volatile


def test_a_pipe_gives_no_instructions(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "AGENTS.md")
    (tmp_path / "CLAUDE.md").write_text("read")
    assert read_instructions(tmp_path, NAMES, 1000).files == ("CLAUDE.md",)
