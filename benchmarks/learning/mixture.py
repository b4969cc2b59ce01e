"""Mixtures: sources chosen by influence, or by gradient alignment, against all of them alike.

Sources are chosen by what they do for one half of the held-out families, and measured on the other
half. A figure is the share of the replies of the uniform mixture after which a chosen one is as
good as that is in the end.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import torch

from benchmarks.learning.breadth import drawn
from benchmarks.learning.influence import cosines, matrix
from benchmarks.learning.records import RESAMPLES, Floats, Records, mean_interval, rounded
from benchmarks.learning.sft import RATE, REPLIES, held_batches, log_likelihoods
from benchmarks.learning.solutions import Families
from benchmarks.learning.students import TOKENS, Student
from puzzlemill.trainer.imitation import Example, ExampleBatch, example_batches, imitate

CHOSEN = 64  # sources
CHECKS = 8  # measurements, at equal distances
UNIFORM = "uniform"
CHOICES = ("influence", "alignment")
SETTING = f"{REPLIES}@{RATE}"


def run(
    student: Student, families: Families, records: Records, influence: Records, seeds: int
) -> None:
    held = held_batches(student, families.held)
    records.of(_begin(student), lambda: log_likelihoods(student.model, held))
    choices = {(UNIFORM, 0): list[str]()} | {
        (choice, half): chosen(student, families, influence, choice, half)
        for choice in CHOICES
        for half in (0, 1)
    }
    for seed in range(seeds):
        for (choice, half), names in choices.items():
            used = drawn(families, REPLIES, seed) if choice == UNIFORM else names

            def curve(used: list[str] = used, seed: int = seed) -> list[float]:
                return _curve(student, used, held, seed)

            if used:
                records.of(_key(student, choice, half, seed), curve)


def chosen(
    student: Student, families: Families, influence: Records, choice: str, half: int
) -> list[str]:
    """The sources that do most for a half of the held-out families."""
    if choice == "influence":
        names, changes_SFH = matrix(student.name, families, influence)
        table_FH = changes_SFH.mean(axis=0) if names else np.zeros((0, 0))
    else:
        names, table_FH = cosines(student, families, influence)
    if not names:
        return []
    order = np.argsort(-table_FH[:, half::2].mean(axis=1))
    return [names[at] for at in order[:CHOSEN]]


def figures(student: Student, records: Records) -> dict[str, Any]:
    """Of each choice: the gain over uniform at the end, and the share of its replies."""
    start = _begin(student)
    if start not in records.runs:
        return {}
    before_H = np.array(records.runs[start])
    summary: dict[str, Any] = {}
    for choice in CHOICES:
        seeds = _seeds(student, records, choice)
        if not seeds:
            continue
        curves_SCH = _curves(student, records, choice, seeds, before_H)
        uniform_SCH = _curves(student, records, UNIFORM, seeds, before_H)
        gains_SH = curves_SCH[:, -1] - uniform_SCH[:, -1]
        summary[choice] = {
            "seeds": len(curves_SCH),
            "gain": mean_interval(gains_SH.mean(axis=0)),
            "by_seed": [rounded(each) for each in gains_SH.mean(axis=1)],
            "replies_share": _share_interval(curves_SCH, uniform_SCH),
        }
    return summary


def _begin(student: Student) -> str:
    return f"{student.name} before"


def _key(student: Student, choice: str, half: int, seed: int) -> str:
    return f"{student.name} {SETTING} {choice} {half} {seed}"


def _keys(student: Student, choice: str, seed: int) -> list[str]:
    """Of the runs that were chosen by each half; uniform is chosen by none."""
    return [_key(student, choice, 0 if choice == UNIFORM else half, seed) for half in (0, 1)]


def _seeds(student: Student, records: Records, choice: str) -> list[int]:
    """The seeds that have all runs of a choice, and of uniform."""
    found = {
        int(key.split(" ")[-1])
        for key in records.runs
        if key.startswith(f"{student.name} {SETTING} ")
    }
    return [
        seed
        for seed in sorted(found)
        if all(
            key in records.runs for name in (choice, UNIFORM) for key in _keys(student, name, seed)
        )
    ]


def _curves(
    student: Student, records: Records, choice: str, seeds: Sequence[int], before_H: Floats
) -> Floats:
    """Gains by seed, measurement and held-out family: each family of the half that the choice was
    not made by."""
    found = []
    for seed in seeds:
        runs = [records.runs[key] for key in _keys(student, choice, seed)]
        halves = [np.array(run).reshape(CHECKS, -1) for run in runs]
        curve_CH = halves[1].copy()  # chosen by the odd families, measured on the even ones
        curve_CH[:, 1::2] = halves[0][:, 1::2]
        found.append(curve_CH - before_H)
    return np.array(found)


def _share_interval(curves_SCH: Floats, uniform_SCH: Floats) -> dict[str, float]:
    """With seeds and families resampled; 1 where the goal is not reached."""
    rng = np.random.default_rng(0)
    seeds, _, families = curves_SCH.shape
    values = []
    for _ in range(RESAMPLES):
        at_S, at_H = rng.integers(seeds, size=seeds), rng.integers(families, size=families)
        picked = [each[at_S][:, :, at_H].mean(axis=(0, 2)) for each in (curves_SCH, uniform_SCH)]
        values.append(_share(*picked))
    low, high = np.quantile(values, (0.025, 0.975))
    value = _share(curves_SCH.mean(axis=(0, 2)), uniform_SCH.mean(axis=(0, 2)))
    return {"value": rounded(value), "low": rounded(low), "high": rounded(high)}


def _share(curve_C: Floats, uniform_C: Floats) -> float:
    """The share of all replies at which a curve comes to where uniform ends."""
    points = [(0.0, 0.0), *((at / CHECKS, gain) for at, gain in enumerate(curve_C, start=1))]
    goal = uniform_C[-1]
    for (before, low), (after, high) in pairwise(points):
        if high >= goal > low:
            return float(before + (goal - low) / (high - low) * (after - before))
    return 1.0


def _curve(
    student: Student, names: Sequence[str], held: Sequence[ExampleBatch], seed: int
) -> list[float]:
    """The held-out solutions' log-likelihood at each measurement, one after the other."""
    examples = student.examples(names, "train", range(-(-REPLIES // len(names))))[:REPLIES]
    model = deepcopy(student.model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.0)
    found: list[float] = []
    for part in _parts(examples, seed):
        for _ in imitate(model, part, [optimizer]):
            pass
        found += log_likelihoods(model, held)
    return found


def _parts(examples: Sequence[Example], seed: int) -> Iterator[list[ExampleBatch]]:
    """Equal parts of the examples, in random order."""
    rng = Random(f"mixture {seed}")
    mixed = rng.sample(examples, len(examples))
    for at in range(CHECKS):
        part = mixed[len(mixed) * at // CHECKS : len(mixed) * (at + 1) // CHECKS]
        yield example_batches(part, TOKENS, rng)
