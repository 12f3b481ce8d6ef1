"""Where a path argument points, and which side of the boundary that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from rescene_cli.core.errors import ToolError
from rescene_cli.workspace.boundary import Boundary


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "proj"
    (place / "sub").mkdir(parents=True)
    (tmp_path / "proj2").mkdir()
    (tmp_path / "other").mkdir()
    (place / "out").symlink_to(tmp_path / "other")
    (place / "in").symlink_to("sub")
    return place


@pytest.mark.parametrize(
    ("argument", "inside"),
    [
        (".", True),
        ("", None),
        ("sub/../new/deep.txt", True),
        ("in/file", True),
        ("../proj2", False),
        ("../proj2/x", False),
        ("../proj", True),
        ("..", False),
        ("out", False),
        ("out/new.txt", False),
        ("out/../x", False),  # `..` behind a link leaves the link's target, not the link
        ("/etc/hosts", False),
        ("~/x", False),
        ("$OUTSIDE/x", False),
        ("${OUTSIDE}/x", False),
        ("$UNSET_NAME/x", True),
        ("file:///etc/hosts", False),
        ("file:///etc/../etc/ho%73ts", False),
        ("a\0b", None),
        ("x" * 300, None),
        ("half \ud800 pair", None),
    ],
)
def test_inside_or_outside(root: Path, monkeypatch: pytest.MonkeyPatch, argument: str, inside: bool | None) -> None:
    monkeypatch.setenv("OUTSIDE", str(root.parent / "other"))
    boundary = Boundary(root)
    if inside is None:
        with pytest.raises(ToolError):
            boundary.resolve(argument)
    else:
        assert boundary.inside(boundary.resolve(argument)) is inside


def test_a_root_behind_a_link_is_its_real_path(root: Path) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    boundary = Boundary(link)
    assert boundary.root == root
    assert boundary.inside(boundary.resolve(str(link / "sub/x")))


def test_expansion_is_what_the_tool_opens_too(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACE", str(root / "sub"))
    assert Boundary(root).resolve("$PLACE/a.txt") == root / "sub/a.txt"
    assert Boundary(root).resolve(f"file://{root}/sub/a%20b.txt") == root / "sub/a b.txt"


def test_a_name_as_written_wins_over_its_expansion(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("id", "/etc")
    (root / "$id").mkdir()
    assert Boundary(root).resolve("$id") == root / "$id"


def test_a_link_at_the_end_can_be_left_alone(root: Path) -> None:
    boundary = Boundary(root)
    assert boundary.resolve("out", follow=False) == root / "out"
    assert boundary.resolve("out/x", follow=False) == root.parent / "other/x"
    assert boundary.resolve("sub/..", follow=False) == root


def test_grants_and_added_directories(root: Path) -> None:
    other = root.parent / "other"
    assert Boundary(root, (other,)).inside(other / "x")
    boundary = Boundary(root)
    assert not boundary.inside(other / "x")
    boundary.allow(root / "out")  # a link: what it points to is allowed
    assert boundary.inside(other / "x")
    assert boundary.inside(other)
    assert not boundary.inside(other.with_name("other2"))
    assert not boundary.inside(other.parent)


def test_a_loop_of_links_has_an_answer(root: Path) -> None:
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    boundary = Boundary(root)
    assert boundary.inside(boundary.resolve("a"))
