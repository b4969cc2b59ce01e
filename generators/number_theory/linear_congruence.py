"""Linear congruences: every x below the modulus with a*x + b = c*x + d modulo m.

An inverse is the simplest. Where the coefficient and the modulus share a divisor there are several
solutions or none. `solve` runs Euclid's algorithm backwards; `verify` tries every residue.
"""

from dataclasses import dataclass
from math import gcd
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived


@dataclass(frozen=True, slots=True)
class Knobs:
    modulus: int  # the largest
    shared: int  # the largest common divisor of coefficient and modulus
    shape: Literal["inverse", "single", "shifted", "both"]  # which of a, b, c and d there are


@dataclass(frozen=True, slots=True)
class Congruence:
    left: tuple[int, int]  # a and b
    right: tuple[int, int]  # c and d
    modulus: int
    shape: str


def generate(rng: Random, knobs: Knobs) -> Congruence | None:
    shared = rng.randint(1, knobs.shared)
    modulus = shared * rng.randint(max(2, knobs.modulus // (3 * shared)), knobs.modulus // shared)
    factor = shared * rng.randint(1, max(2, modulus // shared)) % modulus
    if factor < 2 or gcd(factor, modulus) != shared or modulus < 4:
        return None
    fits = shared == 1 or rng.random() < FITTING
    drawn = factor * rng.randrange(modulus) if fits else rng.randrange(modulus)
    if not fits and drawn % shared == 0:
        drawn += rng.randint(1, shared - 1)
    rest = drawn % modulus
    match knobs.shape:
        case "inverse":
            left, right = (factor, 0), (0, 1 if shared == 1 else rest)
        case "single":
            left, right = (factor, 0), (0, rest)
        case "shifted":
            added = rng.randint(2, modulus - 1)
            left, right = (factor, added), (0, (rest + added) % modulus)
        case _:
            other, added = rng.randint(2, modulus - 1), rng.randint(2, modulus - 1)
            left = ((factor + other) % modulus, added)
            right = (other, (rest + added) % modulus)
    trivial = left[0] < 2 or (right[1] < 2 and knobs.shape != "inverse")
    return None if trivial else Congruence(left, right, modulus, knobs.shape)


def solve(congruence: Congruence) -> tuple[int, ...] | Impossible | None:
    """Euclid's algorithm, kept track of: the inverse of the coefficient once both are divided."""
    if not 1 < congruence.modulus <= LARGEST:
        return None
    factor, rest = _simplified(congruence)
    old, new, before, after = factor, congruence.modulus, 1, 0
    while new:
        times = old // new
        old, new = new, old - times * new
        before, after = after, before - times * after
    if rest % old:
        return IMPOSSIBLE
    step = congruence.modulus // old
    if old > MANY:
        return None
    first = before * (rest // old) % step
    return tuple(range(first, congruence.modulus, step))


def verify(congruence: Congruence, answer: tuple[int, ...] | Impossible) -> float:
    said = set() if isinstance(answer, Impossible) else set(answer)
    (a, b), (c, d) = congruence.left, congruence.right
    found = {
        x for x in range(congruence.modulus) if (a * x + b - c * x - d) % congruence.modulus == 0
    }
    return float(said == found and bool(found) != isinstance(answer, Impossible))


def render(congruence: Congruence, style: Style) -> Prompt:
    modulus = f"{congruence.modulus}"
    left, right = _side(congruence.left), _side(congruence.right)
    if congruence.shape == "inverse" and congruence.right[1] == 1:
        factor = f"{congruence.left[0]}"
        question = style.pick(
            f"What is the multiplicative inverse of {factor} modulo {modulus}, that is, the x with"
            f" 0 <= x < {modulus} for which {factor} * x leaves the remainder 1 when divided by"
            f" {modulus}?",
            f"Find x with 0 <= x < {modulus} such that {factor}x ≡ 1 (mod {modulus}).",
            f"By which number from 0 up to but not including {modulus} must {factor} be multiplied"
            f" so that the product is 1 more than a multiple of {modulus}?",
        )
    else:
        question = style.pick(
            f"Find all integers x with 0 <= x < {modulus} for which {left} ≡ {right}"
            f" (mod {modulus}).",
            f"Solve {left} ≡ {right} (mod {modulus}). Give every solution x with"
            f" 0 <= x < {modulus}.",
            f"For which integers x, at least 0 and less than {modulus}, do {left} and {right} leave"
            f" the same remainder when they are divided by {modulus}? List all of them.",
        )
    return Prompt(
        question,
        form='all solutions x, separated by commas, in any order; or the word "impossible" if there'
        " is no solution",
    )


def steps(congruence: Congruence) -> list[str]:
    factor, rest = _simplified(congruence)
    modulus = congruence.modulus
    lines = [f"{factor}x = {rest} (mod {modulus})"]
    shared = gcd(factor, modulus)
    if rest % shared:
        return [*lines, f"{shared} divides {factor} and {modulus}, but not {rest}: impossible"]
    if shared > 1:
        lines.append(
            f"divided by {shared}: {factor // shared}x = {rest // shared} (mod {modulus // shared})"
        )
    one, other = modulus // shared, factor // shared
    while other:
        lines.append(f"{one} = {one // other} * {other} + {one % other}")
        one, other = other, one % other
    inverse = pow(factor // shared, -1, modulus // shared)
    found = solve(congruence)
    told = ", ".join(map(str, found)) if isinstance(found, tuple) else "too many"
    return [*lines, f"the inverse of {factor // shared} is {inverse}", f"x = {told}"]


def progress(congruence: Congruence, lines: Lines) -> float:
    return results_derived(FAMILY, congruence, lines)


def hardness(congruence: Congruence) -> float:
    """Digits, steps of Euclid's algorithm, and what has to be brought to the other side."""
    factor, _ = _simplified(congruence)
    extra = {"inverse": 0, "single": 1, "shifted": 3, "both": 5}[congruence.shape]
    return 3 * len(str(congruence.modulus)) + 0.5 * gcd(factor, congruence.modulus) + extra


def _simplified(congruence: Congruence) -> tuple[int, int]:
    """The coefficient and the right side, once all x are on the left."""
    (a, b), (c, d) = congruence.left, congruence.right
    return (a - c) % congruence.modulus, (d - b) % congruence.modulus


def _side(side: tuple[int, int]) -> str:
    """12x + 5"""
    parts = [f"{side[0]}x"] if side[0] else []
    parts += [f"{side[1]}"] if side[1] or not parts else []
    return " + ".join(parts)


def twin(rng: Random, knobs: Knobs, congruence: Congruence) -> Congruence | None:
    drawn = generate(rng, knobs)
    return drawn if drawn and drawn.shape == congruence.shape else None


FITTING = 0.8  # of the congruences that could be impossible, the share that are not
LARGEST = 30_000  # modulus for which all residues are tried
MANY = 60  # solutions that one can be asked to write down
LADDER = (
    Knobs(25, 1, "inverse"),
    Knobs(100, 1, "single"),
    Knobs(400, 4, "single"),
    Knobs(1500, 6, "shifted"),
    Knobs(9999, 9, "both"),
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
    solver="extended Euclidean algorithm",
    guess_rate=0.2,
    steps=steps,
    progress=progress,
    inputs=("left", "right", "modulus"),
    twin=twin,
    skills=("modular", "divisibility", "equations"),
    peers=("RLVE/congruent_equation",),
)
