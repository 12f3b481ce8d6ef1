"""edit_file's rules: exact first, then other white space where only one place is meant, else the nearest text."""

from __future__ import annotations

import pytest

from rescene_cli.core.errors import ToolError
from rescene_cli.workspace.edit import replace, rewrite
from rescene_cli.workspace.text import decode


def edited(data: bytes, old: str, new: str, *, everywhere: bool = False) -> bytes:
    return replace(decode(data, "f"), old, new, everywhere=everywhere).document.encode()


@pytest.mark.parametrize(
    ("data", "old", "new", "expected"),
    [
        (b"a = 1\nb = 2\n", "1", "3", b"a = 3\nb = 2\n"),
        (b"a\r\nb\r\nc\r\n", "a\nb\n", "a\nx\nb\n", b"a\r\nx\r\nb\r\nc\r\n"),
        (b"a\r\nb\nc\r\n", "b\nc\n", "b\nd\n", b"a\r\nb\nd\r\n"),
        (b"a\r\nb\r\n", "a\r\nb\r\n", "c\r\n", b"c\r\n"),
        (b"\xef\xbb\xbfa\nb\n", "\ufeffa", "c", b"\xef\xbb\xbfc\nb\n"),
        (b"a\nlast", "last", "end", b"a\nend"),
        (b"a\nlast", "a\nlast", "a\nlast\nmore", b"a\nlast\nmore"),
        (b"a\nb\nc\n", "b\n", "", b"a\nc\n"),
        (b"a\nb\nc\n", "a\nb", "ab", b"ab\nc\n"),
        (b"a\nb\nc\n", "\nb", "", b"a\nc\n"),
        (b"a\nb\nc\n", "b\n", "B", b"a\nBc\n"),
        (b"only", "only", "", b""),
        ("grün\n".encode("latin-1"), "gr", "Gr", "Grün\n".encode("latin-1")),
    ],
)
def test_exact(data: bytes, old: str, new: str, expected: bytes) -> None:
    assert edited(data, old, new) == expected


def test_everywhere_counts_places_and_keeps_endings() -> None:
    result = replace(decode(b"x x\r\ny\nx\n\nxx", "f"), "x", "long\nname", everywhere=True)
    assert result.places == 5
    assert result.document.encode() == b"long\r\nname long\r\nname\r\ny\nlong\nname\n\nlong\nnamelong\nname"


@pytest.mark.parametrize(
    ("data", "old", "new", "expected"),
    [
        (
            b"def f():\n    return 1  \n",
            "def f():\n    return 1\n",
            "def f():\n    return 2\n",
            b"def f():\n    return 2\n",
        ),
        (b"a\n\tif x:\n\t\ty\nb\n", "if x:\n\ty\n", "if x:\n\ty\n\tz\n", b"a\n\tif x:\n\t\ty\n\t\tz\nb\n"),
        (b"if x:\n  y\n", "    if x:\n      y\n", "    if x:\n      z\n", b"if x:\n  z\n"),
        (
            b"\tif x:\n\t\ty\n",
            "    if x:\n        y\n",
            "    if x:\n        if z:\n            y\n",
            b"\tif x:\n\t\tif z:\n\t\t\ty\n",
        ),
        (b"a  \nb\nc\n", "a\nb\n", "a\nx\n", b"a  \nx\nc\n"),  # untouched lines keep their trailing space
        (b"one\ntwo", "one\ntwo\n", "one\n2\n", b"one\n2"),  # a missing final newline is no reason to fail
        ("say \u201chello\u201d \u2013 now\n".encode(), 'say "hello" - now\n', "bye\n", b"bye\n"),
    ],
)
def test_other_white_space_where_one_place_is_meant(data: bytes, old: str, new: str, expected: bytes) -> None:
    result = replace(decode(data, "f"), old, new)
    assert result.document.encode() == expected
    assert "different white space" in result.note


@pytest.mark.parametrize(
    ("data", "old", "new", "said"),
    [
        (b"a\n", "", "x", "old_string is empty"),
        (b"a\n", "a", "a", "the same"),
        (b"x\ny\nx\n", "x", "z", r"2 places \(lines 1, 3\).*replace_all"),
        (b" x\ny\n  x\n", "x  \n", "z\n", r"2 places \(lines 1, 3\)"),
        (b"one\ntwo\nthree\n", "2\ttwo\n3\tthree", "x", "line numbers"),
        (b"a\nprint(total)\nb\n", "print(totals)", "x", "2\tprint\\(total\\)"),
        (b"a\nb\n", "nothing like it at all", "x", "nor anything like it"),
        (b"", "something", "x", "nor anything like it"),
        (b"    a\n  b\n", "a\n    b\n", "x\n", "not found"),  # no shift takes both lines to their places
        (b"  a\n", "    a\n", "b\n", "not found"),  # the new text could not be moved as far to the left
    ],
)
def test_refusals_say_what_to_do(data: bytes, old: str, new: str, said: str) -> None:
    with pytest.raises(ToolError, match=f"(?s){said}"):
        edited(data, old, new)


def test_the_nearest_text_of_a_long_file_is_found_by_its_equal_lines() -> None:
    lines = [f"line {number}\n" for number in range(20_000)]
    lines[12_344:12_347] = ["def compute(x):\n", "    y = x\n", "    return y * 2\n"]
    with pytest.raises(ToolError, match="12346\t    y = x"):
        edited("".join(lines).encode(), "def compute(x):\n    y = x\n    return y * 3\n", "z")


@pytest.mark.parametrize(
    ("data", "text", "expected"),
    [
        (b"a\r\nb\r\n", "a\nx\nb\n", b"a\r\nx\r\nb\r\n"),
        (b"a\r\nb\nc\n", "a\nb\nz\n", b"a\r\nb\nz\n"),
        (b"a\nb\n", "a\r\nb\r\n", b"a\r\nb\r\n"),
        (b"\xef\xbb\xbfa\n", "\ufeffb", b"\xef\xbb\xbfb"),
        (b"a", "", b""),
    ],
)
def test_rewriting_a_whole_file_keeps_its_ways(data: bytes, text: str, expected: bytes) -> None:
    assert rewrite(decode(data, "f"), text).encode() == expected
