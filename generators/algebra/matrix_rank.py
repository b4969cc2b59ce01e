"""Matrix rank: for which values of a parameter the rank is small.

The entries are whole numbers plus whole multiples of t. `solve` takes the determinant at enough
values of t, so has it as a polynomial, and the rank at each of its roots. `verify` has the greatest
common divisor of all minors, expanded as polynomials: where it is 0, and only there, the rank is
small.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers import SolutionSet
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.algebra._matrices import determinant, minors, rank
from puzzlemill.generators.algebra._polynomials import (
    common,
    primitive,
    product,
    real_roots,
    sum_of,
    trimmed,
    written,
)
from puzzlemill.generators.algebra._roots import is_root, real_solutions, split

Entry: TypeAlias = tuple[int, int]  # a number, and how often t is added to it
Lines: TypeAlias = tuple[tuple[Entry, ...], ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    size: int  # rows and columns of the matrix
    entry: int  # the largest number
    roots: int  # values of t at which the matrix is singular, at most, with repetitions
    steps: int  # rows and columns that are added to others, for each row
    drop: int  # by how much the rank is to fall, at most


@dataclass(frozen=True, slots=True)
class Parametric:
    matrix: Lines
    rank: int  # at most this is asked for


def generate(rng: Random, knobs: Knobs) -> Parametric | None:
    """A diagonal of t - r and numbers, then rows and columns added to others."""
    count = rng.randint(max(1, knobs.roots - 1), knobs.roots)
    roots = [rng.randint(-9, 9) for _ in range(count)]
    drop = rng.randint(1, knobs.drop)
    if drop > 1 or rng.random() < 0.3:
        roots[1:2] = roots[:1]
    heads: list[Entry] = []
    for root in roots:
        sign = rng.choice((1, -1, 1, 2))
        heads.append((-root * sign, sign))
    heads += [(rng.choice((-2, -1, 1, 2)), 0) for _ in range(knobs.size - len(heads))]
    rng.shuffle(heads)
    matrix: list[list[Entry]] = [
        [heads[row] if row == column else (0, 0) for column in range(knobs.size)]
        for row in range(knobs.size)
    ]
    for _ in range(knobs.steps * knobs.size):
        matrix = _stirred(rng, matrix, knobs.entry)
    puzzle = Parametric(tuple(map(tuple, matrix)), knobs.size - drop)
    numbers = [each for row in matrix for entry in row for each in entry]
    shares = sum(bool(entry[1]) for row in matrix for entry in row)
    if shares <= len(roots) or max(number for row in matrix for number, _ in row) < 2:
        return None
    empty = any(entry == (0, 0) for row in matrix for entry in row)
    dull = numbers.count(0) > knobs.size**2 or (empty and knobs.size == 2)
    found = None if dull else solve(puzzle)
    return puzzle if found and found.numbers else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(puzzle: Parametric) -> SolutionSet | None:
    size = len(puzzle.matrix)
    if any(abs(each) > LARGEST for row in puzzle.matrix for entry in row for each in entry):
        return None
    values = [determinant(_at(puzzle.matrix, place, 1)) for place in range(size + 1)]
    polynomial = _through(values)
    factors = split(polynomial) if len(polynomial) > 1 else []
    if not polynomial or factors is None:
        return None
    if puzzle.rank == size - 1:
        return real_solutions(factors)
    low = []
    for factor, _ in factors:
        if len(factor) == 2:
            root = Fraction(-factor[0], factor[1])
            if rank(_at(puzzle.matrix, root.numerator, root.denominator)) <= puzzle.rank:
                low.append((factor, 1))
        elif real_roots(factor):
            return None
    return real_solutions(low)


def verify(puzzle: Parametric, answer: SolutionSet) -> float:
    if answer.everything or len(answer.numbers) > len(puzzle.matrix):
        return 0.0
    shared: list[int] = []
    size = len(puzzle.matrix)
    rows = tuple(tuple(range(start, start + size)) for start in range(0, size * size, size))
    entries = [trimmed(entry) for row in puzzle.matrix for entry in row]
    for part in minors(rows, puzzle.rank + 1):
        minor = _expanded([[entries[place] for place in line] for line in part])
        if minor:
            shared = common(shared, minor) if shared else primitive(minor)
        if len(shared) == 1:
            break
    if not shared or len(answer.numbers) != real_roots(shared):
        return 0.0
    return float(all(is_root(shared, number) for number in answer.numbers))


def render(puzzle: Parametric, style: Style) -> Prompt:
    size = len(puzzle.matrix)
    lines = ",\n     ".join(
        f"[{', '.join(written(trimmed(entry), 't') for entry in row)}]" for row in puzzle.matrix
    )
    matrix = f"A = [{lines}]"
    if puzzle.rank == size - 1:
        small, kernel = f"less than {size}", "a kernel that is not just the zero vector"
    else:
        small = f"at most {puzzle.rank}"
        kernel = f"a kernel of dimension at least {size - puzzle.rank}"
    question = style.pick(
        f"The matrix A, given by its rows, depends on a real number t:\n\n{matrix}\n\nFor which t"
        f" is the rank of A {small}?",
        f"Find all real t for which the matrix\n\n{matrix}\n\n(each inner list is a row) has"
        f" {kernel}.",
        f"Let\n\n{matrix}\n\nwith a real parameter t, each inner list being a row. Determine every"
        f" value of t at which A has rank {small}.",
    )
    return Prompt(
        question,
        form="all such real values of t, each once and exact, separated by commas, such as t = -13,"
        " t = 4/7",
    )


def steps(puzzle: Parametric) -> list[str]:
    """The determinant as a polynomial, its factors, and the rank at each root."""
    size = len(puzzle.matrix)
    polynomial = _through([determinant(_at(puzzle.matrix, place, 1)) for place in range(size + 1)])
    lines = [f"det(A) = {written(polynomial, 't')}"]
    for factor, _ in split(polynomial) or ():
        lines.append(f"{written(factor, 't')} is a factor")
        if len(factor) == 2:
            root = Fraction(-factor[0], factor[1])
            low = rank(_at(puzzle.matrix, root.numerator, root.denominator))
            lines.append(f"At t = {root} the rank is {low}")
    return [*lines, answers.Solutions("t").write(solve(puzzle) or SolutionSet())]


def hardness(puzzle: Parametric) -> float:
    size = len(puzzle.matrix)
    shares = sum(bool(entry[1]) for row in puzzle.matrix for entry in row)
    digits = sum(len(str(abs(number))) for row in puzzle.matrix for number, _ in row)
    return size**3 + shares + digits + 5 * (size - puzzle.rank)


def twin(rng: Random, knobs: Knobs, puzzle: Parametric) -> Parametric | None:
    """Another with as many answers."""
    other, found = generate(rng, knobs), solve(puzzle)
    if other is None or found is None or len(other.matrix) != len(puzzle.matrix):
        return None
    new = solve(other)
    same = other.rank == puzzle.rank and new and len(new.numbers) == len(found.numbers)
    return other if same else None


def _stirred(rng: Random, matrix: list[list[Entry]], most: int) -> list[list[Entry]]:
    """One row or column with another added to it, or taken away, unless a number grows large."""
    one, other = rng.sample(range(len(matrix)), 2)
    factor = rng.choice((-2, -1, 1, 1, 2))
    new = [list(row) for row in matrix]
    if rng.random() < 0.5:
        new[one] = [_added(a, b, factor) for a, b in zip(new[one], new[other])]
    else:
        for row in new:
            row[one] = _added(row[one], row[other], factor)
    fits = all(abs(entry[0]) <= most and abs(entry[1]) <= STEEPEST for row in new for entry in row)
    return new if fits else matrix


def _added(one: Entry, other: Entry, factor: int) -> Entry:
    return one[0] + factor * other[0], one[1] + factor * other[1]


def _at(matrix: Lines, above: int, below: int) -> list[list[int]]:
    """The matrix for t = above/below, times what clears the fractions."""
    return [[number * below + share * above for number, share in row] for row in matrix]


def _through(values: list[int]) -> list[int]:
    """The polynomial with these values at 0, 1, 2 ..., times what clears the fractions."""
    found, basis, top = [Fraction(0)] * len(values), [Fraction(1)], list(map(Fraction, values))
    for place in range(len(values)):
        for power, number in enumerate(basis):
            found[power] += top[0] * number
        top = [after - before for before, after in pairwise(top)]
        basis = [
            (low - place * high) / (place + 1)
            for low, high in zip([Fraction(0), *basis], [*basis, Fraction(0)])
        ]
    return primitive(trimmed(found))


def _expanded(matrix: list[list[list[int]]]) -> list[int]:
    """The determinant of a matrix of polynomials, along its first rows' minors."""
    found: dict[int, list[int]] = {0: [1]}
    for row in matrix:
        grown: dict[int, list[int]] = {}
        for chosen, minor in found.items():
            after = chosen.bit_count()
            for column, entry in enumerate(row):
                bit = 1 << column
                if chosen & bit:
                    after -= 1
                elif entry and minor:
                    sign = -1 if after % 2 else 1
                    before = grown.get(chosen | bit, [])
                    grown[chosen | bit] = sum_of(before, product(minor, entry), sign)
        found = grown
    return found.get((1 << len(matrix)) - 1, [])


STEEPEST, LARGEST = 4, 10**7
LADDER = (
    Knobs(2, 9, 1, 3, 1),
    Knobs(2, 30, 2, 5, 1),
    Knobs(3, 30, 2, 5, 2),
    Knobs(4, 30, 3, 5, 2),
    Knobs(5, 40, 4, 6, 2),
)
FAMILY = Family(
    Parametric,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Solutions("t"),
    hardness=hardness,
    proof="unique",
    solver="determinant through values, and ranks at its roots",
    guess_rate=0.15,
    steps=steps,
    inputs=("matrix",),
    twin=twin,
    skills=("matrices", "polynomials"),
    theme="determinants",
    version=2,
)
