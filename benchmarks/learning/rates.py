"""Figures of the RL runs: gains in pass rate over the student before, with intervals.

A gain is a family's; its mean over families is what is told. Intervals resample seeds and
families: those of a set that all seeds share together, and else those of each seed by themselves.

    python -m benchmarks.learning.rates

It reads rl.json and writes what follows into result.json.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.learning.arms import BEFORE, EXPERIMENTS, OWN, Arm
from benchmarks.learning.breadth import drawn
from benchmarks.learning.records import RESAMPLES, Floats, Interval, rounded
from benchmarks.learning.run import HERE, RESULT
from benchmarks.learning.solutions import Families, families
from puzzlemill.core.storage.files import read_json, write_json

# By the name of a figure, the arm that is to gain over the other one.
PAIRS = {
    "breadth_gain": ("rl-64", "rl-4"),
    "wrong_gold_loss": ("rl-64", "wrong-0.11"),
    "wrong_gold_loss_30": ("rl-64", "wrong-0.3"),
    "band_gain": ("wide-thompson", "wide-uniform"),
    "easy_to_hard_gain": ("wide-staged", "wide-uniform"),
    "rl_over_sft": ("rl-64", "sft-64"),
}
SHARED = ("held", "base")  # sets of families that no run learns
OF_SEED = ("own", "levels", "wordings")  # sets of families that a seed's runs learn
ARMS = tuple(arm for each in EXPERIMENTS.values() for arm in each)


Runs = Mapping[str, Any]
Gains = list[Floats]  # of each seed, those of its families


def main() -> None:
    division, runs = families(HERE / "families.json"), read_json(HERE / "rl.json")
    found = settings(runs)
    if len(found) != 1:
        raise SystemExit(
            f"rl.json has runs of {len(found)} students and settings; figures are of one"
        )
    figures_of_all = figures(runs, division, *found[0])
    compared = differences(runs, division, " ".join(found[0]))
    before = read_json(RESULT) if RESULT.is_file() else {}
    student, setting = found[0]
    told_all = {"student": student, "setting": setting} | figures_of_all | {"compared": compared}
    write_json(RESULT, before | {"rl": told_all})
    print(json.dumps(told_all, indent=2))


def differences(
    runs: Runs,
    division: Families,
    start: str,
    arms: Sequence[Arm] = ARMS,
    pairs: Mapping[str, tuple[str, str]] = PAIRS,
    of_seed: Sequence[str] = OF_SEED,
) -> dict[str, Any]:
    """Of pairs of arms, on each set."""
    by_name = {arm.name: arm for arm in arms}
    return {
        name: {
            its_set: difference(runs, division, start, by_name[one], by_name[other], its_set)
            for its_set in (*SHARED, *of_seed)
        }
        for name, (one, other) in pairs.items()
    }


def settings(runs: Runs) -> list[tuple[str, str]]:
    """Students and settings that have runs."""
    keys = [key.split(" ") for key in runs]
    return sorted({(key[0], key[1]) for key in keys if key[1] != BEFORE})


def figures(
    runs: Runs,
    division: Families,
    student: str,
    setting: str,
    arms: Sequence[Arm] = ARMS,
    of_seed: Sequence[str] = OF_SEED,
) -> dict[str, Any]:
    before = runs[f"{student} {BEFORE}"]["rates"]
    summary: dict[str, Any] = {"before": _levels(before)}
    for arm in arms:
        seeds = _seeds(runs, f"{student} {setting} {arm.name}")
        if not seeds:
            continue
        sets = {
            name: _gains(before, runs, seeds, name, arm, division) for name in (*SHARED, *of_seed)
        }
        summary[arm.name] = {
            "seeds": len(seeds),
            "reward": [rewards(runs[key]["curve"]) for key in seeds.values()],
            **{name: told(gains, name in SHARED) for name, gains in sets.items()},
        }
    return summary


def difference(
    runs: Runs, division: Families, start: str, arm: Arm, other: Arm, name: str
) -> dict[str, Any]:
    """What an arm gains over another one, in the seeds that both have."""
    its, others = (_seeds(runs, f"{start} {each.name}") for each in (arm, other))
    seeds = sorted({*its} & {*others})
    gains = []
    for seed in seeds:
        names, its_set = _names(arm, other, name, seed, division), _key(name, seed)
        one, two = (runs[keys[seed]]["rates"] for keys in (its, others))
        gains.append(of_rates(one, its_set, names) - of_rates(two, its_set, names))
    return told(gains, name in SHARED)


def told(gains: Gains, shared: bool = False) -> dict[str, Any]:
    if not gains:
        return {}
    by_seed = [rounded(each.mean()) for each in gains]
    return {"gain": interval(gains, shared), "by_seed": by_seed}


def interval(gains: Gains, shared: bool) -> Interval:
    """The mean, and its 95% interval where seeds and families are resampled."""
    rng = np.random.default_rng(0)
    drawn_means = [_resampled(gains, shared, rng.integers) for _ in range(RESAMPLES)]
    low, high = np.quantile(drawn_means, (0.025, 0.975))
    value = np.mean([each.mean() for each in gains])
    return {"value": rounded(value), "low": rounded(low), "high": rounded(high)}


def _resampled(gains: Gains, shared: bool, integers: Callable[..., Any]) -> float:
    seeds = integers(len(gains), size=len(gains))
    at = integers(len(gains[0]), size=len(gains[0]))
    means = []
    for seed in seeds:
        own = gains[seed]
        means.append(own[at if shared else integers(len(own), size=len(own))].mean())
    return float(np.mean(means))


def _seeds(runs: Runs, start: str) -> dict[int, str]:
    """The keys of an arm's runs, by seed."""
    return {int(key.split(" ")[-1]): key for key in sorted(runs) if key.startswith(f"{start} ")}


def _gains(
    before: Any, runs: Runs, seeds: Mapping[int, str], name: str, arm: Arm, division: Families
) -> Gains:
    found = []
    for seed, key in seeds.items():
        names, its_set = _names(arm, arm, name, seed, division), _key(name, seed)
        found.append(
            of_rates(runs[key]["rates"], its_set, names) - of_rates(before, its_set, names)
        )
    return found


def _key(name: str, seed: int) -> str:
    return name if name in SHARED else f"{name} {seed}"


def _names(arm: Arm, other: Arm, name: str, seed: int, division: Families) -> Sequence[str]:
    """The families of a set that both arms learn, or that none learns."""
    if name in SHARED:
        return division.held if name == "held" else division.base
    return drawn(division, min(OWN, arm.families, other.families), seed)


def of_rates(rates: Any, its_set: str, names: Sequence[str]) -> Floats:
    found = rates[its_set]
    return np.array([found[name][0] / found[name][1] for name in names if name in found])


def _levels(before: Any) -> dict[str, Any]:
    """Mean pass rates of the student before, and how many families are neither at 0 nor at 1."""
    means = {
        name: [right / asked for right, asked in each.values()] for name, each in before.items()
    }
    return {
        name: {
            "mean": rounded(float(np.mean(each))),
            "families": len(each),
            "between": sum(0 < rate < 1 for rate in each),
        }
        for name, each in means.items()
    }


def rewards(curve: Sequence[Mapping[str, float]]) -> list[float]:
    """Mean reward, or loss, of the first and the last fifth of the steps."""
    values = [step.get("reward", step.get("loss", 0.0)) for step in curve]
    few = max(len(values) // 5, 1)
    return [rounded(float(np.mean(part))) for part in (values[:few], values[-few:])]


if __name__ == "__main__":
    main()
