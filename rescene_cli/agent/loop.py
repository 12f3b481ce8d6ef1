"""The loop: ask the model, run what it calls, look again, until it calls nothing and the evidence is in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rescene_cli.agent.calls import CallRunner
from rescene_cli.agent.limits import Meter
from rescene_cli.agent.reply import Piece, distinct_calls, event_of
from rescene_cli.agent.steering import Steering
from rescene_cli.agent.verify import Verifier, follow_up, summary
from rescene_cli.core.errors import ApprovalError, ProviderError, ResceneError, VerificationError
from rescene_cli.core.events import (
    AssistantMessage,
    Event,
    Evidence,
    Notice,
    RequestStarted,
    TaskFinished,
    TurnFinished,
    UserMessage,
)
from rescene_cli.core.llm import (
    LLM,
    FailedOver,
    Reply,
    Request,
    RetryScheduled,
    Stop,
    TextPiece,
    Usage,
)
from rescene_cli.core.messages import Assistant, Image, Text
from rescene_cli.core.runtime import Clock, Interrupt
from rescene_cli.session.transcript import Transcript

INVALID_REPLIES = 10  # in a row; a model that can't write one valid call by then is not getting there
_NOTES = {
    Stop.LENGTH: "The reply was cut at the model's output limit.",
    Stop.REFUSED: "The model declined to answer.",
}


@dataclass(slots=True)
class Loop:
    """Everything one turn needs. `request` builds the next request; `price` is in US dollars, None if unknown."""

    llm: LLM
    request: Callable[[], Request]
    transcript: Transcript
    calls: CallRunner
    verifier: Verifier
    meter: Meter
    emit: Callable[[Event], None]
    interrupt: Interrupt
    clock: Clock
    price: Callable[[str, Usage], float | None]
    ended_tasks: Callable[[], tuple[TaskFinished, ...]] = tuple
    steering: Steering = field(default_factory=Steering)
    turns: int = 0
    last_usage: Usage = Usage()  # noqa: RUF009 - immutable
    _said: str = ""
    _partial: list[str] = field(default_factory=list)
    _evidence: tuple[Evidence, ...] = ()
    _tries: int = 0

    def turn(self, text: str, images: Sequence[Image] = ()) -> TurnFinished:
        """Carry out one turn; what goes wrong in it is in the result."""
        self.turns += 1
        self.steering.begin()
        started, before, asked = self.clock.monotonic(), self.meter.begin(), self.calls.gate.asked
        self.calls.begin()
        self._said, self._evidence, self._tries = "", (), 0
        self.emit(UserMessage(self.turns, text))
        self.transcript.user((Text(text), *images))
        problem = self._run_to_end()
        self.transcript.close("Not run to its end: the turn was stopped. What it did until then is not known.")
        finished = TurnFinished(
            self.turns,
            problem.code if problem else "done",
            self._said,
            files=self.calls.files,
            operations=self.calls.operations,
            verify=self._evidence,
            denied=tuple(self.calls.denied),
            usage=self.meter.since(before),
            requests=self.meter.requests - before.requests,
            seconds=round(self.clock.monotonic() - started, 3),
            asked=self.calls.gate.asked - asked,
            evidence=summary(self._evidence, changed=bool(self.calls.files)),
            error=problem.message if problem else "",
            hint=problem.hint if problem else "",
            unread=self.steering.end(),
        )
        self.emit(finished)
        return finished

    def _run_to_end(self) -> ResceneError | None:
        try:
            self._converse()
        except ResceneError as error:
            self._keep_partial()
            return error
        return None

    def _converse(self) -> None:
        """Until the model is done; raises what else ends the turn."""
        invalid = 0
        while True:
            message = self._reply()
            if message.calls:
                invalid = 0 if self.calls.run(message.calls) else invalid + 1
                if invalid > INVALID_REPLIES:
                    text = f"The model wrote {invalid} replies in a row with no call that can be run."
                    raise ProviderError(text, "Try another model: weak models often fail at tool calls.")
                self._take_steering()
            elif not (self._take_steering() or self._send_back() or self._take_steering()):
                self._check_outcome()
                return

    def _reply(self) -> Assistant:
        self.interrupt.check()
        self.meter.check()
        self.meter.requests += 1
        request = self.request()
        started = self.clock.monotonic()
        self.emit(RequestStarted(request.model))
        self._partial.clear()
        for item in self.llm.stream(request, self.interrupt):
            if isinstance(item, Reply):
                return self._received(item, self.clock.monotonic() - started)
            self._show(item)
        message = "The model's reply ended before it was whole."
        raise ProviderError(message, "Run it again.")

    def _show(self, item: Piece) -> None:
        if isinstance(item, TextPiece):
            self._partial.append(item.text)
        elif isinstance(item, RetryScheduled | FailedOver):
            self._partial.clear()
        self.emit(event_of(item))

    def _received(self, reply: Reply, seconds: float) -> Assistant:
        message = distinct_calls(reply.message)
        cost = self.price(message.model, reply.usage)
        if not self.meter.add(reply.usage, cost):
            text = f"The price of {message.model} is not known, so the limit of cost does not hold from here on."
            self.emit(Notice("warning", text, "Set limits.max_tokens as well, or choose a model with a known price."))
        self.last_usage = reply.usage
        self._partial.clear()
        self._said = message.text or self._said
        self.transcript.reply(message)
        thinking = "".join(thought.text for thought in message.thinking)
        names = tuple(call.name for call in message.calls)
        self.emit(AssistantMessage(message.text, thinking, names, message.model, reply.usage, cost, round(seconds, 3)))
        if reply.stop in _NOTES:
            self.emit(Notice("warning", _NOTES[reply.stop]))
        return message

    def _keep_partial(self) -> None:
        """What the model had said when it was stopped stays part of the conversation."""
        if text := "".join(self._partial).strip():
            self._said = text
            self.transcript.reply(Assistant(text))
        self._partial.clear()

    def _take_steering(self) -> bool:
        """Hand over what a person said meanwhile."""
        for ended in self.ended_tasks():
            self.emit(ended)
            self.transcript.user((Text(f"[Background task {ended.task_id} ended with exit code {ended.exit}.]"),))
        said = self.steering.take()
        for text in said:
            self.emit(UserMessage(self.turns, text, "steer"))
            self.transcript.user((Text(text),))
        return bool(said)

    def _send_back(self) -> bool:
        """Gather evidence; a decisive failure goes back to the model, a bounded number of times."""
        self._evidence = self.verifier.check([file.path for file in self.calls.files])
        failures = self.verifier.blocks(self._evidence)
        if not failures or self._tries >= self.verifier.tries:
            return False
        self._tries += 1
        text = follow_up(failures)
        self.emit(UserMessage(self.turns, text, "verify"))
        self.transcript.user((Text(text),))
        return True

    def _check_outcome(self) -> None:
        """Raise what keeps the work from being done although the model has stopped."""
        if self.verifier.blocks(self._evidence):
            failed = summary(self._evidence, changed=bool(self.calls.files))
            raise VerificationError(f"The work is not verified: {failed}.", "The end of each log is in the result.")
        if self.calls.needed:
            missing = ", ".join(dict.fromkeys(f"{denied.call} ({denied.reason})" for denied in self.calls.denied))
            hint = "Run it at a terminal to be asked, or do that step yourself."
            raise ApprovalError(f"An approval was needed and nobody was there: {missing}.", hint)
