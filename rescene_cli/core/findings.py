"""Something noticed, and what a command gives back."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple


class Severity(StrEnum):
    """How much it matters."""

    OK = "ok"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Finding(NamedTuple):
    """Something noticed: where, what, and what to do about it."""

    severity: Severity
    where: str
    message: str
    hint: str = ""

    def text(self, label: str, between: str) -> str:
        """As a person reads it: `label`, what, and after `between` what to do."""
        return f"{label} {self.message}" + (f"{between}{self.hint}" if self.hint else "")


class Report(NamedTuple):
    """What a command returns: `data` for programs, `text` for people, findings for both."""

    command: str
    data: Any = None
    text: str = ""
    findings: tuple[Finding, ...] = ()
    exit_code: int = 0
