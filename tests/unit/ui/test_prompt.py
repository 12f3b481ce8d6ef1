"""What belongs to the prompt and needs no terminal: pastes, files, menu, commands, clusters, status."""

from __future__ import annotations

from pathlib import Path

import pytest

from rescene_cli.core.conversation import Status
from rescene_cli.core.decisions import Mode
from rescene_cli.ui import clusters
from rescene_cli.ui.commands import COMMANDS, is_command, react
from rescene_cli.ui.desk import Desk
from rescene_cli.ui.finder import Finder
from rescene_cli.ui.marks import UNICODE
from rescene_cli.ui.menu import Menu
from rescene_cli.ui.pastes import Pastes
from rescene_cli.ui.status import status_line
from tests.support.fake_conversation import FakeConversation


@pytest.fixture
def talk(tmp_path: Path) -> FakeConversation:
    return FakeConversation(tmp_path, Desk())


def test_a_big_paste_is_folded_and_comes_back() -> None:
    pastes = Pastes()
    big = "line\n" * 5_000
    sign = pastes.fold(big)
    assert sign == "[pasted 5,000 lines #1]"
    assert pastes.expand(f"before {sign} after") == f"before {big} after"
    assert pastes.fold("two\r\nlines\r") == "two\nlines\n"
    assert pastes.expand("[pasted 9 lines #9]") == "[pasted 9 lines #9]"
    assert pastes.sign_before(f"x {sign}") == len(sign)
    assert pastes.sign_before(f"{sign} x") == 0


def test_a_long_single_line_is_folded_too() -> None:
    assert Pastes().fold("x" * 3_000) == "[pasted 3,000 characters #1]"


FILES = ["README.md", "src/cart.py", "src/car/models.py", "tests/test_cart.py", "docs/chart.md", "src/views/Art.py"]


@pytest.mark.parametrize(
    ("query", "first"),
    [("cart", "src/cart.py"), ("tecart", "tests/test_cart.py"), ("read", "README.md"), ("ART.", "src/views/Art.py"),
     ("car/m", "src/car/models.py"), ("scm", "src/car/models.py")],
)  # fmt: skip
def test_the_best_file_is_first(query: str, first: str) -> None:
    assert Finder(FILES).find(query)[0] == first


def test_what_is_not_there_is_not_found_and_narrowing_is_exact() -> None:
    ticks = iter(range(10_000))
    finder = Finder([f"d{n}/file{n}.py" for n in range(5_000)], clock=lambda: next(ticks) * 0.004)
    for query in ("f", "fl", "fle", "fle4", "fle49", "fle499", "fle4999"):
        hits = finder.find(query)
    assert hits == ["d4999/file4999.py"]
    assert finder.find("zz") == []
    assert finder.find("d12/file12.py")[0] == "d12/file12.py"


def menu_for(before: str, after: str = "") -> Menu:
    finder = Finder(FILES)
    menu = Menu(lambda: finder)
    menu.update(before, after)
    return menu


@pytest.mark.parametrize(
    ("before", "first"),
    [("/mo", "/model "), ("/mode p", "plan"), ("see @cart", "@src/cart.py "), ("(@readme", "@README.md ")],
)
def test_the_menu_knows_what_can_follow(before: str, first: str) -> None:
    chosen = menu_for(before).chosen
    assert chosen is not None
    assert chosen.text == first


@pytest.mark.parametrize("before", ["", "hello", "mail a@b", "/etc/passwd x", "a /mo", "/help "])
def test_the_menu_is_closed_where_nothing_is_meant(before: str) -> None:
    assert not menu_for(before).open


def test_a_dismissed_menu_stays_away_until_the_text_changes() -> None:
    menu = menu_for("/mo")
    menu.dismiss("/mo")
    menu.update("/mo", "")
    assert not menu.open
    menu.update("/mod", "")
    assert menu.open


def test_enter_sends_what_is_whole_and_completes_what_is_not() -> None:
    assert menu_for("/he").completes("/he")
    assert not menu_for("/help").completes("/help")


@pytest.mark.parametrize(
    ("text", "is_one"), [("/help", True), ("/nope x", True), ("/usr/bin/env", False), ("a", False), ("/x\ny", False)]
)
def test_a_path_is_no_command(text: str, is_one: bool) -> None:
    assert is_command(text) is is_one


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_answers(name: str, talk: FakeConversation) -> None:
    reaction = react(talk, f"/{name}", busy=False)
    assert reaction.ok
    assert reaction.lines or reaction.leave


def test_commands_change_the_session(talk: FakeConversation) -> None:
    react(talk, "/mode plan", busy=True)
    react(talk, "/model scripted/other", busy=True)
    react(talk, "/effort high", busy=True)
    now = talk.status()
    assert (now.mode, now.model, now.effort) == (Mode.PLAN, "scripted/other", "high")


@pytest.mark.parametrize(
    ("text", "said"),
    [("/mode fast", "There is no mode fast."), ("/effort most", "There is no effort most."),
     ("/model nowhere", "There is no model nowhere."), ("/halp", "Did you mean /help?"),
     ("/new", "stop it with Ctrl-C")],
)  # fmt: skip
def test_what_can_not_be_is_said(text: str, said: str, talk: FakeConversation) -> None:
    reaction = react(talk, text, busy=True)
    assert not reaction.ok
    assert said in " ".join(reaction.lines)


def test_clusters_are_one_character_of_two_cells() -> None:
    family = "👨\u200d👩\u200d👧"
    shown = clusters.replaced(f"a{family}b")
    assert len(shown) == 3
    assert clusters.drawn(shown[1]) == f"\x1b7{family}\x1b8\x1b[2C"
    assert clusters.drawn("plain") == "plain"
    assert clusters.before(f"a{family}", 1 + len(family)) == len(family)
    assert clusters.after(f"{family}b", 0) == len(family)
    assert clusters.replaced("e\u0301中") == "e\u0301中"


NOW = Status("provider/a-rather-long-model-name", Mode.AUTO, None, 23_000, 100_000, 1.25, "o41", 3, 2, ())


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (100, "auto · provider/a-rather-long-model-name · 23% context · $1.25 · o41 · 2 tasks"),
        (60, "auto · a-rather-long-model-name · 23% context · $1.25"),
        (50, "auto · a-rather-long-model-name · 23% context"),
        (10, "auto"),
    ],
)
def test_the_status_drops_what_matters_least(columns: int, line: str) -> None:
    assert status_line(NOW, UNICODE, columns) == line


def test_the_status_says_nothing_that_is_not_known() -> None:
    now = NOW._replace(context=0, cost_usd=None, operation="", running_tasks=0)
    assert status_line(now, UNICODE, 100) == "auto · provider/a-rather-long-model-name"


def test_a_command_that_is_typed_out_is_the_one_that_is_meant() -> None:
    menu = Menu(lambda: None)
    menu.update("/mode", "")
    assert menu.chosen is not None
    assert menu.chosen.text == "/mode "
    assert not menu.completes("/mode")  # Enter sends it
