"""Breadth: as many replies of one family, or of many, and what they do for held-out families.

Each number of families takes the first of one order, which the seed draws, so that a narrower
choice lies within a wider one. The gain is the change of a held-out solution's log-likelihood to
the student before, in nats a token of the reply.
"""

from random import Random
from typing import Any

import numpy as np

from benchmarks.learning.records import Floats, Records, mean_interval, rounded
from benchmarks.learning.sft import RATE, REPLIES, fine_tuned, held_batches, log_likelihoods
from benchmarks.learning.solutions import Families
from benchmarks.learning.students import TOKENS, Student
from puzzlemill.trainer.imitation import example_batches

BREADTHS = (1, 4, 16, 64, 256)
COMPARED = (64, 4)
SETTING = f"{REPLIES}@{RATE}"


def run(student: Student, families: Families, records: Records, seed: int) -> None:
    held = held_batches(student, families.held)
    records.of(_before(student), lambda: log_likelihoods(student.model, held))
    for breadth in BREADTHS:

        def after(breadth: int = breadth) -> list[float]:
            names = drawn(families, breadth, seed)
            examples = student.examples(names, "train", range(REPLIES // len(names)))
            batches = example_batches(examples, TOKENS, Random(f"breadth {seed}"))
            return log_likelihoods(fine_tuned(student, batches), held)

        if breadth <= len(families.sources):
            records.of(f"{student.name} {SETTING} {breadth} {seed}", after)


def drawn(families: Families, count: int, seed: int) -> list[str]:
    order = Random(f"families {seed}").sample(families.sources, len(families.sources))
    return order[:count]


def figures(student: Student, records: Records) -> dict[str, Any]:
    """By the number of families: the mean gain and its interval over held-out families, and the
    mean of each seed."""
    summary: dict[str, Any] = {}
    gains: dict[int, Floats] = {}
    for breadth in BREADTHS:
        start = f"{student.name} {SETTING} {breadth} "
        runs = [values for key, values in records.runs.items() if key.startswith(start)]
        if runs:
            gains_SH = gains[breadth] = np.array(runs) - np.array(records.runs[_before(student)])
            summary[str(breadth)] = {
                "gain": mean_interval(gains_SH.mean(axis=0)),
                "by_seed": [rounded(gain) for gain in gains_SH.mean(axis=1)],
            }
    many, few = COMPARED
    if many in gains and few in gains:
        seeds = min(len(gains[many]), len(gains[few]))
        differences_SH = gains[many][:seeds] - gains[few][:seeds]
        summary[f"{many} over {few}"] = {
            "gain": mean_interval(differences_SH.mean(axis=0)),
            "by_seed": [rounded(each) for each in differences_SH.mean(axis=1)],
        }
    return summary


def _before(student: Student) -> str:
    return f"{student.name} before"
