"""Vieta: a symmetric expression in the roots of a polynomial that need not be found.

`solve` has formulas: Newton's identities for sums of powers, values of the polynomial for products,
and a move of the origin for fractions. `verify` has one matrix whose eigenvalues are the roots, and
takes traces and determinants of what the question does with it.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import listed
from puzzlemill.generators.algebra._polynomials import drawn, value, written

Question: TypeAlias = Literal["powers", "fractions", "product", "squares", "mixed"]
Rows: TypeAlias = list[list[Fraction]]


@dataclass(frozen=True, slots=True)
class Knobs:
    degree: int  # of the polynomial
    coefficient: int  # the largest
    leading: int  # the largest first coefficient
    power: int  # the largest in the question
    shift: int  # the largest number beside a root
    kinds: int  # how many kinds of questions there are, the easier ones first
    easiest: int  # the first of them that is asked


@dataclass(frozen=True, slots=True)
class Symmetric:
    polynomial: tuple[int, ...]  # from the constant upwards
    question: Question
    power: int
    other: int  # the second power of a mixed sum; the number beside each root
    roots: str  # their letters


def generate(rng: Random, knobs: Knobs) -> Symmetric | None:
    question = rng.choice(QUESTIONS[min(knobs.easiest, knobs.kinds - 1) : knobs.kinds])
    power = rng.randint(max(2, knobs.power // 2), knobs.power)
    other = drawn(rng, max(knobs.shift, 1)) if knobs.shift else 0
    match question:
        case "fractions":
            power = rng.randint(1, max(1, knobs.power // 2))
            if power > 1 or not knobs.easiest:  # 1/p + 1/q + ... is the quotient of two numbers
                other = rng.choice((0, other))
        case "product":
            power, other = 1, other or 1
        case "squares":
            power, other = 2, abs(other) or 1
        case "mixed":
            power = max(2, power // 2 + 1)
            other = rng.randint(1, power - 1)
        case _:
            other = 0
    middle = [rng.randint(-knobs.coefficient, knobs.coefficient) for _ in range(knobs.degree - 1)]
    numbers = (drawn(rng, knobs.coefficient), *middle, rng.randint(1, knobs.leading))
    roots = rng.choice([each for each in LETTERS if len(each) >= knobs.degree])[: knobs.degree]
    puzzle = Symmetric(numbers, question, power, other, roots)
    found = solve(puzzle)
    good = found is not None and found.denominator < LARGEST and abs(found) < LARGEST
    return puzzle if good and any(middle) and max(numbers) > 1 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(puzzle: Symmetric) -> Fraction | None:
    polynomial = [Fraction(number) for number in puzzle.polynomial]
    if len(polynomial) - 1 != len(puzzle.roots) or not polynomial[-1] or puzzle.power > MOST:
        return None
    top, size, other = polynomial[-1], len(puzzle.roots), puzzle.other
    match puzzle.question:
        case "powers":
            return _sums(polynomial, puzzle.power)[puzzle.power]
        case "fractions":
            moved = _moved(polynomial, other)
            return _sums(moved[::-1], puzzle.power)[puzzle.power] if moved[0] else None
        case "product":
            found = value(polynomial, Fraction(-other)) / top
            return found if size % 2 == 0 else -found
        case "squares":  # p(si) * p(-si) where s is the root of the number beside each square
            even = value(polynomial[::2], Fraction(-other))
            odd = value(polynomial[1::2], Fraction(-other))
            return (even * even + other * odd * odd) / top**2
        case _:
            if not 1 <= other <= MOST:
                return None
            sums = _sums(polynomial, puzzle.power + other)
            return sums[puzzle.power] * sums[other] - sums[puzzle.power + other]


def verify(puzzle: Symmetric, answer: Fraction) -> float:
    polynomial, other = puzzle.polynomial, puzzle.other
    size = len(polynomial) - 1
    matrix = [
        [Fraction(row == column + 1) for column in range(size - 1)]
        + [Fraction(-polynomial[row], polynomial[-1])]
        for row in range(size)
    ]
    match puzzle.question:
        case "powers":
            return float(_trace(_power(matrix, puzzle.power)) == answer)
        case "fractions":
            inverse = _inverse(_plus(matrix, -other))
            return float(inverse is not None and _trace(_power(inverse, puzzle.power)) == answer)
        case "product":
            return float(_determinant(_plus(matrix, other)) == answer)
        case "squares":
            return float(_determinant(_plus(_times(matrix, matrix), other)) == answer)
        case _:
            first, second = _power(matrix, puzzle.power), _power(matrix, other)
            both = _trace(_times(first, second))
            return float(_trace(first) * _trace(second) - both == answer)


def render(puzzle: Symmetric, style: Style) -> Prompt:
    polynomial = written(puzzle.polynomial)
    roots = listed(puzzle.roots)
    wanted = _wanted(puzzle)
    many = WORDS[len(puzzle.roots)]
    question = style.pick(
        f"Let {roots} be the {many} roots (real or complex, each as often as it is a root) of"
        f" {polynomial}. Find the value of\n\n{wanted}",
        f"The equation {polynomial} = 0 has the {many} complex roots {roots}, where a multiple root"
        f" is listed as often as it occurs. Compute {wanted}.",
        f"If {roots} are all the complex roots of\n\n{polynomial} = 0,\n\nrepeated according to"
        f" multiplicity, what is {wanted}?",
    )
    return Prompt(
        question, form=("one number (an integer or a fraction in lowest terms, such as -13/8)")
    )


def steps(puzzle: Symmetric) -> list[str]:
    """The elementary symmetric sums, then what the formula wants."""
    size, top = len(puzzle.roots), puzzle.polynomial[-1]
    lines = []
    for place in range(1, size + 1):
        found = Fraction((-1) ** place * puzzle.polynomial[size - place], top)
        lines.append(f"The sum of products of {place} of the roots is {found}")
    polynomial = [Fraction(number) for number in puzzle.polynomial]
    if puzzle.question in ("powers", "mixed"):
        most = puzzle.power + (puzzle.other if puzzle.question == "mixed" else 0)
        for power, found in enumerate(_sums(polynomial, most)[1:], 1):
            lines.append(f"The sum of the powers {power} is {found}")
    elif puzzle.question == "fractions":
        moved = _moved(polynomial, puzzle.other)
        if puzzle.other:
            lines.append(f"With t = x - ({puzzle.other}), t is a root of {written(moved, 't')}")
        for power, found in enumerate(_sums(moved[::-1], puzzle.power)[1:], 1):
            lines.append(f"The sum of 1/t^{power} is {found}")
    else:
        lines.append("The product is a value of the polynomial, divided by its first coefficient")
    return [*lines, f"So the value is {solve(puzzle)}"]


def hardness(puzzle: Symmetric) -> float:
    kind = QUESTIONS.index(puzzle.question)
    digits = sum(len(str(abs(number))) for number in puzzle.polynomial)
    return 2 * len(puzzle.roots) + 2 * puzzle.power + kind + digits


def canon(puzzle: Symmetric) -> tuple[tuple[int, ...], str, int, int]:
    """Without the letters of the roots."""
    return puzzle.polynomial, puzzle.question, puzzle.power, puzzle.other


def twin(rng: Random, knobs: Knobs, puzzle: Symmetric) -> Symmetric | None:
    numbers = tuple(
        drawn(rng, knobs.coefficient) if number and place < len(puzzle.roots) else number
        for place, number in enumerate(puzzle.polynomial)
    )
    other = replace(puzzle, polynomial=numbers)
    return other if solve(other) is not None else None


def renamed(rng: Random, knobs: Knobs, puzzle: Symmetric) -> Symmetric | None:
    size = len(puzzle.roots)
    letters = [each[:size] for each in LETTERS if len(each) >= size and each[:size] != puzzle.roots]
    return replace(puzzle, roots=rng.choice(letters))


def _sums(polynomial: list[Fraction], most: int) -> list[Fraction]:
    """The sums of the powers of the roots, by Newton's identities."""
    size, top = len(polynomial) - 1, polynomial[-1]
    found = [Fraction(size)]
    for power in range(1, most + 1):
        total = power * polynomial[size - power] if power <= size else Fraction(0)
        for step in range(1, min(power, size + 1)):
            total += polynomial[size - step] * found[power - step]
        found.append(-total / top)
    return found


def _moved(polynomial: list[Fraction], origin: int) -> list[Fraction]:
    """The polynomial in t where x is t + origin, by repeated synthetic division."""
    found = list(polynomial)
    for done in range(len(found) - 1):
        for place in range(len(found) - 2, done - 1, -1):
            found[place] += origin * found[place + 1]
    return found


def _times(one: Rows, other: Rows) -> Rows:
    columns = list(zip(*other))
    return [
        [sum((a * b for a, b in zip(row, each)), Fraction(0)) for each in columns] for row in one
    ]


def _power(matrix: Rows, power: int) -> Rows:
    found = matrix
    for _ in range(power - 1):
        found = _times(found, matrix)
    return found


def _plus(matrix: Rows, number: int) -> Rows:
    return [
        [each + number * (row == column) for column, each in enumerate(line)]
        for row, line in enumerate(matrix)
    ]


def _trace(matrix: Rows) -> Fraction:
    return sum((row[place] for place, row in enumerate(matrix)), Fraction(0))


def _determinant(matrix: Rows) -> Fraction:
    rows, found = [list(row) for row in matrix], Fraction(1)
    for column in range(len(rows)):
        pivot = next((row for row in range(column, len(rows)) if rows[row][column]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != column:
            rows[pivot], rows[column], found = rows[column], rows[pivot], -found
        found *= rows[column][column]
        for row in range(column + 1, len(rows)):
            if rows[row][column]:
                factor = rows[row][column] / rows[column][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column])]
    return found


def _inverse(matrix: Rows) -> Rows | None:
    size = len(matrix)
    rows = [
        [*row, *(Fraction(place == own) for own in range(size))] for place, row in enumerate(matrix)
    ]
    for column in range(size):
        pivot = next((row for row in range(column, size) if rows[row][column]), None)
        if pivot is None:
            return None
        rows[pivot], rows[column] = rows[column], rows[pivot]
        rows[column] = [each / rows[column][column] for each in rows[column]]
        for row in range(size):
            if row != column and rows[row][column]:
                factor = rows[row][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column])]
    return [row[size:] for row in rows]


def _wanted(puzzle: Symmetric) -> str:
    power, other, roots = puzzle.power, puzzle.other, puzzle.roots
    up = f"^{power}" if power != 1 else ""
    beside = f" + {other}" if other > 0 else f" - {-other}"
    match puzzle.question:
        case "powers":
            return " + ".join(f"{root}{up}" for root in roots)
        case "fractions":
            away = f" - {other}" if other > 0 else f" + {-other}"
            below = [f"({root}{away})" if other else root for root in roots]
            return " + ".join(f"1/{each}{up}" for each in below)
        case "product" | "squares":
            return "".join(f"({root}{up}{beside})" for root in roots)
        case _:
            over = f"^{other}" if other != 1 else ""
            pairs = [(one, two) for one in roots for two in roots if one != two]
            if len(pairs) <= 6:
                return " + ".join(f"{one}{up}*{two}{over}" for one, two in pairs)
            one, two = roots[0], roots[1]
            return (
                f"the sum of all {len(pairs)} terms of the form {one}{up}*{two}{over}, where {one}"
                f" and {two} may be replaced by any two different letters of the {len(roots)},"
                " in either order"
            )


QUESTIONS: tuple[Question, ...] = ("product", "powers", "fractions", "squares", "mixed")
LETTERS = ("abcdfg", "pqrstu", "uvwtyz", "rstuvw")
WORDS = ("none", "one", "two", "three", "four", "five", "six")
MOST = 30  # the largest power
LARGEST = 10**9
LADDER = (
    Knobs(2, 9, 1, 2, 0, 2, 0),
    Knobs(3, 12, 1, 3, 3, 3, 0),
    Knobs(3, 12, 3, 4, 4, 5, 1),
    Knobs(4, 12, 4, 6, 5, 5, 1),
    Knobs(5, 12, 5, 8, 7, 5, 2),
)
FAMILY = Family(
    Symmetric,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="Newton's identities",
    guess_rate=0.08,
    steps=steps,
    canon=canon,
    inputs=("polynomial",),
    twin=twin,
    renamed=renamed,
    skills=("polynomials", "equations", "fractions"),
    version=4,
)
