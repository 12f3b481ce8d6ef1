"""What happens when a request fails: again, elsewhere, or the end. Decided by two tables of faults."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rescene_cli.core.errors import ProviderError, ProviderFault
from rescene_cli.core.llm import LLM, FailedOver, Request, RetryScheduled, StreamItem
from rescene_cli.core.messages import User
from rescene_cli.core.runtime import Interrupt


class Rule(NamedTuple):
    """How often a fault is tried again, and whether the next model of the list may take over."""

    retries: int = 0
    switch: bool = False


# Tools run only when a reply is whole, so a stream that broke may be asked for again without doing anything twice.
# A fault of ours (a bad request, a key that is refused, a name that is wrong) never moves to another model, which
# would hide it.
RULES: dict[ProviderFault, Rule] = {
    ProviderFault.RATE_LIMITED: Rule(5, switch=True),
    ProviderFault.OVERLOADED: Rule(5, switch=True),
    ProviderFault.SERVER: Rule(4, switch=True),
    ProviderFault.DROPPED: Rule(4, switch=True),
    ProviderFault.UNREACHABLE: Rule(3, switch=True),
    ProviderFault.TIMEOUT: Rule(2, switch=True),
    ProviderFault.STALLED: Rule(2, switch=True),
    ProviderFault.MALFORMED: Rule(2, switch=True),
    ProviderFault.QUOTA: Rule(0, switch=True),
    ProviderFault.TLS: Rule(),
    ProviderFault.AUTHENTICATION: Rule(),
    ProviderFault.NOT_FOUND: Rule(),
    ProviderFault.CONTEXT_OVERFLOW: Rule(),
    ProviderFault.BAD_REQUEST: Rule(),
    ProviderFault.NOT_CONFIGURED: Rule(),
}


class Route(NamedTuple):
    """A model and what speaks to it."""

    model: str
    llm: LLM


class Patience(NamedTuple):
    """How long to wait, in seconds.

    The n-th wait is `first` * 2^(n-1), at most `longest`, give or take a quarter. A provider that asks for more
    than `asked_limit` is not waited for. While another model is left, a fault is tried again only
    `before_switch` times. A model that was left is tried again at the first turn after `away`.
    """

    first: float = 1.0
    longest: float = 30.0
    asked_limit: float = 120.0
    before_switch: int = 2
    away: float = 300.0


class Policy:
    """Retries and falls back over `routes`, the preferred one first.

    `random_share` gives numbers in [0, 1); `wait` sleeps until an interrupt; `now` is monotonic, in seconds.
    """

    def __init__(
        self,
        routes: Sequence[Route],
        patience: Patience | None = None,
        *,
        random_share: Callable[[], float] = random.random,
        wait: Callable[[Interrupt, float], None] = Interrupt.wait,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._routes = tuple(routes)
        self._patience = patience or Patience()
        self._random_share = random_share
        self._wait = wait
        self._now = now
        self._at = 0
        self._left_at = 0.0

    @property
    def model(self) -> str:
        """The model that the next request goes to."""
        return self._routes[self._at].model

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[StreamItem]:
        """See `core.llm.LLM`; pieces before a `RetryScheduled` or a `FailedOver` are void."""
        self._return_home(request)
        attempt = 0
        while True:
            route = self._routes[self._at]
            try:
                yield from route.llm.stream(request._replace(model=route.model), interrupt)
            except ProviderError as error:
                attempt += 1
                attempts = self._attempts(error)
                if attempt < attempts:
                    seconds = self._seconds(error, attempt)
                    yield RetryScheduled(error.message, seconds, attempt, attempts)
                    self._wait(interrupt, seconds)
                elif self._may_switch(error):
                    self._at, self._left_at, attempt = self._at + 1, self._now(), 0
                    yield FailedOver(route.model, self.model, error.message)
                else:
                    raise self._final(error, attempt) from error
            else:
                return

    def _attempts(self, error: ProviderError) -> int:
        """How often the request may be made in all."""
        if (error.retry_after or 0) > self._patience.asked_limit:
            return 1
        retries = RULES[error.fault].retries
        return 1 + (min(retries, self._patience.before_switch) if self._may_switch(error) else retries)

    def _may_switch(self, error: ProviderError) -> bool:
        return RULES[error.fault].switch and self._at + 1 < len(self._routes)

    def _seconds(self, error: ProviderError, attempt: int) -> float:
        patience, share = self._patience, self._random_share()
        if error.retry_after is not None:
            return error.retry_after + share * 0.5  # never earlier than asked
        return min(patience.longest, patience.first * 2.0 ** (attempt - 1)) * (0.75 + share / 2)

    def _return_home(self, request: Request) -> None:
        """Only where a turn begins: in the middle of one a switch would throw the new model's cache away."""
        begins = bool(request.messages) and isinstance(request.messages[-1], User)
        if self._at and begins and self._now() - self._left_at >= self._patience.away:
            self._at = 0

    def _final(self, error: ProviderError, attempts: int) -> ProviderError:
        message = error.message
        if error.retry_after is not None and error.retry_after > self._patience.asked_limit:
            asked, limit = error.retry_after, self._patience.asked_limit
            message = f"{message} It asks to wait {asked:,.0f} s, more than the limit of {limit:,.0f} s."
        elif attempts > 1:
            message = f"{message} (tried {attempts} times)"
        if message == error.message:
            return error
        return ProviderError(message, error.hint, fault=error.fault, status=error.status, retry_after=error.retry_after)
