"""What can't come back: removals and moves are put before a person in every mode."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rescene_cli.core.decisions import Decision, Reason, TurnView, Verdict
from rescene_cli.core.tools import Effect, Invocation
from rescene_cli.guards.words import removal


@dataclass(frozen=True, slots=True)
class IrreversibleGuard:
    """`standing` names, as changes do, what stands at a path argument and everything below it."""

    standing: Callable[[str], Iterable[str]]

    def __call__(self, invocation: Invocation, view: TurnView) -> Decision | None:
        """ASK, unless everything that goes was made by the agent itself in this session."""
        command = str(invocation.arguments.get("command", ""))
        if Effect.EXECUTE in invocation.spec.effects and (word := removal(command)):
            return _ask(f"run a command that may remove or overwrite files (`{word}`): {command}")
        removed = invocation.targets.removed
        if all(name in view.made_here for path in removed for name in self.standing(path)):
            return None
        kept = [path for path in invocation.targets.named if path not in removed]
        if Effect.REMOVE in invocation.spec.effects and kept:
            return _ask(f"move {', '.join(removed)} to {', '.join(kept)}")
        return _ask(f"remove {', '.join(removed)}; no copy is kept")


def _ask(effect: str) -> Decision:
    return Decision(Verdict.ASK, Reason.IRREVERSIBLE, "irreversible", effect)
