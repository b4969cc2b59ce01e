"""A turntable: views of it in the order of how far it has turned, the first of them told."""

from collections.abc import Sequence
from random import Random

from puzzlemill.generators.visual._waves import TURN

PARTIAL = 0.2  # the score of a permutation is at most this until all views are in place


def stops(rng: Random, views: int, step: int) -> list[int]:
    """Rising angles within a turn, in 1024ths of it, at least a step apart where there is room."""
    step = min(step, TURN * 7 // 8 // views)
    free = TURN * 15 // 16 - step * views
    cuts = sorted(rng.randint(0, free) for _ in range(views))
    start = rng.randrange(TURN)
    return [(start + step * place + extra) % TURN for place, extra in enumerate(cuts)]


def paid(angles: Sequence[int], first: int, said: tuple[int, ...]) -> float:
    """The score of an order of views, numbered from 1, that have these angles."""
    count = len(angles)
    if sorted(said) != list(range(1, count + 1)):
        return 0.0
    true = sorted(range(count), key=lambda view: (angles[view] - angles[first]) % TURN)
    right = sum(view + 1 == other for view, other in zip(true[1:], said[1:], strict=True))
    whole = right == count - 1 and said[0] == true[0] + 1
    return 1.0 if whole else PARTIAL * right / (count - 1)
