"""Every error a person can meet, with its exit code.

    ResceneError                   1   the task failed
    ├── UsageError                 2   the command line is wrong
    │   └── ConfigError            2   a configuration value is wrong
    ├── ConflictError              3   the disk is not as it was when the change was planned
    ├── VerificationError          4   evidence of done was asked for and is not there
    ├── PolicyError                5   refused by policy
    │   └── BoundaryError          5   the path lies outside the working directory
    ├── ProviderError              6   the model or its provider
    ├── LimitError                 7   turns, cost, tokens or time used up
    ├── ApprovalError              8   an approval was needed and nobody was there
    ├── TryAgainError             75   a passing state; the same command may work later
    └── Interrupted         130, 143   a person or the system ended the work
    ToolError                          told to the model as a tool result; never ends the program

Anything else is a bug: exit code 70, with the path of a log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum


class ResceneError(Exception):
    """The task failed. `message` says what happened in one sentence, `hint` what to do about it."""

    code: str = "failed"
    exit_code: int = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(ResceneError):
    """The command line can't be carried out as written."""

    code = "usage"
    exit_code = 2


class ConfigError(UsageError):
    """A configuration file or environment value is wrong."""

    code = "config"


class ConflictError(ResceneError):
    """What is on disk differs from what the change was planned against; nothing was written."""

    code = "conflict"
    exit_code = 3


class VerificationError(ResceneError):
    """The evidence that was asked for is missing or says no."""

    code = "verification_failed"
    exit_code = 4


class PolicyError(ResceneError):
    """A rule refuses this, whoever asks."""

    code = "refused"
    exit_code = 5


class BoundaryError(PolicyError):
    """The path lies outside the working directory and nobody allowed it."""

    code = "path_outside_workdir"


class ProviderFault(StrEnum):
    """What went wrong at the provider; `llm/policy.py` decides by it what may be tried again."""

    RATE_LIMITED = "rate_limited"
    QUOTA = "quota_exhausted"  # no credit left: waiting does not help
    OVERLOADED = "overloaded"
    SERVER = "server_error"
    TIMEOUT = "timeout"
    STALLED = "stream_stalled"
    DROPPED = "stream_dropped"
    UNREACHABLE = "unreachable"
    TLS = "tls"
    AUTHENTICATION = "authentication"
    NOT_FOUND = "model_not_found"
    CONTEXT_OVERFLOW = "context_overflow"
    BAD_REQUEST = "bad_request"
    MALFORMED = "malformed_reply"
    NOT_CONFIGURED = "not_configured"


class ProviderError(ResceneError):
    """A model request failed. `retry_after` is in seconds, as the provider asked."""

    code = "provider_error"
    exit_code = 6

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        fault: ProviderFault = ProviderFault.SERVER,
        status: int = 0,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, hint)
        self.fault = fault
        self.status = status
        self.retry_after = retry_after


class LimitError(ResceneError):
    """A limit the person set (turns, cost, tokens, time) is used up."""

    code = "limit"
    exit_code = 7


class ApprovalError(ResceneError):
    """An approval was needed and nobody was there to give it."""

    code = "approval_needed"
    exit_code = 8


class TryAgainError(ResceneError):
    """A passing state; the same command may work later."""

    code = "try_again"
    exit_code = 75


class InterruptReason(StrEnum):
    """Who ended the work."""

    USER = "interrupted"
    TERMINATED = "terminated"
    TIMEOUT = "timeout"


_STOPPED = {
    InterruptReason.USER: "Stopped by the user.",
    InterruptReason.TERMINATED: "Stopped by a signal.",
    InterruptReason.TIMEOUT: "The time limit is reached.",
}

_ENDS = {
    InterruptReason.USER: ("interrupted", 130),
    InterruptReason.TERMINATED: ("terminated", 143),
    InterruptReason.TIMEOUT: (LimitError.code, LimitError.exit_code),
}


class Interrupted(ResceneError):  # noqa: N818 - it is an answer to a request, not a fault
    """The work was stopped from outside; what was said and done until then is kept."""

    code = "interrupted"
    exit_code = 130

    def __init__(self, reason: InterruptReason = InterruptReason.USER) -> None:
        super().__init__(_STOPPED[reason], "Raise it with --timeout." if reason is InterruptReason.TIMEOUT else "")
        self.reason = reason
        self.code, self.exit_code = _ENDS[reason]


def kinds(root: type[ResceneError] = ResceneError) -> Iterator[type[ResceneError]]:
    """The tree drawn above, each kind before those below it."""
    yield root
    for kind in root.__subclasses__():
        if kind.__module__ == __name__:
            yield from kinds(kind)


# By the `code` of an error, which is also the `status` of a turn.
EXIT_CODES: Mapping[str, int] = {
    "done": 0,
    **{kind.code: kind.exit_code for kind in kinds()},
    **dict(_ENDS.values()),
}


class ToolError(Exception):
    """A tool could not do what was asked; the text goes to the model, which can act on it."""
