"""ADCL: easy to hard, in blocks that are sorted when the run comes to them.

Pass rates change while the policy learns, so a block's items are ordered by their current estimates
just before its first one is picked.
"""

from random import Random

from puzzlemill.difficulty.curricula import Curriculum, Pool, State
from puzzlemill.difficulty.curricula._items import estimate, update

BLOCKS = 8


def pick(
    pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    size = max(len(pool) // BLOCKS, count)
    order, first, places = state.get("order", []), state.get("first", 0), list[int]()
    while len(places) < count:
        if not order:
            block = [place % len(pool) for place in range(first, first + size)]
            order = sorted(block, key=lambda place: -estimate(pool, state, place)[0])
            first = (first + size) % len(pool)
        missing = count - len(places)
        places, order = places + order[:missing], order[missing:]
    return places, {**state, "order": order, "first": first}


CURRICULUM = Curriculum(pick, update=update)
