"""Continued fractions: the first terms of a ratio's or a quadratic irrational's expansion.

`solve` follows the exact recurrence for (a + sqrt(n)) / b in whole numbers, or divides with
remainder. `verify` goes the other way: it folds the terms up again, once with the last term as it
is and once with the next number, and asks whether the value lies between the two.
"""

from dataclasses import dataclass
from math import gcd, isqrt
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived


@dataclass(frozen=True, slots=True)
class Knobs:
    most: int  # the largest number in it
    terms: int  # that are asked for
    # a ratio, a square root, or a number and a root over another number
    kind: Literal["ratio", "root", "surd"]


@dataclass(frozen=True, slots=True)
class Expansion:
    above: int
    radicand: int  # 0 where there is no root
    below: int
    terms: int  # so many first terms are asked for; 0: all of them


def generate(rng: Random, knobs: Knobs) -> Expansion | None:
    if knobs.kind == "ratio":
        below = rng.randint(max(3, knobs.most // 4), knobs.most)
        drawn = Expansion(rng.randint(2, 2 * knobs.most), 0, below, 0)
        found = solve(drawn)
        whole = gcd(drawn.above, below) > 1 or not found
        return None if whole or not found or not 3 <= len(found) <= knobs.terms + 3 else drawn
    radicand = rng.randint(max(2, knobs.most // 6), knobs.most)
    if isqrt(radicand) ** 2 == radicand:
        return None
    if knobs.kind == "root":
        return Expansion(0, radicand, 1, knobs.terms)
    return Expansion(rng.randint(1, 30), radicand, rng.randint(2, 12), knobs.terms)


def solve(expansion: Expansion) -> tuple[int, ...] | None:
    """Take off the whole part and turn what is left upside down, in whole numbers."""
    above, radicand, below = expansion.above, expansion.radicand, expansion.below
    if below < 1 or max(above, radicand, below) > FAR or above < 0:
        return None
    found: list[int] = []
    if not radicand:
        if gcd(above, below) > 1 or above == 0:
            return None
        while below:
            found.append(above // below)
            above, below = below, above % below
        return tuple(found)
    root = isqrt(radicand)
    if root * root == radicand:
        return None
    if (radicand - above * above) % below:  # so that every division below comes out
        above, radicand, below = above * below, radicand * below * below, below * below
        root = isqrt(radicand)
    while len(found) < expansion.terms:
        whole = (above + root + (below < 0)) // below
        found.append(whole)
        above = whole * below - above
        below = (radicand - above * above) // below
    return tuple(found)


def verify(expansion: Expansion, answer: tuple[int, ...]) -> float:
    if not 0 < len(answer) <= 60 or any(not 0 < abs(term) <= FAR for term in answer[1:]):
        return 0.0
    if abs(answer[0]) > FAR or any(term < 1 for term in answer[1:]):
        return 0.0
    if not expansion.radicand:
        said = _folded(answer) == Fraction(expansion.above, expansion.below)
        return float(said and (len(answer) == 1 or answer[-1] > 1))
    if len(answer) != expansion.terms:
        return 0.0
    ends = sorted((_folded(answer), _folded((*answer[:-1], answer[-1] + 1))))
    return float(_compared(ends[0], expansion) < 0 < _compared(ends[1], expansion))


def render(expansion: Expansion, style: Style) -> Prompt:
    text = _text(expansion)
    shape = "a0 + 1/(a1 + 1/(a2 + ...))"
    rules = f"A simple continued fraction [a0; a1, a2, ...] stands for {shape}, where a1, a2, ..."
    rules += " are positive integers."
    if expansion.terms:
        count = f"{expansion.terms}"
        question = style.pick(
            f"Find the first {count} terms of the simple continued fraction of {text}, beginning"
            " with a0.",
            f"Expand {text} into a simple continued fraction. What are its first {count} terms,"
            " a0 included?",
            f"The number {text} has an infinite simple continued fraction. Give its first {count}"
            " terms, of which a0 is the first.",
        )
        form = f"{expansion.terms} integers separated by commas"
    else:
        question = style.pick(
            f"Write {text} as a simple continued fraction and give all its terms.",
            f"Find the simple continued fraction of {text}.",
            f"Expand {text} into a simple continued fraction; what are the terms, beginning with"
            " a0?",
        )
        rules += " The last term must not be 1."
        form = "all terms, separated by commas, beginning with a0"
    return Prompt(f"{question} {rules}", form=form)


def steps(expansion: Expansion) -> list[str]:
    """The terms, and the convergent to which each leads."""
    found = solve(expansion) or ()
    return [
        f"a{place} = {term}, so far {_folded(found[: place + 1])}"
        for place, term in enumerate(found)
    ]


def progress(expansion: Expansion, lines: Lines) -> float:
    return results_derived(FAMILY, expansion, lines)


def hardness(expansion: Expansion) -> float:
    """Terms, each as dear as the numbers in them are long."""
    size = len(str(max(expansion.radicand, expansion.above))) + 3 * len(str(expansion.below))
    kind = 6 if expansion.radicand else 0
    return (size + kind) * len(solve(expansion) or ())


def twin(rng: Random, knobs: Knobs, expansion: Expansion) -> Expansion | None:
    return generate(rng, knobs)


def _folded(terms: tuple[int, ...]) -> Fraction:
    value = Fraction(terms[-1])
    for term in reversed(terms[:-1]):
        value = term + 1 / value
    return value


def _compared(value: Fraction, expansion: Expansion) -> int:
    """-1 where a fraction is below the irrational number, 1 where it is above."""
    left = value * expansion.below - expansion.above  # against the root
    return -1 if left < 0 or left * left < expansion.radicand else 1


def _text(expansion: Expansion) -> str:
    if not expansion.radicand:
        return f"{expansion.above}/{expansion.below}"
    root = f"sqrt({expansion.radicand})"
    above = root if not expansion.above else f"({expansion.above} + {root})"
    return above if expansion.below == 1 else f"{above}/{expansion.below}"


FAR = 10**7
LADDER = (
    Knobs(20, 3, "ratio"),
    Knobs(999, 5, "ratio"),
    Knobs(90_000, 7, "root"),
    Knobs(90_000, 7, "surd"),
    Knobs(90_000, 14, "surd"),
)
FAMILY = Family(
    Expansion,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(notations=("continued",)),
    hardness=hardness,
    proof="unique",
    solver="exact recurrence in whole numbers",
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    inputs=("above", "radicand", "below"),
    twin=twin,
    skills=("fractions", "sequences", "divisibility"),
    peers=(),
)
