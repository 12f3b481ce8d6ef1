"""Servers that break HTTP, or pour without an end: each ends in one sentence, in bounded memory."""

from __future__ import annotations

import re
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from rescene_cli.core.errors import Interrupted, ProviderError, ProviderFault
from rescene_cli.core.runtime import Interrupt
from rescene_cli.llm.lane import LONGEST_HEAD
from rescene_cli.llm.transport import LONGEST_REFUSAL, LONGEST_STREAM, Transport
from tests.support import binary
from tests.support.hostile import OK, Hostile, Play, answered, bomb, endless, events, hostile
from tests.support.models import ask, client, failure, opened, request

EVENT_STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
REFUSED = b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n"
PIECE = b'data: {"choices":[{"delta":{"content":"' + b"x" * 4000 + b'"}}]}\n\n'
CALLS = b",".join(b'{"index":%d,"function":{"arguments":"xx"}}' % (number % 900) for number in range(30_000))
SOON = 20  # seconds after which a test counts as hanging; each server here would go on for ever

BROKEN: dict[str, tuple[Play | bytes, str]] = {
    "a header that is huge": (b"HTTP/1.1 200 OK\r\nx: " + b"y" * 1_000_000 + b"\r\n\r\n", "breaks the rules of HTTP"),
    "headers without an end": (endless(b"HTTP/1.1 200 OK\r\n", b"x: y\r\n"), "breaks the rules of HTTP"),
    "no answer but 100 Continue": (
        endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        f"{LONGEST_HEAD >> 20} MiB came before its answer",
    ),
    "another protocol": (b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nxx", "HTTP"),
    "no HTTP": (bytes(range(256)) * 10, "breaks the rules of HTTP"),
    "a length below 0": (b"HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n", "breaks the rules of HTTP"),
    "a chunk of no size": (EVENT_STREAM + b"transfer-encoding: chunked\r\n\r\nzz\r\n", "breaks the rules of HTTP"),
    "a line without an end": (endless(OK + b"data: ", b"x"), "an event is larger than 32 MiB"),
    "an event without an end": (endless(OK, b"data: xx\n"), "an event is larger than 32 MiB"),
    "a text without an end": (endless(OK, PIECE), "one reply is larger than 64 Mi characters"),
    "a compressed stream": (answered(EVENT_STREAM + b"content-encoding: gzip\r\n", bomb(100 << 20)), "32 MiB"),
    "an unknown encoding": (answered(EVENT_STREAM + b"content-encoding: br\r\n", b"x"), "'br', which nobody asked for"),
    "an encoding that it is not": (
        answered(EVENT_STREAM + b"content-encoding: gzip\r\n", b"no gzip"),
        "not compressed",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_it_ends_in_one_sentence(name: str) -> None:
    play, said = BROKEN[name]
    with hostile(play) as server:
        error = failure(client(server.url, "chat"))
    assert error.fault is ProviderFault.MALFORMED
    assert said in error.message
    assert "\n" not in error.message and len(error.message) < 400


def test_comments_without_an_end() -> None:
    block = b": " + b"x" * (1 << 20) + b"\n"
    with hostile(endless(OK, block)) as server:
        error = failure(client(server.url, "chat"))
    assert f"one reply is larger than {LONGEST_STREAM >> 20} MiB" in error.message


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (endless(REFUSED + b"\r\n", b"x"), "answered 400: xxx"),
        (endless(REFUSED + b"\r\n" + b"no " * LONGEST_REFUSAL, b"x"), "answered 400: no no"),
        (answered(REFUSED, b'{"error":' * 50_000), "answered 400: {"),
        (answered(REFUSED + b"content-encoding: gzip\r\n", bomb(300 << 20)), "answered 400."),
        (answered(REFUSED + b"content-encoding: br\r\n", b"x"), "answered 400."),
        (REFUSED + b"content-length: 99\r\n\r\nbroken off", "answered 400: broken off"),
    ],
)  # fmt: skip
def test_a_refusal_is_told_as_far_as_it_can_be_read(body: Play | bytes, said: str) -> None:
    with hostile(body) as server:
        error = failure(client(server.url, "chat"))
    assert error.fault is ProviderFault.BAD_REQUEST
    assert said in error.message
    assert len(error.message) < 400


def test_a_redirect_is_not_followed() -> None:
    with (
        hostile(OK) as other,
        hostile(answered(b"HTTP/1.1 307 X\r\nlocation: %s/v1\r\n" % other.url.encode(), b"")) as server,
    ):
        error = failure(client(server.url, "chat"))
        assert (server.requests, other.requests) == (1, 0)
    assert error.fault is ProviderFault.BAD_REQUEST
    assert f"answered 307: it points to {other.url}/v1" in error.message
    assert "base_url" in error.hint


def test_bytes_that_are_no_text_are_not_shown() -> None:
    with hostile(answered(b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n", b"\x89PNG\x1b[31m\xff" * 90)) as server:
        error = failure(client(server.url, "chat"))
    assert error.fault is ProviderFault.MALFORMED
    assert error.message.endswith("it sent something that is no event stream")


def test_escape_codes_are_not_shown() -> None:
    with hostile(answered(REFUSED, b'{"error": {"message": "\\u001b[31mred\\u202e"}}')) as server:
        assert failure(client(server.url, "chat")).message == "chat answered 400: [31mred"


POURING: dict[str, Play] = {
    "text": endless(OK, PIECE),
    "small pieces": endless(OK, b'data: {"choices":[{"delta":{"content":"ab"}}]}\n\n'),
    "a line": endless(OK + b"data: ", b"x"),
    "comments": endless(OK, b": hi\n"),
    "single bytes": endless(EVENT_STREAM + b"transfer-encoding: chunked\r\n\r\n", b"1\r\n:\r\n"),
    "values": endless(OK, b'data: {"x":[' + b"12345.5," * 90_000 + b"1]}\n\n"),
    "calls": endless(OK, b'data: {"choices":[{"delta":{"tool_calls":[' + CALLS + b"]}}]}\n\n"),
}


@pytest.mark.parametrize("name", POURING)
def test_an_interrupt_ends_it_while_bytes_pour_in(name: str) -> None:
    interrupt = Interrupt()
    begun = threading.Event()
    play = POURING[name]

    def pour(connection: Any) -> None:
        begun.set()
        play(connection)

    ends: list[BaseException] = []

    def work() -> None:
        try:
            ask(client(server.url, "chat"), interrupt=interrupt)
        except (Interrupted, ProviderError) as error:
            ends.append(error)

    with hostile(pour) as server:
        worker = threading.Thread(target=work)
        worker.start()
        assert begun.wait(SOON)
        interrupt.set()
        worker.join(SOON)
        assert not worker.is_alive()
    assert isinstance(ends[0], Interrupted)
    for thread in threading.enumerate():
        if thread.name == "rescene-request":
            thread.join(SOON)
            assert not thread.is_alive()


def test_a_reader_that_lags_is_not_run_ahead_of() -> None:
    """What is read of the network waits until it is wanted."""
    sent = 0

    def pour(connection: Any) -> None:
        nonlocal sent
        connection.sendall(OK)
        while True:
            connection.sendall(PIECE)
            sent += len(PIECE)

    with hostile(pour) as server:
        stream = client(server.url, "chat").stream(request(), Interrupt())
        next(stream)
        before = -1
        while before != sent:
            before = sent
            threading.Event().wait(0.3)
        assert sent < 40 << 20  # the kernel's buffers, and what the feed holds
        stream.close()  # type: ignore[attr-defined]  # a generator it is


def test_a_stream_that_goes_on_after_its_end_is_left() -> None:
    head = OK + b'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    with hostile(endless(head, b": more\n")) as server:
        transport = opened(Transport())
        assert ask(client(server.url, "chat", transport=transport))[-1]


LISTS = [b"[" * 50_000, b'{"data":' + b"9" * 5_000 + b"}", b'{"data": [5, {"id": 5}]}', b"\xff", b"x" * (2 << 20)]


@pytest.mark.parametrize("body", LISTS)
def test_a_local_server_that_lists_no_models(body: bytes) -> None:
    transport = opened(Transport())
    with hostile(answered(b"HTTP/1.1 200 OK\r\n", body)) as server:
        rows = transport.probe(f"{server.url}/models", {}, 5)
    assert rows is None or rows["data"] == [5, {"id": 5}]


def test_a_local_server_that_lists_models_without_an_end() -> None:
    transport = opened(Transport())
    for play in (endless(b"HTTP/1.1 200 OK\r\n\r\n", b"[" * 99), endless(b"HTTP/1.1 200 OK\r\n", b"x: y\r\n")):
        with hostile(play) as server:
            assert transport.probe(f"{server.url}/models", {}, 5) is None


# The installed program, with a limit on its memory.

MEMORY = 1 << 30  # bytes of address space
RESIDENT = 500 << 10  # KiB


def program(server: Hostile, root: Path, *options: str) -> subprocess.Popen[bytes]:
    command = [str(binary.RESCENE), "run", "go", "-m", "openai/x", *options]
    limited = ["sh", "-c", f'ulimit -v {MEMORY >> 10}; exec "$@"', "sh", *command]
    env = binary.environment(OPENAI_API_KEY="sk-test-4711-secret", OPENAI_BASE_URL=f"{server.url}/v1")
    return subprocess.Popen(
        limited, cwd=root, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str, int]:
    """Exit code, standard error, and KiB of memory at the most."""
    assert process.stdout is not None and process.stderr is not None
    peaks = [0]
    with process.stdout, process.stderr:
        threads = [
            threading.Thread(target=process.stdout.read, daemon=True),
            threading.Thread(target=watch_memory, args=(process.pid, peaks), daemon=True),
        ]
        for thread in threads:
            thread.start()
        errors = process.stderr.read().decode()
        for thread in threads:
            thread.join(SOON)
    return process.wait(SOON), errors, peaks[-1]


def watch_memory(pid: int, peaks: list[int]) -> None:
    """Until the process ends. What rusage says of a child is never below the size of the process it came from."""
    status = Path(f"/proc/{pid}/status")
    while found := re.search(r"VmHWM:\s*(\d+) kB", status.read_text() if status.exists() else ""):
        peaks.append(int(found[1]))
        time.sleep(0.02)


def called(arguments: str) -> bytes:
    call = {"index": 0, "id": "a", "function": {"name": "read_file", "arguments": arguments}}
    return events({"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}, "[DONE]")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"path":' + "[" * 50_000, "nested more than 64 levels"),
        ('{"path":' + "[" * 300 + "]" * 300 + "}", "nested more than 64 levels"),
        ('{"path":' + "[" * 60 + "]" * 60 + "}", "is not of type 'string'"),
        ('{"path": "a", "limit": NaN}', "not valid JSON"),
        ('{"path": "a", "limit": 1e99}', "is not of type 'integer'"),
        ('{"path": [' + "1," * 30_000 + "1]}", "more than 20,000 values"),
    ],
)
def test_arguments_that_no_tool_can_take(arguments: str, said: str, tmp_path: Path) -> None:
    with hostile(called(arguments)) as server:
        code, errors, _ = ended(program(server, tmp_path))
        assert server.requests == 11
    assert code == 6
    assert said in errors
    assert "no call that can be run" in errors
    assert "bug" not in errors


@pytest.mark.parametrize("name", ["a text without an end", "a line without an end", "a compressed stream"])
def test_the_programs_memory_is_bounded(name: str, tmp_path: Path) -> None:
    play, said = BROKEN[name]
    with hostile(play) as server:
        code, errors, most = ended(program(server, tmp_path))
        assert server.requests == 3
    assert code == 6, errors
    assert said in errors
    assert most < RESIDENT


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_program_while_bytes_pour_in(number: int, code: int, tmp_path: Path) -> None:
    begun = threading.Event()

    def pour(connection: Any) -> None:
        begun.set()
        endless(OK, b'data: {"choices":[{"delta":{"content":"ab"}}]}\n\n')(connection)

    with hostile(pour) as server:
        process = program(server, tmp_path)
        assert begun.wait(SOON)
        process.send_signal(number)
        assert ended(process)[0] == code


def test_a_limit_of_time_ends_the_program_while_bytes_pour_in(tmp_path: Path) -> None:
    with hostile(endless(OK, b": hi\n")) as server:
        assert ended(program(server, tmp_path, "--timeout", "1"))[0] == 7
