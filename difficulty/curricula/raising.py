"""Adaptive levels: they rise with the policy, and fall (RLVE, which only raises them).

Each family is trained at its highest level so far and the few below it. The highest rises when most
replies there are right, and falls when hardly any are.
"""

from collections.abc import Sequence
from random import Random

from puzzlemill.difficulty.curricula import (
    Cell,
    Curriculum,
    Outcome,
    Pool,
    State,
    by_cell,
    name_of,
    next_items,
)

WINDOW = 3  # levels of a family at a time
ENOUGH = 4  # groups at the highest level before it moves
WELL, BADLY = 0.8, 0.1


def pick(
    pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    ladders, top = _ladders(pool), state.get("top", {})
    families, cells = list(ladders), []
    for _ in range(count):
        ladder = ladders[rng.choice(families)]
        highest = min(top.get(ladder[0][0], 0), len(ladder) - 1)
        cells.append(ladder[rng.randint(max(0, highest - WINDOW + 1), highest)])
    return next_items(pool, state, cells)


def update(pool: Pool, state: State, outcomes: Sequence[Outcome]) -> State:
    top, tried = dict(state.get("top", {})), dict(state.get("tried", {}))
    groups = by_cell(pool, outcomes)
    for family, ladder in _ladders(pool).items():
        cell = ladder[top.get(family, 0)]
        means = [*tried.get(name_of(cell), []), *(each.mean for each in groups.get(cell, []))]
        tried[name_of(cell)] = means
        if len(means) >= ENOUGH:
            mean = sum(means) / len(means)
            step = (mean >= WELL) - (mean <= BADLY)
            top[family] = min(max(top.get(family, 0) + step, 0), len(ladder) - 1)
            tried[name_of(cell)] = []
    return {**state, "top": top, "tried": tried}


def _ladders(pool: Pool) -> dict[str, list[Cell]]:
    ladders: dict[str, list[Cell]] = {}
    for cell in pool.members:
        ladders.setdefault(cell[0], []).append(cell)
    return ladders


CURRICULUM = Curriculum(pick, update=update)
