"""A task from words, files and standard input."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from rescene_cli.cli import task
from rescene_cli.cli.task import MAX_BYTES, Task, read_task
from rescene_cli.core.errors import Interrupted, InterruptReason, UsageError
from rescene_cli.core.messages import Image
from rescene_cli.core.runtime import Interrupt, deadline

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[bytes], None]]:
    """Sets what standard input holds."""
    place = tmp_path / "stdin"
    place.touch()
    with place.open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        yield place.write_bytes  # type: ignore[misc]


def read(words: Sequence[str], files: Sequence[Path]) -> Task:
    return read_task(words, files, Interrupt())


def test_words_input_and_files_come_in_this_order(given: Callable[[bytes], None], tmp_path: Path) -> None:
    given(b"\xef\xbb\xbffrom the pipe\r\n")
    (tmp_path / "a.txt").write_text("from a file\n")
    (tmp_path / "b.png").write_bytes(PNG)
    task = read(["explain", "-", "this"], [tmp_path / "a.txt", tmp_path / "b.png"])
    assert task == Task("explain this\n\nfrom the pipe\n\nfrom a file", (Image("image/png", PNG),))


@pytest.mark.parametrize("content", [b"x" * (MAX_BYTES + 1), PNG + bytes(MAX_BYTES)], ids=["text", "image"])
def test_a_file_that_is_too_large_is_refused_and_never_sent_in_part(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(content)
    with pytest.raises(UsageError, match="larger than 4 MiB"):
        read([], [tmp_path / "big"])


def test_standard_input_that_is_too_large_is_refused(given: Callable[[bytes], None]) -> None:
    given(b"x" * (MAX_BYTES + 1))
    with pytest.raises(UsageError, match="standard input is larger"):
        read(["-"], [])


@pytest.mark.parametrize("content", [b"RIFF\xff\0\0\0WAVEfmt \x10", b"\xff\xfe\xfd"])
def test_what_is_neither_text_nor_an_image_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "sound.wav").write_bytes(content)
    with pytest.raises(UsageError, match="not UTF-8"):
        read([], [tmp_path / "sound.wav"])


def test_a_file_that_is_not_there_and_a_closed_input_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read([], [tmp_path / "gone"])
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UsageError, match="standard input is closed"):
        read(["-"], [])


def test_a_pipe_nobody_writes_to_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(task, "WRITER", 0.05)
    with pytest.raises(UsageError, match="nobody writes to"):
        read(["go"], [pipe])


def test_a_pipe_that_is_written_to_later_is_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    threading.Timer(0.2, pipe.write_text, ("from the pipe",)).start()
    assert read(["go"], [pipe]).text == "go\n\nfrom the pipe"


def test_a_pipe_is_read_as_long_as_somebody_writes_to_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    keeps = os.open(pipe, os.O_RDWR)

    def write() -> None:
        for _ in range(3):
            os.write(keeps, b"x" * 40_000)
        os.close(keeps)

    thread = threading.Thread(target=write)
    thread.start()
    assert len(read([], [pipe]).text) == 120_000
    thread.join()


@pytest.mark.parametrize("words", [["go"], ["-"]])
def test_a_writer_that_never_ends_is_given_up_at_the_deadline(
    words: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    keeps = os.open(pipe, os.O_RDWR)
    interrupt = Interrupt()
    with pipe.open("r+b", buffering=0) as stream, deadline(interrupt, 0.05), pytest.raises(Interrupted) as raised:
        monkeypatch.setattr(sys, "stdin", stream)
        read_task(words, [pipe] if words == ["go"] else [], interrupt)
    os.close(keeps)
    assert raised.value.reason is InterruptReason.TIMEOUT
