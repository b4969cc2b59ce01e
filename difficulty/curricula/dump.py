"""DUMP: an upper confidence bound on each cell's advantage.

A cell's value is the mean absolute advantage of its latest groups plus an exploration bonus; cells
are sampled by the softmax of their values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import log, sqrt
from random import Random
from statistics import fmean
from typing import Annotated

from puzzlemill.core.settings import Range
from puzzlemill.difficulty.curricula import (
    Cell,
    Curriculum,
    Outcome,
    Pool,
    State,
    adjustable,
    by_cell,
    name_of,
)
from puzzlemill.difficulty.curricula._bandit import sample_cells, softmax


@dataclass(frozen=True, slots=True)
class Settings:
    temperature: Annotated[float, Range(1e-3, 1000)] = 0.1  # of the softmax over cells
    weight: Annotated[float, Range(0, 1000)] = 1.0  # of the exploration bonus
    window: Annotated[int, Range(1, 100_000)] = 300  # groups of a cell that are averaged
    # Whether advantages are divided by the standard deviation of their group.
    normalised: bool = True
    # The share of picks that all cells have alike; the paper has none.
    floor: Annotated[float, Range(0, 1)] = 0.0


def pick(
    settings: Settings, pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    weights = softmax(values(settings, pool, state), settings.temperature, settings.floor)
    return sample_cells(pool, state, count, weights, rng)


def values(settings: Settings, pool: Pool, state: State) -> dict[Cell, float]:
    counts, latest = state.get("counts", {}), state.get("latest", {})
    total = sum(counts.values())
    found = {}
    for cell in pool.members:
        name = name_of(cell)
        bonus = sqrt(2 * log(total + 1) / (counts.get(name, 0) + 1))
        mean = fmean(latest[name]) if name in latest else 0.0
        found[cell] = mean + settings.weight * bonus
    return found


def update(settings: Settings, pool: Pool, state: State, outcomes: Sequence[Outcome]) -> State:
    counts, latest = dict(state.get("counts", {})), dict(state.get("latest", {}))
    for cell, groups in by_cell(pool, outcomes).items():
        name = name_of(cell)
        advantages = [each.advantage if settings.normalised else each.spread for each in groups]
        counts[name] = counts.get(name, 0) + len(groups)
        latest[name] = [*latest.get(name, []), *advantages][-settings.window :]
    return {**state, "counts": counts, "latest": latest}


def curriculum(settings: Settings) -> Curriculum:
    return Curriculum(partial(pick, settings), update=partial(update, settings))


CURRICULUM = adjustable(Settings, curriculum)
