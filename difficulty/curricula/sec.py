"""Self-Evolving Curriculum: cells are drawn by their advantage, which is followed as it moves."""

from collections.abc import Sequence
from random import Random
from statistics import fmean

from puzzlemill.difficulty.curricula import Curriculum, Pool, Seen, State, by_cell, name_of
from puzzlemill.difficulty.curricula._bandit import drawn, softmax

RATE = 0.3  # at which a value follows what was last seen
HEAT = 0.1
HOPE = 0.25  # of a cell that was never looked at: half of the most there can be
FLOOR = 0.05


def pick(
    pool: Pool, state: State, count: int, done: float, source: Random
) -> tuple[list[int], State]:
    known = state.get("values", {})
    values = {cell: known.get(name_of(cell), HOPE) for cell in pool.members}
    return drawn(pool, state, count, softmax(values, HEAT, FLOOR), source)


def told(pool: Pool, state: State, seen: Sequence[Seen]) -> State:
    values = dict(state.get("values", {}))
    for cell, groups in by_cell(pool, seen).items():
        old = values.get(name_of(cell), HOPE)
        values[name_of(cell)] = old + RATE * (fmean(group.spread for group in groups) - old)
    return {**state, "values": values}


CURRICULUM = Curriculum(pick, told=told)
