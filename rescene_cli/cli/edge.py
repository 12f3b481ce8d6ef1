"""The edge of the program: the one place where errors become messages and exit codes."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from rescene_cli.core.errors import Interrupted, InterruptReason, ResceneError, UsageError

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
        sys.stdout.flush()
    except OSError as error:
        code = _unwritten(error)
    _settle(sys.stderr)
    return code


def _unwritten(error: OSError) -> int:
    """The result could not be written: the reader has gone, or the disk is full."""
    _settle(sys.stdout)
    if isinstance(error, BrokenPipeError):
        return _READER_GONE
    with suppress(OSError):
        sys.stderr.write(f"error: The result can't be written: {error.strerror or error}.\n")
    return ResceneError.exit_code


def _settle(stream: TextIO) -> None:
    """Flush; what can't be written goes nowhere, else Python tries again at its end, loudly, and exits with 120."""
    try:
        stream.flush()
    except OSError:
        from rescene_cli.store.streams import discard

        discard(stream)


def _answer(arguments: list[str]) -> int:
    if arguments in (["--help"], ["-h"]):
        from rescene_cli.cli.table import root_help

        sys.stdout.write(root_help())
        return 0
    from rescene_cli.cli.face import Face

    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return _guarded(arguments, Face(_shape(own), debug="--debug" in own))


def _shape(words: list[str]) -> str:
    """How the result shall look. Read before anything is parsed: a wrong option is answered in the same shape."""
    shape = "json" if "--json" in words else "text"
    for word, following in zip(words, [*words, ""][1:], strict=True):
        name, equals, value = word.partition("=")
        if word in {"-o", "--output"} or (name == "--output" and equals):
            shape = value if equals else following
        elif word.startswith("-o") and not word.startswith("--"):
            shape = word[2:]
    return shape if shape in {"json", "stream-json"} else "text"


def _guarded(arguments: list[str], face: Face) -> int:
    from rescene_cli.cli.table import meant

    try:
        _end_with_an_answer()
        _need_posix()
        from rescene_cli.cli.group import invoke

        bare = all(word in {"--json", "--debug"} for word in arguments)
        result = invoke([*arguments, "run"] if bare else arguments, face)
        return result if isinstance(result, int) else face.show(result)
    except _Terminated:
        return face.fail(meant(arguments), Interrupted(InterruptReason.TERMINATED))
    except KeyboardInterrupt:
        return face.fail(meant(arguments), Interrupted())
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - the edge: what is no known error is a bug, told without a traceback
        if face.debug:
            import traceback

            traceback.print_exc()
        return face.fail(meant(arguments), _known(error))


class _Terminated(KeyboardInterrupt):
    """A polite kill or a closed terminal, where nothing else looks after them."""


def _end_with_an_answer() -> None:
    """From here on a signal that ends the program is answered like Ctrl-C; a run does better (`under_signals`)."""
    import signal

    def end(number: int, frame: object) -> None:  # noqa: ARG001 - the signature is the system's
        raise _Terminated

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup, for one, has them ignored
            signal.signal(number, end)


def _known(error: Exception) -> ResceneError:
    """What a person is told of `error`."""
    if isinstance(error, ResceneError):
        return error
    if isinstance(error, OSError):
        where = f" ({os.fsdecode(error.filename)})" if error.filename else ""
        return ResceneError(f"The system refused{where}: {error.strerror or error}.", "Check the disk and the rights.")
    from rescene_cli.cli.crash import as_error

    return as_error(error)


def _need_posix() -> None:
    if os.name == "nt":
        raise UsageError("rescene needs a POSIX system.", "On Windows, run it inside WSL.")
