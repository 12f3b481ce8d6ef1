"""Providers: where they are, which key they take, which format they speak, and what is odd about each."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from rescene_cli.core.llm import Effort
from rescene_cli.llm.transport import Outgoing


class Format(StrEnum):
    """The wire formats spoken without a library of the provider's."""

    CHAT = "chat"
    RESPONSES = "responses"
    ANTHROPIC = "anthropic"


class Quirks(NamedTuple):
    """Where a provider's chat-completions differ from the rest.

    `call_id`: the form ids of calls must have. `effort_field`: where the effort goes, a dot enters an object.
    `usage_option`: whether usage has to be asked for; Mistral refuses the question and sends it anyway.
    `foreign_call`: put on calls another model made, where the provider wants a signature on each.
    """

    call_id: str = r"[A-Za-z0-9_-]{1,64}"
    max_tokens: str = "max_tokens"
    effort_field: str = "reasoning_effort"
    cache_key: bool = False
    usage_option: bool = True
    foreign_call: Mapping[str, Any] | None = None

    def effort(self, effort: Effort) -> dict[str, Any]:
        """The settings that ask for `effort`."""
        outer, _, inner = self.effort_field.partition(".")
        return {outer: {inner: effort.value} if inner else effort.value}


class Provider(NamedTuple):
    """One row of the table, or one `[[providers]]` of the configuration.

    `format` empty: chosen by address and model. `local`: runs on this machine, needs no key, costs nothing.
    `model` is what `rescene models` proposes when the provider is found; a local server is asked instead.
    """

    name: str
    base_url: str
    key_env: str = ""
    format: str = ""
    model: str = ""
    local: bool = False
    quirks: Quirks = Quirks()


class Endpoint(NamedTuple):
    """A provider with its key, ready to be spoken to."""

    name: str
    base_url: str
    key: str = ""
    quirks: Quirks = Quirks()

    def post(self, path: str, body: bytes, headers: Mapping[str, str] | None = None) -> Outgoing:
        """A request to `path` below the base URL; the key goes along as a bearer token if no header is given."""
        if headers is None:
            headers = {"authorization": f"Bearer {self.key}"} if self.key else {}
        return Outgoing(self.base_url + path, headers, body, self.name, self.key)


def completed(own: Provider) -> Provider:
    """A provider of the configuration; what it leaves open is taken from the table's row of that name."""
    row = next((provider for provider in PROVIDERS if provider.name == own.name), own)
    return row._replace(
        base_url=own.base_url,
        key_env=own.key_env or row.key_env,
        format=own.format or row.format,
        local=own.local or row.local,
    )


def wire_name(model: str, provider: str) -> str:
    """A model's name as its provider spells it: without the provider in front."""
    return model.removeprefix(f"{provider}/")


_OPENAI = Quirks(max_tokens="max_completion_tokens", cache_key=True)
_GEMINI = Quirks(foreign_call={"google": {"thought_signature": "skip_thought_signature_validator"}})
_MISTRAL = Quirks(call_id=r"[A-Za-z0-9]{9}", usage_option=False)
_OPENROUTER = Quirks(effort_field="reasoning.effort")

# Proposed models: the provider's general coding model of autumn 2026, as litellm 1.110.2 lists them.
PROVIDERS = (
    Provider("anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", Format.ANTHROPIC, "claude-sonnet-5"),
    Provider("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", model="gpt-5.6", quirks=_OPENAI),
    Provider(
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
        Format.CHAT,
        "gemini-3.8-flash",
        quirks=_GEMINI,
    ),
    Provider(
        "openrouter",
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        Format.CHAT,
        "anthropic/claude-sonnet-5",
        quirks=_OPENROUTER,
    ),
    Provider("deepseek", "https://api.deepseek.com", "DEEPSEEK_API_KEY", Format.CHAT, "deepseek-chat"),
    Provider("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", Format.CHAT, "openai/gpt-oss-120b"),
    Provider(
        "mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", Format.CHAT, "devstral-latest", quirks=_MISTRAL
    ),
    Provider("xai", "https://api.x.ai/v1", "XAI_API_KEY", Format.CHAT, "grok-4.7"),
    Provider("moonshot", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY", Format.CHAT, "kimi-k3"),
    Provider("together_ai", "https://api.together.xyz/v1", "TOGETHER_API_KEY", Format.CHAT),
    Provider("fireworks_ai", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY", Format.CHAT),
    Provider("cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY", Format.CHAT),
    Provider("ollama", "http://127.0.0.1:11434/v1", format=Format.CHAT, local=True),
    Provider("lmstudio", "http://127.0.0.1:1234/v1", format=Format.CHAT, local=True),
    Provider("llamacpp", "http://127.0.0.1:8080/v1", format=Format.CHAT, local=True),
    Provider("vllm", "http://127.0.0.1:8000/v1", format=Format.CHAT, local=True),
)

ALIASES = {
    "together": "together_ai",
    "fireworks": "fireworks_ai",
    "google": "gemini",
    "lm_studio": "lmstudio",
    "llama.cpp": "llamacpp",
    "ollama_chat": "ollama",
    "hosted_vllm": "vllm",
}
