"""Runs in every form: as adapters, in bfloat16, of any architecture, in several processes.

Those that sample elsewhere do so on a stand-in for a server, and on stand-ins for engines.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import tiny_models
import torch
from safetensors.torch import load_file

from benchmarks.engines.stand_in_server import StandIn, serving
from puzzlemill import pipelines
from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.parquet import read_table
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.policies import tiny_policy
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.policy import Reply, Sampling
from puzzlemill.pipelines.recipe import recipe_of
from puzzlemill.trainer.adamw import AdamW
from puzzlemill.trainer.advantages import mixed_groups
from puzzlemill.trainer.conversations import Attempt, Conversation
from puzzlemill.trainer.logps import logps
from puzzlemill.trainer.micro_batch import Sample, micro_batches
from puzzlemill.trainer.optimizer_step import optimizer_step
from puzzlemill.trainer.rollouts import Prompt, Rollouts, groups_of
from puzzlemill.trainer.run import train
from puzzlemill.trainer.schedule import Ticket
from puzzlemill.trainer.shapings import Rewards
from puzzlemill.trainer.train_samples import samples_of
from puzzlemill.trainer.train_state import prepare
from puzzlemill.trainer.weights import full_state_dict

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
BUNDLED = Path(tiny_policy.__file__).parent / "tiny"
THEIRS = {"kind": "transformers", "model": str(BUNDLED)}
FORMS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "adapters": (
        {"kind": "tiny"},
        {"lora": {"rank": 4}, "loss": {"kl": 0.01, "kl_in": "reward"}, "learning_rate": 0.003},
    ),
    "bfloat16, behind by a step": (
        {"kind": "tiny"},
        {"dtype": "bfloat16", "recompute": True, "max_staleness": 1, "loss": {"correction": "tis"}},
    ),
    "partial rollouts, behind by a step": (
        {"kind": "tiny"},
        {"partial_rollouts": 8, "oversample": 2.0, "max_staleness": 1, "steps": 4},
    ),
    "theirs, adapters in bfloat16": (
        THEIRS,
        {
            "lora": {"rank": 2, "targets": ["q_proj", "up_proj"]},
            "dtype": "bfloat16",
            "loss": {"kl": 0.01, "kl_in": "reward"},
        },
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


@pytest.mark.parametrize(
    "form", [*[*FORMS][:-1], pytest.param([*FORMS][-1], marks=pytest.mark.deep)]
)
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
    if "partial_rollouts" in FORMS[form][1]:
        assert any(step["also"]["continued"] for step in records(straight))

    settings = recipe_of(straight).policy
    kind = "transformers" if settings.kind == "transformers" else "native"
    new_policy(type(settings)(kind, str(whole)))  # it is a policy by itself


def records(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "training" / "metrics.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    return [{name: line[name] for name in line if name != "seconds"} for line in found]


PAIRED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "all weights": (
        {"kind": "tiny"},
        {
            "loss": {
                "kl": 0.01,
                "kl_in": "reward",
                "reference_every": 2,
                "reference_kept": 0.5,
                "open_share": 0.2,
            },
            "epochs": 2,
            "minibatches": 2,
            "learning_rate": 1e-4,
        },
    ),
    "theirs, adapters": (
        THEIRS,
        {
            "lora": {"rank": 4},
            "loss": {"kl": 0.01, "advantage": "tempo"},
            "reward": {"pf_ppo": "best_worst", "pf_ppo_share": 0.9},
            "learning_rate": 0.003,
            "recompute": True,
        },
    ),
    "bfloat16, behind by a step": (
        FORMS["bfloat16, behind by a step"][0],
        FORMS["bfloat16, behind by a step"][1] | {"keep_replies": True, "learning_rate": 0.003},
    ),
}


ENDLESS = """name = "run"
[[make]]
families = ["sums", "sorting"]
levels = [0.25]
[policy]
kind = "tiny"
max_tokens = 48
[train]
source = "endless"
MORE
prompts = 4
group = 4
heldout = 2
learning_rate = 1e-3
"""
SERVED = 'steps = 3\nsampler = "server"\nserver = "URL"'
PLACEMENTS = {
    "own": 'steps = 2\nsampler = "vllm"',
    "one for both": 'steps = 2\nsampler = "vllm"\nplacement = {parallel = 2}',
    "apart": 'steps = 2\nsampler = "vllm"\nmax_staleness = 1\nplacement = {engines = 2}',
}


def endless(home: Path, more: str) -> Path:
    home.mkdir()
    (home / "run.toml").write_text(ENDLESS.replace("MORE", more))
    return pipelines.ready_to_train(home / "run.toml", home)


@dataclass(frozen=True)
class Paired:
    """What two processes did, by the name of the run, and the server that one of them asked."""

    runs: dict[str, Path]
    server: StandIn


@pytest.fixture(scope="module")
def paired(
    built: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Paired:
    """Runs by two processes, which torchrun starts as the manual says; to start takes longer than
    a run."""
    home = tmp_path_factory.mktemp("paired")
    forms = PAIRED if request.config.getoption("--deep") else PAIRED.keys() - {"theirs, adapters"}
    runs = {
        form: copied(built, home / str(place), policy, changes | {"steps": 2})
        for place, (form, (policy, changes)) in enumerate(PAIRED.items())
        if form in forms
    }
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", "2", str(Path(__file__).with_name("pair.py"))]
    with serving(StandIn(tiny_policy.tiny(Sampling(max_tokens=48)))) as server:
        for name, more in {"served": SERVED.replace("URL", server.url), **PLACEMENTS}.items():
            runs[name] = endless(home / name.replace(" ", "-"), more)
        done = subprocess.run(
            [*command, *map(str, runs.values())],
            capture_output=True,
            text=True,
            env={**os.environ, "no_proxy": "*"},
        )
    assert done.returncode == 0, done.stderr[-3000:]
    return Paired(runs, server)


@pytest.mark.parametrize(
    "form", ["all weights", pytest.param("theirs, adapters", marks=pytest.mark.deep)]
)
def test_two_processes_learn_what_one_learns(
    form: str, built: Path, paired: Paired, tmp_path: Path
) -> None:
    pair, alone = paired.runs[form], copied(built, tmp_path / "alone", *PAIRED[form])
    last = train(alone)
    recipe = json.loads((pair / "recipe.json").read_text())
    recipe["train"]["steps"] = 3
    (pair / "recipe.json").write_text(json.dumps(recipe))
    other = train(pair)  # what two began, one brings to its end
    assert other.name == last.name
    # Rows lie in other batches: log-probabilities are some 1e-7 apart, too little to turn one of
    # three thousand draws.
    for one, two in zip(records(alone), records(pair), strict=True):
        exact = {"reward", "mixed", "replies", "tokens", "asked", "discarded"}
        for name, value in one.items():
            near = value if name in exact else pytest.approx(value, rel=1e-3, abs=1e-5)
            assert two[name] == near, name
    moved, also = (moved_to(each / "model.safetensors") for each in (last, other))
    assert distance(also, moved) < 1e-3
    for part in ("exp_avg", "exp_avg_sq"):
        one, two = (
            together(load_file(each / "optimizer.safetensors"), part) for each in (last, other)
        )
        assert distance(two, one) < 1e-3, part
    for name in ("before.json", "metrics.jsonl"):
        assert (pair / "training" / name).is_file()
    assert (pair / "training.json").is_file()
    items = [folder / "training" / "items.parquet" for folder in (pair, alone)]
    assert items[0].read_bytes() == items[1].read_bytes()


def moved_to(file: Path) -> torch.Tensor:
    """What training did to the weights of the bundled policy."""
    return together(load_file(file)) - together(load_file(BUNDLED / "model.safetensors"))


def together(weights: dict[str, torch.Tensor], part: str = "") -> torch.Tensor:
    names = sorted(name for name in weights if not part or name.endswith(f".{part}"))
    return torch.cat([weights[name].flatten() for name in names])


def distance(one: torch.Tensor, other: torch.Tensor) -> float:
    """Relative to their size, of all weights together: of a weight whose gradient is next to
    nothing, rounding decides which way AdamW moves it."""
    return ((one - other).norm() / other.norm()).item()


def test_two_processes_in_bfloat16_behind_by_a_step_learn_what_one_learns_of_their_replies(
    paired: Paired,
) -> None:
    """Of the same replies: in bfloat16 each log-probability hangs on the batch and the processor
    by some thousandths, which turns a draw here and there."""
    folder = paired.runs["bfloat16, behind by a step"]
    settings = recipe_of(folder).train
    policy: Any = tiny_policy.tiny(Sampling(max_tokens=64))
    prepared = prepare(policy, settings, Path())
    optimizer = AdamW(prepared.trainable, settings.learning_rate, settings.decay)
    sampler: Any = prepared.sampler
    # And not again: a step behind, both steps sample with these.
    sampler.update(full_state_dict(policy.model))
    for number, record in enumerate(records(folder)):
        file = folder / "training" / "replies" / f"step-{number:06d}.parquet"
        said = rollouts(read_table(file).to_pylist(), settings.group)
        assert record["replies"] == len(said.replies) == settings.prompts * settings.group
        assert record["tokens"] == sum(len(reply.tokens) for reply in said.replies)
        assert record["reward"] == pytest.approx(said.scores_PG.mean().item())
        kept = said.select(torch.nonzero(mixed_groups(said.scores_PG))[:, 0].tolist())
        groups = groups_of(kept, settings, 64, number)
        texts = samples_of(policy, kept, groups, Rewards(kept.scores_PG))
        assert gap(sampler, texts) < 0.02
        told = optimizer_step(policy, optimizer, texts, settings.loss, settings.gradient)
        # Rounding is worth some hundredths; the sum over two processes for their mean, a half.
        assert record["gradient"] == pytest.approx(told["gradient"], rel=0.25)
        assert record["mismatch"] == pytest.approx(told["mismatch"], rel=0.5)
        # Advantages add up to nothing: what is left is how far single tokens are rounded.
        assert record["loss"] == pytest.approx(told["loss"], abs=0.005)
    assert record["mismatch"] > 0.04, "learned from what other weights said"
    moved = together(full_state_dict(policy.model)) - together(
        load_file(BUNDLED / "model.safetensors")
    )
    other = moved_to(folder / "training" / "checkpoint-000002" / "model.safetensors")
    assert torch.cosine_similarity(moved, other, dim=0) > 0.9


def rollouts(rows: list[dict[str, Any]], group: int) -> Rollouts:
    """The replies of a step, as they were before they were written down."""
    verdict = Verdict(0.0, False, "wrong")  # the score stands beside it
    talks = [
        Conversation(
            (
                Attempt(
                    row["prompt"], Reply(row["reply"], row["finished"], row["tokens"], row["logps"])
                ),
            ),
            verdict,
        )
        for row in rows
    ]
    starts = range(0, len(rows), group)
    return Rollouts(
        [Prompt(Ticket(start), rows[start] | {"images": []}) for start in starts],
        [talks[start : start + group] for start in starts],
        torch.tensor([row["score"] for row in rows]).view(-1, group),
    )


def gap(sampler: Any, texts: list[Sample]) -> float:
    """How far the log-probabilities that were sampled are from those that a sampler gives."""
    model = sampler.policy.model
    with torch.no_grad():
        found = [
            logps(model, batch, 1.0, False)[0] - batch.old_logp_N
            for batch in micro_batches(texts, 8192, model.device)
        ]
    return torch.cat(found).abs().mean().item()


def test_two_processes_share_servers_which_get_each_steps_weights_once(paired: Paired) -> None:
    """The trainer is sharded over ranks, and sampling is elsewhere."""
    assert paired.server.reloads == 4  # before the first step, and after each
    steps = records(paired.runs["served"])
    assert len(steps) == 3
    assert max(step["mismatch_most"] for step in steps) < 1e-4, "replies are of the step's weights"


def test_two_ranks_learn_from_engines_wherever_they_are(paired: Paired, tmp_path: Path) -> None:
    """What one process learns that samples itself."""
    wanted = {}
    for name, more in (("alone", ""), ("ahead", "max_staleness = 1")):
        folder = endless(tmp_path / name, f"steps = 2\n{more}")
        train(folder)
        wanted[name] = records(folder)
    for name in PLACEMENTS:
        single = wanted["ahead" if name == "apart" else "alone"]
        for one, other in zip(single, records(paired.runs[name]), strict=True):
            for key in ("reward", "tokens", "replies"):
                assert one[key] == other[key], (name, key)
            assert other["loss"] == pytest.approx(one["loss"], rel=1e-3, abs=1e-5)
            assert other["gradient"] == pytest.approx(one["gradient"], rel=1e-3)
    first, second = notes(paired.runs["own"])
    assert [each["devices"] for each in first + second] == ["0", "1"]
    assert all(each["asked"] and each["updates"] for each in first + second)
    (engine,), none = notes(paired.runs["one for both"])
    assert (engine["devices"], none) == ("0,1", [])
    assert engine["engine"]["tensor_parallel_size"] == 2
    apart, none = notes(paired.runs["apart"])
    assert ([each["devices"] for each in apart], none) == (["2", "3"], [])
    assert all(each["asked"] for each in apart)
    assert not any(each["left"] for each in (*first, *second, engine, *apart))


def notes(folder: Path) -> list[list[dict[str, Any]]]:
    return [json.loads((folder / f"engines of rank {rank}").read_text()) for rank in (0, 1)]


def test_several_processes_are_told_to_leave_prefect_out(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from puzzlemill.commands.train import train as command

    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(UserError, match="leave out --flow"):
        command(built, flow=True)


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
