"""How results and errors are shown: text for people, one JSON envelope for programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from rescene_cli.core.errors import ResceneError
from rescene_cli.core.findings import Finding, Report, Severity

_COLOURS = {Severity.OK: "32", Severity.INFO: "36", Severity.WARNING: "33", Severity.ERROR: "31"}


class Face:
    """Where a command's answer goes. `shape` is text, json, or stream-json: the last line of a stream."""

    def __init__(self, shape: str, *, debug: bool) -> None:
        self.json = shape != "text"
        self.debug = debug
        self._last = {"type": "done"} if shape == "stream-json" else {}

    def show(self, report: Report) -> int:
        """Print a report; returns the exit code."""
        if self.json:
            self._envelope(report.command, report.exit_code == 0, report.data, report.findings)
        else:
            _say(sys.stdout, report.text)
            for finding in report.findings:
                _say(sys.stderr, line(finding))
        return report.exit_code

    def fail(self, command: str, error: ResceneError) -> int:
        """Print an error; returns the exit code."""
        if self.json:
            told = {"code": error.code, "message": error.message, "hint": error.hint}
            self._envelope(command, False, None, (), told)
        else:
            _say(sys.stderr, line(Finding(Severity.ERROR, "", error.message, error.hint)))
        return error.exit_code

    def _envelope(
        self, command: str, ok: bool, data: Any, findings: Sequence[Finding], error: dict[str, str] | None = None
    ) -> None:
        import json

        found = [
            {"severity": found.severity.value, "where": found.where, "message": found.message, "hint": found.hint}
            for found in findings
        ]
        envelope = {**self._last, "ok": ok, "command": command, "data": data, "findings": found, "error": error}
        _say(sys.stdout, json.dumps(envelope))


def line(finding: Finding) -> str:
    """A finding as a person reads it: what, and below it what to do."""
    return finding.text(paint(finding.severity, f"{finding.severity.value}:"), "\n  ")


def paint(severity: Severity, text: str, stream: TextIO | None = None) -> str:
    """`text` in the colour of `severity`, where `stream` (standard error) shows colours."""
    stream = stream or sys.stderr
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    if plain or stream is None or not stream.isatty():
        return text
    return f"\x1b[{_COLOURS[severity]}m{text}\x1b[0m"


def _say(stream: TextIO | None, text: str) -> None:
    if stream is not None and text:  # a closed descriptor at the start gives None
        stream.write(text if text.endswith("\n") else text + "\n")
        stream.flush()
