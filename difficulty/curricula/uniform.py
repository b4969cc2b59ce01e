"""The baseline: every item once an epoch, shuffled anew for each epoch."""

from random import Random

from puzzlemill.difficulty.curricula import Curriculum, Pool, State, next_in_epoch


def pick(
    pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    taken: int = state.get("taken", 0)
    places = [next_in_epoch(pool, range(len(pool)), taken + n, "") for n in range(count)]
    return places, {"taken": taken + count}


CURRICULUM = Curriculum(pick)
