"""Files that are either as they were or as they shall be, never in between."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rescene_cli.store.temporary import beside


@contextmanager
def undisturbed() -> Iterator[None]:
    """Have Ctrl-C wait until the block is done: it may raise wherever the main thread stands, also between renames.

    Blocking the signal would not do: another thread would take it, and the handler still runs on the main one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


def stage(path: Path, content: bytes, mode: int, *, durable: bool = False) -> Path:
    """Write `content` beside `path` and return the temporary file, ready to be renamed onto it.

    `durable` waits until the bytes are on the disk. Raises OSError with nothing left behind.
    """
    temporary = beside(path)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fchmod(descriptor, mode)
        if durable:
            os.fsync(descriptor)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    finally:
        os.close(descriptor)
    return temporary


def write(path: Path, content: bytes, mode: int = 0o600, *, durable: bool = True) -> None:
    """Replace `path` by a file with this content, or leave it as it was."""
    temporary = stage(path, content, mode, durable=durable)
    try:
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
