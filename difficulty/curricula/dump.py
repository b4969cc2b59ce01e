"""DUMP: an upper confidence bound on each cell's advantage.

A cell's worth is the mean advantage of its replies, unnormalised, plus what a cell may be worth
that was hardly looked at. Counts decay, so that what was given up is looked at again.
"""

from collections.abc import Sequence
from math import log, sqrt
from random import Random

from puzzlemill.difficulty.curricula import Curriculum, Pool, Seen, State, by_cell, name_of
from puzzlemill.difficulty.curricula._bandit import drawn, softmax

HEAT = 0.1
KEEP = 0.95  # of a cell's counts, from one step to the next
WEIGHT = 0.1  # of what is unknown: advantages lie between 0 and one half
FLOOR = 0.1  # of the picks, shared by all cells


def pick(
    pool: Pool, state: State, count: int, done: float, source: Random
) -> tuple[list[int], State]:
    counts, sums = state.get("counts", {}), state.get("sums", {})
    total = sum(counts.values())
    values = {}
    for cell in pool.members:
        times = counts.get(name_of(cell), 0.0)
        mean = sums.get(name_of(cell), 0.0) / times if times else 0.0
        values[cell] = mean + WEIGHT * sqrt(2 * log(total + 1) / (times + 1))
    return drawn(pool, state, count, softmax(values, HEAT, FLOOR), source)


def told(pool: Pool, state: State, seen: Sequence[Seen]) -> State:
    counts = {name: KEEP * count for name, count in state.get("counts", {}).items()}
    sums = {name: KEEP * each for name, each in state.get("sums", {}).items()}
    for cell, groups in by_cell(pool, seen).items():
        name = name_of(cell)
        counts[name] = counts.get(name, 0.0) + len(groups)
        sums[name] = sums.get(name, 0.0) + sum(group.spread for group in groups)
    return {**state, "counts": counts, "sums": sums}


CURRICULUM = Curriculum(pick, told=told)
