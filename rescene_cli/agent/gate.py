"""From what the guards say to whether a call runs: the strictest wins, grants are looked up, people are asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rescene_cli.core.decisions import (
    Answer,
    ApprovalRequest,
    Approver,
    Decision,
    Guard,
    Reason,
    TurnView,
    Verdict,
    argument_hash,
)
from rescene_cli.core.errors import ApprovalError
from rescene_cli.core.events import ApprovalAnswered, ApprovalRequested, Denied, Event
from rescene_cli.core.tools import Invocation

_ANSWERS = {
    Answer.NO: "The user said no to this call. Do not try the same effect another way; ask what they want instead.",
    Answer.NOBODY: "This call needs a person's approval and nobody is at the terminal, so it was not run. "
    "Go on without it and say in your final message what was left undone.",
    Answer.SKIP: "This call needs a person's approval and nobody is at the terminal, so it was skipped. "
    "Go on without it and mention it in your final message.",
}


class Refusal(NamedTuple):
    """A call that does not run: `text` goes to the model; `counts` says whether the run must end with 'needed'."""

    text: str
    denied: Denied
    counts: bool
    ends: ApprovalError | None = None  # the whole turn, for want of an answer


@dataclass(slots=True)
class Gate:
    """The guards of a session, its grants, and who is asked. `permit` hears of each call that a person let pass."""

    guards: Sequence[Guard]
    approver: Approver
    emit: Callable[[Event], None]
    session: str
    preview: Callable[[Invocation], str] = lambda _: ""
    permit: Callable[[Invocation], None] = lambda _: None
    grants: set[str] = field(default_factory=set)
    asked: int = 0

    def check(self, invocation: Invocation, view: TurnView) -> Refusal | None:
        """None when the call may run."""
        decisions = [decision for guard in self.guards if (decision := _ask_guard(guard, invocation, view))]
        refused = next((decision for decision in decisions if decision.verdict is Verdict.DENY), None)
        if refused:
            return self._refuse(invocation, refused, f"Not run: {refused.effect}", counts=False)
        asking = [decision for decision in decisions if decision.verdict is Verdict.ASK]
        pending = [decision for decision in asking if decision.grant not in self.grants]
        refusal = self._ask(invocation, pending) if pending else None
        if asking and refusal is None:
            self.permit(invocation)
        return refusal

    def _ask(self, invocation: Invocation, pending: Sequence[Decision]) -> Refusal | None:
        grants = {decision.grant for decision in pending}
        combined = pending[0]._replace(
            effect="; ".join(dict.fromkeys(decision.effect for decision in pending)),
            grant=" and ".join(sorted(grants)) if all(grants) else "",
        )
        shown = argument_hash(invocation)
        request = ApprovalRequest(
            f"{self.session}::{invocation.call.id}", invocation, combined, shown, self.preview(invocation)
        )
        self.emit(
            ApprovalRequested(
                request.id,
                invocation.call.id,
                invocation.spec.name,
                invocation.arguments,
                combined.reason,
                combined.effect,
                shown,
            )
        )
        self.asked += 1
        try:
            answer = self.approver(request)
        except ApprovalError as error:
            self.emit(ApprovalAnswered(request.id, Answer.NOBODY))
            return self._refuse(invocation, combined, error.message, counts=True)._replace(ends=error)
        self.emit(ApprovalAnswered(request.id, answer))
        if answer is Answer.ALWAYS and combined.grant:
            self.grants |= grants
        if answer in {Answer.YES, Answer.ALWAYS}:
            return None
        return self._refuse(invocation, combined, _ANSWERS[answer], counts=answer is Answer.NOBODY)

    def _refuse(self, invocation: Invocation, decision: Decision, text: str, *, counts: bool) -> Refusal:
        name = f"{self.session}::{invocation.call.id}"
        return Refusal(text, Denied(name, decision.reason, invocation.spec.name), counts)


def _ask_guard(guard: Guard, invocation: Invocation, view: TurnView) -> Decision | None:
    try:
        return guard(invocation, view)
    except Exception as error:  # noqa: BLE001 - a guard that can't decide must not let the call pass: a person decides
        effect = f"a check failed ({type(error).__name__}), so its effect is unknown"
        return Decision(Verdict.ASK, Reason.UNKNOWN, getattr(guard, "__name__", "guard"), effect)
