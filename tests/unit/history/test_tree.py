"""The write seam: compared, whole, and never half done."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rescene_cli.core.changes import Cause, Change, PathState
from rescene_cli.core.errors import BoundaryError, ConflictError
from rescene_cli.history.tree import VersionedTree, read_state

CAUSE = Cause("test")


def snapshot(root: Path) -> dict[str, object]:
    return {p.relative_to(root).as_posix(): read_state(p) for p in sorted(root.rglob("*"))}


def names(root: Path) -> list[str]:
    return sorted(p.name for p in root.iterdir())


def test_write_replaces_content_and_keeps_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old\r\n")
    (tmp_path / "a").chmod(0o750)
    tree = VersionedTree(tmp_path)
    before = tree.state("a")
    operation = tree.commit([Change("a", before, PathState.file(b"new", 0o750))], CAUSE)
    assert (tmp_path / "a").read_bytes() == b"new"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o750
    assert operation.id == "o1"
    assert names(tmp_path) == ["a"]


def test_a_changed_file_is_a_conflict_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "b").write_bytes(b"old")
    tree = VersionedTree(tmp_path)
    changes = [Change(n, tree.state(n), PathState.file(b"new")) for n in ("a", "b")]
    (tmp_path / "b").write_bytes(b"mine")
    with pytest.raises(ConflictError, match="b"):
        tree.commit(changes, CAUSE)
    assert (tmp_path / "a").read_bytes() == b"old"
    assert (tmp_path / "b").read_bytes() == b"mine"


def test_failure_half_way_puts_everything_back(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "gone").write_bytes(b"two")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/keep").write_bytes(b"three")
    tree = VersionedTree(tmp_path)
    before = snapshot(tmp_path)
    changes = [
        Change("a", tree.state("a"), PathState.file(b"changed")),
        Change("gone", tree.state("gone"), None),
        Change("sub", None, PathState.directory()),
        Change("sub/new", None, PathState.file(b"new")),
        Change("full", tree.state("full"), None),  # not empty: the last step fails
    ]
    with pytest.raises(OSError, match="not empty"):
        tree.commit(changes, CAUSE)
    assert snapshot(tmp_path) == before


class Meddled(VersionedTree):
    """Somebody puts a folder in the place of `a` while the commit is under way."""

    def locate(self, path: str) -> Path:
        place = super().locate(path)
        if path == "full" and (self.root / "a").is_file() and (self.root / "a").read_bytes() == b"changed":
            (self.root / "a").unlink()
            (self.root / "a/in the way").mkdir(parents=True)
        return place


def test_what_can_not_be_put_back_is_kept_and_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "gone").write_bytes(b"two")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/keep").write_bytes(b"three")
    tree = Meddled(tmp_path)
    changes = [
        Change("a", tree.state("a"), PathState.file(b"changed")),
        Change("gone", tree.state("gone"), None),
        Change("full", tree.state("full"), None),
    ]
    with pytest.raises(ConflictError, match="half way") as raised:
        tree.commit(changes, CAUSE)
    (kept,) = [name for name in names(tmp_path) if name.startswith(".rescene-tmp-")]
    assert (tmp_path / kept).read_bytes() == b"one"
    assert kept in raised.value.hint
    assert (tmp_path / "gone").read_bytes() == b"two"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_another_owner_is_kept_and_so_is_the_new_mode(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "a").chmod(0o644)
    os.chown(tmp_path / "a", 1234, 1234)
    tree = VersionedTree(tmp_path)
    tree.commit([Change("a", tree.state("a"), PathState.file(b"y", 0o755))], CAUSE)
    found = (tmp_path / "a").stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o7777) == (1234, 1234, 0o755)


def test_a_move_is_two_changes_on_one_digest_and_keeps_the_inode(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"data")
    inode = (tmp_path / "a").stat().st_ino
    tree = VersionedTree(tmp_path)
    state = tree.state("a")
    tree.commit([Change("a", state, None), Change("b", None, state)], CAUSE)
    assert (tmp_path / "b").stat().st_ino == inode
    assert names(tmp_path) == ["b"]


def test_directories_are_made_and_removed_in_order(tmp_path: Path) -> None:
    tree = VersionedTree(tmp_path)
    made = tree.commit(
        [
            Change("x/y/f", None, PathState.file(b"1")),
            Change("x", None, PathState.directory(0o700)),
            Change("x/y", None, PathState.directory()),
        ],
        CAUSE,
    )
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o700
    tree.commit([change.inverse() for change in made.changes], CAUSE)
    assert names(tmp_path) == []


@pytest.mark.parametrize("path", ["../out", "link/out", "/etc/rescene-never", "sub/../../out"])
def test_outside_is_refused(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "sub").mkdir()
    (root / "link").symlink_to(tmp_path)
    with pytest.raises(BoundaryError):
        VersionedTree(root).commit([Change(path, None, PathState.file(b"x"))], CAUSE)
    assert not (tmp_path / "out").exists()


def test_mode_change_alone(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "a").chmod(0o644)
    tree = VersionedTree(tmp_path)
    state = tree.state("a")
    assert state is not None
    tree.commit([Change("a", state, PathState(state.kind, 0o755, state.digest))], CAUSE)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o755


def test_a_link_itself_is_replaced_not_its_target(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"kept")
    (tmp_path / "link").symlink_to("target")
    tree = VersionedTree(tmp_path)
    tree.commit([Change("link", tree.state("link"), PathState.file(b"file"))], CAUSE)
    assert (tmp_path / "target").read_bytes() == b"kept"
    assert not (tmp_path / "link").is_symlink()


def test_a_refusal_names_the_path_that_was_asked_for() -> None:
    place = Path("/proc/self")  # nobody may make a file there, root neither
    if not place.is_dir():
        pytest.skip("only Linux has it")
    with pytest.raises(OSError, match="new") as raised:
        VersionedTree(place).commit([Change("new", None, PathState.file(b"x"))], CAUSE)
    assert Path(raised.value.filename).name == "new"


def test_what_a_killed_commit_left_goes_with_the_next(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("a", "sub/b", "c"):
        (tmp_path / name).write_text("old")
    program = """
import os, sys
from pathlib import Path
from rescene_cli.core.changes import Cause, Change, PathState
from rescene_cli.history.tree import VersionedTree
class Killed(VersionedTree):
    def _place(self, change, work):
        if change.path == "c":
            os.kill(os.getpid(), 9)
        super()._place(change, work)
tree = Killed(Path(sys.argv[1]))
changes = [Change(name, tree.state(name), PathState.file(b"new")) for name in ("a", "sub/b", "c")]
tree.commit(changes, Cause("test"))
"""
    killed = subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    assert killed.returncode == -9
    left = list(tmp_path.rglob(".rescene-tmp-*"))
    assert len(left) == 3  # what c should become, and what a and b were
    tree = VersionedTree(tmp_path)
    tree.commit([Change(name, tree.state(name), PathState.file(b"newer")) for name in ("c", "sub/b")], CAUSE)
    kept = list(tmp_path.rglob(".rescene-tmp-*"))
    assert [path.read_bytes() for path in kept] == [b"old"] * 2  # they stand nowhere else
