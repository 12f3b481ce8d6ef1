"""The boundary, asked early: paths outside the working directory are put before a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rescene_cli.core.decisions import Decision, Reason, TurnView, Verdict
from rescene_cli.core.errors import ToolError
from rescene_cli.core.tools import Effect, Invocation
from rescene_cli.guards.words import outside_words


@dataclass(frozen=True, slots=True)
class PathGuard:
    """`resolve` finds the real place of a path argument, `inside` says whether it may be used unasked.

    `patched` names the paths that a patch text touches.
    """

    resolve: Callable[[str], Path]
    inside: Callable[[Path], bool]
    patched: Callable[[str], list[str]]

    def __call__(self, invocation: Invocation, view: TurnView) -> Decision | None:  # noqa: ARG002 - a Guard
        """ASK for the first path outside; a grant covers its directory, for writes and reads apart."""
        for text in self._paths(invocation):
            try:
                place = self.resolve(text)
            except ToolError:  # text that can't be a path: the tool says so itself, and reaches nothing
                continue
            if not self.inside(place):
                return self._outside(invocation, place)
        return None

    def _paths(self, invocation: Invocation) -> Iterator[str]:
        arguments = invocation.arguments
        yield from (str(arguments[name]) for name in invocation.spec.paths if name in arguments)
        if invocation.spec.name == "apply_patch":
            yield from self.patched(str(arguments["patch"]))
        if Effect.EXECUTE in invocation.spec.effects:
            yield from (_from(arguments.get("cwd"), word) for word in outside_words(str(arguments["command"])))

    def _outside(self, invocation: Invocation, place: Path) -> Decision:
        if Effect.EXECUTE in invocation.spec.effects:
            effect = f"run a command that names {place}, outside the working directory"
            return Decision(Verdict.ASK, Reason.OUTSIDE, "paths", effect, f"commands that name {place}")
        reads = invocation.spec.effects <= {Effect.READ}
        folder = place if place.is_dir() else place.parent
        verb = "read" if reads else "write"
        effect = f"{verb} outside the working directory: {place}"
        return Decision(Verdict.ASK, Reason.OUTSIDE, "paths", effect, f"{verb}s below {folder}")


def _from(cwd: object, word: str) -> str:
    """A word of a command that runs in `cwd`, as seen from the root."""
    return f"{cwd}/{word}" if cwd and not word.startswith(("/", "~", "$")) else word
