"""Matching: each person has one or more of a few things, under rules; which statement must, could
or cannot be true?

Questions are those of analytical reasoning tests. `solve` decides person after person and gives up
where a rule is broken; `verify` goes through all ways.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import product
from operator import and_
from random import Random
from typing import Any

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import capital, counted, listed
from puzzlemill.generators._bits import members
from puzzlemill.generators._vocabulary import NAMES
from puzzlemill.generators.logic import _analysis
from puzzlemill.generators.logic._analysis import GOALS, LETTERS, Goal, Statement, World

THINGS = 3
VALUES = tuple(range(1, 1 << THINGS))  # the things of a person, as bits: one at least
FEWEST, MOST = 3, 60  # ways to keep the rules
DRAWS = 80  # of rules
# Who they are, what they do with a thing, without one; what things are; the things.
SETTINGS = (
    ("musicians", "plays", "does not play", "play", "instrument", "flute", "harp", "piano"),
    ("students", "takes", "does not take", "take", "course", "biology", "history", "logic"),
    ("gardeners", "grows", "does not grow", "grow", "vegetable", "beans", "carrots", "peas"),
    ("translators", "speaks", "does not speak", "speak", "language", "Danish", "Greek", "Turkish"),
)


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # to whom things are given
    rules: int  # that are drawn; those that follow from others are left out
    supposed: float  # share of questions that suppose something
    tangled: float  # share of rules about two people or about all


@dataclass(frozen=True, slots=True)
class Game:
    names: tuple[str, ...]
    setting: int
    # ("has", A, x), ("lacks", A, x), ("count", A, n), ("more", A, B), ("within", A, B): B has all
    # that A has; ("same", A, B), ("apart", A, B): nothing in common; ("if", A, x, B, y);
    # ("number", people, x, n): n people have x.
    rules: tuple[Statement, ...]
    supposed: tuple[Statement, ...]  # one or none
    goal: Goal
    options: tuple[tuple[str | int, ...], ...]  # statements, or the things of all to check


def generate(rng: Random, knobs: Knobs) -> Game | None:
    people = knobs.people
    hidden = tuple(rng.choice(VALUES) for _ in range(people))
    rules: list[Statement] = []
    count = len(VALUES) ** people
    keeping = (1 << count) - 1  # a bit for each world
    for _ in range(DRAWS):
        rule = _rule(rng, hidden, knobs.tangled)
        if not tested(rule)(hidden):
            continue
        kept = keeping & _keeping(people, rule)
        left = kept.bit_count()
        if FEWEST <= left < count:
            rules.append(rule)
            keeping, count = kept, left
        if count <= MOST and len(rules) >= knobs.rules:
            break
    if count > MOST:
        return None
    every_world = _every(people)
    worlds = [every_world[place] for place in members(keeping)]
    if sum(len({world[at] for world in worlds}) < 2 for at in range(people)) > 1:
        return None
    rules = _needed(people, rules)
    supposed: tuple[Statement, ...] = ()
    if rng.random() < knobs.supposed:
        told: Statement = (
            rng.choice(("has", "lacks")),
            rng.randrange(people),
            rng.randrange(THINGS),
        )
        fewer = [*filter(tested(told), worlds)]
        if not 2 <= len(fewer) < len(worlds):
            return None
        supposed, worlds, keeping = (told,), fewer, keeping & _keeping(people, told)
    goal = rng.choice(GOALS)
    every_rule = (*rules, *supposed)
    settled = {_topic(rule) for rule in every_rule}
    options: tuple[tuple[str | int, ...], ...] | None = (
        _analysis.arrangements(rng, worlds, lambda world: _near(rng, world), every_rule, tested)
        if goal == "list"
        else _analysis.statements(
            rng,
            goal,
            len(worlds),
            lambda option: (keeping & _keeping(people, option)).bit_count(),
            lambda: _option(rng, people, settled),
            every_rule,
        )
    )
    if options is None:
        return None
    names = tuple(rng.sample(NAMES, people))
    return Game(names, rng.randrange(len(SETTINGS)), tuple(rules), supposed, goal, options)


def solve(game: Game) -> str | None:
    rules = (*game.rules, *game.supposed)
    return _analysis.right_by_search(
        game.goal, game.options, VALUES, len(game.names), rules, tested, about
    )


def verify(game: Game, letter: str) -> float:
    option = game.options[LETTERS.index(letter)]
    return float(_analysis.is_right(game.goal, option, _worlds(game), tested))


def render(game: Game, style: Style) -> Prompt:
    people, does, _, do, thing, *things = SETTINGS[game.setting]
    everybody, all_things = listed(game.names), listed(things)
    rules = "\n".join(f"- {capital(_told(game, rule))}." for rule in game.rules)
    before = f"Suppose that {_told(game, game.supposed[0])}. " if game.supposed else ""
    ask = before + _analysis.question(game.goal, style, "assignment")
    options = _analysis.listing(_shown(game, option) for option in game.options)
    several = f"one, two or all three of the {thing}s {all_things}"
    question = style.pick(
        f"Each of the {people} {everybody} {does} {several}, and no other. These rules hold:\n"
        f"{rules}\n\n{ask}\n\n{options}",
        f"{everybody} are {people}. There are three {thing}s, {all_things}, and each of them {does}"
        f" at least one of the three.\n\nWhat is known:\n{rules}\n\n{ask}\n\n{options}",
        f"Which {thing}s do {everybody} {do}? Each of these {people} {does} {several}. It is known"
        f" that:\n{rules}\n\n{ask}\n\n{options}",
    )
    return Prompt(question, form=_analysis.FORM)


def steps(game: Game) -> list[str]:
    worlds = _worlds(game)
    lines = [f"There are {len(worlds)} ways to keep all the rules"]
    if len(worlds) <= 8:
        lines += [_listed(game, world) for world in worlds]
    for letter, option in zip(LETTERS, game.options, strict=True):
        if game.goal == "list":
            world = tuple(map(int, option))
            rules = (*game.rules, *game.supposed)
            broken = next((rule for rule in rules if not tested(rule)(world)), None)
            lines.append(f"{letter} breaks: {_told(game, broken)}" if broken else f"{letter} fits")
        else:
            count = sum(map(tested(option), worlds))
            lines.append(f"{letter} is true in {count} of them")
    return lines


def renamed(rng: Random, knobs: Knobs, game: Game) -> Game:
    return replace(game, names=tuple(rng.sample(NAMES, len(game.names))))


def canon(game: Game) -> list[object]:
    return [sorted(map(str, game.rules)), game.supposed, game.goal, sorted(map(str, game.options))]


def hardness(game: Game) -> float:
    tangled = sum(len(about(rule)) > 1 for rule in game.rules)
    return 3 * len(game.names) + len(game.rules) + tangled + 2 * len(game.supposed)


@lru_cache(maxsize=1 << 12)
def tested(said: Statement) -> Callable[[World], bool]:
    """Whether a statement is true of a world, as a function of the world."""
    kind, *rest = said
    if kind == "not":
        inner = tested(said[1:])
        return lambda world: not inner(world)
    one, other, third, thing = (*map(int, rest), 0, 0)[:4]
    bit, then = 1 << other, 1 << thing
    match kind:
        case "has":
            return lambda world: bool(world[one] & bit)
        case "lacks":
            return lambda world: not world[one] & bit
        case "count":
            return lambda world: world[one].bit_count() == other
        case "more":
            return lambda world: world[one].bit_count() > world[other].bit_count()
        case "within":
            return lambda world: not world[one] & ~world[other]
        case "same":
            return lambda world: world[one] == world[other]
        case "apart":
            return lambda world: not world[one] & world[other]
        case "if":
            return lambda world: not world[one] & bit or bool(world[third] & then)
        case "number":
            return lambda world: len(world) - [each & bit for each in world].count(0) == third
    raise AssertionError(f"no statement: {said}")


def about(said: Statement) -> list[int]:
    """Those who decide a statement."""
    kind, *rest = said[1:] if said[0] == "not" else said
    who = [int(each) for each in rest]
    if kind == "number":
        return [*range(who[0])]
    if kind == "if":
        return [who[0], who[2]]
    return who[:1] if kind in ("has", "lacks", "count") else who


def _rule(rng: Random, hidden: World, tangled: float) -> Statement:
    people = len(hidden)
    one, other = rng.sample(range(people), 2)
    thing, another = rng.randrange(THINGS), rng.randrange(THINGS)
    if rng.random() >= tangled:
        kind = rng.choice(("has", "lacks", "count"))
        return (kind, one, hidden[one].bit_count() if kind == "count" else thing)
    kind = rng.choice(("more", "more", "within", "apart", "if", "if", "number"))
    if kind == "number":
        return (kind, people, thing, sum(each >> thing & 1 for each in hidden))
    if kind == "if":
        return (kind, one, thing, other, another)
    return (kind, *(sorted((one, other)) if kind == "apart" else (one, other)))


def _option(rng: Random, people: int, settled: Container[object]) -> Statement:
    """On something that no rule settles by itself."""
    while True:
        one, other = rng.sample(range(people), 2)
        kind = rng.choice(("has", "lacks", "count", "more", "same", "apart", "number"))
        option: Statement = (kind, one, other)
        if kind in ("has", "lacks"):
            option = (kind, one, rng.randrange(THINGS))
        elif kind == "count":
            option = (kind, one, rng.randint(1, THINGS))
        elif kind == "number":
            option = (kind, people, rng.randrange(THINGS), rng.randint(1, people))
        elif kind != "more":
            option = (kind, *sorted((one, other)))
        if _topic(option) not in settled:
            return option


def _topic(said: Statement) -> tuple[str | int, ...]:
    """What two statements share of which one would settle the other."""
    kind, *rest = said
    match kind:
        case "has" | "lacks":
            return ("has", *rest)
        case "count":
            return (kind, rest[0])
        case "number":
            return (kind, rest[1])
    return (*sorted(map(int, rest[:2])), "if" if kind == "if" else "two")


def _near(rng: Random, world: World) -> World:
    """One thing more or less, once or twice."""
    changed = [*world]
    for _ in range(rng.randint(1, 2)):
        at, bit = rng.randrange(len(changed)), 1 << rng.randrange(THINGS)
        if changed[at] != bit:
            changed[at] ^= bit
    return tuple(changed)


def _worlds(game: Game) -> list[World]:
    """All that keep the rules."""
    return _in(_grid(len(game.names), (*game.rules, *game.supposed)))


def _grid(people: int, rules: Iterable[Statement]) -> Any:
    """Whether each world keeps the rules: an axis for each person, and a place on it for what that
    one has."""
    grid = np.ones((len(VALUES),) * people, dtype=bool)
    for rule in rules:
        grid &= _kept(people, rule)
    return grid


@lru_cache(maxsize=4)
def _every(people: int) -> list[World]:
    return [*product(VALUES, repeat=people)]


def _in(grid: Any) -> list[World]:
    return [tuple(VALUES[at] for at in world) for world in np.argwhere(grid).tolist()]


@lru_cache(maxsize=4096)
def _kept(people: int, rule: Statement) -> Any:
    """The worlds that keep a rule, told along the axes of those who decide it."""
    who = sorted(set(about(rule)))
    if rule[0] == "number":
        _, _, thing, many = rule
        sizes = [_along(people, [at], [each >> int(thing) & 1 for each in VALUES]) for at in who]
        return sum(sizes) == many
    world = [0] * people
    truths, test = [], tested(rule)
    for values in product(VALUES, repeat=len(who)):
        for at, value in zip(who, values):
            world[at] = value
        truths.append(test(tuple(world)))
    return _along(people, who, truths)


@lru_cache(maxsize=1024)
def _keeping(people: int, rule: Statement) -> int:
    """The worlds that keep a rule, a bit for each."""
    kept = np.broadcast_to(_kept(people, rule), (len(VALUES),) * people)
    return int.from_bytes(np.packbits(kept, bitorder="little").tobytes(), "little")


def _along(people: int, who: list[int], values: list[Any]) -> Any:
    """Values for all that some people may have, in order, along their axes."""
    return np.array(values).reshape([len(VALUES) if at in who else 1 for at in range(people)])


def _needed(people: int, rules: Sequence[Statement]) -> list[Statement]:
    """The rules without those that follow from the others."""
    kept = [*rules]
    for rule in rules:
        others = [each for each in kept if each != rule]
        broken = ~_keeping(people, rule)
        if not reduce(and_, [_keeping(people, each) for each in others], broken):
            kept = others
    return kept


def _listed(game: Game, world: World) -> str:
    things = SETTINGS[game.setting][5:]
    return "; ".join(
        f"{name}: {listed(thing for at, thing in enumerate(things) if value >> at & 1)}"
        for name, value in zip(game.names, world, strict=True)
    )


def _shown(game: Game, option: tuple[str | int, ...]) -> str:
    if game.goal == "list":
        return _listed(game, tuple(map(int, option)))
    return f"{capital(_told(game, option))}."


def _told(game: Game, said: Statement) -> str:
    kind, *rest = said
    _, does, does_not, do, thing, *things = SETTINGS[game.setting]
    one, other, *more = (int(each) for each in rest)
    if kind == "number":
        if more[0] == len(game.names):
            return f"all of them {do} {things[other]}"
        return f"exactly {more[0]} of them {does if more[0] == 1 else do} {things[other]}"
    name = game.names[one]
    match kind:
        case "has":
            return f"{name} {does} {things[other]}"
        case "lacks":
            return f"{name} {does_not} {things[other]}"
        case "count":
            return f"{name} {does} exactly {counted(other, thing)}"
        case "more":
            return f"{name} {does} more {thing}s than {game.names[other]}"
        case "within":
            return f"{game.names[other]} {does} every {thing} that {name} {does}"
        case "same":
            return f"{name} and {game.names[other]} {do} exactly the same {thing}s"
        case "apart":
            return f"{name} and {game.names[other]} have no {thing} in common"
    third, last = more
    return f"if {name} {does} {things[other]}, then {game.names[third]} {does} {things[last]}"


LADDER = (
    Knobs(3, 3, 0.0, 0.4),
    Knobs(4, 4, 0.3, 0.5),
    Knobs(4, 6, 0.6, 0.8),
    Knobs(5, 7, 0.7, 0.8),
    Knobs(5, 9, 1.0, 1.0),
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
    renamed=renamed,
    skills=("deduction", "constraints", "sets"),
    theme="analytical_games",
    peers=("RuleReasoner/AR-LSAT",),
)
