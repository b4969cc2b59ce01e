"""Items in proportion to their estimated failure rate; none is left out."""

from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Annotated

from puzzlemill.core.settings import Range
from puzzlemill.difficulty.curricula import Curriculum, Pool, State, adjustable, sample_distinct
from puzzlemill.difficulty.curricula._items import estimate, update


@dataclass(frozen=True, slots=True)
class Settings:
    # The least weight of an item; one that always fails has 1.
    least: Annotated[float, Range(1e-6, 1)] = 0.05


def pick(
    settings: Settings, pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    weights = [
        max(1 - estimate(pool, state, place)[0], settings.least) for place in range(len(pool))
    ]
    return sample_distinct(weights, count, rng), state


def curriculum(settings: Settings) -> Curriculum:
    return Curriculum(partial(pick, settings), update=update)


CURRICULUM = adjustable(Settings, curriculum)
