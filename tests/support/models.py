"""Short ways to make requests of the clients and to see how they end."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import pytest

from rescene_cli.core.errors import ProviderError
from rescene_cli.core.llm import LLM, Reply, Request, StreamItem, SystemPrompt
from rescene_cli.core.messages import Message, Text, User
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.tools import Effect, ToolSpec
from rescene_cli.llm.endpoints import Directory
from rescene_cli.llm.provider import Format, Provider
from rescene_cli.llm.transport import Timeouts, Transport

FORMATS = [str(form) for form in Format]
READ = ToolSpec("read_file", "Read a file.", {"type": "object", "properties": {}}, frozenset({Effect.READ}))


def user(text: str) -> User:
    return User((Text(text),))


def request(*messages: Message, model: str = "one/m", **more: object) -> Request:
    said = messages or (user("hello"),)
    return Request(model, SystemPrompt("Be exact.", "Today."), said, **more)  # type: ignore[arg-type]


def directory(url: str, transport: Transport | None = None) -> Directory:
    """Providers `chat`, `responses` and `anthropic`, each speaking its format to the server at `url`."""
    rows = [Provider(form, f"{url}/v1", "RESCENE_TEST_KEY", form) for form in FORMATS]
    env = {**os.environ, "RESCENE_TEST_KEY": "sk-test-4711-secret"}
    return Directory(env, opened(transport or Transport()), rows)


_opened: list[Transport] = []


def opened(transport: Transport) -> Transport:
    """`transport`, closed when the test ends."""
    _opened.append(transport)
    return transport


@pytest.fixture(autouse=True)
def close_transports() -> Iterator[None]:
    """Close what a test opened; a `conftest.py` beside the tests names this fixture."""
    yield
    while _opened:
        _opened.pop().close()


def client(url: str, form: str, timeouts: Timeouts | None = None, transport: Transport | None = None) -> LLM:
    return directory(url, transport or Transport(timeouts=timeouts)).open_model(f"{form}/m")


def ask(llm: LLM, wanted: Request | None = None, interrupt: Interrupt | None = None) -> list[StreamItem]:
    return list(llm.stream(wanted or request(), interrupt or Interrupt()))


def answer(llm: LLM, wanted: Request | None = None) -> Reply:
    last = ask(llm, wanted)[-1]
    assert isinstance(last, Reply)
    return last


def failure(llm: LLM, wanted: Request | None = None) -> ProviderError:
    """The error a request ends in."""
    try:
        items = ask(llm, wanted)
    except ProviderError as error:
        return error
    message = f"no error, but {items}"
    raise AssertionError(message)


def texts(items: Sequence[StreamItem], kind: type) -> str:
    return "".join(item.text for item in items if isinstance(item, kind))  # type: ignore[union-attr]
