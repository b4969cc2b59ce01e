"""Adaptive levels: they rise with the policy, and fall (RLVE, which only raises them).

Each family is trained at its highest level so far and the few below it. The highest rises when most
replies there are right, and falls when hardly any are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
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
    by_cell,
    name_of,
    next_items,
)


@dataclass(frozen=True, slots=True)
class Settings:
    window: Annotated[int, Range(1, 100)] = 3  # levels of a family at a time
    enough: Annotated[int, Range(1, 10_000)] = 4  # groups at the highest level before it moves
    rise: Annotated[float, Range(0, 1)] = 0.8  # the pass rate at which it rises
    fall: Annotated[float, Range(0, 1)] = 0.1  # the pass rate at which it falls


def pick(
    settings: Settings, pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    ladders, top = _ladders(pool), state.get("top", {})
    families, cells = list(ladders), []
    for _ in range(count):
        ladder = ladders[rng.choice(families)]
        highest = min(top.get(ladder[0][0], 0), len(ladder) - 1)
        cells.append(ladder[rng.randint(max(0, highest - settings.window + 1), highest)])
    return next_items(pool, state, cells)


def update(settings: Settings, pool: Pool, state: State, outcomes: Sequence[Outcome]) -> State:
    top, tried = dict(state.get("top", {})), dict(state.get("tried", {}))
    groups = by_cell(pool, outcomes)
    for family, ladder in _ladders(pool).items():
        cell = ladder[top.get(family, 0)]
        means = [*tried.get(name_of(cell), []), *(each.mean for each in groups.get(cell, []))]
        tried[name_of(cell)] = means
        if len(means) >= settings.enough:
            mean = sum(means) / len(means)
            step = (mean >= settings.rise) - (mean <= settings.fall)
            top[family] = min(max(top.get(family, 0) + step, 0), len(ladder) - 1)
            tried[name_of(cell)] = []
    return {**state, "top": top, "tried": tried}


def _ladders(pool: Pool) -> dict[str, list[Cell]]:
    ladders: dict[str, list[Cell]] = {}
    for cell in pool.members:
        ladders.setdefault(cell[0], []).append(cell)
    return ladders


def curriculum(settings: Settings) -> Curriculum:
    return Curriculum(partial(pick, settings), update=partial(update, settings))


CURRICULUM = adjustable(Settings, curriculum)
