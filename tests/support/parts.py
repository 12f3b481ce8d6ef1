"""Doubles that satisfy the core protocols, and a loop made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rescene_cli.agent.calls import CallRunner
from rescene_cli.agent.gate import Gate
from rescene_cli.agent.limits import Limits, Meter
from rescene_cli.agent.loop import Loop
from rescene_cli.agent.verify import Verifier
from rescene_cli.core.decisions import Answer, ApprovalRequest, Guard, Mode
from rescene_cli.core.events import Event
from rescene_cli.core.llm import Reply, Request, StreamItem, SystemPrompt, Usage
from rescene_cli.core.messages import Assistant, CallId, ToolCall
from rescene_cli.core.runtime import Interrupt, SystemClock
from rescene_cli.core.tools import CallContext, Effect, Outcome, ToolSpec
from rescene_cli.session.transcript import Transcript
from rescene_cli.tools.toolbox import Toolbox

Step = Sequence[StreamItem | Exception] | Callable[[Request], Sequence[StreamItem | Exception]]


def call(name: str, arguments: str = "{}", call_id: str = "c1") -> ToolCall:
    return ToolCall(CallId(call_id), name, arguments)


def reply(text: str = "", *calls: ToolCall, usage: Usage | None = None) -> Reply:
    return Reply(Assistant(text, calls, model="double/one"), usage or Usage(10, 2))


@dataclass
class PlayedModel:
    """Answers with the given items, one step a request; keeps the requests' messages."""

    steps: list[Step]
    seen: list[list[Any]] = field(default_factory=list)

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[StreamItem]:
        self.seen.append(list(request.messages))
        step = self.steps.pop(0)
        for item in step(request) if callable(step) else step:
            interrupt.check()
            if isinstance(item, Exception):
                raise item
            yield item


@dataclass
class PlainTool:
    """A tool that does what its function says."""

    name: str
    action: Callable[[Mapping[str, Any], CallContext], Outcome | str]
    effects: frozenset[Effect] = frozenset({Effect.READ})
    properties: Mapping[str, Any] = field(default_factory=dict)
    resident: bool = True

    @property
    def spec(self) -> ToolSpec:
        schema = {"type": "object", "properties": dict(self.properties), "additionalProperties": False}
        return ToolSpec(self.name, f"{self.name} does it. More.", schema, self.effects, resident=self.resident)

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:
        done = self.action(arguments, context)
        return done if isinstance(done, Outcome) else Outcome.text(done)


@dataclass
class Stage:
    """A loop of doubles and what happened in it."""

    loop: Loop
    model: PlayedModel
    events: list[Event]
    asked: list[ApprovalRequest]
    interrupt: Interrupt


def stage(
    steps: list[Step],
    tools: Sequence[PlainTool] = (),
    *,
    guards: Sequence[Guard] = (),
    answer: Answer = Answer.NO,
    limits: Limits | None = None,
    verify: Callable[[Callable[[Event], None]], Verifier] | None = None,
    mode: Mode = Mode.AUTO,
) -> Stage:
    events: list[Event] = []
    asked: list[ApprovalRequest] = []

    def approver(request: ApprovalRequest) -> Answer:
        asked.append(request)
        return answer

    interrupt, clock, transcript, model = Interrupt(), SystemClock(), Transcript(), PlayedModel(steps)
    toolbox = Toolbox(tools)
    gate = Gate(guards, approver, events.append, "s")
    runner = CallRunner(toolbox, gate, transcript, events.append, clock, lambda: mode, interrupt)
    verifier = verify(events.append) if verify else Verifier(Path(), lambda _: (0, ""), events.append, clock)
    loop = Loop(
        model,
        lambda: Request("double/one", SystemPrompt("system"), transcript.messages, toolbox.specs),
        transcript,
        runner,
        verifier,
        Meter(limits or Limits()),
        events.append,
        interrupt,
        clock,
        lambda _, usage: usage.output * 0.01,
    )
    return Stage(loop, model, events, asked, interrupt)
