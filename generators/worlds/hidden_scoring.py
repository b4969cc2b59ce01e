"""Hidden scoring: hands and their points are shown, the rules are not; how many for another hand?

The rules have a told form, and all sets of such rules that explain the examples give the asked
hand the same points. `solve` tries them all, in arrays, and does not look at the rules that were
drawn; `verify` counts the points of those thing by thing. Each example is needed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import log2
from random import Random
from typing import Any, TypeAlias

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._misreadings import misreadings
from puzzlemill.generators.worlds._examples import fewest
from puzzlemill.generators.worlds._score_counts import Numbers, priced, table_of, times, worth
from puzzlemill.generators.worlds._scores import (
    KINDS,
    SKINS,
    TEXTS,
    THINGS,
    Rule,
    Skin,
    Thing,
    anonymous,
    said,
    topic,
)

Hand: TypeAlias = tuple[Thing, ...]
Example: TypeAlias = tuple[Hand, int]  # a hand, and its points

WORDS = ("each", "sum", "variety", "even", "pair", "step", "crowd", "fine", "top")
POOL = 8  # examples to choose from
DRAWS = 60


@dataclass(frozen=True, slots=True)
class Knobs:
    words: int  # kinds of rules that there may be
    rules: int  # that score
    points: int  # the largest number of points in a rule
    size: int  # of a hand


@dataclass(frozen=True, slots=True)
class Scoring:
    skin: str
    words: tuple[str, ...]  # kinds of rules that there may be
    points: int  # the largest number of points in a rule
    rules: tuple[Rule, ...]  # not told
    examples: tuple[Example, ...]
    hand: Hand


def generate(rng: Random, knobs: Knobs) -> Scoring | None:
    skin, words = rng.choice(sorted(SKINS)), WORDS[: knobs.words]
    space = space_of(words, knobs.points)
    for _ in range(DRAWS):
        rules = drawn_rules(rng, knobs, space)
        if not rules:
            continue
        hands = [tuple(sorted(rng.sample(THINGS, knobs.size))) for _ in range(POOL + 1)]
        *shown, hand = hands
        examples = tuple((each, worth(rules, list(each))) for each in dict.fromkeys(shown))
        scoring = Scoring(skin, words, knobs.points, rules, examples, hand)
        gold = worth(rules, list(hand))
        if gold > 0 and (kept := fewest(examples, _reader(scoring), gold)):
            return replace(scoring, examples=kept)
    return None


def drawn_rules(rng: Random, knobs: Knobs, space: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """None where two of them are about the same."""
    rules = tuple(sorted((_rule(rng, space) for _ in range(knobs.rules)), key=repr))
    return rules if are_apart(rules) else ()


def are_apart(rules: tuple[Rule, ...]) -> bool:
    return len(set(map(_subject, rules))) == len(rules)


def solve(scoring: Scoring) -> int | None:
    return _reader(scoring)(scoring.examples)


def verify(scoring: Scoring, points: int) -> float:
    return float(worth(scoring.rules, list(scoring.hand)) == points)


def render(scoring: Scoring, style: Style) -> Prompt:
    skin, count = SKINS[scoring.skin], len(scoring.rules)
    shown = "\n".join(f"- {_told(skin, hand)}: {points}" for hand, points in scoring.examples)
    form = "\n".join(f"- {_form(skin, word)}" for word in scoring.words)
    kinds = listed([one for one, _ in skin.kinds], "or")
    letters = f"K is a certain {skin.sort} ({kinds}), and P is a number from 2 to {scoring.points}"
    number = {1: "one rule", 2: "two rules", 3: "three rules"}[count]
    letters += "; they may differ from rule to rule" if count > 1 else ""
    made = f"The points come from {number} of the following kinds; {letters}:\n\n{form}\n\n"
    if count > 1:
        made += "The points of the rules are added up. No two of the rules differ in P alone"
        if "fine" in scoring.words:
            made += ", and none both scores and costs points for the same one"
        made += ". "
    made += "All rules of this form that fit the examples lead to the same answer."
    intro = f"A {skin.whole} consists of {skin.items}, each with a {skin.sort} and a {skin.trait}."
    asked = _told(skin, scoring.hand)
    return Prompt(
        style.pick(
            f"{intro} The rules by which a {skin.whole} scores points are hidden, but these points"
            f" are known:\n\n{shown}\n\n{made}\n\nHow many points does this {skin.whole} score:"
            f" {asked}?",
            f"What is this {skin.whole} worth: {asked}?\n\n{intro} {made}\n\nThese are examples,"
            f" with their points:\n\n{shown}",
            f"{shown}\n\nAbove, each {skin.whole} is followed by its points. {intro} {made}\n\n"
            f"Find the points of another {skin.whole}: {asked}.",
        ),
        form="the number of points",
    )


def steps(scoring: Scoring) -> list[str]:
    """The rules, and what each gives the asked hand."""
    skin, hand = SKINS[scoring.skin], list(scoring.hand)
    lines = [f"{said(skin, rule)}: {worth((rule,), hand)}" for rule in scoring.rules]
    return [*lines, f"{worth(scoring.rules, hand)} points in all"]


def misread(rng: Random, scoring: Scoring) -> Scoring:
    """A rule is taken for another of its kind, or a number in the hand for one beside it."""
    if rng.random() < 0.5:
        at, space = rng.randrange(len(scoring.rules)), space_of(scoring.words, scoring.points)
        other = rng.choice([rule for rule in space if rule[0] == scoring.rules[at][0]])
        return replace(scoring, rules=(*scoring.rules[:at], other, *scoring.rules[at + 1 :]))
    things = [*scoring.hand]
    at = rng.randrange(len(things))
    kind, number = things[at]
    things[at] = rng.choice([it for it in THINGS if it[0] == kind and abs(it[1] - number) == 1])
    return replace(scoring, hand=tuple(sorted(things)))


def kin(scoring: Scoring) -> list[str]:
    return anonymous(scoring.rules)


def canon(scoring: Scoring) -> list[object]:
    return [
        sorted(map(repr, scoring.rules)),
        scoring.words,
        scoring.points,
        sorted(scoring.examples),
        scoring.hand,
    ]


def without(scoring: Scoring) -> Iterator[Scoring]:
    for at in range(len(scoring.examples)):
        yield replace(scoring, examples=scoring.examples[:at] + scoring.examples[at + 1 :])


def hardness(scoring: Scoring) -> float:
    """The rules of the told form, by order of magnitude, and the examples to fit."""
    rules = len(space_of(scoring.words, scoring.points))
    return len(scoring.rules) * log2(rules) + len(scoring.examples)


@lru_cache(maxsize=32)
def space_of(words: tuple[str, ...], most: int) -> tuple[Rule, ...]:
    """Every rule that there may be."""
    rules = list[Rule]()
    for word in words:
        points = range(2, most + 1)
        if word in ("each", "fine"):
            rules += [(word, kind, number) for kind in range(KINDS) for number in points]
        elif word == "sum":
            rules += [(word, kind) for kind in range(KINDS)]
        elif word == "top":
            rules.append((word,))
        else:
            rules += [(word, number) for number in points]
    return tuple(rules)


def _points(scoring: Scoring) -> int | None:
    """Of the asked hand; None where that is no answer."""
    points = worth(scoring.rules, list(scoring.hand))
    return points if points > 0 else None


def _rule(rng: Random, space: tuple[Rule, ...]) -> Rule:
    """A rule of the space, of each kind as often as of any other."""
    word = rng.choice(sorted({rule[0] for rule in space}))
    return rng.choice([rule for rule in space if rule[0] == word])


def _subject(rule: Rule) -> object:
    """What no two of the rules have in common."""
    return rule if rule[0] == "sum" else topic(rule)


def _reader(scoring: Scoring) -> Callable[[tuple[Example, ...]], int | None]:
    """What examples settle, every rule being counted for all hands beforehand."""
    space = space_of(scoring.words, scoring.points)
    hands = [hand for hand, _ in scoring.examples] + [scoring.hand]
    choices = table_of(np.array(hands, np.int64))
    paid, which, prices = _prices(space)
    table = np.stack([times(choices, what) for what in paid])[which] * prices
    asked: list[int] = table[:, -1].tolist()
    place = {example: at for at, example in enumerate(scoring.examples)}
    subjects = _subjects(space)

    def settled(examples: tuple[Example, ...]) -> int | None:
        columns = table[:, [place[example] for example in examples]]
        wanted = np.array([points for _, points in examples], np.int64)
        found = set[int]()
        for chosen in _fitting(columns, wanted, len(scoring.rules)):
            if len({subjects[at] for at in chosen}) == len(chosen):
                found.add(sum([asked[at] for at in chosen]))
                if len(found) > 1:
                    return None
        return found.pop() if found else None

    return settled


@lru_cache(maxsize=32)
def _prices(space: tuple[Rule, ...]) -> tuple[list[tuple[Any, ...]], Numbers, Numbers]:
    """What the rules pay for; for each rule, which of these that is, and what it pays."""
    priced_rules = [priced(rule) for rule in space]
    paid = list(dict.fromkeys(what for what, _ in priced_rules))
    which = np.array([paid.index(what) for what, _ in priced_rules], np.int64)
    return paid, which, np.array([[points] for _, points in priced_rules], np.int64)


@lru_cache(maxsize=32)
def _subjects(space: tuple[Rule, ...]) -> list[object]:
    return [_subject(rule) for rule in space]


def _fitting(points: Numbers, wanted: Numbers, count: int) -> Iterator[tuple[int, ...]]:
    """Sets of so many rules with the wanted points: the last of them is looked up by a key."""
    weights = np.array([pow(1_000_003, at, 1 << 48) for at in range(1, 1 + len(wanted))], np.int64)
    keys: list[int] = (points @ weights).tolist()
    places: dict[int, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    whole = int(wanted @ weights)
    rows: list[list[int]] = points.tolist()
    sums: list[int] = wanted.tolist()
    if count == 1:
        yield from ((at,) for at in places.get(whole, []) if rows[at] == sums)
        return
    for first in combinations(range(len(keys)), count - 2):
        rest = whole - sum(keys[at] for at in first)
        after = range(first[-1] + 1 if first else 0, len(keys))
        for second in [at for at in after if rest - keys[at] in places]:
            for last in places[rest - keys[second]]:
                chosen = (*first, second, last)
                if last > second and [*map(sum, zip(*[rows[at] for at in chosen]))] == sums:
                    yield chosen


def _form(skin: Skin, word: str) -> str:
    names = {"one": "K", "points": "P", "items": skin.items, "item": skin.item}
    names |= {"whole": skin.whole, "sort": skin.sort, "trait": skin.trait}
    return TEXTS[word].format(**names)


def _told(skin: Skin, hand: Hand) -> str:
    return ", ".join(f"{skin.kinds[kind][0]} {number}" for kind, number in hand)


LADDER = (
    Knobs(4, 1, 9, 4),
    Knobs(6, 2, 5, 4),
    Knobs(7, 2, 9, 4),
    Knobs(9, 2, 9, 6),
    Knobs(9, 3, 30, 6),
)
FAMILY = Family(
    Scoring,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="every set of rules of the form, in arrays",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    slips=misreadings(_points, misread),
    skills=("induction", "calculation", "rules"),
    theme="hidden_rules",
    slips_version=2,
    version=2,
)
