"""Quadratic congruences: every x below the modulus with a*x^2 + b*x + c = 0 modulo m.

The simplest are square roots. `solve` splits the modulus into powers of primes, lifts the roots of
each from power to power, and combines them by the Chinese remainder theorem; `verify` tries every
residue, by differences and without a product.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.number_theory._numbers import factorised, powers_text, primes_up_to


@dataclass(frozen=True, slots=True)
class Knobs:
    most: int  # the largest modulus
    primes: int  # in it, at most, and at least one fewer
    # without x, with x, or with a factor before its square
    shape: Literal["square", "monic", "any"]


@dataclass(frozen=True, slots=True)
class Congruence:
    square: int  # the coefficient of x^2
    linear: int
    rest: int  # on the right side
    modulus: int


def generate(rng: Random, knobs: Knobs) -> Congruence | None:
    low = max(5, knobs.most // 3)
    modulus = rng.randint(low, knobs.most)
    if knobs.primes == 1:
        modulus = rng.choice([prime for prime in primes_up_to(knobs.most) if prime >= low])
    count = sum(exponent for _, exponent in factorised(modulus))
    if not max(1, knobs.primes - 1) <= count <= knobs.primes:
        return None
    square = rng.randint(2, min(modulus - 1, 60)) if knobs.shape == "any" else 1
    linear = rng.randint(2, modulus - 1) if knobs.shape != "square" else 0
    root = rng.randrange(2, modulus)
    rest = (square * root * root + linear * root) % modulus
    if rng.random() < IMPOSSIBLE_SHARE:
        rest = rng.randint(2, modulus - 1)
    drawn = Congruence(square, linear, rest, modulus)
    found = solve(drawn)
    return None if rest < 2 or found is None or square == modulus else drawn


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(congruence: Congruence) -> tuple[int, ...] | Impossible | None:
    if not 1 < congruence.modulus <= LARGEST:
        return None
    found, step = [0], 1
    for prime, exponent in factorised(congruence.modulus):
        power = prime**exponent
        roots = _lifted(congruence, prime, exponent)
        if not roots or len(found) * len(roots) > MANY:
            return IMPOSSIBLE if not roots else None
        inverse = pow(step, -1, power)
        found = [x + step * ((root - x) * inverse % power) for x in found for root in roots]
        step *= power
    return tuple(sorted(found))


def verify(congruence: Congruence, answer: tuple[int, ...] | Impossible) -> float:
    modulus = congruence.modulus
    value, change = -congruence.rest % modulus, (congruence.square + congruence.linear) % modulus
    found = set()
    for x in range(modulus):
        if value == 0:
            found.add(x)
        value = (value + change) % modulus
        change = (change + 2 * congruence.square) % modulus
    said = set() if isinstance(answer, Impossible) else set(answer)
    return float(said == found and bool(found) != isinstance(answer, Impossible))


def render(congruence: Congruence, style: Style) -> Prompt:
    modulus, left = f"{congruence.modulus}", _left(congruence)
    question = style.pick(
        f"Find all integers x with 0 <= x < {modulus} for which {left} ≡ {congruence.rest}"
        f" (mod {modulus}).",
        f"Solve {left} ≡ {congruence.rest} (mod {modulus}). Give every solution x with"
        f" 0 <= x < {modulus}.",
        f"For which integers x, at least 0 and less than {modulus}, does {left} leave the"
        f" remainder {congruence.rest} when it is divided by {modulus}? List all of them.",
    )
    return Prompt(
        question,
        form='all solutions x, separated by commas, in any order; or the word "impossible" if there'
        " is no solution",
    )


def steps(congruence: Congruence) -> list[str]:
    """The solutions modulo each power of a prime, and all of them."""
    powers = factorised(congruence.modulus)
    lines = [f"{congruence.modulus} = {powers_text(powers)}"]
    for prime, exponent in powers:
        roots = _lifted(congruence, prime, exponent)
        if not roots:
            return [*lines, f"modulo {prime**exponent} there is no solution: impossible"]
        told = ", ".join(map(str, roots[:MANY]))
        lines.append(f"modulo {prime**exponent}: {told}")
    found = solve(congruence)
    told = ", ".join(map(str, found)) if isinstance(found, tuple) else "too many"
    return [*lines, f"together: {told}"]


def progress(congruence: Congruence, lines: Lines) -> float:
    return results_derived(FAMILY, congruence, lines)


def hardness(congruence: Congruence) -> float:
    """Residues to try, and terms."""
    terms = 1 + (congruence.linear > 0) + (congruence.square > 1)
    return float(congruence.modulus * terms)


def twin(rng: Random, knobs: Knobs, congruence: Congruence) -> Congruence | None:
    for _ in range(30):
        drawn = generate(rng, knobs)
        if drawn and (solve(drawn) is IMPOSSIBLE) == (solve(congruence) is IMPOSSIBLE):
            return drawn
    return None


def _lifted(congruence: Congruence, prime: int, exponent: int) -> list[int]:
    """The roots modulo a power: each is a root modulo the power before, plus a multiple of it."""
    roots, power = [0], 1
    for _ in range(exponent):
        tried = [root + power * digit for root in roots for digit in range(prime)]
        power *= prime
        roots = [x for x in tried if _value(congruence, x) % power == 0]
    return sorted(roots)


def _value(congruence: Congruence, x: int) -> int:
    return (congruence.square * x + congruence.linear) * x - congruence.rest


def _left(congruence: Congruence) -> str:
    """3x^2 + 5x"""
    first = "x^2" if congruence.square == 1 else f"{congruence.square}x^2"
    return first if not congruence.linear else f"{first} + {congruence.linear}x"


IMPOSSIBLE_SHARE = 0.25  # of the right sides are drawn at random; some of those have roots
LARGEST = 30_000  # modulus for which all residues are tried
MANY = 32  # solutions that one can be asked to write down
LADDER = (
    Knobs(60, 1, "square"),
    Knobs(900, 2, "square"),
    Knobs(1000, 3, "monic"),
    Knobs(1600, 4, "monic"),
    Knobs(4000, 5, "any"),
)
FAMILY = Family(
    Congruence,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.IntSet()),
    notation=lambda congruence: answers.OrImpossible(
        answers.IntSet(either=True, modulus=congruence.modulus)
    ),
    hardness=hardness,
    proof="unique",
    solver="roots lifted from prime to prime power, Chinese remainder theorem",
    guess_rate=0.25,
    steps=steps,
    progress=progress,
    inputs=("square", "linear", "rest", "modulus"),
    twin=twin,
    skills=("modular", "equations", "factoring"),
    peers=(),
)
