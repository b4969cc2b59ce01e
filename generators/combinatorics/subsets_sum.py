"""Subset sums: how many subsets of some numbers have a sum of a given kind?

`solve` adds one number after another and remembers sizes and sums; `verify` splits the numbers into
two halves, writes out all subsets of each, and matches them.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style


@dataclass(frozen=True, slots=True)
class Knobs:
    numbers: int  # in the list
    largest: int  # number of the list, at most
    modulus: int  # the largest
    sized: float  # how often only subsets of some sizes count
    apart: float  # how often neighbours in the list exclude one another


@dataclass(frozen=True, slots=True)
class Numbers:
    numbers: tuple[int, ...]  # all different, in order of size
    modulus: int
    remainder: int
    size: int  # of the subset; -1: any
    parity: str  # of the size: "even", "odd" or empty
    apart: bool  # no two elements may be neighbours in the list


def generate(rng: Random, knobs: Knobs) -> Numbers | None:
    drawn = Numbers((), 0, 0, -1, "", rng.random() < knobs.apart)
    return _filled(rng, knobs, drawn, rng.random() < knobs.sized)


def twin(rng: Random, knobs: Knobs, puzzle: Numbers) -> Numbers | None:
    return _filled(rng, knobs, puzzle, puzzle.size >= 0 or puzzle.parity != "")


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(puzzle: Numbers) -> int | None:
    """How many subsets have each size and remainder, with and without the last number."""
    off = not 0 <= puzzle.remainder < puzzle.modulus
    if off or puzzle.modulus < 2 or len(set(puzzle.numbers)) < len(puzzle.numbers):
        return None
    without: Counter[tuple[int, int]] = Counter({(0, 0): 1})
    with_last: Counter[tuple[int, int]] = Counter()
    for number in puzzle.numbers:
        before = without if puzzle.apart else without + with_last
        without = without + with_last
        with_last = Counter()
        for (size, total), ways in before.items():
            with_last[size + 1, (total + number) % puzzle.modulus] += ways
    everything = without + with_last
    return sum(
        ways
        for (size, total), ways in everything.items()
        if total == puzzle.remainder and _fits(puzzle, size)
    )


def verify(puzzle: Numbers, answer: int) -> float:
    return float(_matched(puzzle) == answer)


def render(puzzle: Numbers, style: Style) -> Prompt:
    numbers = ", ".join(f"{number}" for number in puzzle.numbers)
    if puzzle.remainder:
        fit = f"leaves remainder {puzzle.remainder} when divided by {puzzle.modulus}"
    else:
        fit = f"is divisible by {puzzle.modulus}"
    size, many = "", "any number of them"
    if puzzle.size >= 0:
        size, many = f" with exactly {puzzle.size} elements", f"exactly {puzzle.size} of them"
    elif puzzle.parity:
        size = f" with an {puzzle.parity} number of elements"
        many = f"an {puzzle.parity} number of them"
    notes = []
    if puzzle.apart:
        notes.append("Numbers that are neighbours in the order given must not both be chosen.")
    if puzzle.size < 0 and puzzle.parity != "odd" and not puzzle.remainder:
        notes.append("The empty set counts too: its sum is 0.")
    question = style.pick(
        f"How many subsets of {{{numbers}}}{size} have a sum that {fit}?",
        f"Consider the set S = {{{numbers}}}. Count the subsets of S{size} whose sum {fit}.",
        f"From the list {numbers}, numbers may be chosen, each at most once. In how many ways can"
        f" {many} be chosen so that their sum {fit}?",
    )
    return Prompt(" ".join([question, *notes]), form="one integer, the number of subsets")


def steps(puzzle: Numbers) -> list[str]:
    """The subsets of the first few numbers, by remainder."""
    lines = []
    for count in range(1, len(puzzle.numbers) + 1):
        first = puzzle.numbers[:count]
        found = [
            solve(Numbers(first, puzzle.modulus, rest, puzzle.size, puzzle.parity, puzzle.apart))
            for rest in range(puzzle.modulus)
        ]
        lines.append(
            f"Subsets of the first {count}, by remainder 0 to {puzzle.modulus - 1}:"
            f" {' '.join(map(str, found))}"
        )
    return lines


def hardness(puzzle: Numbers) -> float:
    rules = 1 + 0.5 * (puzzle.size >= 0 or bool(puzzle.parity)) + 0.5 * puzzle.apart
    return len(puzzle.numbers) * puzzle.modulus * rules


def canon(puzzle: Numbers) -> tuple[object, ...]:
    return tuple(getattr(puzzle, name) for name in puzzle.__slots__)


def _filled(rng: Random, knobs: Knobs, puzzle: Numbers, sized: bool) -> Numbers | None:
    numbers = tuple(sorted(rng.sample(range(1, knobs.largest + 1), knobs.numbers)))
    # modulo a power of two, or with few numbers, too many answers are powers of two
    moduli = [number for number in MODULI if 2 * knobs.modulus // 3 <= number <= knobs.modulus]
    modulus = rng.choice(moduli)
    remainder = rng.choice((0, rng.randrange(modulus)))
    size, parity = -1, ""
    if sized and rng.random() < 0.7:
        size = rng.randint(2, max(2, knobs.numbers // 2))
    elif sized:
        parity = rng.choice(("even", "odd"))
    made = Numbers(numbers, modulus, remainder, size, parity, puzzle.apart)
    return made if (solve(made) or 0) > 1 else None


def _fits(puzzle: Numbers, size: int) -> bool:
    if puzzle.size >= 0:
        return size == puzzle.size
    return not puzzle.parity or (size % 2 == 1) == (puzzle.parity == "odd")


@lru_cache(maxsize=64)
def _matched(puzzle: Numbers) -> int:
    """Subsets of places: those of the left half against those of the right."""
    middle = len(puzzle.numbers) // 2
    left = _written_out(puzzle, range(middle))
    right = _written_out(puzzle, range(middle, len(puzzle.numbers)))
    total = 0
    for (size, rest, _, last), number in left.items():
        for (more, other, first, _), times in right.items():
            touching = puzzle.apart and last and first
            if not touching and (rest + other - puzzle.remainder) % puzzle.modulus == 0:
                total += number * times * _fits(puzzle, size + more)
    return total


def _written_out(puzzle: Numbers, places: range) -> Counter[tuple[int, int, bool, bool]]:
    """Subsets by size and remainder, and by whether they hold the first and the last place."""
    found: Counter[tuple[int, int, bool, bool]] = Counter()
    for size in range(len(places) + 1):
        for chosen in combinations(places, size):
            if puzzle.apart and any(place + 1 in chosen for place in chosen):
                continue
            total = sum(puzzle.numbers[place] for place in chosen) % puzzle.modulus
            ends = places[0] in chosen, places[-1] in chosen
            found[size, total, *ends] += 1
    return found


MODULI = (3, 5, 6, 7, 9, 10, 11, 12, 13)
LADDER = (
    Knobs(6, 15, 6, 0.5, 0.4),
    Knobs(8, 30, 7, 0.5, 0.4),
    Knobs(11, 40, 9, 0.5, 0.4),
    Knobs(13, 60, 11, 0.6, 0.4),
    Knobs(16, 99, 13, 0.7, 0.5),
)
FAMILY = Family(
    Numbers,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="sizes and remainders, number by number",
    guess_rate=0.25,
    steps=steps,
    canon=canon,
    inputs=("numbers", "modulus"),
    twin=twin,
    skills=("counting", "modular", "recurrences"),
    version=3,
)
