"""What a start imports beyond a bare interpreter: heavy libraries come when they are needed, not before."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARIES = {
    "rich",
    "prompt_toolkit",
    "litellm",
    "jsonschema",
    "tomlkit",
    "pydantic",
    "platformdirs",
    "click",
}
NETWORK = {"httpx", "ssl", "http.client", "urllib.request", "email"}
SLOW = {"asyncio", "multiprocessing", "sqlite3", "unittest", "xml"}

# Runs a command line in this process and prints, on the last line of stderr, what it had loaded.
PROBE = """
import sys
sys.argv = ["rescene", *{arguments!r}]
import atexit
before = set(sys.modules)
def tell():
    names = sorted(set(sys.modules) - before)
    import json
    sys.stderr.write("\\n" + json.dumps(names))
atexit.register(tell)
from rescene_cli.cli.app import main
main()
"""


def loaded(*arguments: str, folder: Path) -> set[str]:
    code = PROBE.format(arguments=list(arguments))
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


def roots(modules: set[str]) -> set[str]:
    return {module.split(".")[0] for module in modules}


def test_version_loads_nothing(tmp_path: Path) -> None:
    modules = loaded("--version", folder=tmp_path)
    assert modules - {"__future__"} == {"rescene_cli", "rescene_cli.cli", "rescene_cli.cli.app"}


def test_help_loads_no_command_and_no_parser(tmp_path: Path) -> None:
    modules = loaded("--help", folder=tmp_path)
    assert not roots(modules) & (LIBRARIES | NETWORK | SLOW | {"typer", "subprocess", "dataclasses", "inspect"})
    assert not any(
        name.startswith(("rescene_cli.config", "rescene_cli.llm", "rescene_cli.cli.run")) for name in modules
    )


@pytest.mark.parametrize(
    "arguments",
    [("config", "get", "mode"), ("config", "list"), ("config", "path"), ("config", "get", "--help"), ("run", "--help")],
    ids=" ".join,
)
def test_commands_load_no_library_but_typer(arguments: tuple[str, ...], tmp_path: Path) -> None:
    modules = loaded(*arguments, folder=tmp_path)
    assert not roots(modules) & (LIBRARIES | SLOW), roots(modules) & (LIBRARIES | SLOW)
    assert not modules & NETWORK


def test_a_run_loads_no_more_than_it_needs(tmp_path: Path) -> None:
    (tmp_path / "script.jsonl").write_text('{"text": "Done."}\n')
    modules = loaded("run", "--model", "scripted:script.jsonl", "hello", folder=tmp_path)
    unwanted = {"rich", "prompt_toolkit", "litellm", "pydantic", "tomlkit", "platformdirs", "click", *SLOW}
    assert not roots(modules) & unwanted, roots(modules) & unwanted


def test_only_the_command_that_runs_is_imported(tmp_path: Path) -> None:
    modules = loaded("completions", "bash", folder=tmp_path)  # this one looks at all of them
    assert "rescene_cli.cli.run" in modules
    modules = loaded("config", "path", folder=tmp_path)
    assert not modules & {f"rescene_cli.cli.{name}" for name in ("run", "models", "doctor", "completions", "surface")}
