"""A task from words, files and standard input."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from rescene_cli.cli.task import MAX_BYTES, Task, read_task
from rescene_cli.core.errors import UsageError
from rescene_cli.core.messages import Image

PNG = b"\x89PNG\r\n\x1a\n"


def given(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_words_input_and_files_come_in_this_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given(monkeypatch, b"\xef\xbb\xbffrom the pipe\r\n")
    (tmp_path / "a.txt").write_text("from a file\n")
    (tmp_path / "b.png").write_bytes(PNG)
    task = read_task(["explain", "-", "this"], [tmp_path / "a.txt", tmp_path / "b.png"])
    assert task == Task("explain this\n\nfrom the pipe\n\nfrom a file", (Image("image/png", PNG),))


@pytest.mark.parametrize("content", [b"x" * (MAX_BYTES + 1), PNG + bytes(MAX_BYTES)], ids=["text", "image"])
def test_a_file_that_is_too_large_is_refused_and_never_sent_in_part(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(content)
    with pytest.raises(UsageError, match="larger than 4 MiB"):
        read_task([], [tmp_path / "big"])


def test_standard_input_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, b"x" * (MAX_BYTES + 1))
    with pytest.raises(UsageError, match="standard input is larger"):
        read_task(["-"], [])


@pytest.mark.parametrize("content", [b"RIFF\xff\0\0\0WAVEfmt \x10", b"\xff\xfe\xfd"])
def test_what_is_neither_text_nor_an_image_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "sound.wav").write_bytes(content)
    with pytest.raises(UsageError, match="not UTF-8"):
        read_task([], [tmp_path / "sound.wav"])


def test_a_file_that_is_not_there_and_a_closed_input_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_task([], [tmp_path / "gone"])
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UsageError, match="standard input is closed"):
        read_task(["-"], [])


def test_a_pipe_nobody_writes_to_hangs_nothing(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert read_task(["go"], [pipe]).text == "go"
