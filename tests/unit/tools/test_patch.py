"""apply_patch: all or nothing, on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from rescene_cli.core.errors import ToolError
from rescene_cli.tools.files import ReadFile
from rescene_cli.tools.patch import ApplyPatch
from tests.support.tools import Call, calls, said, tree, workspace


@pytest.fixture
def tools(tmp_path: Path) -> dict[str, Call]:
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    (tmp_path / "old.txt").write_text("x\n")
    return calls(workspace(tmp_path), ReadFile, ApplyPatch)


PATCH = """*** Begin Patch
*** Update File: a.txt
@@
-two
+2
*** Add File: new/deep.txt
+hello
*** Delete File: old.txt
*** End Patch"""


def test_everything_in_one_operation(tmp_path: Path, tools: dict[str, Call]) -> None:
    outcome = tools["apply_patch"](patch=PATCH)
    assert tree(tmp_path) == {"a.txt": b"one\r\n2\r\n", "new": None, "new/deep.txt": b"hello\n"}
    assert said(outcome).splitlines() == [
        "Applied:", "changed a.txt (+1 -1)", "created new/deep.txt (+1 -0)", "deleted old.txt (+0 -1)",
    ]  # fmt: skip
    assert outcome.title == "3 files  +2 -2"
    assert outcome.operation is not None
    assert [change.path for change in outcome.operation.changes] == ["new", "a.txt", "new/deep.txt", "old.txt"]


@pytest.mark.parametrize(
    "broken",
    [
        PATCH.replace("-two", "-three"),
        PATCH.replace("old.txt", "missing.txt"),
        PATCH.replace("new/deep.txt", "a.txt/deep"),
        PATCH.replace("new/deep.txt", "../outside.txt"),
        PATCH.replace("+hello", "+\ud800"),
        PATCH.replace("*** End Patch", ""),
    ],
)
def test_nothing_is_written_when_a_part_fails(tmp_path: Path, tools: dict[str, Call], broken: str) -> None:
    before = tree(tmp_path)
    with pytest.raises(ToolError):
        tools["apply_patch"](patch=broken)
    assert tree(tmp_path) == before
    assert not (tmp_path.parent / "outside.txt").exists()


def test_a_file_that_changed_since_it_was_read_is_not_patched(tmp_path: Path, tools: dict[str, Call]) -> None:
    tools["read_file"](path="a.txt")
    (tmp_path / "a.txt").write_bytes(b"zero\r\none\r\ntwo\r\n")
    before = tree(tmp_path)
    with pytest.raises(ToolError, match=r"a\.txt changed since you read it"):
        tools["apply_patch"](patch=PATCH)
    assert tree(tmp_path) == before


def test_a_linked_file_is_patched_at_its_target(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "link").symlink_to("a.txt")
    tools["apply_patch"](patch=PATCH.replace("Update File: a.txt", "Update File: link"))
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a.txt").read_bytes() == b"one\r\n2\r\n"


def test_a_move_keeps_the_mode(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "a.txt").chmod(0o755)
    moved = PATCH.replace("a.txt\n", "a.txt\n*** Move to: bin/b\n")
    outcome = tools["apply_patch"](patch=moved)
    assert (tmp_path / "bin/b").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "bin/b").read_bytes() == b"one\r\n2\r\n"
    assert "deleted a.txt" in said(outcome)
