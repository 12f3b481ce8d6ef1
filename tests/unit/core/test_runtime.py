"""A request to stop reaches everything that waits."""

from __future__ import annotations

import os
import resource
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


def test_an_interrupt_that_is_gone_holds_no_descriptor() -> None:
    descriptor = Interrupt().fileno()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


def test_waiting_works_with_many_open_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(2048, hard), hard))
    held = [os.dup(0) for _ in range(1100)]
    try:
        interrupt = Interrupt()
        assert interrupt.fileno() > 1023
        interrupt.wait(0)
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
