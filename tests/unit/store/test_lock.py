"""Who may write, and who waits."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from rescene_cli.core.errors import TryAgainError
from rescene_cli.store.lock import exclusive


def test_a_second_holder_waits_and_gives_up(tmp_path: Path) -> None:
    with exclusive(tmp_path), pytest.raises(TryAgainError), exclusive(tmp_path, patience=0.02):
        raise AssertionError
    with exclusive(tmp_path, patience=0):
        assert not list(tmp_path.iterdir())


def _hold_and_die(directory: Path) -> None:
    with exclusive(directory):
        import os

        os._exit(9)


def test_a_holder_that_died_holds_nothing(tmp_path: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(target=_hold_and_die, args=(tmp_path,))
    process.start()
    process.join(30)
    assert process.exitcode == 9
    with exclusive(tmp_path, patience=0):
        pass


def test_where_there_is_nothing_to_lock_nothing_is_locked(tmp_path: Path) -> None:
    with exclusive(tmp_path / "missing", patience=0):
        assert not (tmp_path / "missing").exists()
