"""RuleReasoner: families are sampled by how far their rewards fall short of a target.

A family's reward is the decayed mean of its latest steps.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random
from statistics import fmean

from puzzlemill.difficulty.curricula import Cell, Curriculum, Outcome, Pool, State, by_cell
from puzzlemill.difficulty.curricula._bandit import sample_cells, softmax

TARGET = 1.0
TEMPERATURE = 0.3
RECENT = 8  # rewards of a family that are kept


def pick(
    pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    return sample_cells(pool, state, count, shares(pool, state), rng)


def shares(pool: Pool, state: State) -> dict[Cell, float]:
    """The softmax is over families; the levels of one have equal parts of its share."""
    kept = state.get("kept", {})
    levels = Counter(family for family, _ in pool.members)
    short = {family: max(0.0, TARGET - _decayed(kept.get(family, []))) for family in levels}
    share = softmax(short, TEMPERATURE, 0.0)
    return {cell: share[cell[0]] / levels[cell[0]] for cell in pool.members}


def update(pool: Pool, state: State, outcomes: Sequence[Outcome]) -> State:
    kept = {family: list(means) for family, means in state.get("kept", {}).items()}
    by_family: dict[str, list[float]] = {}
    for (family, _), groups in by_cell(pool, outcomes).items():
        by_family.setdefault(family, []).extend(group.mean for group in groups)
    for family, means in by_family.items():
        kept[family] = [*kept.get(family, []), fmean(means)][-RECENT:]
    return {**state, "kept": kept}


def _decayed(means: Sequence[float]) -> float:
    """The mean, the latest counting in full, the one before by half, then by a third, and so on."""
    shares = [1 / (1 + age) for age in range(len(means))]
    return sum(s * m for s, m in zip(shares, reversed(means), strict=True)) / (sum(shares) or 1.0)


CURRICULUM = Curriculum(pick, update=update)
