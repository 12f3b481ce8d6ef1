"""`rescene doctor`: what is there, what is missing, how to fix it."""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Sequence
from pathlib import Path

from rescene_cli.cli.config import TrustProject
from rescene_cli.cli.face import paint
from rescene_cli.config.load import load, project_root
from rescene_cli.core.errors import ConfigError
from rescene_cli.core.findings import Finding, Report, Severity
from rescene_cli.doctor import Surroundings, examine
from rescene_cli.llm.endpoints import Found


def doctor(trust_project: TrustProject = False) -> Report:
    """What is there, what is missing, how to fix it. Exit code 1 when a run could not work."""
    project = project_root(Path())
    found = _found(project, trust_project)
    interactive = sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()
    sites = [Path(folder) for folder in site.getsitepackages()]
    findings = examine(Surroundings(os.environ, project, trust_project, sites, found, interactive))
    broken = any(finding.severity is Severity.ERROR for finding in findings)
    data = {
        "checks": [
            {"part": found.where, "status": found.severity.value, "message": found.message, "hint": found.hint}
            for found in findings
        ]
    }
    return Report("doctor", data, "\n".join(map(_row, findings)), exit_code=1 if broken else 0)


def _found(project: Path, trusted: bool) -> Sequence[Found]:
    from rescene_cli.wiring import open_directory

    try:
        config = load(os.environ, project, trusted=trusted)
    except ConfigError:  # the examination itself says so
        config = None
    return open_directory(config).detect()


def _row(finding: Finding) -> str:
    mark = paint(finding.severity, f"{finding.severity.value:<8}", sys.stdout)
    return finding.text(f"{mark} {finding.where:<9}", f"\n{'':<18} ")
