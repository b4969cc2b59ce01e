"""Egyptian fractions: a ratio as a sum of so many different unit fractions, none too small.

There are often several ways, so `verify` adds exactly. `solve` searches from the largest fraction
down, and looks the last two up; `recheck` adds in whole numbers over a common denominator.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import isqrt, lcm
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived


@dataclass(frozen=True, slots=True)
class Knobs:
    terms: int  # unit fractions to be added
    most: int  # the largest denominator


@dataclass(frozen=True, slots=True)
class Ratio:
    numerator: int
    denominator: int
    terms: int
    most: int


def generate(rng: Random, knobs: Knobs) -> Ratio | None:
    """From denominators that have much in common, so that the sum has a short denominator."""
    chosen = rng.sample(_smooth(knobs.most), knobs.terms)
    total = sum((Fraction(1, each) for each in chosen), Fraction(0))
    long = total.denominator > (knobs.most if knobs.terms == 2 else 500 * knobs.most)
    if total >= 2 or total.numerator == 1 or long:
        return None
    return Ratio(total.numerator, total.denominator, knobs.terms, knobs.most)


def solve(ratio: Ratio) -> tuple[int, ...] | None:
    if min(ratio.numerator, ratio.denominator) < 1 or ratio.denominator > 10**6:
        return None
    if not 2 <= ratio.terms <= 6:
        return None
    left = ratio.numerator * pow(ratio.denominator, -1, PRIME) % PRIME
    search = _Search(ratio.most, _pairs(ratio.most), [TRIED])
    return search.found(ratio.numerator, ratio.denominator, left, 0, ratio.terms)


def verify(ratio: Ratio, answer: tuple[int, ...]) -> float:
    if len(answer) != ratio.terms or len(set(answer)) < ratio.terms:
        return 0.0
    if not all(1 <= each <= ratio.most for each in answer):
        return 0.0
    total = sum((Fraction(1, each) for each in answer), Fraction(0))
    return float(total == Fraction(ratio.numerator, ratio.denominator))


def recheck(ratio: Ratio, answer: tuple[int, ...]) -> bool:
    """Everything times the least common multiple of all denominators."""
    kept = sorted({each for each in answer if 0 < each <= ratio.most})
    if len(kept) != len(answer) or len(kept) != ratio.terms:
        return False
    common = lcm(ratio.denominator, *kept)
    left = common // ratio.denominator * ratio.numerator
    for each in kept:
        left -= common // each
    return left == 0


def render(ratio: Ratio, style: Style) -> Prompt:
    text, count = f"{ratio.numerator}/{ratio.denominator}", COUNTS[ratio.terms]
    most = f"{ratio.most}"
    question = style.pick(
        f"Write {text} as the sum of exactly {count} different unit fractions 1/d, where each d is"
        f" a positive integer not greater than {most}.",
        f"Find {count} different positive integers, none of them greater than {most}, whose"
        f" reciprocals add up to exactly {text}.",
        f"In ancient Egypt, fractions were written as sums of different unit fractions such as"
        f" 1/2 + 1/23. Give such a sum of exactly {count} unit fractions for {text}, with no"
        f" denominator greater than {most}.",
    )
    if style.phrasing % 2:
        question += " If there are several ways, give one."
    return Prompt(
        question, form=f"the {count} denominators only, separated by commas, in any order"
    )


def steps(ratio: Ratio) -> list[str]:
    """What is left after each unit fraction."""
    left, lines = Fraction(ratio.numerator, ratio.denominator), []
    for each in solve(ratio) or ():
        after = left - Fraction(1, each)
        lines.append(f"{left} - 1/{each} = {after}")
        left = after
    return lines


def progress(ratio: Ratio, lines: Lines) -> float:
    return results_derived(FAMILY, ratio, lines)


def hardness(ratio: Ratio) -> float:
    """Denominators to choose from, for each term."""
    return ratio.terms * len(str(ratio.denominator)) + 0.1 * ratio.most + 4 * ratio.terms


def twin(rng: Random, knobs: Knobs, ratio: Ratio) -> Ratio | None:
    return generate(rng, knobs)


@dataclass(frozen=True, slots=True)
class _Search:
    """Sums are looked up by their residue modulo a large prime, and then checked."""

    most: int
    pairs: dict[int, list[tuple[int, int]]]
    trials: list[int]  # that are left

    def found(
        self, above: int, below: int, residue: int, after: int, terms: int
    ) -> tuple[int, ...] | None:
        """Different denominators larger than one given, in order, with the sum above / below."""
        if terms == 2:
            for one, other in self.pairs.get(residue, ()):
                if one > after and above * one * other == below * (one + other):
                    return one, other
            return None
        # the first fraction is the largest: less than the sum, and no less than its share
        first, last = max(after + 1, below // above + 1), min(self.most, terms * below // above)
        for each in range(first, last + 1):
            self.trials[0] -= 1
            if self.trials[0] < 0:
                return None
            left = (residue - INVERSES[each]) % PRIME
            if terms == 3 and left not in self.pairs:
                continue
            rest = self.found(above * each - below, below * each, left, each, terms - 1)
            if rest is not None:
                return (each, *rest)
        return None


@lru_cache(maxsize=16)
def _pairs(most: int) -> dict[int, list[tuple[int, int]]]:
    """Sums of two unit fractions, as residues, with the denominators."""
    found: dict[int, list[tuple[int, int]]] = {}
    for one in range(1, most + 1):
        for other in range(one + 1, most + 1):
            found.setdefault((INVERSES[one] + INVERSES[other]) % PRIME, []).append((one, other))
    return found


@lru_cache(maxsize=64)
def _smooth(most: int) -> list[int]:
    return [n for n in range(2, most + 1) if n < 12 or _largest_prime(n) <= 13]


def _largest_prime(number: int) -> int:
    found = 1
    for prime in range(2, isqrt(number) + 1):
        while number % prime == 0:
            number, found = number // prime, prime
    return max(found, number)


COUNTS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
TRIED = 1_000_000  # fractions, before the search gives up
PRIME = 2**61 - 1
INVERSES = [0, *(pow(number, -1, PRIME) for number in range(1, 301))]
LADDER = (
    Knobs(2, 20),
    Knobs(3, 240),
    Knobs(4, 240),
    Knobs(4, 300),
    Knobs(5, 300),
)
FAMILY = Family(
    Ratio,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntSet(),
    hardness=hardness,
    solver="search from the largest fraction down",
    guess_rate=0.13,
    recheck=recheck,
    steps=steps,
    progress=progress,
    inputs=("numerator", "denominator"),
    twin=twin,
    skills=("fractions", "divisibility"),
    peers=(),
)
