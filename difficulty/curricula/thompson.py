"""Thompson sampling: items whose sampled pass rate is nearest to one half.

The posterior of an item is a Beta around its score, shifted by its level's drift, and its outcomes
since, older ones counting less. So uncertain items are explored.
"""

from random import Random

from puzzlemill.difficulty.curricula import Curriculum, Pool, State
from puzzlemill.difficulty.curricula._items import REPLIES, estimate, update

TARGET = 0.5


def pick(
    pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    def distance(place: int) -> float:
        mean, groups = estimate(pool, state, place)
        # Halved: replies to one item inform less than as many to different ones.
        size = groups * REPLIES / 2
        return abs(rng.betavariate(mean * size + 0.5, (1 - mean) * size + 0.5) - TARGET)

    distances = [distance(place) for place in range(len(pool))]
    order = sorted(range(len(pool)), key=distances.__getitem__)
    return [order[n % len(pool)] for n in range(count)], state


CURRICULUM = Curriculum(pick, update=update)
