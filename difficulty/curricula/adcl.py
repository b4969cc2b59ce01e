"""ADCL: from easy to hard, where each block is sorted anew when the run comes to it.

How hard an item is changes while the policy learns: before a block is begun, its items and no
others are put in order by what is known of them now.
"""

from random import Random

from puzzlemill.difficulty.curricula import Curriculum, Pool, State
from puzzlemill.difficulty.curricula._items import known, told

BLOCKS = 8


def pick(
    pool: Pool, state: State, count: int, done: float, source: Random
) -> tuple[list[int], State]:
    size = max(len(pool) // BLOCKS, count)
    order, first, places = state.get("order", []), state.get("first", 0), list[int]()
    while len(places) < count:
        if not order:
            block = [place % len(pool) for place in range(first, first + size)]
            order = sorted(block, key=lambda place: -known(pool, state, place)[0])
            first = (first + size) % len(pool)
        missing = count - len(places)
        places, order = places + order[:missing], order[missing:]
    return places, {**state, "order": order, "first": first}


CURRICULUM = Curriculum(pick, told=told)
