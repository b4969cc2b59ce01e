"""RuleReasoner: families are sampled by how far their rewards fall short of a target.

A family's reward is the decayed mean of its latest steps.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from statistics import fmean
from typing import Annotated, Literal

from puzzlemill.core.settings import Range
from puzzlemill.difficulty.curricula import (
    Cell,
    Curriculum,
    Outcome,
    Pool,
    State,
    adjustable,
    by_cell,
)
from puzzlemill.difficulty.curricula._bandit import sample_cells, softmax

HALF = 0.5  # of a reward, by geometric decay at each newer one


@dataclass(frozen=True, slots=True)
class Settings:
    target: Annotated[float, Range(0, 1)] = 1.0  # the reward that is looked for
    temperature: Annotated[float, Range(1e-3, 1000)] = 0.3  # of the softmax over families
    window: Annotated[int, Range(1, 10_000)] = 8  # steps of a family whose rewards are averaged
    # How older rewards count: by 1/2, 1/3 …, by 1/2, 1/4 …, or as the latest.
    decay: Literal["harmonic", "geometric", "none"] = "harmonic"


def pick(
    settings: Settings, pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    return sample_cells(pool, state, count, shares(settings, pool, state), rng)


def shares(settings: Settings, pool: Pool, state: State) -> dict[Cell, float]:
    """The softmax is over families; the levels of one have equal parts of its share."""
    kept = state.get("kept", {})
    levels = Counter(family for family, _ in pool.members)
    short = {
        family: max(0.0, settings.target - _decayed(settings, kept.get(family, [])))
        for family in levels
    }
    share = softmax(short, settings.temperature, 0.0)
    return {cell: share[cell[0]] / levels[cell[0]] for cell in pool.members}


def update(settings: Settings, pool: Pool, state: State, outcomes: Sequence[Outcome]) -> State:
    kept = {family: list(means) for family, means in state.get("kept", {}).items()}
    by_family: dict[str, list[float]] = {}
    for (family, _), groups in by_cell(pool, outcomes).items():
        by_family.setdefault(family, []).extend(group.mean for group in groups)
    for family, means in by_family.items():
        kept[family] = [*kept.get(family, []), fmean(means)][-settings.window :]
    return {**state, "kept": kept}


def _decayed(settings: Settings, means: Sequence[float]) -> float:
    """The mean, the latest counting in full and older ones less."""
    ages = range(len(means))
    shares = {
        "harmonic": [1 / (1 + age) for age in ages],
        "geometric": [HALF**age for age in ages],
        "none": [1.0 for _ in ages],
    }[settings.decay]
    return sum(s * m for s, m in zip(shares, reversed(means), strict=True)) / (sum(shares) or 1.0)


def curriculum(settings: Settings) -> Curriculum:
    return Curriculum(partial(pick, settings), update=partial(update, settings))


CURRICULUM = adjustable(Settings, curriculum)
