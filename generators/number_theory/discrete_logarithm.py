"""Discrete logarithm: the smallest exponent x with g^x = h modulo m, or that there is none.

`solve` steps by giant strides and looks the target up among small steps; `verify` multiplies by g
again and again from 1 and watches where the target first turns up.
"""

from dataclasses import dataclass
from math import gcd, isqrt
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.number_theory._numbers import primes_up_to


@dataclass(frozen=True, slots=True)
class Knobs:
    modulus: int  # the largest
    exponent: int  # the smallest that an answer may be
    kind: Literal["prime", "any"]  # of modulus


@dataclass(frozen=True, slots=True)
class Logarithm:
    base: int
    target: int
    factor: int  # before the power; 1: nothing stands there
    modulus: int


def generate(rng: Random, knobs: Knobs) -> Logarithm | None:
    low = max(7, knobs.modulus // 2)
    if knobs.kind == "prime":
        modulus = rng.choice([prime for prime in primes_up_to(knobs.modulus) if prime >= low])
    else:
        modulus = rng.randint(low, knobs.modulus)
    base = rng.randint(2, modulus - 2)
    factor = rng.randint(2, modulus - 1) if knobs.kind == "any" else 1
    if gcd(base * factor, modulus) > 1:
        return None
    powers = _powers(base, modulus)
    if len(powers) <= min(knobs.exponent, modulus // 4) + 2:
        return None
    missing = sorted({n for n in range(2, modulus) if gcd(n, modulus) == 1} - set(powers))
    if missing and rng.random() < MISSED:
        target = rng.choice(missing)
    else:
        target = powers[rng.randrange(min(knobs.exponent, modulus // 4), len(powers))]
    return Logarithm(base, target * factor % modulus, factor, modulus)


def solve(logarithm: Logarithm) -> int | Impossible | None:
    """Small steps and giant strides; only where the powers run in a circle from 1."""
    modulus = logarithm.modulus
    if not 2 < modulus <= LARGEST or logarithm.target >= modulus:
        return None
    if gcd(logarithm.base * logarithm.factor, modulus) > 1:
        return None
    target = logarithm.target * pow(logarithm.factor, -1, modulus) % modulus
    if target == 1:
        return 0
    stride = isqrt(modulus) + 1
    small: dict[int, int] = {}
    power = target
    for step in range(stride):  # target * base^step, the largest step for each
        small[power] = step
        power = power * logarithm.base % modulus
    giant = pow(logarithm.base, stride, modulus)
    power = 1
    for count in range(1, stride + 1):
        power = power * giant % modulus
        if power in small:
            return count * stride - small[power]
    return IMPOSSIBLE


def verify(logarithm: Logarithm, answer: int | Impossible) -> float:
    power = logarithm.factor % logarithm.modulus
    for exponent in range(logarithm.modulus):
        if power == logarithm.target:
            return float(answer == exponent)
        power = power * logarithm.base % logarithm.modulus
    return float(answer is IMPOSSIBLE)


def render(logarithm: Logarithm, style: Style) -> Prompt:
    base, target, modulus = logarithm.base, logarithm.target, logarithm.modulus
    power = f"{base}^x" if logarithm.factor == 1 else f"{logarithm.factor} * {base}^x"
    question = style.pick(
        f"Find the smallest integer x >= 0 such that {power} ≡ {target} (mod {modulus}).",
        f"What is the smallest non-negative integer x for which {power} leaves the remainder"
        f" {target} when divided by {modulus}?",
        f"Solve {power} = {target} modulo {modulus} for the exponent x. Give the least solution"
        " x >= 0.",
    )
    if style.phrasing % 2:
        question += f" ({base}^0 is 1.)"
    return Prompt(question, form='one integer; or the word "impossible" if there is no such x')


def steps(logarithm: Logarithm) -> list[str]:
    """The powers one after another, until the target or until they begin again."""
    found = solve(logarithm)
    power = logarithm.factor % logarithm.modulus
    parts = [f"x = 0: {power}"]
    for exponent in range(1, min(logarithm.modulus, STEPS)):
        if power == logarithm.target:
            break
        power = power * logarithm.base % logarithm.modulus
        parts.append(f"x = {exponent}: {power}")
        if power == logarithm.factor % logarithm.modulus:
            parts.append("from here on the values repeat")
            break
    return [*parts, "impossible" if found is IMPOSSIBLE else f"so x = {found}"]


def progress(logarithm: Logarithm, lines: Lines) -> float:
    return results_derived(FAMILY, logarithm, lines)


def hardness(logarithm: Logarithm) -> float:
    """The modulus, whose length and size both tell."""
    return logarithm.modulus * (1 if logarithm.factor == 1 else 1.5)


def twin(rng: Random, knobs: Knobs, logarithm: Logarithm) -> Logarithm | None:
    for _ in range(30):
        drawn = generate(rng, knobs)
        if drawn and (solve(drawn) is IMPOSSIBLE) == (solve(logarithm) is IMPOSSIBLE):
            return drawn
    return None


def _powers(base: int, modulus: int) -> list[int]:
    found: list[int] = []
    power = 1
    while not found or power != 1:
        found.append(power)
        power = power * base % modulus
    return found


MISSED = 0.25  # of the targets, where some are no power
LARGEST = 30_000  # modulus for which powers are walked through
STEPS = 5000  # powers that a worked solution tells
LADDER = (
    Knobs(23, 2, "prime"),
    Knobs(200, 4, "prime"),
    Knobs(300, 10, "prime"),
    Knobs(600, 20, "any"),
    Knobs(1500, 40, "any"),
)
FAMILY = Family(
    Logarithm,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.Integer()),
    hardness=hardness,
    proof="unique",
    solver="baby steps and giant steps",
    guess_rate=0.25,
    steps=steps,
    progress=progress,
    inputs=("base", "target", "factor", "modulus"),
    twin=twin,
    skills=("modular", "logarithms"),
    peers=("RLVE/discrete_logarithm",),
    version=2,
)
