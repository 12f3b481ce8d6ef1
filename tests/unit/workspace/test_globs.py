"""Path patterns."""

from __future__ import annotations

import pytest

from rescene_cli.core.errors import ToolError
from rescene_cli.workspace.globs import compile_glob


@pytest.mark.parametrize(
    ("pattern", "fits", "not_fits"),
    [
        ("*.py", ["a.py", "x/y/a.py", ".py"], ["a.pyc", "a.py/x"]),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "a/src/a.py"]),
        ("./src/*.py", ["src/a.py"], []),
        ("/src/*.py", ["src/a.py"], ["x/src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["src.py", "xsrc/a.py"]),
        ("**/test_*", ["test_a", "x/test_a"], ["x/atest_a"]),
        ("src/**", ["src/a", "src/x/y"], ["src", "srcx/a"]),
        ("src/", ["src/a", "src/x/y"], ["a/src/x"]),
        ("*.{ts,tsx}", ["a.ts", "b/a.tsx"], ["a.t"]),
        ("{a,b/{c,d}}.x", ["a.x", "b/c.x", "b/d.x"], ["b.x"]),
        ("a{b", ["a{b"], ["ab"]),
        ("a,b", ["a,b"], ["a"]),
        ("[ab]?.c", ["ax.c"], ["c.c", "cx.c", "a/.c"]),
        ("[!a]x", ["bx"], ["ax"]),
        ("[^a]x", ["bx"], ["ax"]),
        ("[]a]x", ["]x", "ax"], ["bx"]),
        ("[a-c].x", ["b.x"], ["d.x"]),
        ("a[", ["a["], ["a"]),
        ("a.b+(c)", ["a.b+(c)"], ["aab(c)"]),
        ("new*", ["new\nline"], []),
        ("[z-a]x", ["zx"], ["ax", "-x"]),
        ("[[:digit:]x]", ["7", "x"], ["a"]),
        ("[[:foo:]]", [], ["f", "f]"]),
        ("[{,}]x", ["{x", ",x"], ["x"]),
        ("{a}", ["a"], ["{a}"]),
        ("src/**.py", ["src/a.py", "src/x/a.py"], ["src/a"]),
        ("a***b", ["ab", "a/x/b"], ["b"]),
        ("**/**/a", ["a", "x/y/a"], ["xa"]),
        ("[!a]b", [], ["/b"]),
        ("a/*/b", ["a/x/b"], ["a//b/b", "a/b"]),
    ],
)
def test_patterns(pattern: str, fits: list[str], not_fits: list[str]) -> None:
    compiled = compile_glob(pattern)
    assert [path for path in fits if not compiled.fits(path)] == []
    assert [path for path in not_fits if compiled.fits(path)] == []


def test_no_pattern_takes_for_ever() -> None:
    assert not compile_glob("*a" * 100 + "*b").fits("a" * 200)
    assert not compile_glob("**/" * 100 + "b").fits("a/" * 200)
    assert not compile_glob("{a,aa}" * 9 + "*" * 400 + "b").fits("a" * 200)
    assert compile_glob("*" * 400).fits("a/b")
    assert compile_glob("[" * 900).fits("[" * 900)


@pytest.mark.parametrize(("pattern", "expected"), [("{a,b}" * 20, "more than 1,000"), ("a" * 5000, "5,000 characters")])
def test_a_pattern_that_stands_for_too_much_is_refused(pattern: str, expected: str) -> None:
    with pytest.raises(ToolError, match=expected):
        compile_glob(pattern)
