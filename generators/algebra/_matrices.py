"""Matrices of exact numbers: rows, as tuples or lists."""

from collections.abc import Sequence
from itertools import combinations
from math import gcd
from random import Random
from typing import TypeAlias

from puzzlemill.core.fraction import Fraction

Exact: TypeAlias = int | Fraction
Whole: TypeAlias = tuple[tuple[int, ...], ...]
Rows: TypeAlias = Sequence[Sequence[int]]
Fractions: TypeAlias = tuple[tuple[Fraction, ...], ...]

LARGEST = 10**7  # an entry beyond which nothing is solved


def times(one: Rows, other: Rows) -> Whole:
    columns = list(zip(*other))
    return tuple(tuple(sum(map(int.__mul__, row, each)) for each in columns) for row in one)


def turned(matrix: Rows) -> Whole:
    return tuple(zip(*matrix))


def identity(size: int) -> Whole:
    return tuple(tuple(int(row == column) for column in range(size)) for row in range(size))


def echelon(matrix: Rows) -> tuple[list[list[int]], list[int], int]:
    """Rows of an echelon form in whole numbers, the columns of their first entries, and the sign
    of the row exchanges: by steps that divide without remainder, so that of a square matrix whose
    columns all have a first entry the last of these is the determinant (Bareiss)."""
    rows, before, sign = [list(row) for row in matrix], 1, 1
    columns: list[int] = []
    width = len(rows[0]) if rows else 0
    for column in range(width):
        done = len(columns)
        pivot = next((row for row in range(done, len(rows)) if rows[row][column]), None)
        if pivot is None:
            continue
        if pivot != done:
            rows[pivot], rows[done], sign = rows[done], rows[pivot], -sign
        top = rows[done]
        head = top[column]
        for row in range(done + 1, len(rows)):
            own = rows[row]
            first = own[column]
            rows[row] = [(head * a - first * b) // before for a, b in zip(own, top)]
        before = head
        columns.append(column)
        if len(columns) == len(rows):
            break
    return rows[: len(columns)], columns, sign


def rank(matrix: Rows) -> int:
    return len(echelon(matrix)[1])


def determinant(matrix: Rows) -> int:
    rows, columns, sign = echelon(matrix)
    return sign * rows[-1][columns[-1]] if len(columns) == len(matrix) else 0


def expanded(matrix: Rows) -> int:
    """The determinant from products alone: minors of the first rows, for each choice of columns."""
    minors = {0: 1}
    size = len(matrix)
    for row in range(size):
        grown: dict[int, int] = {}
        for chosen, minor in minors.items():
            if minor:
                after = chosen.bit_count()
                for column in range(size):
                    bit = 1 << column
                    if chosen & bit:
                        after -= 1
                    elif number := matrix[row][column]:
                        part = -minor * number if after % 2 else minor * number
                        grown[chosen | bit] = grown.get(chosen | bit, 0) + part
        minors = grown
    return minors.get((1 << size) - 1, 0)


def minors(matrix: Rows, size: int) -> list[Whole]:
    """All square parts of a size."""
    return [
        tuple(tuple(matrix[row][column] for column in columns) for row in rows)
        for rows in combinations(range(len(matrix)), size)
        for columns in combinations(range(len(matrix[0])), size)
    ]


def solved(matrix: Rows, rights: Rows) -> Fractions | None:
    """The one X for which a square matrix times X is another one; None where there is no such."""
    size = len(matrix)
    rows, columns, _ = echelon([[*row, *right] for row, right in zip(matrix, rights)])
    if columns != list(range(size)):
        return None
    found: list[list[Fraction]] = []
    for place in range(size - 1, -1, -1):
        row = rows[place]
        values = []
        for right in range(size, len(row)):
            total = Fraction(row[right])
            for later in range(place + 1, size):
                if row[later]:
                    total -= row[later] * found[size - 1 - later][right - size]
            values.append(total / row[place])
        found.append(values)
    return tuple(tuple(values) for values in reversed(found))


def mixed(rng: Random, matrix: Rows, most: int, steps: int, similar: bool = False) -> Whole:
    """The matrix with multiples of rows added to rows, and of columns to columns, while no entry
    grows too large. With `similar`, each by the inverse of the other: eigenvalues stay."""
    rows = [list(row) for row in matrix]
    for _ in range(steps):
        new = [list(row) for row in rows]
        factor = rng.choice((-2, -1, -1, 1, 1, 2))
        if (similar or rng.random() < 0.5) and len(rows) > 1:
            one, other = rng.sample(range(len(rows)), 2)
            new[one] = [a + factor * b for a, b in zip(new[one], new[other])]
            if similar:
                for row in new:
                    row[other] -= factor * row[one]
        elif not similar and len(rows[0]) > 1:
            one, other = rng.sample(range(len(rows[0])), 2)
            for row in new:
                row[one] += factor * row[other]
        if max(abs(number) for row in new for number in row) <= most:
            rows = new
    return tuple(map(tuple, rows))


def primitive(vector: Sequence[int]) -> tuple[int, ...]:
    scale = gcd(*vector) or 1
    return tuple(number // scale for number in vector)


def fits(matrix: Rows) -> bool:
    return all(-LARGEST <= number <= LARGEST for row in matrix for number in row)


def drawn(rng: Random, rows: int, columns: int, most: int) -> Whole:
    return tuple(tuple(rng.randint(-most, most) for _ in range(columns)) for _ in range(rows))


def written(matrix: Sequence[Sequence[Exact]], name: str = "") -> str:
    """A = [[1, 2],
    [3, 4]]"""
    head = f"{name} = [" if name else "["
    lines = [f"[{', '.join(f'{number}' for number in row)}]" for row in matrix]
    return head + (",\n" + " " * len(head)).join(lines) + "]"


def shown(vector: Sequence[Exact]) -> str:
    return f"({', '.join(f'{number}' for number in vector)})"
