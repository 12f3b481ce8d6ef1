"""The edge of the program: the one place where errors become messages and exit codes."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rescene_cli.core.errors import Interrupted, ResceneError, UsageError

if TYPE_CHECKING:
    from rescene_cli.cli.face import Face

_READER_GONE = 141  # what a shell shows for a program that SIGPIPE ended


def run(arguments: Sequence[str]) -> int:
    """Carry out a command line; returns the exit code."""
    if None in {sys.stdin, sys.stdout, sys.stderr}:
        from rescene_cli.store.streams import open_missing

        open_missing()
    try:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # a file name may be no valid text
        code = _answer(list(arguments))
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        os._exit(_READER_GONE)  # not through sys.exit: that would flush to the closed pipe again, loudly
    return code


def _answer(arguments: list[str]) -> int:
    if arguments in (["--help"], ["-h"]):
        from rescene_cli.cli.table import root_help

        sys.stdout.write(root_help())
        return 0
    from rescene_cli.cli.face import Face

    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    face = Face(json="--json" in own, debug="--debug" in own)
    return _guarded(arguments, face)


def _guarded(arguments: list[str], face: Face) -> int:
    from rescene_cli.cli.table import meant

    command = meant(arguments)
    try:
        _need_posix()
        from rescene_cli.cli.group import invoke

        bare = all(word in {"--json", "--debug"} for word in arguments)
        result = invoke([*arguments, "run"] if bare else arguments, face)
        return result if isinstance(result, int) else face.show(result)
    except KeyboardInterrupt:
        return face.fail(command, Interrupted())
    except ResceneError as error:
        _trace(face)
        return face.fail(command, error)
    except BrokenPipeError:
        raise
    except Exception as bug:  # noqa: BLE001 - anything else is a bug, and a person gets a log instead of a traceback
        _trace(face)
        from rescene_cli.cli.crash import as_error

        return face.fail(command, as_error(bug))


def _need_posix() -> None:
    if os.name == "nt":
        raise UsageError("rescene needs a POSIX system.", "On Windows, run it inside WSL.")


def _trace(face: Face) -> None:
    if face.debug:
        import traceback

        traceback.print_exc()
