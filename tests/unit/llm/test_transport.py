"""Connections: what they load, through what they go, and what they trust."""

from __future__ import annotations

import gzip
import shutil
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import ClassVar

import pytest

from rescene_cli.core.errors import ProviderError, ProviderFault
from rescene_cli.core.runtime import Interrupt
from rescene_cli.llm.transport import Outgoing, Transport
from tests.support.model_server import ModelServer
from tests.support.models import answer, client, failure, opened

LOADS = """
import sys
{before}
from rescene_cli.llm.transport import Transport, load_httpx
from rescene_cli.llm.endpoints import Directory
early = [name for name in ("httpx", "ssl", "litellm", "asyncio", "email", "http.client") if name in sys.modules]
assert not early, early
library = load_httpx()
assert load_httpx() is library and library.HTTPTransport
print(sorted({{"rich", "click", "pygments", "httpx._main"}} & set(sys.modules)))
"""


def loaded(before: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-c", LOADS.format(before=before)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_httpx_comes_late_and_without_its_command_line() -> None:
    assert loaded() == "[]"


def test_what_was_imported_before_stays() -> None:
    assert loaded("import rich") == "['rich']"


def ping(server: ModelServer) -> Outgoing:
    return Outgoing(f"{server.url}/v1/chat/completions", {}, b"{}", "mock")


def test_what_the_reply_needs_is_loaded_when_the_first_request_is_out() -> None:
    called, received = threading.Event(), []

    def meanwhile() -> None:
        received.append(threading.current_thread())
        called.set()

    with ModelServer() as server, closing(Transport(meanwhile=meanwhile)) as transport:
        assert not called.is_set()
        for _ in range(2):
            list(transport.stream(ping(server), Interrupt()))
        assert called.wait(5)
        assert len(received) == 1 and received[0] is not threading.current_thread()


def test_a_warmed_connection_is_the_only_one() -> None:
    with ModelServer() as server, closing(Transport()) as transport:
        transport.warm(server.url)
        for _ in range(3):
            list(transport.stream(ping(server), Interrupt()))
        assert server.connections == 1


class _Proxy(socketserver.StreamRequestHandler):
    """Answers every request itself, and keeps its first line."""

    lines: ClassVar[list[str]] = []

    def handle(self) -> None:
        self.lines.append(self.rfile.readline().decode().strip())
        while self.rfile.readline().strip():
            pass
        body = b'data: {"choices": [{"delta": {"content": "proxied"}, "finish_reason": "stop"}]}\n\n'
        head = f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {len(body)}\r\n\r\n"
        self.wfile.write(head.encode() + body)


@contextmanager
def proxy() -> Iterator[str]:
    _Proxy.lines = []
    with socketserver.TCPServer(("127.0.0.1", 0), _Proxy) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_a_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.delenv("NO_PROXY")
    with proxy() as url:
        monkeypatch.setenv(variable, url)
        assert answer(client("http://model.test", "chat")).message.text == "proxied"
    assert _Proxy.lines == ["POST http://model.test/v1/chat/completions HTTP/1.1"]


class _Refusal(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        while self.rfile.readline().strip():
            pass
        self.wfile.write(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")


def test_a_tunnel_that_is_refused_names_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_PROXY")
    with socketserver.TCPServer(("127.0.0.1", 0), _Refusal) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{server.server_address[1]}")
        error = failure(client("https://model.test", "chat"))
    assert error.fault is ProviderFault.UNREACHABLE
    assert "403" in error.message
    assert "HTTPS_PROXY" in error.hint


def test_this_machine_is_not_asked_for_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_PROXY")
    with proxy() as url, ModelServer() as server:
        monkeypatch.setenv("HTTP_PROXY", url)
        assert answer(client(server.url, "chat")).message.text == "Done."
    assert _Proxy.lines == []


@pytest.mark.parametrize("value", ["socks5://127.0.0.1:9", "nonsense://x"])
def test_a_proxy_that_can_not_be_used(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.delenv("NO_PROXY")
    monkeypatch.setenv("HTTP_PROXY", value)
    error = failure(client("http://model.test", "chat"))
    assert error.fault is ProviderFault.NOT_CONFIGURED
    assert "ALL_PROXY" in error.hint


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that signs itself, and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("makes its certificate with openssl, which is not installed")
    folder = tmp_path_factory.mktemp("tls")
    paths = folder / "cert.pem", folder / "key.pem"
    subject = ["-subj", "/CN=rescene test", "-addext", "subjectAltName=IP:127.0.0.1"]
    out = ["-out", str(paths[0]), "-keyout", str(paths[1])]
    make = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject, *out]
    subprocess.run(make, check=True, capture_output=True, timeout=60)
    return paths


def test_a_certificate_nobody_vouches_for(certificate: tuple[Path, Path]) -> None:
    with ModelServer(certificate=certificate) as server:
        error = failure(client(server.url, "chat"))
    assert error.fault is ProviderFault.TLS
    assert "self-signed certificate" in error.message.replace("self signed", "self-signed")
    assert "SSL_CERT_FILE" in error.hint
    assert "ca_file" in error.hint


def test_ca_file_vouches(certificate: tuple[Path, Path]) -> None:
    with ModelServer(certificate=certificate) as server:
        llm = client(server.url, "chat", transport=Transport(str(certificate[0])))
        assert answer(llm).message.text == "Done."
        assert answer(llm).message.text == "Done."
        assert server.connections == 1


def test_ssl_cert_file_vouches(certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    with ModelServer(certificate=certificate) as server:
        assert answer(client(server.url, "chat")).message.text == "Done."


def test_a_certificate_file_that_is_not_there() -> None:
    error = failure(client("https://127.0.0.1:1", "chat", transport=Transport("/nowhere/ca.pem")))
    assert error.fault is ProviderFault.TLS
    assert "/nowhere/ca.pem" in error.message


class _Plain(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        self.request.recv(1)
        self.request.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def test_tls_where_plain_http_is_spoken() -> None:
    with socketserver.TCPServer(("127.0.0.1", 0), _Plain) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        error = failure(client(f"https://127.0.0.1:{server.server_address[1]}", "chat"))
    assert error.fault is ProviderFault.TLS


def test_a_warm_connection_is_the_one_used() -> None:
    transport = Transport()
    with ModelServer([{"text": "a"}]) as server:
        transport.warm(server.url)
        assert answer(client(server.url, "chat", transport=transport)).message.text == "a"
        assert server.connections == 1


def test_a_server_that_closes_after_each_answer() -> None:
    with ModelServer([{"text": "a", "close": True}, {"text": "b", "close": True}]) as server:
        llm = client(server.url, "chat")
        assert [answer(llm).message.text for _ in range(2)] == ["a", "b"]
        assert server.connections == 2


def test_a_kept_connection_that_is_closed_when_it_is_used_again() -> None:
    """The server takes the request, and closes without an answer: that is once more sent, on a new connection."""
    with ModelServer([{"text": "a"}, {"hang_up": True}, {"text": "b"}, {"hang_up": True}, {"hang_up": True}]) as server:
        llm = client(server.url, "chat")
        assert [answer(llm).message.text for _ in range(2)] == ["a", "b"]
        assert [seen.connection for seen in server.seen] == [1, 1, 2]
        assert failure(llm).fault is ProviderFault.DROPPED  # a new one that is closed too is no accident


def test_requests_at_the_same_time_have_a_connection_each() -> None:
    transport = Transport()
    with ModelServer([{"text": "a", "delay": 0.3}, {"text": "b"}]) as server:
        texts: list[str] = []
        llms = [client(server.url, "chat", transport=transport) for _ in range(2)]
        threads = [threading.Thread(target=lambda llm=llm: texts.append(answer(llm).message.text)) for llm in llms]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert sorted(texts) == ["a", "b"]
        assert server.connections == 2


class _Zipped(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        while self.rfile.readline().strip():
            pass
        body = gzip.compress(b"data: hello\n\n")
        head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\n"
        self.wfile.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)


def test_a_server_that_compresses_though_not_asked_to() -> None:
    with socketserver.TCPServer(("127.0.0.1", 0), _Zipped) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        transport = Transport()
        url = f"http://127.0.0.1:{server.server_address[1]}/"
        assert list(transport.stream(Outgoing(url, {}, b"{}", "zip"), Interrupt())) == ["hello"]
        transport.close()


def test_probe() -> None:
    transport = Transport()
    with ModelServer(models=("a", "b")) as server:
        assert [row["id"] for row in transport.probe(f"{server.url}/v1/models", {}, 5)["data"]] == ["a", "b"]
    assert transport.probe(f"{server.url}/v1/models", {}, 0.3) is None


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/x", "http://127.0.0.1:port/x"])
def test_an_address_that_is_none(url: str) -> None:
    transport = opened(Transport())
    with pytest.raises(ProviderError) as caught:
        list(transport.stream(Outgoing(url, {}, b"", "odd"), Interrupt()))
    assert caught.value.fault is ProviderFault.NOT_CONFIGURED
    assert url in caught.value.message
    assert transport.probe(url, {}, 0.3) is None


def test_a_header_that_can_not_be_sent_is_not_shown() -> None:
    with ModelServer() as server, pytest.raises(ProviderError) as caught:
        list(opened(Transport()).stream(Outgoing(server.url, {"x-key": "secret\n"}, b"", "odd"), Interrupt()))
    assert "secret" not in caught.value.message
