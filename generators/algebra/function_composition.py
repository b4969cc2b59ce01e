"""Function composition: functions one inside the other, forwards or backwards.

Forwards, the value is asked for; backwards, the one number at which the chain has a value. `solve`
takes the functions one at a time, from the innermost outwards or, for all preimages, inwards.
`verify` makes one formula of the whole chain, as a quotient of polynomials, and evaluates that.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isqrt
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.algebra._terms import drawn, powers

# Its kind and numbers: "linear" a, b for ax + b; "quadratic" a, b, c; "rational" a, b, c, d for
# (ax + b)/(cx + d); "pieces" p, a, b, c, d for ax + b where x < p, else cx + d.
Function: TypeAlias = tuple[str, tuple[int, ...]]
Coefficients: TypeAlias = list[Fraction]  # the highest power first


@dataclass(frozen=True, slots=True)
class Knobs:
    kinds: int  # how many kinds of function there are
    functions: int  # different functions
    length: int  # of the chain
    number: int  # the largest in a function
    argument: int  # the largest
    backward: float  # how often the chain is gone back


@dataclass(frozen=True, slots=True)
class Chain:
    functions: tuple[Function, ...]  # f, g, h
    order: str  # the outermost first: "fg" for f(g(x))
    backward: bool
    value: tuple[int, int]  # where the chain starts or, backwards, ends: above, below


def generate(rng: Random, knobs: Knobs) -> Chain | None:
    names = NAMES[: knobs.functions]
    functions = [(rng.choice(KINDS[: knobs.kinds]), (0,)) for _ in names]
    order = [rng.choice(names) for _ in range(knobs.length)]
    for place, name in zip(rng.sample(range(knobs.length), min(knobs.length, len(names))), names):
        order[place] = name
    used = [name for name in names if name in order]
    letters = dict(zip(used, NAMES))
    backward = rng.random() < knobs.backward
    shape = Chain(
        tuple(functions[names.index(name)] for name in used),
        "".join(letters[name] for name in order),
        backward,
        (1, 1),
    )
    squares = sum(_named(shape, name)[0] == "quadratic" for name in shape.order)
    return None if squares > (1 if backward else SQUARES) else twin(rng, knobs, shape)


def solve(chain: Chain) -> Fraction | None:
    value = Fraction(*chain.value)
    if not _sound(chain):
        return None
    if not chain.backward:
        for name in reversed(chain.order):
            found = _applied(_named(chain, name), value)
            if found is None or _long(found):
                return None
            value = found
        return value
    values: set[Fraction | None] = {value}
    for name in chain.order:
        values = {one for value in values for one in _preimages(_named(chain, name), value)}
        if None in values or len(values) > 64:
            return None
    fits = [one for one in values if one is not None and not _long(one)]
    return fits[0] if len(fits) == len(values) == 1 else None


def verify(chain: Chain, answer: Fraction) -> float:
    if _long(answer) or not _sound(chain):
        return 0.0
    start, end = answer, Fraction(*chain.value)
    if not chain.backward:
        start, end = end, start
    above: Coefficients = [Fraction(1), Fraction(0)]
    below: Coefficients = [Fraction(1)]
    for name in reversed(chain.order):
        kind, numbers = _named(chain, name)
        bottom = _at(below, start)
        if not bottom:
            return 0.0
        if kind == "pieces":
            low = _at(above, start) / bottom < numbers[0]
            kind, numbers = "linear", numbers[1:3] if low else numbers[3:]
        above, below = _inside(kind, numbers, above, below)
    bottom = _at(below, start)
    return float(bool(bottom) and _at(above, start) / bottom == end)


def render(chain: Chain, style: Style) -> Prompt:
    names = [NAMES[place] for place in range(len(chain.functions))]
    rules = "\n".join(_rule(name, found) for name, found in zip(names, chain.functions))
    above, below = chain.value
    value = f"{above}" if below == 1 else f"{above}/{below}"
    count = len(chain.order)
    several = len(names) > 1
    if chain.backward:
        question = style.pick(
            f"There is exactly one real number x with {_nested(chain, 'x')} = {value}. Find it.",
            f"For which real number x is {_nested(chain, 'x')} = {value}? There is only one.",
            f"Solve {_nested(chain, 'x')} = {value} for real x; there is exactly one solution.",
        )
    else:
        question = style.pick(
            f"What is {_nested(chain, value)}?",
            f"Find {_nested(chain, value)}.",
            f"Compute the exact value of {_nested(chain, value)}.",
        )
    text = f"The function{'s are' if several else ' is'} given by\n\n{rules}\n\n{question}"
    del count
    return Prompt(text, form=answers.Number().form)


def steps(chain: Chain) -> list[str]:
    """Each function in turn."""
    value = solve(chain) if chain.backward else Fraction(*chain.value)
    assert value is not None
    lines = [f"Check x = {value}:"] if chain.backward else []
    for name in reversed(chain.order):
        after = _applied(_named(chain, name), value)
        assert after is not None
        lines.append(f"{name}({value}) = {after}")
        value = after
    return lines


def progress(chain: Chain, lines: Lines) -> float:
    return results_derived(FAMILY, chain, lines)


def hardness(chain: Chain) -> float:
    """Each step by its kind; backwards is harder."""
    weights = dict(zip(KINDS, (2, 3, 4, 4)))
    total = sum(weights[_named(chain, name)[0]] for name in chain.order)
    return total * (1.5 if chain.backward else 1) + len(chain.functions)


def twin(rng: Random, knobs: Knobs, chain: Chain) -> Chain | None:
    """Other numbers for the same chain; its value stays short."""
    for _ in range(TRIES):
        functions = tuple((kind, _numbers(rng, knobs, kind)) for kind, _ in chain.functions)
        start = (drawn(rng, knobs.argument), 1)
        made = replace(chain, functions=functions, value=start)
        end = solve(replace(made, backward=False))
        if end is None or max(abs(end.numerator), end.denominator) > LARGEST * knobs.number:
            continue
        if not chain.backward:
            return made
        made = replace(made, value=(end.numerator, end.denominator))
        if solve(made) is not None:
            return made
    return None


def _numbers(rng: Random, knobs: Knobs, kind: str) -> tuple[int, ...]:
    most = knobs.number
    match kind:
        case "linear":
            return drawn(rng, min(most, 6), 2), drawn(rng, most)
        case "quadratic":
            return drawn(rng, 2), drawn(rng, min(most, 6)), drawn(rng, most)
        case "rational":
            numbers = drawn(rng, 5), drawn(rng, most), drawn(rng, 4), drawn(rng, most)
            if numbers[0] * numbers[3] == numbers[1] * numbers[2]:
                return (*numbers[:3], numbers[3] + 1 or 2)
            return numbers
        case _:
            low, high = drawn(rng, 5), drawn(rng, 5)
            if rng.random() < 0.5:  # rising on both sides, so that it may be gone back
                low, high = abs(low), abs(high)
            return drawn(rng, most), low, drawn(rng, most), high, drawn(rng, most)


def _named(chain: Chain, name: str) -> Function:
    return chain.functions[NAMES.index(name)]


def _sound(chain: Chain) -> bool:
    """Whether the prompt says functions that can be gone through: none is constant."""
    for kind, numbers in chain.functions:
        if kind == "rational" and numbers[0] * numbers[3] == numbers[1] * numbers[2]:
            return False
    return chain.value[1] > 0


def _long(value: Fraction) -> bool:
    return max(abs(value.numerator), value.denominator).bit_length() > BITS


def _applied(function: Function, value: Fraction) -> Fraction | None:
    kind, n = function
    match kind:
        case "linear":
            return n[0] * value + n[1]
        case "quadratic":
            return (n[0] * value + n[1]) * value + n[2]
        case "rational":
            below = n[2] * value + n[3]
            return (n[0] * value + n[1]) / below if below else None
        case _:
            return n[1] * value + n[2] if value < n[0] else n[3] * value + n[4]


def _preimages(function: Function, value: Fraction | None) -> list[Fraction | None]:
    """All real numbers that a function takes to a value; None for one that is irrational."""
    assert value is not None
    kind, n = function
    match kind:
        case "linear":
            return [(value - n[1]) / n[0]]
        case "quadratic":
            inner = n[1] ** 2 - 4 * n[0] * (n[2] - value)
            if inner < 0:
                return []
            root = Fraction(isqrt(inner.numerator), isqrt(inner.denominator))
            if root**2 != inner:
                return [None]
            return [(-n[1] + root) / (2 * n[0]), (-n[1] - root) / (2 * n[0])]
        case "rational":
            below = n[0] - n[2] * value
            return [(n[3] * value - n[1]) / below] if below else []
        case _:
            low, high = (value - n[2]) / n[1], (value - n[4]) / n[3]
            return [*([low] if low < n[0] else []), *([high] if high >= n[0] else [])]


def _inside(
    kind: str, numbers: Sequence[int], above: Coefficients, below: Coefficients
) -> tuple[Coefficients, Coefficients]:
    """The quotient of polynomials that a function makes of another."""
    match kind:
        case "linear":
            return _mixed(numbers[0], above, numbers[1], below), below
        case "quadratic":
            square, both = _product(above, above), _product(above, below)
            under = _product(below, below)
            inner = _mixed(numbers[0], square, numbers[1], both)
            return _mixed(1, inner, numbers[2], under), under
        case _:
            top = _mixed(numbers[0], above, numbers[1], below)
            return top, _mixed(numbers[2], above, numbers[3], below)


def _mixed(one: int, first: Coefficients, two: int, second: Coefficients) -> Coefficients:
    size = max(len(first), len(second))
    padded = [[Fraction(0)] * (size - len(part)) + part for part in (first, second)]
    return [one * left + two * right for left, right in zip(*padded)]


def _product(one: Coefficients, other: Coefficients) -> Coefficients:
    found = [Fraction(0)] * (len(one) + len(other) - 1)
    for place, left in enumerate(one):
        for shift, right in enumerate(other):
            found[place + shift] += left * right
    return found


def _at(polynomial: Coefficients, value: Fraction) -> Fraction:
    found = Fraction(0)
    for coefficient in polynomial:
        found = found * value + coefficient
    return found


def _nested(chain: Chain, inner: str) -> str:
    """f(g(2)); f(f(f(2))) in full, so that nothing is left to notation."""
    return "(".join(chain.order) + f"({inner}" + ")" * len(chain.order)


def _rule(name: str, function: Function) -> str:
    kind, n = function
    if kind == "rational":
        return f"{name}(x) = ({powers(n[:2], 'x')})/({powers(n[2:], 'x')})"
    if kind == "pieces":
        low, high = powers(n[1:3], "x"), powers(n[3:], "x")
        return f"{name}(x) = {low} if x < {n[0]}, and {name}(x) = {high} if x ≥ {n[0]}"
    return f"{name}(x) = {powers(n, 'x')}"


NAMES = "fghpqr"
KINDS = ("linear", "quadratic", "pieces", "rational")
TRIES = 40
SQUARES = 3  # quadratic steps in a chain, at most
LARGEST = 3000  # times the largest number: a value at the end
BITS = 400
LADDER = (
    Knobs(1, 2, 2, 9, 9, 0.0),
    Knobs(2, 2, 2, 9, 9, 0.2),
    Knobs(3, 3, 3, 12, 12, 0.3),
    Knobs(4, 3, 5, 15, 15, 0.45),
    Knobs(4, 4, 9, 15, 20, 0.6),
)
FAMILY = Family(
    Chain,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="one function at a time; backwards, all preimages",
    guess_rate=0.12,
    steps=steps,
    progress=progress,
    inputs=("functions", "value"),
    twin=twin,
    skills=("functions", "fractions", "calculation"),
    peers=("reasoning-core/function_manipulation", "mathematics_dataset/compose"),
)
