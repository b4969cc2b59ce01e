"""Sums of squares or cubes: write a number as a sum of so many of them, all different.

There are often several ways, so `verify` adds up. `solve` tries all terms but two and looks up what
is missing; `recheck` takes the powers off the number by the odd numbers that they are made of.
"""

from dataclasses import dataclass
from itertools import combinations, pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived


@dataclass(frozen=True, slots=True)
class Knobs:
    terms: int  # powers to be added
    most: int  # the largest number that is raised to a power
    exponent: int  # 2 or 3
    spread: bool  # whether no two terms may be neighbours


@dataclass(frozen=True, slots=True)
class Target:
    total: int
    terms: int
    exponent: int
    gap: int  # between any two of the numbers, at least; 1: they differ


def generate(rng: Random, knobs: Knobs) -> Target | None:
    exponent = knobs.exponent
    gap = rng.randint(2, max(2, knobs.most // (4 * knobs.terms))) if knobs.spread else 1
    chosen = rng.sample(range(1, knobs.most + 1), knobs.terms)
    if max(chosen) < knobs.most // 2 or not _apart(chosen, gap):
        return None
    return Target(sum(number**exponent for number in chosen), knobs.terms, exponent, gap)


def solve(target: Target) -> tuple[int, ...] | None:
    """All terms but two are tried; the last two are looked up, or met from both ends."""
    if not 1 < target.terms <= 4 or not 0 < target.total <= FAR[target.exponent]:
        return None
    root = 1
    while (root + 1) ** target.exponent <= target.total:
        root += 1
    powers = [number**target.exponent for number in range(root + 1)]
    sums = set[int]()
    if target.terms == 4:  # otherwise there are few that come into question
        sums = {low + high for low, high in combinations(powers[1:], 2)}
    for head in combinations(range(1, root + 1), target.terms - 2):
        left = target.total - sum(powers[number] for number in head)
        if sums and left not in sums:
            continue
        for low, high in _two(powers, left):
            if _apart([*head, low, high], target.gap):
                return tuple(sorted((*head, low, high)))
    return None


def verify(target: Target, answer: tuple[int, ...]) -> float:
    if len(answer) != target.terms or min(answer) < 1 or max(answer) > target.total:
        return 0.0
    fits = sum(number**target.exponent for number in answer) == target.total
    return float(fits and _apart(list(answer), target.gap))


def recheck(target: Target, answer: tuple[int, ...]) -> bool:
    """The number is counted down by 1 + 3 + 5 + ..., which makes squares; cubes are n squares."""
    left, before = target.total, -target.gap
    for number in sorted(answer):
        if number < 1 or number - before < target.gap or number > target.total:
            return False
        before = number
        square = 0
        for odd in range(1, 2 * min(number, 10_000), 2):
            square += odd
        left -= square if target.exponent == 2 else number * square
    return left == 0 and len(answer) == target.terms


def render(target: Target, style: Style) -> Prompt:
    total, power = f"{target.total}", {2: "square", 3: "cube"}[target.exponent]
    count = {2: "two", 3: "three", 4: "four"}[target.terms]
    which = (
        f"{count} different positive integers" if target.gap == 1 else f"{count} positive integers"
    )
    sides = " + ".join(f"{letter}^{target.exponent}" for letter in "abcd"[: target.terms])
    question = style.pick(
        f"Find {which} whose {power}s add up to {total}.",
        f"Write {total} as the sum of the {power}s of {which}.",
        f"Solve {sides} = {total} in {which.removeprefix(count + ' ')}.",
        f"Which {which} have {power}s with the sum {total}?",
    )
    if target.gap > 1:
        question += f" Any two of these integers must differ by at least {target.gap}."
    if style.phrasing % 2:
        question += " If there are several ways, give one."
    return Prompt(
        question,
        form=f"the {count} integers themselves (not their {power}s), separated by commas, in any"
        " order",
    )


def steps(target: Target) -> list[str]:
    """What is left as the gold numbers' powers are taken off, largest first."""
    left, lines = target.total, []
    for number in reversed(solve(target) or ()):
        power = number**target.exponent
        lines.append(f"{left} - {number}^{target.exponent} = {left} - {power} = {left - power}")
        left -= power
    return lines


def progress(target: Target, lines: Lines) -> float:
    return results_derived(FAMILY, target, lines)


def hardness(target: Target) -> float:
    """Choices for all numbers but the last, roughly."""
    root: float = target.total ** (1 / target.exponent)
    return root ** (target.terms - 1) * (1 if target.gap == 1 else 1.5) * (target.exponent - 1)


def twin(rng: Random, knobs: Knobs, target: Target) -> Target | None:
    drawn = generate(rng, knobs)
    return drawn if drawn and drawn.exponent == target.exponent else None


def _two(powers: list[int], total: int) -> list[tuple[int, int]]:
    """Which two of the powers have a sum: from both ends at once."""
    found, low, high = [], 1, len(powers) - 1
    while low < high:
        value = powers[low] + powers[high]
        if value == total:
            found.append((low, high))
        low, high = (low + 1, high) if value < total else (low, high - 1)
    return found


def _apart(numbers: list[int], gap: int) -> bool:
    ordered = sorted(numbers)
    return all(high - low >= gap for low, high in pairwise(ordered))


FAR = {2: 320_000, 3: 90_000_000}  # the largest number, for squares and for cubes
LADDER = (
    Knobs(2, 20, 2, False),
    Knobs(3, 260, 2, False),
    Knobs(3, 280, 2, True),
    Knobs(3, 280, 3, True),
    Knobs(4, 280, 3, True),
)
FAMILY = Family(
    Target,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntBag(),
    hardness=hardness,
    solver="search, the last two terms looked up",
    guess_rate=0.1,
    recheck=recheck,
    steps=steps,
    progress=progress,
    inputs=("total",),
    twin=twin,
    skills=("calculation", "equations"),
    peers=(),
    version=2,
)
