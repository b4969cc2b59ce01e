"""Inequality: polynomials and quotients of them, factored or multiplied out, on both sides.

All ends of the intervals are rational. `solve` brings everything to one side, finds the roots of
numerator and denominator and follows the sign from the right to the left, flipping it at roots of
odd multiplicity. `verify` puts numbers into the inequality as it stands: the ends of the answer's
intervals, all places where something may change, and one number from every gap between them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import gcd
from operator import ge, gt, le, lt
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.number_sets import Span, Union, common, point, span, spans, union
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.algebra._quotients import (
    Poly,
    Quotient,
    Quotients,
    at,
    joined,
    plus,
    product,
    rational_roots,
    real_roots,
    shown,
    times,
    trimmed,
)
from puzzlemill.generators.algebra._terms import drawn


@dataclass(frozen=True, slots=True)
class Knobs:
    roots: int  # of the numerator, counted with multiplicity
    poles: int  # of the denominator
    number: int  # the largest root
    hidden: float  # how often it is not all on one side and factored
    repeated: float  # how often a root comes twice
    never: float  # how often there is a factor that is never 0
    leading: int  # the largest coefficient in front of the unknown in a factor


@dataclass(frozen=True, slots=True)
class Inequality:
    left: Quotients
    sign: str
    right: Quotients


def generate(rng: Random, knobs: Knobs) -> Inequality | None:
    for _ in range(TRIES):
        made = _drawn(rng, knobs)
        if made is not None and solve(made) is not None:
            return made
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(inequality: Inequality) -> Union | None:
    above, below = joined(inequality.left, inequality.right)
    if len(above) < 2 or len(above) > 12:
        return None
    ups, downs = rational_roots(above), rational_roots(below)
    if not ups or not downs or real_roots(ups[1]) or real_roots(downs[1]):
        return None
    turns = dict(ups[0])
    for number, count in downs[0]:
        turns[number] = turns.get(number, 0) + count
    if any(number.denominator > BELOW or abs(number) > FARTHEST for number in turns):
        return None
    poles = {number for number, _ in downs[0]}
    wanted = 1 if inequality.sign in (">", "≥") else -1
    closed = inequality.sign in ("≥", "≤")
    sign = 1 if above[0] * below[0] > 0 else -1
    found: list[Span | None] = []
    high: Fraction | None = None
    for number in sorted(turns, reverse=True):
        if sign == wanted:
            found.append(span(number, False, high, False))
        if closed and number not in poles:
            found.append(point(number))
        if turns[number] % 2:
            sign = -sign
        high = number
    if sign == wanted:
        found.append(span(None, False, high, False))
    return union(one for one in found if one is not None)


def verify(inequality: Inequality, answer: Union) -> float:
    above, below = joined(inequality.left, inequality.right)
    critical = _scanned(times(above, below))
    if critical is None:
        return 0.0
    ends = {end for low, _, high, _ in answer for end in (low, high) if end is not None}
    nodes = sorted(critical | ends) or [Fraction(0)]
    tried = [nodes[0] - 1, *nodes, nodes[-1] + 1]
    tried += [(one + other) / 2 for one, other in pairwise(nodes)]
    mine = spans(answer)
    return float(all(_holds(inequality, one) == _has(mine, one) for one in tried))


def render(inequality: Inequality, style: Style) -> Prompt:
    text = f"{shown(inequality.left)} {inequality.sign} {shown(inequality.right)}"
    return Prompt(
        style.pick(
            f"Solve the inequality over the real numbers:\n\n{text}",
            f"Find all real numbers x with\n\n{text}",
            f"For which real x is the following true?\n\n{text}",
            f"Determine the set of all real x that satisfy {text}.",
        ),
        form=answers.Intervals().form,
    )


def steps(inequality: Inequality) -> list[str]:
    """Zeros and poles, then the sign between them."""
    above, below = joined(inequality.left, inequality.right)
    ups, downs = rational_roots(above), rational_roots(below)
    assert ups
    assert downs
    poles = [number for number, _ in downs[0]]
    zeros = [number for number, _ in ups[0] if number not in poles]
    lines = [f"Both sides are equal at x = {', '.join(map(str, zeros))}"] if zeros else []
    lines += [f"Not defined at x = {', '.join(map(str, poles))}"] if poles else []
    nodes = sorted({*zeros, *poles})
    for low, high in pairwise([None, *nodes, None]):
        inside = _inside(low, high)
        sign = "positive" if at(above, inside) * at(below, inside) > 0 else "negative"
        start, end = "-∞" if low is None else low, "∞" if high is None else high
        lines.append(f"left side - right side is {sign} on ({start}, {end})")
    found = solve(inequality)
    assert found is not None
    return [*lines, answers.Intervals().write(found)]


def canon(inequality: Inequality) -> list[str]:
    """As it is written: 3 times x and the factor 3x are told alike."""
    return [shown(inequality.left), inequality.sign, shown(inequality.right)]


def hardness(inequality: Inequality) -> float:
    above, below = joined(inequality.left, inequality.right)
    sides = inequality.left + inequality.right
    hidden = sum(len(factor) - 2 for _, over, under in sides for factor in (*over, *under))
    digits = sum(len(str(one)) for one in above)
    return 2.0 * (len(above) + len(below)) + 2 * max(hidden, 0) + digits


def _drawn(rng: Random, knobs: Knobs) -> Inequality | None:
    """Factors first; then how they are written."""
    zeros: list[Poly] = []
    while len(zeros) < knobs.roots:
        factor = _factor(rng, knobs)
        again = 2 if rng.random() < knobs.repeated and len(zeros) + 2 <= knobs.roots else 1
        zeros += [factor] * (again if factor not in zeros else 0)
    poles: list[Poly] = []
    while len(poles) < knobs.poles:
        factor = _factor(rng, knobs)
        if factor not in poles and (factor not in zeros or rng.random() < 0.15):
            poles.append(factor)
    if rng.random() < knobs.never:
        half = rng.randint(-3, 3)
        zeros.insert(0, (1, 2 * half, half * half + rng.randint(1, 6)))
    number = drawn(rng, 3) if rng.random() < 0.5 else 1
    sign = rng.choice("<>≤≥")
    zero: Quotients = ((0, (), ()),)
    hides = rng.random() < knobs.hidden
    found = _hidden(rng, product([(number,), *zeros]), poles) if hides else None
    if found is None:
        rng.shuffle(zeros)
        zeros, poles = (_paired(part) if hides else sorted(part) for part in (zeros, poles))
        found = ((number, tuple(zeros), tuple(poles)),), zero
    made = Inequality(found[0], sign, found[1])
    return made if _says_a_number(made) else None


def _hidden(rng: Random, above: Poly, poles: list[Poly]) -> tuple[Quotients, Quotients] | None:
    """Multiplied out, with something taken from both sides."""
    if not poles:
        moved = tuple(
            drawn(rng, 6) if place and rng.random() < 0.5 else 0 for place in range(len(above))
        )
        kept, other = _untopped(plus(above, moved)), _untopped(moved)
        sides: list[Quotients] = [_side(kept, ()), _side(other, ())]
    else:
        number = drawn(rng, 4)
        bottom = product(poles)
        if len(poles) > 1 and rng.random() < 0.5:
            under: tuple[Poly, ...] = (bottom,)
        else:
            under = tuple(poles)
        extra: Poly = (number,)
        if len(above) > len(bottom):
            extra = (drawn(rng, 3), number)
        kept = _untopped(plus(above, times(extra, bottom)))
        if len(poles) > 1 and len(kept) > len(bottom):
            return None
        sides = [_side(kept, under), _side(extra, ())]
    if not sides[0] or max(map(abs, kept)) > LARGEST:
        return None
    return sides[0], sides[1]


def _paired(factors: list[Poly]) -> list[Poly]:
    """The factors, multiplied out two by two."""
    pairs = [factors[place : place + 2] for place in range(0, len(factors), 2)]
    return [product(pair) for pair in pairs]


def _side(polynomial: Poly, under: tuple[Poly, ...]) -> Quotients:
    if not polynomial:
        return ((0, (), ()),) if not under else ()
    if len(polynomial) == 1:
        return ((polynomial[0], (), under),)
    quotient: Quotient = (1, (polynomial,), under)
    return (quotient,)


def _factor(rng: Random, knobs: Knobs) -> Poly:
    leading = rng.randint(1, knobs.leading)
    if rng.random() < 0.1:
        return (1, 0)
    return trimmed((leading, drawn(rng, knobs.number)))


def _untopped(polynomial: Poly) -> Poly:
    """Without zeros in front."""
    start = next((place for place, one in enumerate(polynomial) if one), len(polynomial))
    return polynomial[start:]


def _says_a_number(inequality: Inequality) -> bool:
    """Whether some number of 2 or more is told as it is."""
    sides = inequality.left + inequality.right
    told = [number for number, _, _ in sides]
    told += [one for _, over, under in sides for factor in (*over, *under) for one in factor]
    return max(told) >= 2


def _scanned(polynomial: Poly) -> set[Fraction] | None:
    """The real roots, found by trying small fractions; None where that does not find them all."""
    wanted = real_roots(polynomial)
    found: set[Fraction] = set()
    for below in range(1, BELOW + 1):
        for above in range(-FARTHEST * below, FARTHEST * below + 1):
            if len(found) == wanted:
                return found
            if gcd(above, below) == 1 and _is_root(polynomial, above, below):
                found.add(Fraction(above, below))
    return found if len(found) == wanted else None


def _is_root(polynomial: Poly, above: int, below: int) -> bool:
    whole, power = 0, 1
    for coefficient in polynomial:
        whole = whole * above + coefficient * power
        power *= below
    return not whole


def _holds(inequality: Inequality, value: Fraction) -> bool:
    sides = []
    for side in (inequality.left, inequality.right):
        total = Fraction(0)
        for number, over, under in side:
            part = Fraction(number)
            for factor in over:
                part *= at(factor, value)
            for factor in under:
                bottom = at(factor, value)
                if not bottom:
                    return False
                part /= bottom
            total += part
        sides.append(total)
    return bool(RELATIONS[inequality.sign](sides[0], sides[1]))


def _has(mine: Iterable[Span], value: Fraction) -> bool:
    return bool(common(mine, [point(value)]))


def _inside(low: Fraction | None, high: Fraction | None) -> Fraction:
    if low is None:
        return Fraction(0) if high is None else high - 1
    return low + 1 if high is None else (low + high) / 2


RELATIONS = {"<": lt, ">": gt, "≤": le, "≥": ge}
TRIES = 60
LARGEST = 300  # a coefficient that is shown
BELOW = 12  # the largest denominator of an end, and the largest end
FARTHEST = 40
LADDER = (
    Knobs(1, 0, 9, 0.7, 0.0, 0.0, 2),
    Knobs(2, 0, 15, 0.9, 0.2, 0.0, 3),
    Knobs(2, 1, 12, 0.8, 0.3, 0.1, 2),
    Knobs(3, 2, 12, 0.8, 0.4, 0.2, 2),
    Knobs(5, 3, 12, 0.8, 0.5, 0.3, 3),
)
FAMILY = Family(
    Inequality,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Intervals(),
    hardness=hardness,
    proof="unique",
    solver="all on one side, rational roots, signs from the right to the left",
    guess_rate=0.12,
    steps=steps,
    canon=canon,
    inputs=("left", "right"),
    redraws=True,
    skills=("inequalities", "polynomials", "factoring"),
    version=3,
)
