from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import platformdirs
import pytest

from rescene_cli.config.load import PROJECT_FILE, Config, load, project_root, user_config_path
from rescene_cli.core.decisions import Mode
from rescene_cli.core.errors import ConfigError
from rescene_cli.core.runtime import Interrupt
from rescene_cli.tools.conversation import HarnessState
from rescene_cli.tools.kit import Kit
from rescene_cli.workspace.boundary import Boundary


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


def write_user(text: str) -> Path:
    path = user_config_path(os.environ)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def write_project(project: Path, text: str) -> Path:
    path = project / PROJECT_FILE
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def loaded(
    project: Path, environment: Mapping[str, str] | None = None, trusted: bool = False, **flags: object
) -> Config:
    return load({**os.environ, **(environment or {})}, project, flags=flags, trusted=trusted)


def test_defaults(project: Path) -> None:
    config = loaded(project)
    assert (config.model, config.mode, config.limits.max_turns, config.trusted) == ("", Mode.AUTO, None, False)
    assert config.instructions.files == ("AGENTS.md", "CLAUDE.md", ".cursorrules")


def test_each_place_wins_over_the_one_before(project: Path) -> None:
    user = write_user('model = "user/m"\n')
    assert loaded(project).model == "user/m"
    write_project(project, '\n\nmodel = "project/m"\n')
    assert loaded(project, trusted=True).model == "project/m"
    environment = {"RESCENE_MODEL": "environment/m"}
    assert loaded(project, environment, trusted=True).model == "environment/m"
    config = loaded(project, environment, trusted=True, model="flag/m")
    assert config.model == "flag/m"
    assert [(origin.layer, origin.where, origin.value) for origin in config.origins["model"]] == [
        ("default", "", ""),
        ("user", f"{user}:1", "user/m"),
        ("project", f"{project / PROJECT_FILE}:3", "project/m"),
        ("environment", "RESCENE_MODEL", "environment/m"),
        ("flag", "--model", "flag/m"),
    ]


def test_a_flag_that_is_not_given_says_nothing(project: Path) -> None:
    write_user("[limits]\nmax_turns = 3\n")
    assert loaded(project, **{"limits.max_turns": None}).limits.max_turns == 3
    assert loaded(project, **{"limits.max_turns": 9}).limits.max_turns == 9


def test_an_untrusted_project_is_ignored_and_said_to_be(project: Path) -> None:
    write_project(project, 'mode = "plan"\n')
    config = loaded(project)
    assert config.mode is Mode.AUTO
    (finding,) = config.findings
    assert "not said that you trust" in finding.message
    assert finding.hint.endswith(f"rescene config set trust.projects '{project}'")


def test_the_way_to_trust_a_project_keeps_those_that_are_trusted(project: Path) -> None:
    write_user('[trust]\nprojects = ["/other"]\n')
    write_project(project, 'mode = "plan"\n')
    assert loaded(project).findings[0].hint.endswith(f"trust.projects '/other,{project}'")


def test_an_untrusted_project_file_is_not_even_parsed(project: Path) -> None:
    write_project(project, "this is no toml")
    assert loaded(project).mode is Mode.AUTO


def test_the_users_file_can_trust_a_project(project: Path) -> None:
    write_user(f"[trust]\nprojects = [{str(project)!r}]\n")
    write_project(project, 'mode = "plan"\n')
    config = loaded(project)
    assert config.mode is Mode.PLAN
    assert config.trusted


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('mode = "yolo"', "mode"),
        ("[limits]\nmax_cost = 50", "limits.max_cost"),
        ('[verify]\nmode = "off"', "verify.mode"),
        ('[network]\nca_file = "/tmp/evil.pem"', "network.ca_file"),
        ('[[providers]]\nname = "openai"\nbase_url = "http://127.0.0.2"', "providers"),
        ('[trust]\nprojects = ["/"]', "trust.projects"),
    ],
)
def test_a_project_never_loosens(project: Path, text: str, key: str) -> None:
    write_user("[limits]\nmax_cost = 5.0\n")
    before = loaded(project).value(key)
    write_project(project, text + "\n")
    config = loaded(project, trusted=True)
    assert config.value(key) == before
    assert [key in finding.message for finding in config.findings] == [True]
    assert config.origins[key][-1].note


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ('mode = "ask"', "mode", "ask"),
        ("[limits]\nmax_cost = 2", "limits.max_cost", 2.0),
        ("[limits]\nmax_turns = 2", "limits.max_turns", 2),
        ('[verify]\nmode = "block"', "verify.mode", "block"),
        ('[verify]\ncommands = ["make test"]', "verify.commands", ("make test",)),
    ],
)
def test_a_project_tightens(project: Path, text: str, key: str, value: object) -> None:
    write_user("[limits]\nmax_cost = 5.0\n")
    write_project(project, text + "\n")
    assert loaded(project, trusted=True).value(key) == value


def test_a_person_may_loosen_what_a_project_tightened(project: Path) -> None:
    write_project(project, 'mode = "plan"\n')
    assert loaded(project, {"RESCENE_MODE": "yolo"}, trusted=True).mode is Mode.YOLO


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ('mode = "auto"\nmodell = "x"\n', 2, "there is no key modell", "Did you mean model?"),
        ("[limits]\n# spend\nmax_costs = 3\n", 3, "there is no key limits.max_costs", "Did you mean limits.max_cost?"),
        ("[limit]\nmax_cost = 3\n", 1, "there is no key limit", "Did you mean limits?"),
        ("limits = 5\n", 1, "limits must be a table with max_turns, max_cost", "Write [limits] and the keys below it."),
        ('plain = "yes"\n', 1, "plain must be true or false", "It takes: true | false."),
        ('[[providers]]\nname = "x"\n', 1, "providers must be tables with name, base_url", "It takes: tables"),
        (
            "limits.max_turns = 0\n",
            1,
            "limits.max_turns must be a whole number of 1 or more",
            "It takes: whole number.",
        ),
    ],
)
def test_errors_name_file_line_and_key(project: Path, text: str, line: int, message: str, hint: str) -> None:
    path = write_user(text)
    with pytest.raises(ConfigError) as raised:
        loaded(project)
    assert raised.value.message.startswith(f"{path}:{line}: {message}")
    assert raised.value.hint.startswith(hint)
    assert raised.value.exit_code == 2


def test_a_file_that_is_no_toml(project: Path) -> None:
    path = write_user("mode = \n")
    with pytest.raises(ConfigError, match="line 1") as raised:
        loaded(project)
    assert str(path) in raised.value.message


def test_a_byte_order_mark_is_no_text(project: Path) -> None:
    write_user("").write_bytes(b'\xef\xbb\xbfmodel = "a/b"\r\n')
    assert loaded(project).model == "a/b"


DEEP = "[" * 5000


@pytest.mark.parametrize(
    ("text", "message"),
    [(f"model = {DEEP}\n", "nested too deeply"), (f"[limits]\nmax_turns = {'9' * 5000}\n", "limit")],
)
def test_a_file_that_no_parser_takes(text: str, message: str, project: Path) -> None:
    path = write_user(text)
    with pytest.raises(ConfigError, match=message) as raised:
        loaded(project)
    assert raised.value.message.startswith(str(path))


def test_a_value_of_the_environment_that_no_parser_takes(project: Path) -> None:
    with pytest.raises(ConfigError, match=r"RESCENE_VERIFY_RULES: verify\.rules must be"):
        loaded(project, {"RESCENE_VERIFY_RULES": DEEP})


@pytest.mark.parametrize("kind", ["pipe", "device", "large"])
def test_a_configuration_that_is_no_file_of_a_person_is_refused(kind: str, project: Path) -> None:
    for path in (project / PROJECT_FILE, user_config_path(os.environ)):
        path.parent.mkdir(parents=True, exist_ok=True)
        match kind:
            case "pipe":
                os.mkfifo(path)
            case "device":
                path.symlink_to("/dev/zero")
            case _:
                path.write_bytes(b"#" * ((1 << 20) + 1))
        with pytest.raises(ConfigError, match="can't be read"):
            loaded(project, trusted=True)


def test_a_file_that_is_no_text(project: Path) -> None:
    path = write_user("")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="can't be read"):
        loaded(project)


def test_a_wrong_environment_value_names_the_variable(project: Path) -> None:
    with pytest.raises(ConfigError, match=r"RESCENE_LIMITS_MAX_COST: limits.max_cost must be a number above 0"):
        loaded(project, {"RESCENE_LIMITS_MAX_COST": "lots"})


def test_an_unknown_key_is_answered_with_the_nearest(project: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        loaded(project).value("limits.maxcost")
    assert raised.value.hint == "Did you mean limits.max_cost?"


def test_the_root_is_the_nearest_repository_or_configured_folder(tmp_path: Path) -> None:
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    assert project_root(tmp_path / "a" / "b" / "c") == tmp_path / "a" / "b" / "c"
    (tmp_path / "a" / ".git").mkdir()
    assert project_root(tmp_path / "a" / "b" / "c") == tmp_path / "a"
    write_project(tmp_path / "a" / "b", "")
    assert project_root(tmp_path / "a" / "b" / "c") == tmp_path / "a" / "b"


@pytest.mark.parametrize("value", ["/somewhere/else", "", "  ", None])
def test_the_user_file_is_where_platformdirs_says(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    if value is None:
        monkeypatch.delenv("XDG_CONFIG_HOME")
    else:
        monkeypatch.setenv("XDG_CONFIG_HOME", value)
    assert user_config_path(os.environ) == Path(platformdirs.user_config_dir("rescene")) / "config.toml"


def test_the_timeout_of_commands_reaches_the_tool(project: Path) -> None:
    timeout = loaded(project, {"RESCENE_TOOLS_SHELL_TIMEOUT": "7"}).shell_timeout
    kit = Kit(Boundary(project), {}, Interrupt(), lambda items: None, timeout)
    state = HarnessState("", "", 0, 0, 0, (), (), 0)
    specs = {tool.spec.name: tool.spec for tool in kit.tools(lambda question, options: None, lambda: state)}
    assert specs["run_command"].parameters["properties"]["timeout"]["default"] == 7


@pytest.mark.skipif("linux" not in sys.platform, reason="the rule of Linux")
def test_a_relative_configuration_folder_does_not_count() -> None:
    expected = user_config_path({})
    assert user_config_path({"XDG_CONFIG_HOME": "here"}) == expected
    assert user_config_path({"XDG_CONFIG_HOME": "/there"}) == Path("/there/rescene/config.toml")
