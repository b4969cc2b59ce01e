"""Absolute value equation: sums of absolute values, and absolute values within one another.

There may be no solution and there may be eight; never infinitely many. `solve` finds the bends of
both sides from the innermost absolute value outwards and the zeros between neighbouring bends;
`verify` takes every choice of signs for the absolute values and keeps what satisfies the equation.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, product
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers import SolutionSet
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.algebra._terms import Sum, Term, drawn, numbers_of, rational, written


@dataclass(frozen=True, slots=True)
class Knobs:
    bars: int  # absolute values that are added up
    depth: int  # of absolute values within one another
    number: int  # the largest, but for the one that makes a drawn number a solution
    slope: int  # the largest multiple of the unknown outside


@dataclass(frozen=True, slots=True)
class Equation:
    left: Sum  # what is in brackets in the tree is within an absolute value
    right: Sum


def generate(rng: Random, knobs: Knobs) -> Equation | None:
    deep = rng.randrange(knobs.bars)
    left = [_bar(rng, knobs.depth if place == deep else 1) for place in range(knobs.bars)]
    right: list[Term] = [(1, 1, "")]
    if knobs.slope and rng.random() < OUTSIDE:
        right.insert(0, (1, 1, "x"))
    return _filled(rng, knobs, Equation(tuple(left), tuple(right)))


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(equation: Equation) -> SolutionSet | None:
    found = _zeros((*equation.left, *_negated(equation.right)))
    return None if found is None or len(found) > MOST else rational(found)


def verify(equation: Equation, answer: SolutionSet) -> float:
    whole = (*equation.left, *_negated(equation.right))
    found = set()
    for signs in product((1, -1), repeat=_bars(whole)):
        factor, number = _signed(whole, iter(signs))
        if factor and _value(whole, -number / factor) == 0:
            found.add(-number / factor)
    return float(answer == rational(found))


def render(equation: Equation, style: Style) -> Prompt:
    nested = _depth(equation.left) > 1
    marks = ("abs(", ")") if nested else ("|", "|")
    text = f"{written(equation.left, 'x', marks)} = {written(equation.right, 'x', marks)}"
    note = " Here abs(t) is the absolute value of t." if nested else ""
    return Prompt(
        style.pick(
            f"Find all real numbers x with\n\n{text}{note and chr(10) * 2 + note.strip()}",
            f"Solve the equation {text} over the real numbers.{note}",
            f"Which real numbers x satisfy this equation?{note}\n\n{text}",
            f"Determine every real solution of the equation\n\n{text}{note and '.' + note}",
        ),
        form=answers.Solutions().form,
    )


def steps(equation: Equation) -> list[str]:
    """The bends, then the equation between them."""
    whole = (*equation.left, *_negated(equation.right))
    bends = _bends(whole) or []
    lines = [f"Signs change at x = {', '.join(map(str, bends))}"]
    for low, high in pairwise([None, *bends, None]):
        one, two = _within(low, high)
        first, second = _value(whole, one), _value(whole, two)
        factor = (second - first) / (two - one)
        number = first - factor * one
        line = written(_line(factor, number), "x")
        part = (f"For {low} ≤ x" if low is not None else "For x") + (
            f" ≤ {high}" if high is not None else ""
        )
        part = part if low is not None or high is not None else "For all x"
        if not factor:
            lines.append(f"{part}: {line} = 0 has no solution")
            continue
        root = -number / factor
        fits = (low is None or low <= root) and (high is None or root <= high)
        lines.append(f"{part}: {line} = 0, x = {root}{'' if fits else ', which lies outside'}")
    return lines


def hardness(equation: Equation) -> float:
    bars = _bars(equation.left)
    return 4 * bars * _depth(equation.left) + numbers_of(equation.left + equation.right)


def slips(rng: Random, equation: Equation, gold: SolutionSet) -> Iterator[SolutionSet]:
    """The constants wrongly added up, to another number that has a solution like those of gold."""
    likes = [root for number in gold.numbers if (root := number.at()) is not None] or [Fraction(0)]
    *slope, _ = equation.right
    for _ in range(SLIPS):
        wanted = Fraction(round(rng.choice(likes)) + rng.randint(-3, 3))
        number = _value(equation.left, wanted) - _value(tuple(slope), wanted)
        number = -number if rng.random() < 0.1 else number
        found = solve(replace(equation, right=(*slope, (int(number), 1, ""))))
        if found is None or (len(found.numbers) <= 2 < len(gold.numbers)):
            continue
        likes = [root for each in found.numbers if (root := each.at()) is not None] or likes
        yield found


def twin(rng: Random, knobs: Knobs, equation: Equation) -> Equation | None:
    return _filled(rng, knobs, equation)


def _bar(rng: Random, depth: int) -> Term:
    inner: list[Term] = [_bar(rng, depth - 1) if depth > 1 else (1, 1, "x"), (1, 1, "")]
    if depth > 1 and rng.random() < 0.4:
        inner.insert(1, (1, 1, "x"))
    return (1, 1, tuple(inner))


def _filled(rng: Random, knobs: Knobs, shape: Equation) -> Equation | None:
    """New numbers; most of the time such that a drawn number is a solution."""
    for _ in range(TRIES):
        left = _numbered(rng, knobs, shape.left)
        right = [
            (drawn(rng, knobs.slope if thing else knobs.number * 2), 1, thing)
            for _, _, thing in shape.right
        ]
        if rng.random() < SOLVED:
            wanted = Fraction(drawn(rng, knobs.number))
            number = _value(left, wanted) - (right[0][0] * wanted if len(right) > 1 else 0)
            right[-1] = (int(number), 1, "")
        if not right[-1][0] or (len(right) < 2 and right[-1][0] < 0 and rng.random() < 0.8):
            continue
        made = replace(shape, left=left, right=tuple(right))
        answer = solve(made)
        if answer is None or not _told(made):
            continue
        if len(answer.numbers) > 2 or rng.random() < (FEW if knobs.depth > 1 else 1):
            return made
    return None


def _numbered(rng: Random, knobs: Knobs, terms: Sum, top: bool = True) -> Sum:
    found: list[Term] = []
    for place, (_, _, thing) in enumerate(terms):
        if thing == "":
            number = drawn(rng, knobs.number)
            folded = any(not isinstance(term[2], str) for term in terms)
            found.append((-abs(number) if folded else number, 1, thing))
        elif thing == "x":
            found.append((drawn(rng, 1 + knobs.number // 4), 1, thing))
        else:
            number = rng.randint(1, 1 + knobs.number // 5 if top else 2)
            if rng.random() < (0.3 if place or not top else 0):
                number = -number
            assert not isinstance(thing, str)
            found.append((number, 1, _numbered(rng, knobs, thing, False)))
    return tuple(found)


def _told(equation: Equation) -> bool:
    """Whether the prompt tells a number of 2 or more as it is."""
    return any(value >= 2 for value in _positive(equation.left + equation.right))


def _positive(terms: Sum) -> Iterator[int]:
    for above, _, thing in terms:
        yield above
        if not isinstance(thing, str):
            yield from _positive(thing)


def _negated(terms: Sum) -> Sum:
    return tuple((-above, below, thing) for above, below, thing in terms)


def _value(terms: Sum, unknown: Fraction) -> Fraction:
    found = Fraction(0)
    for above, _, thing in terms:
        if isinstance(thing, str):
            found += above * unknown if thing else above
        else:
            found += above * abs(_value(thing, unknown))
    return found


def _bends(terms: Sum) -> list[Fraction] | None:
    """Where an absolute value within a sum is 0; None where one is 0 over an interval."""
    found: set[Fraction] = set()
    for _, _, thing in terms:
        if not isinstance(thing, str):
            inner, zeros = _bends(thing), _zeros(thing)
            if inner is None or zeros is None:
                return None
            found |= {*inner, *zeros}
    return sorted(found)


def _zeros(terms: Sum) -> set[Fraction] | None:
    """Where a sum is 0: between two bends it is a line; None where it is 0 over an interval."""
    bends = _bends(terms)
    if bends is None:
        return None
    found = set()
    for low, high in pairwise([None, *bends, None]):
        one, two = _within(low, high)
        first, second = _value(terms, one), _value(terms, two)
        if first == second:
            if not first:
                return None
            continue
        zero = one - first * (two - one) / (second - first)
        if (low is None or low <= zero) and (high is None or zero <= high):
            found.add(zero)
    return found


def _within(low: Fraction | None, high: Fraction | None) -> tuple[Fraction, Fraction]:
    """Two numbers of an interval."""
    if low is None:
        return (Fraction(0), Fraction(1)) if high is None else (high - 1, high)
    return low, low + 1 if high is None else high


def _signed(terms: Sum, signs: Iterator[int]) -> tuple[Fraction, Fraction]:
    """The line that a sum is if each absolute value is its inside times a sign."""
    factor = number = Fraction(0)
    for above, _, thing in terms:
        if isinstance(thing, str):
            factor, number = factor + above * (thing == "x"), number + above * (thing == "")
        else:
            sign = next(signs)
            inner = _signed(thing, signs)
            factor, number = factor + above * sign * inner[0], number + above * sign * inner[1]
    return factor, number


def _bars(terms: Sum) -> int:
    return sum(1 + _bars(thing) for _, _, thing in terms if not isinstance(thing, str))


def _depth(terms: Sum) -> int:
    return max(
        (1 + _depth(thing) for _, _, thing in terms if not isinstance(thing, str)), default=0
    )


def _line(factor: Fraction, number: Fraction) -> Sum:
    parts: list[Term] = []
    if factor:
        parts.append((factor.numerator, factor.denominator, "x"))
    if number or not parts:
        parts.append((number.numerator, number.denominator, ""))
    return tuple(parts)


TRIES = 60
MOST = 12  # solutions
OUTSIDE = 0.75  # the share with the unknown outside, where there may be one
SOLVED = 0.9  # the share made for a solution
FEW = 0.15  # of those with up to two solutions, how many stay, where there may be more
SLIPS = 20
LADDER = (
    Knobs(1, 1, 9, 0),
    Knobs(1, 1, 15, 3),
    Knobs(2, 1, 15, 3),
    Knobs(2, 2, 18, 4),
    Knobs(3, 3, 24, 6),
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
    solver="zeros between neighbouring bends, from the innermost absolute value outwards",
    guess_rate=0.12,
    steps=steps,
    inputs=("left", "right"),
    twin=twin,
    slips=slips,
    slips_version=2,
    skills=("equations", "functions", "calculation"),
)
