"""A run's checkpoints: which are kept, what lies in them, and averages and references of them."""

import json
import shutil
from dataclasses import replace
from math import isnan, nan
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from typer.testing import CliRunner

from puzzlemill import pipelines
from puzzlemill.__main__ import app
from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies import checkpoint, tiny_policy
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.transformer import fresh
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.pipelines.recipe import recipe_from
from puzzlemill.trainer.adamw import AdamW, reset
from puzzlemill.trainer.adapters import Unadapted
from puzzlemill.trainer.averaging import average_checkpoints
from puzzlemill.trainer.checkpoint import best_checkpoint
from puzzlemill.trainer.numbers_file import read_plain_data, write_plain_data
from puzzlemill.trainer.run import train
from puzzlemill.trainer.settings import Lora, Train
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.train_state import prepare

BUNDLED = Path(tiny_policy.__file__).parent / "tiny"
RECIPE = """name = "kept"
seed = 5
[[make]]
families = ["sums"]
count = 30
levels = [0.25, 0.5]
[policy]
kind = "none"
max_tokens = 48
[train]
steps = 5
prompts = 3
group = 4
save_every = 1
heldout = 1
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("builds")
    (folder / "recipe.toml").write_text(RECIPE)
    return pipelines.build(folder / "recipe.toml", folder)


def copied(built: Path, folder: Path, **changes: Any) -> Path:
    shutil.copytree(built, folder)
    recipe = json.loads((folder / "recipe.json").read_text())
    recipe["policy"] |= {"kind": "tiny"}
    recipe["train"] |= changes
    (folder / "recipe.json").write_text(json.dumps(recipe))
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("checkpoint-*"))


class Killed(Exception):
    """Stands in for the process ending in the middle of a run."""


def test_the_last_checkpoints_are_kept_and_the_best_besides(built: Path, tmp_path: Path) -> None:
    folder = copied(built, tmp_path / "run", keep=2, keep_best=True, measure_every=2)
    run, best = folder / "training", "checkpoint-000002"

    def watch(step: Any, steps: int) -> None:
        if step.step == 3:  # as if the evaluation after step 2 had been the best there can be
            cells = [["sums", 0.25, 1, 1]]
            (run / "heldout.jsonl").write_text(json.dumps({"done": 2, "cells": cells}) + "\n")
        if step.step == 4:
            raise Killed

    with pytest.raises(Killed):
        train(folder, watch)
    assert names(run) == [best, "checkpoint-000004", "checkpoint-000005"]
    assert best_checkpoint(run) == run / best
    train(folder)
    assert names(run) == [best, "checkpoint-000004", "checkpoint-000005"]
    assert json.loads((folder / "training.json").read_text())["best"] == best


def test_an_evaluation_that_a_stop_left_out_is_made_when_the_run_goes_on(
    built: Path, tmp_path: Path
) -> None:
    straight = copied(built, tmp_path / "straight", measure_every=2, steps=3)
    broken = copied(built, tmp_path / "broken", measure_every=2, steps=3)
    train(straight)

    def kill(step: Any, steps: int) -> None:
        if step.step == 1:  # its checkpoint is written, its evaluation is not
            raise Killed

    with pytest.raises(Killed):
        train(broken, kill)
    train(broken)
    one, other = ((each / "training" / "heldout.jsonl").read_text() for each in (straight, broken))
    assert one == other


def test_rollouts_that_are_carried_over_lie_in_a_binary_file(built: Path, tmp_path: Path) -> None:
    folder = copied(built, tmp_path / "run", replay=4, steps=2)
    last = train(folder)
    assert "memory" not in json.loads((last / "run.json").read_text())
    memory = read_plain_data(last / "memory.safetensors")
    assert memory["replay"]
    assert (last / "run.json").stat().st_size < 10_000
    (last / "memory.safetensors").write_bytes(b"torn")
    with pytest.raises(UserError, match=r"memory\.safetensors: cannot be read"):
        train(folder)


def test_plain_data_goes_through_a_file_of_numbers_and_back(tmp_path: Path) -> None:
    data = {
        "tokens": [*range(9)],
        "logps": [0.1 * n for n in range(9)],
        "short": [1, 2.5],
        "mixed": [1, 2.0, *range(9)],
        "flags": [True] * 9,
        "none": None,
        "lists": [[*range(20)], [1e300] * 8, []],
        "text": "nach oben ↑",
    }
    write_plain_data(data, tmp_path / "x")
    assert read_plain_data(tmp_path / "x") == data
    assert all(type(value) is int for value in read_plain_data(tmp_path / "x")["tokens"])
    write_plain_data([nan] * 8, tmp_path / "x")
    assert all(isnan(value) for value in read_plain_data(tmp_path / "x"))


def moved(folder: Path, by: float) -> Path:
    """The bundled policy, all of whose weights are changed by a number."""
    shutil.copytree(BUNDLED, folder, ignore=shutil.ignore_patterns("__*"))
    weights = load_file(folder / "model.safetensors")
    changed = {name: weight + by for name, weight in weights.items()}
    save_file(changed, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def test_checkpoints_are_averaged_weight_by_weight(tmp_path: Path) -> None:
    folders = [moved(tmp_path / f"by {by}", by) for by in (0.25, 0.5, 0.75)]
    (folders[0] / "optimizer.safetensors").write_bytes(b"")
    (folders[0] / "run.json").write_text("{}")
    said = CliRunner().invoke(app, ["average", *map(str, folders), "--to", str(tmp_path / "mean")])
    assert said.exit_code == 0, said.output
    found, before = (load_file(each / "model.safetensors") for each in (tmp_path / "mean", BUNDLED))
    for name, weight in found.items():
        assert torch.allclose(weight, before[name] + 0.5, atol=1e-6)
    assert sorted(path.name for path in (tmp_path / "mean").iterdir()) == sorted(
        path.name for path in BUNDLED.iterdir() if not path.name.startswith("__")
    )
    checkpoint.load(tmp_path / "mean")
    with pytest.raises(UserError, match="is there already"):
        average_checkpoints(folders, tmp_path / "mean")
    with pytest.raises(UserError, match="two checkpoints or more"):
        average_checkpoints(folders[:1], tmp_path / "other")
    weights = load_file(folders[1] / "model.safetensors")
    weights.pop("model.norm.weight")
    save_file(weights, folders[1] / "model.safetensors")
    with pytest.raises(UserError, match=r"by 0.5: the weight model.norm.weight is not as in"):
        average_checkpoints(folders, tmp_path / "other")
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("rank", [0, 2])
def test_a_reference_is_any_checkpoint_or_the_average_of_several(tmp_path: Path, rank: int) -> None:
    folders = [moved(tmp_path / f"by {by}", by) for by in (0.5, 1.0)]
    for reference, by in ((str(folders[0]), 0.5), (tuple(map(str, folders)), 0.75)):
        policy: Any = new_policy(PolicySettings())
        settings = Train(loss=Loss(kl=0.1, reference=reference), lora=Lora(rank))
        found = prepare(policy, settings, tmp_path).reference
        assert not isinstance(found, Unadapted)
        assert found is not None
        own = found.state_dict()
        for name, weight in load_file(BUNDLED / "model.safetensors").items():
            assert torch.allclose(own[name], weight + by, atol=1e-6)
    wrong = Train(loss=Loss(kl=0.1, reference=str(tmp_path / "nowhere")))
    with pytest.raises(UserError, match=r"nowhere: no config\.json"):
        prepare(new_policy(PolicySettings()), wrong, tmp_path)


@pytest.mark.parametrize("more", [-1, 1])
def test_a_reference_of_fewer_or_more_layers_is_refused(tmp_path: Path, more: int) -> None:
    policy: Any = new_policy(PolicySettings())
    shape = policy.model.shape
    checkpoint.save(fresh(replace(shape, layers=shape.layers + more), 0), tmp_path, policy.tokens)
    settings = Train(loss=Loss(kl=0.1, reference=str(tmp_path)))
    with pytest.raises(UserError, match="not of the policy's architecture: the weight"):
        prepare(policy, settings, tmp_path)


def test_a_reference_has_an_effect_only_beside_kl_and_stays_with_adapters() -> None:
    table = {"name": "x", "make": [{"families": ["sums"]}]}
    with pytest.raises(UserError, match="reference has an effect only where kl"):
        recipe_from(table | {"train": {"loss": {"reference": "folder"}}})
    with pytest.raises(UserError, match="reset_optimizer has an effect only where reference_every"):
        recipe_from(table | {"train": {"loss": {"kl": 1.0, "reset_optimizer": True}}})
    loss = {"kl": 1.0, "reference": ["a", "b"], "reference_every": 2}
    with pytest.raises(UserError, match=r"with \[train.lora\] the reference is a checkpoint"):
        recipe_from(table | {"train": {"loss": loss, "lora": {"rank": 2}}})


def test_a_reset_of_the_reference_begins_the_optimizer_anew(built: Path, tmp_path: Path) -> None:
    loss = {"kl": 0.01, "reference_every": 2, "reset_optimizer": True, "advantage": "copo"}
    last = train(copied(built, tmp_path / "run", loss=loss, steps=2))
    assert load_file(last / "optimizer.safetensors") == {}
    reference, model = (load_file(last / f"{name}.safetensors") for name in ("reference", "model"))
    assert all(torch.equal(reference[name], weight) for name, weight in model.items())
    folder = copied(built, tmp_path / "longer", loss=loss, steps=3)
    steps = {
        tensor.item()
        for name, tensor in load_file(train(folder) / "optimizer.safetensors").items()
        if name.endswith(".step")
    }
    assert steps == {1.0}
    weight = torch.ones(2, requires_grad=True)
    optimizer = AdamW([weight], 0.1)
    weight.grad = torch.ones(2)
    optimizer.step()
    reset(optimizer)
    assert optimizer.state == {weight: {}}
