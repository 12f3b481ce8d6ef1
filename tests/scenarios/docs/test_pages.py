"""The documentation says what is there: links lead somewhere, commands and options exist, examples are valid."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest

from rescene_cli.cli.surface import Page, pages
from rescene_cli.config.toml import read_entries
from rescene_cli.guards import words
from tests.support import binary

ROOT = Path(__file__).parents[3]
FILES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMANDS = {page.words: page for page in pages()}


def identify(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FILES, ids=identify)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)\)", path.read_text("utf-8")):
        assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", FILES, ids=identify)
def test_commands_and_options_exist(path: Path) -> None:
    for line in command_lines(path.read_text("utf-8").replace("\\|", "|")):
        words = shlex.split(line)[1:]
        page, rest = find(words)
        known = {name for option in page.options for name in option.names} if page else {"--help", "--version"}
        if not page and not rest:
            continue
        assert page or set(rest) <= known, f"{line}: no such command"
        assert {word.split("=")[0] for word in rest if word.startswith("-") and word != "-"} <= known, line


def command_lines(text: str) -> list[str]:
    """Every `rescene ...`: in code spans, and at the start of lines of shell blocks."""
    spans = re.findall(r"`(rescene(?: [^`\n]+)?)`", text)
    blocks = re.findall(r"^```(?:sh|)\n(.*?)^```$", text, re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines() if re.match(r"rescene( |$)", line)]
    return [re.split(r" [>|&]", line)[0].replace("[", "").replace("]", "") for line in (*spans, *lines)]


def find(words: list[str]) -> tuple[Page | None, list[str]]:
    for count in (2, 1):
        if tuple(words[:count]) in COMMANDS and len(words) >= count:
            return COMMANDS[tuple(words[:count])], words[count:]
    return None, words


@pytest.mark.parametrize("path", FILES, ids=identify)
def test_configuration_examples_are_valid(path: Path, tmp_path: Path) -> None:
    for example in re.findall(r"^```toml\n(.*?)^```$", path.read_text("utf-8"), re.M | re.S):
        assert tomllib.loads(example)
        (tmp_path / "config.toml").write_text(example)
        entries, errors = read_entries(tmp_path / "config.toml")
        assert entries
        assert errors == []


@pytest.mark.parametrize("path", FILES, ids=identify)
def test_json_examples_are_json(path: Path) -> None:
    for example in re.findall(r"^```json\n(.*?)^```$", path.read_text("utf-8"), re.M | re.S):
        for line in example.splitlines():
            json.loads(line)


def test_pages_that_messages_name_are_there() -> None:
    named = {
        name.rstrip(".")
        for path in (ROOT / "rescene_cli").rglob("*.py")
        for name in re.findall(r"docs/(?:reference|decisions)/[\w./-]+|docs/\w+\.md", path.read_text("utf-8"))
    }
    assert named
    for name in named:
        place = ROOT / name
        assert place.exists() or list(place.parent.glob(f"{place.name}*")), name


def test_every_layer_is_in_the_architecture() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["name"] == "Layers")
    (tree,) = re.findall(r"^```\n(cli .*?)^```$", (ROOT / "docs" / "architecture.md").read_text("utf-8"), re.M | re.S)
    for layer in (name.strip() for line in layers for name in line.split("|")):
        assert re.search(rf"(^|\s){layer}\s", tree), layer


def test_the_words_that_make_a_command_ask_are_those_of_the_guard() -> None:
    section = (ROOT / "docs" / "reference" / "modes.md").read_text("utf-8").partition("## Commands that ask")[2]
    first, second, *_ = re.split(r"^- after `git`, .*$", section, maxsplit=1, flags=re.M)
    plain = [set(re.findall(r"`([^`]+)`", line)) for line in first.split("\n- ")[1:]]
    assert plain == [words.REMOVERS, words.REMOVING_FLAGS, words.GIT_VERBS | {"git"}]
    flags = {
        line.split("`")[1]: set(re.findall(r"`([^`]+)`", line)[1:])
        for line in second.split("\n- ")[0].split("\n  - ")[1:]
    }
    assert flags == words.GIT_FLAGS


INSTALL = re.findall(r"^```sh\n(.*?)\n```$", (ROOT / "docs" / "install.md").read_text("utf-8"), re.M | re.S)
FETCHES = re.compile(r"^(pipx|uv|python3 -m venv|\S*/pip) .*\n?", re.M)


def test_what_needs_no_network_to_install_works_in_a_fresh_home(tmp_path: Path) -> None:
    programs = tmp_path / ".rescene-venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "rescene").symlink_to(binary.RESCENE)
    env = {"HOME": str(tmp_path), "PATH": f"{tmp_path}/.local/bin:/usr/bin:/bin"}
    ran = [FETCHES.sub("", block) for block in INSTALL]
    for block in filter(str.strip, ran):
        done = subprocess.run(["sh", "-ec", block], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{block}\n{done.stderr}"
    for place in (".local/share/bash-completion/completions/rescene", ".zfunc/_rescene",
                  ".config/fish/completions/rescene.fish"):  # fmt: skip
        assert "rescene" in (tmp_path / place).read_text()
    assert sum(map(bool, map(str.strip, ran))) >= 6
