"""What a person agrees to is all there."""

from __future__ import annotations

import pytest

from rescene_cli.core.decisions import ApprovalRequest, Decision, Reason, Verdict
from rescene_cli.core.tools import Effect, Invocation, ToolSpec
from rescene_cli.ui.approve import approval_facts, approval_keys
from rescene_cli.ui.calls import call_title
from rescene_cli.ui.clean import exact, exact_line
from tests.support.parts import call

HIDDEN = "ls \x1b]0;touch hidden.txt;\x07"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("日本語\u3000と 👍", "日本語\u3000と 👍"),
        (HIDDEN, r"ls \x1b]0;touch hidden.txt;\x07"),
        ("safe\rrm x", r"safe\x0drm x"),
        ("a\r\nb", "a\nb"),
        ("a\u202etxt.exe", r"a\u202etxt.exe"),
        ("a\u200bb\xad", r"a\u200bb\xad"),
        ("\U000e0041", r"\U000e0041"),
        ("\ud800", r"\ud800"),
    ],
)
def test_every_sign_that_is_not_seen_is_spelled_out(text: str, shown: str) -> None:
    assert exact(text) == shown


def test_a_question_and_a_call_show_what_will_run() -> None:
    spec = ToolSpec("run_command", "", {}, frozenset({Effect.EXECUTE}))
    invocation = Invocation(call("run_command"), spec, {"command": HIDDEN})
    decision = Decision(Verdict.ASK, Reason.MODE, "mode", f"run `{HIDDEN}`", "commands that name x\x1b]0;y\x07")
    request = ApprovalRequest("s::c", invocation, decision, "0")
    assert "touch hidden.txt" in approval_facts(request)[0]
    assert "x1b]0;y" in " ".join(approval_keys(request))
    assert "touch hidden.txt" in call_title("run_command", {"command": HIDDEN})
    assert "x1b]0;y" in call_title("read_file", {"path": "../x\x1b]0;y\x07.txt"})


def test_a_line_stays_a_line() -> None:
    assert exact_line("a\nb\tc") == "a b c"
