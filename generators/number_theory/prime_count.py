"""Counting the primes of an interval, or those of a certain form.

`solve` crosses out multiples, as Eratosthenes did, as far as the condition looks; `verify` tests
number after number by Fermat's and Euler's criteria (Miller and Rabin), which knows no sieve.
"""

from dataclasses import dataclass
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
    """Cross out multiples up to a little more than twice the interval's end."""
    low, high = interval.low, interval.high
    if not 0 < low <= high <= FAR or (interval.condition == "residue" and not _sound(interval)):
        return None
    reach = {"double": 2 * high + 1, "shift": high + max(interval.numbers, default=0)}
    top = reach.get(interval.condition, 10 ** len(f"{high:d}"))
    if top > 2 * FAR:
        return None
    sieve = bytearray(b"\0\0") + bytearray(b"\1") * (top - 1)
    for number in range(2, int(top**0.5) + 1):
        if sieve[number]:
            sieve[number * number :: number] = bytes(len(range(number * number, top + 1, number)))
    found = [number for number in range(low, high + 1) if sieve[number]]
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
    return float(answer == sum(_counts(number, interval) for number in _range(interval)))


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
    primes = [number for number in _range(interval) if _is_prime(number)]
    lines = [f"Primes from {interval.low} to {interval.high}: {', '.join(map(str, primes)) or '-'}"]
    kept = [prime for prime in primes if _counts(prime, interval)]
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


def _range(interval: Interval) -> range:
    return range(interval.low, interval.high + 1)


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


def _counts(number: int, interval: Interval) -> bool:
    if not _is_prime(number):
        return False
    match interval.condition:
        case "residue":
            return (number - interval.numbers[1]) % interval.numbers[0] == 0
        case "shift":
            return all(_is_prime(number + step) for step in interval.numbers)
        case "double":
            return _is_prime(2 * number + 1)
        case "half":
            return number % 2 == 1 and _is_prime(number // 2)
        case "reversal":
            back = 0
            while number:
                number, digit = divmod(number, 10)
                back = 10 * back + digit
            return _is_prime(back)
        case "two squares":  # Fermat's theorem
            return number % 4 != 3
        case _:
            return True


def _is_prime(number: int) -> bool:
    """Miller and Rabin's test; with these bases it is a proof below 3 * 10^9."""
    if number < 2 or number % 2 == 0:
        return number == 2
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7):
        power = pow(base, odd, number)
        if base % number == 0 or power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


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
