"""Divisibility claim: which of some claims "d divides f(n) for every n" fails, and where.

f is a sum of powers of n and powers with n in the exponent. Modulo d both come round: `solve` runs
through one full period behind the place from which all are periodic, and so proves what it calls
true. `verify` computes one remainder, for the n that is answered; for "impossible" it runs through
states of a machine that goes from n to n + 1 until one comes again.
"""

from dataclasses import dataclass
from functools import cache
from math import gcd, lcm
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.statements._claims import KIND, Answer, asked, broken, mixed, read

# Divisor, powers of n as (number, exponent), powers to n as (number, base).
Claim: TypeAlias = tuple[int, tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]


@dataclass(frozen=True, slots=True)
class Knobs:
    claims: int  # to choose from
    divisor: int  # the largest
    terms: int  # of a sum, at most
    exponent: int  # the largest
    late: int  # the least n at which a false claim fails


@dataclass(frozen=True, slots=True)
class Claims:
    claims: tuple[Claim, ...]


def generate(rng: Random, knobs: Knobs) -> Claims | None:
    def drawn() -> tuple[Claim, int] | None:
        """A sum, and the largest divisor of all that it ever is."""
        for _ in range(60):
            claim = _sum(rng, knobs)
            divisor = 0
            for n in range(12):
                divisor = gcd(divisor, _whole(claim, n))
                if divisor in (1, 2):
                    break
            if divisor > 3:
                return claim, divisor
        return None

    def fitting(divisor: int) -> int | None:
        """One of the largest divisors that a true claim can have."""
        found = [each for each in _smooth(knobs.divisor) if divisor % each == 0]
        return rng.choice(found[-3:]) if found else None

    def true() -> Claim | None:
        base = drawn()
        size = fitting(base[1]) if base else None
        made = (size, *base[0][1:]) if base and size else None
        return made if made and not _plain(made) and _first(made) is None else None

    def false() -> Claim | None:
        """The same kind of sum with a divisor that fits for the first few n only."""
        base = drawn()
        size = fitting(base[1]) if base else None
        if base is None or size is None:
            return None
        others = [(each, *base[0][1:]) for each in _smooth(knobs.divisor) if base[1] % each]
        late = [
            made
            for made in others
            if not any(_whole(made, n) % made[0] for n in range(knobs.late)) and not _plain(made)
        ]
        # Of about the size of a true one: the largest divisor must not give the false claim away.
        near = sorted(late, key=lambda made: abs(made[0] - size))
        return rng.choice(near[: rng.randint(1, 2)]) if near else None

    found = mixed(rng, knobs.claims, true, false, _kernel)
    return Claims(found) if found else None


def solve(claims: Claims) -> Answer | None:
    """The remainders of a full period, and of what comes before it."""

    def counterexample(claim: Claim) -> dict[str, int] | None:
        place = _first(claim)
        return None if place is None else {"n": place}

    return broken(claims.claims, counterexample)


def verify(claims: Claims, answer: Answer) -> float:
    if isinstance(answer, answers.Impossible):
        return float(all(map(_never, claims.claims)))
    found = read(answer, len(claims.claims), 10**60)
    if found is None or set(found[1]) != {"n"} or found[1]["n"] < 0:
        return 0.0
    divisor, powers, towers = claims.claims[found[0]]
    n = found[1]["n"]
    total = sum(number * pow(n, up, divisor) for number, up in powers)
    total += sum(number * pow(base, n, divisor) for number, base in towers)
    return float(total % divisor != 0)


def recheck(claims: Claims, answer: Answer) -> bool:
    """By the prime powers of the divisor, one at a time, with powers by repeated multiplying."""
    if isinstance(answer, answers.Impossible):
        return not any(
            _left(claim, n, part)
            for claim in claims.claims
            for part in _parts(claim[0])
            for n in range(part + part.bit_length() + 1)
            for n in (n, n + part * _euler(part))
        ) and all(_first(claim) is None for claim in claims.claims)
    values = dict(answer)
    place, n = values.pop("claim", None), values.pop("n", None)
    if values or place is None or n is None or n.denominator > 1:
        return False
    if place not in range(1, len(claims.claims) + 1):
        return False
    claim = claims.claims[int(place) - 1]
    return n >= 0 and any(_left(claim, int(n), part) for part in _parts(claim[0]))


def render(claims: Claims, style: Style) -> Prompt:
    return asked(
        style,
        "Each claim is about all integers n ≥ 0 (n = 0 too); 0 is divisible by every number.",
        [f"{_text(claim)} is divisible by {claim[0]} for all n." for claim in claims.claims],
        "claim = 2, n = 41",
    )


def steps(claims: Claims) -> list[str]:
    lines = []
    for place, claim in enumerate(claims.claims, 1):
        first, period = _first(claim), _period(claim)
        if first is None:
            lines.append(f"Claim {place}: modulo {claim[0]} the period divides {period[1]}, and all"
                         " remainders are 0")  # fmt: skip
        else:
            lines.append(f"Claim {place}: n = {first} gives {_whole(claim, first)}, which leaves"
                         f" {_whole(claim, first) % claim[0]} modulo {claim[0]}")  # fmt: skip
    return lines


def hardness(claims: Claims) -> float:
    return sum(len(_text(claim)) * len(str(claim[0])) for claim in claims.claims)


def canon(claims: Claims) -> list[Claim]:
    """The order of claims, and of a sum's terms, makes no other question."""
    return sorted(
        (divisor, tuple(sorted(powers)), tuple(sorted(towers)))
        for divisor, powers, towers in claims.claims
    )


def _kernel(claim: Claim) -> tuple[object, ...]:
    """The sum without its sign and the order of its terms: a multiple of 12 is one of 6."""
    _, powers, towers = claim
    terms = [(number, up, 0) for number, up in powers] + [
        (number, 0, base) for number, base in towers
    ]
    return min(tuple(sorted((sign * number, *rest) for number, *rest in terms)) for sign in (1, -1))


def _sum(rng: Random, knobs: Knobs) -> Claim:
    """Powers of n, or powers to n and perhaps n too; at n = 0 and n = 1 there is often nothing."""
    tall, terms = rng.random() < 0.5, rng.randint(2, knobs.terms)
    ups = rng.sample(range(1, knobs.exponent + 1), min(terms, knobs.exponent))
    if not tall:
        numbers = [rng.choice((-1, 1, 1, 2, -3, 5)) for _ in ups]
        numbers[-1] = -sum(numbers[:-1]) or 1
        return 0, tuple(zip(numbers, ups)), ()
    bases = rng.sample(range(2, 4 + 2 * knobs.exponent), min(terms, 2 + (terms > 3)))
    numbers = [rng.choice((-1, 1, 1, 2, 3)) for _ in bases]
    powers: tuple[tuple[int, int], ...] = ()
    if rng.random() < 0.4:
        powers = ((rng.choice((1, -1)) * rng.randint(2, 4 * knobs.exponent), 1),)
    rest = -sum(numbers)
    return 0, (*powers, *(((rest, 0),) if rest else ())), tuple(zip(numbers, bases))


@cache
def _smooth(most: int) -> list[int]:
    """Divisors of true claims and of false ones: large primes would tell them apart."""
    return [each for each in range(4, most + 1) if max(_primes(each)) <= 7]


def _primes(number: int) -> list[int]:
    return [prime for prime in range(2, number + 1) if not number % prime and _is_prime(prime)]


def _is_prime(number: int) -> bool:
    return all(number % each for each in range(2, number))


def _plain(claim: Claim) -> bool:
    """Whether every number in a sum is a multiple of the divisor, or the sum is short of terms."""
    numbers = [number for number, _ in (*claim[1], *claim[2])]
    return len([each for each in numbers if each % claim[0]]) < 2


def _whole(claim: Claim, n: int) -> int:
    _, powers, towers = claim
    total = sum(number * int(n**up) for number, up in powers)
    return total + sum(number * int(base**n) for number, base in towers)


def _period(claim: Claim) -> tuple[int, int]:
    """From where on, and after how many steps, everything comes round modulo the divisor."""
    divisor, powers, towers = claim
    period = divisor if any(up for _, up in powers) else 1
    start = 0
    for _, base in towers:
        seen: dict[int, int] = {}
        power, n = 1 % divisor, 0
        while power not in seen:
            seen[power] = n
            power, n = power * base % divisor, n + 1
        start, period = max(start, seen[power]), lcm(period, n - seen[power])
    return start, period


def _first(claim: Claim) -> int | None:
    """The least n that breaks a claim."""
    start, period = _period(claim)
    divisor, powers, towers = claim
    current = [1 % divisor for _ in towers]
    for n in range(start + period):
        total = sum(number * pow(n, up, divisor) for number, up in powers)
        total += sum(number * power for (number, _), power in zip(towers, current))
        if total % divisor:
            return n
        current = [power * base % divisor for (_, base), power in zip(towers, current)]
    return None


def _never(claim: Claim) -> bool:
    """Whether no state of the machine that goes from n to n + 1 leaves a remainder."""
    divisor, powers, towers = claim
    state = (0, *(1 % divisor for _ in towers))
    seen = set()
    while state not in seen:
        seen.add(state)
        total = sum(number * state[0] ** up for number, up in powers)
        total += sum(number * power for (number, _), power in zip(towers, state[1:]))
        if total % divisor:
            return False
        state = (
            (state[0] + 1) % divisor,
            *(power * base % divisor for (_, base), power in zip(towers, state[1:])),
        )
    return True


def _parts(number: int) -> list[int]:
    found, prime = [], 2
    while number > 1:
        part = 1
        while number % prime == 0:
            number, part = number // prime, part * prime
        found += [part] if part > 1 else []
        prime += 1
    return found


def _euler(number: int) -> int:
    return sum(gcd(each, number) == 1 for each in range(1, number + 1))


def _left(claim: Claim, n: int, part: int) -> int:
    _, powers, towers = claim
    total = sum(number * int((n % part) ** up) for number, up in powers)
    for number, base in towers:
        # A power beyond the divisor's length repeats with its totient.
        up = n if n < 64 else 64 + (n - 64) % _euler(part)
        total += number * int(base**up)
    return total % part


def _text(claim: Claim) -> str:
    """2*7^n - 3n^2 + 1"""
    _, powers, towers = claim
    terms = [(number, f"{base}^n", "*") for number, base in towers]
    terms += [
        (number, "n" if up == 1 else f"n^{up}" if up else "", "")
        for number, up in sorted(powers, key=lambda power: -power[1])
    ]
    found = ""
    for number, thing, sign in terms:
        size = "" if abs(number) == 1 and thing else f"{abs(number)}{sign}"
        joint = (" - " if number < 0 else " + ") if found else "-" if number < 0 else ""
        found += f"{joint}{size}{thing}"
    return found


LADDER = (
    Knobs(2, 12, 2, 3, 2),
    Knobs(3, 30, 3, 5, 2),
    Knobs(4, 45, 3, 7, 2),
    Knobs(5, 70, 4, 9, 3),
    Knobs(6, 120, 4, 11, 3),
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
    solver="a full period of remainders",
    guess_rate=0.4,
    recheck=recheck,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("divisibility", "modular", "proof"),
    version=4,
)
