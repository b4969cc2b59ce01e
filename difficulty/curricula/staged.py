"""Bands by rank, one after the other: each for the same share of the run, its items in turn."""

from random import Random

from puzzlemill.difficulty.curricula import Curriculum, Pool, State, in_turn

BANDS = 4


def pick(
    pool: Pool, state: State, count: int, done: float, source: Random
) -> tuple[list[int], State]:
    bands = min(BANDS, len(pool))
    band = min(int(done * bands), bands - 1)
    places = range(len(pool) * band // bands, len(pool) * (band + 1) // bands)
    taken = state.get("taken", 0) if state.get("band") == band else 0
    chosen = [in_turn(pool, places, taken + n, f"band {band}") for n in range(count)]
    return chosen, {"band": band, "taken": taken + count}


CURRICULUM = Curriculum(pick)
