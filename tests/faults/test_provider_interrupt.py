"""An interrupt ends a request at once, whatever it waits for. Every server here would keep it waiting for a minute."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from rescene_cli.core.errors import Interrupted, InterruptReason
from rescene_cli.core.llm import TextPiece
from rescene_cli.core.runtime import Interrupt
from rescene_cli.llm.transport import Transport
from tests.support.model_server import ModelServer
from tests.support.models import FORMATS, answer, ask, client, request

SOON = 20  # seconds after which a test counts as hanging; what it waits for takes longer


@contextmanager
def listening(backlog: int) -> Iterator[str]:
    """A server that never accepts."""
    with socket.create_server(("127.0.0.1", 0), backlog=backlog) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def interrupted(url: str, form: str, transport: Transport | None = None) -> None:
    """A request that is interrupted while it waits ends, and leaves no thread waiting."""
    interrupt = Interrupt()
    ends: list[Interrupted] = []

    def work() -> None:
        try:
            ask(client(url, form, transport=transport), interrupt=interrupt)
        except Interrupted as error:
            ends.append(error)

    before = set(threading.enumerate())
    worker = threading.Thread(target=work)
    worker.start()
    worker.join(0.2)
    assert worker.is_alive()
    interrupt.set(InterruptReason.TERMINATED)
    worker.join(SOON)
    assert not worker.is_alive()
    assert ends[0].reason is InterruptReason.TERMINATED
    for thread in set(threading.enumerate()) - before:
        if thread.name == "rescene-request":
            thread.join(SOON)
            assert not thread.is_alive()


def test_while_connecting() -> None:
    """The backlog is full, so the kernel leaves the connection half open."""
    with listening(0) as url:
        port = int(url.rpartition(":")[2])
        fillers = [socket.socket() for _ in range(4)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
        interrupt = Interrupt()
        threading.Timer(0.2, interrupt.set).start()
        with pytest.raises(Interrupted):
            ask(client(url, "chat"), interrupt=interrupt)
        for filler in fillers:
            filler.close()


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_while_nobody_answers(scheme: str) -> None:
    """Waiting for headers, or for the other side of a TLS handshake."""
    with listening(8) as url:
        interrupted(url.replace("http", scheme), "chat")


@pytest.mark.parametrize("form", FORMATS)
def test_before_the_answer(form: str) -> None:
    with ModelServer([{"delay": 60}]) as server:
        interrupted(server.url, form)


@pytest.mark.parametrize("form", FORMATS)
def test_in_mid_stream(form: str) -> None:
    with ModelServer([{"text": "abcdef", "chunk": 1, "stall": [4, 60]}, {"text": "Well."}]) as server:
        transport = Transport()
        interrupted(server.url, form, transport)
        assert answer(client(server.url, form, transport=transport)).message.text == "Well."


def test_on_a_connection_that_served_before() -> None:
    transport = Transport()
    with ModelServer([{"text": "a"}, {"delay": 60}, {"text": "b"}]) as server:
        llm = client(server.url, "chat", transport=transport)
        assert answer(llm).message.text == "a"
        interrupted(server.url, "chat", transport)
        assert answer(llm).message.text == "b"
        assert [seen.connection for seen in server.seen] == [1, 1, 2]


def test_before_it_began() -> None:
    interrupt = Interrupt()
    interrupt.set()
    with ModelServer() as server:
        with pytest.raises(Interrupted):
            ask(client(server.url, "chat"), interrupt=interrupt)
        assert server.seen == []


def test_from_a_signal_handler_of_the_waiting_thread() -> None:
    interrupt = Interrupt()
    old = signal.signal(signal.SIGUSR1, lambda *_: interrupt.set())
    try:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        with ModelServer([{"delay": 60}]) as server, pytest.raises(Interrupted):
            ask(client(server.url, "chat"), interrupt=interrupt)
    finally:
        signal.signal(signal.SIGUSR1, old)


def test_pieces_that_came_before_are_not_held_back() -> None:
    """Between two pieces the interrupt is seen, though more of them wait."""
    interrupt = Interrupt()
    with ModelServer([{"text": "abcdef", "chunk": 1}]) as server:
        stream = client(server.url, "chat").stream(request(), interrupt)
        assert next(stream) == TextPiece("a")
        interrupt.set()
        with pytest.raises(Interrupted):
            list(stream)
