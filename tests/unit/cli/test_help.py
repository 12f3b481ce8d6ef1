from __future__ import annotations

import pytest

from rescene_cli.cli.group import build, root
from rescene_cli.cli.help import help_text
from rescene_cli.cli.surface import pages
from rescene_cli.cli.table import COMMANDS, root_help


def test_the_program_itself() -> None:
    assert help_text([], root()) == root_help()


@pytest.mark.parametrize("columns", [40, 60, 200])
def test_help_fits_the_terminal_and_loses_nothing(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = help_text(["run"], build("run", COMMANDS["run"]))
    prose = [line for line in text.splitlines() if not line.lstrip().startswith("-") and not line.startswith("Usage")]
    assert max(map(len, prose)) <= min(columns, 88)
    assert "--max-cost NUMBER" in text
    assert "--mode plan|ask|auto|yolo" in text
    assert "May be given more than once." in " ".join(text.split())


def test_every_command_says_what_it_is_for() -> None:
    for page in pages():
        assert page.about.endswith("."), page.words
        assert all(option.about for option in page.options), page.words
        assert all(argument.about for argument in page.arguments), page.words
