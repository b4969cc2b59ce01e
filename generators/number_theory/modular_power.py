"""Towers of powers modulo a number, such as the last two digits of 7^8^9, and sums of towers.

`solve` goes from the modulus to its totient, the totient's totient and so on, and keeps exponents
large enough that a base which shares a prime with the modulus does no harm. `verify` uses no
totient: it walks the powers of the lowest base until they repeat, and asks the rest of the tower
for the exponent modulo the length of that cycle.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.number_theory._numbers import factorised

Tower: TypeAlias = tuple[int, ...]  # from the ground up: 7, 8, 9 is 7^(8^9)


@dataclass(frozen=True, slots=True)
class Knobs:
    towers: int  # that are added
    height: int  # numbers in a tower, at most
    base: int  # the largest number in a tower
    modulus: int  # at most; for digits, the next power of ten
    question: Literal["remainder", "digits"]  # the remainder, or the last digits


@dataclass(frozen=True, slots=True)
class Towers:
    towers: tuple[Tower, ...]
    modulus: int
    question: str


def generate(rng: Random, knobs: Knobs) -> Towers | None:
    heights = [knobs.height] + [rng.randint(2, knobs.height) for _ in range(knobs.towers - 1)]
    return _filled(rng, knobs, heights)


def solve(towers: Towers) -> int | None:
    """By totients of totients."""
    if not 1 < towers.modulus <= LARGEST:
        return None
    return sum(_reduced(tower, towers.modulus) for tower in towers.towers) % towers.modulus


def verify(towers: Towers, answer: int) -> float:
    if not 0 <= answer < towers.modulus:
        return 0.0
    total = sum(_walked(tower, towers.modulus) for tower in towers.towers)
    return float((total - answer) % towers.modulus == 0)


def render(towers: Towers, style: Style) -> Prompt:
    text = " + ".join("^".join(f"{number}" for number in tower) for tower in towers.towers)
    modulus = f"{towers.modulus}"
    if towers.question == "digits":
        count = len(str(towers.modulus)) - 1
        last = "last digit" if count == 1 else f"last {'two' if count == 2 else 'three'} digits"
        question = style.pick(
            f"What {'is' if count == 1 else 'are'} the {last} of {text}, written in decimal?",
            f"Find the {last} of the number {text}.",
            f"With which {last.removeprefix('last ')} does the decimal number {text} end?",
        )
        form = "one decimal digit" if count == 1 else "one integer (leading zeros may be left out)"
    else:
        question = style.pick(
            f"What is the remainder when {text} is divided by {modulus}?",
            f"Compute ({text}) mod {modulus}.",
            f"Find the integer r with 0 <= r < {modulus} for which {text} ≡ r (mod {modulus}).",
        )
        form = "one non-negative integer"
    if any(len(tower) > 2 for tower in towers.towers):
        question += " (Powers are taken from the top down: a^b^c means a^(b^c).)"
    return Prompt(question, form=form)


def steps(towers: Towers) -> list[str]:
    lines = []
    values = []
    for tower in towers.towers:
        moduli = [towers.modulus]
        while len(moduli) < len(tower) and moduli[-1] > 1:
            moduli.append(_totient(moduli[-1]))
        for place in range(len(moduli) - 1, -1, -1):
            rest = tower[place:]
            value = _reduced(rest, moduli[place]) % moduli[place]
            said = "^".join(str(number) for number in rest)
            lines.append(f"{said} mod {moduli[place]} = {value}")
        values.append(str(_reduced(tower, towers.modulus) % towers.modulus))
    if len(values) > 1:
        lines.append(f"({' + '.join(values)}) mod {towers.modulus} = {solve(towers)}")
    return lines


def progress(towers: Towers, lines: Lines) -> float:
    return results_derived(FAMILY, towers, lines)


def hardness(towers: Towers) -> float:
    """Numbers in towers, each as hard as the modulus is long."""
    return sum(len(tower) for tower in towers.towers) * len(f"{towers.modulus:d}")


def canon(towers: Towers) -> list[object]:
    return [sorted(towers.towers), towers.modulus]


def twin(rng: Random, knobs: Knobs, towers: Towers) -> Towers | None:
    return _filled(rng, knobs, [len(tower) for tower in towers.towers])


def _filled(rng: Random, knobs: Knobs, heights: list[int]) -> Towers | None:
    if knobs.question == "digits":
        modulus = 10 ** len(str(knobs.modulus - 1))
    else:
        modulus = rng.randint(max(5, knobs.modulus // 3), knobs.modulus)
    towers = tuple(
        (rng.randint(2, knobs.base), *(rng.randint(2, knobs.base) for _ in range(height - 1)))
        for height in heights
    )
    found = Towers(towers, modulus, knobs.question)
    dull = any(_reduced(tower, modulus) % modulus in (0, 1) for tower in towers)
    return None if dull and rng.random() < 0.8 else found


@lru_cache(maxsize=2)
def _reduced(tower: Tower, modulus: int) -> int:
    """A tower modulo a number, plus that number where the tower is not below it.

    b^e and b^(e mod t + t), where t is the totient, leave the same remainder as soon as e >= t.
    """
    if modulus == 1:
        return 1  # nothing but whether the tower is at least 1, and it is
    if len(tower) == 1:
        return _kept(tower[0], modulus)
    exponent = _reduced(tower[1:], _totient(modulus))
    result, square = 1, _kept(tower[0], modulus)
    while exponent:
        if exponent & 1:
            result = _kept(result * square, modulus)
        square = _kept(square * square, modulus)
        exponent >>= 1
    return result


def _kept(number: int, modulus: int) -> int:
    return number if number < modulus else number % modulus + modulus


def _totient(number: int) -> int:
    found = number
    for prime, _ in factorised(number):
        found = found // prime * (prime - 1)
    return found


def _walked(tower: Tower, modulus: int) -> int:
    """A tower modulo a number, by the cycle into which the powers of its base run."""
    if len(tower) == 1:
        return tower[0] % modulus
    place: dict[int, int] = {}
    powers: list[int] = []
    power = 1 % modulus
    while power not in place:
        place[power] = len(powers)
        powers.append(power)
        power = power * tower[0] % modulus
    start = place[power]
    small = _small(tower[1:], len(powers))
    if small is not None:
        return powers[small]
    length = len(powers) - start
    return powers[start + (_walked(tower[1:], length) - start) % length]


def _small(tower: Tower, below: int) -> int | None:
    """A tower's value, if it is below a bound."""
    value = 1
    for number in reversed(tower[: tower.index(1)] if 1 in tower else tower):
        if value >= below.bit_length():
            return None
        value = number**value
        if value >= below:
            return None
    return value if value < below else None


LARGEST = 20_000  # modulus for which powers are walked
LADDER = (
    Knobs(1, 2, 12, 15, "remainder"),
    Knobs(1, 2, 99, 60, "remainder"),
    Knobs(1, 3, 99, 100, "digits"),
    Knobs(2, 3, 99, 300, "remainder"),
    Knobs(3, 4, 999, 1999, "remainder"),
)
FAMILY = Family(
    Towers,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="totients of totients, square and multiply",
    guess_rate=0.25,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("towers", "modulus"),
    twin=twin,
    skills=("modular", "digits", "calculation"),
    peers=(),
    version=2,
)
