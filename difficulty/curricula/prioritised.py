"""Items in proportion to how often the policy fails them, as far as is known; none is left out."""

from random import Random

from puzzlemill.difficulty.curricula import Curriculum, Pool, State, drawn_apart
from puzzlemill.difficulty.curricula._items import known, told

LEAST = 0.05  # of the weight of an item that is always failed


def pick(
    pool: Pool, state: State, count: int, done: float, source: Random
) -> tuple[list[int], State]:
    weights = [max(1 - known(pool, state, place)[0], LEAST) for place in range(len(pool))]
    return drawn_apart(weights, count, source), state


CURRICULUM = Curriculum(pick, told=told)
