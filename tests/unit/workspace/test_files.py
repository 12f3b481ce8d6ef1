"""The workspace: what is read, what may be overwritten, and what a commit adds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rescene_cli.core.changes import Cause, Change, PathState
from rescene_cli.core.errors import ToolError
from rescene_cli.history.tree import VersionedTree
from rescene_cli.workspace.boundary import Boundary
from rescene_cli.workspace.files import Workspace

CAUSE = Cause("test")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "root"
    root.mkdir()
    boundary = Boundary(root)
    return Workspace(VersionedTree(root, boundary.inside), boundary)


def write(workspace: Workspace, path: str, data: bytes = b"new") -> None:
    place = workspace.look(path)
    workspace.commit([Change(place.name, place.state, PathState.file(data, workspace.file_mode))], CAUSE)


def test_missing_directories_are_changes_of_their_own(workspace: Workspace) -> None:
    place = workspace.look("a/b/c.txt")
    operation = workspace.commit([Change(place.name, None, PathState.file(b"x"))], CAUSE)
    assert [change.path for change in operation.changes] == ["a", "a/b", "a/b/c.txt"]


def test_new_files_and_directories_have_the_modes_of_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        workspace = Workspace(VersionedTree(tmp_path), Boundary(tmp_path))
        write(workspace, "d/f")
    finally:
        os.umask(old)
    assert (tmp_path / "d").stat().st_mode & 0o777 == 0o750
    assert (tmp_path / "d/f").stat().st_mode & 0o777 == 0o640


def test_a_link_is_edited_at_its_target(workspace: Workspace) -> None:
    (workspace.root / "real").write_text("old")
    (workspace.root / "link").symlink_to("real")
    write(workspace, "link")
    assert (workspace.root / "link").is_symlink()
    assert (workspace.root / "real").read_text() == "new"


def test_nothing_is_written_outside(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.root / "out").symlink_to(tmp_path)
    for path in ("out/x", "../x", str(tmp_path / "x")):
        with pytest.raises(ToolError, match="outside"):
            write(workspace, path)
    assert not (tmp_path / "x").exists()
    workspace.boundary.allow(tmp_path)
    write(workspace, "../x")
    assert (tmp_path / "x").read_text() == "new"


def test_a_file_above_a_path_is_named(workspace: Workspace) -> None:
    (workspace.root / "f").write_text("")
    with pytest.raises(ToolError, match="f is no directory"):
        write(workspace, "f/g")


def test_what_the_system_refuses_is_said(workspace: Workspace) -> None:
    write(workspace, "d/f")
    with pytest.raises(ToolError, match=r"system refused.*not empty.*Nothing was changed"):
        workspace.commit([Change("d", workspace.look("d").state, None)], CAUSE)


def test_freshness(workspace: Workspace) -> None:
    place = workspace.root / "f"
    place.write_text("one")
    opened = workspace.open("f")
    change = Change("f", opened.state, PathState.file(b"two"))
    workspace.check_fresh([change])  # never read: nothing to compare with
    assert not workspace.has_seen("f")
    workspace.saw(opened)
    place.write_text("mine")
    later = Change("f", workspace.look("f").state, PathState.file(b"two"))
    with pytest.raises(ToolError, match="f changed since you read it"):
        workspace.check_fresh([later])
    with pytest.raises(ToolError, match="Changed on disk"):  # and what was planned before that is refused as well
        workspace.commit([change], CAUSE)
    assert place.read_text() == "mine"


def test_what_counts_as_seen(workspace: Workspace) -> None:
    write(workspace, "made")
    assert workspace.has_seen("made")
    (workspace.root / "edited").write_text("old")
    write(workspace, "edited")
    assert not workspace.has_seen("edited")  # part of it was never shown
    state = workspace.look("made").state
    assert state is not None
    moved = PathState(state.kind, state.mode, state.digest)
    workspace.commit([Change("made", state, None), Change("moved", None, moved)], CAUSE)
    assert workspace.has_seen("moved")
    assert not workspace.has_seen("made")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("src/confg.py", "Did you mean src/config.py"),
        ("config.py", "Did you mean src/config.py"),
        ("scr/config.py", "Did you mean src"),
        ("nothing/like/it", "Use glob"),
        ("src", "is a directory"),
        ("pipe", "a pipe, socket or device"),
        ("dangling", "There is no dangling"),
    ],
)
def test_what_can_not_be_opened(workspace: Workspace, path: str, said: str) -> None:
    (workspace.root / "src").mkdir()
    (workspace.root / "src/config.py").write_text("")
    (workspace.root / "dangling").symlink_to("gone")
    os.mkfifo(workspace.root / "pipe")
    with pytest.raises(ToolError, match=said):
        workspace.open(path)


def test_a_huge_file_is_not_read(workspace: Workspace) -> None:
    with (workspace.root / "huge").open("wb") as file:
        file.truncate(60_000_000)
    with pytest.raises(ToolError, match="larger than 50 MB"):
        workspace.open("huge")
