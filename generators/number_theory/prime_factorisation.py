"""Prime factorisation of a number, written out or as a power, difference, quotient or coefficient.

A number that is written as an expression is often out of reach for trial division by hand, yet
falls apart by an identity. `solve` divides by small primes and walks Pollard's rho for the rest;
`verify` multiplies the factors together and looks for a divisor of each one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import comb, gcd, perm, prod
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.answers.prime_factors import Powers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.number_theory._numbers import powers_text, primes_up_to

SLIPS = 20  # that are offered


@dataclass(frozen=True, slots=True)
class Knobs:
    factors: int  # primes in a number that is written out, counted as often as they occur
    most: int  # the largest prime
    digits: int  # of a number that is written as an expression, at most
    written: Literal["out", "expression"]  # whether the number is written out or as an expression


@dataclass(frozen=True, slots=True)
class Composite:
    shape: str
    numbers: tuple[int, ...]


def generate(rng: Random, knobs: Knobs) -> Composite | None:
    shape = "plain" if knobs.written == "out" else rng.choice(SHAPES)
    return _filled(rng, knobs, shape)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(composite: Composite) -> Powers | None:
    """Small primes first, then Pollard's rho; None where a prime is too large to be checked."""
    left = _worth(composite)
    if left is None:
        return None
    found: dict[int, int] = {}
    for prime in primes_up_to(SMALL):
        while left % prime == 0:
            found[prime] = found.get(prime, 0) + 1
            left //= prime
    waiting = [left] if left > 1 else []
    while waiting:
        number = waiting.pop()
        if number < SMALL**2:
            found[number] = found.get(number, 0) + 1
            continue
        divisor = _rho(number)
        if divisor is None:
            return None
        waiting += [divisor, number // divisor]
    return tuple(sorted(found.items()))


def verify(composite: Composite, answer: Powers) -> float:
    value = _worth(composite)
    if value is None or any(base >= SMALL**2 or times > BITS for base, times in answer):
        return 0.0
    if sum(base.bit_length() * times for base, times in answer) > 4 * BITS:
        return 0.0
    if prod(base**times for base, times in answer) != value:
        return 0.0
    return float(all(_indivisible(base) for base, _ in answer))


def render(composite: Composite, style: Style) -> Prompt:
    text, note = _text(composite)
    question = style.pick(
        f"What is the prime factorisation of {text}?",
        f"Write {text} as a product of powers of primes.",
        f"Factorise {text} completely into primes.",
        f"Which primes divide {text}, and how often does each? Give the number's prime"
        " factorisation.",
    )
    return Prompt(
        question + note,
        form="the prime factors with their exponents, joined by * and with ^ for a power, such as"
        " 2^3 * 5 * 7^2",
    )


def steps(composite: Composite) -> list[str]:
    """The number, and what is left of it as its primes are divided out."""
    left = _worth(composite) or 1
    found = solve(composite) or ()
    lines = [] if composite.shape == "plain" else [f"{_text(composite)[0]} = {left}"]
    for prime, times in found:
        for _ in range(times):
            if left != prime:
                lines.append(f"{left} / {prime} = {left // prime}")
            left //= prime
    return [*lines, f"so {powers_text(found)}"]


def progress(composite: Composite, lines: Lines) -> float:
    return results_derived(FAMILY, composite, lines)


def slips(rng: Random, composite: Composite, gold: Powers) -> Iterator[Powers]:
    """A prime beside the right one, or one too often or not often enough, one slip after the
    other: none of the answers is the one that all others come from."""
    powers = dict(gold)
    for _ in range(SLIPS):
        # Powers stay where they are: most of them are of small primes.
        large = [prime for prime, times in powers.items() if 2 < prime < SMALL**2 and times == 1]
        often = [prime for prime, times in powers.items() if times > 1]
        if large and (not often or rng.random() < 0.8):
            prime, step = rng.choice(large), rng.choice((-2, 2))
            other = prime + step
            while other > 2 and not _indivisible(other):
                other += step
            # Numbers have small primes more often than large ones.
            if other < 3 or other in powers or rng.random() * other > prime:
                continue
            powers[other] = powers.pop(prime)
        else:
            prime = rng.choice(often or [*powers])
            powers[prime] = max(2, powers[prime] + rng.choice((-1, 1)))
        yield tuple(sorted(powers.items()))


def hardness(composite: Composite) -> float:
    """The number's length and, above all, that of its largest primes."""
    found = solve(composite) or ()
    primes = sorted(prime for prime, times in found for _ in range(times))
    hidden = 0 if composite.shape == "plain" else 24
    return hidden + len(str(_worth(composite))) + 6 * sum(len(str(p)) - 1 for p in primes[-3:])


def twin(rng: Random, knobs: Knobs, composite: Composite) -> Composite | None:
    return _filled(rng, knobs, composite.shape)


def _filled(rng: Random, knobs: Knobs, shape: str) -> Composite | None:
    most = knobs.most
    numbers: tuple[int, ...]
    match shape:
        case "plain":
            primes = primes_up_to(most)
            large = [prime for prime in primes if prime > most // 8]
            chosen = [rng.choice(large), *(rng.choice(primes) for _ in range(knobs.factors - 1))]
            numbers = (prod(chosen),)
        case "difference" | "cubes" | "sum of cubes":
            top = max(20 * most if shape == "difference" else min(4 * most, 999), 40)
            numbers = (rng.randint(top // 4, top), rng.randint(2, top // 4))
        case "fourth powers":
            numbers = (rng.randint(3, 99), rng.randint(1, 50))
        case "powers":
            numbers = (rng.randint(4, 30), rng.randint(1, 12), rng.choice((4, 6, 8, 9, 10, 12)))
        case "binomial":
            numbers = (top := rng.randint(16, 200), rng.randint(4, min(top // 2, 30)))
        case _:
            low = rng.randint(4, 40)
            numbers = (low + rng.randint(2, 12), low)
    drawn = Composite(shape, numbers)
    found = solve(drawn)
    if not found or max(found)[0] > max(most, 200 if shape != "plain" else 0):
        return None
    easy = max(found)[0] < 11 or not knobs.digits // 3 < len(str(_worth(drawn))) <= knobs.digits
    return None if easy and shape != "plain" else drawn


def _worth(composite: Composite) -> int | None:
    """The number; None where there is none above 1, or it is too long."""
    first, second, third = (*composite.numbers, 0, 0)[:3]
    if max(first, second).bit_length() > 64:
        return None
    match composite.shape:
        case "plain":
            found = first
        case "difference":
            found = first**2 - second**2
        case "cubes":
            found = first**3 - second**3
        case "sum of cubes":
            found = first**3 + second**3
        case "fourth powers":
            found = first**4 + 4 * second**4
        case "powers":
            short = max(first, second).bit_length() * third <= BITS
            found = first**third - second**third if short else 0
        case "binomial":
            found = comb(first, second) if first <= BITS else 0
        case _:
            short = max(first, second) <= 60 and first > second
            found = perm(first, first - second) if short else 0
    return found if found > 1 and found.bit_length() <= BITS else None


def _text(composite: Composite) -> tuple[str, str]:
    """How the number is written, and what has to be said of the signs in it."""
    first, second, third = (*composite.numbers, 0, 0)[:3]
    match composite.shape:
        case "plain":
            return f"{first}", ""
        case "difference":
            return f"{first}^2 - {second}^2", ""
        case "cubes":
            return f"{first}^3 - {second}^3", ""
        case "sum of cubes":
            return f"{first}^3 + {second}^3", ""
        case "fourth powers":
            return f"{first}^4 + 4 * {second}^4", ""
        case "powers":
            return f"{first}^{third} - {second}^{third}", ""
        case "binomial":
            note = f" (C({first}, {second}) is the number of ways to choose {second} of {first}"
            return f"the binomial coefficient C({first}, {second})", note + " things.)"
        case _:
            return f"{first}! / {second}!", " (n! stands for 1 * 2 * ... * n.)"


def _rho(number: int) -> int | None:
    """A proper divisor of a number that small primes do not divide, from a walk that meets itself;
    None if none is found soon."""
    for shift in (1, 3, 5, 7):
        slow = fast = 2
        for _ in range(WALK):
            slow = (slow * slow + shift) % number
            fast = (fast * fast + shift) % number
            fast = (fast * fast + shift) % number
            divisor = gcd(abs(slow - fast), number)
            if divisor == number:
                break
            if divisor > 1:
                return divisor
    return None


def _indivisible(number: int) -> bool:
    return number > 1 and all(
        number % prime for prime in primes_up_to(SMALL) if prime * prime <= number
    )


SHAPES = (
    *("difference", "cubes", "sum of cubes") * 24,
    *("fourth powers", "powers") * 6,
    *("binomial", "quotient"),
)
SMALL = 1000  # primes up to here are tried one by one
BITS = 200  # of a number to be factorised
WALK = 4000  # steps: a prime below a million is met after about a thousand
LADDER = (
    Knobs(3, 13, 9, "out"),
    Knobs(5, 97, 9, "out"),
    Knobs(5, 290, 9, "out"),
    Knobs(5, 500, 12, "expression"),
    Knobs(6, 4500, 20, "expression"),
)
FAMILY = Family(
    Composite,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.PrimeFactors(),
    hardness=hardness,
    proof="unique",
    solver="trial division and Pollard's rho",
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    slips=slips,
    inputs=("numbers",),
    twin=twin,
    skills=("primes", "factoring", "calculation"),
    peers=("reasoning-gym/prime_factorization", "mathematics_dataset/list_prime_factors"),
    slips_version=2,
    version=2,
)
