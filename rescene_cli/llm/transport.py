"""The HTTP transport: one kept connection to each server, streams that can be interrupted at any point."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from rescene_cli.core.errors import ProviderError, ProviderFault
from rescene_cli.core.json_text import loads
from rescene_cli.core.runtime import Interrupt
from rescene_cli.llm import failures
from rescene_cli.llm.body import decoded
from rescene_cli.llm.feed import Feed, TooQuiet
from rescene_cli.llm.lane import Lane
from rescene_cli.llm.reading import Unreadable
from rescene_cli.llm.sse import EventDecoder

if TYPE_CHECKING:
    import ssl

    import httpx

_HEADERS = {
    "content-type": "application/json",
    "accept": "text/event-stream",
    "accept-encoding": "identity",
    "user-agent": "rescene",
}
_DRAIN = 0.25  # seconds a finished reply may take to end its stream, before its connection is given up
LONGEST_STREAM = 256 << 20  # bytes of one reply, envelopes and all: the longest outputs sold take a fifth of it
LONGEST_REFUSAL = 64 << 10  # bytes that are read of an answer that is no reply
LONGEST_LIST = 1 << 20  # bytes of a local server's list of models
REFUSAL = 5.0  # seconds that are waited for the rest of it, since what counts is known by then


class Timeouts(NamedTuple):
    """How long to wait, in seconds: for a connection, for the next byte, and for the first byte of an answer.

    A local model may read a long prompt for minutes before its first byte, so that is at least 300 s if not given.
    """

    connect: float = 15.0
    stall: float = 120.0
    first_byte: float | None = None

    def quiet(self, *, streaming: bool) -> float:
        """How long a server may say nothing."""
        if streaming:
            return self.stall
        return max(300.0, self.stall) if self.first_byte is None else self.first_byte


class Outgoing(NamedTuple):
    """A POST. `who` names the provider in messages; `secret` is kept out of them."""

    url: str
    headers: Mapping[str, str]
    body: bytes
    who: str
    secret: str = ""


class _Head(NamedTuple):
    status: int
    headers: Mapping[str, str]


class _Stale(Exception):  # noqa: N818 - an order to begin again
    """The server closed a kept connection just as it was used again, without a byte of an answer."""


class Transport:
    """Sends requests and streams answers. One for a session: `close` it at the end.

    `ca_file` is a PEM file of certificate authorities to trust beside the usual ones. `meanwhile` runs once, on a
    thread of its own, when the first request is on its way: what it loads costs no time that anybody waits.
    """

    def __init__(
        self, ca_file: str = "", timeouts: Timeouts | None = None, meanwhile: Callable[[], None] | None = None
    ) -> None:
        self.timeouts = timeouts or Timeouts()
        self._meanwhile = meanwhile
        self._ca_file = ca_file
        self._idle: dict[str, Lane] = {}
        self._warming: dict[str, threading.Thread] = {}
        self._lock = threading.Lock()
        self._context: ssl.SSLContext | None = None

    def warm(self, url: str) -> None:
        """Load what a request to `url` needs, in the background, while the program does something else."""

        def prepare() -> None:
            with suppress(ProviderError):  # the request itself will say it
                self._keep(url, Lane(self._client(url), self._sent))

        thread = threading.Thread(target=prepare, name="rescene-warm", daemon=True)
        self._warming[_origin(url)] = thread
        thread.start()

    def stream(self, outgoing: Outgoing, interrupt: Interrupt) -> Generator[str, None, None]:
        """The data of each event of the answer.

        Close the iterator once the reply is whole: the connection is then read to its end and kept.
        Raises ProviderError, or Interrupted as soon as `interrupt` is set.
        """
        interrupt.check()
        while True:
            try:
                yield from self._exchange(self._lane(outgoing.url), outgoing, interrupt)
            except _Stale:
                continue  # on a new connection, which can't be stale
            return

    def _exchange(self, lane: Lane, outgoing: Outgoing, interrupt: Interrupt) -> Iterator[str]:
        feed: Feed[_Head | bytes] = Feed(lambda feed: self._send(lane, outgoing, feed))
        with feed.running(interrupt), self._settled(lane, outgoing, feed):
            head = self._head(lane, outgoing, feed, interrupt)
            pieces = self._pieces(feed, interrupt, outgoing)
            if head.status != 200 or "text/event-stream" not in head.headers.get("content-type", "text/event-stream"):
                said = self._refusal(feed, interrupt)
                raise failures.from_response(head.status, head.headers, said, outgoing.who, outgoing.secret)
            decoder = EventDecoder()
            for piece in pieces:
                yield from decoder.feed(piece)
            yield from decoder.close()

    def _refusal(self, feed: Feed[_Head | bytes], interrupt: Interrupt) -> bytes:
        """What comes of an answer that is no reply, as far as it can be read; its status says the rest."""
        said, until = b"", time.monotonic() + REFUSAL
        with suppress(TooQuiet, Unreadable, load_httpx().HTTPError):
            while len(said) < LONGEST_REFUSAL and (piece := feed.take(interrupt, max(0.0, until - time.monotonic()))):
                said += piece if isinstance(piece, bytes) else b""
        return said[:LONGEST_REFUSAL]

    def probe(self, url: str, headers: Mapping[str, str], seconds: float) -> Any:
        """The JSON behind a GET, or None: no server, no whole answer in time, no JSON."""
        library, until = load_httpx(), time.monotonic() + seconds
        feed: Feed[bytes] = Feed(lambda feed: self._get(url, headers, seconds, feed))
        interrupt, body = Interrupt(), b""
        with suppress(library.HTTPError, library.InvalidURL, ValueError, TooQuiet), feed.running(interrupt):
            while piece := feed.take(interrupt, max(0.0, until - time.monotonic())):
                body += piece
                if len(body) > LONGEST_LIST:
                    return None
            return loads(body.decode())
        return None

    def _get(self, url: str, headers: Mapping[str, str], seconds: float, feed: Feed[bytes]) -> None:
        """Runs on the feed's thread."""
        asked = {"accept-encoding": "identity", **headers}
        with (
            load_httpx().Client(timeout=seconds, verify=self._trust(url), trust_env=False) as client,
            client.stream("GET", url, headers=asked) as answer,
        ):
            if answer.status_code == 200:
                for piece in answer.iter_raw():
                    feed.put(piece)

    def close(self) -> None:
        """Close every kept connection."""
        with self._lock:
            lanes, self._idle = list(self._idle.values()), {}
        for lane in lanes:
            lane.drop()

    def _lane(self, url: str) -> Lane:
        if warming := self._warming.pop(_origin(url), None):
            warming.join()  # a lane of our own would not be ready earlier, and its connection would be a second one
        with self._lock:
            lane = self._idle.pop(_origin(url), None)
            return lane or Lane(self._client(url), self._sent)

    def _sent(self) -> None:
        """A request is on its way."""
        meanwhile, self._meanwhile = self._meanwhile, None
        if meanwhile is not None:
            threading.Thread(target=meanwhile, name="rescene-meanwhile", daemon=True).start()

    def _keep(self, url: str, lane: Lane) -> None:
        with self._lock:
            kept = self._idle.setdefault(_origin(url), lane)
        if kept is not lane:
            lane.drop()

    def _client(self, url: str) -> httpx.HTTPTransport:
        library = load_httpx()
        limits = library.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=300.0)
        try:
            client: httpx.HTTPTransport = library.HTTPTransport(
                verify=self._trust(url), trust_env=False, limits=limits, proxy=_proxy(url)
            )
        except (ImportError, ValueError) as error:  # a SOCKS proxy without its library, or a proxy that is no URL
            raise ProviderError(
                f"The proxy set in the environment can't be used: {error}",
                "Correct HTTPS_PROXY or ALL_PROXY, or list the host in NO_PROXY.",
                fault=ProviderFault.NOT_CONFIGURED,
            ) from error
        return client

    def _trust(self, url: str) -> ssl.SSLContext:
        """Certificate authorities: SSL_CERT_FILE or certifi's, the system's own directory, and `ca_file`."""
        import ssl

        if urlsplit(url).scheme != "https":
            return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # loading authorities costs 25 ms
        if self._context is None:
            self._context = _trust_store(self._ca_file)
        return self._context

    def _send(self, lane: Lane, outgoing: Outgoing, feed: Feed[_Head | bytes]) -> None:
        """Runs on the feed's thread."""
        request = load_httpx().Request(
            "POST",
            outgoing.url,
            content=outgoing.body,
            headers={**_HEADERS, **outgoing.headers},
            extensions={"trace": lane.trace, "timeout": {"connect": self.timeouts.connect}},
        )
        with lane.working():
            answer = lane.client.handle_request(request)
            try:
                feed.put(_Head(answer.status_code, answer.headers))
                for piece in decoded(answer.iter_raw(), answer.headers.get("content-encoding", "")):
                    feed.put(piece)
            finally:
                answer.close()

    def _head(self, lane: Lane, outgoing: Outgoing, feed: Feed[_Head | bytes], interrupt: Interrupt) -> _Head:
        try:
            head = self._take(feed, interrupt, outgoing, ProviderFault.TIMEOUT)
        except ProviderError as error:
            if lane.served and error.fault is ProviderFault.DROPPED:
                raise _Stale from error
            raise
        assert isinstance(head, _Head)  # it is put first, and an answer without one is an error
        return head

    def _pieces(self, feed: Feed[_Head | bytes], interrupt: Interrupt, outgoing: Outgoing) -> Iterator[bytes]:
        size = 0
        while (piece := self._take(feed, interrupt, outgoing, ProviderFault.STALLED)) is not None:
            if isinstance(piece, bytes):
                size += len(piece)
                if size > LONGEST_STREAM:
                    message = f"one reply is larger than {LONGEST_STREAM >> 20} MiB"
                    raise Unreadable(message)
                yield piece

    def _take(
        self, feed: Feed[_Head | bytes], interrupt: Interrupt, outgoing: Outgoing, quiet: ProviderFault
    ) -> _Head | bytes | None:
        streaming = quiet is ProviderFault.STALLED
        seconds = self.timeouts.quiet(streaming=streaming)
        try:
            return feed.take(interrupt, seconds)
        except TooQuiet:
            raise failures.too_quiet(outgoing.who, seconds, quiet) from None
        except (load_httpx().HTTPError, load_httpx().InvalidURL, UnicodeError) as error:
            raise failures.from_network(error, outgoing.url, outgoing.who, streaming=streaming) from error

    @contextmanager
    def _settled(self, lane: Lane, outgoing: Outgoing, feed: Feed[_Head | bytes]) -> Iterator[None]:
        """After the block the connection is kept if its stream was read to the end, else broken off."""
        whole = False
        try:
            yield
            whole = True
        except GeneratorExit:
            whole = feed.drain(_DRAIN)
            raise
        except ProviderError:
            whole = feed.ended and not lane.dropped
            raise
        finally:
            if whole:
                lane.served = True
                self._keep(outgoing.url, lane)
            else:
                lane.drop()


def is_loopback(url: str) -> bool:
    """Whether `url` names this machine."""
    host = urlsplit(url).hostname or ""
    return host in {"localhost", "::1"} or host.startswith("127.")


def _proxy(url: str) -> str | None:
    """The proxy that the environment, or the system, names for `url`."""
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(url)
    if is_loopback(url) or proxy_bypass(parts.hostname or ""):  # a proxy can't reach this machine's own servers
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _trust_store(ca_file: str) -> ssl.SSLContext:
    import ssl

    import certifi

    named = os.environ.get("SSL_CERT_FILE")
    try:
        context = ssl.create_default_context(cafile=named or certifi.where())
        system = os.environ.get("SSL_CERT_DIR") or ssl.get_default_verify_paths().capath
        if system:
            context.load_verify_locations(capath=system)  # read only when a certificate asks for it
        if ca_file:
            context.load_verify_locations(cafile=ca_file)
    except OSError as error:
        raise ProviderError(
            f"The certificate file {ca_file or named} can't be read: {error.strerror or error}",
            "Correct SSL_CERT_FILE, or `network.ca_file` in the configuration.",
            fault=ProviderFault.TLS,
        ) from error
    return context


_loading = threading.Lock()


def load_httpx() -> Any:
    """httpx without its command line, which would import click, rich and pygments (86 ms)."""
    loaded = sys.modules.get("httpx")
    if loaded is not None and hasattr(loaded, "Client") and not _loading.locked():
        return loaded
    with _loading:
        name = "httpx._main"
        if name in sys.modules or "httpx" in sys.modules:
            import httpx

            return httpx
        sys.modules[name] = None  # type: ignore[assignment]  # makes its import fail, as where click is missing
        try:
            import httpx
        finally:
            del sys.modules[name]
        return httpx


Probe = Callable[[str, Mapping[str, str], float], Any]
