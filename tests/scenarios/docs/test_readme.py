"""The README's commands work as they are written, on a fresh copy of the repository."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = re.findall(r"^```sh\n(.*?)\n```$", README, re.M | re.S)


def copy_of_the_repository(target: Path) -> Path:
    names = ("rescene_cli", "docs", "completions", "pyproject.toml", "README.md", "LICENSE")
    for name in names:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target / name)
    return target


def test_there_are_two_commands_of_one_line() -> None:
    assert [command.count("\n") for command in COMMANDS] == [0, 0]


def test_the_first_one_does_the_main_job(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    copy = copy_of_the_repository(tmp_path / "copy")
    cache = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache" / "pip"
    environment = {
        **{name: value for name, value in os.environ.items() if name in {"PATH", "LANG", "PIP_INDEX_URL", "PIP_CERT"}},
        "HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path),
        "PIP_CACHE_DIR": str(cache),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    done = subprocess.run(
        ["sh", "-c", COMMANDS[0]], cwd=copy, env=environment, capture_output=True, text=True, check=False, timeout=300,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "This model is recorded" in done.stderr
    assert "python3 -m unittest passed" in done.stderr
    assert "Next:" in done.stderr
    assert done.stdout.startswith("All 6 tests pass.")
    (project,) = tmp_path.glob("rescene-demo-*")
    assert "(cents * percent + 50) // 100" in (project / "shop" / "money.py").read_text()
    assert not (tmp_path / "home" / "rescene_data").exists()
    (packages,) = (tmp_path / "home" / ".rescene-venv" / "lib").glob("python3*/site-packages")
    assert (packages / "rescene_cli" / "py.typed").is_file()
    assert megabytes(packages) <= 70


def megabytes(packages: Path) -> float:
    """What the install takes, without what every environment has."""
    installed = (path for path in packages.rglob("*") if path.is_file() and not path.is_symlink())
    of_python = {"pip", "setuptools", "pkg_resources"}
    sizes = [path.stat().st_size for path in installed if path.relative_to(packages).parts[0] not in of_python]
    return sum(sizes) / 1e6


def test_the_picture_is_what_the_first_one_prints(tmp_path: Path) -> None:
    (picture,) = re.findall(r"^```text\n(.*?)\n```$", README, re.M | re.S)
    command = [sys.executable, "-m", "rescene_cli", "run", "--demo"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True, timeout=60, stdin=subprocess.DEVNULL
    )
    printed = {stable(line) for line in (done.stderr + done.stdout).splitlines()}
    missing = [line for line in picture.splitlines() if line != "…" and stable(line) not in printed]
    assert missing == []


def stable(line: str) -> str:
    """A line without what differs from run to run: times, temporary names, where the program is installed."""
    line = re.sub(r"\d+(\.\d+)? (ms|s)\b", "T", line)
    line = re.sub(r"/\S*rescene-demo-\w+", "COPY", line)
    return re.sub(r"scripted:\S+,", "scripted:FILE,", line)


def test_the_second_one_is_what_ci_runs() -> None:
    extract = next(
        line for line in (ROOT / ".ci" / "run").read_text("utf-8").splitlines() if line.startswith("command=")
    )
    shell = f'cd "{ROOT}"; {extract}; printf %s "$command"'
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert done.stdout == COMMANDS[1]
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_the_second_one_installs_what_the_tests_need() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert "'.[test]'" in COMMANDS[1]
    assert any(requirement.startswith("pytest>=") for requirement in extras["test"])


@pytest.mark.parametrize("name", ["rescene_cli/demo/script.jsonl", "rescene_cli/demo/sample/shop/cart.py"])
def test_the_demo_is_in_the_repository(name: str) -> None:
    assert (ROOT / name).is_file()
