from __future__ import annotations

import os
from pathlib import Path

import pytest

from rescene_cli.config.load import PROJECT_FILE, user_config_path
from rescene_cli.core.findings import Finding, Severity
from rescene_cli.doctor import Surroundings, examine
from rescene_cli.llm.endpoints import Found

KEY = Found("anthropic", "anthropic/claude", "ANTHROPIC_API_KEY")


@pytest.fixture
def here(tmp_path: Path) -> Surroundings:
    return Surroundings(dict(os.environ), tmp_path, trusted=False, site_packages=[], found=[KEY], interactive=False)


def of(here: Surroundings, part: str) -> list[Finding]:
    return [finding for finding in examine(here) if finding.where == part]


def severities(here: Surroundings) -> set[Severity]:
    return {finding.severity for finding in examine(here)}


def test_a_sound_machine_has_no_error(here: Surroundings) -> None:
    assert Severity.ERROR not in severities(here)
    assert [finding.message for finding in of(here, "models")] == ["anthropic by ANTHROPIC_API_KEY"]


def test_no_model_is_an_error_with_a_way_out(here: Surroundings) -> None:
    (finding,) = of(here._replace(found=[]), "models")
    assert finding.severity is Severity.ERROR
    assert "ANTHROPIC_API_KEY" in finding.hint


def test_missing_programs(here: Surroundings, tmp_path: Path) -> None:
    (git,), (rg,) = (
        of(here._replace(environment={**here.environment, "PATH": str(tmp_path)}), n) for n in ("git", "rg")
    )
    assert (git.severity, git.hint) == (Severity.WARNING, "Install git.")
    assert (rg.severity, rg.hint) == (Severity.INFO, "Install ripgrep.")


def test_every_error_of_both_files_is_listed(here: Surroundings) -> None:
    user, project = user_config_path(here.environment), here.project / PROJECT_FILE
    for path in (user, project):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('modell = "x"\nmode = "wild"\n')
    messages = [finding.message for finding in of(here, "config") if finding.severity is Severity.ERROR]
    assert messages == [
        f"{path}:{line}: {rest}"
        for path in (user, project)
        for line, rest in ((1, "there is no key modell."), (2, "mode must be one of: plan, ask, auto, yolo."))
    ]


def test_a_wrong_variable_is_an_error(here: Surroundings) -> None:
    (finding,) = of(here._replace(environment={**here.environment, "RESCENE_MODE": "wild"}), "config")
    assert finding.severity is Severity.ERROR
    assert finding.message.startswith("RESCENE_MODE: mode must be one of")


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere")
def test_a_data_folder_that_can_not_be_written(here: Surroundings, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o500)
    (finding,) = of(here._replace(environment={**here.environment, "RESCENE_DATA_DIR": str(folder)}), "data")
    assert finding.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("make", "severity", "message"),
    [
        (lambda folder: None, Severity.OK, "is made when it is needed"),
        (lambda folder: folder.mkdir(mode=0o700), Severity.OK, "private"),
        (lambda folder: (folder.mkdir(), folder.chmod(0o755)), Severity.WARNING, "can be read by others"),
        (lambda folder: folder.write_text(""), Severity.ERROR, "can't be written"),
    ],
)
def test_the_data_folder(here: Surroundings, tmp_path: Path, make: object, severity: Severity, message: str) -> None:
    folder = tmp_path / "data"
    make(folder)  # type: ignore[operator]
    (finding,) = of(here._replace(environment={**here.environment, "RESCENE_DATA_DIR": str(folder)}), "data")
    assert finding.severity is severity
    assert message in finding.message


def test_code_that_runs_at_every_start_of_python_is_noticed(here: Surroundings, tmp_path: Path) -> None:
    (tmp_path / "litellm_init.pth").write_text("import os, sys; print()\n")
    (tmp_path / "paths.pth").write_text("/somewhere\n")
    (tmp_path / "_virtualenv.pth").write_text("import _virtualenv\n")
    warnings = [
        found for found in of(here._replace(site_packages=[tmp_path]), "python") if found.severity != Severity.OK
    ]
    assert len(warnings) == 1
    assert "litellm_init.pth" in warnings[0].message


def test_the_four_questions_are_answered(here: Surroundings) -> None:
    answers = {part: of(here, part)[0].message for part in ("restore", "sees", "reach", "evidence")}
    assert "can't be taken back" in answers["restore"]
    assert "not trusted" in answers["sees"]
    assert "not contained" in answers["reach"]
    assert "No verify.commands" in answers["evidence"]


def test_configured_evidence_and_trust_are_named(here: Surroundings) -> None:
    path = here.project / PROJECT_FILE
    path.parent.mkdir()
    path.write_text('[verify]\ncommands = ["make test"]\n')
    trusted = here._replace(trusted=True)
    assert of(trusted, "evidence")[0].message == "make test"
    assert "(trusted)" in of(trusted, "sees")[0].message


def test_a_dumb_terminal(here: Surroundings) -> None:
    (finding,) = of(here._replace(interactive=True, environment={**here.environment, "TERM": "dumb"}), "terminal")
    assert "plain lines" in finding.message
