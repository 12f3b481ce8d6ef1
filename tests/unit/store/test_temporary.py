"""Whose a file beside another is, and when it may go."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rescene_cli.store.temporary import PREFIX, Role, beside, sweep

_MAKE = """
import sys
from pathlib import Path
from rescene_cli.store.temporary import Role, beside
for role in Role:
    beside(Path(sys.argv[1]) / "f", role).write_text(role)
print(flush=True)
sys.stdin.read()
"""


def roles(directory: Path) -> list[str]:
    return sorted(path.name.removeprefix(PREFIX).split("-")[0] for path in directory.iterdir())


@pytest.fixture
def maker(tmp_path: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _MAKE, str(tmp_path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_what_a_living_process_works_on_stays(tmp_path: Path, maker: subprocess.Popen[bytes]) -> None:
    sweep(tmp_path)
    assert roles(tmp_path) == ["copy", "new", "old"]
    maker.communicate()
    sweep(tmp_path)
    assert roles(tmp_path) == ["copy", "old"]  # the last of what they hold
    os.link(next(tmp_path.glob(f"{PREFIX}copy*")), tmp_path / "f")
    sweep(tmp_path)
    assert sorted(path.name.removeprefix(PREFIX)[:3] for path in tmp_path.iterdir()) == ["f", "old"]


def test_a_process_that_is_killed_and_not_waited_for_is_dead(tmp_path: Path, maker: subprocess.Popen[bytes]) -> None:
    maker.kill()
    os.waitid(os.P_PID, maker.pid, os.WEXITED | os.WNOWAIT)
    sweep(tmp_path)
    assert roles(tmp_path) == ["copy", "old"]
    maker.communicate()


def test_only_our_names_and_only_files_are_touched(tmp_path: Path) -> None:
    dead = beside(tmp_path / "f").name.replace(f"-{os.getpid()}-", "-4194305-")  # above the highest number there is
    foreign = dead.replace(dead.split("-")[3], "00000000")
    (tmp_path / dead).mkdir()
    (tmp_path / foreign).write_text("of another machine, and young")
    (tmp_path / f"{PREFIX}mine").write_text("")
    (tmp_path / f"{PREFIX}new-a-b-c-d").write_text("")
    sweep(tmp_path)
    assert len(list(tmp_path.iterdir())) == 4
    (tmp_path / dead).rmdir()
    (tmp_path / dead).write_text("")
    sweep(tmp_path)
    assert not (tmp_path / dead).exists()
    assert Role.NEW in dead


def test_a_directory_that_is_not_there_is_swept(tmp_path: Path) -> None:
    sweep(tmp_path / "missing")
    assert not (tmp_path / "missing").exists()
