"""A worker's things, in order, until somebody stops waiting."""

from __future__ import annotations

import threading

import pytest

from rescene_cli.core.errors import Interrupted
from rescene_cli.core.runtime import Interrupt
from rescene_cli.llm.feed import BATCH, Feed, TooQuiet


def everything(feed: Feed[int], interrupt: Interrupt, seconds: float = 20) -> list[int]:
    taken: list[int] = []
    with feed.running(interrupt):
        while (item := feed.take(interrupt, seconds)) is not None:
            taken.append(item)
    return taken


def count(feed: Feed[int]) -> None:
    for number in range(5):
        feed.put(number)


def test_in_order_to_the_end() -> None:
    assert everything(Feed(count), Interrupt()) == [0, 1, 2, 3, 4]


def test_an_error_after_what_came_before() -> None:
    def fail(feed: Feed[int]) -> None:
        feed.put(1)
        raise KeyError("x")

    feed: Feed[int] = Feed(fail)
    interrupt = Interrupt()
    with feed.running(interrupt):
        assert feed.take(interrupt, 20) == 1
        with pytest.raises(KeyError):
            feed.take(interrupt, 20)
        assert feed.ended


def test_silence() -> None:
    release = threading.Event()
    with pytest.raises(TooQuiet):
        everything(Feed(lambda _: release.wait(20) and None), Interrupt(), 0.01)
    release.set()


def test_an_interrupt_that_was_taken_back_before_anybody_looked() -> None:
    interrupt = Interrupt()
    go = threading.Event()

    def later(feed: Feed[int]) -> None:
        go.wait(20)
        feed.put(7)

    feed: Feed[int] = Feed(later)
    with feed.running(interrupt):
        interrupt.set()
        interrupt.clear()
        go.set()
        assert feed.take(interrupt, 20) == 7


def test_an_interrupt_wakes_the_waiter() -> None:
    interrupt, release = Interrupt(), threading.Event()
    threading.Timer(0.05, interrupt.set).start()
    with pytest.raises(Interrupted):
        everything(Feed(lambda _: release.wait(20) and None), interrupt)
    release.set()


def test_drain() -> None:
    interrupt, release = Interrupt(), threading.Event()
    whole, endless = Feed(count), Feed[int](lambda _: release.wait(20) and None)
    with whole.running(interrupt), endless.running(interrupt):
        assert whole.drain(20)
        assert not endless.drain(0.01)
        release.set()


def test_a_producer_waits_for_its_reader_and_ends_with_it() -> None:
    interrupt, ended = Interrupt(), threading.Event()
    put: list[int] = []

    def endless(feed: Feed[int]) -> None:
        try:
            while True:
                feed.put(len(put))
                put.append(1)
        finally:
            ended.set()

    feed: Feed[int] = Feed(endless)
    with feed.running(interrupt):
        assert [feed.take(interrupt, 20) for _ in range(200)] == list(range(200))
        assert len(put) <= 200 + 2 * BATCH
        assert not ended.is_set()
    assert ended.wait(20)


def test_drain_gives_up_on_what_has_no_end() -> None:
    interrupt = Interrupt()
    feed: Feed[int] = Feed(lambda feed: [feed.put(number) for number in iter(int, 1)] and None)
    with feed.running(interrupt):
        assert not feed.drain(0.05)
