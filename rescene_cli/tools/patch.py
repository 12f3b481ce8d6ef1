"""Applying patches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rescene_cli.core.changes import Cause, Change
from rescene_cli.core.messages import Text
from rescene_cli.core.tools import CallContext, Effect, Outcome, Targets
from rescene_cli.tools.spec import tool_spec
from rescene_cli.workspace.diff import Diff, diff
from rescene_cli.workspace.files import Workspace


class ApplyPatch:
    """`apply_patch(patch)`: many changes to many files, all or none."""

    spec = tool_spec(
        "apply_patch", {"patch": {"type": "string"}}, [Effect.WRITE], required=["patch"], targets=lambda a: _targets(a)
    )

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:
        """Work the patch out against the files, then write all of it."""
        from rescene_cli.workspace import patch  # not on the start path

        changes = patch.plan(arguments["patch"], self._workspace.look, self._workspace.file_mode)
        self._workspace.check_fresh(changes)
        operation = self._workspace.commit(changes, Cause("apply_patch", context.call_id))
        shown = diff(changes)
        said = "\n".join(["Applied:", *(_line(change) for change in changes)])
        return Outcome((Text(said),), title=_title(changes, shown), diff=shown.text, operation=operation)


def _targets(arguments: Mapping[str, Any]) -> Targets:
    from rescene_cli.workspace import patch  # not on the start path

    return Targets(tuple(patch.paths(arguments["patch"])), tuple(patch.removes(arguments["patch"])))


def _line(change: Change) -> str:
    one = diff([change])
    verb = "created" if change.before is None else "deleted" if change.after is None else "changed"
    return f"{verb} {change.path} (+{one.added} -{one.removed})"


def _title(changes: Sequence[Change], shown: Diff) -> str:
    what = changes[0].path if len(changes) == 1 else f"{len(changes)} files"
    return f"{what}  +{shown.added} -{shown.removed}"
