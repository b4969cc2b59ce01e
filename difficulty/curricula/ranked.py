"""The build's own order, from the first rank to the last, over and over."""

from random import Random

from puzzlemill.difficulty.curricula import Curriculum, Pool, State


def pick(
    pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    taken: int = state.get("taken", 0)
    places = [(taken + n) % len(pool) for n in range(count)]
    return places, {"taken": taken + count}


CURRICULUM = Curriculum(pick)
