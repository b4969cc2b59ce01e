"""Orders at random: what `Random.shuffle` and `Random.sample` give, from the same draws.

They call a function for each number that is drawn; for a list of dozens, that is most of the time.
"""

from collections.abc import Iterable
from random import Random
from typing import TypeVar

T = TypeVar("T")


def shuffled(rng: Random, items: Iterable[T]) -> list[T]:
    """The items as `rng.shuffle` leaves them."""
    order, bits = list(items), rng.getrandbits
    top = len(order) - 1
    while top > 0:
        width = (top + 1).bit_length()
        bottom = (1 << width - 1) - 1  # the lowest place that draws numbers as wide
        for place in range(top, max(bottom, 1) - 1, -1):
            other = bits(width)
            while other > place:
                other = bits(width)
            order[place], order[other] = order[other], order[place]
        top = bottom - 1
    return order


def permuted(rng: Random, items: Iterable[T]) -> list[T]:
    """All of the items as `rng.sample` picks them."""
    pool, bits = list(items), rng.getrandbits
    order: list[T] = []
    for left in range(len(pool), 0, -1):
        width = left.bit_length()
        place = bits(width)
        while place >= left:
            place = bits(width)
        order.append(pool[place])
        pool[place] = pool[left - 1]
    return order
