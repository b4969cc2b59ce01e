"""Systems of congruences: the smallest x with given remainders (the Chinese remainder theorem).

Moduli may share primes, so that congruences can contradict one another. `solve` joins two at a
time by Euclid's algorithm. `verify` puts the answer in; it is the smallest where it lies below the
period, the least common multiple. That there is none it sees by sieving: stepping by the joint
modulus until the next congruence fits, or cannot.
"""

from dataclasses import dataclass
from math import gcd, lcm
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived


@dataclass(frozen=True, slots=True)
class Knobs:
    congruences: int  # in the system
    modulus: int  # the largest
    shared: bool  # whether moduli may have divisors in common
    factors: bool  # whether x stands with a coefficient


@dataclass(frozen=True, slots=True)
class System:
    rows: tuple[tuple[int, int, int], ...]  # a, b, m: a*x leaves b when divided by m


def generate(rng: Random, knobs: Knobs) -> System | None:
    low = max(3, knobs.modulus // 3)
    moduli = _moduli(rng, knobs, low)
    if moduli is None or lcm(*moduli) > LONGEST:
        return None
    secret = rng.randrange(lcm(*moduli))
    rows = []
    for modulus in moduli:
        factor = rng.randint(2, modulus - 1) if knobs.factors else 1
        if gcd(factor, modulus) > (6 if knobs.shared else 1):
            return None
        rows.append((factor, factor * secret % modulus, modulus))
    if knobs.shared and rng.random() < CONTRADICTED:
        place = rng.randrange(len(rows))
        factor, rest, modulus = rows[place]
        rows[place] = (factor, (rest + rng.randint(1, modulus - 1)) % modulus, modulus)
        if solve(System(tuple(rows))) is not IMPOSSIBLE:
            return None
    return System(tuple(rows))


def solve(system: System) -> int | Impossible | None:
    """x = start + step * t, with a coefficient's inverse for each further congruence."""
    start, step = 0, 1
    if any(modulus < 2 or rest >= modulus for _, rest, modulus in system.rows):
        return None
    for factor, rest, modulus in system.rows:
        left, missing = factor * step, rest - factor * start
        shared = gcd(left, modulus)
        if missing % shared:
            return IMPOSSIBLE
        smaller = modulus // shared
        times = missing // shared * pow(left // shared, -1, smaller) if smaller > 1 else 0
        start, step = start + step * times, step * smaller
        start %= step
    return start


def verify(system: System, answer: int | Impossible) -> float:
    if isinstance(answer, Impossible):
        return float(not _sieved(system))
    period = 1
    for factor, rest, modulus in system.rows:
        if (factor * answer - rest) % modulus:
            return 0.0
        period = lcm(period, modulus // gcd(factor, modulus))
    return float(0 <= answer < period)


def render(system: System, style: Style) -> Prompt:
    signs = "\n".join(
        f"{'' if factor == 1 else factor}x ≡ {rest} (mod {modulus})"
        for factor, rest, modulus in system.rows
    )
    words = "\n".join(
        f"- {'x' if factor == 1 else f'{factor}x'} leaves the remainder {rest} when divided by"
        f" {modulus}"
        for factor, rest, modulus in system.rows
    )
    question = style.pick(
        f"Find the smallest integer x >= 0 that satisfies all of these congruences:\n\n{signs}",
        f"What is the smallest non-negative integer x for which all of this holds?\n\n{words}",
        f"Solve the system of congruences\n\n{signs}\n\nand give its least solution x >= 0.",
        f"This is known about the remainders of a whole number x >= 0:"
        f"\n\n{words}\n\nWhat is the smallest that x can be?",
    )
    return Prompt(question, form='one integer; or the word "impossible" if there is no such x')


def steps(system: System) -> list[str]:
    """The congruences joined one after another."""
    lines: list[str] = []
    for count in range(1, len(system.rows) + 1):
        part = System(system.rows[:count])
        found = solve(part)
        if not isinstance(found, int):
            return [*lines, f"congruence {count} contradicts that: impossible"]
        period = lcm(*(modulus // gcd(factor, modulus) for factor, _, modulus in part.rows))
        lines.append(f"congruences 1 to {count}: x = {found} (mod {period})")
    return lines


def progress(system: System, lines: Lines) -> float:
    return results_derived(FAMILY, system, lines)


def hardness(system: System) -> float:
    """Digits of the moduli; more where x has coefficients."""
    digits = sum(len(str(modulus)) for _, _, modulus in system.rows)
    return digits * (1.5 if any(factor > 1 for factor, _, _ in system.rows) else 1)


def canon(system: System) -> list[tuple[int, int, int]]:
    return sorted(system.rows, key=lambda row: (row[2], row[0], row[1]))


def twin(rng: Random, knobs: Knobs, system: System) -> System | None:
    """Other numbers; impossible if and only if the system is."""
    for _ in range(30):
        drawn = generate(rng, knobs)
        if drawn and (solve(drawn) is IMPOSSIBLE) == (solve(system) is IMPOSSIBLE):
            return drawn
    return None


def _moduli(rng: Random, knobs: Knobs, low: int) -> list[int] | None:
    """Different moduli: no two with a common divisor, or each of them with one that came before."""
    found: list[int] = []
    for _ in range(20 * knobs.congruences):
        modulus = rng.randint(low, knobs.modulus)
        common = [gcd(modulus, other) for other in found]
        if knobs.shared:
            fits = not found or max(common) > 1
        else:
            fits = all(divisor == 1 for divisor in common)
        if fits and modulus not in found:
            found.append(modulus)
        if len(found) == knobs.congruences:
            return rng.sample(found, len(found))
    return None


def _sieved(system: System) -> bool:
    """Whether some x fits: from one that fits some congruences, go on to one that fits the next."""
    x, step = 0, 1
    for factor, rest, modulus in system.rows:
        for _ in range(min(modulus, TRIED)):
            if (factor * x - rest) % modulus == 0:
                break
            x += step
        else:
            return False
        step = lcm(step, modulus // gcd(factor, modulus))
    return True


CONTRADICTED = 0.2  # of the systems whose moduli allow it
LONGEST = 10**12
TRIED = 10**6
LADDER = (
    Knobs(2, 12, False, False),
    Knobs(3, 25, False, False),
    Knobs(3, 60, True, False),
    Knobs(4, 90, False, True),
    Knobs(5, 200, True, True),
)
FAMILY = Family(
    System,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.Integer()),
    notation=lambda system: answers.OrImpossible(
        answers.Integer(modulus=lcm(*(m // gcd(a, m) for a, _, m in system.rows)))
    ),
    hardness=hardness,
    proof="unique",
    solver="congruences joined by Euclid's algorithm",
    guess_rate=0.25,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("rows",),
    twin=twin,
    skills=("modular", "divisibility", "equations"),
    peers=("RLVE/crt", "RLVE/congruent_equation"),
    version=2,
)
