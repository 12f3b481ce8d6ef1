"""Searching the lines of a project's files: with ripgrep where it is installed, else with our own scan.

Both run as a process of their own, so that a search can be stopped, and a pattern that never ends is.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rescene_cli import git, process
from rescene_cli.core.errors import ToolError
from rescene_cli.core.runtime import Interrupt
from rescene_cli.workspace.globs import compile_glob
from rescene_cli.workspace.scan import COLUMNS, PER_FILE, REFUSED, with_classes

_SECONDS = 30.0


class Query(NamedTuple):
    """What to search: `place` is a directory or a file; `glob` narrows the files by their path below it."""

    pattern: str
    place: Path
    glob: str = ""
    ignore_case: bool = False
    context: int = 0


class Hit(NamedTuple):
    """A line: `path` relative to the searched directory, `matches` false for a line of context.

    `line` is 0 for a gap between groups.
    """

    path: str
    line: int
    text: str
    matches: bool


class Found(NamedTuple):
    """The lines in order of path; `stopped` says that time ran out before the end."""

    hits: list[Hit]
    stopped: bool = False


def search(query: Query, interrupt: Interrupt | None = None) -> Found:
    """Every matching line. Raises ToolError for a pattern that no engine takes."""
    _check(query)
    ripgrep = shutil.which("rg")
    if ripgrep and not git.waits(_directory(query)):
        done = _run(_ripgrep(ripgrep, query), query, interrupt)
        hits = list(_hits(done.output, query))
        if hits or done.exit in {0, 1} or done.timed_out:
            return Found(hits, done.timed_out)
    # Look-around, back-references and a lone brace are no errors to Python's patterns: ours may still take it.
    done = _run(_own(query), query, interrupt)
    if done.exit == REFUSED:
        raise ToolError(done.output.decode("utf-8", "replace").strip()[-500:])
    if done.exit and not done.timed_out:
        message = f"The search ended with an error ({done.exit}). Try a simpler pattern, or fewer files."
        raise ToolError(message)
    return Found(list(_hits(done.output, query)), done.timed_out)


def _check(query: Query) -> None:
    """Raise ToolError for what the engines would read in different ways, or not at all."""
    compile_glob(query.glob)
    try:
        with_classes(query.pattern)
    except ValueError as error:
        raise ToolError(str(error)) from None


def _run(argv: list[str], query: Query, interrupt: Interrupt | None) -> process.Finished:
    done = process.run(argv, cwd=_directory(query), timeout=_SECONDS, interrupt=interrupt)
    if interrupt:
        interrupt.check()
    return done


def _directory(query: Query) -> Path:
    return query.place if query.place.is_dir() else query.place.parent


def _target(query: Query) -> str:
    return "./" if query.place.is_dir() else f"./{query.place.name}"


def _ripgrep(program: str, query: Query) -> list[str]:
    options = ["--line-number", "--with-filename", "--no-heading", "--color=never", "--null", "--no-messages"]
    options += [
        "--no-config",
        "--hidden",
        "--crlf",
        "--no-require-git",
        "--no-ignore-dot",
        "--glob=!.git",
        "--sort=path",
    ]
    options += [f"--max-columns={COLUMNS}", "--max-columns-preview", f"--max-count={PER_FILE}"]
    options += ["--ignore-case"] if query.ignore_case else []
    options += [f"--context={query.context}"] if query.context else []
    if query.glob and not set("/:") & set(query.glob):  # not --glob: that would bring ignored files back
        options += [f"--type-add=wanted:{query.glob}", "--type=wanted"]
    return [program, *options, f"--regexp={query.pattern}", "--", _target(query)]


def _own(query: Query) -> list[str]:
    flags = "i" if query.ignore_case else ""
    scan = [sys.executable, "-P", "-m", "rescene_cli.workspace.scan"]  # -P: the project's modules stay out of it
    return [*scan, _target(query), query.glob, flags, str(query.context), query.pattern]


def _hits(output: bytes, query: Query) -> Iterator[Hit]:
    """The lines of `path NUL number : text`, as both engines print them (`-` for context, `--` for a gap)."""
    wanted = compile_glob(query.glob) if query.glob and query.place.is_dir() else None
    begun = b""  # of a path that itself holds line ends
    for line in output.split(b"\n"):
        name, nul, rest = line.partition(b"\0")
        if not nul:
            if line.rstrip(b"\r") == b"--":  # with --crlf ripgrep ends this line so as well
                yield Hit("", 0, "", matches=False)
            else:
                begun += line + b"\n"
            continue
        name, begun = begun + name, b""
        path = name.decode("utf-8", "surrogateescape").removeprefix("./")
        if wanted and not wanted.fits(path):
            continue
        digits = len(rest) - len(rest.lstrip(b"0123456789"))
        text = rest[digits + 1 :].decode("utf-8", "replace").removesuffix("\r")
        yield Hit(path, int(rest[:digits] or 0), text, matches=rest[digits : digits + 1] == b":")
