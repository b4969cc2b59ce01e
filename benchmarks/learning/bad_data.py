"""Bad data: some of the golds are wrong, and what that does to right solutions.

A wrong gold is the answer of another item of the family, behind the right steps. The loss is what a
right solution's log-likelihood is below that of the same seed's run without wrong golds, in nats a
token of the reply: of held-out families, and of test items of families that were learned.
"""

from random import Random
from typing import Any

import numpy as np

from benchmarks.learning.breadth import drawn
from benchmarks.learning.records import Records, mean_interval, rounded
from benchmarks.learning.sft import RATE, REPLIES, fine_tuned, held_batches, log_likelihoods
from benchmarks.learning.solutions import Families, solution, wrong_solution
from benchmarks.learning.students import TOKENS, Student
from puzzlemill.trainer.imitation import example_batches
from puzzlemill.trainer.tiny import Pair, encoded

SHARES = (0.0, 0.01, 0.05, 0.11)
FAMILIES = 64  # that are learned
OWN = 8  # of them are measured
SETTING = f"{REPLIES}@{RATE}"


def run(student: Student, families: Families, records: Records, seed: int) -> None:
    names = drawn(families, FAMILIES, seed)
    measured = held_batches(student, [*families.held, *names[:OWN]])
    for share in SHARES:

        def after(share: float = share) -> list[float]:
            examples = encoded(student.tokens, lessons(names, share, seed))
            batches = example_batches(examples, TOKENS, Random(f"bad data {seed}"))
            return log_likelihoods(fine_tuned(student, batches), measured)

        records.of(f"{student.name} {SETTING} {share} {seed}", after)


def lessons(names: list[str], share: float, seed: int) -> list[Pair]:
    """Prompts and replies; those that are wrong at one share are so at every larger one."""
    each = REPLIES // len(names)
    places = [(name, index) for name in names for index in range(each)]
    order = Random(f"wrong golds {seed}").sample(places, len(places))
    wrong = set(order[: round(share * len(places))])
    return [
        (wrong_solution if place in wrong else solution)(place[0], "train", place[1])
        for place in places
    ]


def figures(student: Student, families: Families, records: Records) -> dict[str, Any]:
    """By the share of wrong golds: the mean loss and its interval over families, and by seed."""
    summary: dict[str, Any] = {}
    for share in SHARES[1:]:
        start, losses = f"{student.name} {SETTING} {share} ", []
        for key, values in records.runs.items():
            if key.startswith(start):
                clean = records.runs[key.replace(f" {share} ", f" {SHARES[0]} ")]
                losses.append(np.array(clean) - np.array(values))
        if losses:
            held_SF, learned_SF = np.split(np.array(losses), [len(families.held)], axis=1)
            summary[str(share)] = {
                "held": mean_interval(held_SF.mean(axis=0)),
                "held_by_seed": [rounded(loss) for loss in held_SF.mean(axis=1)],
                "learned": mean_interval(learned_SF.ravel()),  # each seed learns others
                "learned_by_seed": [rounded(loss) for loss in learned_SF.mean(axis=1)],
            }
    return summary
