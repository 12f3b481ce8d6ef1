from __future__ import annotations

import pytest

from rescene_cli.cli.table import meant


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ([], "run"),
        (["--debug"], "run"),
        (["config", "get", "mode"], "config get"),
        (["--json", "config", "--debug", "list"], "config list"),
        (["run", "config", "get"], "run"),
        (["nonsense"], "run"),
    ],
)
def test_the_command_that_is_meant(arguments: list[str], name: str) -> None:
    assert meant(arguments) == name
