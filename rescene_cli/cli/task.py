"""What a person wants done: words, files, standard input."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rescene_cli.core.errors import UsageError
from rescene_cli.core.messages import Image, image_type
from rescene_cli.core.runtime import Interrupt

_PIECE = 65_536  # bytes, what a pipe holds
WRITER = 10.0  # seconds that somebody may take to begin to write to a pipe
MAX_BYTES = 4 << 20  # of one file, and of standard input: more is no task but a document for read_file


class Task(NamedTuple):
    """The text for the model, and the images that go with it."""

    text: str
    images: tuple[Image, ...] = ()


def read_task(words: Sequence[str], files: Sequence[Path], interrupt: Interrupt) -> Task:
    """Put the task together; `-` among the words stands for standard input. Raises UsageError, Interrupted."""
    text = " ".join(word for word in words if word != "-").strip()
    parts, images = [text] if text else [], []
    if "-" in words:
        parts.append(_standard_input(interrupt))
    for file in files:
        data = _read(file, interrupt)
        if media_type := image_type(data):
            images.append(Image(media_type, data))
        else:
            parts.append(_decoded(data, str(file)))
    return Task("\n\n".join(part for part in parts if part), tuple(images))


def _standard_input(interrupt: Interrupt) -> str:
    if sys.stdin is None:
        raise UsageError("There is no task: standard input is closed.", 'Give it as words: rescene run "fix the tests"')
    data = _content(sys.stdin.fileno(), interrupt)
    hint = "Put it into a file and name that in the task; the model can read it."
    return _decoded(_bounded(data, "standard input", hint), "standard input")


def _read(file: Path, interrupt: Interrupt) -> bytes:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        try:
            is_pipe = stat.S_ISFIFO(os.fstat(descriptor).st_mode)
            if is_pipe:
                interrupt.wait_for(descriptor, WRITER)
            data = _content(descriptor, interrupt)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise UsageError(f"{file} can't be read: {error.strerror}.", "Check the name given to --file.") from None
    if is_pipe and not data:
        raise UsageError(f"{file} is a pipe that nobody writes to.", "Start what writes to it first.")
    return _bounded(data, str(file), "Name it in the task; the model can read it, or scale it down if it is an image.")


def _content(descriptor: int, interrupt: Interrupt) -> bytes:
    """All of it, or a little more than a task may have; a pipe that nobody writes to is empty."""
    data, blocking = bytearray(), os.get_blocking(descriptor)
    while len(data) <= MAX_BYTES:
        if blocking:
            interrupt.wait_for(descriptor)
        try:
            piece = os.read(descriptor, _PIECE)
        except BlockingIOError:
            interrupt.wait_for(descriptor)
            continue
        if not piece:
            break
        data += piece
    return bytes(data)


def _bounded(data: bytes, name: str, hint: str) -> bytes:
    if len(data) > MAX_BYTES:
        raise UsageError(f"{name} is larger than {MAX_BYTES >> 20} MiB.", hint)
    return data


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise UsageError(f"{name} is not UTF-8 text.", "Convert it, or name it in the task.") from None
