"""A connection: what comes before an answer is measured, what comes after it is not."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from rescene_cli.llm.lane import LONGEST_HEAD, Lane
from rescene_cli.llm.reading import Unreadable


class Stream:
    def __init__(self) -> None:
        self.ours, self.theirs = socket.socketpair()

    def read(self, size: int, timeout: float | None = None) -> bytes:
        return bytes(size)

    def get_extra_info(self, name: str) -> Any:
        return self.ours

    def close(self) -> None:
        self.ours.close()
        self.theirs.close()


@pytest.mark.parametrize("opened", ["connection.connect_tcp.complete", "connection.start_tls.complete"])
def test_bytes_are_counted_from_the_request_to_its_answer(opened: str) -> None:
    stream = Stream()
    lane = Lane(stream, lambda: None)
    lane.trace(opened, {"return_value": stream})
    stream.read(2 * LONGEST_HEAD)
    for _ in range(2):
        lane.trace("http11.send_request_headers.started", {})
        assert len(stream.read(LONGEST_HEAD)) == LONGEST_HEAD
        lane.trace("http11.receive_response_headers.complete", {})
        stream.read(2 * LONGEST_HEAD)
    lane.trace("http11.send_request_headers.started", {})
    with pytest.raises(Unreadable, match="1 MiB came before its answer"):
        stream.read(LONGEST_HEAD + 1)
    lane.drop()
    stream.close()
