"""Self-Evolving Curriculum: a bandit over cells, valued by a moving average of their advantage."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from statistics import fmean
from typing import Annotated

from puzzlemill.core.settings import Range
from puzzlemill.difficulty.curricula import (
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
    rate: Annotated[float, Range(0, 1)] = 0.3  # of the moving average
    temperature: Annotated[float, Range(1e-3, 1000)] = 0.1  # of the softmax over cells
    # The value of a cell without outcomes; a quarter is half of the largest.
    optimism: Annotated[float, Range(0, 1)] = 0.25
    floor: Annotated[float, Range(0, 1)] = 0.05  # the share of picks that all cells have alike


def pick(
    settings: Settings, pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    learned = state.get("values", {})
    values = {cell: learned.get(name_of(cell), settings.optimism) for cell in pool.members}
    return sample_cells(
        pool, state, count, softmax(values, settings.temperature, settings.floor), rng
    )


def update(settings: Settings, pool: Pool, state: State, outcomes: Sequence[Outcome]) -> State:
    values = dict(state.get("values", {}))
    for cell, groups in by_cell(pool, outcomes).items():
        old = values.get(name_of(cell), settings.optimism)
        values[name_of(cell)] = old + settings.rate * (
            fmean(group.spread for group in groups) - old
        )
    return {**state, "values": values}


def curriculum(settings: Settings) -> Curriculum:
    return Curriculum(partial(pick, settings), update=partial(update, settings))


CURRICULUM = adjustable(Settings, curriculum)
