"""The slash commands of the prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rescene_cli.core.conversation import Conversation, Status
from rescene_cli.core.decisions import Mode
from rescene_cli.core.errors import ResceneError
from rescene_cli.core.llm import Effort
from rescene_cli.core.text import plural
from rescene_cli.ui.words import count, dollars

_MODES = {
    Mode.PLAN: "reads only",
    Mode.ASK: "asks before every change and command",
    Mode.AUTO: "asks before what can't be taken back",
    Mode.YOLO: "asks only for removals and what leaves the project",
}


class Reaction(NamedTuple):
    """What a command leads to: lines to show, and whether the program ends."""

    lines: tuple[str, ...] = ()
    ok: bool = True
    leave: bool = False


class Command(NamedTuple):
    """A slash command: its name, its argument, what it does, and which words can follow it."""

    name: str
    argument: str
    description: str
    act: Callable[[Conversation, str], Reaction]
    choices: tuple[str, ...] = ()
    idle: bool = False  # only between turns

    @property
    def usage(self) -> str:
        """How it is typed."""
        return f"/{self.name} {self.argument}".rstrip()


def is_command(text: str) -> bool:
    """Whether `text` is meant as a slash command: one line, and no path."""
    name = text.split(" ", 1)[0]
    return text.startswith("/") and "\n" not in text and "/" not in name[1:]


def react(conversation: Conversation, text: str, *, busy: bool) -> Reaction:
    """Carry out a line that begins with a slash."""
    name, _, argument = text.removeprefix("/").partition(" ")
    command = COMMANDS.get(_ALIASES.get(name, name))
    if command is None:
        return Reaction((f"There is no command /{name}.{_nearest(name)} /help lists them.",), ok=False)
    if busy and command.idle:
        return Reaction((f"/{command.name} waits for the end of the turn: stop it with Ctrl-C first.",), ok=False)
    try:
        return command.act(conversation, argument.strip())
    except ResceneError as error:
        return Reaction(tuple(line for line in (error.message, error.hint) if line), ok=False)


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, COMMANDS, 2, 0.6)
    return f" Did you mean {' or '.join(f'/{found}' for found in close)}?" if close else ""


def _help(_: Conversation, __: str) -> Reaction:
    widest = max(len(command.usage) for command in COMMANDS.values())
    lines = [f"{command.usage:<{widest}}  {command.description}" for command in COMMANDS.values()]
    return Reaction((*lines, "", *KEYS))


def _model(conversation: Conversation, name: str) -> Reaction:
    if not name:
        return Reaction((f"The model is {conversation.status().model}. /model NAME changes it.",))
    conversation.set_model(name)
    return Reaction((f"Model: {conversation.status().model}",))


def _mode(conversation: Conversation, name: str) -> Reaction:
    if not name:
        current = conversation.status().mode
        return Reaction(tuple(f"{'*' if mode is current else ' '} {mode:<5} {text}" for mode, text in _MODES.items()))
    if name not in set(Mode):
        return Reaction((f"There is no mode {name}. Modes: {', '.join(Mode)}.",), ok=False)
    conversation.set_mode(Mode(name))
    return Reaction((f"Mode {name}: {_MODES[Mode(name)]}",))


def _effort(conversation: Conversation, level: str) -> Reaction:
    if not level:
        return Reaction((f"Effort: {conversation.status().effort or 'as the model chooses'}",))
    if level not in {*Effort, "default"}:
        return Reaction((f"There is no effort {level}. Levels: {', '.join(Effort)}, default.",), ok=False)
    conversation.set_effort(None if level == "default" else Effort(level))
    return Reaction((f"Effort: {level}",))


def _new(conversation: Conversation, _: str) -> Reaction:
    conversation.new()
    return Reaction(("A new conversation. Files stay as they are.",))


def _context(conversation: Conversation, _: str) -> Reaction:
    sections = conversation.context()
    total = sum(tokens for _, tokens in sections)
    limit = conversation.status().context
    widest = max((len(name) for name, _ in sections), default=0)
    lines = [f"{name:<{widest}}  {count(tokens):>6}  {tokens * 100 // max(1, total):>3}%" for name, tokens in sections]
    of = f" of {count(limit)}" if limit else ""
    return Reaction((*lines, f"{'total':<{widest}}  {count(total):>6}{of}, estimated"))


def _status(conversation: Conversation, _: str) -> Reaction:
    now = conversation.status()
    facts = [
        ("session", conversation.session),
        ("root", str(conversation.root)),
        ("model", now.model + (f", effort {now.effort}" if now.effort else "")),
        ("mode", f"{now.mode}: {_MODES[now.mode]}"),
        ("context", _filled(now)),
        ("cost", dollars(now.cost_usd) or ("not known" if now.cost_usd is None else "none")),
        ("turns", str(now.turns)),
        ("last operation", now.operation or "none"),
        ("running", plural(now.running_tasks, "task")),
        *(("todo" if not place else "", f"{item.status:<11}  {item.text}") for place, item in enumerate(now.todo)),
    ]
    return Reaction(tuple(f"{name:<14}  {value}" for name, value in facts))


def _filled(now: Status) -> str:
    if not now.context:
        return f"{count(now.tokens)} tokens"
    return f"{count(now.tokens)} of {count(now.context)} tokens, {now.tokens * 100 // now.context}%"


def _exit(_: Conversation, __: str) -> Reaction:
    return Reaction(leave=True)


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("help", "", "commands and keys", _help),
        Command("model", "[NAME]", "show or change the model", _model),
        Command("mode", "[NAME]", "how much runs unasked", _mode, tuple(Mode)),
        Command("effort", "[LEVEL]", "how hard the model thinks", _effort, (*Effort, "default")),
        Command("new", "", "forget what was said, keep the files", _new, idle=True),
        Command("context", "", "what fills the context", _context),
        Command("status", "", "where the session stands", _status),
        Command("exit", "", "leave", _exit),
    )
}
_ALIASES = {"quit": "exit", "q": "exit", "?": "help", "clear": "new"}

_KEYS = {
    "Enter": "send; while a turn runs: hand the model a message",
    "Alt-Enter, Ctrl-J": "a new line; so does \\ at the end of a line",
    "Ctrl-C": "stop the turn; twice: leave",
    "Ctrl-D": "leave, on an empty line",
    "Ctrl-O": "unfold the last output, again: the one before",
    "Ctrl-R": "search what was typed before",
    "Ctrl-G": "open the text in $VISUAL or $EDITOR",
    "Ctrl-L": "clear the screen",
    "Ctrl-Z": "suspend; fg comes back",
    "Shift-Tab": "next mode: plan, ask, auto",
    "Esc": "close, stop or clear",
    "@name": "a file of the project",
    "!command": "run a command of yours",
}
KEYS = tuple(f"{keys:<17}  {text}" for keys, text in _KEYS.items())
