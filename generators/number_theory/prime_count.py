"""Counting the primes of an interval, or those of a certain form.

`solve` crosses out multiples, as Eratosthenes did, as far as the condition looks; `verify` knows no
sieve: it asks of number after number whether it has a divisor in common with a factorial.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from math import factorial, gcd, isqrt
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style


@dataclass(frozen=True, slots=True)
class Knobs:
    start: int  # where an interval begins, at most
    width: int  # its length, at most
    # all primes, those of a residue class, with a partner, or of a form
    condition: Literal["any", "residue", "shift", "formula"]


@dataclass(frozen=True, slots=True)
class Interval:
    low: int
    high: int
    condition: str
    numbers: tuple[int, ...]  # that the condition speaks of


def generate(rng: Random, knobs: Knobs) -> Interval | None:
    kind: str = knobs.condition
    if kind == "formula":
        kind = rng.choice(("double", "reversal", "two squares", "half"))
    return _filled(rng, knobs, kind)


def solve(interval: Interval) -> int | None:
    """Cross out multiples as far as the condition looks."""
    low, high = interval.low, interval.high
    if not 0 < low <= high <= FAR or (interval.condition == "residue" and not _sound(interval)):
        return None
    reach = {
        "double": 2 * high + 1,
        "shift": high + max(interval.numbers, default=0),
        "reversal": 10 ** len(f"{high:d}"),
    }
    top = reach.get(interval.condition, high)
    if top > 2 * FAR:
        return None
    sieve = bytearray(b"\0\0") + bytearray(b"\1") * (top - 1)
    for number in range(2, int(top**0.5) + 1):
        if sieve[number]:
            sieve[number * number :: number] = bytes(len(range(number * number, top + 1, number)))
    found = list(compress(range(low, high + 1), sieve[low:]))
    match interval.condition:
        case "residue":
            modulus, rest = interval.numbers
            found = [prime for prime in found if prime % modulus == rest]
        case "shift":
            found = [prime for prime in found if all(sieve[prime + n] for n in interval.numbers)]
        case "double":
            found = [prime for prime in found if sieve[2 * prime + 1]]
        case "half":
            found = [prime for prime in found if prime > 2 and sieve[(prime - 1) // 2]]
        case "reversal":
            found = [prime for prime in found if sieve[int(str(prime)[::-1])]]
        case "two squares":
            squares = {n * n for n in range(int(high**0.5) + 1)}
            found = [p for p in found if any(p - square in squares for square in squares)]
    return len(found)


def verify(interval: Interval, answer: int) -> float:
    if not 0 <= answer <= interval.high - interval.low + 1:
        return 0.0
    candidates = range(interval.low, interval.high + 1)
    if interval.condition == "residue":
        modulus, rest = interval.numbers
        candidates = candidates[(rest - interval.low) % modulus :: modulus]
    return float(answer == len(_such(_primes(candidates), interval)))


def render(interval: Interval, style: Style) -> Prompt:
    which = _condition(interval)
    low, high = f"{interval.low}", f"{interval.high}"
    if not which:
        question = style.pick(
            f"How many prime numbers p with {low} <= p <= {high} are there?",
            f"Count the primes from {low} to {high}, both ends included.",
            f"How many of the integers {low}, ..., {high} (both ends included) are prime?",
        )
    else:
        such = which.removeprefix("for which ")
        question = style.pick(
            f"How many prime numbers p with {low} <= p <= {high} are such that {such}?",
            f"Count the primes p from {low} to {high}, both ends included, {which}.",
            f"Consider all primes p between {low} and {high} (including the ends, if they are"
            f" prime). How many of them are such that {such}?",
        )
    return Prompt(question, form="one non-negative integer")


def steps(interval: Interval) -> list[str]:
    primes = _primes(range(interval.low, interval.high + 1))
    lines = [f"Primes from {interval.low} to {interval.high}: {', '.join(map(str, primes)) or '-'}"]
    kept = _such(primes, interval)
    if interval.condition != "any":
        lines.append(f"Of these, {_condition(interval)}: {', '.join(map(str, kept)) or '-'}")
    return [*lines, f"That makes {len(kept)}"]


def hardness(interval: Interval) -> float:
    """The numbers to be looked at, their length, and the condition."""
    factor = {"any": 1.0, "residue": 1.2, "shift": 1.5}.get(interval.condition, 2.0)
    return factor * (interval.high - interval.low + 1) * len(str(interval.high)) ** 2


def twin(rng: Random, knobs: Knobs, interval: Interval) -> Interval | None:
    return _filled(rng, knobs, interval.condition)


def _filled(rng: Random, knobs: Knobs, condition: str) -> Interval | None:
    low = rng.randint(1, knobs.start)
    high = low + rng.randint(knobs.width // 2, knobs.width)
    numbers: tuple[int, ...] = ()
    if (
        condition == "reversal" and str(low)[0] not in "1379"
    ):  # of the primes that end so, there are none
        return None
    if condition == "residue":
        modulus = rng.choice((3, 4, 5, 6, 8, 10))
        rest = rng.choice([n for n in range(1, modulus) if _coprime(n, modulus)])
        numbers = (modulus, rest)
    elif condition == "shift":
        numbers = rng.choice(((2,), (4,), (6,), (8,), (10,), (12,), (2, 6), (4, 6)))
    return Interval(low, high, condition, numbers)


def _sound(interval: Interval) -> bool:
    modulus, rest = interval.numbers
    return 0 <= rest < modulus


def _condition(interval: Interval) -> str:
    match interval.condition:
        case "residue":
            modulus, rest = interval.numbers
            return f"for which p leaves the remainder {rest} when divided by {modulus}"
        case "shift":
            others = [f"p + {number}" for number in interval.numbers]
            also = f"{others[0]} is" if len(others) == 1 else f"{others[0]} and {others[1]} are"
            return f"for which {also} prime too"
        case "double":
            return "for which 2p + 1 is prime too"
        case "half":
            return "for which (p - 1)/2 is prime too"
        case "reversal":
            return "for which p read backwards, digit by digit, is prime too"
        case "two squares":
            return "for which p is the sum of two squares of integers"
        case _:
            return ""


def _such(primes: list[int], interval: Interval) -> list[int]:
    """Those of the primes that the condition lets count."""
    match interval.condition:
        case "residue":
            modulus, rest = interval.numbers
            return [prime for prime in primes if (prime - rest) % modulus == 0]
        case "shift":
            for step in interval.numbers:
                primes = [prime for prime in primes if _is_prime(prime + step)]
            return primes
        case "double":
            return [prime for prime in primes if _is_prime(2 * prime + 1)]
        case "half":
            return [prime for prime in primes if prime % 2 == 1 and _is_prime(prime // 2)]
        case "reversal":
            return [prime for prime in primes if _is_prime(_backwards(prime))]
        case "two squares":  # Fermat's theorem
            return [prime for prime in primes if prime % 4 != 3]
        case _:
            return primes


def _backwards(number: int) -> int:
    back = 0
    while number:
        number, digit = divmod(number, 10)
        back = 10 * back + digit
    return back


def _primes(numbers: range) -> list[int]:
    return [number for number in numbers if _is_prime(number)]


def _is_prime(number: int) -> bool:
    """A composite number shares a divisor with the product of all numbers up to its root."""
    return number > 1 and gcd(number, _product(isqrt(number))) == 1


@lru_cache(maxsize=512)
def _product(last: int) -> int:
    return factorial(last)


def _coprime(one: int, other: int) -> bool:
    return all(one % divisor or other % divisor for divisor in range(2, one + 1))


FAR = 20_000  # the end of an interval, at most
LADDER = (
    Knobs(40, 30, "any"),
    Knobs(1000, 120, "any"),
    Knobs(2000, 150, "residue"),
    Knobs(3000, 250, "shift"),
    Knobs(6000, 400, "formula"),
)
FAMILY = Family(
    Interval,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="sieve of Eratosthenes",
    guess_rate=0.3,
    steps=steps,
    inputs=("low", "high", "numbers"),
    twin=twin,
    skills=("primes", "divisibility"),
    peers=("reasoning-gym/count_primes",),
    version=2,
)
