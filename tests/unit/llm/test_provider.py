"""The table of providers and the configuration's own."""

from __future__ import annotations

from typing import Any

import pytest

from rescene_cli.core.errors import ConfigError
from rescene_cli.core.llm import Effort
from rescene_cli.llm.provider import ALIASES, PROVIDERS, Provider, Quirks, provider_from, wire_name


def test_names_are_said_once_and_aliases_lead_somewhere() -> None:
    names = [provider.name for provider in PROVIDERS]
    assert len(names) == len(set(names))
    assert set(ALIASES.values()) <= set(names)
    assert not set(ALIASES) & set(names)


def test_local_servers_are_on_loopback_and_need_no_key() -> None:
    for provider in PROVIDERS:
        assert provider.local is provider.base_url.startswith("http://127.0.0.1:")
        assert bool(provider.key_env) is not provider.local


def test_a_provider_of_the_configuration() -> None:
    row = {"name": "mine", "base_url": "http://127.0.0.1:9/v1", "format": "chat", "local": True}
    assert provider_from(row) == Provider("mine", "http://127.0.0.1:9/v1", format="chat", local=True)


def test_a_known_one_with_another_address_keeps_its_quirks() -> None:
    changed = provider_from({"name": "mistral", "base_url": "https://proxy.test/v1"})
    known = next(provider for provider in PROVIDERS if provider.name == "mistral")
    assert changed == known._replace(base_url="https://proxy.test/v1")


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"name": "x"},
        {"name": "", "base_url": "http://a"},
        {"name": "x", "base_url": "no address"},
        {"name": "x", "base_url": "http://a", "key": "sk-1"},
        {"name": "x", "base_url": "http://a", "local": "yes"},
    ],
)
def test_a_provider_that_can_not_be(row: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        provider_from(row)


def test_small_things() -> None:
    assert wire_name("openrouter/a/b", "openrouter") == "a/b"
    assert Quirks().effort(Effort.LOW) == {"reasoning_effort": "low"}
    assert Quirks(effort_field="reasoning.effort").effort(Effort.LOW) == {"reasoning": {"effort": "low"}}
