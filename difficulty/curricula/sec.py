"""Self-Evolving Curriculum: a bandit over cells, valued by a moving average of their advantage."""

from collections.abc import Sequence
from random import Random
from statistics import fmean

from puzzlemill.difficulty.curricula import Curriculum, Outcome, Pool, State, by_cell, name_of
from puzzlemill.difficulty.curricula._bandit import sample_cells, softmax

RATE = 0.3  # of the moving average
TEMPERATURE = 0.1
OPTIMISM = 0.25  # value of a cell without outcomes: half of the largest possible
FLOOR = 0.05


def pick(
    pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    learned = state.get("values", {})
    values = {cell: learned.get(name_of(cell), OPTIMISM) for cell in pool.members}
    return sample_cells(pool, state, count, softmax(values, TEMPERATURE, FLOOR), rng)


def update(pool: Pool, state: State, outcomes: Sequence[Outcome]) -> State:
    values = dict(state.get("values", {}))
    for cell, groups in by_cell(pool, outcomes).items():
        old = values.get(name_of(cell), OPTIMISM)
        values[name_of(cell)] = old + RATE * (fmean(group.spread for group in groups) - old)
    return {**state, "values": values}


CURRICULUM = Curriculum(pick, update=update)
