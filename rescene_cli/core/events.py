"""What happens in a session: one closed union, read by the screen, by `stream-json` and by every later store.

NamedTuples, not dataclasses: two dozen dataclasses cost 25 ms of every start (docs/decisions/0002).
`KINDS` gives each event its name on the wire; `docs/reference/events.md` documents each field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rescene_cli.core.llm import Usage
from rescene_cli.core.messages import CallId

OWN_COMMAND = "shell"  # stands in the place of a tool's name where a person ran a command of their own


class FileTouched(NamedTuple):
    """A file that an operation changed; `added` and `removed` count lines, 0 for binary files."""

    path: str
    change: str  # created, modified, deleted
    added: int = 0
    removed: int = 0


class Evidence(NamedTuple):
    """A command that was run to see whether the work is done. `exit` is None when it
    could not run; `log` is its end.
    """

    command: str
    exit: int | None
    seconds: float
    log: str


class Denied(NamedTuple):
    """A call that was not run."""

    id: str
    reason: str
    call: str


class SessionStarted(NamedTuple):
    """The first event of a session."""

    session: str
    model: str
    mode: str
    root: str
    tier: str


class UserMessage(NamedTuple):
    """Text handed to the model as the user's. `source`: user, steer (while it worked) or verify."""

    turn: int
    text: str
    source: str = "user"


class RequestStarted(NamedTuple):
    """A request goes to a model."""

    model: str


class TextDelta(NamedTuple):
    """More text of the reply."""

    text: str


class ThinkingDelta(NamedTuple):
    """More reasoning text."""

    text: str


class CallProgress(NamedTuple):
    """The model is writing a call; `size` counts the characters of its arguments so far."""

    name: str
    size: int


class ProviderRetry(NamedTuple):
    """A request failed and goes out again in `wait` seconds. Deltas since the last request_started are void."""

    reason: str
    wait: float
    attempt: int
    attempts: int


class ProviderFailover(NamedTuple):
    """The request goes to another model of the list. Deltas since the last request_started are void."""

    source: str
    target: str
    reason: str


class AssistantMessage(NamedTuple):
    """A whole reply. `cost_usd` is None when the price of the model is not known."""

    text: str
    thinking: str
    calls: tuple[str, ...]
    model: str
    usage: Usage
    cost_usd: float | None
    seconds: float


class ToolStarted(NamedTuple):
    """A call is about to run (after the gate)."""

    call_id: CallId
    name: str
    arguments: Mapping[str, Any]


class ToolOutput(NamedTuple):
    """Output of a running call, as it comes."""

    call_id: CallId
    text: str


class ToolFinished(NamedTuple):
    """A call ended; `text` is what the model is told, `status` one of ok, error, denied, invalid, interrupted."""

    call_id: CallId
    name: str
    status: str
    title: str
    text: str
    seconds: float
    operation: str | None = None
    files: tuple[FileTouched, ...] = ()
    diff: str = ""


class ApprovalRequested(NamedTuple):
    """A person is asked."""

    id: str
    call_id: CallId
    name: str
    arguments: Mapping[str, Any]
    reason: str
    effect: str
    argument_hash: str


class ApprovalAnswered(NamedTuple):
    """The answer to `approval_request`."""

    id: str
    answer: str


class TodoItem(NamedTuple):
    """One line of the todo list; `status`: pending, in_progress, done."""

    text: str
    status: str


class TodoUpdated(NamedTuple):
    """The model changed its todo list."""

    items: tuple[TodoItem, ...]


class TaskFinished(NamedTuple):
    """A background task ended."""

    task_id: str
    exit: int
    seconds: float


class VerificationStarted(NamedTuple):
    """A command that gives evidence starts."""

    command: str


class Verification(NamedTuple):
    """One piece of evidence. `status`: pass, fail, skipped or error; `note` says why when not run."""

    status: str
    note: str
    evidence: Evidence | None


class Notice(NamedTuple):
    """Something a person should know. `severity` as in findings."""

    severity: str
    message: str
    hint: str = ""


class Totals(NamedTuple):
    """What a turn, or a session, used."""

    input: int = 0
    output: int = 0
    cached: int = 0
    cost_usd: float | None = 0.0


class TurnFinished(NamedTuple):
    """The end of a turn.

    `status`: done, failed, interrupted, terminated, limit, verification_failed, provider_error,
    approval_needed. `message` is the model's last text, which is its word and no evidence.
    """

    turn: int
    status: str
    message: str
    files: tuple[FileTouched, ...] = ()
    operations: tuple[str, ...] = ()
    verify: tuple[Evidence, ...] = ()
    denied: tuple[Denied, ...] = ()
    usage: Totals = Totals()
    requests: int = 0
    seconds: float = 0.0
    asked: int = 0  # approvals that were requested, whether or not somebody was there
    evidence: str = ""  # one line: what was checked and how it came out
    error: str = ""
    hint: str = ""
    unread: tuple[str, ...] = ()  # messages handed over while it worked that the model did not get


Event = (
    SessionStarted
    | UserMessage
    | RequestStarted
    | TextDelta
    | ThinkingDelta
    | CallProgress
    | ProviderRetry
    | ProviderFailover
    | AssistantMessage
    | ToolStarted
    | ToolOutput
    | ToolFinished
    | ApprovalRequested
    | ApprovalAnswered
    | TodoUpdated
    | TaskFinished
    | VerificationStarted
    | Verification
    | Notice
    | TurnFinished
)

Observer = Callable[[Event], None]

KINDS: dict[type, str] = {
    SessionStarted: "session_started",
    UserMessage: "user_message",
    RequestStarted: "request_started",
    TextDelta: "text_delta",
    ThinkingDelta: "thinking_delta",
    CallProgress: "call_progress",
    ProviderRetry: "provider_retry",
    ProviderFailover: "provider_failover",
    AssistantMessage: "assistant_message",
    ToolStarted: "tool_started",
    ToolOutput: "tool_output",
    ToolFinished: "tool_finished",
    ApprovalRequested: "approval_request",
    ApprovalAnswered: "approval_answer",
    TodoUpdated: "todo_updated",
    TaskFinished: "task_finished",
    VerificationStarted: "verification_started",
    Verification: "verification",
    Notice: "notice",
    TurnFinished: "turn_finished",
}
