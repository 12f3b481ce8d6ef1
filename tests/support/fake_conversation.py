"""A conversation that plays what its messages ask for, so that the terminal can be tried without an agent.

`python -m tests.support.fake_conversation` runs the interactive program on it. A message is the name of a scene
below; anything else is answered with its own text.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rescene_cli.agent.steering import Steering
from rescene_cli.cli.crash import as_error
from rescene_cli.core import events
from rescene_cli.core.conversation import Status
from rescene_cli.core.decisions import Answer, ApprovalRequest, Decision, Mode, Reason, Verdict, argument_hash
from rescene_cli.core.errors import ConfigError, Interrupted
from rescene_cli.core.events import Event, Evidence, FileTouched, Observer, TodoItem, Totals, TurnFinished
from rescene_cli.core.llm import Effort, Usage
from rescene_cli.core.messages import CallId, Image, ToolCall
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.tools import Effect, Invocation, ToolSpec
from rescene_cli.ui import interactive
from rescene_cli.ui.approve import TerminalApprover, TerminalQuestioner
from rescene_cli.ui.desk import Desk

MARKDOWN = """\
The total ignores the *quantity* of each line. I will change `Cart.total` and its test.

## Plan

1. Multiply price and quantity
2. Round once, at the end

```python
def total(self) -> Decimal:
    # one rounding for the whole cart
    return sum(line.price * line.quantity for line in self.lines).quantize(CENT)
```

| file | change |
|------|--------|
| cart.py | total |
| test_cart.py | two cases |

Then I run the tests.
"""

DIFF = """\
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -12,5 +12,6 @@ class Cart:
     def total(self) -> Decimal:
-        return sum(line.price for line in self.lines)
+        # one rounding for the whole cart
+        return sum(line.price * line.quantity for line in self.lines).quantize(CENT)
 
     def add(self, line: Line) -> None:
         self.lines.append(line)
"""


class FakeConversation:
    """Satisfies `Conversation`; `pace` is the pause in seconds between two pieces of a reply."""

    def __init__(self, root: Path, desk: Desk, pace: float = 0.01) -> None:
        self.root = root
        self.session = "20260101-120000-abcdef"
        self.interrupt = Interrupt()
        self.observers: list[Observer] = []
        self._steering = Steering()
        self.pace = pace
        self._approve = TerminalApprover(desk)
        self._question = TerminalQuestioner(desk)
        self._mode = Mode.AUTO
        self._model = "scripted/fix-the-cart"
        self._effort: Effort | None = None
        self._turns = 0
        self._operation = ""
        self._todo: tuple[TodoItem, ...] = ()

    def emit(self, event: Event) -> None:
        for observer in self.observers:
            observer(event)

    def turn(self, text: str, images: Sequence[Image] = ()) -> TurnFinished:
        self._turns += 1
        self._steering.begin()
        self.emit(events.UserMessage(self._turns, text))
        self.files_touched: tuple[FileTouched, ...] = ()
        status = "done"
        try:
            SCENES.get(text.strip(), lambda talk: talk.echo(text))(self)
        except Interrupted:
            status = "interrupted"
        finally:
            unread = self._steering.end()
        finished = TurnFinished(
            self._turns, status, "", self.files_touched, (self._operation,) if self.files_touched else (),
            usage=Totals(12_345, 1_210, 9_000, 0.0412), requests=2,
            seconds=12.0 if text == "work" else 0.2,
            evidence="pytest -q passed" if self.files_touched else "",
            unread=unread,
        )  # fmt: skip
        self.emit(finished)
        return finished

    def say(self, text: str, size: int = 7) -> None:
        """Stream a reply in small pieces."""
        self.emit(events.RequestStarted(self._model))
        for start in range(0, len(text), size):
            self.interrupt.wait(self.pace)
            self.emit(events.TextDelta(text[start : start + size]))
        self.emit(events.AssistantMessage(text, "", (), self._model, Usage(100, 20), 0.01, 1.0))

    def echo(self, text: str) -> None:
        lines = text.split("\n")
        self.say(f"You said:\n\n{text}" if len(lines) < 20 else f"You said {len(lines)} lines up to {lines[-1]}")

    def think(self, text: str) -> None:
        self.emit(events.RequestStarted(self._model))
        for word in text.split(" "):
            self.interrupt.wait(self.pace)
            self.emit(events.ThinkingDelta(word + " "))

    def call(self, name: str, arguments: dict[str, str], title: str, text: str, **more: object) -> None:
        """A call that shows `text` as its output."""
        call = CallId(f"c{time.monotonic_ns()}")
        self.emit(events.ToolStarted(call, name, arguments))
        for line in text.splitlines(keepends=True):
            self.interrupt.check()
            self.emit(events.ToolOutput(call, line))
        self.interrupt.wait(float(str(more.pop("wait", 0.0))))
        status = str(more.pop("status", "ok"))
        self.emit(events.ToolFinished(call, name, status, title, text[-8_000:], 0.3, **more))  # type: ignore[arg-type]

    def ask(self, effect: str, *, grant: str = "", diff: str = "") -> Answer:
        """Put an approval to the person."""
        call = ToolCall(CallId("c-ask"), "write_file", '{"path": "shop/cart.py"}')
        spec = ToolSpec("write_file", "", {}, frozenset({Effect.WRITE}))
        invocation = Invocation(call, spec, {"path": "shop/cart.py"})
        decision = Decision(Verdict.ASK, Reason.IRREVERSIBLE, "test", effect, grant)
        return self._approve(ApprovalRequest("s::c", invocation, decision, argument_hash(invocation), diff))

    def question(self, text: str, options: Sequence[str]) -> str | None:
        return self._question(text, options)

    def steer(self, text: str) -> bool:
        return self._steering.put(text)

    def take_steered(self) -> tuple[str, ...]:
        taken = self._steering.take()
        for text in taken:
            self.emit(events.UserMessage(self._turns, text, "steer"))
        return taken

    def shell(self, command: str) -> None:
        self.call("shell", {"command": command}, "exit 0 in 2 ms", f"ran: {command}\n")

    def set_model(self, model: str) -> None:
        if model == "nowhere":
            raise ConfigError("There is no model nowhere.", "rescene models lists those that are there.")
        self._model = model

    def set_effort(self, effort: Effort | None) -> None:
        self._effort = effort

    def set_mode(self, mode: Mode) -> None:
        self._mode = mode

    def new(self) -> None:
        self._turns = 0

    def status(self) -> Status:
        return Status(
            self._model, self._mode, self._effort, 23_400 if self._turns else 0, 200_000,
            0.0412 if self._turns else 0.0, self._operation, self._turns, 0, self._todo,
        )  # fmt: skip

    def context(self) -> tuple[tuple[str, int], ...]:
        return (("system prompt", 2_100), ("tools", 3_300), ("conversation", 18_000))

    def files(self) -> Sequence[str]:
        return ["README.md", "shop/cart.py", "shop/models.py", "tests/test_cart.py", "docs/长城.md"]

    def close(self) -> tuple[str, ...]:
        return ()


def _work(talk: FakeConversation) -> None:
    """A whole small job: what the screenshots show."""
    talk.think("The test multiplies, the code does not. Look at the cart first.")
    talk.say("I will look at the cart and its tests first.")
    talk.call("read_file", {"path": "shop/cart.py"}, "shop/cart.py  48 lines", "class Cart:\n")
    talk.call("grep", {"pattern": "total"}, "total  6 matches in 3 files", "shop/cart.py:12\n")
    talk.say(MARKDOWN)
    talk._operation = "o1"
    talk.files_touched = (FileTouched("shop/cart.py", "modified", 2, 1),)
    talk.call("edit_file", {"path": "shop/cart.py"}, "shop/cart.py  +2 -1", "ok", operation="o1",
              files=talk.files_touched, diff=DIFF)  # fmt: skip
    talk.call("run_command", {"command": "pytest -q"}, "exit 0 in 0.4 s", "......\n6 passed in 0.12s\n")
    talk.emit(events.Verification("pass", "", Evidence("pytest -q", 0, 0.4, "6 passed")))
    talk.say("The total now counts the quantity. All six tests pass.")


def _lines(talk: FakeConversation) -> None:
    """Many lines, each of which must be on the screen once."""
    talk.say("\n\n".join(f"line {number:03} of the reply" for number in range(80)), 20)


def _code(talk: FakeConversation) -> None:
    talk.say("```python\n" + "".join(f"value_{number:03} = {number}\n" for number in range(60)) + "```\n", 20)


def _flood(talk: FakeConversation) -> None:
    talk.call("run_command", {"command": "seq 1 200000"}, "exit 0 in 0.3 s",
              "".join(f"{number}\n" for number in range(1, 200_001)))  # fmt: skip
    talk.say("flood over")


def _approval(grant: str) -> Callable[[FakeConversation], None]:
    def scene(talk: FakeConversation) -> None:
        talk.interrupt.wait(0.3)
        answer = talk.ask("Overwrites shop/cart.py, which was there before.", grant=grant, diff=DIFF)
        talk.say(f"the answer was {answer.value}")

    return scene


def _slow_approval(talk: FakeConversation) -> None:
    talk.interrupt.wait(1.5)
    _approval("edits in shop/")(talk)


def _question(talk: FakeConversation) -> None:
    talk.say(f"you chose {talk.question('Which name?', ['cart', 'basket'])}")


def _slow(talk: FakeConversation) -> None:
    """Works until it is stopped, and takes messages in between."""
    call = CallId("slow")
    talk.emit(events.ToolStarted(call, "run_command", {"command": "sleep 1000"}))
    for number in range(2_000):
        talk.interrupt.wait(0.05)
        if number % 20 == 0:
            talk.emit(events.ToolOutput(call, f"tick {number}\n"))
        if talk.take_steered():
            talk.emit(events.ToolFinished(call, "run_command", "ok", "", "", 1.0))
            talk.say("message received")
            return


def _deaf(talk: FakeConversation) -> None:
    """Works until it is stopped, and takes no message."""
    talk.interrupt.wait(100)


def _trouble(talk: FakeConversation) -> None:
    talk.emit(events.RequestStarted("scripted/a"))
    talk.emit(events.TextDelta("half a reply\n\nand mo"))
    talk.interrupt.wait(0.1)
    talk.emit(events.ProviderRetry("The provider is overloaded", 2.0, 1, 3))
    talk.interrupt.wait(2.0)
    talk.emit(events.ProviderFailover("scripted/a", "scripted/b", "still overloaded"))
    talk.call("read_file", {"path": "nothing.txt"}, "", "There is no file nothing.txt.", status="error")
    talk.emit(events.Notice("warning", "The disk is nearly full.", "Make room."))
    talk.say("after the trouble")


def _hostile(talk: FakeConversation) -> None:
    attack = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b[0m \x9b5n \x1bP+q\x1b\\ \u202eevil"
    talk.call("read_file", {"path": f"a{attack}.txt"}, f"a{attack}.txt  1 line", attack, status="error")
    talk.say(f"before {attack} after")


def _bug(talk: FakeConversation) -> None:
    message = "boom"
    raise RuntimeError(message)


def _todo(talk: FakeConversation) -> None:
    for done in range(4):
        steps = ("read", "change", "test")
        talk._todo = tuple(
            TodoItem(step, "done" if place < done else "in_progress" if place == done else "pending")
            for place, step in enumerate(steps)
        )
        talk.emit(events.TodoUpdated(talk._todo))
        talk.interrupt.wait(0.2)
    talk.say("list done")


def _huge(talk: FakeConversation) -> None:
    """Most of a megabyte, at once."""
    talk.emit(events.TextDelta("A sentence of `eight` words and *some* more.\n" * 15_000))
    talk.interrupt.wait(100)


SCENES: dict[str, Callable[[FakeConversation], None]] = {
    "work": _work,
    "lines": _lines,
    "code": _code,
    "flood": _flood,
    "approval": _approval(""),
    "approval with grant": _approval("edits in shop/"),
    "slow approval": _slow_approval,
    "question": _question,
    "slow": _slow,
    "deaf": _deaf,
    "trouble": _trouble,
    "hostile": _hostile,
    "bug": _bug,
    "todo": _todo,
    "huge": _huge,
}


def main(arguments: list[str]) -> int:
    """Run the program; `--plain` by lines, `--pace SECONDS`, then an optional first message."""
    plain = "--plain" in arguments
    pace = float(arguments[arguments.index("--pace") + 1]) if "--pace" in arguments else 0.01
    desk = Desk()
    talk = FakeConversation(Path.cwd(), desk, pace)
    options = interactive.UiOptions("0.1.0", desk, as_error, plain=plain)
    return interactive.run(talk, talk.observers.append, options)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
