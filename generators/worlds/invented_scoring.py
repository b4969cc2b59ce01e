"""Invented scoring: choose the things that are worth most together, by drawn scoring rules.

One choice is best. `solve` counts every rule for all choices at once, in arrays; `verify` counts
the points of the answer and of every other choice rule by rule, as the prompt tells them. Without
any of the rules another choice is best, or several are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from math import comb, log2
from random import Random

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.worlds._score_counts import Numbers, counted, table, worth
from puzzlemill.generators.worlds._scores import (
    KINDS,
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
DRAWS = 300  # of one rule in another's place


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
    rules = [drawn_rule(rng, chosen, place < knobs.conditions) for place in range(knobs.rules)]
    choices = table(things, chosen)
    points = np.stack([counted(choices, rule) for rule in rules])
    for _ in range(DRAWS):
        idle = _idle(points)
        alike = {topic(rule) for rule in rules}
        if not idle and len(alike) == len(rules):
            order = rng.sample(range(len(rules)), len(rules))
            return Choice(skin, things, chosen, tuple(rules[place] for place in order))
        place = rng.choice(idle or range(len(rules)))
        rules[place] = drawn_rule(rng, chosen, place < knobs.conditions)
        points[place] = counted(choices, rules[place])
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
    forms = [
        [renamed(choice.rules, names), sorted((names[k], n) for k, n in choice.things)]
        for names in permutations(range(KINDS))
    ]
    return [*min(forms), choice.chosen]


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


def _idle(points: Numbers) -> list[int]:
    """Places of rules, a row of points for each, without which the same choice is best; all if no
    choice is."""
    total = points.sum(axis=0)
    best = _only_best(total)
    if best is None:
        return list(range(len(points)))
    fewer = total - points  # without each rule in turn
    others = np.count_nonzero(fewer >= fewer[:, best : best + 1], axis=1)
    return [place for place, count in enumerate(others.tolist()) if count == 1]


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
)
