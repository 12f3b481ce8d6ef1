"""A model server on loopback: plays scripted turns in all three wire formats, with faults, and records requests.

In a test:      with ModelServer([{"text": "Done."}]) as server: ... server.url ... server.seen
By itself:      python -m tests.support.model_server --turns FILE.json --log FILE.jsonl
                prints its port on the first line of stdout, then serves until it is ended

A turn is an object; all fields are optional:
  text, thinking, signature, redacted, calls: [{name, args | raw_args, id}], finish: "length"
  usage: {input, output, cached, cache_written}
  chunk: characters in a piece of text       repeat: [piece, count]      size: a text of that many characters
  split: bytes of one write to the network   crlf: true                  delay: seconds before the answer
  status, headers, body: an HTTP error       drop: N, break off after N events     stall: [N, seconds] after N events
  error: {...}, an error event after the first events      open: true, the stream is not ended after its last event
  hang_up: true, closes without an answer     close: true, closes the connection after its answer
  raw: text sent as the whole event stream   type: content type of the answer
Requests beyond the turns get `final`. The log has one JSON line a request; its times are CLOCK_MONOTONIC seconds.
"""

from __future__ import annotations

import argparse
import json
import socket
import socketserver
import ssl
import sys
import threading
import time
from dataclasses import dataclass, field
from dataclasses import fields as fields_of
from pathlib import Path
from typing import Any, BinaryIO

from tests.support import wire


@dataclass
class Seen:
    """One request as it arrived. `first` and `end` are when its answer began and ended."""

    number: int
    connection: int
    path: str
    size: int
    arrived: float
    first: float = 0.0
    end: float = 0.0
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)

    def line(self) -> str:
        """For the log: without headers, which hold the key, and without the body."""
        left_out = {"headers", "body"}  # not through asdict, which copies the body: the next request waits meanwhile
        fields = {each.name: getattr(self, each.name) for each in fields_of(self) if each.name not in left_out}
        body = self.body if isinstance(self.body, dict) else {}
        fields["messages"] = len(body.get("messages") or body.get("input") or ())
        fields["tools"] = len(body.get("tools") or ())
        return json.dumps(fields)


class Broken(Exception):  # noqa: N818 - an order, not a fault
    """The turn wants its connection broken."""


class _Connection(socketserver.StreamRequestHandler):
    server: _Server
    disable_nagle_algorithm = True

    def handle(self) -> None:
        number = self.server.model.connected()
        try:
            while self._one(number):
                pass
        except (OSError, Broken):  # the other side went away, or was to be left
            self.connection.close()

    def _one(self, connection: int) -> bool:
        line = self.rfile.readline()
        if not line.strip():
            return False
        arrived = time.monotonic()
        method, target, _ = line.decode("latin-1").split(" ", 2)
        headers = _headers(self.rfile)
        raw = self.rfile.read(int(headers.get("content-length", "0")))
        path = target.partition("?")[0]
        model = self.server.model
        if method == "GET":
            self._answer(
                200, {}, {"object": "list", "data": [{"id": name, "object": "model"} for name in model.models]}
            )
            return True
        seen = Seen(0, connection, path, len(raw), arrived, body=json.loads(raw), headers=headers)
        turn = model.next(seen)
        try:
            self._play(turn, seen)
        finally:
            seen.end = seen.end or time.monotonic()
            model.finished(seen)
        return not turn.get("close")

    def _play(self, turn: dict[str, Any], seen: Seen) -> None:
        if turn.get("delay"):
            self._sleep(turn["delay"])
        seen.first = time.monotonic()
        if "hang_up" in turn:
            raise Broken
        if "status" in turn:
            body = turn.get("body", {"error": {"message": "scripted fault", "type": "fault"}})
            self._answer(turn["status"], turn.get("headers", {}), body)
            return
        kind = turn.get("type", "text/event-stream")
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n".encode()
        stream = b"" if turn.get("split") or "drop" in turn or "stall" in turn else head
        if not stream:
            self.wfile.write(head)
        for number, event in enumerate(self._events(turn, seen)):
            self._fault(turn, number)
            coded = (event.replace("\n", "\r\n") if turn.get("crlf") else event).encode()
            size = turn.get("split") or len(coded)
            chunks = [coded[start : start + size] for start in range(0, len(coded), size)]
            stream += b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
            if turn.get("split") or "drop" in turn or "stall" in turn or len(stream) > 1 << 16:
                self.wfile.write(stream)
                stream = b""
        if turn.get("open"):
            self.wfile.write(stream)
            self._sleep(30)
            raise Broken
        seen.end = time.monotonic()  # before the write: a busy machine may wake the client first
        self.wfile.write(stream + b"0\r\n\r\n")

    def _events(self, turn: dict[str, Any], seen: Seen) -> list[str]:
        if "raw" in turn:
            return [turn["raw"]]
        make = next(make for end, make in wire.BY_PATH.items() if seen.path.endswith(end))
        events = list(make(turn, seen.number))
        return [*events[:2], wire.error_event(seen.path, turn["error"])] if "error" in turn else events

    def _fault(self, turn: dict[str, Any], number: int) -> None:
        if turn.get("drop") == number:
            self.connection.shutdown(socket.SHUT_RDWR)
            raise Broken
        if "stall" in turn and turn["stall"][0] == number:
            self._sleep(turn["stall"][1])

    def _sleep(self, seconds: float) -> None:
        """Wait, but not for a client that has gone."""
        self.connection.settimeout(seconds)
        try:
            if self.connection.recv(1) == b"":
                raise Broken
        except TimeoutError:
            self.connection.settimeout(None)

    def _answer(self, status: int, headers: dict[str, str], body: Any) -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        raw = text.encode()
        extra = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(raw)}\r\n{extra}\r\n"
        self.wfile.write(head.encode() + raw)


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64
    model: ModelServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):  # a client that goes away is no news
            super().handle_error(request, client_address)


class ModelServer:
    """Plays `turns`, then `final` for ever. `certificate` and `key` (PEM files) make it speak TLS."""

    def __init__(
        self,
        turns: list[dict[str, Any]] | None = None,
        final: dict[str, Any] | None = None,
        log: Path | None = None,
        models: tuple[str, ...] = ("mock",),
        certificate: tuple[Path, Path] | None = None,
    ) -> None:
        self.turns = list(turns or [])
        self.final = final or {"text": "Done."}
        self.models = models
        self.seen: list[Seen] = []
        self.connections = 0
        self._log = log
        self._next = 0
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Connection)
        self._server.model = self
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port: int = self._server.server_address[1]
        self.url = f"http{'s' if certificate else ''}://127.0.0.1:{self.port}"

    def __enter__(self) -> ModelServer:
        serve = self._server.serve_forever
        threading.Thread(target=serve, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def connected(self) -> int:
        with self._lock:
            self.connections += 1
            return self.connections

    def next(self, seen: Seen) -> dict[str, Any]:
        with self._lock:
            turn = self.turns[self._next] if self._next < len(self.turns) else self.final
            self._next += 1
            seen.number = self._next
            self.seen.append(seen)
            return turn

    def finished(self, seen: Seen) -> None:
        if self._log is not None:
            with self._lock, self._log.open("a") as file:
                file.write(seen.line() + "\n")


def _headers(file: BinaryIO) -> dict[str, str]:
    found: dict[str, str] = {}
    while line := file.readline().decode("latin-1").strip():
        name, _, value = line.partition(":")
        found[name.lower()] = value.strip()
    return found


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--turns", type=Path, required=True, help="a JSON list of turns")
    options.add_argument("--log", type=Path, help="a JSONL file, one line a request")
    chosen = options.parse_args()
    with ModelServer(json.loads(chosen.turns.read_text()), log=chosen.log) as server:
        print(server.port, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
