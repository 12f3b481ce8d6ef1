"""Tools on a real folder, as a turn would run them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rescene_cli.core.messages import CallId, plain_text
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.tools import CallContext, Outcome, Tool
from rescene_cli.history.tree import VersionedTree
from rescene_cli.workspace.boundary import Boundary
from rescene_cli.workspace.files import Workspace

Call = Callable[..., Outcome]


def workspace(root: Path) -> Workspace:
    boundary = Boundary(root)
    return Workspace(VersionedTree(root, boundary.inside), boundary)


def calls(place: Workspace, *kinds: Callable[[Workspace], Tool]) -> dict[str, Call]:
    """A function for each tool, by name; its keywords are the tool's arguments."""
    context = CallContext(CallId("c1"), Interrupt())

    def bound(tool: Tool) -> Call:
        return lambda **arguments: tool.run(arguments, context)

    return {tool.spec.name: bound(tool) for tool in (kind(place) for kind in kinds)}


def said(outcome: Outcome) -> str:
    return plain_text(outcome.parts)


def tree(root: Path) -> dict[str, Any]:
    """Everything below `root`: content of files, targets of links, None for directories."""
    return {
        path.relative_to(root).as_posix(): str(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else None
        for path in sorted(root.rglob("*"))
    }
