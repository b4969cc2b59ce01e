"""Matrix inverse: with exact entries, or "impossible" where there is none.

A matrix without an inverse is made as the others are, from a diagonal with a 0 in it, and looks
like them. `solve` eliminates; `verify` multiplies, and of a matrix without inverse takes the
determinant from minors.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.answers.matrix import Rows as Answer
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.algebra._matrices import (
    Whole,
    determinant,
    expanded,
    fits,
    identity,
    mixed,
    solved,
    written,
)

SLIPS = 150
ALIKE = 1.25  # how many times as large all entries together may be, or as small
TWINS = 40  # draws of one: few matrices have no inverse


@dataclass(frozen=True, slots=True)
class Knobs:
    size: int  # rows and columns of the matrix
    entry: int  # the largest
    determinant: int  # the largest number in the diagonal that the matrix is made from
    impossible: float  # how often there is no inverse


@dataclass(frozen=True, slots=True)
class Square:
    matrix: Whole


def generate(rng: Random, knobs: Knobs) -> Square | None:
    heads = [rng.choice((-1, 1)) for _ in range(knobs.size)]
    heads[0] = rng.choice((-1, 1)) * rng.randint(1, knobs.determinant)
    if rng.random() < 0.5:
        heads[-1] = rng.choice((-1, 1, 2))
    if rng.random() < knobs.impossible:
        heads[rng.randrange(knobs.size)] = 0
    rng.shuffle(heads)
    diagonal = tuple(
        tuple(head * (row == column) for column in range(knobs.size))
        for row, head in enumerate(heads)
    )
    matrix = mixed(rng, diagonal, knobs.entry, 16 * knobs.size)
    flat = [each for row in matrix for each in row]
    dull = any(not any(line) for line in (*matrix, *zip(*matrix))) or flat.count(0) > len(flat) // 3
    return Square(matrix) if not dull and max(flat) > 1 else None


def solve(square: Square) -> Answer | Impossible | None:
    if not fits(square.matrix):
        return None
    return solved(square.matrix, identity(len(square.matrix))) or IMPOSSIBLE


def verify(square: Square, answer: Answer | Impossible) -> float:
    matrix, size = square.matrix, len(square.matrix)
    if isinstance(answer, Impossible):
        return float(expanded(matrix) == 0)
    if len(answer) != size or len(answer[0]) != size:
        return 0.0
    for place, row in enumerate(matrix):
        for own, column in enumerate(zip(*answer)):
            entry = sum((a * b for a, b in zip(row, column)), Fraction(0))
            if entry != (place == own):
                return 0.0
    return 1.0


def render(square: Square, style: Style) -> Prompt:
    size = len(square.matrix)
    matrix = written(square.matrix, "A")
    question = style.pick(
        f"Find the inverse of the matrix A, given by its rows:\n\n{matrix}\n\nIf A has no inverse,"
        ' answer "impossible".',
        f"Let\n\n{matrix}\n\n(each inner list is a row). Determine the {size} x {size} matrix B"
        ' with AB = BA = I, the identity matrix, or say "impossible" if there is no such B.',
        f"Invert this matrix, or state that it is singular (then the answer is"
        f' "impossible"):\n\n{matrix}',
    )
    return Prompt(
        question,
        form=f"the {size} rows of the inverse, one line each, its entries (integers or fractions in"
        ' lowest terms) separated by spaces; or the word "impossible"',
    )


def steps(square: Square) -> list[str]:
    """The determinant, then the columns of the inverse."""
    found = determinant(square.matrix)
    lines = [f"det(A) = {found}"]
    inverse = solve(square)
    if inverse is None or isinstance(inverse, Impossible):
        return [*lines, "So A has no inverse: impossible"]
    for place, column in enumerate(zip(*inverse), 1):
        shown = ", ".join(map(str, column))
        lines.append(f"Solve A x = e_{place}: x = ({shown}), column {place} of the inverse")
    return lines


def slips(rng: Random, square: Square, gold: Answer | Impossible) -> Iterator[Answer]:
    """Steps of the elimination that were done on one side only: a row or column of the inverse is
    added to another, or taken away from it, or exchanged for it. Of two rows, which are the numbers
    of the matrix, signs and places are mistaken."""
    if isinstance(gold, Impossible):
        yield from _inverses_misread(rng, square.matrix)
        return
    rows, size = gold, len(gold)
    for _ in range(SLIPS):
        if size == 2:
            flat = [each for row in rows for each in row]
            one, other = rng.choice(((0, 3), (1, 2), (0, 1), (2, 3)))
            sign = rng.choice((-1, 1))
            flat[one], flat[other] = flat[other] * sign, flat[one] * sign
            rows = (tuple(flat[:2]), tuple(flat[2:]))
            yield rows
            continue
        one, other = rng.sample(range(size), 2)
        share, across = rng.choice((-1, 1)), rng.random() < 0.5
        lines = [list(line) for line in (zip(*rows) if across else rows)]
        if rng.random() < 0.2:
            lines[one], lines[other] = lines[other], lines[one]
        else:
            lines[one] = [a + share * b for a, b in zip(lines[one], lines[other])]
        moved = tuple(map(tuple, zip(*lines) if across else lines))
        if 1 / ALIKE < _large(moved) / _large(gold) < ALIKE:
            rows = moved
            yield rows


def _inverses_misread(rng: Random, matrix: Whole) -> list[Answer]:
    """Of the matrix with an entry 1 larger or smaller, those of small determinants first."""
    size = len(matrix)
    misread = [
        tuple(
            tuple(each + step * ((row, column) == place) for column, each in enumerate(line))
            for row, line in enumerate(matrix)
        )
        for place in product(range(size), repeat=2)
        for step in (-1, 1)
    ]
    able = [(abs(found), rng.random(), each) for each in misread if (found := determinant(each))]
    return [rows for _, _, each in sorted(able) if (rows := solved(each, identity(size)))]


def _large(rows: Answer) -> float:
    return float(sum(abs(each) for row in rows for each in row))


def hardness(square: Square) -> float:
    digits = sum(len(str(abs(each))) for row in square.matrix for each in row)
    return len(square.matrix) ** 3 + digits


def twin(rng: Random, knobs: Knobs, square: Square) -> Square | None:
    """Another that has an inverse, or has none, as this one."""
    inverted = bool(determinant(square.matrix))
    for _ in range(TWINS):
        other = generate(rng, knobs)
        if other is None or other == square or len(other.matrix) != len(square.matrix):
            continue
        if bool(determinant(other.matrix)) == inverted:
            return other
    return None


LADDER = (
    Knobs(2, 9, 1, 0.1),
    Knobs(2, 15, 5, 0.15),
    Knobs(3, 9, 3, 0.2),
    Knobs(4, 9, 4, 0.2),
    Knobs(5, 12, 6, 0.2),
)
FAMILY = Family(
    Square,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.Matrix(scaled=True)),
    hardness=hardness,
    proof="unique",
    solver="elimination in whole numbers",
    guess_rate=0.25,
    steps=steps,
    inputs=("matrix",),
    twin=twin,
    slips=slips,
    slips_version=2,
    skills=("matrices", "fractions"),
    version=2,
)
