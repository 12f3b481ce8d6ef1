"""The log of a bug: where in the program it happened, never what was said or worked on."""

from __future__ import annotations

import os
import platform
import sys
import time
import traceback

from rescene_cli import __version__
from rescene_cli.core.errors import ResceneError
from rescene_cli.store.layout import data_dir, private_directory, write_private


class BugError(ResceneError):
    """The program itself is wrong."""

    code = "bug"
    exit_code = 70


def describe(bug: BaseException) -> str:
    """Versions, the types of the error and its causes, and their frames. No messages, no values of variables."""
    lines = [f"rescene {__version__}, Python {platform.python_version()}, {sys.platform} {platform.release()}"]
    seen: BaseException | None = bug
    while seen is not None:
        lines.append(f"{type(seen).__module__}.{type(seen).__qualname__}")
        frames = traceback.extract_tb(seen.__traceback__)
        lines += [f"  {frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        seen = seen.__cause__ or seen.__context__
    return "\n".join(lines) + "\n"


def as_error(bug: BaseException) -> BugError:
    """The error that a person sees, with the path of the log that was written."""
    folder = data_dir(os.environ) / "logs"
    try:
        private_directory(folder)
        log = write_private(folder / f"bug-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log", describe(bug).encode())
        where = f"Where it happened is written to {log}."
    except OSError as error:
        where = f"A log could not be written: {error}."
    return BugError(f"This is a bug in rescene ({type(bug).__name__}). {where}", "--debug shows the traceback.")
