"""The interactive program: one thread draws and reads keys, another carries out turns."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import time
from collections.abc import Callable

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.input import create_input
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import DummyStyle

from rescene_cli.core.conversation import Conversation, Status
from rescene_cli.core.decisions import Mode
from rescene_cli.core.errors import Interrupted, ResceneError
from rescene_cli.core.events import Event, Observer, TurnFinished, UserMessage
from rescene_cli.ui.approve import approval_facts, chosen
from rescene_cli.ui.cells import table_rows
from rescene_cli.ui.commands import is_command, react
from rescene_cli.ui.desk import Pending
from rescene_cli.ui.folds import unfolded_lines
from rescene_cli.ui.index import FileIndex
from rescene_cli.ui.ink import Depth, depth_for
from rescene_cli.ui.marks import marks_for
from rescene_cli.ui.menu import Menu
from rescene_cli.ui.options import UiOptions
from rescene_cli.ui.paint import Painter, preload
from rescene_cli.ui.screen.area import AreaOutput, AreaRenderer, rewraps
from rescene_cli.ui.screen.asking import LONG, QUIET, Asking, effect_rows
from rescene_cli.ui.screen.drawing import Drawing
from rescene_cli.ui.screen.editor import Editor
from rescene_cli.ui.screen.keys import key_bindings
from rescene_cli.ui.screen.layout import build_layout
from rescene_cli.ui.screen.rows import Rows
from rescene_cli.ui.stream import Stream
from rescene_cli.ui.summary import error_lines
from rescene_cli.ui.worker import Worker

_PAUSE = 0.05  # seconds until it is looked again whether all of a turn is on the screen
_TWICE = 2.0  # seconds within which a second Ctrl-C leaves
_PATIENCE = 5.0  # seconds that a turn gets to end when the person leaves
_NEXT_MODE = {Mode.PLAN: Mode.ASK, Mode.ASK: Mode.AUTO, Mode.AUTO: Mode.PLAN, Mode.YOLO: Mode.PLAN}


class Terminal:
    """A conversation at a terminal."""

    def __init__(self, conversation: Conversation, options: UiOptions) -> None:
        self._conversation = conversation
        self._options = options
        self.clock: Callable[[], float] = time.monotonic
        self.marks = marks_for(sys.stdout.encoding)
        self.depth = depth_for()
        self.asking = Asking()
        self.queued: list[str] = []
        self._files = FileIndex(conversation.files, lambda: self._drawing.refresh())
        self.editor = Editor(Menu(self._files.get), self._send, self._typed)
        self._application = self._build()
        self.stream = Stream(self._painter(), self.marks, self.clock)
        self._drawing = Drawing(self._application, self.stream, self._take, self._painter)
        self._worker = Worker(self._job_ended)
        self._draft = ""
        self._stopped_at = float("-inf")
        self._ticking = False

    def run(self, subscribe: Callable[[Observer], None]) -> int:
        """Until the person leaves; returns the exit code."""
        subscribe(self._drawing.mailbox.put)
        self._options.desk.attach(self._question)
        try:
            with self._conversation.interrupt.on_set(lambda: self._drawing.call(lambda: self._settle(None))):
                code: int = self._application.run(pre_run=self._started, set_exception_handler=False)
        except (EOFError, OSError):
            code = 143  # the terminal is gone
        finally:
            self._options.desk.close()
            self._end_turn()
        return code

    @property
    def busy(self) -> bool:
        """Whether a turn or a command runs."""
        return self._worker.busy

    @property
    def leaving(self) -> bool:
        """Whether the next Ctrl-C leaves."""
        return self.clock() - self._stopped_at < _TWICE

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        size = self._application.output.get_size()
        return size.columns, size.rows

    def conversation_status(self) -> Status:
        """Where the session stands."""
        return self._conversation.status()

    def answer_key(self, key: str) -> bool:
        """A key while a call waits for approval; returns whether it was an answer."""
        answered = self.asking.key(key, self.clock())
        self._drawing.refresh(0 if answered else QUIET)
        return answered

    def stop_key(self) -> None:
        """Ctrl-C: stop what runs; a second one leaves."""
        if self.leaving:
            self.leave(130)
            return
        self._stopped_at = self.clock()
        self._drawing.refresh(_TWICE)
        if self.busy:
            self._interrupt()
        else:
            self.editor.clear()

    def escape(self) -> None:
        """Esc: close the menu, refuse the question, stop the turn, or clear the text."""
        if self.editor.menu.open:
            self.editor.menu.dismiss(self.editor.buffer.document.text_before_cursor)
        elif self.asking.pending is not None:
            self._settle(None)
        elif self.editor.text:
            self.editor.clear()
        elif self.busy:
            self._interrupt()

    def edit_outside(self) -> None:
        """Open the text in the person's editor."""
        self.editor.unfold_pastes()
        self.editor.buffer.open_in_editor()

    def clear_screen(self) -> None:
        """Empty the screen; the scrollback stays."""
        self._application.renderer.clear()

    def unfold(self) -> None:
        """Print the last folded piece whole."""
        fold = self.stream.folds.unfold()
        if fold is not None:
            self._drawing.say(unfolded_lines(fold, self.size[0], self.stream.painter.ink, self.marks), "fold")

    def next_mode(self) -> None:
        """Go on to the next mode. `yolo` is never reached by a key alone."""
        self._conversation.set_mode(_NEXT_MODE[self._conversation.status().mode])

    def suspend(self) -> None:
        """Go to the background until the shell's `fg`."""
        self._application.suspend_to_background()

    def leave(self, code: int) -> None:
        """End the program."""
        if self._application.is_running and not self._application.future.done():  # type: ignore[union-attr]
            self._application.exit(result=code)

    def _build(self) -> Application[int]:
        output = AreaOutput.from_pty(sys.stdout, term=os.environ.get("TERM"))
        output.enable_cpr = False  # the rows follow the text above them; where that ends need not be asked
        rows = Rows(self)
        sign = {False: self.marks.prompt, True: self.marks.question}
        application: Application[int] = Application(
            layout=build_layout(
                self.editor.buffer,
                lambda: ANSI(self.stream.painter.ink.accent(sign[self.asking.open_question is not None]) + " "),
                rows.above, rows.menu, rows.status,
            ),
            key_bindings=key_bindings(self),
            style=DummyStyle(),
            color_depth=ColorDepth.DEPTH_4_BIT if self.depth is Depth.COLORS else ColorDepth.DEPTH_1_BIT,
            output=output,
            input=create_input(sys.stdin),
            erase_when_done=True,
            enable_page_navigation_bindings=False,
        )  # fmt: skip
        application.ttimeoutlen = 0.05
        application.timeoutlen = 0.3
        application.renderer = AreaRenderer(application, output, rewraps=rewraps())  # type: ignore[arg-type]
        application.key_processor.before_key_press += lambda _: self.asking.typed(self.clock())
        return application

    def _painter(self) -> Painter:
        return Painter(self.depth, self.size[0], unicode=self.marks.prompt != ">")

    def _started(self) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, self.leave, 143)
        self._drawing.start()
        self._files.refresh()
        if self._options.task:
            asyncio.get_running_loop().call_soon(self._send, self._options.task)  # after the first drawing

    # What happens on the thread that works

    def _question(self, pending: Pending) -> None:
        self._drawing.call(lambda: self._ask(pending))

    def _job_ended(self, error: BaseException | None) -> None:
        self._drawing.call(lambda: self._end_job(error))

    def _typed(self) -> None:
        if self.editor.text:
            self._stopped_at = float("-inf")  # two Ctrl-C with words between them are not one wish to leave
        self._drawing.refresh()

    # What happens on the thread that draws

    def _tick(self) -> None:
        """Count the seconds on the screen, as long as something runs."""
        self._ticking = self.busy
        if self._ticking:
            self._drawing.refresh()
            self._drawing.after(1.0, self._tick)

    def _take(self, event: Event) -> None:
        if isinstance(event, UserMessage):
            if event.source == "user":
                return  # it is on the screen since Enter
            if event.text in self.queued:
                self.queued.remove(event.text)
        self.stream.feed(event)
        if isinstance(event, TurnFinished):
            self._give_back(event.unread)

    def _ask(self, pending: Pending) -> None:
        self._drawing.now()
        if pending.question is not None:
            self.asking.show(pending, self.clock(), keys_waiting=readable(sys.stdin.fileno()))
        request = self.asking.approval
        if request is not None:
            effect = effect_rows(approval_facts(request)[0], self.size[0])
            self.stream.say(effect if len(effect) > LONG else [], "diff")
            self.stream.show_diff(request.invocation.call.id, request.diff)
        if self.asking.open_question is not None:
            self._draft = self.editor.text
            self.editor.empty()
        self._drawing.refresh(QUIET)
        self._drawing.now()

    def _settle(self, answer: str | None) -> None:
        """The open question is answered; what was in the prompt before it comes back."""
        was_open = self.asking.open_question is not None
        self.asking.settle(answer)
        if was_open:
            self.editor.set(self._draft)
            self._draft = ""
        self._drawing.refresh()

    def _interrupt(self) -> None:
        self._conversation.interrupt.set()
        self.stream.live.act("stopping", self.clock())
        self._drawing.refresh()

    def _send(self, text: str) -> None:
        """What Enter sends: an answer, a command, a message while a turn runs, or the next turn."""
        self.asking.sent()
        self._stopped_at = float("-inf")
        question = self.asking.open_question
        if question is not None:
            answer = chosen(question, text)
            self.stream.say_user(answer or text)
            self._settle(answer)
        elif is_command(text):
            self._command(text)
        elif text.startswith("!"):
            self._start(text, lambda: self._conversation.shell(text[1:].strip()))
        elif self._conversation.steer(text):
            self.queued.append(text)
        else:
            self._start(text, lambda: self._conversation.turn(text))
        self._drawing.now()

    def _start(self, text: str, job: Callable[[], object]) -> None:
        def fresh() -> None:
            self._conversation.interrupt.clear()  # the request to stop was for the job before
            job()

        self.stream.say_user(text)
        if self.busy:
            self._worker.do(fresh)
            return
        self._conversation.interrupt.clear()
        self.stream.live.begin(self.clock())
        self._worker.do(job)
        preload()
        if not self._ticking:
            self._tick()

    def _command(self, text: str) -> None:
        self.stream.say_user(text)
        reaction = react(self._conversation, text, busy=self.busy)
        ink = self.stream.painter.ink
        rows = [row for line in reaction.lines for row in table_rows(line, self.size[0])]
        self.stream.say([row if reaction.ok else ink.warn(row) for row in rows], "command")
        if reaction.leave:
            self.leave(0)

    def _end_job(self, error: BaseException | None) -> None:
        if not self._drawing.now():
            self._drawing.after(_PAUSE, lambda: self._end_job(error))
            return
        if error is not None and not isinstance(error, Interrupted):
            known = error if isinstance(error, ResceneError) else self._options.as_error(error)
            self.stream.say(error_lines(known, self.stream.painter, self.marks))
            self._give_back(tuple(self.queued))
        if self.busy:
            self.stream.live.begin(self.clock())
        else:
            self.stream.live.clear()
        self._drawing.now()

    def _give_back(self, unread: tuple[str, ...]) -> None:
        """Messages that the model did not get go back into the prompt."""
        self.queued.clear()
        if unread:
            self.editor.set("\n".join([*unread, *([self.editor.text] if self.editor.text else [])]))

    def _end_turn(self) -> None:
        if self.busy:
            self._conversation.interrupt.set()
        self._worker.close(_PATIENCE)


def readable(descriptor: int) -> bool:
    """Whether there is something to read right now."""
    poll = select.poll()  # select takes no descriptor above 1,023
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


def run_terminal(conversation: Conversation, subscribe: Callable[[Observer], None], options: UiOptions) -> int:
    """The whole program at a terminal; the session is closed at its end."""
    code = Terminal(conversation, options).run(subscribe)
    ended = conversation.close()
    if ended:
        sys.stderr.write(f"Ended with the session: {', '.join(ended)}\n")
    return code
