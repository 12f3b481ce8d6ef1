"""Changes to files: the vocabulary of edits, captures and rollbacks."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, NewType

OperationId = NewType("OperationId", str)

TIER = "none"  # what records changes, so that they can be taken back: nothing yet


class Kind(StrEnum):
    """What stands at a path."""

    FILE = "file"
    DIRECTORY = "directory"
    SYMLINK = "symlink"
    OTHER = "other"  # a socket, fifo or device: never written, only noticed

    @property
    def said(self) -> str:
        """What to call it in a sentence, with its article."""
        return _SAID[self]


_SAID = {
    Kind.FILE: "a file",
    Kind.DIRECTORY: "a directory",
    Kind.SYMLINK: "a symlink",
    Kind.OTHER: "a pipe, socket or device",
}


@dataclass(frozen=True, slots=True)
class PathState:
    """What stands, or shall stand, at one path.

    `digest` is the sha256 of the content in hex (of the target for a link, empty for a directory) and
    `mode` the permission bits. `content` travels along only where it is needed for a write; two states
    are equal when kind, mode and digest are.
    """

    kind: Kind
    mode: int
    digest: str = ""
    content: bytes | None = field(default=None, compare=False, repr=False)

    @classmethod
    def file(cls, content: bytes, mode: int = 0o644) -> PathState:
        """A file with this content."""
        return cls(Kind.FILE, mode, hashlib.sha256(content).hexdigest(), content)

    @classmethod
    def directory(cls, mode: int = 0o755) -> PathState:
        """A directory; what is in it has changes of its own."""
        return cls(Kind.DIRECTORY, mode)


class Change(NamedTuple):
    """One path before and after; `None` means that nothing stands there.

    `path` is relative to the tree's root, with `/`, or absolute when it lies outside the root. A move is
    two changes on one digest.
    """

    path: str
    before: PathState | None
    after: PathState | None

    def inverse(self) -> Change:
        """The change that takes this one back."""
        return self._replace(before=self.after, after=self.before)


class Cause(NamedTuple):
    """Why something changed: ids only, never what anybody said."""

    tool: str
    call: str = ""
    session: str = ""
    turn: int = 0


class Operation(NamedTuple):
    """An applied set of changes with one cause."""

    id: OperationId
    cause: Cause
    changes: tuple[Change, ...]
