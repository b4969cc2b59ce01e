"""RuleReasoner: families that fall short of the reward aimed at are drawn more often.

The mean of a family's latest rewards, older ones counting less, is held against the aim.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random
from statistics import fmean

from puzzlemill.difficulty.curricula import Cell, Curriculum, Pool, Seen, State, by_cell
from puzzlemill.difficulty.curricula._bandit import drawn, softmax

AIM = 1.0
HEAT = 0.3
ROOM = 8  # latest rewards of a family that are kept


def pick(
    pool: Pool, state: State, count: int, done: float, source: Random
) -> tuple[list[int], State]:
    return drawn(pool, state, count, shares(pool, state), source)


def shares(pool: Pool, state: State) -> dict[Cell, float]:
    """The softmax is over families; the levels of one have equal parts of its share."""
    kept = state.get("kept", {})
    levels = Counter(family for family, _ in pool.members)
    short = {family: max(0.0, AIM - _decayed(kept.get(family, []))) for family in levels}
    share = softmax(short, HEAT, 0.0)
    return {cell: share[cell[0]] / levels[cell[0]] for cell in pool.members}


def told(pool: Pool, state: State, seen: Sequence[Seen]) -> State:
    kept = {family: list(means) for family, means in state.get("kept", {}).items()}
    by_family: dict[str, list[float]] = {}
    for (family, _), groups in by_cell(pool, seen).items():
        by_family.setdefault(family, []).extend(group.mean for group in groups)
    for family, means in by_family.items():
        kept[family] = [*kept.get(family, []), fmean(means)][-ROOM:]
    return {**state, "kept": kept}


def _decayed(means: Sequence[float]) -> float:
    """The mean, the latest counting in full, the one before by half, then by a third, and so on."""
    shares = [1 / (1 + age) for age in range(len(means))]
    return sum(s * m for s, m in zip(shares, reversed(means), strict=True)) / (sum(shares) or 1.0)


CURRICULUM = Curriculum(pick, told=told)
