"""`rescene models` and `rescene doctor`, with a real local server and without."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def rescene(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rescene_cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def data(*arguments: str) -> Any:
    return json.loads(rescene(*arguments, "--json").stdout)["data"]


class _Models(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        names = [*(f"coder-{number}" for number in range(10)), "nomic-embed-text"]
        body = json.dumps({"data": [{"id": name} for name in names]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Models) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        address = f"127.0.0.1:{listening.server_port}"
        monkeypatch.setenv("OLLAMA_HOST", address)
        yield address
        listening.shutdown()


def test_nothing_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    done = rescene("models")
    assert done.returncode == 0
    assert "OPENAI_API_KEY" in done.stdout
    assert "rescene run --demo" in done.stderr


def test_keys_are_named_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    done = rescene("models")
    assert "sk-very-secret" not in done.stdout + done.stderr
    (row,) = (row for row in data("models")["models"] if row["source"] == "ANTHROPIC_API_KEY")
    assert row["context"] > 100_000
    assert row["output_usd_per_million"] > row["input_usd_per_million"] > row["cached_usd_per_million"] > 0
    assert "sk-very-secret" not in rescene("doctor").stdout


def test_a_local_server_is_asked(server: str) -> None:
    found = data("models")
    assert found["default"] == "ollama/coder-0"
    assert [row["model"] for row in found["models"]] == [f"ollama/coder-{number}" for number in range(10)]
    assert {row["input_usd_per_million"] for row in found["models"]} == {0.0}
    text = rescene("models").stdout
    assert "and 2 more" in text
    assert server in text


def test_the_configured_model_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESCENE_MODEL", "openai/gpt-5.6")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    found = data("models")
    assert found["default"] == "openai/gpt-5.6"
    assert [row["source"] for row in found["models"]] == ["configuration", "ANTHROPIC_API_KEY"]


def test_doctor_fails_without_a_model_and_not_with_one(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rescene("doctor").returncode == 0
    monkeypatch.delenv("OLLAMA_HOST")
    done = rescene("doctor")
    assert done.returncode == 1
    assert "No key in the environment" in done.stdout


def test_doctor_survives_a_broken_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESCENE_MODE", "wild")
    checks = data("doctor")["checks"]
    assert [check["status"] for check in checks if check["part"] == "config"] == ["error"]
