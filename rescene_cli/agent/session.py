"""A running session: the loop and everything a face may ask of it (`core/conversation.py`)."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from rescene_cli.agent.loop import Loop
from rescene_cli.agent.notify import Notifier
from rescene_cli.core.conversation import Status
from rescene_cli.core.decisions import Mode
from rescene_cli.core.errors import Interrupted, ToolError
from rescene_cli.core.events import OWN_COMMAND, Event, ToolFinished, ToolOutput, ToolStarted, TurnFinished
from rescene_cli.core.llm import LLM, Effort, Request, SystemPrompt
from rescene_cli.core.messages import CallId, Image, Text
from rescene_cli.core.runtime import Interrupt, deadline
from rescene_cli.session.transcript import characters, tokens
from rescene_cli.tools.conversation import HarnessState
from rescene_cli.tools.kit import Kit
from rescene_cli.workspace import listing


class Settings(NamedTuple):
    """What can change between two requests."""

    model: str
    mode: Mode
    effort: Effort | None = None


class Models(NamedTuple):
    """What a session needs of the models there are."""

    open: Callable[[str], LLM]
    full_name: Callable[[str], str]
    context: Callable[[str], int]  # tokens, 0 when not known


@dataclass(slots=True)
class AgentSession:
    """One session with a model; satisfies `core.conversation.Conversation`."""

    root: Path
    session: str
    interrupt: Interrupt
    settings: Settings
    prompt: Callable[[Mode], SystemPrompt]
    models: Models
    kit: Kit
    emit: Callable[[Event], None]
    notifier: Notifier | None = None
    timeout: float | None = None  # seconds for one turn
    _loop: Loop | None = field(default=None)
    _system: tuple[Mode, SystemPrompt] | None = field(default=None)  # and the mode that it was made for

    def attach(self, loop: Loop) -> None:
        """Give it its loop; the two know each other, so one must come second."""
        self._loop = loop

    @property
    def loop(self) -> Loop:
        """The loop of this session."""
        if self._loop is None:
            message = "a session is used before its loop is attached"
            raise RuntimeError(message)
        return self._loop

    def request(self) -> Request:
        """The next request. The system prompt is kept until the mode changes, so that provider caches hit."""
        settings, kept = self.settings, self._system  # looked at once: a face may change both meanwhile
        if kept is None or kept[0] is not settings.mode:
            kept = self._system = (settings.mode, self.prompt(settings.mode))
        return Request(
            settings.model,
            kept[1],
            self.loop.transcript.messages,
            self.loop.calls.toolbox.specs,
            settings.effort,
            session=self.session,
        )

    def turn(self, text: str, images: Sequence[Image] = ()) -> TurnFinished:
        """Carry out one turn."""
        try:
            with deadline(self.interrupt, self.timeout):
                return self.loop.turn(text, images)
        finally:
            self.loop.steering.end()  # also after a bug: nothing must be handed to a turn that is gone

    def steer(self, text: str) -> bool:
        """Hand the model a message while it works."""
        return self.loop.steering.put(text)

    def shell(self, command: str) -> None:
        """Run a person's own command; the next request tells the model of it."""
        name = CallId(f"own-{secrets.token_hex(4)}")
        self.emit(ToolStarted(name, OWN_COMMAND, {"command": command}))
        started = time.monotonic()
        try:
            ok, output = self.kit.own_command(command, lambda text: self.emit(ToolOutput(name, text)))
        except (ToolError, OSError, Interrupted) as error:
            ok, output = False, f"[not run: {error}]"
        seconds = round(time.monotonic() - started, 3)
        ended = output.rsplit("\n", 1)[-1].strip("[]")
        self.emit(ToolFinished(name, OWN_COMMAND, "ok" if ok else "error", ended, output, seconds))
        self.loop.transcript.user((Text(f"I ran `{command}` myself:\n{output}"),))

    def set_model(self, model: str) -> None:
        """Use another model from the next request on."""
        name = self.models.full_name(model)
        self.loop.llm = self.models.open(name)
        self.settings = self.settings._replace(model=name)

    def set_effort(self, effort: Effort | None) -> None:
        """Use another effort from the next request on."""
        self.settings = self.settings._replace(effort=effort)

    def set_mode(self, mode: Mode) -> None:
        """Change how much runs unasked."""
        self.settings = self.settings._replace(mode=mode)

    def new(self) -> None:
        """Forget what was said."""
        self.loop.transcript.clear()
        self._system = None

    def status(self) -> Status:
        """Where the session stands."""
        settings, loop = self.settings, self.loop
        return Status(
            settings.model,
            settings.mode,
            settings.effort,
            loop.last_usage.input + loop.last_usage.output,
            self.models.context(settings.model),
            loop.meter.cost,
            loop.calls.last_operation,
            loop.turns,
            len(self.kit.tasks.running()),
            self.kit.todo.items,
        )

    def harness_state(self) -> HarnessState:
        """What the model is told of the harness."""
        status = self.status()
        return HarnessState(
            status.model,
            status.mode,
            status.turns,
            status.tokens,
            status.context,
            self.loop.calls.toolbox.loaded,
            self.kit.tasks.running(),
            len(self.kit.archive.names),
        )

    def context(self) -> tuple[tuple[str, int], ...]:
        """What fills the context."""
        request = self.request()
        tools = sum(len(spec.description) + len(str(spec.parameters)) for spec in request.tools)
        return (
            ("system prompt", tokens(len(request.system.stable))),
            ("project and surroundings", tokens(len(request.system.volatile))),
            ("tools", tokens(tools)),
            ("conversation", tokens(characters(request.messages))),
        )

    def files(self) -> Sequence[str]:
        """The project's files."""
        return listing.files(self.root)

    def close(self) -> tuple[str, ...]:
        """End the session; returns what was still running."""
        if self.notifier:
            self.notifier.close()
        return self.kit.close()
