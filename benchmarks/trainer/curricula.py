"""What a curriculum saves: held-out score by replies, for every curriculum, over seeds.

    python benchmarks/trainer/curricula.py [--seeds 3]

The bundled policy is trained on two pools. In the balanced one every family that it knows stands
with nine levels from easy to hard. In the skewed one four cells in five teach nothing at first: it
solves all of them or none. A step learns from four groups of replies that are not all alike, and
asks until it has them (dynamic sampling), so that what a curriculum picks in vain costs replies and
not learning. A curriculum that needs pass rates pays for them: some items of each cell are asked
beforehand, and those replies count like any others. All have the same number of replies. Those that
go through a file from easy to hard have a pool that they get through.

A share is the replies after which a curriculum's mean curve reaches what uniform sampling has in
the end, over the replies that uniform sampling took. A bound is that share without the replies of
groups that are all alike: what the same learning would take if every group asked were mixed, and
nothing were asked beforehand. Figures go to result.json beside this file,
curves to curricula.json; a run that is there is not done again.
"""

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

HERE = Path(__file__).parent
CURVES, RESULT = HERE / "curricula.json", HERE / "result.json"
KNOWN = (
    "maxima",
    "modular_chain",
    "reversal",
    "running_parity",
    "running_sums",
    "sorting",
    "sums",
    "undoing",
)
STRANGE = ("countdown", "gcd", "insertion", "linear_system", "spread", "word_sorting")
TEACHING, DULL = 12, 48  # cells of the skewed pool
ITEMS = 60  # of each cell, to train on
PROBED, ASKED = 2, 2  # items of each cell that are asked beforehand, and replies to each
HELD, REPLIES = 360, 2  # items to measure on, and replies to each
BUDGET, EVERY = 7680, 1280  # replies in all, and between two measurements
PROMPTS, GROUP, REFILLS = 4, 8, 15
RATE = 2e-4
TOKENS = 160
ONCE = ("adcl", "ranked")  # go through a file from easy to hard: as many items as are asked
PRIORS = ("adcl", "gaussian", "prioritised", "ranked", "staged", "thompson")  # need pass rates

SHARES = {"skewed": "rollout_share_best_schedule", "balanced": "rollout_share_balanced"}

Cell = tuple[str, float]
# Replies so far, the held-out score, and the share of mixed groups since the point before.
Point = tuple[float, float, float]


@dataclass(frozen=True)
class Pool:
    cells: list[Cell]  # to train on
    held: list[Cell]  # to measure on


def main() -> None:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[], help="curricula")
    parser.add_argument("--pools", nargs="*", default=["balanced", "skewed"])
    asked = parser.parse_args()
    from puzzlemill.difficulty.curricula import CURRICULA

    chosen = asked.only or ["uniform", *(name for name in CURRICULA.names() if name != "uniform")]
    known: dict[str, Any] = json.loads(CURVES.read_text()) if CURVES.is_file() else {}
    pools = pools_of()
    for seed in range(asked.seeds):
        for pool in asked.pools:
            for name in chosen:
                key = f"{pool} {name} {seed}"
                if key not in known:
                    known[key] = curve(pools[pool], name, seed)
                    CURVES.write_text(
                        "{\n"
                        + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in known.items())
                        + "\n}\n"
                    )
                    print(key, known[key][-1], flush=True)
    figures = told(known)
    before = json.loads(RESULT.read_text()) if RESULT.is_file() else {}
    RESULT.write_text(json.dumps(dict(sorted((before | figures).items())), indent=2) + "\n")
    print(json.dumps(figures, indent=2))


def pools_of() -> dict[str, Pool]:
    rates: dict[Cell, list[float]] = {}
    for family, level, right, replies, _ in json.loads(
        (HERE.parent / "difficulty" / "pool.json").read_text()
    ):
        rates.setdefault((family, level), []).append(right / replies)
    means = {cell: fmean(found) for cell, found in rates.items()}
    own = [cell for cell in means if cell[0] in KNOWN]
    teaching = sorted(own, key=lambda cell: abs(means[cell] - 0.4))[:TEACHING]
    dull = [cell for cell in own if not 0.03 < means[cell] < 0.95]
    dull += [cell for cell in means if cell[0] in STRANGE][: DULL - len(dull)]
    assert len(dull) == DULL
    held = [cell for cell in own if cell in teaching or cell in dull]
    return {"balanced": Pool(own, own), "skewed": Pool(teaching + dull, held)}


def curve(pool: Pool, name: str, seed: int) -> list[Point]:
    """From before the first step on."""
    import torch

    from puzzlemill.difficulty.policies.loading import new_policy
    from puzzlemill.difficulty.policies.native import NativePolicy
    from puzzlemill.difficulty.scoring import judge_here
    from puzzlemill.difficulty.settings import PolicySettings, Score
    from puzzlemill.trainer.build_items import BuildItems
    from puzzlemill.trainer.item_task import ItemTask
    from puzzlemill.trainer.loop import steps
    from puzzlemill.trainer.schedule import Schedule
    from puzzlemill.trainer.settings import Train

    torch.set_num_threads(1)
    policy = new_policy(PolicySettings(max_tokens=TOKENS))
    assert isinstance(policy, NativePolicy)
    items = BUDGET // GROUP // len(pool.cells) if name in ONCE else ITEMS
    rows = [row for cell in pool.cells for row in rows_of(cell, "train", seed, items)]
    each = HELD // len(pool.held)
    held = [row for cell in pool.held for row in rows_of(cell, "test", seed, each)]
    paid = 0
    if name in PRIORS:
        asking = Score(first=ASKED, most=ASKED, rounds=1, signal="none")
        paid = know(rows, policy, asking)
    if name in ("ranked", "staged", "adcl", "gaussian"):
        rows.sort(key=lambda row: -row["mean"])
    most = BUDGET // (PROMPTS * GROUP)
    settings = Train(steps=most, prompts=PROMPTS, group=GROUP, refills=REFILLS, learning_rate=RATE)
    optimizer = torch.optim.AdamW(
        policy.model.parameters(), lr=settings.learning_rate, weight_decay=0.0, fused=True
    )
    found: list[Point] = [(paid, measured(policy, held), 0.0)]
    mixed: list[float] = []
    schedule: Any = Paced(Schedule(BuildItems(rows), name))
    for step in steps(ItemTask(settings, schedule), policy, optimizer, judge=judge_here):
        paid += step.replies
        mixed.append(1 - sum(step.discarded.values()) * GROUP / step.replies)
        if paid >= EVERY * len(found):
            found.append((paid, measured(policy, held), round(fmean(mixed), 3)))
            mixed.clear()
        if paid >= BUDGET:
            break
    return found


@dataclass
class Paced:
    """A schedule that comes to its end with the replies, however many steps that are."""

    schedule: Any
    asked: int = 0

    def pick(self, count: int, _: float, purpose: str) -> Any:
        done = min(self.asked * GROUP / BUDGET, 1.0)
        self.asked += count
        return self.schedule.pick(count, done, purpose)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.schedule, name)


def rows_of(cell: Cell, split: str, seed: int, count: int) -> list[dict[str, Any]]:
    from puzzlemill.core.item import generate
    from puzzlemill.core.rows import row_of

    family, level = cell
    items = generate(family, level=level, seed=1000 + seed, n=count, split=split)
    return [row_of(item) | {"mean": None} for item in items]


def know(rows: Sequence[dict[str, Any]], policy: Any, settings: Any) -> int:
    """Give every item its cell's pass rate, by a few replies to some; how many they were."""
    from puzzlemill.difficulty.scoring import judge_here, score

    cells: dict[Cell, list[dict[str, Any]]] = {}
    for row in rows:
        cells.setdefault((row["family"], row["level"]), []).append(row)
    some = [row for found in cells.values() for row in found[:PROBED]]
    scored = score(some, policy, settings, (0.2, 0.8), 8, judge_here)
    means: dict[Cell, list[float]] = {}
    for row, each in zip(some, scored, strict=True):
        means.setdefault((row["family"], row["level"]), []).append(each.mean)
    for cell, found in cells.items():
        for row in found:
            row["mean"] = fmean(means[cell])
    return sum(each.trials for each in scored)


def measured(policy: Any, rows: Sequence[dict[str, Any]]) -> float:
    from puzzlemill.difficulty.scoring import judge_here
    from puzzlemill.trainer.evaluation import measure

    solved = measure(policy, rows, REPLIES, judge_here)
    return sum(solved.values()) / (REPLIES * len(rows))


def told(known: dict[str, Any]) -> dict[str, Any]:
    """The flat figures: for each pool and curriculum its share, and what all ended with."""
    curves: dict[tuple[str, str], list[list[Point]]] = {}
    for key, found in known.items():
        pool, name, _ = key.split()
        curves.setdefault((pool, name), []).append(found)
    figures: dict[str, Any] = {"curriculum_replies": BUDGET}
    for (pool, name), runs in sorted(curves.items()):
        ends = [end_of(run) for run in runs]
        figures[f"score_{pool}_{name}"] = round(fmean(ends), 4)
        if len(ends) > 1:
            figures[f"score_{pool}_{name}_deviation"] = round(stdev(ends), 4)
        uniform = curves[pool, "uniform"]
        goal = fmean(end_of(run) for run in uniform)
        whole = fmean(run[-1][0] for run in uniform)
        mean = mean_curve(runs)
        figures[f"rollout_share_{pool}_{name}"] = reached(mean, goal, whole)
        figures[f"rollout_bound_{pool}_{name}"] = reached(of_mixed(mean), goal, whole)
        figures["seeds"] = min(figures.get("seeds", len(runs)), len(runs))
    for pool, key in SHARES.items():
        shares = [
            (figures[f"rollout_share_{pool}_{name}"], name)
            for (each, name) in curves
            if each == pool and name != "uniform" and figures[f"rollout_share_{pool}_{name}"]
        ]
        if shares:
            figures[key], figures[f"best_{pool}"] = min(shares)
    return figures


def end_of(run: Sequence[Point]) -> float:
    return fmean(score for _, score, _ in run[-2:])


def mean_curve(runs: Sequence[Sequence[Point]]) -> list[Point]:
    return [
        (fmean(replies), fmean(scores), fmean(mixed))
        for replies, scores, mixed in (zip(*points) for points in zip(*runs, strict=True))
    ]


def of_mixed(curve: Sequence[Point]) -> list[Point]:
    """The curve over the replies of mixed groups alone."""
    replies = 0.0
    found: list[Point] = [(replies, *curve[0][1:])]
    for (before, *_), (after, score, mixed) in pairwise(curve):
        replies += (after - before) * mixed
        found.append((replies, score, mixed))
    return found


def reached(curve: Sequence[Point], goal: float, whole: float) -> float | None:
    """The share of replies at which a curve first comes to the goal; none if it never does."""
    for (before, low, _), (after, high, _) in pairwise(curve):
        if high >= goal:
            part = 0.0 if high == low else max(goal - low, 0.0) / (high - low)
            return round((before + part * (after - before)) / whole, 3)
    return None


if __name__ == "__main__":
    main()
