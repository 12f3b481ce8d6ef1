"""What models cost and how much they hold.

Two tables of one shape: `models.json` beside this file, and the one litellm ships where it is installed, which
is read without importing litellm. Prices are list prices; those of `models.json` are litellm 1.110.2's (MIT).
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rescene_cli.core.llm import Usage

_LITELLM_TABLE = "model_prices_and_context_window_backup.json"


class Prices(NamedTuple):
    """USD per token; None is unknown, which is not 0."""

    input: float | None = None
    output: float | None = None
    cached: float | None = None
    cache_write: float | None = None


class ModelInfo(NamedTuple):
    """What is known of a model; None where it is not.

    `context` is the longest prompt, `max_output` the longest reply, in tokens. A prompt of more than
    `long_from` tokens is billed whole at `long`.
    """

    context: int | None = None
    max_output: int | None = None
    prices: Prices = Prices()
    reasoning: bool | None = None
    long_from: int | None = None
    long: Prices = Prices()


_FREE = Prices(0.0, 0.0, 0.0, 0.0)


class Catalog:
    """Finds models by name. Reads its tables at the first question they are needed for.

    `local` names the providers that run on the person's own machine, where tokens cost nothing. `litellm`
    is litellm's table, found by itself where None.
    """

    def __init__(self, local: frozenset[str] = frozenset(), litellm: Path | None = None) -> None:
        self._local = local
        self._litellm = litellm
        self._tables: list[Mapping[str, Any]] = []
        self._found: dict[str, ModelInfo] = {}

    def info(self, model: str) -> ModelInfo:
        """What is known of `provider/name`."""
        if model not in self._found:
            self._found[model] = self._look_up(model)
        return self._found[model]

    def _look_up(self, model: str) -> ModelInfo:
        provider, _, name = model.partition("/")
        row = self._row(model, name)
        info = _info(row) if row is not None else ModelInfo()
        return info._replace(prices=_FREE, long_from=None) if provider in self._local else info

    def _row(self, model: str, name: str) -> Mapping[str, Any] | None:
        undated = re.sub(r"-(20\d{6}|20\d\d-\d\d-\d\d|latest)$", "", model)
        candidates = [model, name, undated, undated.partition("/")[2]]
        for number in range(2):
            table = self._table(number)
            for candidate in candidates:
                row = table.get(candidate)
                if row is not None and _prices(row, "").input is not None:
                    return row  # type: ignore[no-any-return]  # rows of a JSON table
        return None

    def _table(self, number: int) -> Mapping[str, Any]:
        while len(self._tables) <= number:
            own = Path(__file__).with_name("models.json")
            path = (own, self._litellm or _litellm_table())[len(self._tables)]
            self._tables.append(json.loads(path.read_bytes()) if path is not None else {})
        return self._tables[number]


def cost(usage: Usage, info: ModelInfo) -> float | None:
    """USD of one request, or None when a price that is needed is not known.

    Cached tokens without a price of their own cost what others do; so do those written to a cache.
    """
    prices = info.long if info.long_from is not None and usage.input > info.long_from else info.prices
    if prices.input is None or prices.output is None:
        return None
    cached = prices.input if prices.cached is None else prices.cached
    written = prices.input if prices.cache_write is None else prices.cache_write
    fresh = max(0, usage.input - usage.cached - usage.cache_written)
    return fresh * prices.input + usage.cached * cached + usage.cache_written * written + usage.output * prices.output


def _litellm_table() -> Path | None:
    """Finding a top-level package runs none of its code."""
    spec = importlib.util.find_spec("litellm")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        path = Path(folder) / _LITELLM_TABLE
        if path.is_file():
            return path
    return None


def _info(row: Mapping[str, Any]) -> ModelInfo:
    step = next(
        (found for name in row if (found := re.fullmatch(r"input_cost_per_token_above_(\d+)k_tokens", name))), None
    )
    return ModelInfo(
        _count(row.get("max_input_tokens")),
        _count(row.get("max_output_tokens")),
        _prices(row, ""),
        bool(row.get("supports_reasoning")),
        int(step[1]) * 1000 if step else None,
        _prices(row, f"_above_{step[1]}k_tokens") if step else Prices(),
    )


def _prices(row: Mapping[str, Any], suffix: str) -> Prices:
    names = ("input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost")
    write = row.get(f"cache_creation_input_token_cost{suffix}")
    found = [row.get(name + suffix) for name in names]
    return Prices(*(float(price) if isinstance(price, int | float) else None for price in (*found, write or None)))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) else None
