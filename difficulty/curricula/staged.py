"""Bands of ranks, one after the other, each for an equal share of the run."""

from random import Random

from puzzlemill.difficulty.curricula import Curriculum, Pool, State, next_in_epoch

BANDS = 4


def pick(
    pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    bands = min(BANDS, len(pool))
    band = min(int(progress * bands), bands - 1)
    places = range(len(pool) * band // bands, len(pool) * (band + 1) // bands)
    taken = state.get("taken", 0) if state.get("band") == band else 0
    chosen = [next_in_epoch(pool, places, taken + n, f"band {band}") for n in range(count)]
    return chosen, {"band": band, "taken": taken + count}


CURRICULUM = Curriculum(pick)
