"""read_file, write_file and edit_file."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from rescene_cli.core.errors import ToolError
from rescene_cli.core.messages import Image
from rescene_cli.tools.files import EditFile, ReadFile, WriteFile
from tests.support.tools import Call, calls, said, workspace

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


@pytest.fixture
def tools(tmp_path: Path) -> dict[str, Call]:
    return calls(workspace(tmp_path), ReadFile, WriteFile, EditFile)


def test_lines_are_numbered_and_shown_with_lf(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbfone\r\n\r\nthree")
    outcome = tools["read_file"](path="f")
    assert said(outcome) == "1\tone\n2\t\n3\tthree\n[UTF-8 with BOM, CRLF]"
    assert outcome.title == "f  3 lines"


def test_a_page_says_how_to_get_the_next(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "f").write_text("".join(f"{number}\n" for number in range(1, 2501)))
    first = said(tools["read_file"](path="f"))
    assert first.endswith("2000\t2000\n[lines 1-2000 of 2500; continue with offset=2001]")
    assert said(tools["read_file"](path="f", offset=2001)).endswith("2500\t2500")
    middle = tools["read_file"](path="f", offset=10, limit=2)
    assert said(middle) == "10\t10\n11\t11\n[lines 10-11 of 2500; continue with offset=12]"
    assert middle.title == "f  10-11 of 2,500 lines"


def test_a_page_has_a_size_and_a_line_has_a_width(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "f").write_text("x" * 1000 + "\n" + "y" * 5000 + "\n" + ("z" * 1999 + "\n") * 100)
    text = said(tools["read_file"](path="f"))
    assert "[cut: the line has 5,000 characters]" in text
    assert len(text) < 50_200
    assert "continue with offset=2" in text


@pytest.mark.parametrize(
    ("path", "arguments", "expected"),
    [
        ("empty", {}, "[empty is empty]"),
        ("short", {"offset": 5}, "has 1 line; offset 5"),
        ("binary", {}, "binary file"),
        ("dir", {}, "is a directory"),
        ("shrot", {}, "Did you mean short"),
        ("", {}, "no path"),
    ],
)
def test_what_there_is_no_text_of(
    tmp_path: Path, tools: dict[str, Call], path: str, arguments: dict[str, int], expected: str
) -> None:
    (tmp_path / "empty").write_text("")
    (tmp_path / "short").write_text("x\n")
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "dir").mkdir()
    try:
        text = said(tools["read_file"](path=path, **arguments))
    except ToolError as error:
        text = str(error)
    assert expected in text


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0data\0", "image/jpeg"),
        (b"GIF89a\0", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
    ],
)
def test_images_are_images(tmp_path: Path, tools: dict[str, Call], data: bytes, media_type: str) -> None:
    (tmp_path / "picture").write_bytes(data)
    assert tools["read_file"](path="picture").parts[1] == Image(media_type, data)


def test_an_image_no_provider_takes_is_refused(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "picture").write_bytes(PNG + b"\0" * 5_000_000)
    with pytest.raises(ToolError, match="Scale it down"):
        tools["read_file"](path="picture")


def test_a_new_file_is_written_whole(tmp_path: Path, tools: dict[str, Call]) -> None:
    outcome = tools["write_file"](path="a/b.txt", content="one\ntwo")
    assert (tmp_path / "a/b.txt").read_bytes() == b"one\ntwo"
    assert said(outcome) == "Created a/b.txt (+2 -0)."
    assert outcome.title == "a/b.txt  +2 -0"
    assert outcome.diff.startswith("--- /dev/null\n+++ b/a/b.txt\n")
    assert outcome.operation is not None
    assert outcome.operation.cause.tool == "write_file"
    assert outcome.operation.cause.call == "c1"
    assert said(tools["write_file"](path="a/b.txt", content="three\n")) == "Changed a/b.txt (+1 -2)."


def test_an_existing_file_must_have_been_read(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "f").write_bytes(b"one\r\ntwo\r\n")
    (tmp_path / "f").chmod(0o750)
    with pytest.raises(ToolError, match="Read it before you overwrite it"):
        tools["write_file"](path="f", content="x\n")
    tools["read_file"](path="f")
    tools["write_file"](path="f", content="one\n2\n")
    assert (tmp_path / "f").read_bytes() == b"one\r\n2\r\n"
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o750
    (tmp_path / "f").write_bytes(b"mine\r\n")
    with pytest.raises(ToolError, match="changed since you read it; read it again"):
        tools["write_file"](path="f", content="x\n")
    assert (tmp_path / "f").read_bytes() == b"mine\r\n"


def test_writing_what_is_there_is_no_operation(tmp_path: Path, tools: dict[str, Call]) -> None:
    tools["write_file"](path="f", content="x\n")
    outcome = tools["write_file"](path="f", content="x\n")
    assert outcome.operation is None
    assert "already has exactly this content" in said(outcome)


def test_an_empty_file_needs_no_reading(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "f").touch()
    tools["write_file"](path="f", content="x\n")
    assert (tmp_path / "f").read_text() == "x\n"


def test_binary_content_is_never_overwritten_by_text(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "picture").write_bytes(PNG)
    tools["read_file"](path="picture")
    with pytest.raises(ToolError, match="binary"):
        tools["write_file"](path="picture", content="x")
    with pytest.raises(ToolError, match="is a directory"):
        tools["write_file"](path=".", content="x")


def test_an_edit_keeps_every_other_byte(tmp_path: Path, tools: dict[str, Call]) -> None:
    data = "# 说明\r\nname = old\r\nlast".encode("gbk")
    (tmp_path / "f").write_bytes(data)
    outcome = tools["edit_file"](path="f", old_string="name = old\n", new_string="name = new\n")
    assert (tmp_path / "f").read_bytes() == data.replace(b"old", b"new")
    assert said(outcome) == "Changed f (+1 -1). Replaced 1 place."
    assert outcome.diff.count("\n-") == outcome.diff.count("\n+name") == 1


def test_replace_all_and_a_note(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "f").write_text("  a\nb\n  a\n")
    assert "Replaced 2 places." in said(tools["edit_file"](path="f", old_string="a", new_string="c", replace_all=True))
    assert "white space" in said(tools["edit_file"](path="f", old_string="b  \n", new_string="d\n"))
    assert (tmp_path / "f").read_text() == "  c\nd\n  c\n"


def test_an_edit_of_a_file_that_changed_is_refused(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "f").write_text("a\n")
    tools["read_file"](path="f")
    (tmp_path / "f").write_text("a\nb\n")
    with pytest.raises(ToolError, match="read it again"):
        tools["edit_file"](path="f", old_string="a", new_string="c")
    tools["read_file"](path="f")
    tools["edit_file"](path="f", old_string="a", new_string="c")
    tools["edit_file"](path="f", old_string="c", new_string="d")  # its own edit is no change from outside
    assert (tmp_path / "f").read_text() == "d\nb\n"


def test_a_read_only_file_is_left_alone(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "f").write_text("a\n")
    (tmp_path / "f").chmod(0o444)
    tools["read_file"](path="f")
    for call in (
        lambda: tools["write_file"](path="f", content="b\n"),
        lambda: tools["edit_file"](path="f", old_string="a", new_string="b"),
    ):
        with pytest.raises(ToolError, match=r"f is read-only\. Make it writable with a command first"):
            call()
    assert (tmp_path / "f").read_text() == "a\n"
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o444


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_what_is_no_file_is_called_what_it_is(tmp_path: Path, tools: dict[str, Call], kind: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
    (tmp_path / "device").symlink_to("/dev/zero")
    for call in (
        lambda: tools["read_file"](path=kind),
        lambda: tools["edit_file"](path=kind, old_string="a", new_string="b"),
        lambda: tools["write_file"](path=kind, content="b"),
    ):
        with pytest.raises(ToolError, match=" is a pipe, socket or device"):
            call()
