"""Measuring a policy on items that it was not trained on: those of the test split."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.difficulty.scoring import Judge, judge_groups, judge_in_workers, question_of

Cell = tuple[str, float]  # family, level


@dataclass(frozen=True, slots=True)
class Tally:
    trials: int
    successes: int

    @property
    def rate(self) -> float:
        return self.successes / self.trials if self.trials else 0.0


def heldout_rows(cells: Iterable[Cell], count: int, seed: int) -> list[dict[str, Any]]:
    return [
        row_of(item)
        for family, level in cells
        for item in generate(family, level=level, seed=seed, n=count, split="test")
    ]


def measure(
    policy: Policy,
    rows: Sequence[dict[str, Any]],
    replies: int,
    judge: Judge = judge_in_workers,
) -> dict[Cell, Tally]:
    """Successes by family and level; the same questions and seeds each time."""
    groups = policy.sample([question_of(row, "heldout") for row in rows], replies)
    tallies: dict[Cell, Tally] = {}
    for row, verdicts in zip(rows, judge_groups(rows, groups, judge), strict=True):
        cell = (row["family"], row["level"])
        before = tallies.get(cell, Tally(0, 0))
        solved = sum(verdict.correct for verdict in verdicts)
        tallies[cell] = Tally(before.trials + replies, before.successes + solved)
    return tallies


def overall(tallies: dict[Cell, Tally]) -> Tally:
    return Tally(
        sum(tally.trials for tally in tallies.values()),
        sum(tally.successes for tally in tallies.values()),
    )
