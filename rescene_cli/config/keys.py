"""Every configuration key: its type, its default, and what a project file may do to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from rescene_cli.config.syntax import toml_values
from rescene_cli.core.decisions import Mode
from rescene_cli.core.evidence import VerifyMode, VerifyRule
from rescene_cli.core.llm import Effort
from rescene_cli.llm.provider import Format, Provider


class ProjectMay(StrEnum):
    """What the configuration file of a trusted project may do to a key."""

    SET = "set it"
    TIGHTEN = "only make it stricter"
    NOTHING = "not set it"


class Key(NamedTuple):
    """One key. `parse` turns a TOML value into ours and raises ValueError saying what it must be."""

    name: str
    type: str  # as the reference names it
    default: Any
    parse: Callable[[Any], Any]
    about: str
    project: ProjectMay = ProjectMay.SET
    stricter: Callable[[Any, Any], bool] | None = None  # (candidate, present): is the candidate at least as strict

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "RESCENE_" + self.name.replace(".", "_").upper()


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a text")  # noqa: TRY004 - every rule of a value answers with ValueError
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")  # noqa: TRY004
    return value


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError("must be a whole number of 1 or more")
    return value


def _wait(value: Any) -> int:
    if _count(value) > _MOST:
        raise ValueError(f"must be at most {_MOST:,}")
    return int(value)


_MOST = 1_000_000  # seconds (eleven days) or dollars: far below what a timer of the system takes


def _amount(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _MOST:
        raise ValueError(f"must be a number above 0 and at most {_MOST:,}")
    return float(value)


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise ValueError("must be a list of texts")
    return tuple(value)


def _names(value: Any) -> tuple[str, ...]:
    names = _texts(value)
    if any("/" in name or name in {"", ".", ".."} for name in names):
        raise ValueError("must be a list of file names without folders")
    return names


def _choice(kind: type[StrEnum]) -> Callable[[Any], Any]:
    def parse(value: Any) -> Any:
        try:
            return kind(value)
        except ValueError:
            raise ValueError(f"must be one of: {', '.join(kind)}") from None

    return parse


def _fields(value: Any, required: Mapping[str, Callable[[Any], Any]], optional: Mapping[str, Any]) -> dict[str, Any]:
    known = {**required, **optional}
    if not isinstance(value, dict) or not set(required) <= set(value) <= set(known):
        raise ValueError(f"must be tables with {', '.join(known)}")
    return {name: known[name](item) for name, item in value.items()}


def _rules(value: Any) -> tuple[VerifyRule, ...]:
    if not isinstance(value, list):
        raise ValueError("must be a list of tables")  # noqa: TRY004
    required, optional = {"paths": _texts, "command": _text}, {"needs": _text, "containing": _text}
    return tuple(VerifyRule(**_fields(item, required, optional)) for item in value)


def _providers(value: Any) -> tuple[Provider, ...]:
    if not isinstance(value, list):
        raise ValueError("must be a list of tables")  # noqa: TRY004
    optional = {"key_env": _text, "format": _choice(Format)}
    return tuple(Provider(**_fields(item, {"name": _text, "base_url": _text}, optional)) for item in value)


def _lower(candidate: float, present: float | None) -> bool:
    return present is None or candidate <= present


def _rank(order: type[StrEnum], *, rising: bool) -> Callable[[Any, Any], bool]:
    ranks = list(order)
    sign = 1 if rising else -1
    return lambda candidate, present: sign * ranks.index(candidate) >= sign * ranks.index(present)


_TIGHTEN, _NOTHING = ProjectMay.TIGHTEN, ProjectMay.NOTHING

KEYS: tuple[Key, ...] = (
    Key("model", "text", "", _text, "The model, as `provider/name`. Empty: the first one that is found."),
    Key("fallback", "list of texts", (), _texts, "Models to go on with, in this order, when the first one fails."),
    Key("effort", "low | medium | high", None, _choice(Effort), "How hard a reasoning model should think."),
    Key("mode", "plan | ask | auto | yolo", Mode.AUTO, _choice(Mode), "How much runs unasked.",
        _TIGHTEN, _rank(Mode, rising=False)),
    Key("plain", "true | false", False, _flag, "No colours, no moving parts: for screen readers and logs."),
    Key("notify", "text", "", _text, "A command of yours, run when work waits for you or has ended; $RESCENE_NOTICE "
        "says why.", _NOTHING),
    Key("limits.max_turns", "whole number", None, _count, "Requests to the model for one task.", _TIGHTEN, _lower),
    Key("limits.max_cost", "number", None, _amount, "US dollars for one session.", _TIGHTEN, _lower),
    Key("limits.max_tokens", "whole number", None, _count, "Tokens read and written in one session.",
        _TIGHTEN, _lower),
    Key("limits.timeout", "number", None, _amount, "Seconds for one task, and for each turn of a conversation.",
        _TIGHTEN, _lower),
    Key("verify.commands", "list of texts", (), _texts, "Commands that give evidence that the work is done."),
    Key("verify.mode", "off | record | block", VerifyMode.RECORD, _choice(VerifyMode),
        "Whether evidence is not asked for, shown, or required.", _TIGHTEN, _rank(VerifyMode, rising=True)),
    Key("verify.accept_tries", "whole number", 3, _count, "How often a failing `--accept` goes back to the model."),
    Key("verify.rules", "tables: paths, command, needs, containing", (), _rules, "Commands for certain files only."),
    Key("tools.shell_timeout", "whole number", 120, _wait, "Seconds a command may take if the model sets no other."),
    Key("network.ca_file", "text", "", _text, "A file of certificate authorities, instead of the system's.", _NOTHING),
    Key("network.connect_timeout", "number", 15.0, _amount, "Seconds to wait for a connection.", _NOTHING),
    Key("network.stall_timeout", "number", 120.0, _amount, "Seconds a reply may pause before it counts as stalled.",
        _NOTHING),
    Key("providers", "tables: name, base_url, key_env, format", (), _providers,
        "Endpoints of your own; `format` is chat, responses or anthropic.", _NOTHING),
    Key("instructions.max_bytes", "whole number", 32_768, _count, "How much of instruction files is read at most."),
    Key("instructions.files", "list of texts", ("AGENTS.md", "CLAUDE.md", ".cursorrules"), _names,
        "Instruction files; in each folder the first that is there counts."),
    Key("trust.projects", "list of texts", (), _texts, "Projects whose own configuration counts, as absolute paths.",
        _NOTHING),
)  # fmt: skip

BY_NAME: dict[str, Key] = {key.name: key for key in KEYS}
SECTIONS = frozenset(name.split(".")[0] for name in BY_NAME if "." in name)


def from_text(key: Key, text: str) -> Any:
    """The value that a person, or an environment variable, wrote in one line. Raises ValueError."""
    try:
        return key.parse(text)
    except ValueError:  # no text and no choice: then it is written as in TOML, or as a list with commas
        return key.parse(_from_toml(text))


def _from_toml(text: str) -> Any:
    try:
        return toml_values(f"value = {text}")["value"]
    except ValueError:
        return [item.strip() for item in text.split(",") if item.strip()]
