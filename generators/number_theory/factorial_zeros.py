"""Zeros at the end of factorials, binomial coefficients and products, in some base.

And the exponent of a prime in them, and the smallest n whose factorial ends in so many. `solve`
uses Legendre's formula; `verify` takes the prime out of one factor after another, and knows no
formula.
"""

from dataclasses import dataclass
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.number_theory._numbers import factorised, powers_text


@dataclass(frozen=True, slots=True)
class Knobs:
    most: int  # the largest number under a factorial
    base: int  # the largest base; 10 at least
    # factorials, products of them, binomial coefficients too, or powers of factorials and the like
    thing: Literal["factorial", "product", "mixed", "hidden"]


@dataclass(frozen=True, slots=True)
class Zeros:
    shape: str
    numbers: tuple[int, ...]
    base: int


def generate(rng: Random, knobs: Knobs) -> Zeros | None:
    return _filled(rng, knobs, rng.choice(SHAPES[knobs.thing]))


def solve(zeros: Zeros) -> int | None:
    """Legendre: the exponent of p in n! is n/p + n/p^2 + ..., each rounded down."""
    if not 1 < zeros.base <= FAR or max(zeros.numbers) > FAR or min(zeros.numbers) < 1:
        return None
    if zeros.shape == "least":
        return _least(zeros.numbers[0], zeros.base)
    if zeros.shape in ("binomial", "run") and zeros.numbers[0] < zeros.numbers[1]:
        return None
    return min(_exponent(zeros, prime) // times for prime, times in factorised(zeros.base))


def verify(zeros: Zeros, answer: int) -> float:
    if not 0 <= answer <= FAR * FAR:
        return 0.0
    if zeros.shape == "least":
        return float(_counted_to(zeros.numbers[0], zeros.base) == answer)
    counts = []
    for prime, times in factorised(zeros.base):
        total = 0
        for factor, weight in _factors(zeros):
            while factor % prime == 0:
                factor, total = factor // prime, total + weight
        counts.append(total // times)
    return float(answer == min(counts))


def render(zeros: Zeros, style: Style) -> Prompt:
    text, note = _text(zeros)
    base = "" if zeros.base == 10 else f" in base {zeros.base}"
    if zeros.shape == "least":
        count = f"{zeros.numbers[0]}"
        question = style.pick(
            f"What is the smallest positive integer n such that n!, written{base or ' in decimal'},"
            f" ends in at least {count} zeros?",
            f"Find the least n >= 1 for which {zeros.base}^{count} divides n!.",
            f"How large must n be at least, so that n! has {count} or more zeros at its end when"
            f" it is written{base or ' in decimal'}?",
        )
    else:
        question = style.pick(
            f"With how many zeros does {text} end when it is written{base or ' in decimal'}?",
            f"How many trailing zeros does {text} have{base or ' in decimal notation'}?",
            f"What is the largest integer k such that {zeros.base}^k divides {text}?",
        )
    return Prompt(f"{question} ({note})", form="one non-negative integer")


def steps(zeros: Zeros) -> list[str]:
    lines = [f"{zeros.base} = {powers_text(factorised(zeros.base))}"]
    if zeros.shape == "least":
        n = solve(zeros) or 1
        for end in (n - 1, n):
            part = Zeros("factorial", (max(end, 1),), zeros.base)
            lines.append(f"{max(end, 1)}! ends in {solve(part)} zeros")
        return [*lines, f"so n = {n}"]
    for prime, times in factorised(zeros.base):
        exponent = _exponent(zeros, prime)
        lines.append(f"exponent of {prime}: {exponent}; divided by {times}: {exponent // times}")
    return [*lines, f"the least of them is {solve(zeros)}"]


def hardness(zeros: Zeros) -> float:
    """Digits, primes of the base, and how far the thing is from a factorial."""
    extra = {"factorial": 0, "run": 4, "product": 5, "odd": 7, "binomial": 7, "least": 9}
    digits = sum(len(str(number)) for number in zeros.numbers)
    powers = sum(times for _, times in factorised(zeros.base))
    return 2 * digits + 2 * powers + extra.get(zeros.shape, 12)


def twin(rng: Random, knobs: Knobs, zeros: Zeros) -> Zeros | None:
    return _filled(rng, knobs, zeros.shape)


def _filled(rng: Random, knobs: Knobs, shape: str) -> Zeros | None:
    base = rng.randint(max(6, knobs.base // 4), knobs.base) if knobs.base > 10 else 10
    primes = sum(times for _, times in factorised(base))
    if primes < len(str(knobs.base)) - 1:
        return None
    most = knobs.most
    first = rng.randint(max(5, most // 4), most)
    second = rng.randint(max(2, first // 5), max(3, first * 4 // 5))
    numbers: tuple[int, ...] = (first, second)
    if shape in ("factorial", "odd", "powers"):
        numbers = (first,)
    elif shape == "superfactorial":
        numbers = (min(first, 200 + first % 200),)
    elif shape == "least":
        numbers = (rng.randint(max(2, most // 5), most // 2),)
    if shape in ("odd", "binomial"):
        base = rng.choice((3, 5, 7, 9, 11, 13, 15, 21, 27, 35, 45))
    drawn = Zeros(shape, numbers, base)
    found = solve(drawn)
    return None if not found or found > FAR * 100 else drawn


def _legendre(number: int, prime: int) -> int:
    total = 0
    while number:
        number //= prime
        total += number
    return total


def _exponent(zeros: Zeros, prime: int) -> int:
    first, second = (*zeros.numbers, 0)[:2]
    match zeros.shape:
        case "factorial":
            return _legendre(first, prime)
        case "product":
            return _legendre(first, prime) + _legendre(second, prime)
        case "run":  # from the second to the first
            return _legendre(first, prime) - _legendre(second - 1, prime)
        case "binomial":
            parts = (second, first - second)
            return _legendre(first, prime) - sum(_legendre(part, prime) for part in parts)
        case "odd":
            evens = _legendre(first, prime) + (first if prime == 2 else 0)
            return _legendre(2 * first, prime) - evens
        case "powers":  # 1^1 * 2^2 * ... * n^n: p^j divides the multiples of p^j, as often as large
            total, power = 0, prime
            while power <= first:
                count = first // power
                total += power * count * (count + 1) // 2
                power *= prime
            return total
        case _:  # 1! * 2! * ... * n!
            return sum(_legendre(number, prime) for number in range(1, first + 1))


def _factors(zeros: Zeros) -> list[tuple[int, int]]:
    """The factors of the thing, each with its exponent, which may be negative."""
    first, second = (*zeros.numbers, 0)[:2]
    up = range(1, first + 1)
    match zeros.shape:
        case "factorial":
            return [(number, 1) for number in up]
        case "product":
            return [(number, 1) for number in (*up, *range(1, second + 1))]
        case "run":
            return [(number, 1) for number in range(second, first + 1)]
        case "binomial":
            above = [(number, 1) for number in range(first - second + 1, first + 1)]
            return above + [(number, -1) for number in range(1, second + 1)]
        case "odd":
            return [(2 * number - 1, 1) for number in up]
        case "powers":
            return [(number, number) for number in up]
        case _:
            return [(number, first + 1 - number) for number in up]


def _least(count: int, base: int) -> int | None:
    """The smallest n whose factorial ends in so many zeros: by halving."""
    low, high = 1, count * base
    if high > FAR * 50:
        return None
    parts = factorised(base)
    while low < high:
        middle = (low + high) // 2
        if min(_legendre(middle, prime) // times for prime, times in parts) >= count:
            high = middle
        else:
            low = middle + 1
    return low if low <= FAR else None


def _counted_to(count: int, base: int) -> int | None:
    """The same, from 1 upwards."""
    missing = {prime: count * times for prime, times in factorised(base)}
    for number in range(1, FAR + 1):
        for prime in missing:
            left = number
            while left % prime == 0:
                left, missing[prime] = left // prime, missing[prime] - 1
        if max(missing.values()) <= 0:
            return number
    return None


def _text(zeros: Zeros) -> tuple[str, str]:
    """How the thing is written, and what that means."""
    first, second = (*zeros.numbers, 0)[:2]
    factorial = "n! stands for 1 * 2 * ... * n."
    match zeros.shape:
        case "factorial":
            return f"{first}!", factorial
        case "product":
            return f"the product {first}! * {second}!", factorial
        case "run":
            return (
                f"the product of all integers from {second} to {first}",
                "Both ends are included.",
            )
        case "binomial":
            return (
                f"the binomial coefficient C({first}, {second})",
                "C(n, k) = n! / (k! * (n - k)!)",
            )
        case "odd":
            return (
                f"the product of the first {first} odd positive integers",
                "They are 1, 3, 5, ...",
            )
        case "powers":
            return (
                f"the product 1^1 * 2^2 * 3^3 * ... * {first}^{first}",
                "Each k is raised to the power k.",
            )
        case _:
            return f"the product 1! * 2! * 3! * ... * {first}!", factorial


FAR = 20_000  # under a factorial, at most
SHAPES: dict[str, tuple[str, ...]] = {
    "factorial": ("factorial",),
    "product": ("product", "run"),
    "mixed": ("product", "run", "binomial", "odd"),
    "hidden": ("powers", "superfactorial", "least"),
}
LADDER = (
    Knobs(60, 10, "factorial"),
    Knobs(500, 10, "product"),
    Knobs(2000, 30, "mixed"),
    Knobs(3000, 100, "hidden"),
    Knobs(6000, 1000, "hidden"),
)
FAMILY = Family(
    Zeros,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="Legendre's formula",
    guess_rate=0.2,
    steps=steps,
    inputs=("numbers", "base"),
    twin=twin,
    skills=("divisibility", "primes", "bases"),
    peers=("RLVE/factorial_trailing_zero_count",),
    version=2,
)
