"""A curriculum that begins with the last item."""

from random import Random

from puzzlemill.difficulty.curricula import Curriculum, Pool, State


def pick(
    pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    taken: int = state.get("taken", 0)
    places = [-(taken + each) % len(pool) for each in range(1, count + 1)]
    return places, {"taken": taken + count}


CURRICULUM = Curriculum(pick)
