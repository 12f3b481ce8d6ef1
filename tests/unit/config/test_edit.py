from __future__ import annotations

import os
from pathlib import Path

import pytest

from rescene_cli.config.edit import save_in_project, set_value, unset_value
from rescene_cli.config.keys import BY_NAME
from rescene_cli.core.errors import ConfigError

COST, MODEL = BY_NAME["limits.max_cost"], BY_NAME["model"]

TEXT = """\
# mine
model = "a/b"   # the good one

[limits]  # money
max_turns = 5
"""


def test_only_the_value_changes(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(TEXT)
    set_value(path, MODEL, "c/d")
    set_value(path, COST, 2.5)
    assert path.read_text() == TEXT.replace('"a/b"', '"c/d"') + "max_cost = 2.5\n"


def test_a_new_file_is_private_and_its_folder_is_made(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "config.toml"
    set_value(path, COST, 2.5)
    assert path.read_text() == "[limits]\nmax_cost = 2.5\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_mode_and_link_of_an_existing_file_stay(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "rescene.toml"
    real.parent.mkdir()
    real.write_text(TEXT)
    real.chmod(0o640)
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    set_value(link, MODEL, "c/d")
    assert link.is_symlink()
    assert '"c/d"' in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640


def test_unset(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(TEXT)
    assert not unset_value(path, COST)
    assert path.read_text() == TEXT
    assert unset_value(path, MODEL)
    assert "a/b" not in path.read_text()
    assert "# mine" in path.read_text()


def test_a_project_file_is_written_in_the_project(tmp_path: Path) -> None:
    path = tmp_path / ".rescene" / "config.toml"
    set_value(path, COST, 1.0, save_in_project)
    set_value(path, COST, 2.0, save_in_project)
    assert path.read_text() == "[limits]\nmax_cost = 2.0\n"
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_broken_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("model = \n")
    with pytest.raises(ConfigError, match="can't be changed"):
        set_value(path, MODEL, "c/d")
    assert path.read_text() == "model = \n"


@pytest.mark.parametrize(
    "content",
    [b"limits = 5\n", b"[[limits]]\nmax_turns = 1\n", b"x = " + b"[" * 5000, b"\xff", b"#" * (1 << 20) + b"\n"],
    ids=["section-is-a-number", "section-is-a-list", "deep", "no-text", "large"],
)
def test_what_can_not_be_changed_is_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    for change in (lambda: set_value(path, COST, 2.5), lambda: unset_value(path, COST)):
        with pytest.raises(ConfigError, match="can't be changed"):
            change()
    assert path.read_bytes() == content


def test_a_pipe_in_its_place_is_named(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    os.mkfifo(path)
    with pytest.raises(ConfigError, match="can't be changed: Not a regular file"):
        set_value(path, COST, 2.5)


def test_line_ends_stay_and_a_byte_order_mark_goes(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b'\xef\xbb\xbf# mine\r\nmodel = "a/b"\r\n')
    set_value(path, MODEL, "c/d")
    assert path.read_bytes() == b'# mine\r\nmodel = "c/d"\r\n'
