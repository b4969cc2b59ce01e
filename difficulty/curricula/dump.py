"""DUMP: an upper confidence bound on each cell's advantage.

A cell's value is the mean unnormalised advantage of its replies plus an exploration bonus. Counts
decay, so that cells that were abandoned are explored again.
"""

from collections.abc import Sequence
from math import log, sqrt
from random import Random

from puzzlemill.difficulty.curricula import Curriculum, Outcome, Pool, State, by_cell, name_of
from puzzlemill.difficulty.curricula._bandit import sample_cells, softmax

TEMPERATURE = 0.1
DECAY = 0.95  # of a cell's counts, from one step to the next
WEIGHT = 0.1  # of the bonus; advantages lie between 0 and one half
FLOOR = 0.1  # of the picks, shared by all cells


def pick(
    pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    counts, sums = state.get("counts", {}), state.get("sums", {})
    total = sum(counts.values())
    values = {}
    for cell in pool.members:
        times = counts.get(name_of(cell), 0.0)
        mean = sums.get(name_of(cell), 0.0) / times if times else 0.0
        values[cell] = mean + WEIGHT * sqrt(2 * log(total + 1) / (times + 1))
    return sample_cells(pool, state, count, softmax(values, TEMPERATURE, FLOOR), rng)


def update(pool: Pool, state: State, outcomes: Sequence[Outcome]) -> State:
    counts = {name: DECAY * count for name, count in state.get("counts", {}).items()}
    sums = {name: DECAY * each for name, each in state.get("sums", {}).items()}
    for cell, groups in by_cell(pool, outcomes).items():
        name = name_of(cell)
        counts[name] = counts.get(name, 0.0) + len(groups)
        sums[name] = sums.get(name, 0.0) + sum(group.spread for group in groups)
    return {**state, "counts": counts, "sums": sums}


CURRICULUM = Curriculum(pick, update=update)
