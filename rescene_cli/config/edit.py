"""Changing a configuration file and nothing else in it: comments, order and blank lines stay."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rescene_cli.config.keys import Key
from rescene_cli.config.toml import read_text
from rescene_cli.core.changes import Cause, Change, PathState
from rescene_cli.core.errors import ConfigError
from rescene_cli.history.tree import VersionedTree
from rescene_cli.store.layout import write_private
from rescene_cli.store.lock import exclusive

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

Save = Callable[[Path, bytes], object]


def set_value(path: Path, key: Key, value: Any, save: Save = write_private) -> None:
    """Set `key` in the file at `path`, which is made if need be. Raises ConfigError when the file is no TOML."""
    import tomlkit

    with exclusive(path.parent):
        document = _read(path)
        section, _, name = key.name.rpartition(".")
        if section and section not in document:
            document[section] = tomlkit.table()
        _table(document, section, path)[name] = value
        save(path, tomlkit.dumps(document).encode())


def unset_value(path: Path, key: Key, save: Save = write_private) -> bool:
    """Remove `key` from the file at `path`; whether it was there. Raises ConfigError when the file is no TOML."""
    import tomlkit

    with exclusive(path.parent):
        document = _read(path)
        section, _, name = key.name.rpartition(".")
        if section and section not in document:
            return False
        table = _table(document, section, path)
        if name not in table:
            return False
        del table[name]
        save(path, tomlkit.dumps(document).encode())
    return True


def save_in_project(path: Path, content: bytes) -> None:
    """Write a project's file the way every file of a project is written."""
    tree = VersionedTree(path.parent.parent)
    folder, name = tree.name(tree.root / path.parent.name), tree.name(tree.root / path.parent.name / path.name)
    before = tree.state(name)
    made = [] if tree.state(folder) else [Change(folder, None, PathState.directory())]
    after = PathState.file(content, before.mode if before else 0o644)
    tree.commit([*made, Change(name, before, after)], Cause("config"))


def _table(document: TOMLDocument, section: str, path: Path) -> MutableMapping[str, Any]:
    table = document[section] if section else document
    if not isinstance(table, MutableMapping):
        raise ConfigError(f"{path} can't be changed: {section} is no table in it.", "Correct it by hand first.")
    return table


def _read(path: Path) -> TOMLDocument:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(read_text(path))
    except FileNotFoundError:
        return tomlkit.document()
    except RecursionError:
        why: object = "values are nested too deeply"
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
    raise ConfigError(f"{path} can't be changed: {why}.", "Correct it by hand first.")
