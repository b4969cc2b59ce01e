"""Matrix product: the value of a formula of products, powers, sums and transposes.

`solve` multiplies matrices. `verify` only ever multiplies a matrix by one vector, from the right:
its numbers are powers of a base so large that the entries of each row are digits.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.matrix import Rows as Answer
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.algebra._matrices import Whole, drawn, fits, times, turned, written

# A number, and the matrices that are multiplied: their place, whether transposed, and the power.
Term: TypeAlias = tuple[int, tuple[tuple[int, bool, int], ...]]


@dataclass(frozen=True, slots=True)
class Knobs:
    size: int  # rows and columns, at most
    entry: int  # the largest
    factors: int  # in a product
    terms: int  # products that are added or subtracted
    power: int  # the largest exponent
    transposes: float  # how often a factor is transposed


@dataclass(frozen=True, slots=True)
class Formula:
    matrices: tuple[Whole, ...]  # A, B, C ...
    terms: tuple[Term, ...]


def generate(rng: Random, knobs: Knobs) -> Formula | None:
    """Products from left to right, each factor of a shape that fits."""
    square = knobs.power > 1 or knobs.terms > 1
    shape = [rng.randint(2, knobs.size) for _ in range(knobs.factors + 1)]
    if square:
        shape = [max(2, rng.randint(knobs.size - 1, knobs.size))] * len(shape)
    if knobs.terms == 1 and knobs.power == 1:
        flips = [rng.random() < knobs.transposes for _ in shape[1:]]
        sizes = [pair[::-1] if flip else pair for pair, flip in zip(pairwise(shape), flips)]
        matrices = tuple(drawn(rng, *size, knobs.entry) for size in sizes)
        factors = tuple((place, flip, 1) for place, flip in enumerate(flips))
        formula = Formula(matrices, ((1, factors),))
    else:
        count = rng.randint(2, max(2, min(3, knobs.factors)))
        matrices = tuple(drawn(rng, shape[0], shape[0], knobs.entry) for _ in range(count))
        terms = tuple(_term(rng, knobs, count, first=not place) for place in range(knobs.terms))
        formula = Formula(matrices, terms)
    used = {place for _, factors in formula.terms for place, _, _ in factors}
    if len(used) < len(formula.matrices) or len(set(formula.terms)) < len(formula.terms):
        return None
    if max(number for matrix in formula.matrices for row in matrix for number in row) < 2:
        return None
    found = _value(formula)
    return formula if found and max(abs(each) for row in found for each in row) < LARGEST else None


def solve(formula: Formula) -> Answer | None:
    if not all(map(fits, formula.matrices)):
        return None
    found = _value(formula)
    return tuple(tuple(Fraction(each) for each in row) for row in found) if found else None


def verify(formula: Formula, answer: Answer) -> float:
    rows, columns = _shape(formula)
    if (len(answer), len(answer[0])) != (rows, columns):
        return 0.0
    if any(each.denominator != 1 or abs(each) >= BASE // 2 for row in answer for each in row):
        return 0.0
    vector = [BASE**place for place in range(columns)]
    total = [0] * rows
    for number, factors in formula.terms:
        found = vector
        for place, flipped, power in reversed(factors):
            matrix = formula.matrices[place]
            for _ in range(power):
                found = _applied(matrix, flipped, found)
        total = [a + number * b for a, b in zip(total, found)]
    said = [sum(int(each) * BASE**place for place, each in enumerate(row)) for row in answer]
    return float(said == total)


def render(formula: Formula, style: Style) -> Prompt:
    text = _text(formula.terms)
    told = "\n".join(written(each, NAMES[place]) for place, each in enumerate(formula.matrices))
    rows, columns = _shape(formula)
    question = style.pick(
        f"Given the matrices (row by row)\n\n{told}\n\ncompute {text}.",
        f"Let\n\n{told}\n\nwhere each inner list is a row. Find {text}.",
        f"What is {text} for these matrices? Each is written as the list of its rows.\n\n{told}",
    )
    if "^T" in text:
        question += "\n\nA^T means the transpose of A." if "A^T" in text else TRANSPOSE
    return Prompt(
        question,
        form=f"the {rows} rows of the resulting {rows} x {columns} matrix, one line each, its"
        " entries separated by spaces",
    )


def steps(formula: Formula) -> list[str]:
    """Every product, one factor after another."""
    lines = []
    for number, factors in formula.terms:
        found: Whole | None = None
        said = ""
        for place, flipped, power in factors:
            own = turned(formula.matrices[place]) if flipped else formula.matrices[place]
            for _ in range(power):
                found = own if found is None else times(found, own)
            said += _factor(place, flipped, power)
            if found:
                lines.append(f"{said} = {_inline(found)}")
        if number != 1 or len(formula.terms) > 1:
            lines.append(f"This is taken {number} times")
    value = _value(formula)
    return [*lines, f"The result: {_inline(value)}"] if value else lines


def progress(formula: Formula, lines: Lines) -> float:
    return results_derived(FAMILY, formula, lines)


def hardness(formula: Formula) -> float:
    """Multiplications of numbers."""
    work = 0
    for _, factors in formula.terms:
        count = sum(power for _, _, power in factors)
        sizes = [
            len(formula.matrices[place]) * len(formula.matrices[place][0])
            for place, _, _ in factors
        ]
        work += max(1, count - 1) * max(sizes) ** 1 * 2
    entries = [len(str(abs(each))) for matrix in formula.matrices for row in matrix for each in row]
    return work + sum(entries)


def twin(rng: Random, knobs: Knobs, formula: Formula) -> Formula | None:
    matrices = tuple(drawn(rng, len(each), len(each[0]), knobs.entry) for each in formula.matrices)
    other = replace(formula, matrices=matrices)
    return other if _value(other) else None


def _term(rng: Random, knobs: Knobs, count: int, first: bool) -> Term:
    size = rng.randint(1, max(1, knobs.factors - 1))
    factors: list[tuple[int, bool, int]] = []
    for _ in range(size):
        place = rng.randrange(count)
        if not factors or factors[-1][0] != place:
            power = rng.randint(1, knobs.power) if rng.random() < 0.6 else 1
            factors.append((place, rng.random() < knobs.transposes, power))
    if len(factors) == 1 and factors[0][2] == 1 and not factors[0][1]:
        factors = [(factors[0][0], False, max(2, knobs.power - 1))] if knobs.power > 1 else factors
    number = rng.choice((1, 1, 2, 3)) * (1 if first else rng.choice((-1, 1)))
    return number, tuple(factors)


def _value(formula: Formula) -> Whole | None:
    total: Whole | None = None
    for number, factors in formula.terms:
        found: Whole | None = None
        for place, flipped, power in factors:
            own = turned(formula.matrices[place]) if flipped else formula.matrices[place]
            for _ in range(power):
                found = own if found is None else times(found, own)
        if found is not None:
            scaled = tuple(tuple(number * each for each in row) for row in found)
            total = scaled if total is None else _sum(total, scaled)
    return total


def _sum(one: Whole, other: Whole) -> Whole:
    return tuple(tuple(map(int.__add__, a, b)) for a, b in zip(one, other))


def _shape(formula: Formula) -> tuple[int, int]:
    _, factors = formula.terms[0]
    (first, flipped, _), (last, turned_last, _) = factors[0], factors[-1]
    above, below = formula.matrices[first], formula.matrices[last]
    rows = len(above[0]) if flipped else len(above)
    return rows, len(below) if turned_last else len(below[0])


def _applied(matrix: Whole, flipped: bool, vector: list[int]) -> list[int]:
    if not flipped:
        return [sum(map(int.__mul__, row, vector)) for row in matrix]
    found = [0] * len(matrix[0])
    for row, number in zip(matrix, vector):
        found = [have + each * number for have, each in zip(found, row)]
    return found


def _text(terms: tuple[Term, ...]) -> str:
    text = ""
    for number, factors in terms:
        size = abs(number)
        product = "".join(_factor(*factor) for factor in factors)
        shown = f"{size if size > 1 else ''}{product}"
        text += (f" {'-' if number < 0 else '+'} " if text else "-" * (number < 0)) + shown
    return text


def _factor(place: int, flipped: bool, power: int) -> str:
    name = NAMES[place]
    if flipped:
        return f"({name}^T)^{power}" if power > 1 else f"{name}^T"
    return f"{name}^{power}" if power > 1 else name


def _inline(matrix: Whole) -> str:
    return f"[{', '.join(f'[{chr(44).join(map(str, row))}]' for row in matrix)}]"


NAMES = "ABCDEF"
TRANSPOSE = "\n\nThe sign ^T means the transpose."
BASE = 10**80
LARGEST = 10**8
LADDER = (
    Knobs(2, 5, 2, 1, 1, 0.0),
    Knobs(3, 9, 2, 1, 1, 0.3),
    Knobs(3, 9, 3, 2, 2, 0.2),
    Knobs(4, 9, 3, 2, 3, 0.3),
    Knobs(5, 12, 4, 3, 4, 0.3),
)
FAMILY = Family(
    Formula,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Matrix(),
    hardness=hardness,
    proof="unique",
    solver="matrix multiplication",
    guess_rate=0.01,
    steps=steps,
    progress=progress,
    inputs=("matrices",),
    twin=twin,
    skills=("matrices", "calculation"),
)
