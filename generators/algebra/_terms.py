"""Sums: as texts such as 3x - 2(x - 1)/5, and as trees that can be drawn, valued and collected.

A number is shown by f"{number}" and no more than its sign and being 0 or 1 is looked at, so that a
letter may stand in its place.
"""

from collections.abc import Iterable
from random import Random
from typing import TypeAlias

from puzzlemill.core.answers import Expr, SolutionSet
from puzzlemill.core.fraction import Fraction

# (above, below, thing): above/below times the thing, which is nothing (""), the unknown ("x"), or a
# sum in brackets or bars.
Term: TypeAlias = "tuple[int, int, str | tuple[Term, ...]]"
Sum: TypeAlias = tuple[Term, ...]

LETTERS = "xyzabckmnptuvw"  # for an unknown: without e, i, l and o


def total(parts: Iterable[tuple[int, str]]) -> str:
    """Numbers times things: [(3, "x"), (-1, "y"), (7, "")] is 3x - y + 7."""
    text = ""
    for number, thing in parts:
        if number:
            size = number if number > 0 else -number
            shown = thing if thing and size == 1 else f"{size}{thing}"
            minus = number < 0
            text += (f" {'-' if minus else '+'} " if text else "-" * minus) + shown
    return text or "0"


def powers(numbers: Iterable[int], name: str) -> str:
    """A polynomial, the highest power first: 2x^2 - 3x + 1."""
    numbers = tuple(numbers)
    top = len(numbers) - 1
    names = [*(f"{name}^{top - place}" for place in range(top - 1)), name, ""][-top - 1 :]
    return total(zip(numbers, names))


def written(terms: Sum, name: str, marks: tuple[str, str] = ("(", ")")) -> str:
    """The sum as a text; what is in brackets stands between the marks."""
    parts = []
    for above, below, thing in terms:
        if isinstance(thing, str):
            inner = name if thing else ""
        else:
            inner = marks[0] + written(thing, name, marks) + marks[1]
        parts.append((above, inner + (f"/{below}" if below > 1 else "")))
    text = ""
    for number, thing in parts:
        size = number if number > 0 else -number
        shown = thing if size == 1 and thing[:1] not in ("", "/") else f"{size}{thing}"
        text += (f" {'-' if number < 0 else '+'} " if text else "-" * (number < 0)) + shown
    return text


def numbers_of(terms: Sum) -> int:
    """How many numbers and unknowns there are in a sum."""
    return sum(
        1 + (below > 1) + (0 if isinstance(thing, str) else numbers_of(thing))
        for _, below, thing in terms
    )


def drawn(rng: Random, most: int, least: int = 1) -> int:
    """A number that is not 0, of either sign."""
    return rng.choice((-1, 1)) * rng.randint(least, max(least, most))


def rational(numbers: Iterable[Fraction]) -> SolutionSet:
    """Rational numbers as the solutions of an equation."""
    return SolutionSet(tuple(Expr(number) for number in sorted(set(numbers))))
