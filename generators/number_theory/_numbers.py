"""Primes, factors, and numbers written as short expressions, for the families of this folder."""

from functools import cache, lru_cache
from math import factorial
from typing import TypeAlias

Powers: TypeAlias = tuple[tuple[int, int], ...]  # each prime with its exponent, in order of size
Term: TypeAlias = tuple[str, tuple[int, ...]]  # how a number is written, and with which numbers

BITS = 400  # of a written number that is worked out


@cache
def primes_up_to(most: int) -> tuple[int, ...]:
    """A sieve."""
    crossed = bytearray(most + 1)
    for number in range(2, int(most**0.5) + 1):
        if not crossed[number]:
            multiples = range(number * number, most + 1, number)
            crossed[number * number :: number] = b"\1" * len(multiples)
    return tuple(number for number in range(2, most + 1) if not crossed[number])


@lru_cache(maxsize=1024)
def factorised(number: int) -> Powers:
    """By trial division: for numbers up to about 10^12."""
    found, divisor = [], 2
    while divisor * divisor <= number:
        exponent = 0
        while number % divisor == 0:
            number, exponent = number // divisor, exponent + 1
        if exponent:
            found.append((divisor, exponent))
        divisor += 1 if divisor == 2 else 2
    return tuple(found) + (((number, 1),) if number > 1 else ())


def powers_text(powers: Powers) -> str:
    """2^3 * 5"""
    parts = [f"{base}^{times}" if times > 1 else f"{base}" for base, times in powers]
    return " * ".join(parts) or "1"


def written(term: Term) -> str:
    shape, numbers = term
    first, second, third = (*numbers, 0, 0)[:3]
    match shape:
        case "power":
            return f"{first}^{second}"
        case "product":
            return f"{first}^{second} * {third}"
        case "factorial":
            return f"{first}!"
        case "gap":
            return f"{first}^{second} - 1"
        case _:
            return f"{first}"


def worth(term: Term) -> int | None:
    """The number that is written; None where it is zero, or too long."""
    shape, numbers = term
    first, second, third = (*numbers, 0, 0)[:3]
    if shape == "factorial":
        return factorial(first) if first <= 100 else None
    if shape == "plain":
        return first or None
    if first.bit_length() * second > BITS:
        return None
    power: int = first**second
    return {"power": power, "product": power * third, "gap": power - 1}[shape] or None
