"""The sample project of `rescene run --demo`, and the recorded replies of the model that works on it."""

from __future__ import annotations

from pathlib import Path

from rescene_cli.store.copy import fresh_copy

TASK = "The tests fail. Find out why and fix it."


def prepare() -> Path:
    """Copy the sample project to a new temporary folder; returns that folder. Raises OSError."""
    return fresh_copy(Path(__file__).with_name("sample"), "rescene-demo-")


def demo_script() -> Path:
    """The file for `--model scripted:FILE`."""
    return Path(__file__).with_name("script.jsonl")
