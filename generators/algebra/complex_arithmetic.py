"""Complex arithmetic: the value a + bi of an expression in complex numbers.

`solve` works it out with pairs of fractions. `verify` has neither pairs nor fractions: it counts
modulo a large prime, where -1 has a square root, and asks that the answer hold for both roots.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers import Expr
from puzzlemill.core.answers.algebra.exact import evaluate
from puzzlemill.core.answers.algebra.tree import IMAGINARY, Node, Tree, add, multiply
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived

Pair: TypeAlias = tuple[Fraction, Fraction]
Quotient: TypeAlias = tuple[int, int]
# (real, imaginary); or (sign, one, other), ("^", one, exponent), ("conj", one)
Part: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    numbers: int  # complex numbers in the expression
    size: int  # the largest part of one
    power: int  # the largest exponent; 1: no powers
    division: bool  # whether there is division
    conjugate: float  # how often a number stands under a bar


@dataclass(frozen=True, slots=True)
class Calculation:
    parts: Part


def generate(rng: Random, knobs: Knobs) -> Calculation | None:
    parts = _drawn(rng, knobs, knobs.numbers)
    if len(parts) == 2 and parts[0] != "conj":
        return None
    value = _value(parts)
    if value is None or not any(value) or any(_long(each) for each in value):
        return None
    return Calculation(parts) if _largest(parts) > 1 else None


def solve(calculation: Calculation) -> Expr | None:
    value = _value(calculation.parts)
    if value is None or any(_long(each, 40) for each in value):
        return None
    real, imaginary = value
    return Expr(add([real, multiply(imaginary, IMAGINARY)] if imaginary else [real]), "complex")


def verify(calculation: Calculation, answer: Expr) -> float:
    said = _pair(answer.tree)
    if said is None or any(_long(each, 60) for each in said):
        return 0.0
    both = _modulo(calculation.parts)
    if both is None:
        return 0.0
    real, imaginary = (each.numerator * pow(each.denominator, -1, PRIME) for each in said)
    return float(
        all(
            (above - (real + root * imaginary) * below) % PRIME == 0
            for root, (above, below) in zip((ROOT, -ROOT), both)
        )
    )


def render(calculation: Calculation, style: Style) -> Prompt:
    text = _text(calculation.parts)
    bar = "\n\nHere conj(z) is the complex conjugate of z." if "conj" in text else ""
    question = style.pick(
        f"Compute {text}, where i^2 = -1.",
        f"Write this complex number in the form a + bi with real numbers a and b:\n\n{text}",
        f"Let i be the imaginary unit. Evaluate\n\n{text}",
        f"What is the value of {text} as a real part plus an imaginary part times i?",
    )
    return Prompt(
        question + bar,
        form="one complex number a + bi, with a and b integers or fractions in lowest terms, such"
        " as -7 + 2i or 3/5 - 11i/10",
    )


def steps(calculation: Calculation) -> list[str]:
    """The value of each part, the innermost first."""
    lines: list[str] = []
    _told(calculation.parts, lines)
    return lines


def progress(calculation: Calculation, lines: Lines) -> float:
    return results_derived(FAMILY, calculation, lines)


def hardness(calculation: Calculation) -> float:
    return _work(calculation.parts) + len(_text(calculation.parts)) / 5


def twin(rng: Random, knobs: Knobs, calculation: Calculation) -> Calculation | None:
    other = Calculation(_redrawn(rng, knobs, calculation.parts))
    value = _value(other.parts)
    return other if value and any(value) and not any(map(_long, value)) else None


def _drawn(rng: Random, knobs: Knobs, numbers: int) -> Part:
    """An expression of so many complex numbers."""
    if numbers == 1:
        part: Part = _number(rng, knobs.size)
        if rng.random() < knobs.conjugate:
            return ("conj", part)
        if knobs.power > 1 and rng.random() < 0.35:
            return ("^", part, rng.randint(2, knobs.power))
        return part
    left = rng.randint(1, numbers - 1)
    one, other = _drawn(rng, knobs, left), _drawn(rng, knobs, numbers - left)
    sign = rng.choice("+-**//" if knobs.division else "+-**")
    found: Part = (sign, one, other)
    if numbers == 2 and rng.random() < knobs.conjugate / 2:
        found = ("conj", found)
    elif knobs.power > 2 and numbers == 2 and rng.random() < 0.15:
        found = ("^", found, rng.randint(2, 3))
    return found


def _number(rng: Random, size: int) -> Part:
    imaginary = rng.choice((-1, 1)) * rng.randint(1, size)
    return (rng.randint(-size, size), imaginary)


def _redrawn(rng: Random, knobs: Knobs, part: Part) -> Part:
    match part:
        case ("^", one, exponent):
            return ("^", _redrawn(rng, knobs, one), exponent)
        case ("conj", one):
            return ("conj", _redrawn(rng, knobs, one))
        case (str(sign), one, other):
            return (sign, _redrawn(rng, knobs, one), _redrawn(rng, knobs, other))
        case _:
            return _number(rng, knobs.size)


@lru_cache(maxsize=64)
def _value(part: Part) -> Pair | None:
    match part:
        case ("^", one, exponent):
            base = _value(one)
            if base is None or exponent > MOST or any(_long(each, 400) for each in base):
                return None
            found = Fraction(1), Fraction(0)
            for _ in range(exponent):
                found = _product(found, base)
            return found
        case ("conj", one):
            base = _value(one)
            return None if base is None else (base[0], -base[1])
        case (str(sign), one, other):
            left, right = _value(one), _value(other)
            return None if left is None or right is None else _combined(sign, left, right)
        case _:
            return Fraction(part[0]), Fraction(part[1])


def _combined(sign: str, one: Pair, other: Pair) -> Pair | None:
    match sign:
        case "+":
            return one[0] + other[0], one[1] + other[1]
        case "-":
            return one[0] - other[0], one[1] - other[1]
        case "*":
            return _product(one, other)
        case _:
            size = other[0] ** 2 + other[1] ** 2
            if not size:
                return None
            above = _product(one, (other[0], -other[1]))
            return above[0] / size, above[1] / size


def _product(one: Pair, other: Pair) -> Pair:
    (a, b), (c, d) = one, other
    return a * c - b * d, a * d + b * c


def _modulo(part: Part) -> tuple[Quotient, Quotient] | None:
    """The value modulo the prime, for i as either root of -1.

    A quotient is left as its two numbers: an inverse takes as long as forty products.
    """
    match part:
        case ("^", one, exponent):
            base = _modulo(one)
            return base and _both(
                (pow(above, exponent, PRIME), pow(below, exponent, PRIME)) for above, below in base
            )
        case ("conj", one):
            base = _modulo(one)
            return base and (base[1], base[0])
        case (str(sign), one, other):
            left, right = _modulo(one), _modulo(other)
            if left is None or right is None or (sign == "/" and not all(a for a, _ in right)):
                return None
            return _both(_joined(sign, *pair) for pair in zip(left, right))
        case _:
            real, imaginary = part
            return _both(((real + root * imaginary) % PRIME, 1) for root in (ROOT, -ROOT))


def _both(found: Iterable[Quotient]) -> tuple[Quotient, Quotient]:
    one, other = found
    return one, other


def _joined(sign: str, one: Quotient, other: Quotient) -> Quotient:
    (a, b), (c, d) = one, other
    match sign:
        case "+":
            return (a * d + c * b) % PRIME, b * d % PRIME
        case "-":
            return (a * d - c * b) % PRIME, b * d % PRIME
        case "*":
            return a * c % PRIME, b * d % PRIME
        case _:
            return a * d % PRIME, b * c % PRIME


def _pair(tree: Tree) -> Pair | None:
    """An answer as its real and imaginary part, where arithmetic shows them."""
    if not isinstance(tree, Node):
        return (tree, Fraction(0)) if isinstance(tree, Fraction) else None
    if tree.sign == "i":
        return Fraction(0), Fraction(1)
    if tree.sign not in ("+", "*", "/", "^"):
        value = evaluate(tree)
        return None if value is None else (value, Fraction(0))
    found = _pair(tree.parts[0])
    if tree.sign == "^":
        exponent = evaluate(tree.parts[1])
        if found is None or exponent is None or exponent not in range(1, MOST):
            return None
        base = found
        for _ in range(int(exponent) - 1):
            if any(_long(each, 200) for each in found):
                return None
            found = _product(found, base)
        return found
    for part in tree.parts[1:]:
        other = _pair(part)
        if found is None or other is None or any(_long(each, 400) for each in (*found, *other)):
            return None
        found = _combined(tree.sign, found, other)
    return found


def _text(part: Part, inside: bool = False) -> str:
    match part:
        case ("^", one, exponent):
            return f"{_text(one, True)}^{exponent}"
        case ("conj", one):
            inner = _text(one)
            return f"conj{inner}" if not isinstance(one[0], str) else f"conj({inner})"
        case (str(sign), one, other):
            if sign in "*/":
                found = f"{_text(one, True)} {sign} {_text(other, True)}"
            else:
                found = f"{_text(one, one[0] == '+')} {sign} {_text(other, True)}"
            return f"({found})" if inside else found
        case _:
            return f"({_shown(part)})"


def _shown(pair: Any) -> str:
    """3 - 2i"""
    real, imaginary = pair
    minus = imaginary < 0
    size = -imaginary if minus else imaginary
    shown = "i" if size == 1 else f"{size}i"
    if isinstance(size, Fraction) and size.denominator > 1:
        shown = f"{'' if size.numerator == 1 else size.numerator}i/{size.denominator}"
    if not imaginary:
        return f"{real}"
    if not real:
        return f"-{shown}" if minus else shown
    return f"{real} {'-' if minus else '+'} {shown}"


def _told(part: Part, lines: list[str]) -> None:
    if isinstance(part[0], str):
        for each in part[1:]:
            if isinstance(each, tuple):
                _told(each, lines)
        value = _value(part)
        lines.append(f"{_text(part)} = {_shown(value)}")


def _work(part: Part) -> float:
    match part:
        case ("^", one, exponent):
            return _work(one) + float(2 * exponent)
        case ("conj", one):
            return _work(one) + 1
        case (str(sign), one, other):
            return _work(one) + _work(other) + (1 if sign in "+-" else 3 if sign == "*" else 5)
        case _:
            return 1


def _largest(part: Part) -> int:
    if isinstance(part[0], str):
        return max(_largest(each) for each in part[1:] if isinstance(each, tuple))
    return int(max(part))


def _long(number: Fraction, digits: int = 12) -> bool:
    most = 10**digits
    return not (-most <= number.numerator <= most >= number.denominator)


MOST = 60  # the largest exponent
PRIME = 2**545 - 3  # 5 modulo 8, so that a power of 2 is a root of -1
ROOT = pow(2, (PRIME - 1) // 4, PRIME)
LADDER = (
    Knobs(2, 9, 1, False, 0.0),
    Knobs(2, 12, 3, True, 0.1),
    Knobs(3, 12, 4, True, 0.2),
    Knobs(4, 12, 6, True, 0.2),
    Knobs(6, 15, 8, True, 0.2),
)
FAMILY = Family(
    Calculation,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Expression((), realm="complex", evaluated=True),
    hardness=hardness,
    proof="unique",
    solver="pairs of fractions",
    guess_rate=0.03,
    steps=steps,
    progress=progress,
    inputs=("parts",),
    twin=twin,
    skills=("complex", "calculation"),
    peers=("reasoning-gym/complex_arithmetic",),
    version=2,
)
