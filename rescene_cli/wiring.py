"""The composition root: concrete classes meet here and nowhere else; guards, tools and observers are listed here."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rescene_cli import git, process
from rescene_cli.agent.calls import CallRunner
from rescene_cli.agent.gate import Gate
from rescene_cli.agent.instructions import read_instructions
from rescene_cli.agent.limits import Limits, Meter
from rescene_cli.agent.loop import Loop
from rescene_cli.agent.notify import Notifier
from rescene_cli.agent.prompt import Surroundings, system_prompt
from rescene_cli.agent.session import AgentSession, Models, Settings
from rescene_cli.agent.verify import Verifier
from rescene_cli.config.load import Config
from rescene_cli.core.changes import TIER
from rescene_cli.core.decisions import Approver, Guard, Mode
from rescene_cli.core.errors import ProviderError, ProviderFault
from rescene_cli.core.events import Event, Notice, Observer, SessionStarted, TodoUpdated
from rescene_cli.core.llm import SystemPrompt, Usage
from rescene_cli.core.runtime import Interrupt, SystemClock, new_session_id
from rescene_cli.guards.irreversible import IrreversibleGuard
from rescene_cli.guards.modes import mode_guard
from rescene_cli.guards.paths import PathGuard
from rescene_cli.llm.catalog import cost
from rescene_cli.llm.endpoints import SCRIPTED, Directory
from rescene_cli.llm.transport import Timeouts, Transport
from rescene_cli.session.transcript import Transcript
from rescene_cli.tools.conversation import Questioner
from rescene_cli.tools.kit import Kit
from rescene_cli.tools.toolbox import Toolbox, warm
from rescene_cli.workspace.boundary import Boundary


@dataclass(frozen=True, slots=True)
class Opening:
    """What a session is opened with. `observers` may grow until the first turn."""

    config: Config
    root: Path
    approver: Approver
    questioner: Questioner
    interactive: bool
    observers: list[Observer] = field(default_factory=list)
    added: tuple[Path, ...] = ()
    accept: tuple[str, ...] = ()
    interrupt: Interrupt = field(default_factory=Interrupt)

    def emit(self, event: Event) -> None:
        """Tell every observer, in the order they are listed."""
        for observer in self.observers:
            observer(event)


def open_session(opening: Opening) -> AgentSession:
    """A session, ready for its first turn. Raises ConfigError or ProviderError when no model can be used."""
    config, interrupt, clock = opening.config, opening.interrupt, SystemClock()
    models = open_directory(config)
    model = models.full_name(choose_model(config, models, opening))
    llm = models.open([model, *config.fallback])
    models.warm(model)
    kit = _kit(opening, models, interrupt)
    agent = AgentSession(
        kit.boundary.root,
        new_session_id(),
        interrupt,
        Settings(model, config.mode, config.effort),
        prompt=_prompt(opening, kit.boundary.root),
        models=Models(
            lambda name: models.open([name, *config.fallback]),
            models.full_name,
            lambda name: models.catalog.info(name).context or 0,
        ),
        kit=kit,
        emit=opening.emit,
        timeout=config.limits.timeout,
    )
    if command := config.notify:
        agent.notifier = Notifier(lambda notice: kit.notify(command, notice))
        opening.observers.append(agent.notifier)
    transcript, toolbox = Transcript(), Toolbox(kit.tools(opening.questioner, agent.harness_state))
    gate = Gate(_guards(kit), opening.approver, opening.emit, agent.session, kit.preview, kit.permit)
    agent.attach(
        Loop(
            llm,
            agent.request,
            transcript,
            CallRunner(toolbox, gate, transcript, opening.emit, clock, lambda: agent.settings.mode, interrupt),
            _verifier(opening, kit, clock),
            Meter(Limits(config.limits.max_turns, config.limits.max_cost, config.limits.max_tokens)),
            emit=opening.emit,
            interrupt=interrupt,
            clock=clock,
            price=lambda name, usage: _price(models, name, usage),
            ended_tasks=kit.tasks.finished,
        )
    )
    opening.emit(SessionStarted(agent.session, model, config.mode, str(agent.root), TIER))
    for finding in config.findings:
        opening.emit(Notice(finding.severity, finding.message, finding.hint))
    return agent


def _kit(opening: Opening, models: Directory, interrupt: Interrupt) -> Kit:
    return Kit(
        Boundary(opening.root, opening.added),
        process.child_environment(os.environ, models.key_names),
        interrupt,
        lambda items: opening.emit(TodoUpdated(items)),
        opening.config.shell_timeout,
    )


def open_directory(config: Config | None) -> Directory:
    """The providers that the configuration and the environment name; the environment alone without a configuration."""
    if config is None:
        return Directory(os.environ, Transport())
    network = config.network
    timeouts = Timeouts(connect=network.connect_timeout, stall=network.stall_timeout)
    return Directory(os.environ, Transport(network.ca_file, timeouts, warm), config.providers)


def choose_model(config: Config, models: Directory, opening: Opening) -> str:
    """The model to begin with: the one that was named, else the first that a key or a local server offers."""
    if named := config.model or models.default_model():
        return named
    found = models.detect()
    opening.interrupt.check()
    if found:
        opening.emit(Notice("info", f"No model is configured; {found[0].model} answers at {found[0].source}."))
        return found[0].model
    raise ProviderError(
        "No model is set up: there is no provider key in the environment and no local model server answers.",
        "Set ANTHROPIC_API_KEY or OPENAI_API_KEY, start a local server such as Ollama, or name any provider with "
        "--model (`rescene models` lists them). To see rescene at work without a key: rescene run --demo",
        fault=ProviderFault.NOT_CONFIGURED,
    )


def _guards(kit: Kit) -> tuple[Guard, ...]:
    """Every guard is asked about every call; the strictest answer counts."""
    boundary = kit.boundary
    return (
        IrreversibleGuard(kit.standing),
        PathGuard(boundary.resolve, boundary.inside),
        mode_guard,
    )


def _prompt(opening: Opening, root: Path) -> Callable[[Mode], SystemPrompt]:
    """Made anew when the mode changes or the conversation does; the project's notes are read then."""
    settings, trusted = opening.config.instructions, opening.config.trusted

    def make(mode: Mode) -> SystemPrompt:
        notes = read_instructions(root, settings.files, settings.max_bytes)
        date = time.strftime("%Y-%m-%d")
        return system_prompt(Surroundings(root, date, git.branch(root), notes, trusted, opening.interactive), mode)

    return make


def _verifier(opening: Opening, kit: Kit, clock: SystemClock) -> Verifier:
    verify = opening.config.verify
    return Verifier(
        kit.boundary.root,
        kit.evidence,
        opening.emit,
        clock,
        mode=verify.mode,
        commands=verify.commands,
        rules=verify.rules,
        accept=opening.accept,
        tries=verify.accept_tries,
    )


def _price(models: Directory, name: str, usage: Usage) -> float | None:
    if name.startswith(SCRIPTED):
        return 0.0
    return cost(usage, models.catalog.info(name))
