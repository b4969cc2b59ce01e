"""Number sequence: which numbers come next, by a rule of a kind that is named?

The prompt says which kinds of rules there may be, with the bounds of their numbers. `solve` tries
all rules of these kinds and answers only if those that fit agree; `verify` does not try: for each
kind it works out, from the terms with the answer behind them, what the rule would have to be.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, product
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style

FAR = 10**12  # terms are less
NEXT = 2  # terms asked for

Terms: TypeAlias = tuple[int, ...]
Rule: TypeAlias = tuple[int, ...]  # the numbers of a rule, in the order of its bounds


@dataclass(frozen=True, slots=True)
class Knobs:
    kinds: int  # of rules that there may be, from the head of the list on
    shown: int  # terms
    size: int  # the largest first term
    plainest: int  # kinds at the head of the list by which it must not go on


@dataclass(frozen=True, slots=True)
class Series:
    kinds: tuple[str, ...]
    terms: Terms


@dataclass(frozen=True, slots=True)
class Kind:
    says: str
    first: int  # terms that come before the rule sets in
    bounds: tuple[tuple[int, int], ...]  # of the rule's numbers
    term: Callable[[Sequence[int], Rule], int]  # the next one
    numbers: Callable[[Terms], Iterator[Rule]]  # the rules that the first terms leave


def generate(rng: Random, knobs: Knobs) -> Series | None:
    """A rule of one of the kinds, the later half of them preferred; no constant sequences, nor
    any that a plainer rule makes, too."""
    names = list(KINDS)[: knobs.kinds]
    plain = min(knobs.plainest, knobs.kinds - 1)
    kind = KINDS[rng.choice(names[max(plain, len(names) // 2 if rng.random() < 0.7 else 0) :])]
    rule = tuple(rng.randint(*bound) for bound in kind.bounds)
    first = tuple(rng.randint(1, knobs.size) for _ in range(kind.first))
    terms = _continued(kind, rule, first, knobs.shown + NEXT)
    if max(map(abs, terms)) >= FAR or len(set(terms[-4:])) < 3:
        return None
    series = Series(tuple(names), terms[: knobs.shown])
    if _plainest(series) < plain or solve(series) != terms[knobs.shown :]:
        return None
    return series


@lru_cache(maxsize=2)  # generate asks as well
def solve(series: Series) -> Terms | None:
    """Every rule of every kind, with all of its numbers within their bounds."""
    found = {then for _, _, then in _fitting(series)}
    return found.pop() if len(found) == 1 else None


def verify(series: Series, answer: Terms) -> float:
    if len(answer) != NEXT or any(abs(term) > 100 * FAR for term in answer):
        return 0.0
    terms = (*series.terms, *answer)
    return float(any(_explained(KINDS[name], terms) for name in series.kinds))


def render(series: Series, style: Style) -> Prompt:
    shown = ", ".join(map(str, series.terms))
    kinds = "\n".join(f"- {KINDS[name].says}" for name in series.kinds)
    sure = "All rules of these kinds that fit the terms shown go on in the same way."
    return Prompt(
        style.pick(
            f"What are the next two terms of this sequence?\n\n{shown}, ...\n\nIts rule is of"
            " one of these kinds, with fixed whole numbers for the capital letters:"
            f"\n{kinds}\n\n{sure}",
            f"A sequence begins {shown}. Each of its terms follows from earlier ones by one and the"
            f" same rule, which is of one of the kinds below; capital letters are fixed whole"
            f" numbers.\n{kinds}\n\nContinue the sequence by two terms. {sure}",
            f"Here are the first {len(series.terms)} terms of a sequence:\n\n{shown}\n\nFind the"
            f" two terms that follow. What the rule can be (capital letters stand for whole numbers"
            f" that stay the same throughout):\n{kinds}\n\n{sure}",
        ),
        form="the next two terms, separated by a comma",
    )


def steps(series: Series) -> list[str]:
    """The rule that fits, with its numbers, and the differences of the terms."""
    name, rule, then = next(_fitting(series))
    gaps = ", ".join(str(right - left) for left, right in pairwise(series.terms))
    letters = ", ".join(f"{letter} = {number}" for letter, number in zip("ABC", rule))
    return [
        f"Differences of neighbours: {gaps}",
        f"What fits: {KINDS[name].says}{'; ' if letters else ''}{letters}",
        f"So it goes on with {then[0]} and {then[1]}",
    ]


def slips(rng: Random, series: Series, gold: Terms) -> Iterator[Terms]:
    """A number of the rule is mistaken, or a digit of the first term, with which it goes on."""
    name, rule, _ = next(_fitting(series))
    kind, off = KINDS[name], 0
    for _ in range(SLIPS):
        if rng.random() < 0.5 or name == "remainder":
            at = rng.randrange(len(rule))
            rule = (*rule[:at], rule[at] + rng.choice((-1, 1)), *rule[at + 1 :])
        else:
            off += rng.choice((-1, 1)) * 10 ** rng.randrange(max(len(str(abs(gold[0]))) - 1, 1))
        first = kind.term(series.terms, rule) + off
        yield first, kind.term((*series.terms, first), rule)


def canon(series: Series) -> object:
    return [series.kinds, series.terms]


def hardness(series: Series) -> float:
    """Kinds of rules to think of, those that are tried in vain, and digits to calculate with."""
    digits = sum(len(str(abs(term))) for term in series.terms)
    return 2 * len(series.kinds) + 2 * _plainest(series) + digits / 5


def _continued(kind: Kind, rule: Rule, first: Terms, many: int) -> Terms:
    terms = list(first)
    while len(terms) < many and abs(terms[-1]) < 10 * FAR:
        terms.append(kind.term(terms, rule))
    return tuple(terms)


def _fitting(series: Series) -> Iterator[tuple[str, Rule, Terms]]:
    """All rules that fit, and how they go on."""
    shown = series.terms
    for name in series.kinds:
        kind = KINDS[name]
        second = shown[: kind.first]
        for rule in product(*(range(low, high + 1) for low, high in kind.bounds)):
            if kind.term(second, rule) != shown[kind.first]:
                continue
            terms = _continued(kind, rule, second, len(shown) + NEXT)
            if terms[: len(shown)] == shown:
                yield name, rule, terms[len(shown) :]


@lru_cache(maxsize=64)
def _plainest(series: Series) -> int:
    """The place in the list of the first kind by which the sequence may go on."""
    fits = (
        place for place, name in enumerate(series.kinds) if _explained(KINDS[name], series.terms)
    )
    return next(fits, len(series.kinds))


def _explained(kind: Kind, terms: Terms) -> bool:
    for rule in kind.numbers(terms):
        if all(low <= number <= high for number, (low, high) in zip(rule, kind.bounds)) and all(
            kind.term(terms[:at], rule) == terms[at] for at in range(kind.first, len(terms))
        ):
            return True
    return False


def _line(points: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, int]]:
    """Factor and summand of the lines through points, as (x, y): one, none, or those to try."""
    (x, y), *others = points
    for other, then in others:
        if other != x:
            factor, rest = divmod(then - y, other - x)
            if not rest:
                yield factor, y - factor * x
            return
    for factor in range(-9, 10):  # all in the same place
        yield factor, y - factor * x


def _next_to(terms: Terms, gap: int = 1) -> tuple[tuple[int, int], ...]:
    return tuple(zip(terms, terms[gap:]))


def _two_back(terms: Terms) -> Iterator[Rule]:
    """A and B from two equations, C from none: it is tried."""
    for number in range(-9, 10):
        a, b, c, d = terms[:4]
        # A * b + B * a = c - C and A * c + B * b = d - C
        bottom = b * b - a * c
        if bottom:
            one = (c - number) * b - (d - number) * a
            two = b * (d - number) - c * (c - number)
            if one % bottom == 0 and two % bottom == 0:
                yield one // bottom, two // bottom, number
        else:
            for factor in range(-9, 10):
                rest = c - number - factor * b
                if a and rest % a == 0:
                    yield factor, rest // a, number


def _digit_sum(number: int) -> int:
    return sum(map(int, str(abs(number))))


KINDS = {
    "add": Kind(
        "each term is the one before plus A (A from -99 to 99)",
        1, ((-99, 99),), lambda terms, rule: terms[-1] + rule[0],
        lambda terms: iter([(terms[1] - terms[0],)]),
    ),
    "line": Kind(
        "each term is A times the one before, plus B (A from -3 to 5, B from -12 to 12)",
        1, ((-3, 5), (-12, 12)), lambda terms, rule: rule[0] * terms[-1] + rule[1],
        lambda terms: _line(_next_to(terms)),
    ),
    "growing": Kind(
        "the differences between neighbours grow by A each time, from B to A + B to 2A + B and so"
        " on (A from -9 to 9, B from -20 to 20)",
        1, ((-9, 9), (-20, 20)),
        lambda terms, rule: terms[-1] + rule[0] * (len(terms) - 1) + rule[1],
        lambda terms: iter([(terms[2] - 2 * terms[1] + terms[0], terms[1] - terms[0])]),
    ),
    "turns": Kind(
        "in turn A is added and the result is multiplied by B: the second term is the first plus"
        " A, the third is B times the second, and so on (A from -12 to 12, B from 2 to 4)",
        1, ((-12, 12), (2, 4)),
        lambda terms, rule: terms[-1] + rule[0] if len(terms) % 2 else terms[-1] * rule[1],
        lambda terms: ((terms[1] - terms[0], factor) for factor in (2, 3, 4)),
    ),
    "two_back": Kind(
        "each term is A times the one before, plus B times the one before that, plus C (A and B"
        " from -3 to 3, C from -9 to 9)",
        2, ((-3, 3), (-3, 3), (-9, 9)),
        lambda terms, rule: rule[0] * terms[-1] + rule[1] * terms[-2] + rule[2],
        _two_back,
    ),
    "by_place": Kind(
        "each term is the one before plus A times the square of its place (counted from 1), plus B"
        " (A from -4 to 4, B from -12 to 12)",
        1, ((-4, 4), (-12, 12)),
        lambda terms, rule: terms[-1] + rule[0] * (len(terms) + 1) ** 2 + rule[1],
        lambda terms: _line(
            tuple(((at + 1) ** 2, terms[at] - terms[at - 1]) for at in range(1, len(terms)))
        ),
    ),
    "woven": Kind(
        "two sequences take turns: each term is A times the term two places before, plus B, where"
        " the first, third, fifth terms and so on have an A and B of their own, and the second,"
        " fourth and so on another C and D in their place (A and C from 1 to 3, B and D from -9 to"
        " 9)",
        2, ((1, 3), (-9, 9), (1, 3), (-9, 9)),
        lambda terms, rule: (
            rule[0] * terms[-2] + rule[1] if len(terms) % 2 == 0 else rule[2] * terms[-2] + rule[3]
        ),
        lambda terms: (
            (*odd, *even)
            for odd in _line(_next_to(terms[::2]))
            for even in _line(_next_to(terms[1::2]))
        ),
    ),
    "digits": Kind(
        "each term is A times the one before, plus B times the sum of its digits (of the one"
        " before; A is 1 or 2, B from -3 to 9)",
        1, ((1, 2), (-3, 9)),
        lambda terms, rule: rule[0] * terms[-1] + rule[1] * _digit_sum(terms[-1]),
        lambda terms: (
            (factor, (terms[1] - factor * terms[0]) // _digit_sum(terms[0]))
            for factor in (1, 2)
            if terms[0]
        ),
    ),
    "remainder": Kind(
        "each term is what A times the one before, plus B, leaves when divided by C; remainders"
        " are never negative (A from 2 to 9, B from 0 to 9, C from 11 to 60)",
        1, ((2, 9), (0, 9), (11, 60)),
        lambda terms, rule: (rule[0] * terms[-1] + rule[1]) % rule[2],
        lambda terms: (
            (factor, (terms[1] - factor * terms[0]) % number, number)
            for number in range(11, 61)
            for factor in range(2, 10)
        ),
    ),
}  # fmt: skip
SLIPS = 20
LADDER = (
    Knobs(2, 5, 30, 0),
    Knobs(4, 6, 200, 1),
    Knobs(6, 7, 300, 3),
    Knobs(8, 8, 400, 4),
    Knobs(9, 9, 500, 5),
)
FAMILY = Family(
    Series,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(notations=("dots",)),
    hardness=hardness,
    proof="unique",
    solver="all rules of the kinds named",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    redraws=True,
    slips=slips,
    slips_version=2,
    skills=("induction", "calculation"),
    peers=(
        "reasoning-gym/number_sequence",
        "mathematics_dataset/sequence_next_term",
        "reasoning-core/sequential_induction",
    ),
    theme="rules_from_examples",
    version=2,
)
