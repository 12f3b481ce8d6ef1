"""Again, elsewhere, or the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rescene_cli.core.errors import ProviderError, ProviderFault
from rescene_cli.core.llm import FailedOver, Reply, Request, RetryScheduled, StreamItem, TextPiece, Usage
from rescene_cli.core.messages import Assistant
from rescene_cli.core.runtime import Interrupt
from rescene_cli.llm.policy import RULES, Patience, Policy, Route
from tests.support.models import request, user

GOOD = None
Step = ProviderFault | ProviderError | None


class Model:
    """Fails as listed, then answers for ever; the last thing it says before a failure is void."""

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.asked: list[str] = []

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[StreamItem]:
        self.asked.append(request.model)
        step = self.steps.pop(0) if self.steps else GOOD
        yield TextPiece("half")
        if isinstance(step, ProviderFault):
            raise ProviderError("It broke.", "Mend it.", fault=step)
        if step is not None:
            raise step
        yield Reply(Assistant("whole", model=request.model), Usage(1, 1))


class World:
    """A policy with a clock that only its waits move."""

    def __init__(self, *models: Model, share: float = 0.5, patience: Patience | None = None) -> None:
        self.waits: list[float] = []
        self.time = 0.0
        routes = [Route(f"p/{number}", model) for number, model in enumerate(models)]
        self.policy = Policy(routes, patience, random_share=lambda: share, wait=self._wait, now=lambda: self.time)

    def _wait(self, interrupt: Interrupt, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds

    def ask(self, wanted: Request | None = None) -> list[StreamItem]:
        return list(self.policy.stream(wanted or request(), Interrupt()))


def asks_to_wait(seconds: float) -> ProviderError:
    return ProviderError("Busy.", fault=ProviderFault.RATE_LIMITED, retry_after=seconds)


def test_every_fault_has_a_rule() -> None:
    assert set(RULES) == set(ProviderFault)


@pytest.mark.parametrize("fault", [fault for fault, rule in RULES.items() if rule.retries])
def test_a_passing_fault_is_tried_again(fault: ProviderFault) -> None:
    model = Model(fault)
    items = World(model).ask()
    assert [type(item) for item in items] == [TextPiece, RetryScheduled, TextPiece, Reply]
    assert len(model.asked) == 2


@pytest.mark.parametrize("fault", list(ProviderFault))
def test_in_the_end_the_error_itself(fault: ProviderFault) -> None:
    model = Model(*[fault] * 50)
    with pytest.raises(ProviderError) as caught:
        World(model).ask()
    tries = RULES[fault].retries + 1
    assert len(model.asked) == tries
    assert caught.value.fault is fault
    assert caught.value.hint == "Mend it."
    assert caught.value.message == ("It broke." if tries == 1 else f"It broke. (tried {tries} times)")


def test_the_countdown_doubles_up_to_its_limit() -> None:
    world = World(Model(*[ProviderFault.RATE_LIMITED] * 5), patience=Patience(longest=6))
    scheduled = [item for item in world.ask() if isinstance(item, RetryScheduled)]
    assert world.waits == [item.wait for item in scheduled] == [1.0, 2.0, 4.0, 6.0, 6.0]
    assert [(item.attempt, item.attempts) for item in scheduled] == [(n, 6) for n in range(1, 6)]


@pytest.mark.parametrize(("share", "wait"), [(0.0, 0.75), (0.5, 1.0), (0.99, 1.245)])
def test_chance_spreads_it(share: float, wait: float) -> None:
    world = World(Model(ProviderFault.SERVER), share=share)
    world.ask()
    assert world.waits == [pytest.approx(wait)]


def test_never_earlier_than_asked() -> None:
    world = World(Model(asks_to_wait(42.0), asks_to_wait(0.0)), share=0.5)
    world.ask()
    assert world.waits == [42.25, 0.25]


def test_more_than_the_limit_is_not_waited_for() -> None:
    model = Model(asks_to_wait(3600))
    with pytest.raises(ProviderError, match=r"It asks to wait 3,600 s, more than the limit of 120 s\."):
        World(model).ask()
    assert len(model.asked) == 1


def test_more_than_the_limit_goes_to_the_next_at_once() -> None:
    first, second = Model(asks_to_wait(3600)), Model()
    world = World(first, second)
    items = world.ask()
    assert [type(item) for item in items] == [TextPiece, FailedOver, TextPiece, Reply]
    assert items[1] == FailedOver("p/0", "p/1", "Busy.")
    assert world.waits == []
    assert second.asked == ["p/1"]


@pytest.mark.parametrize("fault", [fault for fault, rule in RULES.items() if rule.switch])
def test_a_fault_of_theirs_moves_on(fault: ProviderFault) -> None:
    first, second = Model(*[fault] * 50), Model()
    World(first, second).ask()
    assert len(first.asked) == min(RULES[fault].retries, 2) + 1
    assert len(second.asked) == 1


@pytest.mark.parametrize("fault", [fault for fault, rule in RULES.items() if not rule.switch])
def test_a_fault_of_ours_is_not_hidden(fault: ProviderFault) -> None:
    second = Model()
    with pytest.raises(ProviderError, match="It broke"):
        World(Model(fault), second).ask()
    assert second.asked == []
    assert fault in {
        ProviderFault.TLS,
        ProviderFault.AUTHENTICATION,
        ProviderFault.NOT_FOUND,
        ProviderFault.CONTEXT_OVERFLOW,
        ProviderFault.BAD_REQUEST,
        ProviderFault.NOT_CONFIGURED,
    }


def test_the_last_of_the_list_is_tried_as_often_as_a_single_one() -> None:
    last = Model(*[ProviderFault.SERVER] * 50)
    with pytest.raises(ProviderError):
        World(Model(ProviderFault.QUOTA), last).ask()
    assert len(last.asked) == RULES[ProviderFault.SERVER].retries + 1


def test_a_turn_stays_where_it_went() -> None:
    first, second = Model(ProviderFault.QUOTA), Model()
    world = World(first, second)
    world.ask()
    assert world.policy.model == "p/1"
    world.time += 10_000
    world.ask(request(user("a"), Assistant("b")))  # in the middle of a turn
    assert len(first.asked) == 1
    world.ask()  # a new turn, and long after
    assert (len(first.asked), world.policy.model) == (2, "p/0")


def test_a_new_turn_soon_after_stays_too() -> None:
    first, second = Model(ProviderFault.QUOTA), Model()
    world = World(first, second)
    world.ask()
    world.time += 299
    world.ask()
    assert len(first.asked) == 1


def test_other_errors_pass() -> None:
    class Bug:
        def stream(self, request: Request, interrupt: Interrupt) -> Iterator[StreamItem]:
            yield TextPiece("")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(Policy([Route("a/b", Bug())]).stream(request(), Interrupt()))
