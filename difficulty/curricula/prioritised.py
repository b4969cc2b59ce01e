"""Items in proportion to their estimated failure rate; none is left out."""

from random import Random

from puzzlemill.difficulty.curricula import Curriculum, Pool, State, sample_distinct
from puzzlemill.difficulty.curricula._items import estimate, update

LEAST = 0.05  # weight of an item; one that always fails has 1


def pick(
    pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    weights = [max(1 - estimate(pool, state, place)[0], LEAST) for place in range(len(pool))]
    return sample_distinct(weights, count, rng), state


CURRICULUM = Curriculum(pick, update=update)
