"""create_directory, move_file, delete_file and delete_directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from rescene_cli.core.changes import Kind
from rescene_cli.core.errors import ToolError
from rescene_cli.tools.tree import CreateDirectory, DeleteDirectory, DeleteFile, MoveFile
from tests.support.tools import Call, calls, said, tree, workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "root"
    (place / "dir/sub/empty").mkdir(parents=True)
    (place / "dir/a").write_bytes(b"same")
    (place / "dir/sub/b").write_bytes(b"same")
    (place / "dir/sub/b").chmod(0o755)
    (place / "dir/link").symlink_to("../file")
    (place / "file").write_text("x\n")
    (place / ".git").mkdir()
    (place / ".git/HEAD").write_text("ref")
    (tmp_path / "outside").mkdir()
    (place / "out").symlink_to(tmp_path / "outside")
    return place


@pytest.fixture
def tools(root: Path) -> dict[str, Call]:
    return calls(workspace(root), CreateDirectory, MoveFile, DeleteFile, DeleteDirectory)


def test_create(root: Path, tools: dict[str, Call]) -> None:
    outcome = tools["create_directory"](path="x/y")
    assert (root / "x/y").is_dir()
    assert outcome.operation is not None
    assert [change.path for change in outcome.operation.changes] == ["x", "x/y"]
    assert tools["create_directory"](path="x/y").operation is None
    with pytest.raises(ToolError, match="is a file"):
        tools["create_directory"](path="file")


def test_move_a_file_into_a_new_directory(root: Path, tools: dict[str, Call]) -> None:
    inode = (root / "file").stat().st_ino
    outcome = tools["move_file"](source="file", destination="new/name")
    assert (root / "new/name").stat().st_ino == inode
    assert not (root / "file").exists()
    assert said(outcome) == "Moved file -> new/name."


def test_move_a_directory_whole(root: Path, tools: dict[str, Call]) -> None:
    before = {path.removeprefix("dir"): data for path, data in tree(root).items() if path.startswith("dir")}
    modes = (root / "dir/a").stat().st_mode, (root / "dir/sub/b").stat().st_mode
    tools["move_file"](source="dir", destination="moved")
    after = {path.removeprefix("moved"): data for path, data in tree(root).items() if path.startswith("moved")}
    assert after == before
    assert ((root / "moved/a").stat().st_mode, (root / "moved/sub/b").stat().st_mode) == modes
    assert not (root / "dir").exists()


def test_move_into_an_existing_directory(root: Path, tools: dict[str, Call]) -> None:
    tools["move_file"](source="file", destination="dir/sub")
    assert (root / "dir/sub/file").read_text() == "x\n"


def test_move_a_link_and_not_its_target(root: Path, tools: dict[str, Call]) -> None:
    tools["move_file"](source="dir/link", destination="link2")
    assert str((root / "link2").readlink()) == "../file"
    assert (root / "file").exists()


def test_delete_a_file_and_a_link(root: Path, tools: dict[str, Call]) -> None:
    outcome = tools["delete_file"](path="file")
    assert outcome.title == "file  deleted, -1"
    assert outcome.diff.endswith("-x\n")
    tools["delete_file"](path="out")
    assert (root.parent / "outside").is_dir()
    assert not (root / "out").is_symlink()


def test_delete_a_directory_path_by_path(root: Path, tools: dict[str, Call]) -> None:
    outcome = tools["delete_directory"](path="dir")
    assert not (root / "dir").exists()
    assert (root / "file").exists()  # what the link pointed to
    assert outcome.operation is not None
    gone = {change.path: change.before.kind for change in outcome.operation.changes if change.before}
    assert gone == {
        "dir": Kind.DIRECTORY, "dir/a": Kind.FILE, "dir/link": Kind.SYMLINK, "dir/sub": Kind.DIRECTORY,
        "dir/sub/b": Kind.FILE, "dir/sub/empty": Kind.DIRECTORY,
    }  # fmt: skip
    assert said(outcome) == "Deleted dir/ with 3 files."


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("delete_directory", {"path": "."}, "working directory itself"),
        ("delete_directory", {"path": "dir/.."}, "working directory itself"),
        ("delete_directory", {"path": ".."}, "working directory itself"),
        ("delete_directory", {"path": ".git"}, "belongs to git"),
        ("delete_directory", {"path": "file"}, "no directory"),
        ("delete_directory", {"path": "out"}, "no directory"),
        ("delete_directory", {"path": "../outside"}, "outside the working directory"),
        ("delete_directory", {"path": "missing"}, "There is no missing"),
        ("delete_file", {"path": "dir"}, "Use delete_directory"),
        ("delete_file", {"path": ".git/HEAD"}, "belongs to git"),
        ("delete_file", {"path": "fil"}, "Did you mean file"),
        ("move_file", {"source": "file", "destination": "dir/a"}, "exists already"),
        ("move_file", {"source": "dir", "destination": "dir/sub/x"}, "into itself"),
        ("move_file", {"source": ".git", "destination": "git"}, "belongs to git"),
        ("move_file", {"source": ".", "destination": "x"}, "working directory itself"),
        ("move_file", {"source": "missing", "destination": "x"}, "There is no missing"),
        ("move_file", {"source": "file", "destination": "../x"}, "outside"),
        ("move_file", {"source": "file", "destination": "out/x"}, "outside"),
        ("move_file", {"source": "file", "destination": "file/x"}, "into itself|is no directory"),
    ],
)
def test_refusals_change_nothing(
    root: Path, tools: dict[str, Call], tool: str, arguments: dict[str, str], expected: str
) -> None:
    before = tree(root.parent)
    with pytest.raises(ToolError, match=expected):
        tools[tool](**arguments)
    assert tree(root.parent) == before
