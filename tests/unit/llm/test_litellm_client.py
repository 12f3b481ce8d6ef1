"""litellm, where it is installed: against the loopback server, in a process of its own, as a user would run it."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from typing import Any

import pytest

from rescene_cli.core.errors import ProviderError, ProviderFault
from rescene_cli.llm.litellm_client import LitellmClient
from tests.support.model_server import ModelServer

INSTALLED = importlib.util.find_spec("litellm") is not None

TURNS: list[dict[str, Any]] = [
    {
        "text": "Grüße",
        "thinking": "hm",
        "calls": [{"name": "a", "args": {"x": 1}}, {"name": "b"}],
        "usage": {"input": 100, "cached": 50, "output": 7},
    },
    {"repeat": ["tok ", 150]},
    {"status": 429, "headers": {"retry-after": "7"}},
    {"status": 500},
    {"status": 401},
    {"status": 400, "body": {"error": {"message": "weird", "code": "context_length_exceeded"}}},
    {"text": "abcdef", "chunk": 1, "drop": 4},
    {"text": "abcdef", "chunk": 1, "stall": [4, 30]},
    {"raw": 'data: {"choices":5}\n\n'},
    {"raw": 'data: {"choices":[{"index":0,"delta":{"tool_calls":5}}]}\n\n'},
    {"raw": "data: " + "[" * 50_000 + "\n\n"},
    {"raw": "data: {oops\n\n"},
]

PLAY = """
import json, sys
from rescene_cli.core.errors import ProviderError
from rescene_cli.llm.litellm_client import LitellmClient
from rescene_cli.llm.transport import Timeouts
from tests.support.models import READ, answer, request
assert "litellm" not in sys.modules
client = LitellmClient(Timeouts(stall=1.0), {"api_base": sys.argv[1] + "/v1", "api_key": "sk-test-4711"})
client.warm()
for _ in range(int(sys.argv[2])):
    try:
        reply = answer(client, request(model="openai/gpt-4o", tools=(READ,)))
        calls = [[call.name, call.arguments] for call in reply.message.calls]
        usage = [reply.usage.input, reply.usage.cached, reply.usage.output]
        end = [reply.message.text, [item.text for item in reply.message.thinking], calls, usage]
    except ProviderError as error:
        end = [error.fault.value, error.retry_after]
    print(json.dumps(end))
"""


@pytest.mark.skipif(not INSTALLED, reason="litellm is not installed: pip install 'rescene[providers]'")
def test_replies_and_faults() -> None:
    with ModelServer(TURNS) as server:
        done = subprocess.run(
            [sys.executable, "-c", PLAY, server.url, str(len(TURNS))],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert len(server.seen) == len(TURNS)  # no retries of its own
    assert done.returncode == 0, done.stderr
    ends = [json.loads(line) for line in done.stdout.splitlines()]  # it printed nothing of its own
    assert ends == [
        ["Grüße", ["hm"], [["a", '{"x": 1}'], ["b", "{}"]], [100, 50, 7]],
        ["tok " * 150, [], [], [10, 0, 5]],
        ["rate_limited", 7.0],
        ["server_error", None],
        ["authentication", None],
        ["context_overflow", None],
        ["stream_dropped", None],
        ["timeout", None],
        *[["malformed_reply", None]] * 4,
    ]
    assert done.stderr == ""


@pytest.mark.skipif(INSTALLED, reason="litellm is installed")
def test_where_it_is_missing() -> None:
    with pytest.raises(ProviderError) as caught:
        LitellmClient()
    assert caught.value.fault is ProviderFault.NOT_CONFIGURED
    assert caught.value.hint == "Install it: pip install 'rescene[providers]'"
