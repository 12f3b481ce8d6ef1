"""Reading a configuration file: values that fit their keys, and errors that name file, line and key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rescene_cli.config.keys import BY_NAME, SECTIONS, Key
from rescene_cli.config.syntax import toml_values
from rescene_cli.core.errors import ConfigError
from rescene_cli.store.regular import read_regular

_MOST = 1 << 20  # bytes: no configuration of a person comes near


class Entry(NamedTuple):
    """A key, the value that a file gives it, and where (`file:line`)."""

    key: Key
    value: Any
    where: str


def read_entries(path: Path) -> tuple[list[Entry], list[ConfigError]]:
    """What the file at `path` says, and everything that is wrong in it; nothing where there is no file."""
    try:
        text = read_text(path)
    except (FileNotFoundError, NotADirectoryError):
        return [], []
    except (OSError, UnicodeDecodeError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        return [], [ConfigError(f"{path} can't be read: {why}.", "Make it a readable UTF-8 file, or remove it.")]
    try:
        values = toml_values(text)
    except ValueError as error:
        return [], [ConfigError(f"{path}: {error}.", "Correct this place; the file is TOML.")]
    return _sort(path, text, values)


def read_text(path: Path) -> str:
    """The text of a configuration file, line ends as they are, without a byte order mark.

    Raises OSError, UnicodeDecodeError.
    """
    return read_regular(path, _MOST).decode("utf-8-sig")


def _sort(path: Path, text: str, document: Mapping[str, Any]) -> tuple[list[Entry], list[ConfigError]]:
    entries: list[Entry] = []
    errors: list[ConfigError] = []
    for name, value in _flatten(document):
        where = f"{path}:{line_of(text, name)}"
        key = BY_NAME.get(name)
        if key is None:
            errors.append(_unknown(name, where))
            continue
        try:
            entries.append(Entry(key, key.parse(value), where))
        except ValueError as error:
            errors.append(ConfigError(f"{where}: {name} {error}.", f"It takes: {key.type}."))
    return entries, errors


def _flatten(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """(dotted name, value) for each key; only our own sections are looked into."""
    for name, value in document.items():
        if name in SECTIONS and isinstance(value, dict):
            yield from ((f"{name}.{field}", item) for field, item in value.items())
        else:
            yield name, value


def _unknown(name: str, where: str) -> ConfigError:
    if name in SECTIONS:
        fields = ", ".join(key.rpartition(".")[2] for key in BY_NAME if key.startswith(f"{name}."))
        return ConfigError(f"{where}: {name} must be a table with {fields}.", f"Write [{name}] and the keys below it.")
    import difflib

    nearest = difflib.get_close_matches(name, [*BY_NAME, *SECTIONS], 1, 0.5)
    hint = f"Did you mean {nearest[0]}?" if nearest else "See `rescene config list`."
    return ConfigError(f"{where}: there is no key {name}.", hint)


def line_of(text: str, name: str) -> int:
    """The line where `name` is set: its own, or that of its table; 1 where it is written in a way not followed here."""
    prefix = ""
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("["):
            prefix = stripped.split("]")[0].strip("[ ")
            found = prefix
        else:
            own = stripped.split("=")[0].strip().replace('"', "").replace(" ", "")
            found = f"{prefix}.{own}" if prefix else own
        if found == name:
            return number
    return 1
