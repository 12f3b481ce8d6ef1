"""What git is asked, and that it fails into `None`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from rescene_cli import git


def test_the_work_tree_is_the_nearest_one(tmp_path: Path) -> None:
    (tmp_path / "outer/.git").mkdir(parents=True)
    (tmp_path / "outer/inner/sub").mkdir(parents=True)
    (tmp_path / "outer/inner/.git").write_text("gitdir: elsewhere\n")  # a submodule or a linked work tree
    assert git.work_tree(tmp_path / "outer/inner/sub") == tmp_path / "outer/inner"
    assert git.work_tree(tmp_path / "outer") == tmp_path / "outer"


def test_outside_a_repository_git_can_not_say(tmp_path: Path) -> None:
    assert git.listed(tmp_path) is None
    assert git.ignored(tmp_path, ["a"]) is None


def test_without_git_there_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git.listed(tmp_path) is None


def test_warnings_do_not_mix_with_names(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "a").write_text("")
    (tmp_path / ".gitignore").mkdir()  # git warns that it can't read this one
    assert git.listed(tmp_path) == ["a"]


def test_branch_is_read_from_head(tmp_path: Path) -> None:
    assert git.branch(tmp_path / "nowhere") in {"", git.branch(tmp_path)}
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("ref: refs/heads/feature/x\n")
    assert git.branch(tmp_path) == "feature/x"
    (tmp_path / ".git/HEAD").write_text("0123456789abcdef\n")
    assert git.branch(tmp_path) == "detached at 0123456789ab"
    tree = tmp_path / "tree"
    (tmp_path / "real").mkdir()
    (tmp_path / "real/HEAD").write_text("ref: refs/heads/side\n")
    tree.mkdir()
    (tree / ".git").write_text("gitdir: ../real\n")
    assert git.branch(tree) == "side"
    (tree / ".git").write_bytes(b"gitdir: \xff\0\n")
    assert git.branch(tree) == "detached at 0123456789ab"  # of the repository around it


def test_a_head_that_is_no_file_names_no_branch(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git/HEAD")
    assert git.branch(tmp_path) == git.branch(tmp_path.parent)
    assert git.waits(tmp_path)
    (tmp_path / ".git/HEAD").unlink()
    assert not git.waits(tmp_path)
