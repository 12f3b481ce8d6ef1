"""Bytes that nobody meant to change do not change."""

from __future__ import annotations

import pytest

from rescene_cli.core.errors import ToolError
from rescene_cli.workspace.text import Line, Splice, decode, label, new_document

CASES = {
    "empty": b"",
    "lf": b"one\ntwo\n",
    "crlf": b"one\r\ntwo\r\n",
    "mixed": b"one\r\ntwo\nthree\r\n",
    "no end": b"one\ntwo",
    "lone cr": b"one\rtwo\n\r\n\n",
    "bom": b"\xef\xbb\xbfone\n",
    "utf-16-le": "\ufeffgrün\r\n".encode("utf-16-le"),
    "utf-16-be": "\ufeffgrün\n".encode("utf-16-be"),
    "latin-1": b"caf\xe9\n",
    "gbk": "中文 text\n".encode("gbk"),
    "odd separators": "a\x0cb\x1cc\x85d\u2028e\n".encode(),
}


@pytest.mark.parametrize("data", CASES.values(), ids=CASES.keys())
def test_every_byte_comes_back(data: bytes) -> None:
    document = decode(data, "f")
    assert document.encode() == data
    assert document.splice([]).encode() == data
    assert "\r\n" not in document.text
    assert not document.text.startswith("\ufeff")
    assert len(document.lines) == len(document.raw)


@pytest.mark.parametrize(
    ("data", "start", "stop", "lines", "expected"),
    [
        (b"a\r\nb\r\n", 1, 2, (Line("x"), Line("y")), b"a\r\nx\r\ny\r\n"),
        (b"a\r\nb\nc\r\n", 1, 2, (Line("x"),), b"a\r\nx\nc\r\n"),  # a replaced line keeps its own ending
        (b"a\r\nb\nc\n", 0, 2, (Line("x"), Line("y"), Line("z")), b"x\r\ny\nz\nc\n"),
        (b"a\r\nb\nc\n", 1, 1, (Line("x"),), b"a\r\nx\r\nb\nc\n"),  # an inserted one takes that of the line above
        (b"a\r\nb\r\n", 0, 0, (Line("x"),), b"x\r\na\r\nb\r\n"),
        (b"a\r\nb", 2, 2, (Line("x"),), b"a\r\nb\r\nx\r\n"),  # a line is never joined to an unfinished one
        (b"a\r\nb", 1, 2, (Line("x", ""),), b"a\r\nx"),
        (b"a\nb\n", 1, 2, (Line("x", "\r\n"),), b"a\nx\r\n"),
        (b"", 0, 0, (Line("x"),), b"x\n"),
    ],
)
def test_new_lines_take_the_endings_of_the_file(
    data: bytes, start: int, stop: int, lines: tuple[Line, ...], expected: bytes
) -> None:
    assert decode(data, "f").splice([Splice(start, stop, lines)]).encode() == expected


def test_several_splices_count_lines_as_they_were() -> None:
    splices = [Splice(0, 1, ()), Splice(2, 2, (Line("x"),)), Splice(2, 3, (Line("y"), Line("z")))]
    assert decode(b"a\nb\nc\nd\n", "f").splice(splices).encode() == b"b\nx\ny\nz\nd\n"


def test_an_ascii_change_leaves_all_other_bytes() -> None:
    data = "名字 = old\n第二行\n".encode("gbk")
    document = decode(data, "f")
    line = document.lines[0].replace("old", "new")
    assert document.splice([Splice(0, 1, (Line(line),))]).encode() == data.replace(b"old", b"new")


def test_latin_1_takes_latin_1_and_refuses_the_rest() -> None:
    document = decode(b"caf\xe9\n", "f")
    assert document.splice([Splice(1, 1, (Line("ü"),))]).encode() == b"caf\xe9\n\xfc\n"
    with pytest.raises(ToolError, match="can't hold '€'"):
        document.splice([Splice(1, 1, (Line("5 €"),))]).encode()


def test_in_an_unknown_encoding_no_new_character_is_guessed() -> None:
    document = decode(b"\x93quoted\x94 \xe9\n", "f")
    assert not document.known
    assert document.splice([Splice(1, 1, (Line("é again"),))]).encode() == b"\x93quoted\x94 \xe9\n\xe9 again\n"
    with pytest.raises(ToolError, match="unknown encoding"):
        document.splice([Splice(1, 1, (Line("ü"),))])


@pytest.mark.parametrize("data", [b"\x00\x01", b"text\0more", b"\xff\xfe\x00\x00a\x00\x00\x00", b"\xff\xfea"])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(ToolError, match=r"image\.bin"):
        decode(data, "image.bin")


def test_half_a_surrogate_pair_can_not_be_written() -> None:
    with pytest.raises(ToolError, match="UTF-8"):
        new_document("\ud800").encode()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lf", ""),
        ("crlf", "CRLF"),
        ("mixed", "CRLF"),
        ("bom", "UTF-8 with BOM"),
        ("latin-1", "Latin-1"),
        ("utf-16-le", "UTF-16, CRLF"),
    ],
)
def test_a_label_names_what_is_unusual(name: str, expected: str) -> None:
    shown = label(decode(CASES[name], "f"))
    assert shown == ("mixed line endings" if name == "mixed" else expected)
