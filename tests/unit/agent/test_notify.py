"""When a person is told, and when they are left alone."""

from __future__ import annotations

import pytest

from rescene_cli.agent.notify import WORTH_TELLING, Notifier
from rescene_cli.core.events import ApprovalRequested, Event, TextDelta, TurnFinished
from rescene_cli.core.messages import CallId

QUESTION = ApprovalRequested("s::c", CallId("c"), "delete_file", {}, "irreversible", "remove a.txt", "0")


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (QUESTION, ["rescene asks: remove a.txt"]),
        (TurnFinished(1, "limit", "", error="The limit is reached."), ["rescene stopped: The limit is reached."]),
        (TurnFinished(1, "done", "", seconds=WORTH_TELLING), ["rescene is done after 20 s"]),
        (TurnFinished(1, "done", "", seconds=1.0), []),
        (TurnFinished(1, "interrupted", "", seconds=99.0), []),
        (TextDelta("x"), []),
    ],
)
def test_notices(event: Event, told: list[str]) -> None:
    notices: list[str] = []
    notifier = Notifier(notices.append)
    notifier(event)
    notifier.close()
    assert notices == told
