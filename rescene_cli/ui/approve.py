"""Questions to the person at the terminal: may this call run, and what the model wants to know."""

from __future__ import annotations

from collections.abc import Sequence

from rescene_cli.core.decisions import Answer, ApprovalRequest, Reason
from rescene_cli.ui.calls import call_title
from rescene_cli.ui.clean import exact, exact_line
from rescene_cli.ui.desk import Desk, OpenQuestion

_WHY = {
    Reason.IRREVERSIBLE: "what it removes or overwrites does not come back",
    Reason.OUTSIDE: "it leaves the project",
    Reason.MODE: "this mode asks before changes and commands",
    Reason.UNKNOWN: "what it does can't be foreseen",
}


class TerminalApprover:
    """Asks the person at the desk. No answer (Ctrl-C, a closed terminal) is a no."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def __call__(self, request: ApprovalRequest) -> Answer:
        """The person's answer; blocks until it is there."""
        answer = self._desk.ask(request)
        return Answer(answer) if answer in {Answer.YES, Answer.ALWAYS} else Answer.NO


class TerminalQuestioner:
    """Puts a question of the model to the person."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def __call__(self, question: str, options: Sequence[str]) -> str | None:
        """What the person typed or chose; `None` without an answer."""
        return self._desk.ask(OpenQuestion(question, tuple(options)))


def approval_facts(request: ApprovalRequest) -> tuple[str, str]:
    """What would happen, and why a person is asked. A command is always part of it, with its lines as they are."""
    effect = exact(request.decision.effect).strip()
    command = _command(request)
    if not effect:
        effect = f"run {command}" if command else call_title(request.invocation.call.name, request.invocation.arguments)
    elif command not in effect:
        gap = "\n" if "\n" in command else " "
        effect = f"{effect.rstrip('.')}:{gap}{command}"
    return effect[0].upper() + effect[1:], _WHY[request.decision.reason]


def approval_keys(request: ApprovalRequest) -> list[str]:
    """The keys that answer, with what an "always" would cover."""
    same = f"the command `{exact_line(_command(request))}`"
    grant = exact_line(request.decision.grant).replace(same, "this same command")
    keys = "[y] yes, once  [n] no, go on  [Ctrl-C] no, stop the turn"
    return [keys, *([f"[a] yes, and from now on in this session: {grant}"] if grant else [])]


def _command(request: ApprovalRequest) -> str:
    return exact(str(request.invocation.arguments.get("command", ""))).strip()


def approval_answer(request: ApprovalRequest, key: str) -> Answer | None:
    """The answer that a key stands for; `None` for every other key."""
    answers = {"y": Answer.YES, "n": Answer.NO}
    if request.decision.grant:
        answers["a"] = Answer.ALWAYS
    return answers.get(key.lower())


def chosen(question: OpenQuestion, text: str) -> str | None:
    """The answer in `text`: a number chooses an option, anything else stands for itself."""
    text = text.strip()
    if text.isascii() and text.isdigit() and 1 <= int(text) <= len(question.options):
        return question.options[int(text) - 1]
    return text or None
