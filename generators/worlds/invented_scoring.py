"""Invented scoring: choose the things that are worth most together, by drawn scoring rules.

One choice is best. `solve` counts every rule for all choices at once, in arrays; `verify` counts
the points of the answer and of every other choice rule by rule, as the prompt tells them. Without
any of the rules another choice is best, or several are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import comb, log2
from random import Random

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.worlds._score_counts import Numbers, Table, counted, table, worth
from puzzlemill.generators.worlds._scores import (
    KINDS,
    NAMES,
    SKINS,
    THINGS,
    Rule,
    Thing,
    anonymous,
    drawn_rule,
    renamed,
    said,
    topic,
)

LABELS = "ABCDEFGHIJKL"
DRAWS = 40  # of pools of rules for the same things
SPARE = 3  # rules of each pool, besides those that are taken of it


@dataclass(frozen=True, slots=True)
class Knobs:
    things: int  # to choose from
    chosen: int  # things to be chosen
    rules: int  # that give points
    conditions: int  # rules that count only with, or without, a kind


@dataclass(frozen=True, slots=True)
class Choice:
    skin: str
    things: tuple[Thing, ...]
    chosen: int
    rules: tuple[Rule, ...]


def generate(rng: Random, knobs: Knobs) -> Choice | None:
    skin = rng.choice(sorted(SKINS))
    chosen = min(knobs.chosen, knobs.things - 1)
    things = tuple(rng.sample(THINGS, knobs.things))
    if len({kind for kind, _ in things}) < KINDS:
        return None
    choices = table(things, chosen)
    conditions = min(knobs.conditions, knobs.rules)
    sizes = knobs.rules - conditions, conditions
    for _ in range(DRAWS):
        pools = [
            [drawn_rule(rng, chosen, conditioned) for _ in range(size + SPARE if size else 0)]
            for conditioned, size in zip((False, True), sizes)
        ]
        if fitting := [*_fitting(choices, pools, sizes)]:
            rules = rng.choice(fitting)
            return Choice(skin, things, chosen, tuple(rng.sample(rules, len(rules))))
    return None


def solve(choice: Choice) -> tuple[str, ...] | None:
    choices = table(choice.things, choice.chosen)
    total = sum((counted(choices, rule) for rule in choice.rules), np.zeros(len(choices), np.int64))
    best = _only_best(total)
    if best is None:
        return None
    picks = list(combinations(LABELS[: len(choice.things)].lower(), choice.chosen))
    return picks[best]


def verify(choice: Choice, labels: tuple[str, ...]) -> float:
    places = sorted(LABELS.lower().find(label) for label in labels)
    if len(set(places)) != choice.chosen or not set(places) <= set(range(len(choice.things))):
        return 0.0
    picked = [choice.things[place] for place in places]
    points = worth(choice.rules, picked)
    others = combinations(choice.things, choice.chosen)
    return float(all(worth(choice.rules, list(other)) <= points for other in others))


def render(choice: Choice, style: Style) -> Prompt:
    skin = SKINS[choice.skin]
    things = "\n".join(
        f"{label}: {skin.kinds[kind][0]}, {skin.trait} {number}"
        for label, (kind, number) in zip(LABELS, choice.things)
    )
    texts = [said(skin, rule) for rule in choice.rules]
    rules = "\n".join(f"- {text[0].upper()}{text[1:]}." for text in texts)
    count, items, whole = choice.chosen, skin.items, skin.whole
    sums = (
        f"Each {skin.item} has a {skin.sort} and a {skin.trait}. All rules count at the same time,"
        " and their points are added up."
    )
    return Prompt(
        style.pick(
            f"Choose exactly {count} of these {items} for a {whole}:\n\n{things}\n\nThe {whole} is"
            f" worth points by these rules:\n\n{rules}\n\n{sums} Which {count} {items} make the"
            f" {whole} with the most points? There is only one best {whole}.",
            f"A game has its own rules of scoring. A {whole} consists of {count} {items}, and this"
            f" is what it is worth:\n\n{rules}\n\n{sums} You may take your {whole} from"
            f" these {items}:\n\n{things}\n\nFind the one {whole} with the highest score.",
            f"Points for a {whole} of {count} {items}:\n\n{rules}\n\n{sums}\n\nOn offer:"
            f"\n\n{things}\n\nExactly one choice of {count} scores more than all others."
            " Which one?",
        ),
        form=f"the letters of the {count} chosen {items}, separated by commas",
    )


def steps(choice: Choice) -> list[str]:
    """The points of the best choice, rule by rule."""
    gold = solve(choice) or ()
    picked = [choice.things[LABELS.lower().index(label)] for label in gold]
    skin = SKINS[choice.skin]
    lines = [f"{said(skin, rule)}: {worth((rule,), picked)} points" for rule in choice.rules]
    total = worth(choice.rules, picked)
    return [f"{', '.join(gold).upper()} is best", *lines, f"{total} points in all"]


def canon(choice: Choice) -> list[object]:
    """Kinds may be renamed, and rules and things told in any order."""
    forms = renamed(choice.rules)
    rules = min(forms)
    ways = [names for names, form in zip(NAMES, forms, strict=True) if form == rules]
    things = min(sorted((names[k], n) for k, n in choice.things) for names in ways)
    return [rules, things, choice.chosen]


def kin(choice: Choice) -> list[str]:
    return anonymous(choice.rules)


def without(choice: Choice) -> Iterator[Choice]:
    for place in range(len(choice.rules)):
        yield replace(choice, rules=choice.rules[:place] + choice.rules[place + 1 :])


def hardness(choice: Choice) -> float:
    """Choices by order of magnitude, times the rules; twice for one with a condition."""
    rules = sum(2 if rule[0] in ("given", "barring") else 1 for rule in choice.rules)
    return rules * log2(comb(len(choice.things), choice.chosen))


def _only_best(total: Numbers) -> int | None:
    best = int(total.argmax())
    return best if np.count_nonzero(total == total[best]) == 1 else None


def _fitting(
    choices: Table, pools: Sequence[Sequence[Rule]], sizes: tuple[int, int]
) -> Iterator[list[Rule]]:
    """All ways to take so many rules of each of two pools under which one choice is best, and
    without any of the rules another one is, or several are."""
    points = [
        np.array([counted(choices, rule) for rule in pool], np.int16).reshape(
            len(pool), len(choices)
        )
        for pool in pools
    ]
    ways = [_ways(len(pool), size) for pool, size in zip(pools, sizes, strict=True)]
    whole = [each[way.taken].sum(axis=1, dtype=np.int16) for each, way in zip(points, ways)]
    fewer = [each[way.fewer].sum(axis=1, dtype=np.int16) for each, way in zip(points, ways)]
    best = _only_bests(whole[0], whole[1])
    fits = best >= 0
    less = _only_bests(fewer[0], whole[1])
    for without in ways[0].without:
        fits &= less[without] != best
    less = _only_bests(whole[0], fewer[1])
    for without in ways[1].without:
        fits &= less[:, without] != best
    for one, other in np.argwhere(fits).tolist():
        rules = [pools[0][at] for at in ways[0].taken[one]]
        rules += [pools[1][at] for at in ways[1].taken[other]]
        if len({topic(rule) for rule in rules}) == len(rules):
            yield rules


@dataclass(frozen=True, slots=True)
class _Ways:
    """Ways to take so many of a pool."""

    taken: Numbers  # a row for each way
    fewer: Numbers  # the same with one less
    without: Numbers  # for each that is taken, a column: the way without it, as a place in `fewer`


@lru_cache(maxsize=16)
def _ways(pool: int, size: int) -> _Ways:
    taken = [*combinations(range(pool), size)]
    fewer = [*combinations(range(pool), size - 1)] if size else []
    place = {way: at for at, way in enumerate(fewer)}
    without = [[place[way[:at] + way[at + 1 :]] for way in taken] for at in range(size)]
    return _Ways(
        np.array(taken, np.int64).reshape(len(taken), size),
        np.array(fewer, np.int64).reshape(len(fewer), max(0, size - 1)),
        np.array(without, np.int64).reshape(size, len(taken)),
    )


def _only_bests(ones: Numbers, others: Numbers) -> Numbers:
    """The best choice by the points of each of the ones and each of the others together; -1 where
    several are."""
    total = ones[:, None] + others
    best = total.argmax(axis=2)
    alike = np.count_nonzero(total == total.max(axis=2, keepdims=True), axis=2)
    return np.where(alike == 1, best, -1)


LADDER = (
    Knobs(5, 2, 2, 0),
    Knobs(6, 3, 3, 0),
    Knobs(8, 4, 4, 1),
    Knobs(10, 5, 5, 2),
    Knobs(12, 6, 6, 3),
)
FAMILY = Family(
    Choice,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(form="a set of letters", items="letters"),
    hardness=hardness,
    proof="unique",
    solver="all choices, counted in arrays",
    guess_rate=0.12,
    steps=steps,
    canon=canon,
    kin=kin,
    known=lambda choice: LABELS[: len(choice.things)],
    without=without,
    skills=("optimisation", "rules"),
    version=2,
)
