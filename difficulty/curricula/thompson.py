"""Thompson sampling: items whose sampled pass rate is nearest to a target.

The posterior of an item is a Beta around its score, shifted by its level's drift, and its outcomes
since, older ones counting less. So uncertain items are explored.
"""

from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Annotated

from puzzlemill.core.settings import Range
from puzzlemill.difficulty.curricula import Curriculum, Pool, State, adjustable
from puzzlemill.difficulty.curricula._items import REPLIES, estimate, update


@dataclass(frozen=True, slots=True)
class Settings:
    target: Annotated[float, Range(0, 1)] = 0.5  # the pass rate that is looked for


def pick(
    settings: Settings, pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    def distance(place: int) -> float:
        mean, groups = estimate(pool, state, place)
        # Halved: replies to one item inform less than as many to different ones.
        size = groups * REPLIES / 2
        return abs(rng.betavariate(mean * size + 0.5, (1 - mean) * size + 0.5) - settings.target)

    distances = [distance(place) for place in range(len(pool))]
    order = sorted(range(len(pool)), key=distances.__getitem__)
    return [order[n % len(pool)] for n in range(count)], state


def curriculum(settings: Settings) -> Curriculum:
    return Curriculum(partial(pick, settings), update=update)


CURRICULUM = adjustable(Settings, curriculum)
