"""The configuration of a run: defaults < user file < file of a trusted project < environment < flags.

Every value remembers all places that spoke about it, so that `rescene config explain` can tell.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rescene_cli.config.keys import BY_NAME, KEYS, Key, ProjectMay, from_text
from rescene_cli.config.toml import Entry, read_entries
from rescene_cli.core.decisions import Mode
from rescene_cli.core.errors import ConfigError, UsageError
from rescene_cli.core.evidence import VerifyMode, VerifyRule
from rescene_cli.core.findings import Finding, Severity
from rescene_cli.core.llm import Effort
from rescene_cli.llm.provider import Provider

PROJECT_FILE = ".rescene/config.toml"


class Limits(NamedTuple):
    """Where work ends; `None` is no limit. Cost in US dollars, time in seconds."""

    max_turns: int | None
    max_cost: float | None
    max_tokens: int | None
    timeout: float | None


class Verify(NamedTuple):
    """What gives evidence of done."""

    commands: tuple[str, ...]
    mode: VerifyMode
    accept_tries: int
    rules: tuple[VerifyRule, ...]


class Network(NamedTuple):
    """How endpoints are reached; seconds."""

    ca_file: str
    connect_timeout: float
    stall_timeout: float


class Instructions(NamedTuple):
    """Which instruction files are read, and how much of them."""

    max_bytes: int
    files: tuple[str, ...]


class Origin(NamedTuple):
    """A place that spoke about a key. `note` says why it does not count, "" where it does."""

    layer: str  # default, user, project, environment, flag
    where: str
    value: Any
    note: str = ""


class Config(NamedTuple):
    """The values that hold, where each comes from, and what a person should know about them."""

    model: str
    fallback: tuple[str, ...]
    effort: Effort | None
    mode: Mode
    plain: bool
    notify: str
    limits: Limits
    verify: Verify
    shell_timeout: int
    network: Network
    providers: tuple[Provider, ...]
    instructions: Instructions
    trusted: bool  # whether the project's own files may give orders
    origins: Mapping[str, tuple[Origin, ...]]
    findings: tuple[Finding, ...]

    def value(self, name: str) -> Any:
        """The value of a key by its dotted name. Raises ConfigError for an unknown one."""
        return _winner(self.origins[known(name).name]).value


def known(name: str) -> Key:
    """The key of this name. Raises ConfigError with the nearest one."""
    if name in BY_NAME:
        return BY_NAME[name]
    raise ConfigError(f"There is no configuration key {name}.", _nearest(name))


def user_config_path(environment: Mapping[str, str]) -> Path:
    """Where the user's file is: what platformdirs says, without importing it on Linux (30 ms)."""
    if "linux" in sys.platform:
        base = Path(environment.get("XDG_CONFIG_HOME", "").strip()).expanduser()
        folder = base if base.is_absolute() else Path("~/.config").expanduser()  # a relative one does not count there
        return folder / "rescene" / "config.toml"
    import platformdirs

    return Path(platformdirs.user_config_dir("rescene")) / "config.toml"


def project_root(start: Path) -> Path:
    """The nearest folder upwards that holds `.git` or a project configuration; `start` where there is none.

    Raises UsageError where `start` can't be looked at: it is gone, or closed to us.
    """
    try:
        start = start.resolve()
        return next((folder for folder in (start, *start.parents) if _is_root(folder)), start)
    except FileNotFoundError:
        raise UsageError("The folder this runs in no longer exists.", "Change to another one.") from None
    except OSError as error:
        raise UsageError(f"{start} can't be looked at: {error.strerror}.", "Change to another folder.") from None


def _is_root(folder: Path) -> bool:
    return (folder / ".git").exists() or (folder / PROJECT_FILE).is_file()


def load(
    environment: Mapping[str, str],
    project: Path,
    *,
    flags: Mapping[str, Any] | None = None,
    trusted: bool = False,
) -> Config:
    """Everything that holds in `project`.

    `flags` are parsed values by dotted key, `None` where not given; `trusted` is `--trust-project`.
    Raises ConfigError for the first thing that is wrong in a file that counts, or in the environment.
    """
    layers = _Layers()
    layers.add_file("user", _entries(user_config_path(environment)))
    trusted = trusted or str(project.resolve()) in layers.value("trust.projects")
    path = project / PROJECT_FILE
    if trusted:
        layers.add_file("project", _entries(path))
    elif path.is_file():
        layers.findings.append(_ignored(path, (*layers.value("trust.projects"), os.fspath(project.resolve()))))
    layers.add_environment(environment)
    for name, value in (flags or {}).items():
        if value is not None:
            option = f"--{name.rsplit('.', 1)[-1].replace('_', '-')}"
            layers.add(Origin("flag", option, _parsed(known(name), value, option)), known(name))
    return layers.config(trusted=trusted)


class _Layers:
    """What the places say, lowest first."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._origins = {key.name: [Origin("default", "", key.default)] for key in KEYS}

    def add(self, origin: Origin, key: Key) -> None:
        self._origins[key.name].append(origin)

    def value(self, name: str) -> Any:
        return _winner(self._origins[name]).value

    def add_file(self, layer: str, entries: list[Entry]) -> None:
        for entry in entries:
            note = self._refusal(entry.key, entry.value) if layer == "project" else ""
            self.add(Origin(layer, entry.where, entry.value, note), entry.key)
            if note:
                message = f"{entry.where}: {entry.key.name} is ignored: {note}."
                self.findings.append(Finding(Severity.WARNING, entry.where, message))

    def add_environment(self, environment: Mapping[str, str]) -> None:
        for key in KEYS:
            text = environment.get(key.variable, "")
            if text:
                self.add(Origin("environment", key.variable, _parsed(key, text, key.variable)), key)

    def _refusal(self, key: Key, value: Any) -> str:
        """Why a project may not say this; "" where it may."""
        if key.project is ProjectMay.NOTHING:
            return "a project can't set it"
        if key.stricter is not None and not key.stricter(value, self.value(key.name)):
            return "a project can only make it stricter"
        return ""

    def config(self, *, trusted: bool) -> Config:
        def section(name: str, fields: tuple[str, ...]) -> dict[str, Any]:
            return {field: self.value(f"{name}.{field}") for field in fields}

        return Config(
            model=self.value("model"),
            fallback=self.value("fallback"),
            effort=self.value("effort"),
            mode=self.value("mode"),
            plain=self.value("plain"),
            notify=self.value("notify"),
            limits=Limits(**section("limits", Limits._fields)),
            verify=Verify(**section("verify", Verify._fields)),
            shell_timeout=self.value("tools.shell_timeout"),
            network=Network(**section("network", Network._fields)),
            providers=self.value("providers"),
            instructions=Instructions(**section("instructions", Instructions._fields)),
            trusted=trusted,
            origins={name: tuple(origins) for name, origins in self._origins.items()},
            findings=tuple(self.findings),
        )


def _winner(origins: Sequence[Origin]) -> Origin:
    return [origin for origin in origins if not origin.note][-1]


def _entries(path: Path) -> list[Entry]:
    entries, errors = read_entries(path)
    if errors:
        raise errors[0]
    return entries


def _parsed(key: Key, value: Any, where: str) -> Any:
    try:
        return from_text(key, value) if isinstance(value, str) else key.parse(value)
    except ValueError as error:
        raise ConfigError(f"{where}: {key.name} {error}.", f"It takes: {key.type}.") from None


def _ignored(path: Path, trusted: Sequence[str]) -> Finding:
    """`trusted` is what `trust.projects` would be with this project in it."""
    return Finding(
        Severity.INFO,
        str(path),
        f"{PROJECT_FILE} is ignored: you have not said that you trust this project.",
        f"To use it once: --trust-project. Always: rescene config set trust.projects '{','.join(trusted)}'",
    )


def _nearest(name: str) -> str:
    import difflib

    nearest = difflib.get_close_matches(name, BY_NAME, 1, 0.5)
    return f"Did you mean {nearest[0]}?" if nearest else "See `rescene config list`."
