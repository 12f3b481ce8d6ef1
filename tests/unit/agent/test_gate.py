"""The strictest guard wins; grants cover exactly what was granted; nobody is never yes."""

from __future__ import annotations

import pytest

from rescene_cli.agent.gate import Gate
from rescene_cli.core.decisions import Answer, ApprovalRequest, Decision, Guard, Mode, Reason, TurnView, Verdict
from rescene_cli.core.errors import ApprovalError
from rescene_cli.core.events import ApprovalAnswered, ApprovalRequested, Event
from rescene_cli.core.tools import Effect, Invocation, ToolSpec
from tests.support.parts import call

INVOCATION = Invocation(call("put", '{"x": 1}'), ToolSpec("put", "d", {}, frozenset({Effect.WRITE})), {"x": 1})
VIEW = TurnView(Mode.AUTO)


def guard(verdict: Verdict, grant: str = "", effect: str = "write x") -> Guard:
    return lambda invocation, view: Decision(verdict, Reason.MODE, "test", effect, grant)


def silent(invocation: Invocation, view: TurnView) -> None:
    return None


def broken(invocation: Invocation, view: TurnView) -> None:
    raise RuntimeError


def gate(answer: Answer, *guards: Guard) -> tuple[Gate, list[ApprovalRequest], list[Event]]:
    asked: list[ApprovalRequest] = []
    events: list[Event] = []

    def approver(request: ApprovalRequest) -> Answer:
        asked.append(request)
        return answer

    return Gate(guards, approver, events.append, "s1"), asked, events


def test_silence_and_allow_pass() -> None:
    made, asked, _ = gate(Answer.NO, silent, guard(Verdict.ALLOW))
    assert made.check(INVOCATION, VIEW) is None
    assert asked == []


def test_deny_beats_ask_and_is_not_asked() -> None:
    made, asked, _ = gate(Answer.YES, guard(Verdict.ASK), guard(Verdict.DENY, effect="plan mode"))
    refusal = made.check(INVOCATION, VIEW)
    assert refusal
    assert "plan mode" in refusal.text
    assert not refusal.counts
    assert asked == []


@pytest.mark.parametrize(
    ("answer", "runs", "counts"),
    [
        (Answer.YES, True, False),
        (Answer.ALWAYS, True, False),
        (Answer.NO, False, False),
        (Answer.NOBODY, False, True),
        (Answer.SKIP, False, False),
    ],
)
def test_answers(answer: Answer, runs: bool, counts: bool) -> None:
    made, asked, events = gate(answer, guard(Verdict.ASK))
    refusal = made.check(INVOCATION, VIEW)
    assert (refusal is None) is runs
    assert (refusal is not None and refusal.counts) is counts
    assert asked[0].id == "s1::c1"
    assert [type(event) for event in events] == [ApprovalRequested, ApprovalAnswered]
    assert made.asked == 1


def test_always_covers_the_grant_and_nothing_else() -> None:
    made, asked, _ = gate(Answer.ALWAYS, guard(Verdict.ASK, "writes below /a"))
    made.check(INVOCATION, VIEW)
    made.check(INVOCATION, VIEW)
    assert len(asked) == 1
    made.guards = [guard(Verdict.ASK, "writes below /b")]
    made.check(INVOCATION, VIEW)
    assert len(asked) == 2


def test_a_call_that_a_grant_lets_pass_is_permitted_as_the_first_one_was() -> None:
    permitted: list[Invocation] = []
    made, _, _ = gate(Answer.ALWAYS, guard(Verdict.ASK, "writes below /a"))
    made.permit = permitted.append
    assert made.check(INVOCATION, VIEW) is None
    assert made.check(INVOCATION, VIEW) is None
    assert len(permitted) == 2
    made.guards, made.approver = [guard(Verdict.ASK, "other")], lambda _: Answer.NO
    assert made.check(INVOCATION, VIEW)
    made.guards = [silent]
    assert made.check(INVOCATION, VIEW) is None
    assert len(permitted) == 2


def test_always_without_a_grant_is_one_yes() -> None:
    made, asked, _ = gate(Answer.ALWAYS, guard(Verdict.ASK))
    made.check(INVOCATION, VIEW)
    made.check(INVOCATION, VIEW)
    assert len(asked) == 2


def test_two_questions_are_one_and_only_what_all_of_it_covers_can_be_granted() -> None:
    made, asked, _ = gate(Answer.ALWAYS, guard(Verdict.ASK, "a", "one"), guard(Verdict.ASK, "", "two"))
    made.check(INVOCATION, VIEW)
    assert asked[0].decision.effect == "one; two"
    assert asked[0].decision.grant == ""
    assert made.grants == set()


def test_a_broken_guard_asks() -> None:
    made, asked, _ = gate(Answer.NO, broken)
    assert made.check(INVOCATION, VIEW)
    assert asked[0].decision.reason is Reason.UNKNOWN


def test_who_wants_no_run_without_a_person_still_learns_which_call_it_was() -> None:
    made, _, events = gate(Answer.NO, guard(Verdict.ASK))
    error = ApprovalError("Nobody is there.")

    def absent(request: ApprovalRequest) -> Answer:
        raise error

    made.approver = absent
    refusal = made.check(INVOCATION, VIEW)
    assert refusal
    assert (refusal.denied.id, refusal.denied.call, refusal.ends) == ("s1::c1", "put", error)
    assert [type(event) for event in events] == [ApprovalRequested, ApprovalAnswered]
