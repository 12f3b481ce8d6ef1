"""Path patterns."""

from __future__ import annotations

import pytest

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
    ],
)
def test_patterns(pattern: str, fits: list[str], not_fits: list[str]) -> None:
    compiled = compile_glob(pattern)
    assert [path for path in fits if not compiled.fullmatch(path)] == []
    assert [path for path in not_fits if compiled.fullmatch(path)] == []
