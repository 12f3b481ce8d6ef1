"""A request to stop reaches everything that waits."""

from __future__ import annotations

import select
import threading
import time

import pytest

from rescene_cli.core.errors import Interrupted, InterruptReason
from rescene_cli.core.runtime import Interrupt


def readable(interrupt: Interrupt) -> bool:
    return bool(select.select([interrupt.fileno()], [], [], 0)[0])


def test_the_descriptor_is_readable_exactly_while_it_stands() -> None:
    interrupt = Interrupt()
    assert not readable(interrupt)
    interrupt.set()
    interrupt.set()
    assert readable(interrupt)
    interrupt.clear()
    assert not readable(interrupt)
    interrupt.check()


def test_wait_ends_early_and_the_first_reason_counts() -> None:
    interrupt = Interrupt()
    threading.Timer(0.05, interrupt.set, (InterruptReason.TIMEOUT,)).start()
    started = time.monotonic()
    with pytest.raises(Interrupted) as raised:
        interrupt.wait(30)
    assert time.monotonic() - started < 20
    interrupt.set(InterruptReason.USER)
    assert raised.value.reason is InterruptReason.TIMEOUT
    assert raised.value.exit_code == 7


def test_callbacks_run_once_and_only_inside_their_block() -> None:
    interrupt, calls = Interrupt(), []
    with interrupt.on_set(lambda: calls.append("in")):
        interrupt.set()
    interrupt.clear()
    interrupt.set()
    assert calls == ["in"]
    with interrupt.on_set(lambda: calls.append("late")):
        assert calls == ["in", "late"]
