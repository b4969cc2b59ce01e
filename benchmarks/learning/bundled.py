"""RL of the bundled policy on one, two or four of the families that it knows: pass rates on others.

    nice python -m benchmarks.learning.bundled [--seeds 3] [--arms rl-1 rl-4]

A seed divides the eight families: four are trained on, one or more of them, and four are measured
and never trained on. All runs have as many replies. Runs go to bundled.json beside this file, one
by one, figures to result.json. What is recorded is not done again.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import puzzlemill.difficulty.policies
from benchmarks.learning import runner
from benchmarks.learning.arms import BEFORE, Arm, Scale
from benchmarks.learning.items import OTHER_WORDINGS, Place, Row, places, row
from benchmarks.learning.rates import Gains, Runs, of_rates, rewards, told
from benchmarks.learning.run import HERE, RESULT
from benchmarks.learning.runner import Job
from benchmarks.trainer.curricula import KNOWN
from puzzlemill.core.storage.files import read_json, write_json

POLICY = Path(puzzlemill.difficulty.policies.__file__).parent / "tiny"
FILE = HERE / "bundled.json"
TRAINED = 4  # of them, at most
LEVELS, OTHER_LEVELS = (0.0, 0.25, 0.5, 0.75), (0.125, 0.375, 0.625)
SCALE = Scale(steps=12, prompts=16, group=8, rate=4e-4, items=24)
ARMS = (
    Arm("rl-4", 4),
    Arm("rl-1", 1),
    Arm("wrong-0.11", 4, wrong=0.11),
    Arm("rl-2", 2),
    Arm("thompson", 4, curriculum="thompson"),
    Arm("wrong-0.3", 4, wrong=0.3),
    Arm("sft-4", 4, imitates=True),
    Arm("staged", 4, curriculum="staged"),
    Arm("regenerated", 4, regenerates=True),
    Arm("paid-0", 4, pays="0"),
    Arm("leaked", 4, leaks=True),
    Arm("sft-leaked", 4, imitates=True, leaks=True),
)
# Sets that are measured: families that are never trained on, those that are, their levels and
# wordings that are never trained on, and more of their items, which leak into no arm.
OTHERS, OWN, OTHER, WORDED, FRESH = "others", "own", "levels", "wordings", "fresh"
SETS = (OTHERS, OWN, OTHER, WORDED, FRESH)
CLEAN = {"leaked": "rl-4", "sft-leaked": "sft-4"}
PAIRS = {
    "breadth_gain": ("rl-4", "rl-1"),
    "wrong_gold_loss": ("rl-4", "wrong-0.11"),
    "wrong_gold_loss_30": ("rl-4", "wrong-0.3"),
    "band_gain": ("regenerated", "rl-4"),
    "thompson_gain": ("thompson", "rl-4"),
    "paid_constant_loss": ("rl-4", "paid-0"),
    "easy_to_hard_gain": ("staged", "rl-4"),
    "rl_over_sft": ("rl-4", "sft-4"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--arms", nargs="*", default=[arm.name for arm in ARMS])
    options = parser.parse_args()
    runs: dict[str, Any] = read_json(FILE) if FILE.is_file() else {}
    chosen = [None, *(arm for arm in ARMS if arm.name in options.arms)]
    for arm in chosen:
        for seed in range(options.seeds):
            key = f"{arm.name if arm else BEFORE} {seed}"
            if key not in runs:
                runs[key] = runner.run(job(key, arm, seed))
                write_json(FILE, runs)
                print(key, runs[key]["seconds"], flush=True)
    before = read_json(RESULT) if RESULT.is_file() else {}
    found = figures(runs)
    write_json(RESULT, before | {"bundled": found})
    print(json.dumps(found, indent=2))


def job(key: str, arm: Arm | None, seed: int) -> Job:
    trained, others = divided(seed)
    learned: list[Row] = []
    if arm is not None:
        wanted = places(trained[: arm.families], SCALE.prompted, "train", LEVELS)
        if arm.curriculum == "staged":
            wanted.sort(key=lambda place: place.level)
        learned = [*_rows(wanted)]
    count = SCALE.items * TRAINED
    tested = places(trained, 2 * count, "test", LEVELS)
    measured = {
        OTHERS: [*_rows(places(others, count, "test", LEVELS))],
        OWN: [*_rows(tested[:count])],
        OTHER: [*_rows(places(trained, count, "test", OTHER_LEVELS))],
        WORDED: [*_rows(places(trained, count, "test", LEVELS, OTHER_WORDINGS))],
        FRESH: [*_rows(tested[count:])],
    }
    if arm is not None and arm.leaks:
        own = measured[OWN]
        learned = [own[at % len(own)] for at in range(SCALE.prompted)]
    return Job(key, arm, seed, learned, measured, POLICY, SCALE, "cpu", float("inf"))


def divided(seed: int) -> tuple[list[str], list[str]]:
    """The families that are trained on, in order, and the others."""
    order = Random(f"bundled {seed}").sample(KNOWN, len(KNOWN))
    return order[:TRAINED], order[TRAINED:]


def figures(runs: Runs) -> dict[str, Any]:
    """Of each arm the gains over the policy before, and of pairs of arms those over the other."""
    summary: dict[str, Any] = {}
    for arm in ARMS:
        seeds = _seeds(runs, arm.name)
        if seeds:
            summary[arm.name] = {
                "seeds": len(seeds),
                "reward": [rewards(runs[f"{arm.name} {seed}"]["curve"]) for seed in seeds],
                **{name: told(gains_of(runs, arm, None, name)) for name in SETS},
            }
    by_name = {arm.name: arm for arm in ARMS}
    compared = {
        name: {each: told(gains_of(runs, by_name[one], by_name[two], each)) for each in SETS}
        for name, (one, two) in PAIRS.items()
        if _seeds(runs, one) and _seeds(runs, two)
    }
    leaks = {arm: told(inflation(runs, by_name[arm], by_name[CLEAN[arm]])) for arm in CLEAN}
    return {"before": _before(runs), "arms": summary, "compared": compared, "inflation": leaks}


def inflation(runs: Runs, arm: Arm, clean: Arm) -> Gains:
    """What the items that leaked gain over the clean arm, more than fresh ones of the same families
    and levels do: the one set may be easier than the other."""
    pairs = zip(gains_of(runs, arm, clean, OWN), gains_of(runs, arm, clean, FRESH), strict=True)
    return [own - fresh for own, fresh in pairs]


def gains_of(runs: Runs, arm: Arm, other: Arm | None, name: str) -> Gains:
    """By seed and family, over another arm, or over the policy before: in the seeds of both."""
    found = []
    for seed in _seeds(runs, arm.name):
        key = f"{other.name if other else BEFORE} {seed}"
        if key in runs:
            trained, others = divided(seed)
            fewest = min(arm.families, other.families if other else TRAINED)
            names = others if name == OTHERS else trained[:fewest]
            after, before = (runs[each]["rates"] for each in (f"{arm.name} {seed}", key))
            if name not in after or name not in before:
                continue  # recorded before this set was measured
            found.append(of_rates(after, name, names) - of_rates(before, name, names))
    return found


def _seeds(runs: Runs, arm: str) -> list[int]:
    return sorted(int(key.split(" ")[1]) for key in runs if key.split(" ")[0] == arm)


def _before(runs: Runs) -> Mapping[str, list[float]]:
    """Mean pass rates of the policy as it is, by seed."""
    return {
        name: [
            round(float(of_rates(runs[f"{BEFORE} {seed}"]["rates"], name, names).mean()), 4)
            for seed in _seeds(runs, BEFORE)
            for names in (divided(seed)[name == OTHERS],)
            if name in runs[f"{BEFORE} {seed}"]["rates"]
        ]
        for name in SETS
    }


def _rows(wanted: Sequence[Place]) -> Iterator[Row]:
    return (made for place in wanted if (made := row(place)) is not None)


if __name__ == "__main__":
    main()
