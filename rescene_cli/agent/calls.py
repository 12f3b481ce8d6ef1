"""Running the calls of one reply: checked, gated, run (reads beside each other), answered in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from rescene_cli.agent.gate import Gate
from rescene_cli.agent.touched import made_here, merge, touched
from rescene_cli.core.decisions import Mode, TurnView
from rescene_cli.core.errors import Interrupted
from rescene_cli.core.events import Denied, Event, FileTouched, Notice, ToolFinished, ToolOutput, ToolStarted
from rescene_cli.core.messages import CallId, ToolCall, ToolResult, plain_text
from rescene_cli.core.runtime import Clock, Interrupt
from rescene_cli.core.tools import CallContext, Invocation, Outcome
from rescene_cli.session.transcript import Transcript
from rescene_cli.tools.toolbox import InvalidCallError, Toolbox

PARALLEL_READS = 4


class _NotRun(NamedTuple):
    """A call that does not run, and what it is answered instead."""

    call: ToolCall
    status: str  # invalid or denied
    outcome: Outcome


class _Ended(NamedTuple):
    """A call that has its answer. `status` is given where it did not run."""

    call: ToolCall
    outcome: Outcome
    seconds: float
    status: str = ""


_Ready = Invocation | _NotRun  # a call after the checks


@dataclass(slots=True)
class CallRunner:
    """Runs calls and keeps what the turn did: files, operations, refusals."""

    toolbox: Toolbox
    gate: Gate
    transcript: Transcript
    emit: Callable[[Event], None]
    clock: Clock
    mode: Callable[[], Mode]
    interrupt: Interrupt
    operations: tuple[str, ...] = ()
    files: tuple[FileTouched, ...] = ()
    denied: list[Denied] = field(default_factory=list)
    needed: bool = False  # an approval was needed and nobody was there
    last_operation: str = ""
    _made: frozenset[str] = frozenset()

    def begin(self) -> None:
        """Forget what the turn before did."""
        self.operations, self.files, self.needed = (), (), False
        self.denied.clear()

    def run(self, calls: Sequence[ToolCall]) -> bool:
        """Run them all and answer each; returns whether any of them could be understood."""
        understood = False
        for parallel, group in groupby(calls, self._reads):
            batch = list(group)
            for ended in self._batch(batch, parallel=parallel and len(batch) > 1):
                understood = understood or ended.status != "invalid"
                self._finish(ended)
            self.interrupt.check()
        return understood

    def _reads(self, call: ToolCall) -> bool:
        spec = self.toolbox.spec(call.name)
        return spec is not None and spec.only_reads

    def _batch(self, calls: Sequence[ToolCall], *, parallel: bool) -> Iterator[_Ended]:
        """Every call that was started comes back, whatever happens meanwhile."""
        if not parallel:
            for call in calls:
                self.interrupt.check()
                yield self._carry_out(self._started(self._prepare(call)))
            return
        from concurrent.futures import ThreadPoolExecutor

        batch = [self._started(ready) for ready in [self._prepare(call) for call in calls]]
        with ThreadPoolExecutor(PARALLEL_READS) as pool:
            yield from pool.map(self._carry_out, batch)

    def _prepare(self, call: ToolCall) -> _Ready:
        try:
            invocation = self.toolbox.check(call)
        except InvalidCallError as error:
            return _NotRun(call, "invalid", Outcome.text(str(error), ok=False, title="invalid arguments"))
        refusal = self.gate.check(invocation, TurnView(self.mode(), self._made))
        if refusal:
            self.denied.append(refusal.denied)
            self.needed = self.needed or refusal.counts
            if refusal.ends:
                raise refusal.ends
            return _NotRun(call, "denied", Outcome.text(refusal.text, ok=False, title="not run"))
        return invocation

    def _started(self, ready: _Ready) -> _Ready:
        if isinstance(ready, Invocation):
            self.emit(ToolStarted(ready.call.id, ready.call.name, ready.arguments))
        return ready

    def _carry_out(self, ready: _Ready) -> _Ended:
        if isinstance(ready, _NotRun):
            return _Ended(ready.call, ready.outcome, 0.0, ready.status)
        started = self.clock.monotonic()
        outcome = self._attempt(ready)
        return _Ended(ready.call, outcome, round(self.clock.monotonic() - started, 4))

    def _attempt(self, invocation: Invocation) -> Outcome:
        call_id = invocation.call.id
        context = CallContext(call_id, self.interrupt, lambda text: self.emit(ToolOutput(call_id, text)))
        try:
            return self.toolbox.run(invocation, context)
        except Interrupted as error:
            return Outcome.text(f"{error.message} The call had not ended.", ok=False, title="stopped")
        except OSError as error:
            return Outcome.text(f"Failed: {error}", ok=False, title=str(error))
        except Exception as bug:  # noqa: BLE001 - one call that hits a bug of ours must not cost the whole run
            where = f"{invocation.spec.name} failed inside rescene ({type(bug).__name__})."
            self.emit(Notice("error", where, "This is a bug; the run goes on."))
            return Outcome.text(f"{where} Try it another way.", ok=False, title=where)

    def _finish(self, ended: _Ended) -> None:
        call, outcome, seconds, status = ended
        operation, files = outcome.operation, touched(outcome)
        if operation:
            self.operations = (*self.operations, operation.id)
            self.last_operation = operation.id
            self.files = merge(self.files, files)
            self._made = made_here(self._made, operation.changes)
        self.transcript.result(ToolResult(CallId(call.id), outcome.parts, outcome.ok))
        stopped = self.interrupt.is_set() and not outcome.ok
        status = status or ("ok" if outcome.ok else "interrupted" if stopped else "error")
        text = plain_text(outcome.parts)
        self.emit(
            ToolFinished(
                call.id, call.name, status, outcome.title, text, seconds,
                operation.id if operation else None, files, outcome.diff,
            )
        )  # fmt: skip
