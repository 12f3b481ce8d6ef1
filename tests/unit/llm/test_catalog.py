"""Prices and sizes."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from rescene_cli.core.llm import Usage
from rescene_cli.llm.catalog import Catalog, ModelInfo, Prices, cost
from rescene_cli.llm.provider import PROVIDERS

MILLION = Usage(1_000_000, 1_000_000)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """As litellm ships it."""
    rows = {
        "acme/one": {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6, "max_input_tokens": 1000},
        "acme/late": {"max_input_tokens": 5},
        "openai/gpt-5.6": {"input_cost_per_token": 9.0, "output_cost_per_token": 9.0},
        "bare": {"input_cost_per_token": 3e-6, "output_cost_per_token": 4e-6, "supports_vision": True},
    }
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(rows))
    return path


def test_a_model_of_our_own_table() -> None:
    info = Catalog().info("anthropic/claude-sonnet-4-5")
    assert info.context == 200_000
    assert info.max_output == 64_000
    assert info.reasoning is True
    assert cost(MILLION, info) == pytest.approx(18.0)
    assert cost(Usage(1_000_000, 0, cached=600_000, cache_written=200_000), info) == pytest.approx(0.6 + 0.18 + 0.75)


def test_every_model_of_the_table_has_a_price_and_a_size() -> None:
    own = json.loads((Path(importlib.util.find_spec("rescene_cli.llm").origin).parent / "models.json").read_text())  # type: ignore[union-attr, arg-type]
    for name in own:
        info = Catalog().info(name)
        assert (info.context or 0) > 0
        assert (cost(MILLION, info) or 0) > 0


def test_every_proposed_model_is_known() -> None:
    for provider in PROVIDERS:
        if provider.model and provider.name != "openrouter":
            assert Catalog().info(f"{provider.name}/{provider.model}").context


def test_what_is_not_known_costs_something_unknown() -> None:
    info = Catalog().info("acme/nothing")
    assert info == ModelInfo()
    assert cost(Usage(), info) is None


def test_a_local_model_costs_nothing() -> None:
    assert cost(MILLION, Catalog(frozenset({"ollama"})).info("ollama/qwen3")) == 0.0


def test_litellms_table_comes_second(table: Path) -> None:
    catalog = Catalog(litellm=table)
    assert cost(MILLION, catalog.info("acme/one")) == pytest.approx(3.0)
    assert cost(Usage(1, 0), catalog.info("openai/gpt-5.6")) == pytest.approx(4e-6)
    assert catalog.info("acme/late") == ModelInfo()
    assert catalog.info("any/bare") != ModelInfo()


@pytest.mark.parametrize("name", ["anthropic/claude-sonnet-4-5-20250929", "openai/gpt-5.4-2026-03-05"])
def test_a_dated_name(name: str) -> None:
    assert Catalog().info(name).context


def test_a_long_prompt_costs_more() -> None:
    info = Catalog().info("openai/gpt-5.6")
    assert info.long_from == 272_000
    assert cost(Usage(272_000, 0), info) == pytest.approx(272_000 * 4e-6)
    assert cost(Usage(272_001, 0), info) == pytest.approx(272_001 * 8e-6)


def test_cached_tokens_without_a_price_of_their_own() -> None:
    info = ModelInfo(prices=Prices(2.0, 3.0))
    assert cost(Usage(10, 1, cached=4, cache_written=2), info) == 10 * 2.0 + 3.0


def test_litellm_is_found_but_not_imported(tmp_path: Path) -> None:
    package = tmp_path / "litellm"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('imported')")
    row = {"far/away": {"input_cost_per_token": 1.0, "output_cost_per_token": 1.0}}
    (package / "model_prices_and_context_window_backup.json").write_text(json.dumps(row))
    code = "from rescene_cli.llm.catalog import Catalog; print(Catalog().info('far/away').prices.input)"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout.strip(), done.returncode) == ("1.0", 0), done.stderr
