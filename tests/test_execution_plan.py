"""Execution plans: memory and time by hand, and the placement that the search picks."""

import json
import re
import tomllib
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from puzzlemill.__main__ import app
from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.transformer import Shape, fresh
from puzzlemill.pipelines.recipe import recipe_from
from puzzlemill.trainer import distributed
from puzzlemill.trainer.execution_plan import (
    GIB,
    Placement,
    Rates,
    activations,
    best_plan,
    placements,
    plan_of,
    plan_text,
    weights_of,
    work_of,
)
from puzzlemill.trainer.placement import engine_places
from puzzlemill.trainer.settings import Lora, Train

SHAPE = Shape(64, 3, 4, 2, 16, 96, 500)
SETTINGS = Train(prompts=10, group=4, max_staleness=1, dtype="bfloat16", micro_batch=100)
RATES = Rates(weights_of(SHAPE), 1000.0, 500.0, 1e9, 80 * GIB)
RECIPE = Path(__file__).parents[1] / "recipes" / "papers" / "realhf.toml"


def test_weights_are_counted_as_the_model_has_them() -> None:
    """Biases of queries, keys and values are left out: one in ten thousand of a real model."""
    bare = replace(SHAPE, qkv_bias=False)
    for shape in (bare, replace(bare, tied=False)):
        assert weights_of(shape) == sum(each.numel() for each in fresh(shape, 0).parameters())


def test_a_steps_time_by_hand() -> None:
    """10 prompts of 4 replies of 50 tokens are 2,000 tokens: 2 s of sampling, 4 s of learning."""
    by_turns = plan_of(Placement(2, 2, 1, shared=True), SHAPE, SETTINGS, 50, RATES)
    assert work_of(SETTINGS, 50).sampled == 2000
    assert (by_turns.sampling_seconds, by_turns.learning_seconds) == (1.0, 2.0)
    assert by_turns.seconds == pytest.approx(3.0, abs=1e-3)
    apart = plan_of(Placement(1, 2, 1, shared=False), SHAPE, SETTINGS, 50, RATES)
    assert apart.seconds == pytest.approx(2.0, abs=1e-3), "the slower of the two"


def test_the_search_takes_the_fastest_placement_that_fits() -> None:
    plan = best_plan(SHAPE, SETTINGS, 50, RATES, devices=3)
    # Three by turns take 2/3 + 4/3 seconds, as one that samples beside two that learn.
    assert plan.seconds == pytest.approx(2.0, abs=1e-3)
    slow_link = replace(RATES, link_bytes_a_second=1.0)
    assert best_plan(SHAPE, SETTINGS, 50, slow_link, 3).handover_seconds > 1e5
    every = [plan_of(each, SHAPE, SETTINGS, 50, RATES).seconds for each in placements(3, True)]
    assert plan.seconds == min(every)


def test_sampling_is_apart_only_where_it_may_be_ahead() -> None:
    assert all(each.shared for each in placements(4, ahead=False))
    assert any(not each.shared for each in placements(4, ahead=True))
    assert all(each.devices <= 4 for each in placements(4, ahead=True))


def test_a_model_that_is_too_large_for_one_device_is_spread_or_refused() -> None:
    tight = replace(RATES, memory_bytes=10 * weights_of(SHAPE) + activations(SHAPE, SETTINGS, 2))
    with pytest.raises(UserError, match="no placement on 1 devices fits"):
        best_plan(SHAPE, SETTINGS, 50, tight, devices=1)
    assert best_plan(SHAPE, SETTINGS, 50, tight, devices=4).placement.learning > 1
    adapters = replace(SETTINGS, lora=Lora(rank=4))
    assert best_plan(SHAPE, adapters, 50, tight, devices=1).placement.learning == 1


def test_the_command_tells_a_plan_and_trains_nothing(tmp_path: Path) -> None:
    rates = tmp_path / "rates.json"
    rates.write_text(json.dumps(asdict(RATES)))
    told = CliRunner().invoke(app, ["train", str(RECIPE), "--plan", str(rates), "--devices", "4"])
    assert told.exit_code == 0, told.output
    for word in (
        "placement: ",
        "memory of a device: ",
        "tokens a step",
        "seconds a step: ",
        '[train]: sampler = "vllm"; placement = {',
        "puzzlemill train BUILD",
    ):
        assert word in told.output
    assert [*tmp_path.iterdir()] == [rates]


@pytest.mark.parametrize("change", [{"weights": 0}, {"weights": "many"}, {"wings": 2}])
def test_rates_that_are_none_are_refused(change: dict[str, object], tmp_path: Path) -> None:
    rates = tmp_path / "rates.json"
    rates.write_text(json.dumps(asdict(RATES) | change))
    told = CliRunner().invoke(app, ["train", str(RECIPE), "--plan", str(rates)])
    assert told.exit_code != 0


def as_told(text: str) -> tuple[Train, int]:
    """The settings of a plan's text, and how many processes it starts."""
    (said,) = (line for line in text.splitlines() if line.startswith("[train]: "))
    train = said.removeprefix("[train]: ").replace("; ", "\n")
    read = {"name": "x", "make": [{"families": ["sums"]}], "train": tomllib.loads(train)}
    settings = recipe_from(read).train
    assert isinstance(settings, Train)
    started = re.search(r"--nproc-per-node (\d+)", text)
    return settings, int(started[1]) if started else 1


@pytest.mark.parametrize("place", [*placements(6, ahead=True)], ids=str)
def test_a_run_that_is_started_as_told_has_the_placement_that_was_planned(
    place: Placement, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(place, SHAPE, SETTINGS, 50, RATES)
    settings, ranks = as_told(plan_text(plan, work_of(SETTINGS, 50)))
    assert ranks == place.learning
    engines: list[tuple[int, ...]] = []
    monkeypatch.setenv("LOCAL_WORLD_SIZE", str(ranks))
    monkeypatch.setattr(distributed, "world_size", lambda: ranks)
    for rank in range(ranks):
        monkeypatch.setattr(distributed, "rank", lambda rank=rank: rank)
        monkeypatch.setenv("LOCAL_RANK", str(rank))
        ahead = not place.shared and SETTINGS.max_staleness > 0
        engines += engine_places(settings.placement, ahead).mine
    assert {len(each) for each in engines} == {place.parallel}
    first = 0 if place.shared else place.learning
    assert sorted(sum(engines, ())) == [*range(first, first + place.sampling)]
