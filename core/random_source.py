"""Randomness that is drawn sooner: the numbers of `random.Random`, by shorter ways.

Most of what families draw are whole numbers below a bound. `Random` comes to each by three calls
of Python and checks of types; here it is one. The numbers are the same, and stay the same should a
later Python draw otherwise: a test compares them.
"""

import _random
from collections.abc import Iterable, MutableSequence, Sequence
from functools import lru_cache
from math import ceil, log
from random import Random
from typing import Any, TypeVar

T = TypeVar("T")

LONGEST = 4096  # of the lists that are shuffled by the table
# For each place but the first, the last first: the number drawn is at most the place, and has so
# many bits.
_STEPS = tuple((place, (place + 1).bit_length()) for place in range(LONGEST - 1, 0, -1))


class Source(Random):
    """`random.Random`, number for number."""

    gauss_next: float | None = None  # what `Random.seed` sets, and `gauss` reads

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        if step == 1 and type(start) is int:
            if stop is None:
                start, stop = 0, start
            if type(stop) is int and stop > start:
                below = stop - start
                bits = below.bit_length()
                drawn = self.getrandbits(bits)
                while drawn >= below:
                    drawn = self.getrandbits(bits)
                return start + drawn
        return super().randrange(start, stop, step)

    def randint(self, a: int, b: int) -> int:
        if type(a) is int and type(b) is int and b >= a:
            below = b - a + 1
            bits = below.bit_length()
            drawn = self.getrandbits(bits)
            while drawn >= below:
                drawn = self.getrandbits(bits)
            return a + drawn
        return super().randint(a, b)

    def choice(self, seq: Any) -> Any:
        below = len(seq)
        if not below:
            raise IndexError("Cannot choose from an empty sequence")
        bits = below.bit_length()
        drawn = self.getrandbits(bits)
        while drawn >= below:
            drawn = self.getrandbits(bits)
        return seq[drawn]

    def shuffle(self, x: MutableSequence[Any]) -> None:
        if len(x) > LONGEST:
            super().shuffle(x)
            return
        draw = self.getrandbits
        for place, bits in _STEPS[LONGEST - len(x) :]:
            drawn = draw(bits)
            while drawn > place:
                drawn = draw(bits)
            x[place], x[drawn] = x[drawn], x[place]

    def sample(
        self, population: Sequence[T], k: int, *, counts: Iterable[int] | None = None
    ) -> list[T]:
        size = len(population)
        if counts is not None or not 0 <= k <= size or size > _most_listed(k):
            return super().sample(population, k, counts=counts)
        draw, left, chosen = self.getrandbits, list(population), []
        for below in range(size, size - k, -1):
            bits = below.bit_length()
            drawn = draw(bits)
            while drawn >= below:
                drawn = draw(bits)
            chosen.append(left[drawn])
            left[drawn] = left[below - 1]
        return chosen


def seeded(number: int) -> Source:
    """`Source(number)`, without the checks of what the number is."""
    source = Source.__new__(Source)
    _random.Random.seed(source, number)
    return source


@lru_cache(maxsize=1000)
def _most_listed(k: int) -> int:
    """The largest population that `Random.sample` copies as a list, which then takes less memory
    than a set of k."""
    return 21 + (4 ** ceil(log(k * 3, 4)) if k > 5 else 0)
