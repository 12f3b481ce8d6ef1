"""What a face may ask of a session while it works."""

from __future__ import annotations

from pathlib import Path

from rescene_cli.agent.session import AgentSession, Models, Settings
from rescene_cli.core.decisions import Mode
from rescene_cli.core.llm import SystemPrompt
from rescene_cli.core.runtime import Interrupt
from rescene_cli.tools.kit import Kit
from rescene_cli.workspace.boundary import Boundary
from tests.support.parts import PlayedModel, reply, stage


class Prompts:
    """Makes prompts that name their mode, and counts them. `meanwhile` is called while one is made."""

    def __init__(self) -> None:
        self.made = 0
        self.meanwhile = lambda: None

    def __call__(self, mode: Mode) -> SystemPrompt:
        self.made += 1
        self.meanwhile()
        return SystemPrompt("stable", f"mode {mode}")


def session(root: Path, prompts: Prompts) -> AgentSession:
    played, interrupt = stage([[reply("ok")]]), Interrupt()
    kit = Kit(Boundary(root), {}, interrupt, lambda _: None)
    models = Models(lambda name: PlayedModel([]), lambda name: name, lambda name: 0)
    made = AgentSession(
        root, "s", interrupt, Settings("double/one", Mode.AUTO), prompts, models, kit, played.events.append
    )
    made.attach(played.loop)
    return made


def test_the_prompt_is_kept_until_the_mode_changes_or_the_conversation_begins_anew(tmp_path: Path) -> None:
    prompts = Prompts()
    made = session(tmp_path, prompts)
    assert made.request().system is made.request().system
    made.set_mode(Mode.PLAN)
    assert made.request().system.volatile == "mode plan"
    assert prompts.made == 2
    made.new()
    made.request()
    assert prompts.made == 3


def test_a_mode_that_changes_while_a_request_is_made_holds_for_the_next_one(tmp_path: Path) -> None:
    prompts = Prompts()
    made = session(tmp_path, prompts)
    prompts.meanwhile = lambda: made.set_mode(Mode.PLAN)
    assert made.request().system.volatile == "mode auto"
    assert made.request().system.volatile == "mode plan"


def test_what_fills_the_context_is_named(tmp_path: Path) -> None:
    sizes = dict(session(tmp_path, Prompts()).context())
    assert sizes == {"system prompt": 1, "project and surroundings": 2, "tools": sizes["tools"], "conversation": 0}
    assert sizes["tools"] > 10
