"""Runs in every form: as adapters, in bfloat16, of any architecture, in several processes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tiny_models
import torch
from safetensors.torch import load_file

from puzzlemill import pipelines
from puzzlemill.core.errors import UserError
from puzzlemill.core.recipe import recipe_of
from puzzlemill.difficulty.policies import tiny_policy
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.trainer.run import train

RECIPE = """name = "together"
seed = 5
[[make]]
families = ["sums"]
count = 40
levels = [0.25, 0.5]
[policy]
kind = "none"
max_tokens = 64
[train]
steps = 3
prompts = 6
group = 4
save_every = 2
heldout = 1
"""
THEIRS = {"kind": "transformers", "model": str(Path(tiny_policy.__file__).parent / "tiny")}
FORMS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "adapters": (
        {"kind": "tiny"},
        {"lora": {"rank": 4}, "loss": {"kl": 0.01, "kl_in": "reward"}, "learning_rate": 0.003},
    ),
    "bfloat16, behind by a step": (
        {"kind": "tiny"},
        {"dtype": "bfloat16", "recompute": True, "lag": 1, "loss": {"correction": "tis"}},
    ),
    "theirs, adapters in bfloat16": (
        THEIRS,
        {"lora": {"rank": 2, "targets": ["q_proj", "up_proj"]}, "dtype": "bfloat16"},
    ),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("builds")
    (folder / "recipe.toml").write_text(RECIPE)
    return pipelines.build(folder / "recipe.toml", folder)


def copied(built: Path, folder: Path, policy: dict[str, Any], changes: dict[str, Any]) -> Path:
    shutil.copytree(built, folder)
    recipe = json.loads((folder / "recipe.json").read_text())
    recipe["policy"] |= policy
    recipe["train"] |= changes
    (folder / "recipe.json").write_text(json.dumps(recipe))
    return folder


class Killed(Exception):
    """Stands in for the process ending in the middle of a run."""


@pytest.mark.parametrize("form", FORMS)
def test_a_run_of_any_form_goes_on_as_if_it_had_not_been_killed(
    form: str, built: Path, tmp_path: Path
) -> None:
    straight = copied(built, tmp_path / "straight", *FORMS[form])
    broken = copied(built, tmp_path / "broken", *FORMS[form])
    whole = train(straight)

    def kill(step: Any, steps: int) -> None:
        if step.step == 2:  # past the checkpoint of step 2
            raise Killed

    with pytest.raises(Killed):
        train(broken, kill)
    again = train(broken)
    names = ["model.safetensors", "optimizer.safetensors"]
    if "lora" in FORMS[form][1]:
        names.append("adapters/adapter_model.safetensors")
        rank = FORMS[form][1]["lora"]["rank"]
        shapes = {min(each.shape) for each in load_file(whole / names[-1]).values()}
        assert shapes == {rank}
    for name in names:
        assert (again / name).read_bytes() == (whole / name).read_bytes(), name
    assert records(broken) == records(straight)
    assert all(step["mixed"] > 0 for step in records(straight)[:2])
    assert all(step["gradient"] > 0 for step in records(straight)[:2])

    settings = recipe_of(straight).policy
    kind = "transformers" if settings.kind == "transformers" else "native"
    new_policy(type(settings)(kind, str(whole)))  # it is a policy by itself


def records(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "training" / "metrics.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    return [{name: line[name] for name in line if name != "seconds"} for line in found]


def together(folder: Path, processes: int = 2) -> subprocess.CompletedProcess[str]:
    """Train as the manual says."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", str(processes), "-m", "puzzlemill", "train", str(folder)]
    return subprocess.run([*command, "--plain"], capture_output=True, text=True, env=os.environ)


@pytest.mark.parametrize(
    ("policy", "changes"),
    [
        ({"kind": "tiny"}, {"loss": {"kl": 0.01, "open_share": 0.2}}),
        (THEIRS, {"lora": {"rank": 4}, "learning_rate": 0.003, "recompute": True}),
    ],
    ids=["all weights", "theirs, adapters"],
)
def test_two_processes_learn_what_one_learns(
    policy: dict[str, Any], changes: dict[str, Any], built: Path, tmp_path: Path
) -> None:
    alone = copied(built, tmp_path / "alone", policy, changes)
    pair = copied(built, tmp_path / "pair", policy, changes | {"steps": 2})
    last = train(alone)
    done = together(pair)
    assert done.returncode == 0, done.stderr[-3000:]
    recipe = json.loads((pair / "recipe.json").read_text())
    recipe["train"]["steps"] = 3
    (pair / "recipe.json").write_text(json.dumps(recipe))
    other = train(pair)  # what two began, one brings to its end
    assert other.name == last.name
    for one, two in zip(records(alone), records(pair), strict=True):
        exact = {"reward", "mixed", "replies", "tokens", "asked", "discarded"}
        for name, value in one.items():
            near = value if name in exact else pytest.approx(value, rel=1e-3, abs=1e-5)
            assert two[name] == near, name
    names = ["model.safetensors", "optimizer.safetensors"]
    for name in names:
        weights, found = load_file(last / name), load_file(other / name)
        assert weights.keys() == found.keys()
        for key, weight in weights.items():
            assert torch.allclose(found[key], weight, rtol=1e-3, atol=1e-5), (name, key)
    for name in ("before.json", "metrics.jsonl"):
        assert (pair / "training" / name).is_file()
    assert (pair / "training.json").is_file()


def test_two_processes_in_bfloat16_behind_by_a_step_begin_as_one_does(
    built: Path, tmp_path: Path
) -> None:
    """Later on a rounding may turn a reply: rows lie in other batches."""
    policy, changes = FORMS["bfloat16, behind by a step"]
    alone, pair = (
        copied(built, tmp_path / name, policy, changes | {"steps": 2}) for name in ("alone", "pair")
    )
    train(alone)
    done = together(pair)
    assert done.returncode == 0, done.stderr[-3000:]
    one, two = records(alone), records(pair)
    for name in ("reward", "mixed", "replies", "tokens", "asked"):
        assert two[0][name] == one[0][name], name
    for name in ("loss", "gradient", "mismatch"):
        assert two[0][name] == pytest.approx(one[0][name], rel=1e-2, abs=1e-5), name
    assert 0 < two[1]["mismatch"] < 0.02, "it was sampled before the step, and in bfloat16"
    assert two[1]["gradient"] > 0


def test_several_processes_are_told_to_leave_prefect_out(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from puzzlemill.__main__ import train as command

    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(UserError, match="--plain"):
        command(built)


def test_a_model_that_sees_is_trained_on_pictures_by_the_same_road(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text(SEEING)
    folder = pipelines.build(tmp_path / "recipe.toml", tmp_path / "builds")
    model = tiny_models.seeing_model(tmp_path / "model")
    recipe = json.loads((folder / "recipe.json").read_text())
    recipe["policy"] |= {"kind": "transformers", "model": str(model)}
    (folder / "recipe.json").write_text(json.dumps(recipe))
    last = train(folder)
    before, after = (load_file(each / "model.safetensors") for each in (model, last))
    assert before.keys() == after.keys()
    moved = {name for name, weight in after.items() if (weight != before[name]).any()}
    assert any("vision" in name for name in moved)
    (step,) = records(folder)
    assert step["gradient"] > 0
    assert step["mismatch_most"] < 1e-3


SEEING = """name = "seeing"
[[make]]
families = ["jigsaw_pair", "sums"]
count = 3
levels = [0.0]
[policy]
kind = "none"
max_tokens = 8
[train]
steps = 1
prompts = 4
group = 2
heldout = 1
[train.loss]
advantage = "copo"  # even where all groups are alike
entropy = 0.1
"""
