"""Eigenvalues: all real eigenvalues of a matrix of whole numbers.

They are rational, or rational plus a multiple of one square root. `solve` takes the characteristic
polynomial from traces of powers and breaks it into factors. `verify` has it from minors, counts its
real roots by Sturm's chain, and asks that each number of the answer leave a determinant of 0.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers import SolutionSet
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.algebra._matrices import (
    Whole,
    expanded,
    fits,
    identity,
    mixed,
    times,
    written,
)
from puzzlemill.generators.algebra._polynomials import real_roots
from puzzlemill.generators.algebra._polynomials import written as polynomial_text
from puzzlemill.generators.algebra._roots import is_root, real_solutions, split


@dataclass(frozen=True, slots=True)
class Knobs:
    size: int  # rows and columns of the matrix
    value: int  # the largest eigenvalue
    entry: int  # the largest
    blocks: int  # pairs of eigenvalues that are not rational or not real, at most
    repeated: float  # how often an eigenvalue is there twice


@dataclass(frozen=True, slots=True)
class Square:
    matrix: Whole


def generate(rng: Random, knobs: Knobs) -> Square | None:
    """Blocks along the diagonal, then changes of the basis."""
    size = knobs.size
    rows = [[0] * size for _ in range(size)]
    place = 0
    for _ in range(min(rng.randint(max(0, knobs.blocks - 1), knobs.blocks), size // 2)):
        rows[place][place + 1] = rng.choice((1, 1, 2, 3))
        real = rng.random() < (0.75 if size > 2 else 0.95)
        rows[place + 1][place] = rng.randint(1, 11) * (1 if real else -1)
        rows[place][place] = middle = rng.randint(-knobs.value // 2, knobs.value // 2)
        rows[place + 1][place + 1] = middle
        place += 2
    start = place
    while place < size:
        rows[place][place] = rng.randint(-knobs.value, knobs.value)
        if place > start and rng.random() < knobs.repeated:
            rows[place][place] = rows[place - 1][place - 1]
            rows[place - 1][place] = rng.randint(0, 1)
        place += 1
    matrix = mixed(rng, rows, knobs.entry, 14 * size, similar=True)
    flat = [each for row in matrix for each in row]
    triangular = not any(matrix[row][column] for row in range(size) for column in range(row))
    dull = triangular or flat.count(0) > size or max(flat) < 2
    return None if dull or sum(abs(each) > 1 for each in flat) < size else Square(matrix)


def solve(square: Square) -> SolutionSet | None:
    if not fits(square.matrix):
        return None
    factors = split(_by_traces(square.matrix))
    return real_solutions(factors) if factors else None


def verify(square: Square, answer: SolutionSet) -> float:
    matrix, size = square.matrix, len(square.matrix)
    if answer.everything or len(answer.numbers) > size:
        return 0.0
    polynomial = _by_minors(matrix)
    if len(answer.numbers) != real_roots(polynomial):
        return 0.0
    for number in answer.numbers:
        exact = number.at()
        if exact is None:
            if not is_root(polynomial, number):
                return 0.0
        else:
            above, below = exact.numerator, exact.denominator
            if below > 1 or abs(above) > LARGEST:  # a root of a polynomial that begins with 1
                return 0.0
            left = [
                [each - above * (row == column) for column, each in enumerate(line)]
                for row, line in enumerate(matrix)
            ]
            if expanded(left):
                return 0.0
    return 1.0


def render(square: Square, style: Style) -> Prompt:
    matrix, size = written(square.matrix, "A"), len(square.matrix)
    question = style.pick(
        f"Find all real eigenvalues of the {size} x {size} matrix A with these rows:\n\n{matrix}",
        f"Let\n\n{matrix}\n\n(each inner list is a row). Which real numbers lambda are eigenvalues"
        " of A?",
        f"For which real numbers lambda is there a non-zero vector v with Av = lambda*v? The rows"
        f" of A are\n\n{matrix}",
    )
    return Prompt(
        question,
        form="all real eigenvalues with exact values, each once, separated by commas, such as"
        " lambda = -11, lambda = 1 + sqrt(19), lambda = 1 - sqrt(19); or"
        ' "no solution" if there is none',
    )


def steps(square: Square) -> list[str]:
    """The characteristic polynomial and its factors."""
    polynomial = _by_traces(square.matrix)
    lines = [f"det(tI - A) = {polynomial_text(polynomial, 't')}"]
    for factor, often in split(polynomial) or ():
        again = f", {often} times" if often > 1 else ""
        real = "" if real_roots(factor) else ": no real root"
        lines.append(f"{polynomial_text(factor, 't')} is a factor{again}{real}")
    found = solve(square)
    return [*lines, answers.Solutions("lambda").write(found)] if found else lines


def hardness(square: Square) -> float:
    digits = sum(len(str(abs(each))) for row in square.matrix for each in row)
    blocks = sum(len(factor) == 3 for factor, _ in split(_by_traces(square.matrix)) or ())
    return len(square.matrix) ** 3 + digits + 4 * blocks


def twin(rng: Random, knobs: Knobs, square: Square) -> Square | None:
    """Another with as many real eigenvalues."""
    wanted = real_roots(_by_minors(square.matrix))
    for _ in range(40):
        other = generate(rng, knobs)
        same = other and len(other.matrix) == len(square.matrix)
        if other and same and real_roots(_by_minors(other.matrix)) == wanted:
            return other
    return None


def _by_traces(matrix: Whole) -> list[int]:
    """The characteristic polynomial, first coefficient 1, after Faddeev and LeVerrier."""
    size = len(matrix)
    found, kept = [1], identity(size)
    for step in range(1, size + 1):
        product = times(matrix, kept)
        number = -sum(product[place][place] for place in range(size)) // step
        found.append(number)
        kept = tuple(
            tuple(each + number * (row == column) for column, each in enumerate(line))
            for row, line in enumerate(product)
        )
    return found[::-1]


def _by_minors(matrix: Whole) -> list[int]:
    """The same: its coefficients are sums of the minors along the diagonal."""
    size = len(matrix)
    sums = [0] * (size + 1)
    for chosen in range(1 << size):
        places = [place for place in range(size) if chosen >> place & 1]
        minor = expanded([[matrix[row][column] for column in places] for row in places])
        sums[len(places)] += -minor if len(places) % 2 else minor
    return sums[::-1]


LARGEST = 10**9
LADDER = (
    Knobs(2, 7, 12, 0, 0.0),
    Knobs(2, 19, 50, 1, 0.1),
    Knobs(3, 19, 50, 1, 0.2),
    Knobs(4, 19, 50, 1, 0.3),
    Knobs(5, 19, 50, 2, 0.3),
)
FAMILY = Family(
    Square,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Solutions("lambda"),
    hardness=hardness,
    proof="unique",
    solver="characteristic polynomial and its factors",
    guess_rate=0.12,
    steps=steps,
    inputs=("matrix",),
    twin=twin,
    skills=("matrices", "polynomials"),
    version=2,
)
