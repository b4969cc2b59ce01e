"""Parameter: for which k an equation in x with k in its coefficients has so many real solutions.

The equation is A x^2 + B x + C = 0, where A, B and C depend on k. Where A is 0, it is of the first
degree, or says nothing of x at all. `solve` finds every k at which the number of solutions may
change and works it out there and in between; `verify` counts by Sturm's theorem instead, at every
small fraction at which a sign changes and on both sides of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import gcd
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.number_sets import Span, Union, common, point, span, spans, union
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.algebra._quotients import (
    Poly,
    at,
    plus,
    product,
    rational_roots,
    real_roots,
    times,
    trimmed,
)
from puzzlemill.generators.algebra._terms import drawn, powers, total

Coefficients: TypeAlias = tuple[Poly, Poly, Poly]


@dataclass(frozen=True, slots=True)
class Knobs:
    shapes: int  # how many kinds of equation there are to choose from
    easiest: int  # the first of them that is used
    number: int  # the largest value of k at which something changes
    questions: int  # how many kinds of question there are


@dataclass(frozen=True, slots=True)
class Equation:
    square: Poly  # the coefficient of x^2, a polynomial in k; () for none
    linear: Poly
    constant: Poly
    wanted: str


def generate(rng: Random, knobs: Knobs) -> Equation | None:
    for _ in range(TRIES):
        shape = rng.choice(SHAPES[min(knobs.easiest, knobs.shapes - 1) : knobs.shapes])
        wanted = rng.choice(QUESTIONS[: knobs.questions])
        made = _drawn(rng, knobs, shape, wanted)
        if made is None:
            continue
        answer = solve(made)
        if answer is None or not _told(made):
            continue
        if (answer and answer != ALL) or rng.random() < EMPTY:
            return made
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(equation: Equation) -> Union | None:
    nodes = _nodes(equation)
    if nodes is None:
        return None
    found: list[Span | None] = [
        point(node) for node in nodes if _count(equation, node) == equation.wanted
    ]
    for low, high in pairwise([None, *nodes, None]):
        if _count(equation, _inside(low, high)) == equation.wanted:
            found.append(span(low, False, high, False))
    return union(one for one in found if one is not None)


def verify(equation: Equation, answer: Union) -> float:
    nodes = _scanned(_turning(equation))
    if nodes is None:
        return 0.0
    ends = {end for low, _, high, _ in answer for end in (low, high) if end is not None}
    places = sorted(nodes | ends) or [Fraction(0)]
    tried = [places[0] - 1, *places, places[-1] + 1]
    tried += [(one + other) / 2 for one, other in pairwise(places)]
    mine = spans(answer)
    return float(
        all(
            (_counted(equation, one) == equation.wanted) == bool(common(mine, [point(one)]))
            for one in tried
        )
    )


def render(equation: Equation, style: Style) -> Prompt:
    text = _text(equation)
    kind = {
        "none": "no real solution",
        "one": "exactly one real solution",
        "two": "exactly two different real solutions",
        "all": "infinitely many real solutions",
    }[equation.wanted]
    return Prompt(
        style.pick(
            f"For which real numbers k does the equation\n\n{text}\n\nin the unknown x have"
            f" {kind}?",
            f"Consider the equation {text} in the unknown x, with a real parameter k. Find all k"
            f" for which it has {kind}.",
            f"Determine the set of all real k such that the following equation in x has {kind}:"
            f"\n\n{text}",
        )
        + NOTE * bool(len(trimmed(equation.square)) > 1),
        form="the set of all k as a union of intervals, such as (-∞, 2] ∪ [3, 7/2) ∪ {5}; or"
        ' "no solution" if no k is right; or "all real numbers" if every k is',
    )


def steps(equation: Equation) -> list[str]:
    """Where the kind of equation changes, and how many solutions there are at and between them."""
    nodes = _nodes(equation) or []
    lines = []
    if any(equation.square):
        lines.append(f"Discriminant: {powers(_untopped(_discriminant(equation)), 'k')}")
    lines.append(f"The number of solutions may change at k = {', '.join(map(str, nodes))}")
    if not nodes:
        lines[-1] = "The number of solutions never changes"
    for node in nodes:
        lines.append(f"k = {node}: {SAID[_count(equation, node)]}")
    for low, high in pairwise([None, *nodes, None]):
        start, end = "-∞" if low is None else low, "∞" if high is None else high
        lines.append(f"k in ({start}, {end}): {SAID[_count(equation, _inside(low, high))]}")
    found = solve(equation)
    assert found is not None
    return [*lines, answers.Intervals("k").write(found)]


def hardness(equation: Equation) -> float:
    parts = (equation.square, equation.linear, equation.constant)
    depends = sum(sum(1 for one in part if one) * len(part) for part in parts)
    digits = sum(len(str(one)) for part in parts for one in part)
    turning = sum(len(part) for part in _turning(equation))
    return 3.0 * depends + digits + 6 * turning


def slips(rng: Random, equation: Equation, gold: Union) -> Iterator[Union]:
    """A place where the number of solutions changes has the wrong sign, or is miscalculated; or
    what holds there, or between two places, is mistaken."""
    nodes = _nodes(equation) or [Fraction(0)]
    at = [_count(equation, node) == equation.wanted for node in nodes]
    between = [
        _count(equation, _inside(low, high)) == equation.wanted
        for low, high in pairwise([None, *nodes, None])
    ]
    for _ in range(SLIPS):
        place, draw = rng.randrange(len(nodes)), rng.random()
        if draw < 0.15:
            at[place] = not at[place]
        elif draw < 0.3:
            between = [not each for each in between]
        else:
            node = nodes[place]
            node = -node if draw < 0.36 else node + rng.choice((-1, 1)) * rng.randint(1, 4)
            nodes = sorted([*nodes[:place], node, *nodes[place + 1 :]])
        if len(set(nodes)) == len(nodes):
            ends = zip(pairwise([None, *nodes, None]), between, strict=True)
            parts = [span(low, False, high, False) for (low, high), holds in ends if holds]
            parts += [point(node) for node, holds in zip(nodes, at, strict=True) if holds]
            found = union(part for part in parts if part is not None)
            if (found and found != ALL) or rng.random() < EMPTY:
                yield found


def _drawn(rng: Random, knobs: Knobs, shape: str, wanted: str) -> Equation | None:
    """Coefficients such that the discriminant has rational roots, more often than not."""
    most = knobs.number
    if shape in ("line", "lines"):
        return _line(rng, most, shape, rng.choice(("none", "one", "all")))
    one = drawn(rng, 3)
    if shape == "constant":  # a x^2 + b x + k
        return Equation((one,), (2 * drawn(rng, most),), (drawn(rng, 2), drawn(rng, most)), wanted)
    if shape == "middle":  # a x^2 + (k + m) x + a n^2
        root = rng.randint(1, most)
        slope: Poly = (drawn(rng, 2), drawn(rng, most) if rng.random() < 0.85 else 0)
        return Equation((abs(one),), slope, (abs(one) * root * root,), wanted)
    low, high = drawn(rng, most), drawn(rng, most)
    if shape == "both":  # x^2 + 2(k + m) x + (pk + q), discriminant 4(k - low)(k - high)
        shift = drawn(rng, most)
        inner = times((1, shift), (1, shift))
        rest = plus(inner, times((-1,), times((1, -low), (1, -high))))
        return Equation((1,), (2, 2 * shift), _untopped(rest), wanted)
    zero = drawn(rng, most)
    if shape == "leading":  # (k - zero) x^2 + 2 b x + (c k + d)
        square: Poly = (1, -zero)
        half = drawn(rng, most)
        # half^2 - (k - zero)(c k + d) is to have the root low
        share = Fraction(half * half, low - zero) if low != zero else None
        if share is None or share.denominator > 1:
            return None
        rise = drawn(rng, 2)
        return Equation(square, (2 * half,), _untopped((rise, int(share) - rise * low)), wanted)
    # all three have the root zero: infinitely many solutions there
    square = times((1, -zero), (1, -low)) if rng.random() < 0.5 else (1, -zero)
    middle: Poly = times((2 * drawn(rng, 2),), times((1, -zero), (1, -high)))
    rest = times((1, -zero), (drawn(rng, 3), drawn(rng, most)))
    middle = middle if rng.random() < 0.7 else (2 * one, -2 * one * zero)
    return Equation(square, middle, rest, wanted)


def _line(rng: Random, most: int, shape: str, wanted: str) -> Equation:
    """A(k) x + C(k) = 0, where A and C may be 0 at the same k."""
    low, high, other = (drawn(rng, most) for _ in range(3))
    if shape == "line":
        return Equation((), (rng.randint(1, 3), drawn(rng, most)), (drawn(rng, most),), wanted)
    linear = times((1, -low), (1, -high))
    constant = times((drawn(rng, 3),), times((1, -rng.choice((low, high))), (1, -other)))
    if rng.random() < 0.5:
        constant = times((drawn(rng, 3),), (1, -rng.choice((low, high, other))))
    return Equation((), linear, constant, wanted)


def _nodes(equation: Equation) -> list[Fraction] | None:
    """Where the number of solutions may change; None where that is irrational, or far away."""
    found: set[Fraction] = set()
    for part in _turning(equation):
        roots = rational_roots(part)
        if roots is None or (len(roots[1]) > 1 and real_roots(roots[1])):
            return None
        found |= {root for root, _ in roots[0]}
    far = any(root.denominator > BELOW or abs(root) > FARTHEST for root in found)
    return None if far else sorted(found)


def _turning(equation: Equation) -> list[Poly]:
    """What must be 0 for the number of solutions to change."""
    parts = (
        [equation.square, _discriminant(equation)] if any(equation.square) else [equation.linear]
    )
    return [part for part in map(trimmed, parts) if len(part) > 1]


def _discriminant(equation: Equation) -> Poly:
    square = times(equation.linear, equation.linear) if equation.linear else (0,)
    other = product([(-4,), equation.square or (0,), equation.constant or (0,)])
    return plus(square, other)


def _count(equation: Equation, value: Fraction) -> str:
    """How many solutions there are for one k, by the formulas."""
    a, b, c = (at(part, value) for part in _parts(equation))
    if not a:
        return "one" if b else "none" if c else "all"
    inner = b * b - 4 * a * c
    return "none" if inner < 0 else "two" if inner else "one"


def _counted(equation: Equation, value: Fraction) -> str:
    """The same by Sturm's theorem."""
    numbers = [at(part, value) for part in _parts(equation)]
    scale = 1
    for number in numbers:
        scale *= number.denominator
    whole = tuple(int(number * scale) for number in numbers)
    if not any(whole):
        return "all"
    return ("none", "one", "two")[real_roots(whole)]


def _parts(equation: Equation) -> Coefficients:
    return equation.square, equation.linear, equation.constant


def _scanned(polynomials: Sequence[Poly]) -> set[Fraction] | None:
    """The real roots of all, found by trying small fractions; None where some are not found."""
    everything: set[Fraction] = set()
    for polynomial in polynomials:
        wanted = real_roots(polynomial)
        found: set[Fraction] = set()
        for below in range(1, BELOW + 1):
            for above in range(-FARTHEST * below, FARTHEST * below + 1):
                if len(found) == wanted:
                    break
                if gcd(above, below) == 1 and not _whole_at(polynomial, above, below):
                    found.add(Fraction(above, below))
        if len(found) < wanted:
            return None
        everything |= found
    return everything


def _whole_at(polynomial: Poly, above: int, below: int) -> int:
    whole, power = 0, 1
    for coefficient in polynomial:
        whole = whole * above + coefficient * power
        power *= below
    return whole


def _untopped(polynomial: Poly) -> Poly:
    """Without zeros in front."""
    start = next((place for place, one in enumerate(polynomial) if one), len(polynomial))
    return polynomial[start:]


def _inside(low: Fraction | None, high: Fraction | None) -> Fraction:
    if low is None:
        return Fraction(0) if high is None else high - 1
    return low + 1 if high is None else (low + high) / 2


def _told(equation: Equation) -> bool:
    parts = (equation.square, equation.linear, equation.constant)
    return any(one >= 2 for part in parts for one in part)


def _text(equation: Equation) -> str:
    """(k - 2)x^2 + (3k + 1)x - 5 = 0"""
    text = ""
    for part, name in zip(_parts(equation), ("x^2", "x", "")):
        terms = [one for one in part if one]
        if not terms:
            continue
        if len(terms) == 1 or not name:
            shown = powers(part, "k") if len(part) > 1 else None
            number = terms[0]
            if shown is None:
                shown = total([(number, name)])
            elif len(terms) == 1:
                shown += f"*{name}" if name else ""
        else:
            shown = f"({powers(part, 'k')}){name}"
        if not text:
            text = shown
        else:
            text += f" - {shown[1:]}" if shown.startswith("-") else f" + {shown}"
    return f"{text} = 0"


SHAPES = ("line", "constant", "middle", "both", "lines", "leading", "all")
QUESTIONS = ("one", "two", "none")
SAID = {"none": "no solution", "one": "one solution", "two": "two", "all": "infinitely many"}
NOTE = (
    "\n\nFor a value of k that makes the coefficient of x^2 zero, the equation that remains still"
    " counts: it may have solutions."
)
ALL: Union = ((None, False, None, False),)
TRIES = 80
EMPTY = 0.15  # of equations for which no k or every k is the answer, how many stay
BELOW = 24  # the largest denominator of a k at which something changes, and the largest k
FARTHEST = 300
SLIPS = 20
LADDER = (
    Knobs(2, 0, 9, 1),
    Knobs(3, 1, 18, 3),
    Knobs(5, 2, 18, 3),
    Knobs(7, 4, 18, 3),
    Knobs(7, 6, 18, 3),
)
FAMILY = Family(
    Equation,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Intervals("k"),
    hardness=hardness,
    proof="unique",
    solver="all k at which something changes, and one k between each two of them",
    guess_rate=0.12,
    steps=steps,
    inputs=("square", "linear", "constant"),
    slips=slips,
    slips_version=2,
    skills=("equations", "inequalities", "polynomials"),
    version=3,
)
