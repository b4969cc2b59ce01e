"""Logarithms: a sum of products and quotients of logarithms that comes to a rational number.

Every logarithm may be irrational alone: log_2(9) * log_3(8) is 6. `solve` splits all numbers into
primes and works with quotients of sums of their logarithms; `verify` takes the logarithms to eighty
digits and compares, after the answer's denominator has been found to be a small one.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.algebra._terms import drawn

Log: TypeAlias = tuple[int, int, int, int]  # base and number, each as above, below
Term: TypeAlias = tuple[int, tuple[Log, ...]]  # a number times a product of logarithms
Group: TypeAlias = tuple[Term, ...]  # terms that come to a rational number together


@dataclass(frozen=True, slots=True)
class Knobs:
    groups: int  # parts of the sum that are rational each
    kinds: int  # how many kinds of them there are
    power: int  # the largest exponent in a base or number
    primes: int  # how many primes there are to choose from
    factor: int  # the largest number in front


@dataclass(frozen=True, slots=True)
class Expression:
    groups: tuple[Group, ...]
    order: tuple[int, ...]  # of the terms, as they are shown


def generate(rng: Random, knobs: Knobs) -> Expression | None:
    groups = []
    for _ in range(knobs.groups):
        kind = rng.choice(KINDS[: knobs.kinds])
        group = {
            "power": _of_one_prime,
            "joined": _joined,
            "chain": _chain,
            "change": _change,
        }[kind](rng, knobs)
        if group is None:
            return None
        groups.append(group)
    count = sum(map(len, groups))
    order = rng.sample(range(count), count)
    made = Expression(tuple(groups), tuple(order))
    answer = solve(made)
    short = answer is not None and max(abs(answer.numerator), answer.denominator) <= LARGEST
    return made if short and _told(made) else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(expression: Expression) -> Fraction | None:
    """The logarithms of primes as unknowns: what is left of them must cancel in every group."""
    total = Fraction(0)
    for group in expression.groups:
        found = _rational(group)
        if found is None:
            return None
        total += found
    return total


def verify(expression: Expression, answer: Fraction) -> float:
    if answer.denominator > 10**9 or abs(answer) > 10**9:
        return 0.0
    context = _context()
    total = context.mpf(0)
    for number, logs in _terms(expression):
        product = context.mpf(number)
        for a, b, c, d in logs:
            if min(a, b, c, d) < 1 or a == b:
                return 0.0
            below = context.log(context.mpf(a)) - context.log(context.mpf(b))
            product *= (context.log(context.mpf(c)) - context.log(context.mpf(d))) / below
        total += product
    apart = abs(total - context.mpf(answer.numerator) / answer.denominator)
    return float(bool(apart < context.mpf(10) ** (20 - DIGITS)))


def render(expression: Expression, style: Style) -> Prompt:
    text = ""
    for number, logs in _terms(expression):
        size = number if number > 0 else -number
        product = "*".join(_log(*one) for one in logs)
        shown = product if size == 1 else f"{size}*{product}"
        text += (f" {'-' if number < 0 else '+'} " if text else "-" * (number < 0)) + shown
    return Prompt(
        style.pick(
            f"Here log_b(a) is the logarithm of a to the base b. Compute the exact value of\n\n"
            f"{text}",
            f"What rational number is this equal to? (log_b(a) means the logarithm of a to the"
            f" base b.)\n\n{text}",
            f"Simplify to a single rational number, where log_b(a) stands for the logarithm of a to"
            f" the base b:\n\n{text}",
        ),
        form=answers.Number().form,
    )


def steps(expression: Expression) -> list[str]:
    """What belongs together, and what it comes to."""
    lines = []
    for group in expression.groups:
        value = _rational(group)
        parts = [f"({number})*" * (number != 1) + "*".join(_log(*one) for one in logs)
                 for number, logs in group]  # fmt: skip
        lines.append(f"{' + '.join(parts)} = {value}")
    return [*lines, f"Together: {solve(expression)}"]


def progress(expression: Expression, lines: Lines) -> float:
    return results_derived(FAMILY, expression, lines)


def hardness(expression: Expression) -> float:
    logs = [one for _, product in _terms(expression) for one in product]
    return sum(2 + sum(len(str(part)) for part in log if part > 1) for log in logs) + float(
        len(logs)
    )


def _terms(expression: Expression) -> list[Term]:
    terms = [term for group in expression.groups for term in group]
    return [terms[place] for place in expression.order]


def _of_one_prime(rng: Random, knobs: Knobs) -> Group:
    """log_8(1/32): powers of one prime."""
    prime = rng.choice(PRIMES[: knobs.primes])
    base = _power(rng, prime, knobs.power, knobs.kinds > 1)
    number = _power(rng, prime, knobs.power + 1, knobs.kinds > 1)
    return ((drawn(rng, knobs.factor), (base + number,)),)


def _joined(rng: Random, knobs: Knobs) -> Group | None:
    """log_2(24) - log_2(3): numbers whose product or quotient is a power of the base's prime."""
    prime, other = rng.sample(PRIMES[: max(knobs.primes, 2)], 2)
    base = (prime ** rng.randint(1, 2), 1)
    shared = other ** rng.randint(1, 2) * rng.choice((1, 1, 7, 11))
    one = prime ** rng.randint(1, knobs.power + 1) * shared
    two = prime ** rng.randint(0, knobs.power) * shared
    number = drawn(rng, knobs.factor)
    if one == two:
        return None
    first = (number, ((*base, one, 1),))
    if rng.random() < 0.3:
        return first, (number, ((*base, 1, two),))
    return first, (-number, ((*base, two, 1),))


def _chain(rng: Random, knobs: Knobs) -> Group:
    """log_4(27) * log_3(32): each base is of the prime of the number before, around in a ring."""
    count = rng.randint(2, 3 if knobs.kinds > 3 else 2)
    ring = rng.sample(PRIMES[: max(knobs.primes, count)], count)
    logs = []
    for place, prime in enumerate(ring):
        base = _power(rng, prime, min(knobs.power, 4), False)
        number = _power(rng, ring[(place + 1) % count], min(knobs.power, 4), knobs.kinds > 3)
        logs.append(base + number)
    rng.shuffle(logs)
    return ((drawn(rng, knobs.factor), tuple(logs)),)


def _change(rng: Random, knobs: Knobs) -> Group | None:
    """log_4(6) + log_8(36)... : the same logarithm to bases that are powers of one another, such
    that all but a rational number cancels."""
    prime, other = rng.sample(PRIMES[: max(knobs.primes, 2)], 2)
    low, high = rng.sample(range(1, max(knobs.power, 3) + 1), 2)
    one, two = rng.randint(1, 2), rng.randint(1, 3)
    above = prime ** rng.randint(0, 3) * other**one
    below = prime ** rng.randint(1, 3) * other**two
    # a * one / low + b * two / high = 0
    a, b = low * two, -high * one
    shared = Fraction(a, b)
    number = drawn(rng, max(1, knobs.factor // 2))
    a, b = shared.numerator * number, shared.denominator * number
    if max(abs(a), abs(b)) > 12:
        return None
    return ((a, ((prime**low, 1, above, 1),)), (b, ((prime**high, 1, below, 1),)))


def _power(rng: Random, prime: int, most: int, below: bool) -> tuple[int, int]:
    top = max(2, min(most, EXPONENTS[PRIMES.index(prime)]))
    value = prime ** rng.randint(1, top)
    return (1, value) if below and rng.random() < 0.3 else (value, 1)


def _rational(group: Group) -> Fraction | None:
    """The value of a group of terms, if it is rational: by itself as a product, or as a sum of
    logarithms to bases of one prime."""
    if len(group) == 1:
        number, logs = group[0]
        scale, above, below = Fraction(number), list[int](), list[int]()
        for a, b, c, d in logs:
            base, power = _primes(a, b), _primes(c, d)
            if base is None or power is None or len(base) != 1 or len(power) != 1:
                return None
            (under, down), (over, up) = *base.items(), *power.items()
            scale *= Fraction(up, down)
            above.append(over)
            below.append(under)
        return scale if sorted(above) == sorted(below) else None
    total: dict[int, Fraction] = {}
    main: set[int] = set()
    for number, logs in group:
        (log,) = logs
        base, power = _primes(log[0], log[1]), _primes(log[2], log[3])
        if base is None or power is None or len(base) != 1:
            return None
        ((under, down),) = base.items()
        main.add(under)
        for prime, count in power.items():
            total[prime] = total.get(prime, Fraction(0)) + Fraction(number * count, down)
    if len(main) > 1 or any(value for prime, value in total.items() if prime not in main):
        return None
    return total.get(main.pop(), Fraction(0))


def _primes(above: int, below: int) -> dict[int, int] | None:
    """The exponents of the primes of a fraction, without zeros."""
    if above < 1 or below < 1:
        return None
    found: dict[int, int] = {}
    for number, sign in ((above, 1), (below, -1)):
        prime = 2
        while number > 1 and prime * prime <= number:
            while number % prime == 0:
                number //= prime
                found[prime] = found.get(prime, 0) + sign
            prime += 1
        if number > 1:
            found[number] = found.get(number, 0) + sign
    return {prime: count for prime, count in found.items() if count}


def _told(expression: Expression) -> bool:
    return any(
        max(number, *(part for log in logs for part in log)) >= 2
        for number, logs in _terms(expression)
    )


@cache
def _context() -> Any:
    from mpmath import mp  # type: ignore[import-untyped]

    context = mp.clone()
    context.dps = DIGITS
    return context


def _log(a: int, b: int, c: int, d: int) -> str:
    base = f"{a}" if b == 1 else f"({a}/{b})"
    return f"log_{base}({c})" if d == 1 else f"log_{base}({c}/{d})"


KINDS = ("power", "joined", "chain", "change")
PRIMES = (2, 3, 5, 7, 11)
EXPONENTS = (9, 6, 4, 3, 2)  # the largest of each prime
LARGEST = 10**4
DIGITS = 80
LADDER = (
    Knobs(1, 1, 4, 3, 2),
    Knobs(2, 2, 5, 3, 3),
    Knobs(2, 3, 6, 4, 4),
    Knobs(3, 4, 7, 4, 6),
    Knobs(5, 4, 9, 5, 8),
)
FAMILY = Family(
    Expression,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="exponents of primes",
    guess_rate=0.13,
    steps=steps,
    progress=progress,
    inputs=("groups",),
    redraws=True,
    skills=("logarithms", "fractions", "primes"),
)
