"""What a person allows a run to use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from rescene_cli.core.errors import LimitError
from rescene_cli.core.events import Totals
from rescene_cli.core.llm import Usage


class Limits(NamedTuple):
    """None is no limit. `requests` of one task; `cost` in US dollars and `tokens`, in and out, of the session."""

    requests: int | None = None
    cost: float | None = None
    tokens: int | None = None


class Mark(NamedTuple):
    """A reading of a `Meter`."""

    usage: Usage
    cost: float | None
    requests: int


@dataclass(slots=True)
class Meter:
    """What a session has used. `cost` is None once a reply had no known price."""

    limits: Limits
    usage: Usage = Usage()  # noqa: RUF009 - immutable
    cost: float | None = 0.0
    requests: int = 0
    _begun: int = 0  # requests before the present task

    def begin(self) -> Mark:
        """A task begins; where the meter stands then."""
        self._begun = self.requests
        return Mark(self.usage, self.cost, self.requests)

    def add(self, usage: Usage, cost: float | None) -> bool:
        """Count one reply. False when the limit of cost can't be kept any longer, for want of a price."""
        kept = cost is not None or self.cost is None or self.limits.cost is None
        self.usage += usage
        self.cost = None if cost is None or self.cost is None else self.cost + cost
        return kept

    def check(self) -> None:
        """Raise LimitError when the next request would go over a limit."""
        limits, used = self.limits, self.usage.input + self.usage.output
        if limits.requests is not None and self.requests - self._begun >= limits.requests:
            message = f"The limit of {limits.requests} model requests is reached."
            raise LimitError(message, "Raise it with --max-turns.")
        if limits.cost is not None and self.cost is not None and self.cost >= limits.cost:
            message = f"The limit of ${limits.cost:.2f} is reached (${self.cost:.4f} used)."
            raise LimitError(message, "Raise it with --max-cost.")
        if limits.tokens is not None and used >= limits.tokens:
            message = f"The limit of {limits.tokens:,} tokens is reached ({used:,} used)."
            raise LimitError(message, "Raise it with --max-tokens.")

    def since(self, before: Mark) -> Totals:
        """What was used since `begin` gave `before`."""
        cost = None if self.cost is None or before.cost is None else self.cost - before.cost
        used, then = self.usage, before.usage
        return Totals(used.input - then.input, used.output - then.output, used.cached - then.cached, cost)
