"""The file list: what git lists, and the same without git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from rescene_cli.core.errors import Interrupted
from rescene_cli.core.runtime import Interrupt
from rescene_cli.workspace.listing import files, ignored, shown


def git(directory: Path, *arguments: str) -> None:
    config = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *config, *arguments], cwd=directory, check=True, capture_output=True)


@pytest.fixture(params=["git", "plain"])
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """One project twice: as a repository, and as a folder that only has the ignore files."""
    root = tmp_path / "project"
    for name in (
        "a.py", ".hidden", "sub/b.py", "sub/deep/c.log", "sub/keep.log", "build/out.o", "node_modules/m/index.js",
        "with space.txt", "new\nline", "docs/build/page.md", "sub/only-here.tmp", "only-here.tmp",
    ):  # fmt: skip
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / os.fsdecode(b"caf\xe9")).write_text("")
    (root / ".gitignore").write_text("*.log\n/build/\nnode_modules\n")
    (root / "sub/.gitignore").write_text("!keep.log\n*.tmp\n")
    (root / "link").symlink_to("sub")
    (root / "empty").mkdir()
    if request.param == "git":
        git(root, "init")
        git(root, "add", "a.py")
    return root


LISTED = sorted([
    ".gitignore", ".hidden", "a.py", "docs/build/page.md", "link", "new\nline", "only-here.tmp", "sub/.gitignore",
    "sub/b.py", "sub/keep.log", "with space.txt", os.fsdecode(b"caf\xe9"),
])  # fmt: skip


def test_ignored_files_are_left_out_and_hidden_ones_are_not(project: Path) -> None:
    assert files(project) == LISTED


def test_below_a_directory_the_rules_above_count_in_a_repository(project: Path) -> None:
    assert set(files(project / "sub")) >= {".gitignore", "b.py", "keep.log"}
    assert "only-here.tmp" not in files(project / "sub")


def test_which_entries_are_ignored(project: Path) -> None:
    names = ["a.py", "build", "node_modules", "sub", ":(top)a"]
    assert ignored(project, names) == {"build", "node_modules"}
    assert ignored(project / "sub", ["b.py", "keep.log", "only-here.tmp", "x.log"]) == {"only-here.tmp", "x.log"}
    assert ignored(project, []) == set()


def test_a_tracked_file_counts_though_a_rule_names_it(tmp_path: Path) -> None:
    git(tmp_path, "init")
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "kept.log").write_text("")
    git(tmp_path, "add", "-f", "kept.log")
    assert files(tmp_path) == [".gitignore", "kept.log"]


def test_a_root_that_is_ignored_is_walked(tmp_path: Path) -> None:
    git(tmp_path, "init")
    (tmp_path / ".gitignore").write_text("work/\n")
    (tmp_path / "work").mkdir()
    (tmp_path / "work/a").write_text("")
    assert files(tmp_path / "work") == ["a"]
    assert files(tmp_path) == [".gitignore"]


def test_repositories_inside_are_listed_too(tmp_path: Path) -> None:
    git(tmp_path, "init")
    for name in ("untracked", "module"):
        (tmp_path / name).mkdir()
        git(tmp_path / name, "init")
        (tmp_path / name / "f").write_text("")
        git(tmp_path / name, "add", "f")
        git(tmp_path / name, "commit", "-m", "x")
    (tmp_path / ".gitmodules").write_text('[submodule "module"]\n\tpath = module\n\turl = ./module\n')
    git(tmp_path, "add", ".gitmodules", "module")
    (tmp_path / "module/new").write_text("")
    assert files(tmp_path) == [".gitmodules", "module/f", "module/new", "untracked/f"]


def test_listing_runs_nothing_that_the_repository_names(tmp_path: Path) -> None:
    git(tmp_path, "init")
    hook = tmp_path / "hook"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    git(tmp_path, "config", "core.fsmonitor", str(hook))
    assert files(tmp_path) == ["hook"]
    assert not (tmp_path / "ran").exists()


def test_a_broken_repository_is_walked(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /nowhere\n")
    (tmp_path / "a").write_text("")
    assert files(tmp_path) == ["a"]


def test_names_are_shown_on_one_line_and_can_be_sent() -> None:
    assert shown("plain é.txt") == "plain é.txt"
    assert shown("new\nline") == "new\\nline"
    assert shown(os.fsdecode(b"caf\xe9")) == "caf\\xe9"


def test_a_pipe_where_git_looks_for_a_file_holds_nothing_up(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    for at, name in enumerate((".gitignore", ".gitmodules", ".git/HEAD", ".git/info/exclude", ".git/index")):
        root = tmp_path / f"{at}"
        (root / "sub").mkdir(parents=True)
        (root / "sub/f").write_text("")
        git(root, "init")
        (root / name).unlink(missing_ok=True)
        os.mkfifo(root / name)
        assert "sub/f" in files(root)
        assert ignored(root, ["sub"]) == set()
        assert files(root / "sub") == ["f"]


def test_rules_that_are_no_file_of_the_project_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    (tmp_path / "rules").write_text("a\n")
    (tmp_path / ".gitignore").symlink_to("rules")  # git follows none either
    assert files(tmp_path) == [".gitignore", "a", "rules"]


def test_what_is_below_an_ignored_directory_is_ignored_without_git_too(tmp_path: Path) -> None:
    (tmp_path / "build/deep").mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("build\n!deep\n")
    assert ignored(tmp_path / "build/deep", ["x"]) == {"x"}


def test_a_walk_can_be_stopped(tmp_path: Path) -> None:
    interrupt = Interrupt()
    interrupt.set()
    with pytest.raises(Interrupted):
        files(tmp_path, interrupt)
    git(tmp_path, "init")
    with pytest.raises(Interrupted):
        files(tmp_path, interrupt)
