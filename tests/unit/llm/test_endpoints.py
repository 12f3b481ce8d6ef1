"""From names to clients."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rescene_cli.core.errors import ConfigError, ProviderError, ProviderFault
from rescene_cli.llm.anthropic_client import AnthropicClient
from rescene_cli.llm.endpoints import Directory, Found
from rescene_cli.llm.openai_chat import ChatClient
from rescene_cli.llm.openai_responses import ResponsesClient
from rescene_cli.llm.provider import Provider
from rescene_cli.llm.scripted import ScriptedModel
from rescene_cli.llm.transport import Transport
from tests.support.model_server import ModelServer
from tests.support.models import answer, opened, request

KEYS = {"OPENAI_API_KEY": "sk-1", "ANTHROPIC_API_KEY": "sk-2", "GROQ_API_KEY": "sk-3"}


def known(env: Mapping[str, str] = KEYS, *providers: Provider) -> Directory:
    return Directory(env, opened(Transport()), providers)


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("openai/gpt-5.6", ResponsesClient),
        ("openai/gpt-5-codex", ResponsesClient),
        ("openai/o3", ResponsesClient),
        ("openai/codex-mini-latest", ResponsesClient),
        ("openai/gpt-4.1", ChatClient),
        ("anthropic/claude-opus-5", AnthropicClient),
        ("claude-opus-5", AnthropicClient),
        ("gpt-4o", ChatClient),
        ("o4-mini", ResponsesClient),
        ("groq/openai/gpt-oss-120b", ChatClient),
        ("ollama/qwen3:8b", ChatClient),
        ("ollama_chat/qwen3", ChatClient),
        ("llama.cpp/any", ChatClient),
    ],
)
def test_who_speaks_to_what(model: str, kind: type) -> None:
    assert isinstance(known().open_model(model), kind)


def test_another_address_of_openai_speaks_chat() -> None:
    env = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    assert isinstance(known(env).open_model("openai/gpt-5.6"), ChatClient)


@pytest.mark.parametrize(("form", "kind"), [("responses", ResponsesClient), ("anthropic", AnthropicClient)])
def test_the_configuration_chooses_the_format(form: str, kind: type) -> None:
    mine = Provider("mine", "http://127.0.0.1:9/v1", format=form)
    assert isinstance(known({}, mine).open_model("mine/m"), kind)


def test_a_format_that_is_none() -> None:
    with pytest.raises(ConfigError, match="smoke"):
        known({}, Provider("mine", "http://127.0.0.1:9", format="smoke")).open_model("mine/m")


@pytest.mark.parametrize("model", ["qwen3", "mystery"])
def test_a_name_without_a_provider(model: str) -> None:
    with pytest.raises(ConfigError, match="names no provider"):
        known().open([model])


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/x", "http://127.0.0.1:port/x", "http://[::1/x", "http:///x", "me"])
def test_an_address_that_is_none(url: str) -> None:
    directory = known({"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "k"})
    with pytest.raises(ConfigError, match="none that can be called") as caught:
        directory.open_model("openai/gpt-4.1")
    assert url in caught.value.message
    assert known({"OLLAMA_HOST": "http://[::1"}).detect(lambda *_: None) == []


def test_full_names() -> None:
    assert known().full_name("together/x/y") == "together_ai/x/y"
    assert known().full_name("gemini-3.8-flash") == "gemini/gemini-3.8-flash"
    assert known().full_name("scripted:a.jsonl") == "scripted:a.jsonl"


def test_no_key() -> None:
    with pytest.raises(ProviderError) as caught:
        known({}).open(["anthropic/claude-opus-5"])
    assert caught.value.fault is ProviderFault.NOT_CONFIGURED
    assert "ANTHROPIC_API_KEY" in caught.value.message
    assert "ANTHROPIC_API_KEY" in caught.value.hint


def test_a_key_with_a_line_end_and_one_that_is_none() -> None:
    with ModelServer() as server:
        directory = known({"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": " sk-1\n"})
        answer(directory.open_model("openai/gpt-4.1"))
        assert server.seen[0].headers["authorization"] == "Bearer sk-1"
    with pytest.raises(ProviderError) as caught:
        known({"OPENAI_API_KEY": "sk-\n-1"}).open_model("openai/gpt-4.1")
    assert "sk-" not in caught.value.message


@pytest.mark.skipif(importlib.util.find_spec("litellm") is not None, reason="litellm is installed")
def test_a_provider_that_needs_litellm() -> None:
    with pytest.raises(ProviderError) as caught:
        known().open(["bedrock/some-model"])
    assert caught.value.fault is ProviderFault.NOT_CONFIGURED
    assert "pip install 'rescene[providers]'" in caught.value.hint


@pytest.mark.parametrize(
    ("variable", "model", "path"),
    [
        ("OPENAI_BASE_URL", "openai/gpt-4.1", "/v1/chat/completions"),
        ("ANTHROPIC_BASE_URL", "anthropic/claude-opus-5", "/v1/messages"),
        ("OLLAMA_HOST", "ollama/qwen3", "/v1/chat/completions"),
    ],
)
def test_addresses_from_the_environment(variable: str, model: str, path: str) -> None:
    suffix = "" if variable == "ANTHROPIC_BASE_URL" else "/v1"
    with ModelServer() as server:
        directory = known({variable: f"{server.url}{suffix}/"})
        assert answer(directory.open([model]), request(model=model)).message.model == model
        assert server.seen[0].path == path
        assert "authorization" not in server.seen[0].headers


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "0.0.0.0:{port}", "http://127.0.0.1:{port}"])
def test_ollama_host_as_ollama_takes_it(host: str) -> None:
    with ModelServer() as server:
        directory = known({"OLLAMA_HOST": host.format(port=server.port)})
        assert answer(directory.open_model("ollama/m"), request(model="ollama/m")).message.text == "Done."


def test_a_list_falls_back_in_order() -> None:
    with ModelServer(final={"status": 402}) as poor, ModelServer() as rich:
        rows = [Provider(name, f"{server.url}/v1", format="chat") for name, server in (("a", poor), ("b", rich))]
        policy = known({}, *rows).open(["a/m", "b/n"])
        assert answer(policy).message.model == "b/n"
        assert policy.model == "b/n"


def test_the_default() -> None:
    assert known({}).default_model() is None
    assert known(KEYS).default_model() == "anthropic/claude-sonnet-5"
    assert known({"GROQ_API_KEY": "k"}).default_model() == "groq/openai/gpt-oss-120b"
    assert known({"OPENAI_API_KEY": ""}).default_model() is None


def test_what_is_found() -> None:
    asked: list[str] = []

    def probe(url: str, headers: Mapping[str, str], seconds: float) -> Any:
        asked.append(url)
        assert seconds <= 0.3
        if ":11434" in url:
            return {"data": [{"id": "nomic-embed-text"}, {"id": "qwen3:8b"}, {"id": 7}, "x"]}
        return {"data": []} if ":1234" in url else {"oops": 1} if ":8080" in url else None

    found = known(KEYS).detect(probe)
    assert [item.model for item in found] == [
        "anthropic/claude-sonnet-5",
        "openai/gpt-5.6",
        "groq/openai/gpt-oss-120b",
        "ollama/qwen3:8b",
    ]
    assert found[-1] == Found("ollama", "ollama/qwen3:8b", "http://127.0.0.1:11434/v1", ("qwen3:8b",))
    assert found[0].source == "ANTHROPIC_API_KEY"
    assert len(asked) == 4
    assert all(url.startswith("http://127.0.0.1:") and url.endswith("/v1/models") for url in asked)


def test_a_local_server_is_really_asked() -> None:
    with ModelServer(models=("small",)) as server:
        mine = Provider("mine", f"{server.url}/v1", format="chat", local=True)
        found = known({"OLLAMA_HOST": "127.0.0.1:1"}, mine).detect()
    assert Found("mine", "mine/small", f"{server.url}/v1", ("small",)) in found


def test_a_script(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "hi"}\n')
    model = f"scripted:{path}"
    assert isinstance(known().open_model(model), ScriptedModel)
    reply = answer(known().open([model]))
    assert (reply.message.text, reply.message.model) == ("hi", model)
    known().warm(model)
