from __future__ import annotations

from rescene_cli.process import child_environment


def test_keys_stay_here_and_the_rest_goes_along() -> None:
    given = {
        "OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "RESCENE_VAULT_KEY": "k", "GROQ_API_KEY": "k",
        "MY_API_KEY": "the project's own", "PATH": "/bin", "OPENAI_BASE_URL": "http://127.0.0.1",
    }  # fmt: skip
    child = child_environment(given, withhold={"GROQ_API_KEY"})
    assert child["PATH"] == "/bin"
    assert child["MY_API_KEY"] == "the project's own"
    assert child["OPENAI_BASE_URL"] == "http://127.0.0.1"
    assert "k" not in child.values()
    assert given["OPENAI_API_KEY"] == "k"


def test_nothing_waits_for_a_person() -> None:
    child = child_environment({"PAGER": "less", "GIT_EDITOR": "vim", "GIT_TERMINAL_PROMPT": "1"})
    assert (child["PAGER"], child["GIT_PAGER"], child["GIT_TERMINAL_PROMPT"]) == ("cat", "cat", "0")
    assert (child["GIT_EDITOR"], child["GIT_SEQUENCE_EDITOR"]) == ("true", "true")


def test_a_terminal_type_is_set_only_where_there_is_none() -> None:
    assert child_environment({})["TERM"] == "dumb"
    assert child_environment({"TERM": "xterm-256color"})["TERM"] == "xterm-256color"
