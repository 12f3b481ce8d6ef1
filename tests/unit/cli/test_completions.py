"""Completions, each tried in its real shell. Options of `run` are the probe: it has all kinds of them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pyte
import pytest

from rescene_cli.cli.shells import script

SCRIPTS = Path(__file__).parents[3] / "completions"
FILES = {"bash": "rescene.bash", "zsh": "_rescene", "fish": "rescene.fish"}

CASES = [
    ("rescene co", {"completions", "config"}),
    ("rescene config g", {"get"}),
    ("rescene completions ", {"bash", "zsh", "fish"}),
    ("rescene config get limits.max_c", {"limits.max_cost"}),
    ("rescene run --mode ", {"plan", "ask", "auto", "yolo"}),
    ("rescene run --max-", {"--max-cost", "--max-tokens", "--max-turns"}),
    ("rescene run --demo --eff", {"--effort"}),
]


def need(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    return found


@pytest.mark.parametrize("shell", FILES)
def test_the_files_are_up_to_date(shell: str) -> None:
    assert (SCRIPTS / FILES[shell]).read_text("utf-8") == script(shell), "run: python docs/generate.py"


def bash(line: str) -> set[str]:
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    command = (
        f"source '{SCRIPTS / FILES['bash']}'; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1};"
        ' _rescene; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run([need("bash"), "--norc", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return set(done.stdout.split())


@pytest.mark.parametrize(("line", "offered"), CASES)
def test_bash(line: str, offered: set[str]) -> None:
    assert offered <= bash(line)
    if not line.endswith(" "):
        assert all(word.startswith(line.split()[-1]) for word in bash(line))


def test_bash_breaks_words_at_the_equals_sign() -> None:
    assert bash("rescene run --mode = pl") == {"plan"}
    assert bash("rescene run --mode =") >= {"plan", "yolo"}


def test_bash_leaves_files_to_the_shell() -> None:
    assert bash("rescene run --file ") == set()


@pytest.mark.parametrize(("line", "offered"), CASES)
def test_fish(line: str, offered: set[str]) -> None:
    command = f"source '{SCRIPTS / FILES['fish']}'; complete -C '{line}'"
    done = subprocess.run([need("fish"), "--no-config", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert {row.split("\t")[0] for row in done.stdout.splitlines()} >= offered


class Zsh:
    """An interactive zsh, and the screen that a person would see."""

    def __init__(self, folder: Path) -> None:
        self.shell = pexpect.spawn(need("zsh"), ["-f", "-i"], encoding="utf-8", dimensions=(50, 160), timeout=20)
        self.screen = pyte.Screen(160, 50)
        self._stream = pyte.Stream(self.screen)
        self._commands = 0
        self.run("PS1='ready> '; PROMPT_EOL_MARK=; unset zle_bracketed_paste; setopt no_always_last_prompt")
        self.run(f"autoload -Uz compinit && compinit -u -d '{folder}/dump'")
        self.run(f"source '{SCRIPTS / FILES['zsh']}'")

    def run(self, command: str) -> None:
        """Run it on a clear screen; the mark at its end is computed, so that it is not the echo of what was typed."""
        self._commands += 1
        self.shell.sendline(f"{command}; clear; echo done-$((1000 + {self._commands}))")
        self.wait_for({f"done-{1000 + self._commands}"})

    def wait_for(self, words: set[str]) -> None:
        while not words <= set(" ".join(self.screen.display).split()):
            self._stream.feed(self.shell.read_nonblocking(4096, timeout=20))


@pytest.fixture(scope="module")
def zsh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zsh]:
    zsh = Zsh(tmp_path_factory.mktemp("zsh"))
    yield zsh
    zsh.shell.close(force=True)


@pytest.mark.parametrize(("line", "offered"), CASES)
def test_zsh(zsh: Zsh, line: str, offered: set[str]) -> None:
    zsh.shell.send(f"{line}\t\t")
    zsh.wait_for(offered)
    zsh.shell.send("\x15")
    zsh.run("true")
