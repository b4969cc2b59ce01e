"""How few items an adaptive test takes, and whether its intervals hold.

Policies are oracles of eight kinds: a pass rate for every family and level is drawn, and replies
are coins loaded with it, so that the true level is known. Each oracle is drawn anew, and tested
twice on all families: an oracle that is tested many times has one truth, which the prior expects
or does not, and would tell nothing of how often intervals hold. And checkpoints of the bundled
policy in training, on the families that it knows: their true level is that of a fixed test of
2,000 items.

    .venv/bin/python benchmarks/evaluation/run.py            # oracles; an hour on one core
    .venv/bin/python benchmarks/evaluation/run.py --tiny DIR  # checkpoints in DIR, as well

Finished runs are kept in builds/evaluation-benchmark, and it may be interrupted.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from itertools import product
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


def rates_of(name: str, draw: int, scope: Scope) -> Floats:
    """An oracle's pass rates: a family a row, a level a column."""
    able, between, within, slope, never, steps = ORACLES[name]
    rng = np.random.default_rng([*name.encode(), draw])
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


def tested(scope: Scope, rates: Floats, seed: str) -> dict[str, Any]:
    """One adaptive test, until the level is known or a tenth of the fixed test was asked: where
    `puzzlemill eval` stops."""
    places = {name: number for number, name in enumerate(scope.families)}
    lines: list[dict[str, Any]] = []
    most, number = FIXED // 10, 0
    while True:
        rng = np.random.default_rng([*seed.encode(), number])
        left = most - len(lines)
        ability = ability_of(scope, lines) if lines and left > 0 else None
        known = ability and half_widths(ability, scope, "all").max() <= WITHIN
        if known or left <= 0:
            final = ability_of(scope, lines, DRAWS)
            shares = scope.targets("category")
            return {
                "items": len(lines),
                **interval(final.of(scope.weights)),
                "categories": [interval(final.of(share)) for share in shares],
            }
        count = min(batch_size(len(lines)), left)
        cells = (
            telling_cells(scope, ability, "all", count, rng)
            if ability
            else spread_cells(scope, count, rng)
        )
        for family, level in cells:
            coin = Random(f"{seed} {len(lines)} {family}").random()
            status = "correct" if coin < rates[places[family], level] else "wrong"
            replies = [{"status": status}]
            lines.append({"family": family, "level": level, "way": "", "replies": replies})
        number += 1


def oracle_runs(scope: Scope, draws: int) -> Iterator[dict[str, Any]]:
    """Two tests, with other seeds, of each oracle of each kind."""
    for draw, name, test in product(range(draws), ORACLES, range(2)):
        rates = rates_of(name, draw, scope)
        path = WORK / f"{name}-{draw}-{test}.json"
        if not path.exists():
            write_json(path, tested(scope, rates, f"{name} {draw} {test}"))
        yield {
            "kind": name, "policy": f"{name} {draw}", "test": test,
            "truth": float(scope.weights @ rates.mean(1)),
            "truths": (scope.targets("category") @ rates.mean(1)).tolist(),
            **read_json(path),
        }  # fmt: skip


def tiny_runs(checkpoints: Path, tests: int) -> Iterator[dict[str, Any]]:
    """The bundled policy at several moments of its training."""
    for folder in sorted(path for path in checkpoints.iterdir() if path.is_dir()):
        policy = PolicySettings("native", str(folder), max_tokens=160)
        fixed = Evaluation(("basics",), policy, items="fixed", most=FIXED, seed=77)
        whole = evaluate(fixed, WORK / f"{folder.name}-fixed")["replies"]
        for test in range(tests):
            home = WORK / f"{folder.name}-{test}"
            result = evaluate(Evaluation(("basics",), policy, seed=test), home)
            yield {
                "kind": "tiny", "policy": folder.name, "test": test,
                "truth": whole["correct"] / whole["replies"], "truths": [], "categories": [],
                "items": result["replies"]["items"], **result["level"],
            }  # fmt: skip


def figures(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    errors = np.array([run["mean"] - run["truth"] for run in runs])
    categories = [
        each["low"] <= truth <= each["high"]
        for run in runs
        if run["categories"]
        for each, truth in zip(run["categories"], run["truths"], strict=True)
    ]
    several = len({run["policy"] for run in runs}) > 2
    return {
        "runs": len(runs),
        "policies": len({run["policy"] for run in runs}),
        "replies_share": _short(np.mean([run["items"] for run in runs]) / FIXED),
        "within_share": _short(np.mean(np.abs(errors) <= WITHIN)),
        "rmse": _short(np.sqrt((errors**2).mean())),
        "bias": _short(errors.mean()),
        "coverage_90": _short(np.mean([run["low"] <= run["truth"] <= run["high"] for run in runs])),
        "coverage_90_categories": _short(np.mean(categories)) if categories else None,
        "rank_correlation": _rank_correlation(runs) if several else None,
    }


def _rank_correlation(runs: Sequence[dict[str, Any]]) -> float:
    """Spearman's, between the first and the second test of all policies."""
    by_test = [{run["policy"]: run["mean"] for run in runs if run["test"] == at} for at in (0, 1)]
    ranks = [np.argsort(np.argsort([test[name] for name in sorted(test)])) for test in by_test]
    return _short(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _rank_correlation_of_few(runs: Sequence[dict[str, Any]]) -> float:
    """The same among one oracle of each kind, on average: many stand close to one another."""
    draws = {run["policy"].split()[-1] for run in runs}
    few = [[run for run in runs if run["policy"].split()[-1] == draw] for draw in draws]
    return _short(np.mean([_rank_correlation(some) for some in few]))


def _short(value: Any) -> float:
    return round(float(value), 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=20, help="of an oracle of each kind")
    parser.add_argument("--tiny", type=Path)
    options = parser.parse_args()
    scope = scope_of(registry.names())
    runs = list(oracle_runs(scope, options.draws))
    result = {"families": len(scope.families), **figures(runs)}
    result["rank_correlation_of_eight"] = _rank_correlation_of_few(runs)
    result["by_kind"] = {
        name: figures([run for run in runs if run["kind"] == name]) for name in ORACLES
    }
    before = read_json(HERE / "result.json")
    result |= {name: before[name] for name in ("agreement", "tiny") if name in before}
    if options.tiny:
        result["tiny"] = figures(list(tiny_runs(options.tiny, 2)))
    write_json(HERE / "result.json", result)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
