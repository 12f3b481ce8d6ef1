"""`rescene config`: read and change the configuration."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from rescene_cli.config.edit import save_in_project, set_value, unset_value
from rescene_cli.config.keys import KEYS, from_text
from rescene_cli.config.load import PROJECT_FILE, Config, Origin, known, load, project_root, user_config_path
from rescene_cli.core.errors import UsageError
from rescene_cli.core.findings import Report
from rescene_cli.store.layout import private_directory, write_private

KeyName = Annotated[str, typer.Argument(metavar="KEY", help="A key, for example limits.max_cost.", show_default=False)]
InProject = Annotated[bool, typer.Option("--project", help="The file of this project instead of yours.")]
TrustProject = Annotated[bool, typer.Option("--trust-project", help="Let this project's own configuration count.")]


def get(key: KeyName, trust_project: TrustProject = False) -> Report:
    """Print the value that holds."""
    value = _config(trust_project).value(key)
    return Report("config get", {"key": key, "value": as_json(value)}, as_text(value))


def set_(
    key: KeyName,
    value: Annotated[
        str, typer.Argument(metavar="VALUE", help="The new value; lists with commas.", show_default=False)
    ],
    project: InProject = False,
) -> Report:
    """Write a value to your file, or the project's. Comments in it are kept."""
    try:
        parsed = from_text(known(key), value)
    except ValueError as error:
        raise UsageError(f"{key} {error}.", f"It takes: {known(key).type}.") from None
    path = _file(project)
    if not project:
        private_directory(path.parent)  # there to be held while the file in it changes
    set_value(path, known(key), as_json(parsed), save_in_project if project else write_private)
    return Report("config set", {"key": key, "value": as_json(parsed), "path": str(path)}, f"{key} is set in {path}.")


def unset(key: KeyName, project: InProject = False) -> Report:
    """Remove a value from your file, or the project's."""
    path = _file(project)
    removed = unset_value(path, known(key), save_in_project if project else write_private)
    text = f"{key} is removed from {path}." if removed else f"{key} was not set in {path}."
    return Report("config unset", {"key": key, "removed": removed, "path": str(path)}, text)


def list_(trust_project: TrustProject = False) -> Report:
    """All keys with their values."""
    config = _config(trust_project)
    values = {key.name: config.value(key.name) for key in KEYS}
    width = max(map(len, values))
    text = "\n".join(f"{name:<{width}}  {as_text(value)}".rstrip() for name, value in values.items())
    return Report("config list", {name: as_json(value) for name, value in values.items()}, text, config.findings)


def explain(key: KeyName, trust_project: TrustProject = False) -> Report:
    """Where a value comes from: every place that speaks about it, the one that holds last."""
    config = _config(trust_project)
    about = known(key)
    origins = config.origins[about.name]
    data = [{**origin._asdict(), "value": as_json(origin.value)} for origin in origins]
    holds = next(origin for origin in reversed(origins) if not origin.note)
    lines = [_origin_line(origin, holds is origin) for origin in origins]
    return Report("config explain", data, "\n".join([about.about, *lines]), config.findings)


def path() -> Report:
    """Where the files are."""
    files = {"user": str(_file(False)), "project": str(_file(True))}
    return Report("config path", files, "\n".join(files.values()))


def as_json(value: Any) -> Any:
    """A value as JSON and TOML know it."""
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", ())
        return {name: as_json(getattr(value, name)) for name in fields} if fields else [as_json(item) for item in value]
    return value


def as_text(value: Any) -> str:
    """A value on one line."""
    import json

    value = as_json(value)
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ",".join(value)
    return json.dumps(value)


def _config(trust_project: bool) -> Config:
    return load(os.environ, project_root(Path()), trusted=trust_project)


def _file(project: bool) -> Path:
    return project_root(Path()) / PROJECT_FILE if project else user_config_path(os.environ)


def _origin_line(origin: Origin, holds: bool) -> str:
    where = f"{origin.layer} {origin.where}".rstrip()
    note = f" ({origin.note})" if origin.note else ""
    return f"{'>' if holds else ' '} {as_text(origin.value) or '(not set)'}  {where}{note}"
