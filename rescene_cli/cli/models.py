"""`rescene models`: what can be used now, and what it takes to use more."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rescene_cli.cli.config import TrustProject
from rescene_cli.config.load import load, project_root
from rescene_cli.core.findings import Finding, Report, Severity
from rescene_cli.llm.catalog import Catalog, Prices
from rescene_cli.llm.endpoints import Found

_LISTED = 8  # models of one server that are named; --json has them all
NO_MODEL = Finding(
    Severity.WARNING,
    "models",
    "No model is set up.",
    "Set a key (export ANTHROPIC_API_KEY=... or OPENAI_API_KEY=...), start a local server (ollama serve), or watch"
    " a recorded one: rescene run --demo",
)


def models(trust_project: TrustProject = False) -> Report:
    """Models that are set up, and what is missing."""
    from rescene_cli.wiring import open_directory

    config = load(os.environ, project_root(Path()), trusted=trust_project)
    directory = open_directory(config)
    found = directory.detect()
    chosen = config.model or next((one.model for one in found), "")
    rows = [_row(directory.catalog, model, "configuration") for model in (config.model, *config.fallback) if model]
    rows += [_row(directory.catalog, model, one.source) for one in found for model in _names(one)]
    missing = [
        {"provider": provider.name, "key_env": provider.key_env}
        for provider in directory.providers
        if provider.key_env and not os.environ.get(provider.key_env)
    ]
    data = {"default": chosen or None, "models": rows, "missing": missing}
    findings = config.findings if chosen else (*config.findings, NO_MODEL)
    return Report("models", data, "\n".join(_text(chosen, rows, found, missing)), findings)


def _names(found: Found) -> Sequence[str]:
    """What its provider offers, as `--model` takes it."""
    return [f"{found.provider}/{name}" for name in found.models] or [found.model]


def _row(catalog: Catalog, model: str, source: str) -> dict[str, Any]:
    info = catalog.info(model)
    prices = {f"{name}_usd_per_million": _per_million(info.prices, name) for name in ("input", "cached", "output")}
    return {"model": model, "source": source, "context": info.context, "max_output": info.max_output, **prices}


def _per_million(prices: Prices, name: str) -> float | None:
    price = getattr(prices, name)
    return None if price is None else round(price * 1_000_000, 4)


def _text(
    chosen: str, rows: Sequence[dict[str, Any]], found: Sequence[Found], missing: Sequence[dict[str, str]]
) -> Iterator[str]:
    yield f"Used when none is named: {chosen or 'none'}"
    many = {one.source for one in found if len(one.models) > _LISTED}
    shown = [row for row in rows if row["source"] not in many]
    for one in found:
        if one.source in many:
            shown += [row for row in rows if row["source"] == one.source][:_LISTED]
    if shown:
        yield "\nSet up:"
    width = max((len(row["model"]) for row in shown), default=0)
    for row in shown:
        yield f"  {row['model']:<{width}}  {_size(row['context']):>14}  {_price(row):<30}  {row['source']}"
    for one in found:
        if one.source in many:
            yield f"  and {len(one.models) - _LISTED} more at {one.source} (--json lists all)"
    if missing:
        yield "\nNot set up; each needs its key in the environment:"
        width = max(len(row["provider"]) for row in missing)
        yield from (f"  {row['provider']:<{width}}  {row['key_env']}" for row in missing)


def _size(tokens: int | None) -> str:
    return "context ?" if tokens is None else f"{tokens // 1000:,}k context"


def _price(row: dict[str, Any]) -> str:
    taken, given = row["input_usd_per_million"], row["output_usd_per_million"]
    if taken is None or given is None:
        return "price unknown"
    return "free" if taken == given == 0 else f"${taken:g} in, ${given:g} out a million"
