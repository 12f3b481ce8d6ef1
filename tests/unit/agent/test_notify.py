"""When a person is told, and when they are left alone."""

from __future__ import annotations

import itertools
import threading

import pytest

from rescene_cli.agent.notify import PATIENCE, WORTH_TELLING, Notifier
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


def test_the_end_waits_once_for_all_notices() -> None:
    """By this clock the patience is over as soon as the waiting begins; none of the notices goes out by itself."""
    sent, late = threading.Event(), threading.Timer(PATIENCE / 2, lambda: sent.set())
    notifier = Notifier(lambda _: sent.wait(), clock=itertools.count(0, PATIENCE).__next__)
    for _ in range(3):
        notifier(QUESTION)
    late.start()
    notifier.close()
    assert not sent.is_set()
    late.cancel()
    sent.set()
