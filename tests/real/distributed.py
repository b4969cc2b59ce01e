"""Two processes on gloo learn what one learns, whatever a run is set to.

python -m pytest -W ignore tests/real/distributed.py

One launch of torchrun has all runs in turn, and one run a choice of every kind: launching is dear.
"""

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

import pytest
import torch
import train_choices
from safetensors.torch import load_file
from train_choices import Changes, merged, one_of_each

from puzzlemill import pipelines
from puzzlemill.difficulty.policies import tiny_policy
from puzzlemill.trainer import distributed, run
from puzzlemill.trainer.train_state import TrainState, prepare
from puzzlemill.trainer.weights import full_state_dict

BUNDLED = Path(tiny_policy.__file__).parent / "tiny"
RECIPE = """name = "together"
seed = 5
[[make]]
families = ["sums", "maxima"]
count = 16
levels = [0.5, 0.6]
variants = ["paraphrase"]
[[make]]
families = ["gcd+claim"]
count = 4
levels = [1.0]  # the bundled policy solves none: curricula that go by level meet them last
variants = ["paraphrase", "counterclaim"]
[policy]
kind = "none"
max_tokens = 64
"""
USUAL: Changes = {
    "steps": 4,
    "prompts": 5,
    "group": 6,
    "heldout": 1,
    "minibatches": 2,  # so that ratios differ from 1
    "loss": {"kl": 0.01, "entropy": 0.001},
}
BESIDE: dict[str, Changes] = {
    "hints and extra replies": {"hints": [0.5], "learn_behind": "plain", "extra": 8},
    "solutions": {"demonstrations": {"number": 1, "ratio": "rl_plus", "explore": 0.5}},
    "explanations": {"demonstrations": {"number": 1, "source": "explanations", "when": "always"}},
    "a scaffold and prefixes": {
        "scaffold": {"share": 0.9, "middle": 1.0},
        "prefixes": {"share": 0.5},
        "least_std": 0.05,
    },
    "buffers": {"prompts": 2, "oversample": 3.0, "replay": 6, "refills": 2},
    "a lag": {"max_staleness": 1},
    "partial rollouts": {"partial_rollouts": 8, "oversample": 2.0, "tries": 2},
    "groups without their slowest": {
        "partial_rollouts": 8,
        "oversample": 2.0,
        "enough_replies": 0.5,
    },
    "second tries and self-rewards": {
        "tries": 2,
        "retry": {"ask": "always", "by_try": True, "first_steps": 1, "first_kl": 0.1},
        "self_reward": {"weight": 0.1, "share": 0.1},
        "loss": {"advantage": "rloo"},
    },
    "refinements": {
        "tries": 2,
        "retry": {"critique": True, "refinements": 1},
    },
    "a policy that verifies": {"verify": {"solving_steps": 1, "form": 0.5}},
    "an aim of the entropy": {"loss": {"entropy_aim": 0.5, "entropy_distance": 0.01}},
    "values of steps, by continuation": {"process": {"values": "continuation", "samples": 2}},
    "an episodic memory": {"reward": {"episodic": 0.5}},
    "few tokens": {"loss": {"open_share": 0.2}},
    "a penalty of the reward": {"loss": {"kl_in": "reward", "reference_kept": 0.5}},
    "a reference that is replaced": {"loss": {"reference_every": 1, "reset_optimizer": True}},
    "a teacher, its feedback and imitation": {
        "teacher": {"model": str(BUNDLED), "weight": 0.1},
        "feedback": {"share": 0.5},
        "imitate": {"weight": 0.5, "schedule": "meta", "items": 3},
    },
    "the policy as its teacher": {"teacher": {"model": "hinted", "where": "failed"}},
    "pass rates of groups": {"loss": {"ratio": "nft", "advantage": "dr_grpo"}},
}
# Few prompts are another wording of one that was asked: of more, some are.
MORE_PROMPTS = {name: {"prompts": 20} for name in one_of_each() if "vote partner" in name}
RUNS = one_of_each() | BESIDE
EXACT = ("reward", "mixed", "replies", "tokens", "asked", "discarded", "notes")
# The parts of a loss cancel out: rounding is as large as they are.
NEAR_NOTHING = 1e-5
# The largest difference of sampler and trainer is rounding, and another one in each run: of twelve
# thousand tokens, float32 is at most 2.4e-5 from float64, 1e-7 times logits of some 30, layer after
# layer. One update of the weights moves a log-probability by a hundred times as much.
ROUNDING = 2e-4


def copied(built: Path, folder: Path, changes: Changes) -> Path:
    shutil.copytree(built, folder)
    recipe = json.loads((folder / "recipe.json").read_text())
    recipe["policy"] |= {"kind": "tiny"}
    recipe["train"] = merged(recipe["train"], USUAL, changes)
    (folder / "recipe.json").write_text(json.dumps(recipe))
    return folder


@pytest.fixture(scope="module")
def pairs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[Path, Path]]:
    """For each selected run its folder by two processes, and that by one, which has not begun."""
    selected = {item.callspec.params["name"] for item in request.session.items}  # type: ignore[attr-defined]
    home = tmp_path_factory.mktemp("builds")
    (home / "recipe.toml").write_text(RECIPE)
    built = pipelines.build(home / "recipe.toml", home)
    found = {}
    for place, name in enumerate(sorted(selected)):
        changes = merged(RUNS[name], MORE_PROMPTS.get(name, {}))
        two, one = (home / f"{place} by {by}" for by in ("two", "one"))
        found[name] = (copied(built, two, changes), copied(built, one, changes))
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", "2", __file__, *(str(two) for two, _ in found.values())]
    paths = os.pathsep.join([str(Path(train_choices.__file__).parent), *filter(None, sys.path)])
    environment = os.environ | {"PYTHONPATH": paths}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return found


@pytest.mark.parametrize("name", RUNS)
def test_two_processes_learn_what_one_learns(
    name: str, pairs: dict[str, tuple[Path, Path]]
) -> None:
    two, one = pairs[name]
    last = run.train(one)
    digests = {(two / f"rank {rank}").read_text() for rank in (0, 1)}
    assert len(digests) == 1, "the ranks hold other weights"
    assert any(step["gradient"] for step in records(two)), "nothing was learned"
    for alone, together in zip(records(one), records(two), strict=True):
        assert isfinite(together["loss"])
        near_nothing = NEAR_NOTHING * max(1.0, alone["gradient"])
        for key, value in alone.items():
            least = ROUNDING if key == "mismatch_most" else near_nothing
            near = value if key in EXACT else pytest.approx(value, rel=1e-3, abs=least)
            assert together[key] == near, key
    weights, others, before = (
        load_file(folder / "model.safetensors")
        for folder in (last, two / "training" / last.name, BUNDLED)
    )
    assert apart(weights, others, before) < 1e-2


def records(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "training" / "metrics.jsonl").read_text().splitlines()
    return [{k: v for k, v in json.loads(line).items() if k != "seconds"} for line in lines]


def apart(one: Any, other: Any, before: Any) -> float:
    """Relative to what training did, of all weights together: where a gradient is next to nothing,
    rounding decides which way AdamW moves a weight."""
    gap, moved = (
        torch.cat([(one[name] - less[name]).flatten() for name in sorted(one)]).norm()
        for less in (other, before)
    )
    return (gap / moved).item()


def train_in_turn(folders: list[str]) -> None:
    """What torchrun starts in each process; it writes down which weights the process ends with."""
    states: list[TrainState] = []

    def noted(*given: Any, **named: Any) -> TrainState:
        states.append(prepare(*given, **named))
        return states[-1]

    vars(run)["prepare"] = noted
    for folder in folders:
        run.train(Path(folder))
        weights = full_state_dict(states.pop().policy.model)
        content = b"".join(weights[name].numpy().tobytes() for name in sorted(weights))
        Path(folder, f"rank {distributed.rank()}").write_text(sha256(content).hexdigest())


if __name__ == "__main__":
    with distributed.process_group():
        train_in_turn(sys.argv[1:])
