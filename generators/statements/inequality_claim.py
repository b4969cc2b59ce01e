"""Inequality claim: which of some polynomial inequalities fails, and where.

A claim is about all real x, all x > 0, or all a, b > 0; the last ones are homogeneous, and so are
about the ratio alone. `solve` decides them by Sturm's theorem, which proves what it calls true, and
finds a counterexample by cutting the line between the roots. `verify` puts the numbers in; for
"impossible" it cuts the line itself until every piece is shown to be positive by its Bernstein
coefficients.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import comb, gcd, lcm
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.unknowns import Values
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.calculus._polynomials import (
    Coefficients,
    Exact,
    moved,
    plus,
    product,
    sign_changes,
    value,
)
from puzzlemill.generators.calculus._polynomials import text as written
from puzzlemill.generators.statements._claims import KIND, Answer, asked, mixed

Claim: TypeAlias = tuple[str, tuple[int, ...], tuple[int, ...]]  # domain, both sides: left > right


@dataclass(frozen=True, slots=True)
class Knobs:
    claims: int  # to choose from
    degree: int  # half of the largest
    number: int  # the largest in what is squared
    close: int  # a false claim fails on less than 1/close of a unit


@dataclass(frozen=True, slots=True)
class Claims:
    claims: tuple[Claim, ...]


def generate(rng: Random, knobs: Knobs) -> Claims | None:
    """Squares plus a little that is added, or taken away for the false claim."""

    def drawn(wanted: bool) -> Claim | None:
        domain = rng.choice(DOMAINS)
        gap = _gap(rng, knobs, wanted)
        if domain != "real" and rng.random() < 0.6:
            gap = product(gap, (rng.randint(1, 4), rng.randint(1, 3)))
        numbers = [int(each) for each in gap]
        if max(map(abs, numbers)) > 10**6:
            return None
        claim = (domain, *_sides(rng, numbers))
        return claim if (_fails(claim) is None) == wanted else None

    found = mixed(rng, knobs.claims, lambda: drawn(True), lambda: drawn(False), _kernel)
    return Claims(found) if found else None


def solve(claims: Claims) -> Answer | None:
    """Sturm's theorem."""
    found: Answer = answers.IMPOSSIBLE
    for place, claim in enumerate(claims.claims, 1):
        at = _fails(claim)
        if at is None:
            continue
        if not isinstance(found, answers.Impossible):
            return None
        if claim[0] == "ratio":
            pair = (("a", Fraction(at.numerator)), ("b", Fraction(at.denominator)))
            found = (*pair, ("claim", Fraction(place)))
        else:
            found = (("claim", Fraction(place)), ("x", at))
    return found


def verify(claims: Claims, answer: Answer) -> float:
    if isinstance(answer, answers.Impossible):
        return float(all(map(_positive, claims.claims)))
    read = _read(claims, answer)
    if read is None:
        return 0.0
    (_, left, right), top, below = read
    degree = max(len(left), len(right)) - 1
    sides = [
        sum(number * top**place * below ** (degree - place) for place, number in enumerate(side))
        for side in (left, right)
    ]
    return float(sides[0] <= sides[1] if below > 0 else False)


def recheck(claims: Claims, answer: Answer) -> bool:
    """By sympy's own real roots."""
    from sympy import Poly, Rational, Symbol, real_roots

    if not isinstance(answer, answers.Impossible):
        read = _read(claims, answer)
        if read is None:
            return False
        (_, left, right), top, below = read
        return value(plus(left, right, -1), top / below) <= 0
    for domain, left, right in claims.claims:
        gap = Poly([int(each) for each in reversed(plus(left, right, -1))], Symbol("x"))
        roots = [root for root in real_roots(gap) if domain == "real" or root > 0]
        if roots or gap.eval(Rational(1)) <= 0:
            return False
    return True


def render(claims: Claims, style: Style) -> Prompt:
    pair = any(domain == "ratio" for domain, _, _ in claims.claims)
    single = any(domain != "ratio" for domain, _, _ in claims.claims)
    forms = ["claim = 1, x = 7/3"] * single + ["claim = 1, a = 7/3, b = 4"] * pair
    return asked(
        style,
        "Each claim is about real numbers; a counterexample must consist of rational numbers.",
        [_told(claim) for claim in claims.claims],
        f"{' or '.join(forms)} (integers or exact fractions)",
    )


def steps(claims: Claims) -> list[str]:
    lines = []
    for place, claim in enumerate(claims.claims, 1):
        gap = plus(claim[1], claim[2], -1)
        at = _fails(claim)
        name = "the ratio t = a/b" if claim[0] == "ratio" else "x"
        shown = written(gap, "t" if claim[0] == "ratio" else "x")
        told = "is positive everywhere" if at is None else f"is {value(gap, at)} at {at}"
        lines.append(f"Claim {place}: the difference {shown} in {name} {told}")
    return lines


def hardness(claims: Claims) -> float:
    return sum(
        len(left) * sum(len(str(abs(number))) for number in (*left, *right))
        for _, left, right in claims.claims
    )


def canon(claims: Claims) -> list[Claim]:
    return sorted(claims.claims)


def _kernel(claim: Claim) -> tuple[int, ...]:
    """The difference without a common factor, whichever way it is read: a and b may change places,
    and what holds for all numbers holds for the positive ones."""
    gap = [int(each) for each in plus(claim[1], claim[2], -1)]
    gap = [each // gcd(*gap) for each in gap]
    return min(tuple(gap), tuple(gap[::-1]))


def _gap(rng: Random, knobs: Knobs, wanted: bool) -> list[Exact]:
    """A square, or a square times something positive, a little above zero or below."""
    middle, scale = _line(rng, knobs)
    gap = product((-middle, scale), (-middle, scale))
    for _ in range(rng.randint(0, knobs.degree - 1)):
        shift, up = rng.randint(-knobs.number, knobs.number), rng.randint(1, 5)
        gap = product(gap, (shift * shift + up, -2 * shift, 1))
    gap = [each * knobs.close for each in gap]
    little = rng.randint(1, 3)
    return plus(gap, [little if wanted else -little])


def _line(rng: Random, knobs: Knobs) -> tuple[int, int]:
    return rng.randint(1, 2 * knobs.number), rng.randint(1, max(2, knobs.number // 2))


def _sides(rng: Random, gap: list[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Terms with a minus on the right, so that both sides have only plus."""
    left = [max(number, 0) for number in gap]
    right = [max(-number, 0) for number in gap]
    extra, place = rng.randint(1, 9), rng.randrange(len(gap) - 1)
    left[place] += extra
    right[place] += extra
    while right and not right[-1]:
        right.pop()
    return tuple(left), tuple(right)


def _span(claim: Claim) -> tuple[list[Exact], Fraction, Fraction]:
    """The difference, and an interval that holds all its roots in the domain."""
    gap = plus(claim[1], claim[2], -1)
    bound = 1 + max(abs(Fraction(number, gap[-1])) for number in gap)
    return gap, -bound if claim[0] == "real" else Fraction(0), bound


@lru_cache(maxsize=16)
def _fails(claim: Claim) -> Fraction | None:
    """A place where the left side is not larger; None where that is proved to be nowhere."""
    gap, low, high = _span(claim)
    if gap[-1] < 0:
        return high
    count = sign_changes(gap, low, high)
    if not count:
        return None
    # Two roots close together: cut until one is at a cut or lies alone, then look beside it.
    waiting = [(low, high)]
    while waiting:
        left, right = waiting.pop(0)
        if not sign_changes(gap, left, right):
            continue
        middle = (left + right) / 2
        simple = _simplest(left, right)
        for place in (simple, middle):
            if value(gap, place) <= 0 and (claim[0] == "real" or place > 0):
                return place
        if len(waiting) < 60:
            waiting += [(left, middle), (middle, right)]
    return None


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction between with the smallest denominator."""
    whole = low.numerator // low.denominator + 1
    if whole < high:
        return Fraction(whole)
    rest = low - (whole - 1)
    if not rest:
        return (low + high) / 2
    return whole - 1 + 1 / _simplest(1 / (high - (whole - 1)), 1 / rest)


def _positive(claim: Claim) -> bool:
    """Whether the difference is above zero in the domain, by Bernstein coefficients of pieces."""
    gap, low, high = _span(claim)
    whole = _bernstein(gap, low, high)
    if gap[-1] <= 0 or whole[-1] <= 0:
        return False
    waiting = [(whole, claim[0] != "real")]
    for _ in range(4000):
        if not waiting:
            return True
        numbers, open_start = waiting.pop()
        start = numbers[0] > 0 or (numbers[0] == 0 and open_start)
        if start and min(numbers[1:]) > 0:
            continue
        left, right = _halves(numbers)
        if left[-1] <= 0:  # the value in the middle
            return False
        waiting += [(left, open_start), (right, False)]
    return False


def _bernstein(polynomial: Coefficients, low: Fraction, high: Fraction) -> list[int]:
    """The coefficients whose smallest bounds the polynomial from below between two places, times
    a positive number that makes them whole."""
    own = moved(polynomial, low)
    size = len(own) - 1
    scaled = [Fraction(number) * (high - low) ** place for place, number in enumerate(own)]
    found = [
        sum((Fraction(comb(at, k), comb(size, k)) * scaled[k] for k in range(at + 1)), Fraction(0))
        for at in range(size + 1)
    ]
    shared = lcm(*(number.denominator for number in found))
    return [int(number * shared) for number in found]


def _halves(numbers: list[int]) -> tuple[list[int], list[int]]:
    """The coefficients on both halves, times a power of two: the ends of the rows of de Casteljau's
    triangle, with sums in place of means."""
    left, right, row = list[int](), list[int](), numbers
    for shift in reversed(range(len(numbers))):
        left.append(row[0] << shift)
        right.append(row[-1] << shift)
        row = [one + other for one, other in pairwise(row)]
    return left, right[::-1]


def _read(claims: Claims, answer: Values) -> tuple[Claim, Fraction, Fraction] | None:
    """The claim, and what is put for x, or for a and b."""
    values = dict(answer)
    place = values.pop("claim", None)
    if place is None or place not in range(1, len(claims.claims) + 1):
        return None
    claim = claims.claims[int(place) - 1]
    if set(values) != ({"a", "b"} if claim[0] == "ratio" else {"x"}):
        return None
    if any(max(abs(each.numerator), each.denominator) > 10**60 for each in values.values()):
        return None
    if claim[0] != "real" and min(values.values()) <= 0:
        return None
    return (claim, values["a"], values["b"]) if claim[0] == "ratio" else (
        claim, values["x"], Fraction(1)
    )  # fmt: skip


def _told(claim: Claim) -> str:
    domain, left, right = claim
    if domain != "ratio":
        where = "every real number x" if domain == "real" else "every real number x > 0"
        return f"{written(left)} > {written(right)} for {where}."
    degree = max(len(left), len(right)) - 1
    sides = [_pairs(side, degree) for side in (left, right)]
    return f"{sides[0]} > {sides[1]} for all real numbers a > 0 and b > 0."


def _pairs(side: tuple[int, ...], degree: int) -> str:
    """3a^2*b + b^3"""
    terms = []
    for place, number in reversed(list(enumerate(side))):
        if number:
            letters = [
                name if up == 1 else f"{name}^{up}"
                for name, up in (("a", place), ("b", degree - place))
                if up
            ]
            terms.append(f"{number if number > 1 else ''}{'*'.join(letters)}")
    return " + ".join(terms)


DOMAINS = ("real", "positive", "ratio")
LADDER = (
    Knobs(3, 1, 3, 1),
    Knobs(3, 1, 6, 2),
    Knobs(4, 2, 7, 4),
    Knobs(5, 2, 9, 8),
    Knobs(6, 3, 9, 12),
)
FAMILY = Family(
    Claims,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=KIND,
    hardness=hardness,
    solver="Sturm's theorem",
    guess_rate=0.3,
    recheck=recheck,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("inequalities", "polynomials", "proof"),
    version=3,
)
