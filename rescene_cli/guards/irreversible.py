"""What can't come back: removals and moves are put before a person in every mode."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rescene_cli.core.decisions import Decision, Reason, TurnView, Verdict
from rescene_cli.core.tools import Effect, Invocation
from rescene_cli.guards.words import removal


@dataclass(frozen=True, slots=True)
class IrreversibleGuard:
    """`removed` names the paths that a patch text deletes, moves or empties.

    `standing` names, as changes do, what stands at a path argument and everything below it.
    """

    removed: Callable[[str], list[str]]
    standing: Callable[[str], Iterable[str]]

    def __call__(self, invocation: Invocation, view: TurnView) -> Decision | None:
        """ASK, unless everything that goes was made by the agent itself in this session."""
        effects, arguments = invocation.spec.effects, invocation.arguments
        if Effect.REMOVE in effects:
            gone = [str(arguments[name]) for name in invocation.spec.paths if name in arguments]
            return self._ask(gone, invocation, view)
        if invocation.spec.name == "apply_patch":
            return self._ask(self.removed(str(arguments["patch"])), invocation, view)
        if Effect.EXECUTE in effects and (word := removal(str(arguments["command"]))):
            effect = f"run a command that may remove or overwrite files (`{word}`): {arguments['command']}"
            return Decision(Verdict.ASK, Reason.IRREVERSIBLE, "irreversible", effect)
        return None

    def _ask(self, gone: list[str], invocation: Invocation, view: TurnView) -> Decision | None:
        first = gone[:1] if invocation.spec.name == "move_file" else gone  # a destination is not lost
        if not first or all(name in view.made_here for path in first for name in self.standing(path)):
            return None
        verb = "move" if invocation.spec.name == "move_file" else "remove"
        effect = f"{verb} {' -> '.join(gone) if verb == 'move' else ', '.join(gone)}; no copy is kept"
        return Decision(Verdict.ASK, Reason.IRREVERSIBLE, "irreversible", effect)
