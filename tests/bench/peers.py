"""Other agents from the package index, measured with the same script beside this one.

Each is installed by pip into an environment of its own, the first time it is asked for, and is started as a script
would start it: headless, with approvals, telemetry and update checks switched off. Some look for servers of their
own at start; docs/performance.md says how to measure them where there is no network but loopback.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.agents import TASK, Agent, Call

_NO_NOISE = {"DO_NOT_TRACK": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True", "OPENAI_API_KEY": "not-a-key"}


class Peer(NamedTuple):
    """What pip installs, the Python it wants, its program there, and what makes an agent of that."""

    requirement: str
    python: str
    program: str
    agent: Callable[[Path], Agent]


def find(names: str, directory: Path) -> list[Agent]:
    """The agents that `names`, with commas, asks for; one that can't be installed is said and left out."""
    found = []
    for name in filter(None, names.split(",")):
        peer = KNOWN.get(name)
        program = directory / name / "bin" / peer.program if peer else None
        if peer is None or program is None or not (program.exists() or _installed(name, peer, directory)):
            print(f"{name}: not available here, left out", file=sys.stderr)
            continue
        found.append(peer.agent(program))
    return found


def _installed(name: str, peer: Peer, directory: Path) -> bool:
    python = shutil.which(peer.python)
    if python is None:
        return False
    place = directory / name
    steps: Sequence[Sequence[str]] = (
        [python, "-m", "venv", str(place)],
        [str(place / "bin" / "pip"), "install", "--quiet", peer.requirement],
    )
    print(f"installing {peer.requirement}", file=sys.stderr)
    return all(subprocess.run(step, check=False, stdin=subprocess.DEVNULL).returncode == 0 for step in steps)


def _mini(program: Path) -> Agent:
    def tools(call: Call) -> dict[str, Any]:
        line = call.new.replace("/", "\\/")
        command = {"shell": "true", "read": f"cat {call.path}", "edit": f"sed -i 's/^{call.old}$/{line}/' {call.path}"}
        return {"name": "bash", "args": {"command": command[call.kind]}}

    return Agent(
        "mini-swe-agent",
        program,
        lambda root, url: ["-y", "--exit-immediately", "-l", "0", "-m", "openai/mock", "-t", TASK],
        lambda url: {
            **_NO_NOISE,
            "OPENAI_BASE_URL": f"{url}/v1",
            "MSWEA_CONFIGURED": "true",
            "MSWEA_COST_TRACKING": "ignore_errors",
        },
        tools,
        streams=False,
    )


def _vibe(program: Path) -> Agent:
    def tools(call: Call) -> dict[str, Any]:
        match call.kind:
            case "shell":
                return {"name": "bash", "args": {"command": "true"}}
            case "read":
                return {"name": "read_file", "args": {"path": call.path}}
            case _:
                edit = {"file_path": call.path, "old_string": call.old, "new_string": call.new}
                return {"name": "edit", "args": edit}

    def settle(home: Path, url: str) -> None:
        (home / ".vibe").mkdir()
        (home / ".vibe" / "config.toml").write_text(
            f"""active_model = "mock"
enable_telemetry = false
enable_update_checks = false
[[providers]]
name = "bench"
api_base = "{url}/v1"
api_key_env_var = "OPENAI_API_KEY"
api_style = "openai"
backend = "generic"
[[models]]
name = "mock"
provider = "bench"
alias = "mock"
"""
        )

    return Agent(
        "mistral-vibe",
        program,
        lambda root, url: ["--trust", "--auto-approve", "-p", TASK],
        lambda url: {**_NO_NOISE, "MISTRAL_API_KEY": "not-a-key"},
        tools,
        settle,
    )


def _kimi(program: Path) -> Agent:
    def tools(call: Call) -> dict[str, Any]:
        match call.kind:
            case "shell":
                return {"name": "Shell", "args": {"command": "true"}}
            case "read":
                return {"name": "ReadFile", "args": {"path": call.path}}
            case _:
                return {
                    "name": "StrReplaceFile",
                    "args": {"path": call.path, "edit": {"old": call.old, "new": call.new}},
                }

    def settle(home: Path, url: str) -> None:
        (home / ".kimi").mkdir()
        (home / ".kimi" / "config.toml").write_text(
            f"""default_model = "mock"
telemetry = false
[providers.bench]
type = "openai_legacy"
base_url = "{url}/v1"
api_key = "not-a-key"
[models.mock]
provider = "bench"
model = "mock"
max_context_size = 1000000
[loop_control]
max_steps_per_turn = 1000
"""
        )

    return Agent(
        "kimi-cli",
        program,
        lambda root, url: ["--print", "-y", "-c", TASK],
        lambda url: {**_NO_NOISE, "KIMI_CLI_NO_AUTO_UPDATE": "1"},
        tools,
        settle,
    )


KNOWN: Mapping[str, Peer] = {
    "mini": Peer("mini-swe-agent==2.4.6", "python3.11", "mini", _mini),
    "vibe": Peer("mistral-vibe==3.0.2", "python3.12", "vibe", _vibe),
    "kimi": Peer("kimi-cli==1.51.0", "python3.13", "kimi", _kimi),
}
