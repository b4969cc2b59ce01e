"""What it costs to know difficulty, and how well it is aimed at.

    python benchmarks/difficulty/run.py [--seeds 20] [--without-policy]

The first part draws replies from the rates in pool.json, which are taken for the truth, and
compares adaptive scoring with so many replies to each item. The second asks the bundled policy for
items that were made to lie in a band. The figures go to result.json beside this file.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from pool import KNOWN, POOL, STRANGE

from puzzlemill.core import registry
from puzzlemill.core.item import address_at, make
from puzzlemill.core.rows import row_of
from puzzlemill.core.storage.files import write_json
from puzzlemill.difficulty.budget import Tally
from puzzlemill.difficulty.gate import (
    first_counts,
    gate_error,
    is_sampled,
    meta_reward,
    predictions,
)
from puzzlemill.difficulty.knob_model import (
    WIDE_PRIOR,
    Covariates,
    LevelPrior,
    Observation,
    distinct_levels,
    fit,
    z_scores,
)
from puzzlemill.difficulty.policies.loading import load_policy
from puzzlemill.difficulty.posterior import Posterior
from puzzlemill.difficulty.scoring import (
    allocation,
    judge_groups,
    judge_here,
    posteriors,
    question_of,
)
from puzzlemill.difficulty.settings import PolicySettings, Score
from puzzlemill.difficulty.signals import signals
from puzzlemill.difficulty.targeting import levels_in_band

RESULT = Path(__file__).with_name("result.json")
TEACHES, HARD = (0.05, 0.95), (0.05, 0.3)
FIXED = 16
ERRORS = (0.14, 0.13, 0.125, 0.12, 0.115, 0.11, 0.105, 0.1, 0.09, 0.08, 0.07, 0.06)
GATE = Score(gate=0.2, gate_sample=0.1, rounds=30)
GATE_SEEDS = 6  # a gate predicts every item in every round, which takes long
BAND = (0.3, 0.7)
NEW, MEASURED = 216, 64  # items of a round of regeneration; replies that each is measured by


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--without-policy", action="store_true", help="the first part alone")
    asked = parser.parse_args()
    items = json.loads(POOL.read_text())
    mixed = [item for item in items if item[0] in KNOWN]
    for name, pool in (("mixed", lambda seed: mixed), ("hard", lambda seed: hard(items, seed))):
        keep(verdicts(name, pool, asked.seeds))
    keep(in_turn(mixed, asked.seeds))
    keep(estimates(mixed, asked.seeds))
    keep(gates(lambda seed: hard(items, seed), min(asked.seeds, GATE_SEEDS)))
    if not asked.without_policy:
        keep(regeneration(mixed))
    print(RESULT.read_text())


def keep(figures: dict[str, float]) -> None:
    result = json.loads(RESULT.read_text()) if RESULT.is_file() else {}
    write_json(RESULT, dict(sorted((result | figures).items())))


def hard(items: list[Any], seed: int) -> list[Any]:
    """Seven items in ten that the policy never solved."""
    source = np.random.default_rng(seed)
    never = [item for item in items if not item[2]]
    rest = [item for item in items if item[2]]
    strange = [item for item in never if item[0] in STRANGE]
    known = [item for item in never if item[0] in KNOWN]
    missing = len(rest) * 7 // 3 - len(known)
    some = source.choice(len(strange), min(missing, len(strange)), replace=False)
    return rest + known + [strange[place] for place in sorted(some)]


def verdicts(name: str, pool: Callable[[int], list[Any]], seeds: int) -> dict[str, float]:
    """The least replies that decide as well as sixteen to each item do."""
    mean = at_equal_accuracy(lambda error, seed: verdict(pool(seed), rule(error), seed), seeds)
    found = {f"{key}_{name}": round(value, 4) for key, value in mean.items()}
    if name == "hard":
        found["hard_lost_share"] = found.pop("lost_hard")
    return found


def rule(error: float) -> Score:
    return Score(error=error, rounds=30)


def at_equal_accuracy(
    run: Callable[[float, int], dict[str, float]], seeds: int
) -> dict[str, float]:
    """The figures at the error where accuracy is that of sixteen replies to each item: between the
    last one of ERRORS that falls short and the first that does not, by a line."""
    before: dict[str, float] = {}
    for error in ERRORS:
        runs = [run(error, seed) for seed in range(seeds)]
        mean = {key: fmean(each[key] for each in runs) for key in runs[0]} | {"error": error}
        more = mean["accuracy"] - mean["accuracy_16"]
        if more >= 0:
            break
        before = mean
    less = before["accuracy_16"] - before["accuracy"] if before else 0.0
    share = max(more, 0.0) / (more + less) if before and more >= 0 else 0.0
    return {key: (1 - share) * mean[key] + share * before.get(key, 0.0) for key in mean}


def in_turn(items: list[Any], seeds: int) -> dict[str, float]:
    """Signal, earlier scores and gate switched on in turn. The items are every second one of each
    level; the others, with four replies each, are the earlier build."""
    found = dict[str, float]()
    for name, signal, earlier, gated in (
        ("plain", False, False, 0.0),
        ("signal", True, False, 0.0),
        ("earlier", True, True, 0.0),
        ("gate", True, True, 0.05),
    ):

        def run(
            error: float,
            seed: int,
            signal: bool = signal,
            earlier: bool = earlier,
            gated: float = gated,
        ) -> dict[str, float]:
            own = [item if signal else [*item[:4], 0.0] for item in items[seed % 2 :: 2]]
            others = items[1 - seed % 2 :: 2]
            rates = rates_of(others)
            right = np.random.default_rng(500 + seed).binomial(4, rates).tolist()
            seen = [(*item[:2], 0.0, 4, count) for item, count in zip(others, right, strict=True)]
            prior = fit(seen).prior() if earlier else WIDE_PRIOR
            return verdict(own, replace(rule(error), gate=gated), seed, prior)

        found[f"rollout_share_{name}"] = round(at_equal_accuracy(run, seeds)["rollout_share"], 4)
    return found


def verdict(
    items: list[Any], settings: Score, seed: int, prior: LevelPrior = WIDE_PRIOR
) -> dict[str, float]:
    rates = rates_of(items)
    teaches = (rates > TEACHES[0]) & (rates < TEACHES[1])
    source = np.random.default_rng(seed)
    counted = source.binomial(FIXED, rates)
    mixed = (counted > 0) & (counted < FIXED)
    found, replies = scored(items, settings, source, prior=prior)
    kept = np.array([each.within >= 0.5 for each in found])
    above = np.array([each.mean > sum(TEACHES) / 2 for each in found])
    hard_ones = (rates > HARD[0]) & (rates < HARD[1])
    return {
        "accuracy": float((kept == teaches).mean()),
        "accuracy_16": float((mixed == teaches).mean()),
        "rollout_share": replies / FIXED / len(items),
        "coverage": covered(found, rates),
        "lost": float((hard_ones & ~kept & above).sum() / hard_ones.sum()),
        "to_frontier": float((hard_ones & ~kept & ~above).sum() / hard_ones.sum()),
        "to_frontier_16": float((hard_ones & (counted == 0)).sum() / hard_ones.sum()),
    }


def estimates(items: list[Any], seeds: int) -> dict[str, float]:
    """At so many replies an item: how far the estimates are off, and what intervals cover."""
    rates, found = rates_of(items), dict[str, float]()
    errors, counts, covers = [], [], []
    families: dict[str, list[float]] = {}
    for seed in range(seeds):
        source = np.random.default_rng(1000 + seed)
        known, replies = estimated(items, source)
        each = round(replies / len(items))
        errors.append(np.mean((np.array([each.mean for each in known]) - rates) ** 2))
        counts.append(np.mean((source.binomial(each, rates) / each - rates) ** 2))
        covers.append(covered(known, rates))
        for family in KNOWN:
            own = [place for place, item in enumerate(items) if item[0] == family]
            families.setdefault(family, []).append(covered([known[n] for n in own], rates[own]))
    found["coverage_90"] = round(fmean(covers), 4)
    found["coverage_90_least_of_a_family"] = round(min(map(fmean, families.values())), 4)
    found["coverage_90_most_of_a_family"] = round(max(map(fmean, families.values())), 4)
    found["rmse"], found["rmse_counting"] = (
        round(float(np.sqrt(np.mean(each))), 4) for each in (errors, counts)
    )
    found["rmse_ratio"] = round(found["rmse"] / found["rmse_counting"], 4)
    return found


def estimated(items: list[Any], source: np.random.Generator) -> tuple[list[Posterior], int]:
    """Posteriors after four replies an item, spent where they narrow most."""
    return scored(items, Score(until="budget", budget=4, rounds=40), source)


def gates(pool: Callable[[int], list[Any]], seeds: int) -> dict[str, float]:
    """What the gate sets aside in a pool where most items were never solved, what of that teaches,
    and what it says of that itself."""
    runs = [gate(pool(seed), GATE, seed) for seed in range(seeds)]
    found = {f"gate_{key}": round(fmean(run[key] for run in runs), 4) for key in runs[0]}
    return found | {"gate": GATE.gate, "gate_seeds": float(seeds)}


def gate(items: list[Any], settings: Score, seed: int) -> dict[str, float]:
    rates, source = rates_of(items), np.random.default_rng(seed)
    teaches = (rates > TEACHES[0]) & (rates < TEACHES[1])
    uids = [f"{seed} {place}" for place in range(len(items))]
    covariates, tallies = covariates_of(items), [(0, 0)] * len(items)
    for number in range(1, settings.rounds + 1):
        if number == 1:
            asked = first_counts(uids, settings)
        else:
            asked = allocation(number, covariates, tallies, settings, TEACHES)
        tallies = answered(tallies, asked, rates, source)
    aside = np.array([not trials for trials, _ in tallies])
    known = posteriors(covariates, tallies, TEACHES, 8)
    predicted = predictions(covariates, tallies, TEACHES)
    sample = [
        (chance, each.within)
        for uid, each, (_, chance) in zip(uids, known, predicted, strict=True)
        if is_sampled(uid, settings.gate_sample)
    ]
    error = gate_error(sample, settings.gate)
    share = float((aside & teaches).sum() / teaches.sum())
    replies = sum(trials for trials, _ in tallies)
    all_asked, without = scored(items, replace(settings, gate=0.0), np.random.default_rng(seed))
    kept = np.array([each.within >= 0.5 for each in known]) & ~aside
    kept_without = np.array([each.within >= 0.5 for each in all_asked])
    return {
        "set_aside": float(aside.mean()),
        "false_share": share,
        "false_share_estimated": error.share,
        "interval_covers": float(error.low <= share <= error.high),
        "reply_share": replies / without,
        "accuracy": float((kept == teaches).mean()),
        "accuracy_without": float((kept_without == teaches).mean()),
        "meta_reward": fmean(
            meta_reward(rate, true) for (rate, _), true in zip(predicted, rates, strict=True)
        ),
    }


def answered(
    tallies: list[Tally], asked: Sequence[int], rates: Any, source: np.random.Generator
) -> list[Tally]:
    right = source.binomial(asked, rates).tolist()
    return [
        (trials + more, successes + new)
        for (trials, successes), more, new in zip(tallies, asked, right, strict=True)
    ]


def scored(
    items: list[Any],
    rule: Score,
    source: np.random.Generator,
    band: tuple[float, float] = TEACHES,
    prior: LevelPrior = WIDE_PRIOR,
) -> tuple[list[Posterior], int]:
    """Posteriors after adaptive scoring, and how many replies it took."""
    rates, covariates = rates_of(items), covariates_of(items)
    tallies = [(0, 0)] * len(items)
    for number in range(1, rule.rounds + 1):
        if number == 1 and rule.gate:
            asked = first_counts([f"{place}" for place in range(len(items))], rule)
        else:
            asked = allocation(number, covariates, tallies, rule, band, prior)
        if not any(asked):
            break
        tallies = answered(tallies, asked, rates, source)
    known = posteriors(covariates, tallies, band, 8, prior)
    return known, sum(trials for trials, _ in tallies)


def covered(estimated: list[Posterior], rates: Any) -> float:
    inside = [each.low <= rate <= each.high for each, rate in zip(estimated, rates, strict=True)]
    return fmean(inside)


def covariates_of(items: list[Any]) -> list[Covariates]:
    cells = [(item[0], item[1]) for item in items]
    signals = z_scores(cells, [item[4] for item in items])
    return [(*cell, signal) for cell, signal in zip(cells, signals, strict=True)]


def rates_of(items: list[Any]) -> Any:
    return np.array([item[2] / item[3] for item in items])


def regeneration(items: list[Any]) -> dict[str, float]:
    """Two rounds of new items at the levels that the scores promise, scored as a build does it;
    what was made and what was kept are measured by many replies."""
    scores = tallied(items, scored(items, Score(), np.random.default_rng(0), BAND)[0])
    found = {"in_band_share_uniform": in_band(items)}
    for number in (1, 2):
        model = fit(
            scores, [(family, level) for family in KNOWN for level in distinct_levels(family)]
        )
        aims = {family: levels_in_band(model, family, *BAND) for family in KNOWN}
        cells = [(family, level) for family, levels in aims.items() for level in levels]
        places = [(*cells[place % len(cells)], place // len(cells)) for place in range(NEW)]
        new = measured(places, number)
        known, replies = scored(new, Score(error=0.06), np.random.default_rng(number), BAND)
        kept = [item for item, each in zip(new, known, strict=True) if each.within >= 0.5]
        found[f"in_band_share_of_made_round_{number}"] = in_band(new)
        found[f"in_band_share_round_{number}"] = in_band(kept)
        found[f"kept_share_round_{number}"] = round(len(kept) / len(new), 4)
        found[f"replies_an_item_round_{number}"] = round(replies / len(new), 2)
        scores += tallied(new, known)
    found["in_band_share"] = found["in_band_share_round_2"]
    return found


def tallied(items: list[Any], estimated: list[Posterior]) -> list[Observation]:
    return [
        (item[0], item[1], 0.0, each.trials, each.successes)
        for item, each in zip(items, estimated, strict=True)
    ]


def in_band(items: list[Any]) -> float:
    """The share of items whose many replies put them into the band."""
    return round(fmean(BAND[0] <= rate <= BAND[1] for rate in rates_of(items)), 4)


def measured(new: list[tuple[str, float, int]], seed: int) -> list[list[Any]]:
    """New items as in the pool: family, level, and how many of many replies are right."""
    policy = load_policy(PolicySettings())
    rows = []
    for name, level, index in new:
        family = registry.family(name)
        rows.append(
            row_of(make(family, address_at(family, level, seed=100 + seed, index=index), level))
        )
    groups = policy.sample([question_of(row, "measure") for row in rows], MEASURED)
    verdicts = judge_groups(rows, groups, judge_here)
    told = signals(policy, rows, "solution")
    return [
        [name, level, sum(verdict.correct for verdict in group), MEASURED, signal]
        for (name, level, _), group, signal in zip(new, verdicts, told, strict=True)
    ]


if __name__ == "__main__":
    main()
