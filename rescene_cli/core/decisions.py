"""Who may do what: verdicts, guards, and the question put to a person."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from enum import IntEnum, StrEnum
from typing import NamedTuple

from rescene_cli.core.tools import Invocation


class Verdict(IntEnum):
    """Ordered by strictness."""

    ALLOW = 0
    ASK = 1
    DENY = 2


class Mode(StrEnum):
    """How much runs unasked (`docs/reference/modes.md`)."""

    PLAN = "plan"
    ASK = "ask"
    AUTO = "auto"
    YOLO = "yolo"


class Reason(StrEnum):
    """Why a call is not simply run."""

    IRREVERSIBLE = "irreversible"
    OUTSIDE = "path_outside_workdir"
    MODE = "mode"
    UNKNOWN = "unknown_effect"


class Decision(NamedTuple):
    """A guard's answer. `effect` says what would happen, in words a person can judge; `by` names the guard.

    `grant` is what an "always" would cover, empty where there is none.
    """

    verdict: Verdict
    reason: Reason
    by: str
    effect: str = ""
    grant: str = ""


class TurnView(NamedTuple):
    """What a guard may know of the turn."""

    mode: Mode
    made_here: frozenset[str] = frozenset()  # paths the agent itself created in this session


Guard = Callable[[Invocation, TurnView], Decision | None]


class Answer(StrEnum):
    """What a person, or a policy in a person's place, answers."""

    YES = "yes"
    NO = "no"
    ALWAYS = "always"  # yes, and the same grant for the rest of the session
    NOBODY = "nobody"  # no one was there to ask
    SKIP = "skip"  # no one was there, and the caller said that this does not count


class ApprovalRequest(NamedTuple):
    """A question to a person. `id` is `session::call`; `argument_hash` is what was shown."""

    id: str
    invocation: Invocation
    decision: Decision
    argument_hash: str
    diff: str = ""


Approver = Callable[[ApprovalRequest], Answer]


def argument_hash(invocation: Invocation) -> str:
    """sha256 of tool name and argument text, in hex."""
    return hashlib.sha256(
        f"{invocation.call.name}\0{invocation.call.arguments}".encode("utf-8", "surrogatepass")
    ).hexdigest()
