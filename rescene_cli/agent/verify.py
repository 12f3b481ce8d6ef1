"""Evidence of done: commands that are run whenever the model stops calling tools.

What the model says of its work is its word; what a command answers is evidence. Verification is a side
car: nothing that goes wrong in it stops the turn, it is only recorded, unless the person chose `block`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rescene_cli.core.errors import Interrupted
from rescene_cli.core.events import Event, Evidence, Verification, VerificationStarted
from rescene_cli.core.evidence import VerifyMode, VerifyRule
from rescene_cli.core.runtime import Clock
from rescene_cli.core.text import seconds, shorten
from rescene_cli.store.regular import read_start
from rescene_cli.workspace.globs import compile_glob

LOG_CHARACTERS = 4_000  # of the end of a command's output, kept as evidence and shown to the model
_NEEDED_BYTES = 1 << 20  # of a file that a rule looks into
_NOT_FOUND = 127  # the shell's exit code for a command that is not there

Run = Callable[[str], tuple[int | None, str]]  # command -> exit code (None: could not run), output

_BUILT_IN = (
    VerifyRule(("*.go",), "go build ./...", "go.mod"),
    VerifyRule(("*.rs",), "cargo check --quiet", "Cargo.toml"),
    VerifyRule(
        ("*.js", "*.jsx", "*.ts", "*.tsx", "*.vue", "*.svelte", "*.css", "*.html"),
        "npm run build",
        "package.json",
        '"build"',
    ),
)
_PROSE = ("*.md", "*.txt", "*.rst", "*.adoc", "LICENSE*")


@dataclass(frozen=True, slots=True)
class Verifier:
    """What to run, when, and what a failure means. `accept` is the person's own criterion, always decisive."""

    root: Path
    run: Run
    emit: Callable[[Event], None]
    clock: Clock
    mode: VerifyMode = VerifyMode.RECORD
    commands: tuple[str, ...] = ()
    rules: tuple[VerifyRule, ...] = ()
    accept: tuple[str, ...] = ()
    tries: int = 3  # how often a failure goes back to the model before the turn ends with it

    def check(self, changed: Sequence[str]) -> tuple[Evidence, ...]:
        """Run what fits the change, each command once, and report each."""
        chosen, reason = self._choose(changed)
        if not chosen:
            self.emit(Verification("skipped", reason, None))
        return tuple(self._evidence(command) for command in chosen)

    def blocks(self, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
        """The failures that keep the work from being done."""
        decisive = self.accept if self.mode is not VerifyMode.BLOCK else (*self.accept, *(e.command for e in evidence))
        return tuple(item for item in evidence if item.exit != 0 and item.command in decisive and not _missing(item))

    def _choose(self, changed: Sequence[str]) -> tuple[list[str], str]:
        if self.mode is VerifyMode.OFF:
            return list(self.accept), "verification is off"
        if not changed:
            return list(self.accept), "no file changed"
        prose = all(_matches(path, _PROSE) for path in changed)
        chosen = [] if prose else [*self.commands]
        rules = (*self.rules, *(() if self.commands or self.rules else _BUILT_IN))
        chosen += [
            rule.command
            for rule in rules
            if any(_matches(path, rule.paths) for path in changed) and self._applies(rule)
        ]
        reason = "only documentation changed" if prose else "no check is configured for what changed"
        return list(dict.fromkeys([*self.accept, *chosen])), reason

    def _applies(self, rule: VerifyRule) -> bool:
        if not rule.needs:
            return True
        try:
            return rule.containing in read_start(self.root / rule.needs, _NEEDED_BYTES).decode("utf-8", "replace")
        except OSError:
            return False

    def _evidence(self, command: str) -> Evidence:
        self.emit(VerificationStarted(command))
        started = self.clock.monotonic()
        try:
            exit_code, output = self.run(command)
        except Interrupted:
            raise
        except Exception as error:  # noqa: BLE001 - a check that can't run is recorded; it must not end the turn
            exit_code, output = None, f"could not run: {error}"
        evidence = Evidence(command, exit_code, round(self.clock.monotonic() - started, 2), output[-LOG_CHARACTERS:])
        status, note = ("pass", "") if exit_code == 0 else ("fail", "")
        if _missing(evidence):
            status, note = "skipped", "the command is not installed here"
        elif exit_code is None:
            status, note = "error", "the command could not be run"
        self.emit(Verification(status, note, evidence))
        return evidence


def follow_up(failures: Sequence[Evidence]) -> str:
    """What the model is told when evidence says that the work is not done."""
    parts = ["The work is not done: a check fails. Fix the cause; do not change the check."]
    parts += [f"$ {item.command}\nexit code {item.exit}\n{item.log}" for item in failures]
    return "\n\n".join(parts)


def summary(evidence: Sequence[Evidence], *, changed: bool) -> str:
    """One line: what was checked and how it came out."""
    if not evidence:
        return "not checked: no check is configured for what changed" if changed else ""
    return ", ".join(f"{shorten(item.command)} {_outcome(item)}" for item in evidence)


def _outcome(item: Evidence) -> str:
    if _missing(item):
        return "not run (not installed)"
    if item.exit is None:
        return "could not run"
    return f"passed in {seconds(item.seconds)}" if item.exit == 0 else f"FAILED (exit {item.exit})"


def _missing(item: Evidence) -> bool:
    """Whether the command itself is not there. A script that ends with 127 for another reason names no such command."""
    if item.exit != _NOT_FOUND:
        return False
    try:
        program = shlex.split(item.command)[0]
    except (ValueError, IndexError):
        return False
    return program in item.log and "not found" in item.log


def _matches(path: str, patterns: Sequence[str]) -> bool:
    return any(compile_glob(pattern).fits(path) for pattern in patterns)
