"""The loop: see, act, look again, and end with evidence."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from rescene_cli.agent.limits import Limits
from rescene_cli.agent.loop import INVALID_REPLIES
from rescene_cli.agent.verify import Verifier
from rescene_cli.core.changes import Cause, Change, Operation, OperationId, PathState
from rescene_cli.core.decisions import Answer, Decision, Reason, Verdict
from rescene_cli.core.errors import ApprovalError, InterruptReason, ProviderError
from rescene_cli.core.events import (
    AssistantMessage,
    Notice,
    TextDelta,
    ToolFinished,
    ToolStarted,
    UserMessage,
    Verification,
)
from rescene_cli.core.evidence import VerifyMode
from rescene_cli.core.llm import RetryScheduled, TextPiece, Usage
from rescene_cli.core.messages import Assistant, Text, ToolResult, User
from rescene_cli.core.runtime import SystemClock
from rescene_cli.core.tools import CallContext, Effect, Invocation, Outcome
from tests.support.parts import PlainTool, call, reply, stage

READ = PlainTool("look", lambda a, c: f"saw {a.get('n', '')}", properties={"n": {"type": "integer"}})


def writes(path: str = "a.py") -> PlainTool:
    change = Change(path, None, PathState.file(b"x"))
    done = Outcome((Text("written"),), operation=Operation(OperationId("o1"), Cause("put"), (change,)))
    return PlainTool("put", lambda a, c: done, frozenset({Effect.WRITE}))


def test_calls_are_answered_in_order_and_the_turn_ends_without_calls() -> None:
    calls = [call("look", f'{{"n": {n}}}', f"c{n}") for n in range(6)]
    played = stage([[reply("", *calls)], [TextPiece("all "), TextPiece("done"), reply("all done")]], [READ])
    finished = played.loop.turn("go")
    assert finished.status == "done"
    assert finished.message == "all done"
    assert finished.requests == 2
    results = [m for m in played.model.seen[1] if isinstance(m, ToolResult)]
    assert [r.call_id for r in results] == [f"c{n}" for n in range(6)]
    assert [r.parts for r in results] == [(Text(f"saw {n}"),) for n in range(6)]
    assert [e.text for e in played.events if isinstance(e, TextDelta)] == ["all ", "done"]


def test_reads_run_beside_each_other() -> None:
    gate = threading.Barrier(2, timeout=10)
    both = PlainTool("meet", lambda a, c: str(gate.wait() >= 0))
    finished = stage([[reply("", call("meet", call_id="a"), call("meet", call_id="b"))], [reply("ok")]], [both])
    assert finished.loop.turn("go").status == "done"


def test_writes_never_run_beside_each_other() -> None:
    running: list[str] = []

    def act(arguments: object, context: object) -> str:
        assert not running
        running.append("x")
        running.pop()
        return "ok"

    tool = PlainTool("act", act, frozenset({Effect.EXECUTE}))
    calls = [call("act", call_id=f"c{n}") for n in range(4)]
    assert stage([[reply("", *calls)], [reply("ok")]], [tool]).loop.turn("go").status == "done"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (call("look", '{"n": 1'), "not valid JSON"),
        (call("look", "[]"), "not a JSON object"),
        (call("look", '{"n": "one"}'), "'one' is not of type 'integer'"),
        (call("look", '{"m": 1}'), "'m' was unexpected"),
        (call("peek"), "no tool named 'peek'"),
        (call(""), "no tool named ''"),
    ],
)
def test_a_call_that_does_not_fit_is_answered_and_never_run(wrong: object, told: str) -> None:
    ran: list[object] = []
    tool = PlainTool("look", lambda a, c: ran.append(a) or "ok", properties={"n": {"type": "integer"}})
    played = stage([[reply("", wrong)], [reply("ok")]], [tool])
    assert played.loop.turn("go").status == "done"
    assert ran == []
    (result,) = [m for m in played.model.seen[1] if isinstance(m, ToolResult)]
    assert not result.ok
    assert told in result.parts[0].text
    assert [e.status for e in played.events if isinstance(e, ToolFinished)] == ["invalid"]


def test_a_model_that_never_writes_a_valid_call_is_stopped() -> None:
    played = stage([[reply("", call("look", "{"))] for _ in range(50)], [READ])
    finished = played.loop.turn("go")
    assert finished.status == "provider_error"
    assert finished.requests == INVALID_REPLIES + 1


def test_ten_invalid_replies_and_a_good_one_are_fine() -> None:
    bad = [[reply("", call("look", "{"))] for _ in range(10)]
    played = stage([*bad, [reply("", call("look"))], [reply("ok")]], [READ])
    assert played.loop.turn("go").status == "done"


def test_null_for_an_optional_argument_is_omission() -> None:
    played = stage([[reply("", call("look", '{"n": null}'))], [reply("ok")]], [READ])
    played.loop.turn("go")
    assert [e.text for e in played.events if isinstance(e, ToolFinished)] == ["saw "]


def test_steering_reaches_the_model_with_the_results() -> None:
    tool = PlainTool("wait", lambda a, c: str(played.loop.steering.put("use tabs")))
    played = stage([[reply("", call("wait"))], [reply("ok")]], [tool])
    played.loop.turn("go")
    assert played.model.seen[1][-1] == User((Text("use tabs"),))
    assert [e.source for e in played.events if isinstance(e, UserMessage)] == ["user", "steer"]


def test_interruption_keeps_what_was_said_and_answers_open_calls() -> None:
    tool = PlainTool("stop", lambda a, c: c.interrupt.set() or "ok", frozenset({Effect.EXECUTE}))
    played = stage([[reply("first", call("stop", call_id="a"), call("stop", call_id="b"))], [reply("again")]], [tool])
    finished = played.loop.turn("go")
    assert finished.status == "interrupted"
    assert finished.message == "first"
    results = [m for m in played.loop.transcript.messages if isinstance(m, ToolResult)]
    assert [(r.call_id, r.ok) for r in results] == [("a", True), ("b", False)]
    assert len([e for e in played.events if isinstance(e, ToolStarted)]) == 1
    played.interrupt.clear()
    assert played.loop.turn("go on").status == "done"


def test_interruption_in_mid_stream_keeps_the_text() -> None:
    played = stage([])
    pieces = [TextPiece("half a "), TextPiece("sentence"), reply("never")]

    def broken(_: object) -> object:
        yield pieces[0]
        yield pieces[1]
        played.interrupt.set()
        yield pieces[2]

    played.model.steps.append(broken)
    assert played.loop.turn("go").status == "interrupted"
    assert played.loop.transcript.messages[-1] == Assistant("half a sentence")


def test_a_retry_voids_what_was_streamed() -> None:
    steps = [[TextPiece("bad"), RetryScheduled("dropped", 0.0, 1, 3), TextPiece("good"), ProviderError("gone")]]
    played = stage(steps)
    assert played.loop.turn("go").status == "provider_error"
    assert played.loop.transcript.messages[-1] == Assistant("good")


@pytest.mark.parametrize(
    ("limits", "requests"), [(Limits(requests=2), 2), (Limits(cost=0.05), 3), (Limits(tokens=12), 1), (Limits(), 5)]
)
def test_limits(limits: Limits, requests: int) -> None:
    steps = [[reply("", call("look", call_id=f"c{n}"))] for n in range(4)]
    finished = stage([*steps, [reply("end")]], [READ], limits=limits).loop.turn("go")
    assert finished.requests == requests
    assert finished.status == ("done" if requests == 5 else "limit")


def test_usage_and_cost_are_added_up() -> None:
    played = stage(
        [[reply("", call("look"), usage=Usage(100, 10, 40))], [reply("x", usage=Usage(200, 20, 150))]], [READ]
    )
    totals = played.loop.turn("go").usage
    assert (totals.input, totals.output, totals.cached) == (300, 30, 190)
    assert totals.cost_usd == pytest.approx(0.3)
    assert len([e for e in played.events if isinstance(e, AssistantMessage)]) == 2


def checked(codes: list[int], mode: VerifyMode, accept: tuple[str, ...] = (), tries: int = 3):
    return lambda emit: Verifier(
        Path(),
        lambda c: (codes.pop(0), f"log of {c}"),
        emit,
        SystemClock(),
        mode,
        ("check",),
        accept=accept,
        tries=tries,
    )


def test_verification_runs_once_and_records() -> None:
    played = stage([[reply("", call("put"))], [reply("done")]], [writes()], verify=checked([1], VerifyMode.RECORD))
    finished = played.loop.turn("go")
    assert finished.status == "done"
    assert [e.status for e in played.events if isinstance(e, Verification)] == ["fail"]
    assert "FAILED" in finished.evidence


def test_blocking_verification_sends_the_failure_back_until_it_passes() -> None:
    steps = [[reply("", call("put"))], [reply("done")], [reply("fixed")]]
    played = stage(steps, [writes()], verify=checked([1, 0], VerifyMode.BLOCK))
    finished = played.loop.turn("go")
    assert finished.status == "done"
    assert "log of check" in played.model.seen[2][-1].parts[0].text
    assert [item.exit for item in finished.verify] == [0]


def test_blocking_verification_gives_up_after_its_tries() -> None:
    steps = [[reply("", call("put"))], *([reply("done")] for _ in range(3))]
    played = stage(steps, [writes()], verify=checked([1] * 3, VerifyMode.BLOCK, tries=2))
    finished = played.loop.turn("go")
    assert finished.status == "verification_failed"
    assert len(played.model.seen) == 4


def test_the_persons_own_criterion_decides_even_when_nothing_changed() -> None:
    steps = [[reply("done")], [reply("done")]]
    played = stage(steps, verify=checked([1, 1], VerifyMode.RECORD, accept=("mine",), tries=1))
    assert played.loop.turn("go").status == "verification_failed"


def test_a_repeated_call_runs_once_and_another_call_under_a_used_id_gets_its_own() -> None:
    ran: list[object] = []
    tool = PlainTool("look", lambda a, c: ran.append(dict(a)) or "ok", properties={"n": {"type": "integer"}})
    one, two = call("look", '{"n": 1}', "same"), call("look", '{"n": 2}', "same")
    played = stage([[reply("", one, one, two)], [reply("ok")]], [tool])
    assert played.loop.turn("go").status == "done"
    assert sorted(a["n"] for a in ran) == [1, 2]
    ids = [m.call_id for m in played.loop.transcript.messages if isinstance(m, ToolResult)]
    assert len(set(ids)) == 2


def test_the_limit_of_requests_is_that_of_one_task() -> None:
    played = stage([[reply("a")], [reply("b")], [reply("c")]], limits=Limits(requests=1))
    assert [played.loop.turn(text).status for text in ("one", "two")] == ["done", "done"]


def test_a_limit_of_cost_that_can_not_be_kept_is_said_once() -> None:
    played = stage([[reply("a")], [reply("b")]], limits=Limits(cost=1.0))
    played.loop.price = lambda name, usage: None
    played.loop.turn("one")
    played.loop.turn("two")
    (notice,) = [e for e in played.events if isinstance(e, Notice)]
    assert notice.message.startswith("The price of double/one is not known")


def test_each_turn_counts_its_own_usage() -> None:
    played = stage([[reply("a", usage=Usage(100, 10))], [reply("b", usage=Usage(7, 1))]])
    played.loop.turn("one")
    second = played.loop.turn("two")
    assert (second.usage.input, second.usage.output, second.requests) == (7, 1, 1)
    assert second.usage.cost_usd == pytest.approx(0.01)


def test_steering_that_was_not_handed_over_is_not_kept_for_the_next_turn() -> None:
    tool = PlainTool("stop", lambda a, c: (played.loop.steering.put("late") and c.interrupt.set()) or "ok")
    played = stage([[reply("", call("stop"))], [reply("ok")]], [tool])
    stopped = played.loop.turn("go")
    assert stopped.status == "interrupted"
    assert stopped.unread == ("late",)
    played.interrupt.clear()
    assert played.loop.turn("on").unread == ()
    assert [e.source for e in played.events if isinstance(e, UserMessage)] == ["user", "user"]


def test_steering_is_taken_only_while_a_turn_runs() -> None:
    played = stage([[reply("ok")]], [])
    assert not played.loop.steering.put("too early")
    assert played.loop.turn("go").unread == ()
    assert not played.loop.steering.put("too late")


def test_steering_during_the_checks_reaches_the_model_in_this_turn() -> None:
    def run(command: str) -> tuple[int, str]:
        if len(played.model.seen) == 2:
            played.loop.steering.put("and the docs")
        return 0, ""

    played = stage(
        [[reply("", call("put"))], [reply("done")], [reply("docs too")]],
        [writes()],
        verify=lambda emit: Verifier(Path(), run, emit, SystemClock(), commands=("check",)),
    )
    assert played.loop.turn("go").message == "docs too"
    assert [e.text for e in played.events if isinstance(e, UserMessage)] == ["go", "and the docs"]


def test_what_converses_has_its_turn() -> None:
    running: list[str] = []

    def act(arguments: object, context: object) -> str:
        running.append("x")
        assert len(running) == 1
        threading.Event().wait(0.02)
        running.pop()
        return "ok"

    calls = [call("ask", call_id=f"c{n}") for n in range(4)]
    played = stage([[reply("", *calls)], [reply("ok")]], [PlainTool("ask", act, frozenset({Effect.CONVERSE}))])
    assert played.loop.turn("go").status == "done"
    assert [e.status for e in played.events if isinstance(e, ToolFinished)] == ["ok"] * 4


def test_a_call_that_was_stopped_says_by_what() -> None:
    def act(arguments: object, context: CallContext) -> str:
        context.interrupt.set(InterruptReason.TIMEOUT)
        context.interrupt.check()
        return "never"

    played = stage([[reply("", call("act"))]], [PlainTool("act", act)])
    assert played.loop.turn("go").status == "limit"
    assert [e.text for e in played.events if isinstance(e, ToolFinished)] == [
        "The time limit is reached. The call had not ended."
    ]


def test_a_bug_in_a_tool_costs_that_call_and_not_the_run() -> None:
    def broken(arguments: object, context: object) -> str:
        raise KeyError("secret text of a file")

    played = stage([[reply("", call("broken"))], [reply("ok")]], [PlainTool("broken", broken)])
    assert played.loop.turn("go").status == "done"
    (told,) = [e for e in played.events if isinstance(e, ToolFinished)]
    assert "KeyError" in told.text
    assert "secret" not in told.text
    assert [e.severity for e in played.events if isinstance(e, Notice)] == ["error"]


def test_arguments_that_nest_too_deep_are_refused() -> None:
    deep = '{"n": ' + "[" * 100_000 + "]" * 100_000 + "}"
    played = stage([[reply("", call("look", deep))], [reply("ok")]], [READ])
    assert played.loop.turn("go").status == "done"
    assert [e.status for e in played.events if isinstance(e, ToolFinished)] == ["invalid"]


def test_everything_that_started_also_finishes_when_a_turn_is_stopped() -> None:
    stop = PlainTool("stop", lambda a, c: c.interrupt.set() or "ok")
    calls = [call(name, call_id=f"c{n}") for n, name in enumerate(["stop", "look", "look", "look"])]
    played = stage([[reply("", *calls)]], [stop, READ])
    assert played.loop.turn("go").status == "interrupted"
    started = [e.call_id for e in played.events if isinstance(e, ToolStarted)]
    assert started == [e.call_id for e in played.events if isinstance(e, ToolFinished)]


def test_nothing_of_a_parallel_batch_starts_when_a_question_ends_the_run() -> None:
    def outside(invocation: Invocation, view: object) -> Decision | None:
        return Decision(Verdict.ASK, Reason.OUTSIDE, "x", "y") if invocation.call.id == "c2" else None

    played = stage([[reply("", call("look", call_id="c1"), call("look", call_id="c2"))]], [READ], guards=[outside])

    def leave(request: object) -> Answer:
        raise ApprovalError("nobody")

    played.loop.calls.gate.approver = leave
    assert played.loop.turn("go").status == "approval_needed"
    assert not [e for e in played.events if isinstance(e, ToolStarted)]
