"""ADCL: easy to hard, in blocks that are sorted when the run comes to them.

Pass rates change while the policy learns, so a block's items are ordered by their current estimates
just before its first one is picked.
"""

from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Annotated

from puzzlemill.core.settings import Range
from puzzlemill.difficulty.curricula import Curriculum, Pool, State, adjustable
from puzzlemill.difficulty.curricula._items import estimate, update


@dataclass(frozen=True, slots=True)
class Settings:
    blocks: Annotated[int, Range(1, 100_000)] = 8  # into which the pool is cut


def pick(
    settings: Settings, pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    size = max(len(pool) // settings.blocks, count)
    order, first, places = state.get("order", []), state.get("first", 0), list[int]()
    while len(places) < count:
        if not order:
            block = [place % len(pool) for place in range(first, first + size)]
            order = sorted(block, key=lambda place: -estimate(pool, state, place)[0])
            first = (first + size) % len(pool)
        missing = count - len(places)
        places, order = places + order[:missing], order[missing:]
    return places, {**state, "order": order, "first": first}


def curriculum(settings: Settings) -> Curriculum:
    return Curriculum(partial(pick, settings), update=update)


CURRICULUM = adjustable(Settings, curriculum)
