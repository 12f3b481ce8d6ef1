"""The tools that hold the structure: layers, types, style, and what a start may import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_layers_and_owners() -> None:
    run(str(Path(sys.executable).with_name("lint-imports")), "--no-cache")


def test_types() -> None:
    run(sys.executable, "-m", "mypy")


@pytest.mark.parametrize("command", [("check", "--no-cache"), ("format", "--check", "--no-cache")], ids=lambda c: c[0])
def test_style(command: tuple[str, ...]) -> None:
    run(sys.executable, "-m", "ruff", *command, "rescene_cli", "tests")
