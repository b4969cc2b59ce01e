"""Bands of ranks, one after the other, each for an equal share of the run."""

from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Annotated

from puzzlemill.core.settings import Range
from puzzlemill.difficulty.curricula import Curriculum, Pool, State, adjustable, next_in_epoch


@dataclass(frozen=True, slots=True)
class Settings:
    bands: Annotated[int, Range(1, 1000)] = 4  # of ranks


def pick(
    settings: Settings, pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    bands = min(settings.bands, len(pool))
    band = min(int(progress * bands), bands - 1)
    places = range(len(pool) * band // bands, len(pool) * (band + 1) // bands)
    taken = state.get("taken", 0) if state.get("band") == band else 0
    chosen = [next_in_epoch(pool, places, taken + n, f"band {band}") for n in range(count)]
    return chosen, {"band": band, "taken": taken + count}


def curriculum(settings: Settings) -> Curriculum:
    return Curriculum(partial(pick, settings))


CURRICULUM = adjustable(Settings, curriculum)
