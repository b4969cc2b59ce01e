"""A curve of the pass rate over levels for each family: cells where a draw of it is near a target.

A family's pass rate falls with the level, as a logistic curve does. Its place and slope have a
posterior on a grid, so that one group tells of all levels of its family, and a family that is never
solved is left alone after a few groups. Each pick draws a curve for every family (Thompson
sampling). Older groups count less, since the policy learns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import exp, log
from random import Random
from typing import Annotated

from puzzlemill.core.settings import Range
from puzzlemill.difficulty.curricula import (
    Cell,
    Curriculum,
    Outcome,
    Pool,
    State,
    adjustable,
    next_items,
)

# Of a curve 1 / (1 + exp(slope * (level - middle))): the middle may lie beyond the levels.
MIDDLES = [number / 10 for number in range(-8, 19)]
CURVES = [*product(MIDDLES, (4.0, 8.0, 16.0))]
LEAST = 0.02  # no pass rate is surer than this: some items of a cell are unlike the others


@dataclass(frozen=True, slots=True)
class Settings:
    target: Annotated[float, Range(0, 1)] = 0.5  # the pass rate that is looked for
    kept: Annotated[float, Range(0, 1)] = 0.9  # of what is known of a family, at each new group
    replies: Annotated[float, Range(0.1, 100)] = 8.0  # that a group counts for


def rate(curve: tuple[float, float], level: float) -> float:
    middle, slope = curve
    return min(max(1 / (1 + exp(slope * (level - middle))), LEAST), 1 - LEAST)


def pick(
    settings: Settings, pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    known: dict[str, list[float]] = state.get("curves", {})
    families = sorted({name for name, _ in pool.members})
    weights = {name: [exp(each) for each in known[name]] for name in known}
    chosen: list[Cell] = []
    for _ in range(count):
        drawn = {name: rng.choices(CURVES, weights.get(name))[0] for name in families}
        chosen.append(
            min(
                pool.members,
                key=lambda cell: (
                    abs(rate(drawn[cell[0]], cell[1]) - settings.target),
                    rng.random(),
                ),
            )
        )
    return next_items(pool, state, chosen)


def update(settings: Settings, pool: Pool, state: State, outcomes: Sequence[Outcome]) -> State:
    """For each family the logarithm of each curve's posterior."""
    known = dict(state.get("curves", {}))
    for each in outcomes:
        name, level = pool.cells[each.place]
        before = known.get(name, [0.0] * len(CURVES))
        after = [
            settings.kept * old + settings.replies * _likelihood(rate(curve, level), each.mean)
            for old, curve in zip(before, CURVES, strict=True)
        ]
        highest = max(after)
        known[name] = [round(value - highest, 6) for value in after]
    return {**state, "curves": known}


def _likelihood(expected: float, mean: float) -> float:
    """Its logarithm, of a reply."""
    return mean * log(expected) + (1 - mean) * log(1 - expected)


def curriculum(settings: Settings) -> Curriculum:
    return Curriculum(partial(pick, settings), update=partial(update, settings))


CURRICULUM = adjustable(Settings, curriculum)
