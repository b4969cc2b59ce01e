"""RuleReasoner: families that fall short of the reward aimed at are drawn more often.

The mean of a family's latest rewards, older ones counting less, is held against the aim.
"""

from collections.abc import Sequence
from random import Random
from statistics import fmean

from puzzlemill.difficulty.curricula import Curriculum, Pool, Seen, State, by_cell
from puzzlemill.difficulty.curricula._bandit import drawn, softmax

AIM = 1.0
HEAT = 0.3
ROOM = 8  # latest rewards of a family that are kept


def pick(
    pool: Pool, state: State, count: int, done: float, source: Random
) -> tuple[list[int], State]:
    kept = state.get("kept", {})
    short = {cell: max(0.0, AIM - _decayed(kept.get(cell[0], []))) for cell in pool.members}
    return drawn(pool, state, count, softmax(short, HEAT, 0.0), source)


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
