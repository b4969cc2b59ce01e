"""Kernel vector: a vector other than zero that a matrix takes to zero, or to a multiple of itself.

Many answers are right: any in the space of solutions. `verify` multiplies the matrix by the vector.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import lcm
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.algebra._matrices import (
    LARGEST,
    Whole,
    drawn,
    echelon,
    fits,
    mixed,
    primitive,
    shown,
    turned,
    written,
)


@dataclass(frozen=True, slots=True)
class Knobs:
    columns: int  # of the matrix
    entry: int  # the largest
    nullity: int  # the dimension of the kernel, at most
    value: int  # the largest eigenvalue; 0: only kernels


@dataclass(frozen=True, slots=True)
class Singular:
    matrix: Whole
    value: int  # the eigenvalue; 0: a kernel


def generate(rng: Random, knobs: Knobs) -> Singular | None:
    """Rows that depend on each other, below a space of solutions of the wanted dimension."""
    size = knobs.columns
    nullity = rng.randint(1, min(knobs.nullity, size - 1))
    value = rng.randint(-knobs.value, knobs.value) if rng.random() < 0.6 else 0
    if value:
        heads = [value] * nullity + [rng.randint(-9, 9) for _ in range(size - nullity)]
        rng.shuffle(heads)
        rows = [
            [head * (row == column) for column in range(size)] for row, head in enumerate(heads)
        ]
        matrix = mixed(rng, rows, knobs.entry, 14 * size, similar=True)
    else:
        top = drawn(rng, size - nullity, size - nullity, 3)
        rows = [[*row, *[0] * nullity] for row in top]
        if nullity > 1 or rng.random() < 0.4:
            rows.append([0] * size)
        matrix = mixed(rng, rows, knobs.entry, 14 * size)
    flat = [each for row in matrix for each in row]
    dull = flat.count(0) > len(flat) // 3 or max(flat) < 2
    puzzle = Singular(matrix, value)
    # Two columns, one a multiple of the other, would be seen at once.
    columns = {
        max(line, tuple(-each for each in line)) for line in map(primitive, _columns(puzzle))
    }
    if dull or not all(map(any, (*matrix, *columns))) or (size > 2 and len(columns) < size):
        return None
    return puzzle if solve(puzzle) else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(puzzle: Singular) -> tuple[Fraction, ...] | None:
    """The last free unknown is 1, the others 0; then the rest from the last row upwards."""
    matrix, value = puzzle.matrix, puzzle.value
    if not fits(matrix) or abs(value) > LARGEST:
        return None
    if value and len(matrix) != len(matrix[0]):
        return None
    width = len(matrix[0])
    rows, columns, _ = echelon(_less(matrix, value))
    free = [column for column in range(width) if column not in columns]
    if not free:
        return None
    found = [Fraction(0)] * width
    found[free[-1]] = Fraction(1)
    for row, column in zip(reversed(rows), reversed(columns)):
        known = sum((row[place] * found[place] for place in range(column + 1, width)), Fraction(0))
        found[column] = -known / row[column]
    scale = lcm(*(each.denominator for each in found))
    return tuple(map(Fraction, primitive([int(each * scale) for each in found])))


def verify(puzzle: Singular, answer: tuple[Fraction, ...]) -> float:
    if len(answer) != len(puzzle.matrix[0]) or not any(answer):
        return 0.0
    image = [sum((a * b for a, b in zip(row, answer)), Fraction(0)) for row in puzzle.matrix]
    if not puzzle.value:
        return float(not any(image))
    return float(image == [puzzle.value * each for each in answer])


def recheck(puzzle: Singular, answer: tuple[Fraction, ...]) -> bool:
    """In whole numbers, column by column: the columns, so many times each, cancel."""
    columns = _columns(puzzle)
    if len(columns) != len(answer) or all(each == 0 for each in answer):
        return False
    scale = lcm(*(each.denominator for each in answer))
    total = [0] * len(puzzle.matrix)
    for column, number in zip(columns, answer):
        times = int(number * scale)
        total = [have + times * each for have, each in zip(total, column)]
    return not any(total)


def render(puzzle: Singular, style: Style) -> Prompt:
    rows, columns = len(puzzle.matrix), len(puzzle.matrix[0])
    matrix = written(puzzle.matrix, "A")
    if puzzle.value:
        value = puzzle.value
        question = style.pick(
            f"The matrix A has the eigenvalue {value}. Find an eigenvector for it. The rows of A"
            f" are\n\n{matrix}",
            f"Let\n\n{matrix}\n\n(each inner list is a row). Give a non-zero vector v with Av ="
            f" ({value})v.",
            f"Find any vector v other than the zero vector that A multiplies by {value}, where A"
            f" has these rows:\n\n{matrix}",
        )
    else:
        question = style.pick(
            f"Find a non-zero vector in the kernel (null space) of the {rows} x {columns} matrix A,"
            f" given by its rows:\n\n{matrix}",
            f"Let\n\n{matrix}\n\n(each inner list is a row). Give a non-zero vector v with Av = 0.",
            "The columns of A are linearly dependent. Find coefficients, not all 0, of a linear"
            f" combination of the columns that is the zero vector. The rows of A are\n\n{matrix}",
        )
    question += "\n\nEvery such answer counts as right."
    return Prompt(
        question,
        form=f"{columns} numbers in order (integers or fractions), separated by commas",
    )


def steps(puzzle: Singular) -> list[str]:
    """The echelon form, then the vector."""
    rows, columns, _ = echelon(_less(puzzle.matrix, puzzle.value))
    lines = [f"Subtract {puzzle.value} along the diagonal"] if puzzle.value else []
    lines += [f"A row of the echelon form: {shown(row)}" for row in rows]
    free = [place + 1 for place in range(len(puzzle.matrix[0])) if place not in columns]
    lines.append(f"Free are the numbers in place {' and '.join(map(str, free))}")
    return [
        *lines,
        f"Take 1 for the last of these: v is a multiple of {shown(solve(puzzle) or ())}",
    ]


def hardness(puzzle: Singular) -> float:
    digits = sum(len(str(abs(each))) for row in puzzle.matrix for each in row)
    return len(puzzle.matrix[0]) ** 3 + digits + 3 * bool(puzzle.value)


def canon(puzzle: Singular) -> tuple[int, list[tuple[int, ...]]]:
    """The rows of a kernel's matrix in an order of their own."""
    return puzzle.value, list(puzzle.matrix) if puzzle.value else sorted(puzzle.matrix)


def twin(rng: Random, knobs: Knobs, puzzle: Singular) -> Singular | None:
    for _ in range(20):
        other = generate(rng, knobs)
        if other and _shape(other) == _shape(puzzle):
            return other
    return None


def _shape(puzzle: Singular) -> tuple[int, int, bool]:
    return len(puzzle.matrix), len(puzzle.matrix[0]), bool(puzzle.value)


def _columns(puzzle: Singular) -> Whole:
    return turned(_less(puzzle.matrix, puzzle.value))


def _less(matrix: Whole, value: int) -> Whole:
    """The matrix with the value taken away along its diagonal."""
    return tuple(
        tuple(each - value * (row == column) for column, each in enumerate(line))
        for row, line in enumerate(matrix)
    )


LADDER = (
    Knobs(2, 9, 1, 0),
    Knobs(3, 12, 1, 2),
    Knobs(4, 12, 1, 5),
    Knobs(5, 15, 2, 7),
    Knobs(6, 20, 2, 9),
)
FAMILY = Family(
    Singular,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.NumberList(),
    hardness=hardness,
    solver="elimination in whole numbers",
    guess_rate=0.1,
    recheck=recheck,
    steps=steps,
    canon=canon,
    inputs=("matrix",),
    twin=twin,
    skills=("matrices", "equations"),
    version=2,
)
