"""What each mode lets pass unasked (`docs/reference/modes.md`)."""

from __future__ import annotations

from rescene_cli.core.decisions import Decision, Mode, Reason, TurnView, Verdict
from rescene_cli.core.tools import Effect, Invocation

_CHANGING = {Effect.WRITE, Effect.REMOVE, Effect.EXECUTE, Effect.NETWORK}


def mode_guard(invocation: Invocation, view: TurnView) -> Decision | None:
    """Plan mode refuses every change, ask mode asks before each; auto and yolo leave it to the other guards."""
    if not invocation.spec.effects & _CHANGING:
        return None
    if view.mode is Mode.PLAN:
        effect = f"{invocation.spec.name} changes things, and this is plan mode. Describe the change instead."
        return Decision(Verdict.DENY, Reason.MODE, "mode", effect)
    if view.mode is Mode.ASK:
        return Decision(Verdict.ASK, Reason.MODE, "mode", describe(invocation), _grant(invocation))
    return None


def describe(invocation: Invocation) -> str:
    """What the call would do, in a person's words."""
    arguments = invocation.arguments
    if Effect.EXECUTE in invocation.spec.effects:
        return f"run `{arguments.get('command', '')}`"
    places = ", ".join(invocation.targets.named)
    return f"{invocation.spec.name.replace('_', ' ')} {places}".strip()


def _grant(invocation: Invocation) -> str:
    """An always covers the same command, or every write in the project."""
    if Effect.EXECUTE in invocation.spec.effects:
        return f"the command `{invocation.arguments.get('command', '')}`"
    return "writes in this project"
