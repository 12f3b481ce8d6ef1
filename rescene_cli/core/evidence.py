"""What evidence of done is worth, and which command gives it for which change."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class VerifyMode(StrEnum):
    """What evidence is for: nothing, the record, or the decision whether the work is done (exit code 4 if not)."""

    OFF = "off"
    RECORD = "record"
    BLOCK = "block"


class VerifyRule(NamedTuple):
    """`command` gives evidence for a change that touches a path matching one of `paths` (as the tool `glob`)."""

    paths: tuple[str, ...]
    command: str
    needs: str = ""  # a file of the project without which the rule does not apply
    containing: str = ""  # text that file must have
