"""Files and lines of an outcome, and their net over a turn."""

from __future__ import annotations

from rescene_cli.agent.touched import made_here, merge, touched
from rescene_cli.core.changes import Cause, Change, Operation, OperationId, PathState
from rescene_cli.core.events import FileTouched
from rescene_cli.core.tools import Outcome

DIFF = """\
--- a/one.sql
+++ b/one.sql
@@ -1,3 +1,3 @@
 keep
--- a comment that looks like a header
+-- another
 end
--- a/two.txt
+++ b/two.txt
@@ -0,0 +1 @@
+new
\\ No newline at end of file
"""


def outcome() -> Outcome:
    state = PathState.file(b"x")
    changes = (
        Change("one.sql", state, PathState.file(b"y")),
        Change("two.txt", None, state),
        Change("folder", None, PathState.directory()),
    )
    return Outcome((), diff=DIFF, operation=Operation(OperationId("o1"), Cause("t"), changes))


def test_lines_are_counted_by_file_even_when_they_look_like_headers() -> None:
    assert touched(outcome()) == (FileTouched("one.sql", "modified", 1, 1), FileTouched("two.txt", "created", 1, 0))
    assert touched(Outcome(())) == ()


def test_net_over_a_turn() -> None:
    made = FileTouched("a", "created", 3, 0)
    assert merge([made], [FileTouched("a", "modified", 1, 1)]) == (FileTouched("a", "created", 4, 1),)
    assert merge([made], [FileTouched("a", "deleted", 0, 3)]) == ()
    gone = FileTouched("b", "deleted", 0, 2)
    assert merge([gone], [FileTouched("b", "created", 2, 0)]) == (FileTouched("b", "modified", 2, 2),)
    assert merge([FileTouched("b", "modified", 1, 0)], [gone]) == (FileTouched("b", "deleted", 1, 2),)


FILE, FOLDER, NOBODY = PathState.file(b"x"), PathState.directory(), frozenset[str]()


def moved(source: str, target: str, state: PathState = FILE) -> tuple[Change, Change]:
    return Change(source, state, None), Change(target, None, state)


def test_what_the_agent_made_is_its_own_until_it_is_gone() -> None:
    made = made_here(NOBODY, [Change("a", None, FILE), Change("b", FILE, PathState.file(b"y"))])
    assert made == {"a"}
    assert made_here(made, [Change("a", FILE, PathState.file(b"y"))]) == {"a"}
    assert made_here(made, [Change("a", FILE, None)]) == NOBODY


def test_a_move_changes_nothing_about_whose_file_it_is() -> None:
    assert made_here(NOBODY, moved("theirs", "elsewhere")) == NOBODY
    assert made_here(frozenset({"own"}), moved("own", "elsewhere")) == {"elsewhere"}
    folder = [*moved("d", "e", FOLDER), *moved("d/f", "e/f")]
    assert made_here(NOBODY, folder) == NOBODY
    assert made_here(frozenset({"d", "d/f"}), folder) == {"e", "e/f"}
