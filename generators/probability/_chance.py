"""What the families on chance share: the form of the answer, and how things are said."""

from puzzlemill.core.fraction import Fraction

PROBABILITY = "the exact probability: a fraction p/q in lowest terms, or an integer"
EXACT = "one exact number: a fraction p/q in lowest terms, or an integer"


def trivial(chance: Fraction | None) -> bool:
    """Whether there is nothing to work out: no answer, never or always."""
    return chance is None or not 0 < chance < 1


def ratio(above: int, below: int) -> str:
    """6/36 = 1/6"""
    found = str(Fraction(above, below))
    return found if found == f"{above}/{below}" else f"{above}/{below} = {found}"


def eliminated(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """The unknowns of linear equations, a row each with its right side last; None if not unique."""
    for place in range(len(rows)):
        pivot = next((row for row in rows[place:] if row[place]), None)
        if pivot is None:
            return None
        rows.remove(pivot)
        scaled = [value / pivot[place] for value in pivot]
        rows = [
            [value - row[place] * other for value, other in zip(row, scaled)] if row[place] else row
            for row in rows
        ]
        rows.insert(place, scaled)
    return [row[-1] for row in rows]
