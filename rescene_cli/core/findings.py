"""Something noticed, and what a command gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Severity(StrEnum):
    """How much it matters."""

    OK = "ok"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something noticed: where, what, and what to do about it."""

    severity: Severity
    where: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What a command returns: `data` for programs, `text` for people, findings for both."""

    command: str
    data: Any = None
    text: str = ""
    findings: tuple[Finding, ...] = field(default_factory=tuple)
    exit_code: int = 0
