"""Rational equation: the unknown stands in denominators, which must not be 0.

A root of what is left after multiplying out is no solution where a denominator is 0. `solve`
multiplies out, takes out the rational roots and solves the quadratic that is left; `verify` puts
each number in, and counts by Sturm's theorem how many there must be.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers import Expr, SolutionSet
from puzzlemill.core.answers.algebra.tree import Tree, add, multiply, root
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.algebra._quotients import (
    Poly,
    Quotient,
    Quotients,
    at,
    common,
    joined,
    plus,
    product,
    rational_roots,
    real_roots,
    shown,
    times,
    trimmed,
)
from puzzlemill.generators.algebra._terms import drawn, powers


@dataclass(frozen=True, slots=True)
class Knobs:
    fractions: int  # with different denominators, on the left
    number: int  # the largest root or zero of a denominator
    expanded: float  # how often the denominator on the right is multiplied out
    false: float  # how often a root is a zero of a denominator
    surds: float  # how often two solutions are irrational, or missing
    leading: int  # the largest coefficient of the unknown in a denominator


@dataclass(frozen=True, slots=True)
class Equation:
    left: Quotients
    right: Quotients


def generate(rng: Random, knobs: Knobs) -> Equation | None:
    for _ in range(TRIES):
        made = _drawn(rng, knobs)
        if made is not None and solve(made) is not None:
            return made
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(equation: Equation) -> SolutionSet | None:
    above, _ = joined(equation.left, equation.right)
    if len(above) < 2 or len(above) > 8:
        return None  # no number or every number: no equation to be solved
    poles = _poles(equation)
    if poles is None:
        return None
    found = rational_roots(_relieved(above, poles))
    if found is None:
        return None
    roots, left = found
    numbers: list[Tree] = [number for number, _ in roots if number not in poles]
    if len(left) > 3:
        return None
    if len(left) == 3:
        numbers += _irrational(left)
    elif len(left) == 2:
        return None
    return answers.Solutions().collected([Expr(one) for one in numbers]) or SolutionSet()


def verify(equation: Equation, answer: SolutionSet) -> float:
    above, below = joined(equation.left, equation.right)
    if answer.everything or len(above) < 2:
        return 0.0
    if len(answer.numbers) != real_roots(above) - real_roots(common(above, below)):
        return 0.0
    return float(all(_fits(number, above, below) for number in answer.numbers))


def render(equation: Equation, style: Style) -> Prompt:
    text = f"{shown(equation.left)} = {shown(equation.right)}"
    return Prompt(
        style.pick(
            f"Solve over the real numbers:\n\n{text}",
            f"Find all real solutions of the equation\n\n{text}",
            f"For which real numbers x does this equation hold?\n\n{text}",
            f"Determine all real x that satisfy the equation below.\n\n{text}",
        ),
        form=answers.Solutions().form,
    )


def slips(rng: Random, equation: Equation, gold: SolutionSet) -> Iterator[SolutionSet]:
    """Other roots: one is another number or is missed, or the quadratic is another one."""
    poles = _poles(equation) or []
    above, _ = joined(equation.left, equation.right)
    found, left = rational_roots(_relieved(above, poles)) or ([], ())
    roots = [number for number, _ in found if number not in poles]
    middle = Fraction(-left[1], 2 * left[0]) if len(left) == 3 else Fraction(0)
    if not poles or middle.denominator != 1:
        return
    square = int(middle**2 - Fraction(left[2], left[0])) if len(left) == 3 else 0
    half = int(middle)
    for _ in range(SLIPS):
        if square and (not roots or rng.random() < 0.5):
            half, square = rng.choice(
                (
                    (half, rng.choice(RADICANDS)),
                    (-half, square),
                    (half + rng.choice((-1, 1)), square),
                )
            )
        else:
            near = rng.choice(roots or poles)
            other = rng.choice((-near, *(near + step for step in (-3, -2, -1, 1, 2, 3))))
            far = abs(other) > FARTHEST and abs(other) > abs(near)
            if not other or far or other in poles or other in roots:
                continue
            if near in roots:
                roots.remove(near)
            if rng.random() < 0.9:
                roots.append(other)
        numbers: list[Tree] = [*roots]
        if square:
            numbers += _irrational((1, -2 * half, half**2 - square))
        yield answers.Solutions().collected([Expr(one) for one in numbers]) or SolutionSet()


def steps(equation: Equation) -> list[str]:
    """What x must not be, the equation without denominators, its roots, and which of them count."""
    above, _ = joined(equation.left, equation.right)
    poles = _poles(equation) or []
    rest = _relieved(above, poles, once=True)
    lines = [f"x must not be {', '.join(map(str, poles))}"]
    lines.append(f"Without denominators: {powers(rest, 'x')} = 0")
    roots, left = rational_roots(rest) or ([], ())
    for number, _ in roots:
        lines.append(f"x = {number}" + (", where a denominator is 0" if number in poles else ""))
    if len(left) == 3:
        lines.append(f"{powers(left, 'x')} = 0 is left")
    solved = solve(equation)
    assert solved is not None
    return [*lines, answers.Solutions().write(solved)]


def hardness(equation: Equation) -> float:
    """The degree without denominators, and how long the numbers are."""
    above, below = joined(equation.left, equation.right)
    digits = sum(len(str(one)) for one in above)
    expanded = sum(len(factor) > 2 for _, _, under in equation.right for factor in under)
    return 3.0 * len(below) + digits + 4 * expanded


def _drawn(rng: Random, knobs: Knobs) -> Equation | None:
    """Poles and roots first; the numerator on the right makes the difference what is wanted."""
    count = knobs.fractions
    poles: list[Poly] = []
    while len(poles) < count:
        factor = trimmed((rng.randint(1, knobs.leading), drawn(rng, knobs.number)))
        if factor not in poles:
            poles.append(factor)
    left: list[Quotient] = []
    for factor in poles:
        over = trimmed((drawn(rng, 3) if rng.random() < 0.6 else 0, drawn(rng, knobs.number)))
        number = drawn(rng, 4) if len(over) < 2 else 1
        left.append((number, () if len(over) < 2 else (over,), (factor,)))
    if left[0][0] < 0:
        left.sort(key=lambda quotient: quotient[0] < 0)
    number = drawn(rng, 4) if count == 1 or rng.random() < 0.3 else 0
    if count == 1:
        return _simple(rng, knobs, left[0], number)
    wanted = _wanted(rng, knobs, poles)
    bottom = product(poles)
    above, _ = _whole(left, poles)
    over = _untopped(plus(plus(above, times((-number,), bottom)), times((-1,), wanted)))
    if not over or len(over) > len(bottom) or max(map(abs, over)) > LARGEST:
        return None
    under = tuple(poles)
    if rng.random() < knobs.expanded:
        under = (times(poles[0], poles[1]), *poles[2:])
    if len(over) == 1:
        right: list[Quotient] = [(over[0], (), under)]
    else:
        right = [(1, (over,), under)]
    if number:
        right.append((number, (), ()))
    made = Equation(tuple(left), tuple(right))
    return made if _says_a_number(made) else None


def _simple(rng: Random, knobs: Knobs, quotient: Quotient, number: int) -> Equation | None:
    """One fraction that is a number: (ax + b)/(x - p) = c."""
    (under,) = quotient[2]
    a = drawn(rng, 4) if rng.random() < 0.6 else 0
    wanted = drawn(rng, knobs.number)
    bottom = at(under, Fraction(wanted))
    b = int(number * bottom - a * wanted)
    if not bottom or a == number * under[0] or not b:
        return None
    over = ((a, b),) if a else ()
    made = Equation(((1 if a else b, over, (under,)),), ((number, (), ()),))
    return made if _says_a_number(made) else None


def _wanted(rng: Random, knobs: Knobs, poles: list[Poly]) -> Poly:
    """What is to be 0 in the end."""
    factors: list[Poly] = []
    count = len(poles)
    if rng.random() < knobs.surds:
        half, square = drawn(rng, 4), rng.choice(RADICANDS)
        factors.append((1, -2 * half, half * half - square))
        count -= 2
    elif rng.random() < knobs.false:
        factors.append(rng.choice(poles))
        count -= 1
    factors += [(1, -drawn(rng, knobs.number)) for _ in range(count)]
    return product([(drawn(rng, 3),), *factors])


def _whole(quotients: list[Quotient], poles: list[Poly]) -> tuple[Poly, Poly]:
    above: Poly = (0,)
    for number, over, under in quotients:
        others = [pole for pole in poles if pole not in under]
        above = plus(above, product([(number,), *over, *others]))
    return above, product(poles)


def _untopped(polynomial: Poly) -> Poly:
    """Without zeros in front."""
    start = next((place for place, one in enumerate(polynomial) if one), len(polynomial))
    return polynomial[start:]


def _says_a_number(equation: Equation) -> bool:
    """Whether some number of 2 or more is told as it is."""
    sides = equation.left + equation.right
    told = [number for number, _, _ in sides]
    told += [one for _, over, under in sides for factor in (*over, *under) for one in factor]
    return max(told) >= 2


def _poles(equation: Equation) -> list[Fraction] | None:
    """Where a denominator is 0; None where that is irrational."""
    found: set[Fraction] = set()
    for _, _, under in equation.left + equation.right:
        for factor in under:
            roots = rational_roots(factor)
            if not roots or (len(roots[1]) > 1 and real_roots(roots[1])):
                return None
            found |= {number for number, _ in roots[0]}
    return sorted(found)


def _relieved(polynomial: Poly, poles: list[Fraction], once: bool = False) -> Poly:
    """The polynomial divided by what is 0 at poles; or only by what fractions have in common."""
    left = trimmed(polynomial)
    for pole in poles:
        factor = (pole.denominator, -pole.numerator)
        while len(left) > 1 and not at(left, pole):
            found = _divided(left, factor)
            if once and (len(left) < 3 or at(found, pole)):
                break
            left = found
    return left


def _divided(polynomial: Poly, factor: Poly) -> Poly:
    """The quotient by a factor of the first degree that divides it."""
    found = [Fraction(polynomial[0], factor[0])]
    for coefficient in polynomial[1:-1]:
        found.append((coefficient - factor[1] * found[-1]) / factor[0])
    return trimmed(tuple(int(one) for one in found))


def _irrational(polynomial: Poly) -> list[Tree]:
    a, b, c = polynomial
    inner = b * b - 4 * a * c
    if inner < 0:
        return []
    most = min(isqrt(inner), SQUARES)
    square = max(one for one in range(1, most + 1) if inner % (one * one) == 0)
    part = root(Fraction(inner // square**2), 2)
    half = Fraction(-b, 2 * a)
    return [add([half, multiply(Fraction(sign * square, 2 * a), part)]) for sign in (-1, 1)]


def _fits(number: Expr, above: Poly, below: Poly) -> bool:
    """Whether a number is a root of the numerator and not of the denominator."""
    exact = number.at()
    if exact is not None:
        return bool(at(below, exact)) and not at(above, exact)
    value = number.number(DIGITS)
    if value is None:
        return False
    top = bottom = size = 0 * value
    for coefficient in above:
        top, size = top * value + coefficient, size * abs(value) + abs(coefficient)
    for coefficient in below:
        bottom = bottom * value + coefficient
    return bool(abs(top) < size * 10 ** (20 - DIGITS) and abs(bottom) > 10**-20)


RADICANDS = (-3, -2, 2, 3, 5, 6, 7, 8, 10, 11, 12)  # under the root of a quadratic's solutions
SLIPS = 40  # of which some are right
FARTHEST = 9  # from 0 that slips lead
TRIES = 60
LARGEST = 400  # in a numerator
SQUARES = 2000
DIGITS = 80
LADDER = (
    Knobs(1, 9, 0.0, 0.0, 0.0, 1),
    Knobs(2, 5, 0.0, 0.4, 0.0, 1),
    Knobs(2, 8, 0.7, 0.5, 0.25, 1),
    Knobs(2, 9, 0.8, 0.5, 0.3, 3),
    Knobs(3, 9, 0.9, 0.5, 0.35, 3),
)
FAMILY = Family(
    Equation,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Solutions(),
    hardness=hardness,
    proof="unique",
    solver="one fraction, rational roots, and the quadratic that is left",
    guess_rate=0.15,
    steps=steps,
    inputs=("left", "right"),
    slips=slips,
    redraws=True,
    skills=("equations", "polynomials", "fractions"),
    version=2,
)
