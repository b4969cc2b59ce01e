"""Misreading: a perturbed puzzle, for demonstrations with an error early on.

All that follows the error is right for the perturbed puzzle. Families need not help, since every
puzzle is plain data.
"""

from collections.abc import Collection
from dataclasses import fields, replace
from random import Random
from typing import Any, TypeVar

P = TypeVar("P")


def misread(puzzle: P, rate: float, rng: Random, lone: Collection[str] = ()) -> P:
    """About a share `rate` of the values in the puzzle's lists read wrongly.

    A number gets a wrong digit; a word changes places with another of its column. Lone values,
    which set the rules (a modulus, a count), stay as they are, but for numbers named in `lone`.
    """
    changed = {}
    for field in fields(puzzle):  # type: ignore[arg-type]
        value = getattr(puzzle, field.name)
        if isinstance(value, tuple):
            changed[field.name] = _read(value, rate, rng)
        elif field.name in lone and type(value) is int:
            (changed[field.name],) = _read((value,), rate, rng)
    return replace(puzzle, **changed)  # type: ignore[type-var]


def _read(values: tuple[Any, ...], rate: float, rng: Random) -> tuple[Any, ...]:
    widths = {len(value) if isinstance(value, tuple) else 0 for value in values}
    if len(widths) == 1 and widths != {0}:  # a table: words change places in their column
        columns = [_read(column, rate, rng) for column in zip(*values, strict=False)]
        return tuple(zip(*columns, strict=False))
    read = list(values)
    for at, value in enumerate(values):
        if isinstance(value, tuple):
            read[at] = _read(value, rate, rng)
        elif isinstance(value, bool | float):
            continue
        elif isinstance(value, str):
            if rng.random() < rate / 2:  # a change of places misreads two
                other = rng.randrange(len(read))
                read[at], read[other] = read[other], read[at]
        elif rng.random() < rate:
            read[at] = _with_a_wrong_digit(value, rng)
    return tuple(read)


def _with_a_wrong_digit(number: int, rng: Random) -> int:
    digits = list(str(abs(number)))
    at = rng.randrange(len(digits))
    digits[at] = rng.choice([digit for digit in "123456789" if digit != digits[at]])
    return int("".join(digits)) * (-1 if number < 0 else 1)
