"""Sequencing: people come one after another under rules; which statement must, could or cannot be
true?

Questions are those of analytical reasoning tests. `solve` places person after person and gives up
where a rule is broken; `verify` goes through all orders.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import permutations
from random import Random
from typing import Any, Literal, TypeAlias

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._vocabulary import NAMES

# ("before", A, B), ("next", A, B), ("apart", A, B), ("at", A, place), ("not at", A, place),
# ("if", A, B, C, D): if A is before B, then C is before D. People and places are numbers from 0.
Rule: TypeAlias = tuple[str | int, ...]
Order: TypeAlias = tuple[int, ...]  # the people by place
Test: TypeAlias = Callable[[list[int]], bool]  # of the place of each person
Goal = Literal["must", "could", "cannot", "list"]

LETTERS = "ABCDE"
FEWEST, MOST = 3, 60  # orders that keep the rules
DRAWS = 80  # of statements for options
SETTINGS = (
    ("give talks one after another", "speaks", "speak", "{}"),
    ("run a race in which no two finish at the same time", "finishes", "finish", "{}"),
    ("stand in a queue, from the front to the back", "stands", "stand", "{} in the queue"),
)
PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # to be put in order
    supposed: float  # share of questions that suppose something
    conditional: float  # share of rules with an "if"


@dataclass(frozen=True, slots=True)
class Game:
    names: tuple[str, ...]
    setting: int
    rules: tuple[Rule, ...]
    supposed: tuple[Rule, ...]  # one or none
    goal: Goal
    options: tuple[tuple[str | int, ...], ...]  # statements, or orders to check


def generate(rng: Random, knobs: Knobs) -> Game | None:
    people = knobs.people
    hidden = tuple(rng.sample(range(people), people))
    rules: list[Rule] = []
    left, count = _keeping(people, ()), len(_every(people))
    while count > MOST or len(rules) < people - 2:
        rule = _rule(rng, people, knobs.conditional)
        kept = left & _kept(people, rule)
        if holds(rule, hidden) and FEWEST <= int(kept.sum()) < count:
            rules.append(rule)
            left, count = kept, int(kept.sum())
        elif count <= MOST and rng.random() < 0.05:
            break
    for rule in list(rules):  # some follow from later ones
        others = [each for each in rules if each != rule]
        if int(_keeping(people, others).sum()) == count:
            rules = others
    worlds = [*_worlds(people, tuple(rules))]
    supposed: tuple[Rule, ...] = ()
    if rng.random() < knobs.supposed:
        found = (_rule(rng, people, 0.0) for _ in range(DRAWS))
        left = _keeping(people, rules)
        supposed = next(
            ((each,) for each in found
             if FEWEST <= np.count_nonzero(left & _kept(people, each)) < len(worlds)), ()
        )  # fmt: skip
        worlds = [order for order in worlds if all(holds(each, order) for each in supposed)]
    goal: Goal = rng.choice(("must", "could", "cannot", "list"))
    options = (
        _orders(rng, worlds, (*rules, *supposed), people)
        if goal == "list"
        else _statements(rng, worlds, (*rules, *supposed), people, goal)
    )
    if options is None:
        return None
    names = tuple(rng.sample(NAMES, people))
    return Game(names, rng.randrange(len(SETTINGS)), tuple(rules), supposed, goal, options)


def solve(game: Game) -> str | None:
    """The option that is right, if it is the only one."""
    rules = (*game.rules, *game.supposed)
    right = [
        letter
        for letter, option in zip(LETTERS, game.options, strict=True)
        if _is_right(
            game.goal, option, lambda more, less: _any(len(game.names), (*rules, *more), less)
        )
    ]
    return right[0] if len(right) == 1 else None


def verify(game: Game, letter: str) -> float:
    worlds = _worlds(len(game.names), (*game.rules, *game.supposed))
    option = game.options[LETTERS.index(letter)]
    match game.goal:
        case "list":
            return float(option in worlds)
        case "must":
            return float(all(holds(option, order) for order in worlds))
        case "could":
            return float(any(holds(option, order) for order in worlds))
    return float(not any(holds(option, order) for order in worlds))


def render(game: Game, style: Style) -> Prompt:
    people = f"{', '.join(game.names[:-1])} and {game.names[-1]}"
    rules = "\n".join(f"- {_told(game, rule, True)}" for rule in game.rules)
    options = "\n".join(
        f"{letter}. {_option(game, option)}" for letter, option in zip(LETTERS, game.options)
    )
    before = f"Suppose that {_told(game, game.supposed[0])}. " if game.supposed else ""
    ask = {
        "must": "Which of these statements must be true?",
        "could": "Which of these statements could be true?",
        "cannot": "Which of these statements cannot be true?",
        "list": "Which of these orders, from the first to the last, keeps all the rules?",
    }[game.goal]
    does = SETTINGS[game.setting][0]
    question = style.pick(
        f"{people} {does}. These rules hold:\n{rules}\n\n{before}{ask}\n\n{options}",
        f"The following is known of {people}, who {does}.\n\n{rules}\n\n"
        f"Only one option answers the question. {before}{ask}\n\n{options}",
        f"Read the rules and answer the question below them. {people} {does}.\n\n{rules}\n\n"
        f"{before}{ask} One of the five is right.\n\n{options}",
    )
    return Prompt(question, form="the letter of the right option: A, B, C, D or E")


def steps(game: Game) -> list[str]:
    worlds = _worlds(len(game.names), (*game.rules, *game.supposed))
    lines = [f"There are {len(worlds)} orders that keep all the rules"]
    for letter, option in zip(LETTERS, game.options):
        if game.goal == "list":
            broken = [rule for rule in (*game.rules, *game.supposed) if not holds(rule, option)]
            lines.append(
                f"{letter} breaks: {_told(game, broken[0])}" if broken else f"{letter} fits"
            )
        else:
            count = sum(holds(option, order) for order in worlds)
            lines.append(f"{letter} is true in {count} of them")
    return lines


def canon(game: Game) -> list[object]:
    return [sorted(map(str, game.rules)), game.supposed, game.goal, sorted(map(str, game.options))]


def hardness(game: Game) -> float:
    """The orders that there are, and the rules; "or" makes two of one."""
    either = sum(len(rule) > 3 for rule in game.rules)
    return len(game.names) ** 2 + len(game.rules) + either + 2 * len(game.supposed)


def holds(rule: tuple[str | int, ...], order: tuple[str | int, ...]) -> bool:
    kind, one, other = rule[:3]
    match kind:
        case "at":
            return order.index(one) == other
        case "not at":
            return order.index(one) != other
        case "before":
            return order.index(one) < order.index(other)
        case "next":
            return abs(order.index(one) - order.index(other)) == 1
        case "apart":
            return abs(order.index(one) - order.index(other)) > 1
    return order.index(one) > order.index(other) or order.index(rule[3]) < order.index(rule[4])


def _opposite(rule: Rule) -> Rule:
    kind, one, other = rule
    if kind == "before":
        return (kind, other, one)
    return (
        {"next": "apart", "apart": "next", "at": "not at", "not at": "at"}[str(kind)],
        one,
        other,
    )


def _is_right(
    goal: Goal, option: Rule, possible: Callable[[tuple[Rule, ...], Order], bool]
) -> bool:
    """By whether there is an order with more rules, or one that begins as said."""
    if goal == "list":
        return possible((), tuple(map(int, option)))
    if goal == "must":
        return not possible((_opposite(option),), ())
    return possible((option,), ()) == (goal == "could")


def _any(people: int, rules: tuple[Rule, ...], begun: Order) -> bool:
    """Whether an order keeps the rules; one that is given in full has only to be tried."""
    about: list[list[tuple[int, Test]]] = [[] for _ in range(people)]  # by person
    places = [0] * people  # of those who are placed
    for place, person in enumerate(begun):
        places[person] = place
    placed = sum(1 << person for person in begun)
    for rule in rules:
        named = rule[1:2] if rule[0] in ("at", "not at") else rule[1:]
        who, test = sum(1 << person for person in {*map(int, named)}), _tested(rule)
        if not who & ~placed and not test(places):
            return False
        for person in {*map(int, named)}:
            about[person].append((who, test))

    def goes_on(place: int, placed: int) -> bool:
        if place == people:
            return True
        for person in range(people):
            then = placed | 1 << person
            if then == placed:
                continue
            places[person] = place
            # Rules are tried as soon as all are placed that they are about.
            for who, test in about[person]:
                if not who & ~then and not test(places):
                    break
            else:
                if goes_on(place + 1, then):
                    return True
        return False

    return goes_on(len(begun), placed)


@lru_cache(maxsize=1 << 10)
def _tested(rule: Rule) -> Test:
    """Whether the places of all keep a rule, as a function of them."""
    kind, (one, other, *rest) = rule[0], map(int, rule[1:])
    match kind:
        case "at":
            return lambda places: places[one] == other
        case "not at":
            return lambda places: places[one] != other
        case "before":
            return lambda places: places[one] < places[other]
        case "next":
            return lambda places: places[one] - places[other] in (1, -1)
        case "apart":
            return lambda places: places[one] - places[other] not in (1, -1)
    third, fourth = rest
    return lambda places: places[one] > places[other] or places[third] < places[fourth]


@lru_cache(maxsize=16)
def _worlds(people: int, rules: tuple[Rule, ...]) -> list[Order]:
    every = _every(people)
    return [every[at] for at in np.flatnonzero(_keeping(people, rules)).tolist()]


@cache
def _every(people: int) -> list[Order]:
    return list(permutations(range(people)))


def _keeping(people: int, rules: Iterable[Rule]) -> Any:
    """Which of all orders keep the rules."""
    left = np.ones(len(_every(people)), dtype=bool)
    for rule in rules:
        left &= _kept(people, rule)
    return left


@lru_cache(maxsize=256)
def _kept(people: int, rule: Rule) -> Any:
    """Which of all orders keep a rule, from where its persons are in each."""
    kind, one, other, *rest = rule
    first = _place(people, int(one))
    if kind in ("at", "not at"):
        return (first == other) == (kind == "at")
    second = _place(people, int(other))
    match kind:
        case "before":
            return first < second
        case "next":
            return abs(first - second) == 1
        case "apart":
            return abs(first - second) > 1
    third, fourth = (_place(people, int(each)) for each in rest)
    return (first > second) | (third < fourth)


@cache
def _place(people: int, person: int) -> Any:
    """Where a person is in each order."""
    return np.argmax(np.array(_every(people)) == person, axis=1)


def _rule(rng: Random, people: int, conditional: float) -> Rule:
    one, other, third, fourth = rng.sample(range(people), 4)
    if rng.random() < conditional:
        return ("if", one, other, third, fourth)
    kind = rng.choice(("before", "before", "next", "apart", "at", "not at", "not at"))
    if kind in ("next", "apart"):  # which is the same of both
        one, other = sorted((one, other))
    return (kind, one, rng.randrange(people) if kind.endswith("at") else other)


def _statements(
    rng: Random, worlds: list[Order], rules: tuple[Rule, ...], people: int, goal: Goal
) -> tuple[Rule, ...] | None:
    """One option that is right and four that are not, none of them a rule or its opposite."""
    right: list[Rule] = []
    wrong: list[Rule] = []
    left = _keeping(people, rules)
    said = {*rules, *(_opposite(rule) for rule in rules if rule[0] != "if")}
    for _ in range(DRAWS):
        option = _rule(rng, people, 0.0)
        enough = right and len(wrong) >= len(LETTERS) - 1  # only the rest of the randomness counts
        if enough or option in said or option in right or option in wrong:
            continue
        count = np.count_nonzero(left & _kept(people, option))
        is_right = {"must": count == len(worlds), "could": count > 0, "cannot": count == 0}[goal]
        # The wrong options of "must" could be true: what never is, is dismissed at a glance.
        if not is_right and goal == "must" and count == 0:
            continue
        (right if is_right else wrong).append(option)
    if not right or len(wrong) < len(LETTERS) - 1:
        return None
    options = [right[0], *wrong[: len(LETTERS) - 1]]
    return tuple(rng.sample(options, len(options)))


def _orders(
    rng: Random, worlds: list[Order], rules: tuple[Rule, ...], people: int
) -> tuple[Order, ...] | None:
    """An order that keeps the rules, and four near it that break as few as possible."""
    right = rng.choice(worlds)
    near: dict[Order, int] = {}
    for _ in range(DRAWS):
        order = list(right)
        for _ in range(rng.randint(1, 2)):
            one, other = rng.sample(range(people), 2)
            order[one], order[other] = order[other], order[one]
        near.setdefault(tuple(order), -1)
    for mixed in near:
        near[mixed] = sum([not holds(rule, mixed) for rule in rules])
    broken = [order for order, count in near.items() if count]
    wrong = sorted(broken, key=near.__getitem__)[: len(LETTERS) - 1]
    if len(wrong) < len(LETTERS) - 1:
        return None
    return tuple(rng.sample([right, *wrong], len(LETTERS)))


def _told(game: Game, rule: tuple[str | int, ...], capital: bool = False) -> str:
    kind, *who = rule
    _, does, do, where = SETTINGS[game.setting]
    if kind in ("at", "not at"):
        name, place = game.names[int(who[0])], where.format(PLACES[int(who[1])])
        return f"{name} {does} {place}" if kind == "at" else f"{name} does not {do} {place}"
    names = [game.names[int(each)] for each in who]
    if kind == "before":
        return f"{names[0]} {does} before {names[1]}"
    if kind == "next":
        return f"{names[0]} {does} directly before or directly after {names[1]}"
    if kind == "apart":
        return f"{names[0]} {does} neither directly before nor directly after {names[1]}"
    start = "If" if capital else "if"
    return f"{start} {names[0]} {does} before {names[1]}, then {names[2]} {does} before {names[3]}"


def _option(game: Game, option: tuple[str | int, ...]) -> str:
    if game.goal == "list":
        return ", ".join(game.names[int(person)] for person in option)
    return _told(game, option, True)


LADDER = (
    Knobs(4, 0.0, 0.0),
    Knobs(5, 0.3, 0.2),
    Knobs(6, 0.5, 0.3),
    Knobs(6, 0.8, 0.5),
    Knobs(7, 0.9, 0.6),
)
FAMILY = Family(
    Game,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Choice(tuple(LETTERS)),
    hardness=hardness,
    proof="unique",
    solver="person after person, giving up where a rule is broken",
    guess_rate=0.28,
    steps=steps,
    canon=canon,
    skills=("deduction", "constraints", "conditionals"),
    theme="analytical_games",
    peers=("RuleReasoner/AR-LSAT",),
    version=2,
)
