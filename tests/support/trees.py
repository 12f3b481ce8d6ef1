"""Folders as values: read whole, compared byte for byte, made from a description."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple


class Node(NamedTuple):
    """What stands at a path. `mode` has only the permission bits; `content` is a link's target for links."""

    kind: str
    mode: int
    content: bytes = b""

    def __repr__(self) -> str:
        shown = self.content if len(self.content) <= 400 else self.content[:200] + b" ... " + self.content[-200:]
        return f"{self.kind} {self.mode:o} {shown!r}"


Tree = dict[str, Node]


def snapshot(root: Path) -> Tree:
    """Everything below `root`, empty folders too."""
    return {path.relative_to(root).as_posix(): node(path) for path in sorted(root.rglob("*"))}


def node(path: Path) -> Node:
    """What stands at `path`; links are not followed."""
    found = path.lstat()
    mode = stat.S_IMODE(found.st_mode)
    if stat.S_ISLNK(found.st_mode):
        return Node("link", 0o777, os.fsencode(path.readlink()))
    if stat.S_ISDIR(found.st_mode):
        return Node("directory", mode)
    return Node("file", mode, path.read_bytes())


def difference(found: Mapping[str, Node], wanted: Mapping[str, Node]) -> str:
    """Where two trees differ, a line a path; '' where they are the same."""
    paths = sorted(path for path in found.keys() | wanted.keys() if found.get(path) != wanted.get(path))
    return "\n".join(f"{path}\n  found  {found.get(path)}\n  wanted {wanted.get(path)}" for path in paths)


def described(entry: Mapping[str, Any]) -> Node:
    """A node from a table of `expect.toml`: `text` in `encoding`, or `hex`, or `link`, or `directory = true`."""
    if "link" in entry:
        return Node("link", 0o777, os.fsencode(entry["link"]))
    if entry.get("directory"):
        return Node("directory", int(str(entry.get("mode", "755")), 8))
    if "hex" in entry:
        content = bytes.fromhex(entry["hex"])
    else:
        content = str(entry["text"]).encode(entry.get("encoding", "utf-8"))
    return Node("file", int(str(entry.get("mode", "644")), 8), content)


def plant(path: Path, wanted: Node) -> None:
    """Make `wanted` at `path`, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if wanted.kind == "link":
        path.symlink_to(os.fsdecode(wanted.content))
    elif wanted.kind == "directory":
        path.mkdir(exist_ok=True)
        path.chmod(wanted.mode)
    else:
        path.write_bytes(wanted.content)
        path.chmod(wanted.mode)
