"""Every folder here is one test of the installed program; tests/support/scenario.py says how they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scenario import Scenario

FOLDERS = sorted(path.parent for path in Path(__file__).parent.glob("[0-9]*/expect.toml"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_scenario(folder: Path, tmp_path: Path) -> None:
    scenario = Scenario(folder)
    if scenario.missing:
        pytest.skip(f"{scenario.missing} is not installed")
    scenario.carry_out(tmp_path)
