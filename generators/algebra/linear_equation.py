"""Linear equation: one unknown on both sides, in nested brackets and fractions.

`solve` multiplies out and collects each side into a multiple of the unknown and a number; `verify`
puts the value in for the unknown and works both sides out.
"""

from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.algebra._terms import LETTERS, Sum, Term, drawn, numbers_of, written


@dataclass(frozen=True, slots=True)
class Knobs:
    terms: int  # of each side
    brackets: int  # in all
    depth: int  # of brackets within brackets
    number: int  # the largest coefficient
    below: int  # the largest denominator; 1: no fractions
    denominator: int  # of the solution, at most


@dataclass(frozen=True, slots=True)
class Equation:
    unknown: str
    left: Sum
    right: Sum


def generate(rng: Random, knobs: Knobs) -> Equation | None:
    """Both sides are drawn, then the solution, and one number makes it one."""
    sides: list[list[Term]] = [[(1, 1, "x")], [(1, 1, "")]]
    for place in range(2, 2 * knobs.terms if knobs.terms > 1 else 3):
        sides[place % 2].append((1, 1, "x" if rng.random() < 0.55 else ""))
    for count in range(knobs.brackets):
        sides[count % 2].append(_bracket(rng, knobs.depth))
    for side in sides:
        rng.shuffle(side)
    rng.shuffle(sides)
    shape = tuple(map(tuple, sides))
    return _filled(rng, knobs, Equation(rng.choice(LETTERS), shape[0], shape[1]))


def solve(equation: Equation) -> Fraction | None:
    left, right = _collected(equation.left), _collected(equation.right)
    if left[0] == right[0]:
        return None
    return (right[1] - left[1]) / (left[0] - right[0])


def verify(equation: Equation, answer: Fraction) -> float:
    return float(_value(equation.left, answer) == _value(equation.right, answer))


def render(equation: Equation, style: Style) -> Prompt:
    name = equation.unknown
    text = f"{written(equation.left, name)} = {written(equation.right, name)}"
    return Prompt(
        style.pick(
            f"Solve for {name}:\n\n{text}",
            f"Find the value of {name} for which\n\n{text}",
            f"The number {name} satisfies the equation\n\n{text}\n\nWhat is {name}?",
            f"What is the solution of the equation {text} in the unknown {name}?",
        ),
        form=answers.Number().form,
    )


def steps(equation: Equation) -> list[str]:
    """Brackets from the innermost outwards, then both sides, then the unknown."""
    name = equation.unknown
    lines: list[str] = []
    for side in (equation.left, equation.right):
        for inner in _brackets(side):
            lines.append(f"{written(inner, name)} = {_line(_collected(inner), name)}")
    left, right = _collected(equation.left), _collected(equation.right)
    lines = [line for line in lines if len(set(line.split(" = "))) > 1]
    lines.append(f"{_line(left, name)} = {_line(right, name)}")
    factor, number = left[0] - right[0], right[1] - left[1]
    lines.append(f"{_line((factor, Fraction(0)), name)} = {number}")
    return [*lines, f"{name} = {number / factor}"]


def progress(equation: Equation, lines: Lines) -> float:
    return results_derived(FAMILY, equation, lines)


def hardness(equation: Equation) -> float:
    """Numbers to be worked out; each counts more within brackets."""
    return float(_weight(equation.left, 1) + _weight(equation.right, 1))


def twin(rng: Random, knobs: Knobs, equation: Equation) -> Equation | None:
    return _filled(rng, knobs, equation)


def renamed(rng: Random, knobs: Knobs, equation: Equation) -> Equation:
    return replace(equation, unknown=rng.choice(LETTERS.replace(equation.unknown, "")))


def canon(equation: Equation) -> list[Sum]:
    return sorted((equation.left, equation.right), key=repr)


def _bracket(rng: Random, depth: int) -> Term:
    """A bracket with the unknown and a number in it, and brackets within as deep as that."""
    inner: list[Term] = [(1, 1, ""), _bracket(rng, depth - 1) if depth > 1 else (1, 1, "x")]
    if depth > 1 and rng.random() < 0.4:
        inner.append((1, 1, "x"))
    rng.shuffle(inner)
    return (1, 1, tuple(inner))


def _filled(rng: Random, knobs: Knobs, shape: Equation) -> Equation | None:
    """New numbers, for a solution that is drawn too."""
    limit = max(knobs.below, knobs.denominator if knobs.below > 1 else 1)
    for _ in range(TRIES):
        sides = [list(_numbered(rng, knobs, side)) for side in (shape.left, shape.right)]
        factors = [_collected(tuple(side)) for side in sides]
        if factors[0][0] == factors[1][0]:
            continue
        places = [(s, p) for s in (0, 1) for p, term in enumerate(sides[s]) if term[2] == ""]
        side, place = rng.choice(places)
        above, below, _ = sides[side][place]
        factor, rest = factors[0][0] - factors[1][0], factors[0][1] - factors[1][1]
        for _ in range(VALUES):
            wanted = Fraction(drawn(rng, knobs.number), rng.randint(1, knobs.denominator))
            apart = factor * wanted + rest
            number = Fraction(above, below) + (apart if side else -apart)
            if number and number.denominator <= limit and abs(number) <= LARGEST * knobs.number:
                break
        else:
            continue
        sides[side][place] = (number.numerator, number.denominator, "")
        made = replace(shape, left=tuple(sides[0]), right=tuple(sides[1]))
        if max(_largest(made.left), _largest(made.right)) >= 2:
            return made
    return None


def _numbered(rng: Random, knobs: Knobs, terms: Sum) -> Sum:
    found: list[Term] = []
    for _, _, thing in terms:
        number = drawn(rng, knobs.number if thing == "" or not isinstance(thing, str) else 9)
        below = rng.randint(2, knobs.below) if knobs.below > 1 and rng.random() < 0.5 else 1
        if isinstance(thing, str):
            if thing and len(terms) > 1 and rng.random() < 0.2:
                number = 1
            whole = Fraction(number, below if thing and rng.random() < 0.5 else 1)
            found.append((whole.numerator, whole.denominator, thing))
        else:
            outer = Fraction(drawn(rng, 9, 2), below)
            outer = 2 * outer if abs(outer) == 1 else outer  # no bracket without a cause
            inner = _numbered(rng, knobs, thing)
            found.append((outer.numerator, outer.denominator, inner))
    return tuple(found)


def _collected(terms: Sum) -> tuple[Fraction, Fraction]:
    """The multiple of the unknown and the number that a sum comes to."""
    factor = number = Fraction(0)
    for above, below, thing in terms:
        by = Fraction(above, below)
        if isinstance(thing, str):
            factor, number = factor + by * (thing == "x"), number + by * (thing == "")
        else:
            inner = _collected(thing)
            factor, number = factor + by * inner[0], number + by * inner[1]
    return factor, number


def _value(terms: Sum, unknown: Fraction) -> Fraction:
    found = Fraction(0)
    for above, below, thing in terms:
        if isinstance(thing, str):
            inner = unknown if thing else Fraction(1)
        else:
            inner = _value(thing, unknown)
        found += inner * above / below
    return found


def _brackets(terms: Sum) -> list[Sum]:
    """The sums in brackets, inner ones first, where there is another bracket in them."""
    found: list[Sum] = []
    for _, _, thing in terms:
        if not isinstance(thing, str):
            deeper = _brackets(thing)
            found += deeper
            if any(not isinstance(term[2], str) for term in thing):
                found.append(thing)
    return found


def _line(collected: tuple[Fraction, Fraction], name: str) -> str:
    factor, number = collected
    parts: list[Term] = []
    if factor:
        parts.append((factor.numerator, factor.denominator, "x"))
    if number or not parts:
        parts.append((number.numerator, number.denominator, ""))
    return written(tuple(parts), name)


def _weight(terms: Sum, depth: int) -> int:
    own = depth * numbers_of(terms)
    return own + sum(
        _weight(thing, depth + 1) for _, _, thing in terms if not isinstance(thing, str)
    )


def _largest(terms: Sum) -> int:
    """The largest number that is shown as it is."""
    return max(
        max(above, below, 0 if isinstance(thing, str) else _largest(thing))
        for above, below, thing in terms
    )


TRIES = 30
VALUES = 12  # that are tried as the solution
LARGEST = 30  # times the largest coefficient: the number that makes the solution one
LADDER = (
    Knobs(1, 0, 1, 9, 1, 1),
    Knobs(2, 1, 1, 9, 1, 1),
    Knobs(2, 2, 2, 12, 3, 2),
    Knobs(3, 3, 3, 15, 4, 4),
    Knobs(4, 5, 4, 20, 4, 6),
)
FAMILY = Family(
    Equation,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="brackets multiplied out and like terms collected",
    guess_rate=0.12,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("left", "right"),
    twin=twin,
    renamed=renamed,
    skills=("equations", "fractions", "calculation"),
    peers=("reasoning-gym/simple_equations", "mathematics_dataset/linear_1d"),
)
