"""Identity: which of some equations between polynomials in a few letters fails, and where.

`solve` multiplies everything out, which decides whether two sides are the same polynomial, and so
the same for all numbers; where they are not, it looks for small numbers that show it. `verify` puts
numbers in; "impossible" it believes when both sides agree on a grid with more values for each
letter than the degree, which fixes a polynomial.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product
from operator import add
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.statements._claims import KIND, Answer, asked, broken, mixed, read

Formula: TypeAlias = Any  # a letter, a whole number, or (sign, formula, formula)
Claim: TypeAlias = tuple[Formula, Formula]
Expanded: TypeAlias = dict[tuple[int, ...], int]  # exponents of the letters, and a number


@dataclass(frozen=True, slots=True)
class Knobs:
    claims: int  # to choose from
    letters: int  # in the equations
    degree: int  # of either side, at most
    steps: int  # by which one side is turned into the other
    number: int  # the largest


@dataclass(frozen=True, slots=True)
class Claims:
    letters: int
    claims: tuple[Claim, ...]


def generate(rng: Random, knobs: Knobs) -> Claims | None:
    """Both sides from one pattern; in the false claim one number or sign of it is another."""
    names = LETTERS[: knobs.letters]

    def kernel(claim: Claim) -> str:
        return _kernel(claim, names)

    def true() -> Claim | None:
        left, right = _pattern(rng, knobs, names)
        claim = (left, right) if rng.random() < 0.5 else (right, left)
        fits = _degree(left) <= knobs.degree + 1 and not _apart(claim, names)
        return claim if fits and left != right else None

    def false() -> Claim | None:
        claim = true()
        if claim is None:
            return None
        # Of some changes, the one that shows least: any numbers would do as a counterexample
        # where the two sides are never equal.
        made = list[Claim]()
        for _ in range(CHANGES):
            place = rng.randrange(2)
            changed = _changed(rng, claim[place])
            made.append((changed, claim[1]) if place == 0 else (claim[0], changed))
        made = [one for one in dict.fromkeys(made) if _apart(one, names)]
        best = max(made, key=lambda one: _equal(one, names), default=None)
        return best if best and _equal(best, names) >= OFTEN else None

    found = mixed(rng, knobs.claims, true, false, kernel)
    return Claims(knobs.letters, found) if found else None


def solve(claims: Claims) -> Answer | None:
    """Multiplying out."""
    names = LETTERS[: claims.letters]

    def counterexample(claim: Claim) -> dict[str, int] | None:
        apart = _apart(claim, names)
        if not apart:
            return None
        for numbers in product(range(4), repeat=len(names)):
            if sum(n * _powers(numbers, ups) for ups, n in apart.items()):
                return dict(zip(names, numbers))
        return {name: 10 ** (3 * 12**place) for place, name in enumerate(names)}

    return broken(claims.claims, counterexample)


def verify(claims: Claims, answer: Answer) -> float:
    names = LETTERS[: claims.letters]
    if isinstance(answer, answers.Impossible):
        return float(all(_always(claim, names) for claim in claims.claims))
    found = read(answer, len(claims.claims), 10**200)
    if found is None or set(found[1]) != set(names):
        return 0.0
    left, right = claims.claims[found[0]]
    return float(_value(left, found[1]) != _value(right, found[1]))


def recheck(claims: Claims, answer: Answer) -> bool:
    """By sympy."""
    from sympy import Poly, symbols

    names = LETTERS[: claims.letters]
    letters = dict(zip(names, symbols(" ".join(names))))

    def gap(claim: Claim) -> Any:
        one, other = (_value(side, letters) for side in claim)
        return Poly(one - other, *letters.values())

    if isinstance(answer, answers.Impossible):
        return all(gap(claim).is_zero for claim in claims.claims)
    values = dict(answer)
    place = values.pop("claim", None)
    if place is None or place not in range(1, len(claims.claims) + 1) or set(values) != set(names):
        return False
    if any(value.denominator > 1 for value in values.values()):
        return False
    return bool(gap(claims.claims[int(place) - 1])(*(int(values[name]) for name in names)) != 0)


def render(claims: Claims, style: Style) -> Prompt:
    names = LETTERS[: claims.letters]
    example = ", ".join(["claim = 2", *(f"{name} = {5 + 3 * at}" for at, name in enumerate(names))])
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    return asked(
        style,
        f"Each claim says that an equation holds for all integers {listed}.",
        [f"{_text(left)} = {_text(right)}" for left, right in claims.claims],
        example,
    )


def steps(claims: Claims) -> list[str]:
    names = LETTERS[: claims.letters]
    lines = []
    for place, claim in enumerate(claims.claims, 1):
        apart = _apart(claim, names)
        shown = _shown(apart, names) if apart else "0"
        lines.append(f"Claim {place}: left side minus right side, multiplied out, is {shown}")
    return lines


def hardness(claims: Claims) -> float:
    names = LETTERS[: claims.letters]
    return sum(
        len(_expanded(left, names)) + len(_text(left)) + len(_text(right))
        for left, right in claims.claims
    )


def canon(claims: Claims) -> list[str]:
    return sorted(f"{left} {right}" for left, right in claims.claims)


def _kernel(claim: Claim, names: str) -> str:
    """Both sides multiplied out, whichever is first and whatever the letters are called."""
    sides = [_expanded(side, names) for side in claim]
    renamed = (
        sorted(
            sorted((tuple(ups[at] for at in order), n) for ups, n in side.items()) for side in sides
        )
        for order in permutations(range(len(names)))
    )
    return str(min(renamed))


def _pattern(rng: Random, knobs: Knobs, names: str) -> Claim:
    """Two sides that are equal for all numbers."""
    a, b, c = (_linear(rng, knobs, names) for _ in range(3))
    while b == a:
        b = _linear(rng, knobs, names)
    while c in (a, b):
        c = _linear(rng, knobs, names)
    square_a, square_b = ("^", a, 2), ("^", b, 2)
    shapes: list[Claim] = [
        (("^", ("+", a, b), 2), ("+", ("+", square_a, ("*", 2, ("*", a, b))), square_b)),
        (("-", square_a, square_b), ("*", ("-", a, b), ("+", a, b))),
        (
            ("-", ("^", ("+", a, b), 2), ("^", ("-", a, b), 2)),
            ("*", 4, ("*", a, b)),
        ),
        (("*", a, ("+", b, c)), ("+", ("*", a, b), ("*", a, c))),
        (
            ("+", ("^", ("+", a, b), 2), ("^", ("-", a, b), 2)),
            ("+", ("*", 2, square_a), ("*", 2, square_b)),
        ),
    ]
    cubes: list[Claim] = [
        (
            ("-", ("^", a, 3), ("^", b, 3)),
            ("*", ("-", a, b), ("+", ("+", square_a, ("*", a, b)), square_b)),
        ),
        (
            ("^", ("-", a, b), 3),
            ("-", ("-", ("^", a, 3), ("^", b, 3)), ("*", 3, ("*", ("*", a, b), ("-", a, b)))),
        ),
        (
            ("+", ("*", square_a, ("-", b, c)), ("*", square_b, ("-", c, a))),
            ("-", ("*", ("-", a, b), ("*", ("-", b, c), ("-", a, c))),
             ("*", ("^", c, 2), ("-", a, b))),
        ),
    ]  # fmt: skip
    fourths: list[Claim] = [
        (
            ("-", ("^", a, 4), ("^", b, 4)),
            ("*", ("*", ("-", a, b), ("+", a, b)), ("+", square_a, square_b)),
        ),
        (
            ("*", ("+", square_a, square_b), ("+", ("^", c, 2), 1)),
            ("+", ("^", ("-", ("*", a, c), b), 2), ("^", ("+", a, ("*", b, c)), 2)),
        ),
        (
            ("+", ("^", a, 4), ("*", 4, ("^", b, 4))),
            ("*", ("+", ("^", ("+", a, b), 2), square_b), ("+", ("^", ("-", a, b), 2), square_b)),
        ),
    ]
    pools = {2: shapes, 3: [*shapes, *cubes], 4: [*cubes, *fourths, *shapes[:2]]}
    left, right = rng.choice(pools[knobs.degree])
    for _ in range(knobs.steps):
        left, right = _moved(rng, left, names), _moved(rng, right, names)
    return left, right


def _linear(rng: Random, knobs: Knobs, names: str) -> Formula:
    """A letter, a multiple of one, or a sum of two such."""
    one = _term(rng, knobs, rng.choice(names))
    if rng.random() < 0.5:
        return one
    rest = [name for name in names if name not in str(one)]
    other = _term(rng, knobs, rng.choice(rest)) if rng.random() < 0.6 else _number(rng, knobs)
    return (rng.choice("+-"), one, other)


def _number(rng: Random, knobs: Knobs) -> int:
    return rng.randint(1, knobs.number)


def _term(rng: Random, knobs: Knobs, name: str) -> Formula:
    number = rng.randint(1, knobs.number) if rng.random() < 0.5 else 1
    return name if number == 1 else ("*", number, name)


def _moved(rng: Random, formula: Formula, names: str) -> Formula:
    """An equal formula: two sides of a sum or product exchanged, or a product multiplied out."""
    if not isinstance(formula, tuple):
        return formula
    sign, one, other = formula
    if rng.random() < 0.5:
        one, other = _moved(rng, one, names), _moved(rng, other, names)
    elif sign in "+*" and not isinstance(one, int):
        return (sign, other, one) if not isinstance(other, int) else formula
    elif sign == "*" and isinstance(other, tuple) and other[0] in "+-":
        return (other[0], ("*", one, other[1]), ("*", one, other[2]))
    return (sign, one, other)


def _changed(rng: Random, formula: Formula) -> Formula:
    """Another number or sign in one place."""
    if isinstance(formula, int):
        # No 1 where none was: "1x" would tell which claim is false.
        return rng.choice([formula + 1, formula - 1 if formula > 2 else formula + 3, formula + 2])
    if isinstance(formula, str):
        return formula
    sign, one, other = formula
    if sign in "+-" and rng.random() < 0.25:
        return ("-" if sign == "+" else "+", one, other)
    if sign == "^" or (isinstance(one, tuple | int) and rng.random() < 0.5):
        return (sign, _changed(rng, one), other)
    return (sign, one, _changed(rng, other))


def _degree(formula: Formula) -> int:
    if not isinstance(formula, tuple):
        return int(isinstance(formula, str))
    sign, one, other = formula
    if sign == "^":
        return _degree(one) * int(other)
    degrees = _degree(one), _degree(other)
    return sum(degrees) if sign == "*" else max(degrees)


@lru_cache(maxsize=4096)
def _expanded(formula: Formula, names: str) -> Expanded:
    if isinstance(formula, int):
        return {(0,) * len(names): formula} if formula else {}
    if isinstance(formula, str):
        return {tuple(int(name == formula) for name in names): 1}
    sign, one, other = formula
    left = _expanded(one, names)
    if sign == "^":
        found = left
        for _ in range(other - 1):
            found = _multiplied(found, left)
        return found
    right = _expanded(other, names)
    return (
        _multiplied(left, right) if sign == "*" else _added(left, right, -1 if sign == "-" else 1)
    )


def _multiplied(one: Expanded, other: Expanded) -> Expanded:
    found: Expanded = {}
    for ups, left in one.items():
        for more, right in other.items():
            key = tuple(map(add, ups, more))
            found[key] = found.get(key, 0) + left * right
    return {key: number for key, number in found.items() if number}


def _added(one: Expanded, other: Expanded, times: int) -> Expanded:
    found = dict(one)
    for key, number in other.items():
        found[key] = found.get(key, 0) + times * number
    return {key: number for key, number in found.items() if number}


def _apart(claim: Claim, names: str) -> Expanded:
    return _added(_expanded(claim[0], names), _expanded(claim[1], names), -1)


def _equal(claim: Claim, names: str) -> float:
    """The share of small numbers for which a claim holds that does not hold for all."""
    columns = [
        [number * power for power in _small_powers(ups)]
        for ups, number in _apart(claim, names).items()
    ]
    totals = [*map(sum, zip(*columns, strict=True))]
    return totals.count(0) / len(totals)


@lru_cache(maxsize=256)
def _small_powers(ups: tuple[int, ...]) -> list[int]:
    return [_powers(numbers, ups) for numbers in product(SMALL, repeat=len(ups))]


def _powers(numbers: tuple[int, ...], ups: tuple[int, ...]) -> int:
    found = 1
    for number, up in zip(numbers, ups):
        found *= number**up
    return found


def _value(formula: Formula, values: Mapping[str, Any]) -> Any:
    if isinstance(formula, int):
        return formula
    if isinstance(formula, str):
        return values[formula]
    sign, left, right = formula
    one, other = _value(left, values), _value(right, values)
    match sign:
        case "+":
            return one + other
        case "-":
            return one - other
        case "*":
            return one * other
        case _:
            return one**other


def _always(claim: Claim, names: str) -> bool:
    """Whether both sides agree on a grid that fixes a polynomial of their degree."""
    size = max(map(_degree, claim)) + 1
    return all(
        _value(claim[0], values) == _value(claim[1], values)
        for numbers in product(range(size), repeat=len(names))
        if (values := dict(zip(names, numbers)))
    )


def _shown(apart: Expanded, names: str) -> str:
    found = ""
    for ups, number in sorted(apart.items(), reverse=True):
        thing = "*".join(name if up == 1 else f"{name}^{up}" for name, up in zip(names, ups) if up)
        size = "" if abs(number) == 1 and thing else str(abs(number))
        joint = (" - " if number < 0 else " + ") if found else "-" if number < 0 else ""
        found += f"{joint}{size}{thing}"
    return found


def _text(formula: Formula) -> str:
    if not isinstance(formula, tuple):
        return str(formula)
    sign, one, other = formula
    if sign == "^":
        return f"{_atom(one)}^{other}"
    if sign == "*":
        left, right = _factor(one), _factor(other)
        if isinstance(one, int) and not right[0].isdigit():
            return f"{left}{right}"
        return f"{left}*{right}"
    right = f"({_text(other)})" if sign == "-" and _is_sum(other) else _text(other)
    return f"{_text(one)} {sign} {right}"


def _is_sum(formula: Formula) -> bool:
    return isinstance(formula, tuple) and formula[0] in "+-"


def _factor(formula: Formula) -> str:
    return f"({_text(formula)})" if _is_sum(formula) else _text(formula)


def _atom(formula: Formula) -> str:
    return f"({_text(formula)})" if isinstance(formula, tuple) else _text(formula)


LETTERS = "xyz"
CHANGES = 12  # of which the one that shows least is taken
SMALL, OFTEN = (-2, -1, 0, 1, 2), 0.2  # a false claim holds for at least this share of them
LADDER = (
    Knobs(3, 2, 2, 0, 3),
    Knobs(4, 2, 2, 1, 5),
    Knobs(4, 2, 3, 2, 6),
    Knobs(5, 3, 3, 3, 7),
    Knobs(6, 3, 4, 4, 9),
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
    solver="multiplying out",
    guess_rate=0.4,
    recheck=recheck,
    steps=steps,
    canon=canon,
    skills=("polynomials", "factoring", "proof"),
    version=4,
)
