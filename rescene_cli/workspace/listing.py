"""The files of a project, as git would list them: hidden ones too, ignored ones not, `.git` never."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rescene_cli import git

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_IGNORE = ".gitignore"


def files(directory: Path) -> list[str]:
    """Every file below `directory`, relative to it, sorted; links are files and are not followed.

    A tracked file that was deleted may still be in it. Bytes that are not UTF-8 come as surrogate escapes.
    """
    if git.work_tree(directory):
        found = git.listed(directory)
        if found:  # nothing at all: the directory itself is ignored, or empty
            return sorted(_with_nested(directory, found))
    return sorted(_walk(directory))


def ignored(directory: Path, names: Sequence[str]) -> set[str]:
    """Those of the entries `names` of `directory` that are ignored."""
    if git.work_tree(directory):
        found = git.ignored(directory, names)
        if found is not None:
            return found
    rules = [(base, spec) for base in (directory, *directory.parents) if (spec := _rules(base))]
    return {name for name in names if _is_ignored(directory / name, rules)}


def _with_nested(directory: Path, found: list[str]) -> Iterator[str]:
    """The list with each repository inside (submodule or untracked) replaced by its own files."""
    modules = _submodules(directory)
    for path in found:
        if not path.endswith("/") and path not in modules:
            yield path
            continue
        nested = directory / path
        if nested.is_dir() and not nested.is_symlink():
            yield from (f"{path.rstrip('/')}/{below}" for below in files(nested))


def _submodules(directory: Path) -> set[str]:
    """Paths that `.gitmodules` names, as it stands at the top of a work tree."""
    try:
        text = (directory / ".gitmodules").read_text("utf-8", "surrogateescape")
    except OSError:
        return set()
    pairs = (line.partition("=") for line in text.splitlines())
    return {value.strip() for key, _, value in pairs if key.strip() == "path"}


Rules = list[tuple[Path, "GitIgnoreSpec"]]


def _walk(directory: Path) -> Iterator[str]:
    """Files below `directory` where git can't say: the same rules, read by ourselves."""
    pending: list[tuple[Path, str, Rules]] = [(directory, "", [])]
    while pending:
        place, prefix, rules = pending.pop()
        spec = _rules(place)
        rules = [(place, spec), *rules] if spec else rules  # the nearest rules speak first
        with suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                if entry.name == ".git" or (rules and _is_ignored(place / entry.name, rules)):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append((place / entry.name, f"{prefix}{entry.name}/", rules))
                else:
                    yield prefix + entry.name


def _rules(directory: Path) -> GitIgnoreSpec | None:
    try:
        lines = (directory / _IGNORE).read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(lines)


def _is_ignored(path: Path, rules: Rules) -> bool:
    is_directory = path.is_dir() and not path.is_symlink()
    for base, spec in rules:
        relative = path.relative_to(base).as_posix() + ("/" if is_directory else "")
        verdict = spec.check_file(relative).include
        if verdict is not None:
            return verdict
    return False


def shown(name: str) -> str:
    """A file name as text that can be sent and printed on one line: odd bytes and control characters escaped."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
