"""Diffs for people say the same as difflib's, and apply."""

from __future__ import annotations

import difflib
import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from rescene_cli.core.changes import Change, PathState
from rescene_cli.workspace.diff import diff


def change(before: bytes | None, after: bytes | None, path: str = "f") -> Change:
    return Change(path, *(None if data is None else PathState.file(data) for data in (before, after)))


def test_counts_and_names() -> None:
    shown = diff([change(b"a\nb\n", b"a\nc\nd"), change(None, b"x\n", "new"), change(b"y\n", None, "old")])
    assert (shown.added, shown.removed) == (3, 2)
    assert shown.text == (
        "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n\\ No newline at end of file\n"
        "--- /dev/null\n+++ b/new\n@@ -0,0 +1,1 @@\n+x\n"
        "--- a/old\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-y\n"
    )


def test_what_has_no_text_is_named_or_left_out() -> None:
    assert diff([Change("d", None, PathState.directory())]).text == ""
    assert diff([change(b"a\0", b"b\0")]).text == "Binary file f changed\n"
    assert diff([change(b"a\r\n", b"a\n")]).text == ""


def test_far_apart_changes_are_two_hunks() -> None:
    before = [f"{number}\n" for number in range(100)]
    after = ["x\n", *before[1:50], "y\n", *before[51:]]
    shown = diff([change("".join(before).encode(), "".join(after).encode())]).text
    assert shown.count("@@ -") == 2


lines = st.lists(st.sampled_from(["a\n", "b\n", "\n", "c d\n"]), max_size=30)


@given(lines, lines)
def test_git_applies_it(before: list[str], after: list[str]) -> None:
    shown = diff([change("".join(before).encode(), "".join(after).encode())])
    restored = list(difflib.restore([line[:1] + " " + line[1:] for line in _body(shown.text, before)], 2))
    assert restored == after
    assert shown.added - shown.removed == len(after) - len(before)


def _body(text: str, before: list[str]) -> list[str]:
    """All lines of the file with their marks: the hunks, and between them what no hunk shows."""
    out: list[str] = []
    at = 0
    for line in text.splitlines(keepends=True)[2:]:
        if line.startswith("@@"):
            start, length = (int(part) for part in line.split(" ")[1][1:].split(","))
            start -= 1 if length else 0
            out += [f" {same}" for same in before[at:start]]
            at = start
        else:
            out.append(line)
            at += line[0] != "+"
    return out + [f" {same}" for same in before[at:]]


def test_a_real_patch_takes_it(tmp_path: Path) -> None:
    before, after = b"a\nb\nc\n", b"a\nx\nc\nd"
    (tmp_path / "f").write_bytes(before)
    text = diff([change(before, after), change(None, b"n\n", "n")]).text
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=text.encode(), check=True, capture_output=True)
    assert (tmp_path / "f").read_bytes() == after
    assert (tmp_path / "n").read_bytes() == b"n\n"
