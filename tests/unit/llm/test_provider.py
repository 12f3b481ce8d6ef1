"""The table of providers and the configuration's own."""

from __future__ import annotations

from rescene_cli.core.llm import Effort
from rescene_cli.llm.provider import ALIASES, PROVIDERS, Provider, Quirks, completed, wire_name


def test_names_are_said_once_and_aliases_lead_somewhere() -> None:
    names = [provider.name for provider in PROVIDERS]
    assert len(names) == len(set(names))
    assert set(ALIASES.values()) <= set(names)
    assert not set(ALIASES) & set(names)


def test_local_servers_are_on_loopback_and_need_no_key() -> None:
    for provider in PROVIDERS:
        assert provider.local is provider.base_url.startswith("http://127.0.0.1:")
        assert bool(provider.key_env) is not provider.local


def test_a_provider_of_the_configuration_is_taken_as_it_is() -> None:
    own = Provider("mine", "http://127.0.0.1:9/v1", "MINE_KEY", "chat")
    assert completed(own) == own


def test_a_known_one_with_another_address_keeps_what_is_odd_about_it() -> None:
    known = next(provider for provider in PROVIDERS if provider.name == "mistral")
    changed = completed(Provider("mistral", "https://proxy.test/v1"))
    assert changed == known._replace(base_url="https://proxy.test/v1")


def test_what_it_says_itself_counts() -> None:
    changed = completed(Provider("openai", "https://proxy.test/v1", "MINE_KEY", "responses"))
    assert (changed.key_env, changed.format) == ("MINE_KEY", "responses")


def test_small_things() -> None:
    assert wire_name("openrouter/a/b", "openrouter") == "a/b"
    assert Quirks().effort(Effort.LOW) == {"reasoning_effort": "low"}
    assert Quirks(effort_field="reasoning.effort").effort(Effort.LOW) == {"reasoning": {"effort": "low"}}
