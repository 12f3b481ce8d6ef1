"""The files of a project, as git would list them: hidden ones too, ignored ones not, `.git` never."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from rescene_cli import git
from rescene_cli.core.runtime import Interrupt
from rescene_cli.store.regular import read_start
from rescene_cli.workspace.ignores import MOST_BYTES, Rules

_IGNORE = ".gitignore"
_MODULES_BYTES = 1 << 20


def files(directory: Path, interrupt: Interrupt | None = None) -> list[str]:
    """Every file below `directory`, relative to it, sorted; links are files and are not followed.

    A tracked file that was deleted may still be in it. Bytes that are not UTF-8 come as surrogate escapes.
    Raises Interrupted.
    """
    if git.work_tree(directory):
        found = git.listed(directory, interrupt)
        if found:  # nothing at all: the directory itself is ignored, or empty
            return sorted(_with_nested(directory, found, interrupt))
    return sorted(_walk(directory, interrupt))


def ignored(directory: Path, names: Sequence[str]) -> set[str]:
    """Those of the entries `names` of `directory` that are ignored."""
    if git.work_tree(directory):
        said = git.ignored(directory, names)
        if said is not None:
            return said
    rules = [(base, found) for base in (directory, *directory.parents) if (found := _rules(base))]
    for folder in (*reversed(directory.parents), directory):
        if _is_ignored(folder, [pair for pair in rules if pair[0] in folder.parents]):
            return set(names)
    return {name for name in names if _is_ignored(directory / name, rules)}


def _with_nested(directory: Path, found: list[str], interrupt: Interrupt | None) -> Iterator[str]:
    """The list with each repository inside (submodule or untracked) replaced by its own files."""
    modules = _submodules(directory)
    for path in found:
        if not path.endswith("/") and path not in modules:
            yield path
            continue
        nested = directory / path
        if nested.is_dir() and not nested.is_symlink():
            yield from (f"{path.rstrip('/')}/{below}" for below in files(nested, interrupt))


def _submodules(directory: Path) -> set[str]:
    """Paths that `.gitmodules` names, as it stands at the top of a work tree."""
    try:
        data = read_start(directory / ".gitmodules", _MODULES_BYTES, follow=False)
    except OSError:
        return set()
    text = data.decode("utf-8", "surrogateescape")
    pairs = (line.partition("=") for line in text.splitlines())
    return {value.strip() for key, _, value in pairs if key.strip() == "path"}


Ruling = list[tuple[Path, Rules]]  # each with the directory it speaks of, the nearest first


def _walk(directory: Path, interrupt: Interrupt | None) -> Iterator[str]:
    """Files below `directory` where git can't say: the same rules, read by ourselves."""
    pending: list[tuple[Path, str, Ruling]] = [(directory, "", [])]
    while pending:
        if interrupt:
            interrupt.check()
        place, prefix, rules = pending.pop()
        own = _rules(place)
        rules = [(place, own), *rules] if own else rules
        with suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                if entry.name == ".git" or (rules and _is_ignored(place / entry.name, rules)):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append((place / entry.name, f"{prefix}{entry.name}/", rules))
                else:
                    yield prefix + entry.name


def _rules(directory: Path) -> Rules | None:
    try:
        data = read_start(directory / _IGNORE, MOST_BYTES, follow=False)
    except OSError:  # none, or none that git would read: a link, a pipe
        return None
    return Rules(data)


def _is_ignored(path: Path, rules: Ruling) -> bool:
    is_directory = path.is_dir() and not path.is_symlink()
    for base, own in rules:
        verdict = own.verdict(path.relative_to(base).as_posix() + ("/" if is_directory else ""))
        if verdict is not None:
            return verdict
    return False


def shown(name: str) -> str:
    """A file name as text that can be sent and printed on one line: odd bytes and control characters escaped."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
