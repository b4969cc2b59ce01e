"""The rules made of claims that there may be, when they are not told: what each takes, as bits."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from puzzlemill.generators.worlds._claims import Thing, claims_of

# What each condition takes, and each case; each number one row of bits.
Space: TypeAlias = tuple[list[int], npt.NDArray[np.int64]]


def space(
    things: Sequence[Thing], values: int, count: int, joints: Sequence[str], headed: bool
) -> Space:
    """What each condition takes of the things, as bits, and each case of so many claims. Without a
    condition, there is one case for all."""
    whole, claims = (1 << len(things)) - 1, list[int]()
    for word, trait, value in claims_of(values):
        taken = 0
        for at, thing in enumerate(things):
            number = thing[trait]
            if word == "more":
                held = number > value
            elif word == "fewer":
                held = number < value
            elif word in ("even", "odd"):
                held = number % 2 == (word == "odd")
            else:
                held = (number == value) == (word == "is")
            taken |= held << at
        claims.append(taken)
    columns = np.array(claims, dtype=np.int64)[_choices(len(claims), count)]
    both, either, twice = np.int64(whole), np.int64(0), np.int64(0)
    for bits in columns:
        both, either, twice = both & bits, either | bits, twice | either & bits
    joined = {"all": both, "any": either, "one": either & ~twice}
    cases = np.concatenate([joined[joint] for joint in joints])
    return (claims if headed else [whole]), cases


@cache
def _choices(many: int, count: int) -> npt.NDArray[np.int64]:
    """All ways to choose so many, each in a column."""
    return np.array([*zip(*combinations(range(many), count))], dtype=np.int64)
