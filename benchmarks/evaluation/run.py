"""How few items an adaptive test takes, and whether its intervals hold.

Policies are oracles: a pass rate for every family and level is drawn, and replies are coins
loaded with it, so that the true level is known. Each is tested on all families, several times.
And checkpoints of the bundled policy in training, on the families that it knows: their true level
is that of a fixed test of 2,000 items.

    .venv/bin/python benchmarks/evaluation/run.py            # oracles; half an hour on one core
    .venv/bin/python benchmarks/evaluation/run.py --tiny DIR  # checkpoints in DIR, as well

Finished runs are kept in builds/evaluation-benchmark, and it may be interrupted.
"""

import argparse
import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from puzzlemill.core import registry
from puzzlemill.core.storage.files import read_json, write_json
from puzzlemill.difficulty.ability import DRAWS, LEVELS, Floats
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.pipelines.evaluation import Evaluation, evaluate
from puzzlemill.pipelines.evaluation.result import interval
from puzzlemill.pipelines.evaluation.selection import (
    Scope,
    ability_of,
    batch_size,
    half_widths,
    scope_of,
    spread_cells,
    telling_cells,
)

HERE = Path(__file__).parent
WORK = Path("builds/evaluation-benchmark")
FIXED = 2000  # items of the test that an adaptive one is compared with
WITHIN = 0.05
# Of an oracle: how able it is, how much its categories and families differ, how steep its curves
# are, the share of families that it never solves, and whether it solves up to a level and no more.
ORACLES: dict[str, tuple[float, float, float, float, float, bool]] = {
    "weak": (-2.5, 0.8, 1.0, 4.0, 0.0, False),
    "middling": (-0.5, 0.5, 1.0, 5.0, 0.0, False),
    "able": (1.0, 0.8, 1.2, 5.0, 0.0, False),
    "strong": (2.5, 0.8, 1.5, 4.0, 0.0, False),
    "uneven": (0.0, 1.5, 2.5, 5.0, 0.0, False),
    "narrow": (1.5, 0.5, 1.0, 5.0, 0.7, False),
    "flat": (0.0, 0.5, 0.8, 1.0, 0.0, False),
    "steps": (0.5, 0.5, 2.0, 6.0, 0.0, True),
}


def rates_of(name: str, scope: Scope) -> Floats:
    """An oracle's pass rates: a family a row, a level a column."""
    able, between, within, slope, never, steps = ORACLES[name]
    rng = np.random.default_rng(sum(map(ord, name)))
    names = list(dict.fromkeys(scope.categories))
    shifts = dict(zip(names, rng.normal(0, between, len(names)), strict=True))
    family = rng.normal(0, within, len(scope.families))
    family += [shifts[category] for category in scope.categories]
    slopes = slope * rng.lognormal(0, 0.3, len(scope.families))
    logits = able + family[:, None] - slopes[:, None] * (LEVELS - 0.5)
    if steps:
        logits = np.where(logits > 0, 3.0, -4.0)
    logits[rng.random(len(logits)) < never] = -6.0
    rates: Floats = 1 / (1 + np.exp(-logits))
    return rates


def tested(scope: Scope, rates: Floats, seed: int) -> dict[str, Any]:
    """One adaptive test, up to the end of its budget of a tenth of the fixed test."""
    places = {name: number for number, name in enumerate(scope.families)}
    lines: list[dict[str, Any]] = []
    most, taken, number = FIXED // 10, 0, 0
    while True:
        rng = np.random.default_rng((seed, number))
        left = most - len(lines)
        ability = ability_of(scope, lines, DRAWS if left <= 0 else 200) if lines else None
        if ability and not taken and half_widths(ability, scope, "all").max() <= WITHIN:
            taken = len(lines)
        if ability and left <= 0:
            shares = scope.targets("category")
            return {
                "items": taken or most,
                **interval(ability.of(scope.weights)),
                "categories": [interval(ability.of(share)) for share in shares],
            }
        count = min(batch_size(len(lines)), left)
        cells = (
            telling_cells(scope, ability, "all", count, rng)
            if ability
            else spread_cells(scope, count, rng)
        )
        for family, level in cells:
            right = Random(f"{seed} {len(lines)} {family}").random() < rates[places[family], level]
            status = "correct" if right else "wrong"
            lines.append(
                {"family": family, "level": level, "way": "", "replies": [{"status": status}]}
            )
        number += 1


def oracle_runs(scope: Scope, seeds: int) -> Iterator[dict[str, Any]]:
    for name in ORACLES:
        rates = rates_of(name, scope)
        truth = float(scope.weights @ rates.mean(1))
        by_category = (scope.targets("category") @ rates.mean(1)).tolist()
        for seed in range(seeds):
            path = WORK / f"{name}-{seed}.json"
            if not path.exists():
                write_json(path, tested(scope, rates, seed))
            yield {
                "policy": name, "seed": seed, "truth": truth, "truths": by_category,
                **read_json(path),
            }  # fmt: skip


def tiny_runs(checkpoints: Path, seeds: int) -> Iterator[dict[str, Any]]:
    """The bundled policy at several moments of its training."""
    for folder in sorted(path for path in checkpoints.iterdir() if path.is_dir()):
        policy = PolicySettings("native", str(folder), max_tokens=160)
        fixed = Evaluation(("basics",), policy, items="fixed", most=FIXED, seed=77)
        whole = evaluate(fixed, WORK / f"{folder.name}-fixed")["replies"]
        for seed in range(seeds):
            home = WORK / f"{folder.name}-{seed}"
            result = evaluate(Evaluation(("basics",), policy, within=0.0, seed=seed), home)
            yield {
                "policy": folder.name, "seed": seed, "truth": whole["correct"] / whole["replies"],
                "truths": [], "categories": [], "items": result["replies"]["items"],
                **result["level"],
            }  # fmt: skip


def figures(runs: list[dict[str, Any]]) -> dict[str, Any]:
    errors = np.array([run["mean"] - run["truth"] for run in runs])
    inside = [run["low"] <= run["truth"] <= run["high"] for run in runs]
    categories = [
        each["low"] <= truth <= each["high"]
        for run in runs
        for each, truth in zip(run["categories"], run["truths"], strict=True)
    ]
    by_seed: dict[int, dict[str, float]] = {}
    for run in runs:
        by_seed.setdefault(run["seed"], {})[run["policy"]] = run["mean"]
    several = len({run["policy"] for run in runs}) > 2
    pairs = [
        _rank_correlation(one, other) for one, other in combinations(by_seed.values(), 2) if several
    ]
    return {
        "runs": len(runs),
        "replies_share": round(float(np.mean([run["items"] for run in runs])) / FIXED, 4),
        "within_share": round(float(np.mean(np.abs(errors) <= WITHIN)), 4),
        "rmse": round(float(np.sqrt((errors**2).mean())), 4),
        "bias": round(float(errors.mean()), 4),
        "coverage_90": round(float(np.mean(inside)), 4),
        "coverage_90_categories": round(float(np.mean(categories)), 4) if categories else None,
        "rank_correlation": round(float(np.mean(pairs)), 4) if pairs else None,
    }


def _rank_correlation(one: dict[str, float], other: dict[str, float]) -> float:
    """Spearman's."""
    names = sorted(one.keys() & other.keys())
    ranks = [np.argsort(np.argsort([each[name] for name in names])) for each in (one, other)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--tiny", type=Path)
    options = parser.parse_args()
    scope = scope_of(registry.names())
    runs = list(oracle_runs(scope, options.seeds))
    result = {"families": len(scope.families), **figures(runs)}
    result["by_policy"] = {
        name: figures([run for run in runs if run["policy"] == name]) for name in ORACLES
    }
    if options.tiny:
        result["tiny"] = figures(list(tiny_runs(options.tiny, options.seeds)))
    write_json(HERE / "result.json", result)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
