"""Polynomial factoring: a polynomial in one letter, or in two with all terms of one degree, as a
product of irreducible ones.

No irreducible factor is of degree 4 or more. `solve` finds factors near floating roots and divides
by them; `verify` compares values at more points than the degree, and tries every root that a
factor of the answer may have, for what has a divisor and is of degree 2 or 3 has a rational root.
"""

from dataclasses import dataclass
from math import isqrt
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.factored import Product
from puzzlemill.core.answers.polynomial import Terms
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.algebra._polynomials import drawn, primitive, product, signed, value
from puzzlemill.generators.algebra._roots import Factor, split


@dataclass(frozen=True, slots=True)
class Knobs:
    linear: int  # factors of degree 1, at most
    quadratics: int  # of degree 2, at most
    cubics: int  # of degree 3, at most
    coefficient: int  # the largest in a factor
    leading: int  # the largest at the highest power of a factor
    repeated: float  # how often a factor is there once more
    letters: float  # how often there are two letters


@dataclass(frozen=True, slots=True)
class Multiplied:
    coefficients: tuple[int, ...]  # from the constant upwards: of x^k, or of x^k*y^(n - k)
    letters: int


def generate(rng: Random, knobs: Knobs) -> Multiplied | None:
    """Factors that a cube or a square hides are as good as any."""
    degrees = [
        degree
        for degree, most in ((1, knobs.linear), (2, knobs.quadratics), (3, knobs.cubics))
        for _ in range(rng.randint(max(min(2, most), most - 1), most))
    ]
    rng.shuffle(degrees)
    parts: list[list[int]] = []
    for degree in degrees:
        if degree + sum(len(part) - 1 for part in parts) < LONGEST - 1:
            middle = [rng.randint(-knobs.coefficient, knobs.coefficient) for _ in range(degree - 1)]
            last = drawn(rng, knobs.coefficient)
            parts.append(primitive([last, *middle, rng.randint(1, knobs.leading)]))
    if rng.random() < knobs.repeated:
        parts.append(min(parts, key=len))
    letters = 2 if rng.random() < knobs.letters else 1
    extra = [rng.choice((1, 1, 2, 3, -1))] if knobs.leading > 1 else [1]
    found = product(*parts, extra, rng.choice(([1], [1], [0, 1])))
    if not 3 <= len(found) <= LONGEST or max(found) < 2 or max(map(abs, found)) > LARGEST:
        return None
    return Multiplied(tuple(found), letters)


def solve(puzzle: Multiplied) -> Product | None:
    """Irreducible factors; those in two letters are those in one, filled up with y."""
    found = split(puzzle.coefficients) if any(puzzle.coefficients[1:]) else None
    if found is None or not puzzle.coefficients[-1]:
        return None
    leading = Fraction(puzzle.coefficients[-1])
    for factor, times in found:
        leading /= factor[-1] ** times
    if sum(times for _, times in found) + (abs(leading) != 1) < 2:
        return None
    return leading, tuple(
        sorted(
            ((_terms(factor, puzzle.letters), times) for factor, times in found),
            key=lambda part: (len(part[0]), part[0]),
        )
    )


def verify(puzzle: Multiplied, answer: Product) -> float:
    number, parts = answer
    degree = len(puzzle.coefficients) - 1
    if number.denominator != 1 or not number or any(times > degree for _, times in parts):
        return 0.0
    factors = [(_line(terms, puzzle.letters), times) for terms, times in parts]
    if sum((len(line) - 1) * times for line, times in factors if line) != degree:
        return 0.0
    if not all(line and _irreducible(line) for line, _ in factors):
        return 0.0
    for point in range(degree + 1):
        found = int(number)
        for line, times in factors:
            found *= value(line or [], point) ** times
        if found != value(puzzle.coefficients, point):
            return 0.0
    return 1.0


def render(puzzle: Multiplied, style: Style) -> Prompt:
    text = _text(puzzle)
    names = "x and y" if puzzle.letters == 2 else "x"
    example = "-3x(x - 8y)^2(5x + 6y)" if puzzle.letters == 2 else "-3x(x - 8)^2(5x + 6)"
    whole = "with integer coefficients"
    question = style.pick(
        f"Factor this polynomial completely over the integers:\n\n{text}",
        f"Write {text} as a product of polynomials {whole}, none of which can be factored any"
        " further.",
        f"Factorise {text} as far as possible into polynomials in {names} {whole}.",
        f"What is the complete factorisation of\n\n{text}\n\ninto irreducible polynomials {whole}?",
    )
    return Prompt(
        question,
        form="a product of an integer (left out if it is 1) and irreducible factors, with ^ for"
        f" repeated ones, such as {example}",
    )


def steps(puzzle: Multiplied) -> list[str]:
    """One factor after another, with what remains."""
    found: list[Factor] = split(puzzle.coefficients) or []
    lines, done = [f"Factor {_text(puzzle)}"], [1]
    for factor, times in found:
        shown = _text(Multiplied(tuple(factor), puzzle.letters))
        lines.append(f"{shown} divides it{f' {times} times' if times > 1 else ''}")
        done = product(done, *[factor] * times)
    gold = solve(puzzle)
    return [*lines, answers.Factored(NAMES).write(gold)] if gold else lines


def hardness(puzzle: Multiplied) -> float:
    digits = sum(len(str(abs(number))) for number in puzzle.coefficients)
    return len(puzzle.coefficients) ** 2 + digits + puzzle.letters


def twin(rng: Random, knobs: Knobs, puzzle: Multiplied) -> Multiplied | None:
    """Factors of the same degrees and powers."""
    found = []
    for factor, times in split(puzzle.coefficients) or ():
        top = min(factor[-1], rng.randint(1, knobs.leading))
        new = [drawn(rng, knobs.coefficient) if number else 0 for number in factor[:-1]]
        found += [primitive([*new, top])] * times
    other = Multiplied(tuple(product(*found)), puzzle.letters)
    small = max(map(abs, other.coefficients)) <= LARGEST
    shapes = [
        [(len(factor), times) for factor, times in split(each.coefficients) or ()]
        for each in (puzzle, other)
    ]
    return other if small and shapes[0] == shapes[1] and solve(other) else None


def _terms(factor: list[int], letters: int) -> Terms:
    degree = len(factor) - 1
    return tuple(
        ((place, degree - place if letters == 2 else 0), Fraction(number))
        for place, number in reversed(list(enumerate(factor)))
        if number
    )


def _line(terms: Terms, letters: int) -> list[int] | None:
    """The whole coefficients of a factor; None for what is in no such product."""
    degree = max((sum(powers) for powers, _ in terms), default=0)
    if not 1 <= degree <= 3:
        return None
    found = [0] * (degree + 1)
    for (first, second), number in terms:
        if number.denominator != 1 or second != (degree - first if letters == 2 else 0):
            return None
        found[first] = int(number)
    return found


def _irreducible(line: list[int]) -> bool:
    """Of degree 1, or without rational root. The last may be 0 only in y, which is a factor."""
    if len(line) == 2:
        return True
    if not line[0] or not line[-1]:
        return False
    if len(line) == 3:
        inside = line[1] ** 2 - 4 * line[0] * line[2]
        return inside < 0 or isqrt(inside) ** 2 != inside
    if max(abs(line[0]), abs(line[-1])) > LARGEST:
        return False
    return all(
        value([number * below ** (3 - place) for place, number in enumerate(line)], above)
        for below in _divisors(abs(line[-1]))
        for size in _divisors(abs(line[0]))
        for above in (size, -size)
    )


def _divisors(number: int) -> list[int]:
    small = [each for each in range(1, isqrt(number) + 1) if number % each == 0]
    return [*small, *(number // each for each in small)]


def _text(puzzle: Multiplied) -> str:
    degree, text = len(puzzle.coefficients) - 1, ""
    for place in range(degree, -1, -1):
        number = puzzle.coefficients[place]
        powers = (place, degree - place if puzzle.letters == 2 else 0)
        thing = "*".join(
            name if power == 1 else f"{name}^{power}" for name, power in zip(NAMES, powers) if power
        )
        if number:
            text += signed(number, thing, bool(text))
    return text


NAMES = ("x", "y")
LONGEST, LARGEST = 10, 10**6
LADDER = (
    Knobs(2, 0, 0, 6, 1, 0.0, 0.0),
    Knobs(3, 0, 0, 15, 5, 0.1, 0.2),
    Knobs(3, 1, 0, 12, 4, 0.2, 0.3),
    Knobs(3, 2, 1, 12, 4, 0.3, 0.3),
    Knobs(4, 3, 2, 12, 5, 0.3, 0.4),
)
FAMILY = Family(
    Multiplied,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Factored(NAMES, whole=True),
    hardness=hardness,
    proof="unique",
    solver="factors near floating roots, tried by division",
    guess_rate=0.02,
    steps=steps,
    inputs=("coefficients",),
    twin=twin,
    skills=("polynomials", "factoring"),
    peers=("RLVE/polynomial_factorization",),
    theme="polynomial_factors",
    version=2,
)
