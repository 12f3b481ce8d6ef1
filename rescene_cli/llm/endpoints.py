"""From a model's name to something that speaks to it; and which models this machine could use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from rescene_cli.core.errors import ConfigError, ProviderError, ProviderFault
from rescene_cli.core.llm import LLM
from rescene_cli.llm.catalog import Catalog
from rescene_cli.llm.policy import Policy, Route
from rescene_cli.llm.provider import ALIASES, PROVIDERS, Endpoint, Format, Provider, completed, wire_name
from rescene_cli.llm.transport import Probe, Transport

SCRIPTED = "scripted:"
_PROBE = 0.3  # seconds a local server may take to answer
_BASE_URLS = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL", "ollama": "OLLAMA_HOST"}
# OpenAI's models that reject chat-completions with tools, or lose their reasoning there.
_NEEDS_RESPONSES = r"(gpt-[5-9]|o\d|codex|computer-use)"
_FAMILIES = ((r"claude", "anthropic"), (r"gpt-|o\d\b|codex|chatgpt", "openai"), (r"gemini", "gemini"))


class Found(NamedTuple):
    """A provider this machine can use. `source` is the variable or address it was found by."""

    provider: str
    model: str
    source: str
    models: tuple[str, ...] = ()


class Directory:
    """The providers known: the table, with the person's own `[[providers]]` before it.

    `env` is the environment, `transport` the one connection pool of the session.
    """

    def __init__(self, env: Mapping[str, str], transport: Transport, providers: Sequence[Provider] = ()) -> None:
        self._env = env
        self._transport = transport
        own = {provider.name for provider in providers}
        self.providers = (*map(completed, providers), *(row for row in PROVIDERS if row.name not in own))
        self.catalog = Catalog(frozenset(row.name for row in self.providers if row.local))

    @property
    def key_names(self) -> frozenset[str]:
        """The variables that hold keys: no command the model runs is told of them."""
        return frozenset(provider.key_env for provider in self.providers if provider.key_env)

    def open(self, models: Sequence[str]) -> Policy:
        """The first of `models`, with the others as its fallback list, in order.

        Raises ConfigError for a name that can't be, ProviderError where a key or a library is missing.
        """
        return Policy([Route(self.full_name(model), self.open_model(model)) for model in models])

    def full_name(self, model: str) -> str:
        """`provider/name`, as messages and prices know it."""
        if model.startswith(SCRIPTED):
            return model
        prefix, slash, name = model.partition("/")
        if slash:
            return f"{ALIASES.get(prefix, prefix)}/{name}"
        for pattern, provider in _FAMILIES:
            if re.match(pattern, model):
                return f"{provider}/{model}"
        raise ConfigError(
            f"The model {model!r} names no provider.",
            "Write provider/name, for example openai/gpt-5.6 or ollama/qwen3.",
        )

    def open_model(self, model: str) -> LLM:
        """What speaks to `model`, without retries. Raises as `open` does."""
        if model.startswith(SCRIPTED):
            from rescene_cli.llm.scripted import ScriptedModel

            return ScriptedModel(Path(model.removeprefix(SCRIPTED)))
        full = self.full_name(model)
        provider = self._provider(full.partition("/")[0])
        if provider is None:
            from rescene_cli.llm.litellm_client import LitellmClient

            client = LitellmClient(self._transport.timeouts)
            client.warm()
            return client
        return self._client(provider, self._endpoint(provider), full)

    def warm(self, model: str) -> None:
        """Begin to load, in the background, what the first request to `model` needs."""
        provider = None if model.startswith(SCRIPTED) else self._provider(self.full_name(model).partition("/")[0])
        if provider is not None:
            self._transport.warm(self._base_url(provider))

    def default_model(self) -> str | None:
        """The proposed model of the first provider whose key is in the environment."""
        return next((found.model for found in self._with_keys()), None)

    def detect(self, probe: Probe | None = None) -> list[Found]:
        """Every provider with a key, and every local server that answers within 0.3 s. Asks loopback only."""
        from concurrent.futures import ThreadPoolExecutor

        ask = probe or self._transport.probe
        local = [provider for provider in self.providers if provider.local]
        with ThreadPoolExecutor(max_workers=len(local) or 1) as pool:
            answers = list(pool.map(lambda provider: self._served(provider, ask), local))
        return [*self._with_keys(), *(found for found in answers if found is not None)]

    def _with_keys(self) -> Iterator[Found]:
        for provider in self.providers:
            if provider.key_env and provider.model and self._env.get(provider.key_env):
                yield Found(provider.name, f"{provider.name}/{provider.model}", provider.key_env)

    def _served(self, provider: Provider, probe: Probe) -> Found | None:
        try:
            base = self._base_url(provider)
        except ConfigError:  # said when the provider is chosen
            return None
        answer = probe(f"{base}/models", {}, _PROBE)
        rows = answer.get("data") if isinstance(answer, dict) else None
        names = tuple(_model_names(rows if isinstance(rows, list) else []))
        return Found(provider.name, f"{provider.name}/{names[0]}", base, names) if names else None

    def _provider(self, name: str) -> Provider | None:
        return next((provider for provider in self.providers if provider.name == name), None)

    def _base_url(self, provider: Provider) -> str:
        base = self._env.get(_BASE_URLS.get(provider.name, ""), "") or provider.base_url
        if provider.name == "ollama" and base != provider.base_url:  # OLLAMA_HOST may be a bare host:port
            base = base if "://" in base else f"http://{base}"
            base = base.replace("0.0.0.0", "127.0.0.1")  # an address to listen on, not to call
            base = base.rstrip("/").removesuffix("/v1") + "/v1"
        if not _callable(base):
            raise ConfigError(
                f"The address of {provider.name} is none that can be called: {base}",
                "Correct `base_url` in [[providers]], or the variable that sets it.",
            )
        return base.rstrip("/")

    def _endpoint(self, provider: Provider) -> Endpoint:
        key = self._env.get(provider.key_env, "").strip() if provider.key_env else ""
        if not (key.isascii() and key.isprintable()):
            raise ProviderError(
                f"The key in {provider.key_env} holds characters that no key has.",
                f"Set {provider.key_env} again.",
                fault=ProviderFault.NOT_CONFIGURED,
            )
        base = self._base_url(provider)
        if provider.key_env and not key and base == provider.base_url.rstrip("/"):
            raise ProviderError(
                f"No API key for {provider.name}: {provider.key_env} is not set.",
                f"Set {provider.key_env}, or choose another model with --model (`rescene models`).",
                fault=ProviderFault.NOT_CONFIGURED,
            )
        return Endpoint(provider.name, base, key, provider.quirks)

    def _client(self, provider: Provider, endpoint: Endpoint, model: str) -> LLM:
        match self._format(provider, endpoint, model):
            case Format.ANTHROPIC:
                from rescene_cli.llm.anthropic_client import AnthropicClient

                endpoint = endpoint._replace(base_url=endpoint.base_url.removesuffix("/v1"))
                return AnthropicClient(endpoint, self._transport, self.catalog)
            case Format.RESPONSES:
                from rescene_cli.llm.openai_responses import ResponsesClient

                return ResponsesClient(endpoint, self._transport)
            case Format.CHAT:
                from rescene_cli.llm.openai_chat import ChatClient

                return ChatClient(endpoint, self._transport)

    def _format(self, provider: Provider, endpoint: Endpoint, model: str) -> Format:
        if provider.format:
            try:
                return Format(provider.format)
            except ValueError:
                raise ConfigError(
                    f"format = {provider.format!r} of the provider {provider.name} is not known.",
                    f"Use one of: {', '.join(Format)}.",
                ) from None
        official = endpoint.base_url.startswith("https://api.openai.com/")
        needs = re.match(_NEEDS_RESPONSES, wire_name(model, provider.name)) is not None
        return Format.RESPONSES if official and needs else Format.CHAT


def _callable(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, half an IPv6 address
        return False


def _model_names(rows: Sequence[Any]) -> Iterator[str]:
    """Models that can hold a conversation: servers list those that only embed beside them."""
    for row in rows:
        name = row.get("id") if isinstance(row, dict) else None
        if isinstance(name, str) and name and "embed" not in name.lower():
            yield name
