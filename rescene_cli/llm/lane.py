"""A connection that can be broken off at any point, by whoever waits for it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from rescene_cli.llm.reading import Unreadable

LONGEST_HEAD = 1 << 20  # bytes before an answer; only endless `100 Continue` come to more


class _Abandoned(Exception):  # noqa: N818 - says why a worker stops, nobody sees it
    """The request was given up while it was still connecting."""


class Lane:
    """A connection that serves one request at a time, so that its one socket is known at every moment.

    An httpx transport, not a client: cookies, redirects and authentication are not wanted here, and cost more
    than the rest of a request.
    """

    def __init__(self, client: Any, sent: Callable[[], None]) -> None:
        self.client = client
        self._sent = sent
        self.dropped = False
        self.served = False
        self._busy = False
        self._socket: socket.socket | None = None
        self._head: int | None = None  # bytes that came before the answer; None once it has begun
        self._lock = threading.Lock()

    @contextmanager
    def working(self) -> Iterator[None]:
        """While the block runs the client is in use, and only its own thread may close it."""
        with self._lock:
            self._busy = True
        try:
            yield
        finally:
            with self._lock:
                self._busy = False
                if self.dropped:
                    self.client.close()

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Called by httpcore at each step."""
        match event.rpartition(".")[0].rpartition(".")[2], event.endswith(".complete"):
            case "send_request_headers", False:
                self._head = 0
            case "send_request_body", True:
                self._sent()
            case "receive_response_headers", True:
                self._head = None
            case "connect_tcp", True:
                self._connected(info["return_value"])
            case "start_tls", True:
                self._measure(info["return_value"])

    def _connected(self, stream: Any) -> None:
        """Keep a second name of the socket as soon as there is one."""
        self._measure(stream)
        with self._lock:
            self._release()
            if not self.dropped:
                self._socket = stream.get_extra_info("socket").dup()
                return
        stream.close()
        raise _Abandoned

    def _measure(self, stream: Any) -> None:
        """httpcore reads informational answers for ever, and says nothing of them."""
        read = stream.read

        def measured(size: int, timeout: float | None = None) -> bytes:
            data: bytes = read(size, timeout)
            if self._head is not None:
                self._head += len(data)
                if self._head > LONGEST_HEAD:
                    message = f"{LONGEST_HEAD >> 20} MiB came before its answer"
                    raise Unreadable(message)
            return data

        stream.read = measured

    def drop(self) -> None:
        """Break off whatever it waits for; it serves no further request."""
        with self._lock:
            self.dropped = True
            self._release()
            if not self._busy:
                self.client.close()

    def _release(self) -> None:
        if self._socket is not None:
            with suppress(OSError):  # the server may have closed it
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()
            self._socket = None
