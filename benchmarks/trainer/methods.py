"""What each method of the trainer does to learning: held-out score by replies, over seeds.

    nice python benchmarks/trainer/methods.py [--seeds 3]

The bundled policy is trained on the two pools of curricula.py, prompts picked uniformly, all with
the same number of replies. One choice at a time differs from the defaults. A step is one update;
beside ratios it has four, so that a ratio differs from 1. What takes several settings (a teacher,
demonstrations, process credit, further tries) is set as the paper's recipe in recipes/papers has
it, but for the size of the run. Seeds are the same for all, so
that a choice is compared with the default on the same items: `gain` is the mean over the seeds of
the difference to it. `end` is the mean of the last two measurements, `area` the mean score over all
replies. Curves and figures go to methods.json beside this file; a curve that is there is not
measured again. Which choices there are follows from the folders of the trainer.
"""

import argparse
import json
import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import fmean, stdev
from time import process_time
from typing import Any

from curricula import Pool, measured, pools_of, rows_of

HERE = Path(__file__).parent
CURVES = HERE / "methods.json"
BUDGET, EVERY = 1536, 512  # replies in all, and between two measurements
PROMPTS, GROUP = 8, 8
ITEMS, HELD = 30, 160  # of each cell to train on, and in all to measure on
RATE, TOKENS = 4e-4, 160
UPDATES = {"epochs": 2, "minibatches": 2}  # beside ratios
# What a choice of each kind is compared with: shapings with none.
DEFAULTS = {
    "advantage": ("advantage", "batch_std"),
    "shaping": ("advantage", "batch_std"),
    "ratio": ("ratio", "clip"),
    "paper": ("advantage", "batch_std"),
}
PAPERS = HERE.parents[1] / "recipes" / "papers"
# Tables and keys of [train] by which a recipe is measured as a whole.
METHODS = {
    "demonstrations",
    "feedback",
    "hints",
    "imitate",
    "prefixes",
    "process",
    "rethink",
    "scaffold",
    "self_imitation",
    "self_reward",
    "teacher",
    "tries",
    "verify",
}
# What is another matter than the method: how long a run is, what is picked, what is written.
SIZES = {"steps", "prompts", "group", "learning_rate", "heldout", "save_every", "measure_every"}
OTHER = SIZES | {"curriculum", "keep", "keep_replies", "unseen"}

Curve = list[tuple[int, float]]  # replies so far, and the held-out score
Known = dict[str, Curve]  # by pool, kind, choice and seed


def main() -> None:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[], help="choices, by name")
    parser.add_argument("--pools", nargs="*", default=["balanced", "skewed"])
    asked = parser.parse_args()
    known, pools = read_curves(), pools_of()
    for seed in range(asked.seeds):
        for kind, ways in methods().items():
            for name, changes in ways.items():
                for pool in asked.pools:
                    key = f"{pool} {kind} {name} {seed}"
                    if key not in known and (not asked.only or name in asked.only):
                        start = process_time()
                        known[key] = curve(pools[pool], pool, changes, seed)
                        write(known)
                        print(key, known[key][-1], round(process_time() - start, 1), flush=True)


def methods() -> dict[str, dict[str, dict[str, Any]]]:
    """By kind and name, what of [train] turns each choice on."""
    sys.path.insert(0, str(HERE.parents[1] / "tools"))
    from train_choices import choices, each_shaping

    keys = choices()
    ratios = {name: changes | UPDATES for name, changes in keys["ratio"].items()}
    return {
        "advantage": keys["advantage"],
        "shaping": each_shaping(),
        "ratio": ratios,
        "paper": papers(),
    }


def papers() -> dict[str, dict[str, Any]]:
    """[train] of the recipes that take one of METHODS; a checkpoint as teacher is the policy."""
    found = {}
    for path in sorted(PAPERS.glob("*.toml")):
        train = tomllib.loads(path.read_text()).get("train", {})
        if METHODS & set(train):
            found[path.stem] = {key: value for key, value in train.items() if key not in OTHER}
            if "teacher" in train:
                found[path.stem]["teacher"] = train["teacher"] | {"model": "hinted"}
    return found


def curve(pool: Pool, name: str, changes: dict[str, Any], seed: int) -> Curve:
    """From before the first step on; it ends with the replies, however many steps these are."""
    import torch

    from puzzlemill.difficulty.scoring import judge_here
    from puzzlemill.trainer.build_items import BuildItems
    from puzzlemill.trainer.item_task import ItemTask
    from puzzlemill.trainer.loop import steps
    from puzzlemill.trainer.schedule import Schedule
    from puzzlemill.trainer.settings import Train
    from puzzlemill.trainer.teacher import load_teacher

    torch.set_num_threads(1)
    policy = policy_to_train()
    train, held, before = rows(name, seed)
    usual = Train(
        steps=BUDGET // (PROMPTS * GROUP), prompts=PROMPTS, group=GROUP, learning_rate=RATE
    )
    settings = changed(usual, changes)
    optimizer = torch.optim.AdamW(policy.model.parameters(), lr=RATE, weight_decay=0.0, fused=True)
    found, replies = [(0, before)], 0
    schedule = Schedule(BuildItems(train), "uniform")
    task = ItemTask(settings, schedule, tokens=policy.tokens)
    task.teacher = load_teacher(policy, settings.teacher)
    for step in steps(task, policy, optimizer, judge=judge_here):
        replies += step.replies
        if replies >= EVERY * len(found):
            found.append((replies, measured(policy, held)))
        if replies >= BUDGET:
            break
    return found


@cache
def rows(name: str, seed: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]], float]:
    """Of a pool and seed: the items to train on, those to measure on, and the score before."""
    pool = pools_of()[name]
    train = [row for cell in pool.cells for row in rows_of(cell, "train", seed, ITEMS)]
    each = HELD // len(pool.held)
    held = [row for cell in pool.held for row in rows_of(cell, "test", seed, each)]
    return train, held, measured(policy_to_train(), held)


def policy_to_train() -> Any:
    from puzzlemill.difficulty.policies.loading import new_policy
    from puzzlemill.difficulty.settings import PolicySettings

    return new_policy(PolicySettings(max_tokens=TOKENS))


def changed(settings: Any, changes: Mapping[str, Any]) -> Any:
    """A record of settings with some of them, and of its tables', changed."""
    found = {}
    for field in fields(settings):
        if field.name in changes:
            value, own = changes[field.name], getattr(settings, field.name)
            if is_dataclass(own):
                value = changed(own, value)
            found[field.name] = tuple(value) if isinstance(value, list) else value
    return replace(settings, **found)


def read_curves() -> Known:
    known = json.loads(CURVES.read_text()) if CURVES.is_file() else {}
    return {key: run for key, run in known.items() if isinstance(run, list)}


def write(known: Known) -> None:
    """Whole or not at all."""
    lines = sorted(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in (known | figures(known)).items())
    beside = CURVES.with_suffix(".part")
    beside.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    beside.replace(CURVES)


def figures(known: Known) -> dict[str, Any]:
    """Of each pool and choice: end, area and the area's gain, their deviations, and the seeds."""
    runs: dict[tuple[str, str, str], dict[str, Curve]] = {}
    for key, run in known.items():
        pool, kind, name, seed = key.split()
        runs.setdefault((pool, kind, name), {})[seed] = run
    found: dict[str, Any] = {"replies": BUDGET}
    for (pool, kind, name), by_seed in runs.items():
        usual = runs.get((pool, *DEFAULTS[kind]), {})
        values = {
            "end": [end_of(run) for run in by_seed.values()],
            "area": [area(run) for run in by_seed.values()],
            "gain": [
                area(run) - area(usual[seed]) for seed, run in by_seed.items() if seed in usual
            ],
        }
        for what, each in values.items():
            key = f"{pool}_{kind}_{name}_{what}"
            if each:
                found[key] = round(fmean(each), 4)
            if len(each) > 1:
                found[f"{key}_deviation"] = round(stdev(each), 4)
        found[f"{pool}_{kind}_{name}_seeds"] = len(by_seed)
    return found


def end_of(run: Curve) -> float:
    return fmean(score for _, score in run[-2:])


def area(run: Curve) -> float:
    """The mean score over the replies, of a curve that is straight between two measurements."""
    parts = [(after - before) * (low + high) / 2 for (before, low), (after, high) in pairwise(run)]
    return sum(parts) / run[-1][0]


if __name__ == "__main__":
    main()
