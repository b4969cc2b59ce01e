"""Determinant: of a matrix, or of what is made from it by multiples, powers, transposes, adjugates.

`solve` eliminates in whole numbers and then uses the rules for determinants; `verify` takes
products of entries only, minor by minor, of the matrix that the question is about.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.algebra._matrices import (
    Whole,
    determinant,
    drawn,
    echelon,
    expanded,
    fits,
    mixed,
    times,
    turned,
    written,
)

Question: TypeAlias = Literal["plain", "multiple", "power", "inverse", "square", "adjugate"]


@dataclass(frozen=True, slots=True)
class Knobs:
    size: int  # rows and columns of the matrix
    entry: int  # the largest
    kinds: int  # how many kinds of questions there are
    hidden: float  # how often the rows depend on each other in a way that helps


@dataclass(frozen=True, slots=True)
class Asked:
    matrix: Whole
    question: Question
    number: int  # the factor or the power


def generate(rng: Random, knobs: Knobs) -> Asked | None:
    if rng.random() < knobs.hidden:
        heads = [rng.choice((-3, -2, -1, 1, 1, 2, 3, 5)) for _ in range(knobs.size)]
        triangle = tuple(
            tuple(
                heads[row] if row == column else rng.randint(-2, 2) if column > row else 0
                for column in range(knobs.size)
            )
            for row in range(knobs.size)
        )
        matrix = mixed(rng, triangle, knobs.entry, 12 * knobs.size)
    else:
        matrix = drawn(rng, knobs.size, knobs.size, knobs.entry)
    question = rng.choice(QUESTIONS[: knobs.kinds])
    number = {"multiple": rng.choice((2, 3, -2)), "power": rng.choice((2, 3))}.get(question, 0)
    asked = Asked(matrix, question, number)
    found = solve(asked)
    good = found is not None and found and abs(found) < LARGEST
    return asked if good and max(map(max, matrix)) > 1 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(asked: Asked) -> Fraction | None:
    if not fits(asked.matrix):
        return None
    size, found = len(asked.matrix), Fraction(determinant(asked.matrix))
    match asked.question:
        case "plain":
            return found
        case "multiple":
            return found * int(asked.number**size)
        case "power":
            return Fraction(found.numerator**asked.number)
        case "square":
            return found * found
        case "inverse":
            return 1 / found if found else None
        case _:
            return Fraction(found.numerator ** (size - 1))


def verify(asked: Asked, answer: Fraction) -> float:
    """The determinant of the matrix that is asked about; of an inverse and an adjugate, by their
    products with the matrix."""
    matrix, size = asked.matrix, len(asked.matrix)
    match asked.question:
        case "multiple":
            matrix = tuple(tuple(asked.number * each for each in row) for row in matrix)
        case "power":
            for _ in range(asked.number - 1):
                matrix = times(matrix, asked.matrix)
        case "square":
            matrix = times(turned(matrix), matrix)
        case "inverse":
            return float(answer * expanded(matrix) == 1)
        case "adjugate":
            return float(expanded(_adjugate(matrix)) == answer)
        case _:
            pass
    return float(expanded(matrix) == answer and size > 0)


def render(asked: Asked, style: Style) -> Prompt:
    size = len(asked.matrix)
    matrix = written(asked.matrix, "A")
    wanted, meaning = {
        "plain": ("det(A)", ""),
        "multiple": (f"det({asked.number}A)", ""),
        "power": (f"det(A^{asked.number})", ""),
        "square": ("det(A^T A)", "A^T is the transpose of A."),
        "inverse": ("det(A^(-1))", "A^(-1) is the inverse of A."),
        "adjugate": ("det(adj(A))", "adj(A) is the adjugate, the transposed cofactor matrix."),
    }[asked.question]
    question = style.pick(
        f"Let A be the {size} x {size} matrix with these rows:\n\n{matrix}\n\nCompute {wanted}.",
        f"Find {wanted} for the matrix (row by row)\n\n{matrix}",
        f"Given\n\n{matrix}\n\n(each inner list is a row), what is the determinant {wanted}?",
    )
    if meaning:
        question += f"\n\n{meaning}"
    return Prompt(question, form="one number (an integer or a fraction in lowest terms)")


def steps(asked: Asked) -> list[str]:
    """The rows of the echelon form, without fractions; the last number is the determinant."""
    rows, _, sign = echelon(asked.matrix)
    lines = [f"Eliminated: {', '.join(map(str, row))}" for row in rows]
    changed = " (rows were exchanged: the other sign)" if sign < 0 else ""
    lines.append(f"det(A) = {determinant(asked.matrix)}{changed}")
    return [*lines, f"What is asked for is {solve(asked)}"]


def progress(asked: Asked, lines: Lines) -> float:
    return results_derived(FAMILY, asked, lines)


def hardness(asked: Asked) -> float:
    digits = sum(len(str(abs(each))) for row in asked.matrix for each in row)
    return len(asked.matrix) ** 3 + digits + QUESTIONS.index(asked.question)


def twin(rng: Random, knobs: Knobs, asked: Asked) -> Asked | None:
    """Another matrix; or, where the answers to most are too large, one with the same rows."""
    size, rows = len(asked.matrix), list(asked.matrix)
    for tried in range(TWINS + 1):
        if tried == TWINS:
            rng.shuffle(rows)
        matrix = tuple(rows) if tried == TWINS else drawn(rng, size, size, knobs.entry)
        found = solve(other := replace(asked, matrix=matrix))
        if found and abs(found) < LARGEST:
            return other
    return None


def _adjugate(matrix: Whole) -> Whole:
    size = range(len(matrix))
    return tuple(
        tuple(
            (-1 if (row + column) % 2 else 1)
            * expanded(
                [
                    [matrix[own][other] for other in size if other != row]
                    for own in size
                    if own != column
                ]
            )
            for column in size
        )
        for row in size
    )


QUESTIONS: tuple[Question, ...] = ("plain", "multiple", "power", "inverse", "square", "adjugate")
LARGEST = 10**15
TWINS = 3  # other matrices that a twin tries
LADDER = (
    Knobs(2, 9, 1, 0.0),
    Knobs(3, 9, 2, 0.2),
    Knobs(4, 9, 4, 0.3),
    Knobs(5, 12, 6, 0.4),
    Knobs(6, 15, 6, 0.4),
)
FAMILY = Family(
    Asked,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="elimination in whole numbers",
    guess_rate=0.07,
    steps=steps,
    progress=progress,
    inputs=("matrix",),
    twin=twin,
    skills=("matrices", "calculation"),
    theme="determinants",
)
