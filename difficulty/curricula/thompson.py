"""Thompson's draw: items whose pass rate, drawn from what is known of it, is nearest to one half.

What is known is a Beta around the item's score, moved with its level, and what it did since, older
groups counting less: what is hardly known is tried, and what was seen too often is let rest.
"""

from random import Random

from puzzlemill.difficulty.curricula import Curriculum, Pool, State
from puzzlemill.difficulty.curricula._items import REPLIES, known, told

AIM = 0.5


def pick(
    pool: Pool, state: State, count: int, done: float, source: Random
) -> tuple[list[int], State]:
    def distance(place: int) -> float:
        mean, groups = known(pool, state, place)
        size = groups * REPLIES / 2  # replies to one item tell less than as many to different ones
        return abs(source.betavariate(mean * size + 0.5, (1 - mean) * size + 0.5) - AIM)

    distances = [distance(place) for place in range(len(pool))]
    order = sorted(range(len(pool)), key=distances.__getitem__)
    return [order[n % len(pool)] for n in range(count)], state


CURRICULUM = Curriculum(pick, told=told)
