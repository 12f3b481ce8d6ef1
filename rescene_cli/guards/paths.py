"""The boundary, asked early: paths outside the working directory are put before a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rescene_cli.core.decisions import Decision, Reason, TurnView, Verdict
from rescene_cli.core.errors import ToolError
from rescene_cli.core.tools import Effect, Invocation
from rescene_cli.guards.words import outside_words


@dataclass(frozen=True, slots=True)
class PathGuard:
    """`resolve` finds the real place of a path argument, `inside` says whether it may be used unasked."""

    resolve: Callable[[str], Path]
    inside: Callable[[Path], bool]

    def __call__(self, invocation: Invocation, view: TurnView) -> Decision | None:  # noqa: ARG002 - a Guard
        """ASK where a path lies outside; a grant covers the directories of all of them, for writes and reads apart."""
        outside = [place for place in self._places(invocation) if not self.inside(place)]
        return _ask(invocation, list(dict.fromkeys(outside))) if outside else None

    def _places(self, invocation: Invocation) -> Iterator[Path]:
        for text in self._paths(invocation):
            with suppress(ToolError):  # text that can't be a path: the tool says so itself, and reaches nothing
                yield self.resolve(text)

    def _paths(self, invocation: Invocation) -> Iterator[str]:
        arguments = invocation.arguments
        yield from invocation.targets.named
        if Effect.EXECUTE in invocation.spec.effects:
            yield from (_from(arguments.get("cwd"), word) for word in outside_words(str(arguments["command"])))


def _ask(invocation: Invocation, places: Sequence[Path]) -> Decision:
    names = _listed(places)
    if Effect.EXECUTE in invocation.spec.effects:
        effect = f"run a command that names {names}, outside the working directory"
        return Decision(Verdict.ASK, Reason.OUTSIDE, "paths", effect, f"commands that name {names}")
    verb = "read" if invocation.spec.effects <= {Effect.READ} else "write"
    folders = _listed(place if place.is_dir() else place.parent for place in places)
    effect = f"{verb} outside the working directory: {names}"
    return Decision(Verdict.ASK, Reason.OUTSIDE, "paths", effect, f"{verb}s below {folders}")


def _listed(places: Iterable[Path]) -> str:
    return ", ".join(dict.fromkeys(map(str, places)))


def _from(cwd: object, word: str) -> str:
    """A word of a command that runs in `cwd`, as seen from the root."""
    return f"{cwd}/{word}" if cwd and not word.startswith(("/", "~", "$")) else word
