"""Real diffs of random files apply exactly, in both formats and with what models leave out; junk never half applies."""

from __future__ import annotations

import difflib

from hypothesis import assume, given
from hypothesis import strategies as st

from rescene_cli.core.changes import PathState
from rescene_cli.core.errors import ToolError
from rescene_cli.workspace import patch
from rescene_cli.workspace.files import Place

LINE = st.sampled_from(["a", "b", "c", "", "  a", "-- a", "++ b", "@@ x", "*** c", " d ", "é", "diff --git"])


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[str], list[str], int]:
    """Lines before and after, and lines of context. Each untouched line is unique, so that its place is certain."""
    before = [
        f"{draw(LINE)} {number}" if draw(st.booleans()) else f"{number}" for number in range(draw(st.integers(1, 25)))
    ]
    after: list[str] = []
    for line in before:
        action = draw(st.sampled_from(["keep"] * 6 + ["drop", "change", "insert"]))
        after += [line] if action in {"keep", "insert"} else []
        after += [draw(LINE)] if action in {"change", "insert"} else []
    assume(before != after)
    return before, after, draw(st.integers(1, 3))


def unified(before: list[str], after: list[str], context: int, ends: tuple[str, str] = ("\n", "\n")) -> str:
    old, new = (_content(lines, end) for lines, end in ((before, ends[0]), (after, ends[1])))
    lines = difflib.unified_diff(_split(old), _split(new), "a/f", "b/f", n=context)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _content(lines: list[str], end: str) -> str:
    return "\n".join(lines) + (end if lines else "")


def _split(text: str) -> list[str]:
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def applied(data: bytes, text: str) -> bytes:
    [change] = patch.plan(text, lambda path, follow: Place(path, PathState.file(data)))
    assert change.after is not None
    return change.after.content or b""


@given(edits(), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_unified_diff_applies_exactly(edit: tuple[list[str], list[str], int], eol: str, mark: bool) -> None:
    before, after, context = edit
    start = "\ufeff" if mark else ""
    old, new = ((start + _content(lines, "\n").replace("\n", eol)).encode() for lines in (before, after))
    text = unified(before, after, context)
    assert applied(old, text) == new
    numberless = "\n".join("@@ -1 +1 @@" if line.startswith("@@ -") else line for line in text.split("\n"))
    assert applied(old, numberless) == new


@given(edits(), st.sampled_from([("", ""), ("\n", ""), ("", "\n")]))
def test_a_missing_final_newline_is_kept_made_or_mended_as_the_diff_says(
    edit: tuple[list[str], list[str], int], ends: tuple[str, str]
) -> None:
    before, after, context = edit
    assume(after and before[-1] and after[-1])
    old, new = _content(before, ends[0]), _content(after, ends[1])
    assert applied(old.encode(), unified(before, after, context, ends)) == new.encode()


@given(edits())
def test_the_other_format_applies_exactly(edit: tuple[list[str], list[str], int]) -> None:
    before, after, context = edit
    body = unified(before, after, context).split("\n")[2:-1]
    hunks = ["@@" if line.startswith("@@ -") else line for line in body]
    text = "\n".join(["*** Begin Patch", "*** Update File: f", *hunks, "*** End Patch"])
    assert applied(_content(before, "\n").encode(), text) == _content(after, "\n").encode()


PIECES = st.sampled_from([
    "*** Begin Patch", "*** End Patch", "*** Update File: f", "*** Add File: g", "*** Delete File: f", "*** Move to: g",
    "--- a/f", "+++ b/f", "@@ -1,2 +1,2 @@", "@@", "diff --git a/f b/f", "rename from f", "\\ No newline",
])  # fmt: skip
JUNK = st.one_of(LINE, LINE.map("+{}".format), LINE.map("-{}".format), LINE.map(" {}".format), PIECES)


@given(st.lists(JUNK, max_size=20))
def test_junk_is_an_answer_and_never_a_crash(lines: list[str]) -> None:
    text = "\n".join(lines)
    try:
        patch.plan(text, lambda path, follow: Place(path, PathState.file(b"a\nb\nc\n") if path == "f" else None))
    except ToolError as error:
        assert str(error)
    assert isinstance(patch.removes(text), list)
