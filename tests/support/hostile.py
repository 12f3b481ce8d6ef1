"""A server that answers in bytes of the test's choosing: broken HTTP, floods, bombs, answers without an end."""

from __future__ import annotations

import gzip
import json
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Play = Callable[[socket.socket], None]
OK = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
BLOCK = 1 << 16


class Hostile:
    """Where it is, and how many requests it was sent. `headers` are those of the last one."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests = 0
        self.headers = b""


class _Connection(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        try:
            head = b""
            while (line := self.rfile.readline()).strip():
                head += line
                if line.lower().startswith(b"content-length:"):
                    self.rfile.read(int(line[15:]) + 2)  # and the blank line, which is then none
                    break
            self.server.state.requests += 1
            self.server.state.headers = head
            self.server.play(self.connection)
        except OSError:  # the client has had enough
            pass


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    block_on_close = False
    play: Play
    state: Hostile


@contextmanager
def hostile(play: Play | bytes) -> Iterator[Hostile]:
    """Each request is answered by `play`, or with these bytes; then the connection is closed."""
    with _Server(("127.0.0.1", 0), _Connection) as server:
        server.play = play if callable(play) else lambda connection: connection.sendall(play)
        server.state = Hostile(f"http://127.0.0.1:{server.server_address[1]}")
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server.state
        server.shutdown()


def endless(head: bytes, block: bytes) -> Play:
    """`head`, and then `block` for as long as anybody reads."""
    many = block * max(1, BLOCK // len(block))

    def play(connection: socket.socket) -> None:
        connection.sendall(head)
        while True:
            connection.sendall(many)

    return play


def answered(head: bytes, body: bytes) -> bytes:
    """A whole answer; `head` has its status line and headers, without the length."""
    return head + b"content-length: %d\r\nconnection: close\r\n\r\n" % len(body) + body


def events(*values: Any) -> bytes:
    """A whole stream; a text is the data of an event as it stands."""
    datas = (value if isinstance(value, str) else json.dumps(value) for value in values)
    return OK + "".join(f"data: {data}\n\n" for data in datas).encode()


def bomb(size: int) -> bytes:
    """So many zeros, compressed to a thousandth."""
    return gzip.compress(bytes(size))
