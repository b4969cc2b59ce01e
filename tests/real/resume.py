"""A run that is killed and begun again is byte-equal to an undisturbed one, whatever it is set to.

python -m pytest -W ignore tests/real/resume.py

Each run is a process of its own, forked from this one, so that nothing but files goes from one to
the next. One run has a choice of every kind: there are as many runs as the longest folder has
files. What a run carries over, its buffers above all, is filled by runs of their own.
"""

import json
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import torch
from train_choices import Changes, merged, one_of_each

from puzzlemill import pipelines
from puzzlemill.trainer.numbers_file import read_plain_data
from puzzlemill.trainer.rollouts import Buffers
from puzzlemill.trainer.run import train
from puzzlemill.trainer.settings import TrainGames

RECIPE = """name = "resumed"
seed = 5
[[make]]
families = ["sums", "maxima"]
count = 24
levels = [0.5, 0.75, 0.9]
[[make]]
families = ["gcd+claim"]
count = 4
levels = [0.0]
variants = ["paraphrase", "counterclaim"]
[policy]
kind = "none"
max_tokens = 64
"""
USUAL: Changes = {
    "steps": 3,
    "prompts": 5,
    "group": 6,
    "save_every": 1,
    "heldout": 1,
    "epochs": 2,  # so that ratios differ from 1
    "keep": 3,
    "keep_replies": True,
}
# What a run carries over from step to step, and which of the `Buffers` holds some of it.
CARRIED: dict[str, tuple[Changes, tuple[str, ...]]] = {
    "replay": ({"replay": 6}, ("replay",)),
    "replay, stale after a step": ({"replay": 6, "max_age": 1}, ("replay",)),
    # By an advantage to which every group is useful, so that some are left over for certain.
    "overflow": (
        {"prompts": 4, "oversample": 3.0, "loss": {"advantage": "copo"}},
        ("overflow",),
    ),
    "self-imitation": ({"self_imitation": {"replies": 16}}, ("good", "group_means")),
    "refills": ({"prompts": 2, "refills": 3}, ()),
    "a lag": ({"max_staleness": 1}, ("prefetched",)),
    "a lag, corrected": ({"max_staleness": 1, "loss": {"correction": "icepop"}}, ("prefetched",)),
    "a lag of three steps": (
        {
            "max_staleness": 3,
            "steps": 7,
            "save_every": 2,
            "prune": 0.9,
            "reward": {"episodic": 0.5},
        },
        ("prefetched",),
    ),
    "partial rollouts": ({"partial_rollouts": 4, "oversample": 2.0}, ("unfinished",)),
    "groups without their slowest": (
        {"partial_rollouts": 8, "oversample": 2.0, "enough_replies": 0.5},
        ("unfinished",),
    ),
    "partial rollouts of three turns, with a lag": (
        {"partial_rollouts": 8, "oversample": 2.0, "tries": 3, "max_staleness": 2, "steps": 6},
        ("unfinished", "prefetched"),
    ),
    "extra replies": ({"extra": 12, "extra_for": "hard"}, ()),
    "hints": ({"hints": [0.5, 0.9]}, ()),
    "hints, learned behind the plain prompt": (
        {"hints": [0.5, 0.9], "learn_behind": "plain", "replay": 6},
        ("replay",),
    ),
    "solutions": (
        {"demonstrations": {"number": 1, "ratio": "rl_plus", "explore": 0.5}, "replay": 6},
        ("replay",),
    ),
    "kept replies": (
        {
            # Two steps for every item, so that the third asks some again.
            "prompts": 12,
            "unseen": ["maxima"],
            "unseen_levels": [0.75, 0.9],
            "demonstrations": {"number": 2, "source": "replies", "when": "always"},
            "max_staleness": 1,
        },
        ("successes", "prefetched"),
    ),
    "explanations": (
        {
            "demonstrations": {"number": 1, "source": "explanations", "when": "always"},
            "max_staleness": 1,
        },
        ("prefetched",),
    ),
    "rewordings": (
        {"demonstrations": {"number": 2, "source": "rewordings", "ratio": "luffy"}, "replay": 6},
        ("replay",),
    ),
    "a scaffold": ({"scaffold": {"share": 0.9, "middle": 1.0}, "replay": 6}, ("replay",)),
    "prefixes": (
        {"prompts": 4, "prefixes": {"share": 1.0, "best": 0.0}, "loss": {"advantage": "copo"}},
        ("overflow",),
    ),
    "an aim of the entropy": ({"loss": {"entropy": 0.01, "entropy_aim": 0.5}}, ("entropy_weight",)),
    "a pull to the entropy's aim": (
        {"loss": {"entropy_aim": 0.5, "entropy_distance": 0.01, "open_share": 0.5}},
        (),
    ),
    "a reference that follows": (
        {"loss": {"kl": 0.01, "kl_in": "reward", "reference_kept": 0.5}},
        (),
    ),
    "a reference that is replaced": (
        {"loss": {"kl": 0.01, "reference_every": 2, "reset_optimizer": True}},
        (),
    ),
    "the last checkpoint": ({"keep": 1}, ()),
    "the best checkpoint": ({"keep": 1, "keep_best": True, "measure_every": 1}, ()),
    "a warm start": ({"warm": {"steps": 2}}, ()),
    "a teacher's feedback": ({"feedback": {"share": 0.5, "teacher": "policy"}}, ()),
    "the policy as its teacher": (
        {"teacher": {"model": "hinted", "where": "failed", "fall": 0.001}, "max_staleness": 1},
        ("prefetched",),
    ),
    "imitation beside RL": (
        {"imitate": {"weight": 0.5, "schedule": "meta", "items": 3, "entropy_rate": 0.1}},
        ("imitation_weight",),
    ),
    "endless items": ({"source": "endless", "max_staleness": 1}, ("prefetched",)),
    "values of steps, by continuation": (
        {"replay": 6, "max_staleness": 1, "process": {"values": "continuation", "samples": 2}},
        ("replay", "prefetched"),
    ),
    "an episodic memory": ({"reward": {"episodic": 0.5}}, ("memory",)),
    "adapters": ({"lora": {"rank": 2}, "learning_rate": 3e-3}, ()),
    "all of it": (
        {
            "prompts": 2,
            "minibatches": 2,
            "oversample": 4.0,
            "replay": 6,
            "max_staleness": 1,
            "refills": 2,
            "extra": 8,
            "hints": [0.5],
            "demonstrations": {"number": 1, "source": "replies", "ratio": "luffy"},
            "scaffold": {"share": 0.5, "middle": 0.5, "steepness": 8.0},
            "learn_behind": "plain",
            "tries": 2,
            "loss": {
                "advantage": "copo",
                "entropy": 0.01,
                "entropy_aim": 4.0,
                "kl": 0.01,
                "reference_kept": 0.5,
            },
        },
        ("replay", "overflow", "prefetched", "entropy_weight"),
    ),
    "second tries of every reply": (
        {
            "tries": 2,
            "max_staleness": 1,
            "retry": {"ask": "always", "by_try": True, "progress": 2.0, "first_steps": 1},
            "loss": {"advantage": "rloo", "kl": 0.01},
        },
        ("prefetched",),
    ),
    "refinements": (
        {
            "tries": 2,
            "replay": 6,
            "retry": {"critique": True, "refinements": 1},
            "loss": {"advantage": "copo"},
        },
        ("replay",),
    ),
    "verifying": (
        {
            "max_staleness": 1,
            "verify": {"solving_steps": 1, "form": 0.5},
            "loss": {"advantage": "copo"},
        },
        ("prefetched", "outcome_counts"),
    ),
    "self-rewards": (
        {"self_reward": {"weight": 0.1, "share": 0.1, "warmup_steps": 1}},
        ("self_reward_constant",),
    ),
    "games": ({"play": {"games": ["chomp"], "starts": 4, "anchor": 1.0}}, ()),
    "stages of a game": (
        {"play": {"games": ["spy"], "starts": 1, "alternate": {"least": 1, "most": 2}}},
        (),
    ),
}
OF_GAMES = {field.name for field in fields(TrainGames)}
# Where the buffers lie in a checkpoint, by their names.
KEYS = {
    "overflow": "spare",
    "unfinished": "unfinished",
    "replay": "replay",
    "good": "good",
    "group_means": "group_means",
    "prefetched": "ahead",
    "successes": "successes",
    "entropy_weight": "entropy",
    "imitation_weight": "imitation",
    "self_reward_constant": "self_reward",
    "outcome_counts": "outcome_counts",
    "memory": "memory",
}


ALIKE = one_of_each() | {name: changes for name, (changes, _) in CARRIED.items()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    home = tmp_path_factory.mktemp("builds")
    (home / "recipe.toml").write_text(RECIPE)
    forked(lambda: pipelines.build(home / "recipe.toml", home))
    return home / "resumed"


def copied(built: Path, folder: Path, changes: Changes) -> Path:
    shutil.copytree(built, folder)
    recipe = json.loads((folder / "recipe.json").read_text())
    recipe["policy"] |= {"kind": "tiny"}
    usual, own = USUAL, recipe["train"]
    if "play" in changes:
        recipe, own = {name: recipe[name] for name in ("name", "seed", "policy")}, {}
        usual = {name: USUAL[name] for name in USUAL if name in OF_GAMES}
    recipe["train"] = merged(own, usual, changes)
    (folder / "recipe.json").write_text(json.dumps(recipe))
    return folder


def forked(run: Callable[[], Any], ends: int = 0) -> None:
    """Run it in a process of its own, which ends as it should."""
    child = os.fork()
    if not child:
        try:
            run()
        finally:  # nothing of the tests goes on in here
            os._exit(0 if _succeeded() else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == ends


def _succeeded() -> bool:
    if sys.exc_info()[1] is None:
        return True
    traceback.print_exc()
    sys.stderr.flush()
    return False


def kill_after(steps: int) -> Callable[[Any, int], None]:
    def watch(step: Any, _: int) -> None:
        if step.step + 1 == steps:
            os.kill(os.getpid(), signal.SIGKILL)

    return watch


def written(folder: Path) -> dict[str, Any]:
    """All files of a run, but for the time that it took."""
    run = folder / "training"
    found: dict[str, Any] = {
        str(path.relative_to(run)): path.read_bytes() for path in run.rglob("*") if path.is_file()
    }
    lines = found["metrics.jsonl"].decode().splitlines()
    found["metrics.jsonl"] = [json.loads(line) | {"seconds": 0} for line in lines]
    whole = (folder / "training.json").read_text()
    found["training.json"] = json.loads(whole) | {"seconds": 0, "policy_after": ""}
    found["version"] = json.loads(whole)["policy_after"].partition("checkpoint")[2]
    return found


@pytest.mark.parametrize("name", ALIKE)
def test_a_killed_run_goes_on_as_if_it_had_not_been(name: str, built: Path, tmp_path: Path) -> None:
    straight, broken = (copied(built, tmp_path / each, ALIKE[name]) for each in ("one", "two"))
    forked(lambda: train(straight))
    forked(lambda: train(broken, kill_after(2)), -signal.SIGKILL)
    assert not (broken / "training.json").exists()
    last = max((broken / "training").glob("checkpoint-*"))
    assert last.name == "checkpoint-000002"
    memory = read_plain_data(last / "memory.safetensors")
    for buffer in CARRIED.get(name, ({}, ()))[1]:
        assert filled(memory[KEYS[buffer]]), f"{buffer} has nothing to carry over"
    forked(lambda: train(broken))
    one, two = written(straight), written(broken)
    assert one.keys() == two.keys()
    assert not [path for path in one if one[path] != two[path]]
    learned = any(step["gradient"] for step in one["metrics.jsonl"])
    assert learned or "partner" in name, "nothing was learned"  # few prompts are partners


def filled(buffer: Any) -> bool:
    if isinstance(buffer, dict):
        return any(map(filled, buffer.values()))
    return bool(buffer)


def test_every_buffer_is_carried_over_by_a_run_here() -> None:
    assert {field.name for field in fields(Buffers)} == KEYS.keys()
    carried = {buffer for _, buffers in CARRIED.values() for buffer in buffers}
    assert carried >= KEYS.keys() - {"memory"}, "memory is filled by the shapings that keep any"
