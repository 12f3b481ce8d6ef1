"""What is there, what is missing, and how to fix it. Every check says only what it has seen."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rescene_cli.config.load import PROJECT_FILE, Config, load, user_config_path
from rescene_cli.config.toml import read_entries
from rescene_cli.core.errors import ConfigError
from rescene_cli.core.findings import Finding, Severity
from rescene_cli.llm.endpoints import Found
from rescene_cli.store.layout import data_dir

_OK, _INFO, _WARNING, _ERROR = Severity.OK, Severity.INFO, Severity.WARNING, Severity.ERROR
_KNOWN_PTH = ("__editable__", "_editable_impl", "distutils-precedence", "_virtualenv", "__virtualenv")


class Surroundings(NamedTuple):
    """What the checks look at."""

    environment: Mapping[str, str]
    project: Path
    trusted: bool
    site_packages: Sequence[Path]
    found: Sequence[Found]  # providers that can be used now
    interactive: bool


def examine(here: Surroundings) -> tuple[Finding, ...]:
    """Everything there is to say, in the order of the parts of the program. An ERROR means that a run can't work."""
    config, problems = _configuration(here)
    return (
        *_python(here),
        *_tools(here.environment),
        _terminal(here),
        *problems,
        *_models(here.found, config),
        _data(data_dir(here.environment)),
        *_questions(here, config),
    )


def _python(here: Surroundings) -> Iterator[Finding]:
    yield Finding(_OK, "python", f"{platform.python_version()} at {sys.executable}")
    if sys.platform not in {"linux", "darwin"}:
        yield Finding(_WARNING, "system", f"{sys.platform} is not tested.", "Linux is; macOS should do.")
    for folder in here.site_packages:
        for path in sorted(folder.glob("*.pth")):
            if not path.name.startswith(_KNOWN_PTH) and _runs_code(path):
                yield Finding(
                    _WARNING, "python", f"{path} runs code at every start of Python.", "Find out who put it there."
                )


def _runs_code(path: Path) -> bool:
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    return any(line.startswith(("import ", "import\t")) for line in lines)


def _tools(environment: Mapping[str, str]) -> Iterator[Finding]:
    search = environment.get("PATH")
    wanted = (
        ("git", _WARNING, "Files that git ignores can't be told as quickly, and diffs of the project not shown."),
        ("rg", _INFO, "Searches use the built-in search, which is slower in large projects (ripgrep)."),
    )
    for name, severity, without in wanted:
        place = shutil.which(name, path=search)
        if place:
            yield Finding(_OK, name, place)
        else:
            yield Finding(severity, name, f"Not found. {without}", f"Install {'ripgrep' if name == 'rg' else name}.")


def _terminal(here: Surroundings) -> Finding:
    environment = here.environment
    if not here.interactive:
        return Finding(_INFO, "terminal", "None: a run prints its result and never asks.")
    term = environment.get("TERM", "")
    if term in {"", "dumb"}:
        return Finding(_INFO, "terminal", f"TERM={term}: plain lines, no colours, no moving parts.")
    colours = "none (NO_COLOR)" if environment.get("NO_COLOR") else environment.get("COLORTERM") or "as TERM says"
    encoding = (sys.stdout.encoding or "").lower()
    if encoding.replace("-", "") != "utf8":
        return Finding(_WARNING, "terminal", f"{term}, encoding {encoding}.", "Use a UTF-8 locale: LANG=C.UTF-8")
    size = shutil.get_terminal_size()
    return Finding(_OK, "terminal", f"{term}, {size.columns}x{size.lines}, UTF-8, colours: {colours}")


def _configuration(here: Surroundings) -> tuple[Config | None, list[Finding]]:
    findings: list[Finding] = []
    for path in (user_config_path(here.environment), here.project / PROJECT_FILE):
        errors = read_entries(path)[1]
        findings += [Finding(_ERROR, "config", error.message, error.hint) for error in errors]
        if path.is_file() and not errors:
            findings.append(Finding(_OK, "config", str(path)))
    try:
        config = load(here.environment, here.project, trusted=here.trusted)
    except ConfigError as error:
        if not any(found.message == error.message for found in findings):
            findings.append(Finding(_ERROR, "config", error.message, error.hint))
        return None, findings
    if not findings:
        findings.append(Finding(_OK, "config", "No file; defaults hold.", "rescene config set KEY VALUE makes one."))
    notes = [Finding(note.severity, "config", note.message, note.hint) for note in config.findings]
    return config, [*findings, *notes]


def _models(found: Sequence[Found], config: Config | None) -> Iterator[Finding]:
    for one in found:
        served = f", {len(one.models)} models" if len(one.models) > 1 else ""
        yield Finding(_OK, "models", f"{one.provider} by {one.source}{served}")
    if config is not None and config.model:
        yield Finding(_OK, "models", f"{config.model} is set ({config.origins['model'][-1].layer})")
    elif not found:
        yield Finding(
            _ERROR,
            "models",
            "No key in the environment and no local server answers.",
            "Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or start ollama; `rescene models` lists all ways.",
        )


def _data(folder: Path) -> Finding:
    try:
        mode = folder.stat().st_mode
    except FileNotFoundError:
        parent = next(parent for parent in folder.parents if parent.exists())
        if os.access(parent, os.W_OK | os.X_OK):
            return Finding(_OK, "data", f"{folder} is made when it is needed.")
        return Finding(_ERROR, "data", f"{folder} can't be made.", "Set RESCENE_DATA_DIR to a folder of yours.")
    except OSError as error:
        return Finding(_ERROR, "data", f"{folder}: {error.strerror}.", "Set RESCENE_DATA_DIR to a folder of yours.")
    if not stat.S_ISDIR(mode) or not os.access(folder, os.W_OK | os.X_OK):
        return Finding(_ERROR, "data", f"{folder} can't be written.", "Set RESCENE_DATA_DIR to a folder of yours.")
    if mode & 0o077:
        return Finding(_WARNING, "data", f"{folder} can be read by others.", f"chmod 700 {folder}")
    return Finding(_OK, "data", f"{folder}, private")


def _questions(here: Surroundings, config: Config | None) -> Iterator[Finding]:
    """What this version can take back, see, reach and prove (docs/limits.md)."""
    yield Finding(_INFO, "restore", "Nothing is recorded by this version: changes can't be taken back. Use git.")
    trust = "trusted" if config is not None and config.trusted else "not trusted: its configuration does not count"
    yield Finding(_INFO, "sees", f"{here.project} ({trust}). What is read goes to the model's provider.")
    reach = "Removals and everything outside the project are asked for; commands that run are not contained."
    yield Finding(_INFO, "reach", reach)
    checks = (*config.verify.commands, *(rule.command for rule in config.verify.rules)) if config is not None else ()
    evidence = "; ".join(checks) or "No verify.commands are configured."
    yield Finding(_INFO, "evidence", evidence, "" if checks else "rescene config set verify.commands 'make test'")
