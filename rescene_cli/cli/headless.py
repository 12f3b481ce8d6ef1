"""`rescene run` without a conversation: one task, one turn, a result for people or programs."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from types import FrameType
from typing import Any, TextIO

from rescene_cli.core.changes import TIER
from rescene_cli.core.conversation import Conversation
from rescene_cli.core.decisions import Answer, ApprovalRequest
from rescene_cli.core.errors import EXIT_CODES, ApprovalError, InterruptReason
from rescene_cli.core.events import Event, TurnFinished
from rescene_cli.core.runtime import Interrupt
from rescene_cli.session.codec import event_line, plain

NOT_COVERED = (
    "File changes are not recorded by this version: nothing can be rolled back.",
    "What shell commands change is not listed in `files`.",
)


class Output(StrEnum):
    """How a run reports."""

    TEXT = "text"
    JSON = "json"
    STREAM_JSON = "stream-json"


class OnAsk(StrEnum):
    """What happens to a question when nobody is at the terminal."""

    FAIL = "fail"
    DENY = "deny"
    SKIP = "skip"


def absent_approver(on_ask: OnAsk) -> Callable[[ApprovalRequest], Answer]:
    """Answers in the place of a person who is not there; never yes."""

    def answer(request: ApprovalRequest) -> Answer:
        if on_ask is OnAsk.FAIL:
            message = f"An approval was needed and nobody is at the terminal: {request.decision.effect}."
            raise ApprovalError(message, "Run it at a terminal, or with --on-ask deny or skip.")
        return Answer.SKIP if on_ask is OnAsk.SKIP else Answer.NOBODY

    return answer


def stream_to(stream: TextIO) -> Callable[[Event], None]:
    """An observer that writes each event as a line, at once."""

    def write(event: Event) -> None:
        stream.write(event_line(event) + "\n")
        stream.flush()

    return write


def envelope(conversation: Conversation, finished: TurnFinished, *, kind: str = "") -> dict[str, Any]:
    """What `--output json` prints, and the last line of `stream-json` (`docs/reference/run-output.md`)."""
    ok = finished.status == "done"
    status = conversation.status()
    data = {
        "status": finished.status,
        "session": conversation.session,
        "message": finished.message,
        "files": plain(finished.files),
        "operations": list(finished.operations),
        "verify": plain(finished.verify),
        "evidence": finished.evidence,
        "denied": plain(finished.denied),
        "approvals_requested": finished.asked,
        "usage": plain(finished.usage),
        "requests": finished.requests,
        "seconds": finished.seconds,
        "model": status.model,
        "mode": str(status.mode),
        "tier": TIER,
        "not_covered": list(NOT_COVERED),
    }
    error = None if ok else {"code": finished.status, "message": finished.error, "hint": finished.hint}
    whole = {"ok": ok, "command": "run", "data": data, "findings": [], "error": error}
    return {"type": kind, **whole} if kind else whole


def report(conversation: Conversation, finished: TurnFinished, output: Output, left: tuple[str, ...]) -> int:
    """Print the result; as text the face has done so. `left` are tasks that were stopped. Returns the exit code."""
    if left:
        sys.stderr.write(f"rescene: stopped background tasks: {', '.join(left)}\n")
    if output is not Output.TEXT:
        kind = "done" if output is Output.STREAM_JSON else ""
        sys.stdout.write(json.dumps(envelope(conversation, finished, kind=kind)) + "\n")
    sys.stdout.flush()
    return EXIT_CODES.get(finished.status, 1)


@contextmanager
def under_signals(interrupt: Interrupt) -> Iterator[None]:
    """Ctrl-C, a closed terminal and a polite kill stop the work; what it did is still reported.

    A second Ctrl-C leaves at once.
    """

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature is the system's
        if number == signal.SIGINT and interrupt.is_set():
            raise KeyboardInterrupt
        interrupt.set(InterruptReason.USER if number == signal.SIGINT else InterruptReason.TERMINATED)

    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # else it was started by nohup
        numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
