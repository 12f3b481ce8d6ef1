"""Both patch formats, worked out against files in memory."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from rescene_cli.core.changes import Kind, PathState
from rescene_cli.core.errors import ToolError
from rescene_cli.workspace import patch
from rescene_cli.workspace.files import Place

Files = dict[str, bytes]


def applied(files: Mapping[str, bytes], text: str) -> Files:
    states = {name: PathState.file(data) for name, data in files.items()}
    changes = patch.plan(text, lambda path, follow: Place(path, states.get(path)))
    result = dict(files)
    for change in changes:
        if change.after is None:
            del result[change.path]
        else:
            result[change.path] = change.after.content or b""
    return result


def begin(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def update(*lines: str) -> str:
    return begin("*** Update File: f", *lines)


def unified(*lines: str) -> str:
    return "\n".join(["--- a/f", "+++ b/f", *lines, ""])


def test_all_actions_in_one_patch() -> None:
    text = begin(
        "*** Add File: new/file.txt", "+one", "+", "+two", "",
        "*** Delete File: old", "",
        "*** Update File: f", "*** Move to: g", "@@", " a", "-b", "+c",
    )  # fmt: skip
    files = applied({"old": b"x", "f": b"a\nb\n"}, text)
    assert files == {"new/file.txt": b"one\n\ntwo\n", "g": b"a\nc\n"}


def test_a_file_named_twice_is_changed_twice() -> None:
    text = begin("*** Update File: f", "@@", "-a", "+b", "*** Update File: f", "@@", "-b", "+c")
    assert applied({"f": b"a\n"}, text) == {"f": b"c\n"}


@pytest.mark.parametrize(
    ("data", "lines", "expected"),
    [
        (b"a\nb\n", ["-a", "+x"], b"x\nb\n"),  # the first hunk needs no @@
        (b"a\n\nb\n", ["@@", " a", "", "-b", "+c"], b"a\n\nc\n"),  # a bare empty line is context
        (b"a\nb\n", ["@@", "-a", "+A", "", "@@", "-b", "+B"], b"A\nB\n"),  # one that sets hunks apart is not
        (b"a\n", ["@@", "+x", "+y"], b"a\nx\ny\n"),  # nothing to find: to the end
        (b"x\ny\nx\n", ["@@", "-x", "+z", "*** End of File"], b"x\ny\nz\n"),
        (b"class A:\n  x\nclass B:\n  x\n", ["@@ class B:", "-  x", "+  y"], b"class A:\n  x\nclass B:\n  y\n"),
        (b"class A:\n  x\nclass B:\n  x\n", ["@@ class A:", "@@   x", "+  y"], b"class A:\n  x\n  y\nclass B:\n  x\n"),
        (b"def f():\n  x\n", ["@@ def f():", " def f():", "-  x", "+  y"], b"def f():\n  y\n"),
        (b"x\ny\nx\n", ["@@ -3,1 +3,1 @@", "-x", "+z"], b"x\ny\nz\n"),
        (b"x\na\nx\nb\n", ["@@", "-a", "+A", "@@", "-x", "+z"], b"x\nA\nz\nb\n"),  # order leaves one place
        (b"x\na\nx\nb\n", ["@@", "-x", "+z", "@@", "-a", "+A"], b"z\nA\nx\nb\n"),
        (b"a\nb\n", ["@@", "-b", "+B", "@@", "-a", "+A"], b"A\nB\n"),  # single places in any order
        (b"a\nb\nc\n", ["@@", "-a", "+A", " b", "@@", " b", "-c", "+C"], b"A\nb\nC\n"),  # shared context
        (b"one\r\ntwo\n", ["@@", "-one", " two"], b"two\n"),
        (b"a\r\nb\r\n", ["@@", " a", "+x", " b"], b"a\r\nx\r\nb\r\n"),
        (b"\xef\xbb\xbfa\n", ["@@", "-a", "+b"], b"\xef\xbb\xbfb\n"),
        (b"a\nb", ["@@", "-a", "+x"], b"x\nb"),  # an end that is not touched stays open
        (b"a\nb", ["@@", "-b", "+x"], b"a\nx\n"),
        (b"a\nb", ["@@", "-b", "+x", "\\ No newline at end of file"], b"a\nx"),
        (b"a\nb", ["@@", " b", "+x"], b"a\nb\nx\n"),
        (b"  if x:\n    y  \n", ["@@", " if x:", "-  y", "+  z"], b"  if x:\n    z\n"),  # shifted, trailing space
        (b"a\nb\n", ["@@", " a", " *** Update File: no header", "+x"], None),
    ],
)
def test_hunks(data: bytes, lines: list[str], expected: bytes | None) -> None:
    if expected is None:
        with pytest.raises(ToolError):
            applied({"f": data}, update(*lines))
    else:
        assert applied({"f": data}, update(*lines)) == {"f": expected}


@pytest.mark.parametrize(
    "text",
    [
        "apply_patch <<'EOF'\n{}\nEOF\n",
        "```\n{}\n```",
        "\n\n  {}\n\n",
        "Here is the patch:\n{}",
    ],
)
def test_wrappers_are_left_out(text: str) -> None:
    assert applied({"f": b"a\n"}, text.format(update("@@", "-a", "+b"))) == {"f": b"b\n"}


def test_a_patch_sent_with_crlf() -> None:
    text = update("@@", "-a", "+b").replace("\n", "\r\n")
    assert applied({"f": b"a\n"}, text) == {"f": b"b\n"}
    assert applied({"f": b"a\n"}, unified("@@ -1 +1 @@", "-a", "+b").replace("\n", "\r\n")) == {"f": b"b\n"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hello", "changes no file"),
        (begin(), "changes no file"),
        ("*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n", "cut off"),
        (begin("*** Rename File: f"), "Rename File"),
        (update(), "no changes"),
        (update("@@ def f():"), "no changes below"),
        (update("@@", "a line without its sign"), "must start with"),
        (begin("*** Add File: g", "text"), "must start with '\\+'"),
        (begin("*** Delete File: f", "-a"), "takes no lines"),
        (begin("*** Delete File: missing"), "no file missing"),
        (begin("*** Update File: missing", "@@", "-a", "+b"), "no file missing"),
        (begin("*** Update File: dir", "@@", "-a", "+b"), "is a directory"),
        (begin("*** Delete File: link"), "is a symlink"),
        (update("@@", "-nowhere to be seen", "+b"), "no lines like"),
        (update("@@", "-x", "+z"), r"more than one place \(lines 2, 4\)"),
        (update("@@ missing heading", "-x", "+z"), "no line 'missing heading'"),
        (update("@@", "-a", "+b", "@@", "-a", "+c"), "Two hunks"),
        (update("@@", "-a", "+a"), "change nothing"),
        (begin("*** Update File: bin", "@@", "-a", "+b"), "binary"),
        ("@@ -1 +1 @@\n-a\n+b\n", "has no file"),
        ("diff --git a/f b/f\nGIT binary patch\nliteral 1\n", "binary"),
        ("diff --git a/f b/f\nindex 1..2\n", "no hunks"),
        ("diff --git a/f b/g\ncopy from f\ncopy to g\n", "copies"),
        ("--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n", "exists already"),
        ("--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "more than the patch removes"),
        ("diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+f\n", "l is a symlink in"),
        ("diff --git a/f b/f\nindex 1..2 120000\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", "f is a symlink in"),
        ("diff --git a/f b/f\nold mode 100644\nnew mode 160000\n", "f is a submodule in"),
        ("diff --git a/l b/l\ndeleted file mode 120000\n--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-f\n", "l is a symlink"),
    ],
)
def test_refusals(text: str, said: str) -> None:
    states = {
        "f": PathState.file(b"a\nx\ny\nx\n"),
        "bin": PathState.file(b"a\0"),
        "dir": PathState.directory(),
        "link": PathState(Kind.SYMLINK, 0o777, "d"),
    }
    with pytest.raises(ToolError, match=said):
        patch.plan(text, lambda path, follow: Place(path, states.get(path)))


@pytest.mark.parametrize(
    ("data", "lines", "expected"),
    [
        (b"a\nb\nc\n", ["@@ -1,3 +1,3 @@", " a", "-b", "+x", " c"], b"a\nx\nc\n"),
        (b"a\nb\nc\n", ["@@ -40,9 +40,1 @@ def f", " a", "-b", "+x", " c"], b"a\nx\nc\n"),  # numbers that are wrong
        (b"x\na\nx\n", ["@@ -3 +3 @@", "-x", "+z"], b"x\na\nz\n"),  # numbers that decide
        (b"n\nn\nx\na\nx\n", ["@@ -2 +2 @@", "-a", "+A", "@@ -3 +3 @@", "-x", "+z"], b"n\nn\nx\nA\nz\n"),  # moved
        (
            b"n\nn\nn\na\nx\ny\nx\n",
            ["@@ -1 +1 @@", "-a", "+A", "@@ -2 +2 @@", "-x", "+z"],  # the second hunk moves as far as the first
            b"n\nn\nn\nA\nz\ny\nx\n",
        ),
        (b"a\n", ["@@ -0,0 +1 @@", "+top"], b"top\na\n"),
        (b"a\n", ["@@ -1,0 +2 @@", "+b"], b"a\nb\n"),
        (b"a\nb\n", ["@@ -1,0 +2 @@", "+x"], b"a\nx\nb\n"),  # no context: the number is all there is
        (
            b"-- old\nq\n",
            ["@@ -1,2 +1,2 @@", "--- old", "+++ new", " q"],
            b"++ new\nq\n",
        ),  # lines that look like headers
        (b"a\n\nb\n", ["@@ -1,3 +1,3 @@", " a", "", "-b", "+c"], b"a\n\nc\n"),
        (b"a\nb", ["@@ -1,2 +1,2 @@", " a", "-b", "\\ No newline at end of file", "+c"], b"a\nc\n"),
        (b"a\nb\n", ["@@ -1,2 +1,2 @@", " a", "-b", "+c", "\\ No newline at end of file"], b"a\nc"),
        (b"a\r\nb\r\n", ["@@ -1,2 +1,2 @@", " a\r", "-b\r", "+c\r"], b"a\r\nc\r\n"),
        (b"a\nb\n", ["@@ -1,2 +1,2 @@", " a", "-b", "+b\r"], b"a\nb\r\n"),  # an exact diff may change endings
        (b"a\r\nb\r\n", ["@@ -1,2 +1,2 @@", " a\r", "-b\r", "+b"], b"a\r\nb\n"),
        (b"\xef\xbb\xbfa\n", ["@@ -1 +1 @@", "-\ufeffa", "+b"], b"b\n"),
        (b"\xef\xbb\xbfa\n", ["@@ -1 +1 @@", "-\ufeffa", "+\ufeffb"], b"\xef\xbb\xbfb\n"),
        (b"a\n", ["@@ -1 +1 @@", "-a", "+\ufeffa"], b"\xef\xbb\xbfa\n"),
        (b"a\n", ["@@ -1 +1 @@", "-a", "+b", "-- ", "2.39.5"], b"b\n"),  # the signature of a mail
    ],
)
def test_unified_hunks(data: bytes, lines: list[str], expected: bytes) -> None:
    assert applied({"f": data}, unified(*lines)) == {"f": expected}


GIT = """\
From 0123 Mon Sep 17 00:00:00 2001
Subject: [PATCH] many things
---
 f | 2 +-
diff --git a/f b/f
index 1..2 100644
--- a/f
+++ b/f
@@ -1 +1 @@
-a
+b
diff --git a/old name.txt b/new name.txt
similarity index 100%
rename from old name.txt
rename to new name.txt
diff --git a/part.txt b/dir/part.txt
similarity index 60%
rename from part.txt
rename to dir/part.txt
--- a/part.txt
+++ b/dir/part.txt
@@ -1,2 +1,2 @@
 keep
-old
+new
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/empty b/empty
new file mode 100644
index 0..e
diff --git "a/caf\\303\\251" "b/caf\\303\\251"
--- "a/caf\\303\\251"
+++ "b/caf\\303\\251"
@@ -1 +1 @@
-x
+y
"""


def test_a_diff_of_git() -> None:
    files = {"f": b"a\n", "old name.txt": b"1", "part.txt": b"keep\nold\n", "gone": b"bye\n", "café": b"x\n"}
    expected = {"f": b"b\n", "new name.txt": b"1", "dir/part.txt": b"keep\nnew\n", "empty": b"", "café": b"y\n"}
    assert applied(files, GIT) == expected


def test_what_a_guard_may_ask() -> None:
    named = ["f", "old name.txt", "new name.txt", "part.txt", "dir/part.txt", "gone", "empty", "café"]
    assert patch.paths(GIT) == named
    assert patch.removes(GIT) == ["old name.txt", "part.txt", "gone"]
    assert patch.removes(begin("*** Update File: a", "-x", "*** Add File: b", "*** Update File: c", "+y")) == ["a", "b"]
    assert patch.removes("no patch") == patch.paths("no patch") == []


def test_modes() -> None:
    state = PathState.file(b"#!/bin/sh\n", 0o640)
    look = {"run": state}
    text = "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"
    [change] = patch.plan(text, lambda path, follow: Place(path, look.get(path)))
    assert change.after == PathState.file(b"#!/bin/sh\n", 0o750)
    [change] = patch.plan(begin("*** Add File: n", "+x"), lambda path, follow: Place(path, None), 0o600)
    assert change.after == PathState.file(b"x\n", 0o600)
    text = "diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n"
    [change] = patch.plan(text, lambda path, follow: Place(path, None), 0o644)
    assert change.after == PathState.file(b"x\n", 0o755)


def test_paths_without_prefixes_stay_as_they_are() -> None:
    text = "--- a/f\n+++ a/f\n@@ -1 +1 @@\n-x\n+y\n"
    assert applied({"a/f": b"x\n"}, text) == {"a/f": b"y\n"}
    assert applied({"f": b"x\n"}, "--- f\t2020-01-01\n+++ f\t2021-01-01\n@@ -1 +1 @@\n-x\n+y\n") == {"f": b"y\n"}


def test_links_are_followed_to_change_and_not_to_remove() -> None:
    asked: list[tuple[str, bool]] = []

    def look(path: str, follow: bool) -> Place:
        asked.append((path, follow))
        return Place(path, PathState.file(b"a\n"))

    moved = ["*** Update File: m", "*** Move to: n", "@@", "-a", "+b"]
    patch.plan(begin("*** Update File: u", "@@", "-a", "+b", "*** Delete File: d", *moved), look)
    assert asked == [("u", True), ("d", False), ("m", False), ("n", True)]
