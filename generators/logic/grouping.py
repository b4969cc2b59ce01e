"""Grouping: people are put into groups under conditional rules; which statement must, could or
cannot be true?

Questions are those of analytical reasoning tests. `solve` asks for each option whether a
search with pruned domains finds a way to make it true, or false; `verify` goes through all ways.
"""

from dataclasses import dataclass
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.logic import _grouping
from puzzlemill.generators.logic._grouping import OPPOSITE, Rule, Search, World, statement

LETTERS = "ABCDE"
GOALS = ("must", "could", "cannot", "list")


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # to be put into groups
    groups: int  # to put them into
    rules: int  # drawn for the game
    goals: int  # sorts of questions
    supposed: float  # the share of questions that begin with one more condition


@dataclass(frozen=True, slots=True)
class Game:
    names: tuple[str, ...]
    setting: int
    bounds: tuple[tuple[int, int], ...]  # how many people each group may have
    rules: tuple[tuple[str | int, ...], ...]
    supposed: tuple[tuple[str | int, ...], ...]  # one rule more for this question, or none
    goal: str
    options: tuple[tuple[str | int, ...], ...]  # statements; for "list", whole assignments


def generate(rng: Random, knobs: Knobs) -> Game | None:
    names, setting, bounds, rules, world = _grouping.drawn(
        rng, knobs.people, knobs.groups, knobs.rules
    )
    goal = GOALS[rng.randrange(knobs.goals)]
    supposed: tuple[Rule, ...] = ()
    if goal != "list" and rng.random() < knobs.supposed:
        supposed = (("in", at := rng.randrange(len(names)), world[at]),)
    worlds = list(Search(len(names), bounds, (*rules, *supposed)).worlds())
    if not 1 < len(worlds) <= 3000:
        return None
    options = (
        _lists(rng, bounds, rules, worlds, len(names))
        if goal == "list"
        else _statements(rng, goal, worlds, len(names), len(bounds), (*rules, *supposed))
    )
    if options is None:
        return None
    rng.shuffle(options)
    return Game(names, setting, bounds, rules, supposed, goal, tuple(options))


def solve(game: Game) -> str | None:
    people, rules = len(game.names), (*game.rules, *game.supposed)
    right = []
    for letter, option in zip(LETTERS, game.options):
        if game.goal == "list":
            fixed = tuple(("in", at, group) for at, group in enumerate(option))
            good = _possible(game, (*rules, *fixed), people)
        else:
            other = (OPPOSITE[str(option[0])], *option[1:])
            good = {
                "must": lambda told=option, denied=other: (
                    not _possible(game, (*rules, denied), people)
                ),
                "could": lambda told=option, denied=other: _possible(game, (*rules, told), people),
                "cannot": lambda told=option, denied=other: (
                    not _possible(game, (*rules, told), people)
                ),
            }[game.goal]()
        right += [letter] * good
    return right[0] if len(right) == 1 else None


def verify(game: Game, letter: str) -> float:
    """All assignments at once, as arrays."""
    option = game.options[LETTERS.index(letter)]
    rules = (*game.rules, *game.supposed)
    worlds = _grouping.every_world(len(game.names), game.bounds, rules)
    if game.goal == "list":
        return float([*option] in worlds.T.tolist())
    true: Any = _grouping.tested(option)(worlds)
    good = {"must": true.all(), "could": true.any(), "cannot": not true.any()}
    return float(true.size > 0 and good[game.goal])


def render(game: Game, style: Style) -> Prompt:
    scene = _grouping.scene(game.names, game.setting, game.bounds, game.rules)
    options = "\n".join(
        f"{letter}. {_told(game, option)}" for letter, option in zip(LETTERS, game.options)
    )
    before = ""
    if game.supposed:
        before = f"Suppose that {statement(game.names, game.setting, game.supposed[0])}. "
    ask = {
        "must": style.pick(
            "Which of these statements must be true?",
            "Which one of the following must be true?",
            "Exactly one of these statements follows. Which one?",
        ),
        "could": style.pick(
            "Which of these statements could be true?",
            "Which one of the following could be true?",
            "Only one of these statements is possible. Which one?",
        ),
        "cannot": style.pick(
            "Which of these statements cannot be true?",
            "Which one of the following must be false?",
            "Only one of these statements is impossible. Which one?",
        ),
        "list": style.pick(
            "Which of these assignments keeps all the rules?",
            "Which one of the following is an acceptable assignment?",
            "Only one of these assignments breaks no rule. Which one?",
        ),
    }[game.goal]
    question = style.pick(
        f"{scene}\n\n{before}{ask}\n\n{options}",
        f"These rules hold.\n\n{scene}\n\n{before}{ask}\n\n{options}",
        f"Read the following conditions.\n\n{scene}\n\nNow the question. {before}{ask}\n\n"
        f"{options}",
    )
    return Prompt(question, form="the letter of the right option: A, B, C, D or E")


def steps(game: Game) -> list[str]:
    people, rules = len(game.names), (*game.rules, *game.supposed)
    worlds = list(Search(people, game.bounds, rules).worlds())
    lines = [f"There are {len(worlds)} ways to keep all the rules"]
    for letter, option in zip(LETTERS, game.options):
        if game.goal == "list":
            broken = [rule for rule in rules if not _grouping.tested(rule)(_world(option))]
            why = statement(game.names, game.setting, broken[0]) if broken else ""
            fine = tuple(option) in worlds
            lines.append(
                f"{letter} keeps all the rules"
                if fine
                else f"{letter} breaks a rule{': ' + why if why else ' about sizes'}"
            )
        else:
            many = sum(map(_grouping.tested(option), worlds))
            lines.append(f"{letter} is true in {many} of them")
    return [*lines, f"The answer is {solve(game)}"]


def hardness(game: Game) -> float:
    return _grouping.hardness(len(game.names), game.bounds, game.rules) + len(game.supposed)


def canon(game: Game) -> tuple[object, ...]:
    """Without names; rules and options in any order."""
    return (
        game.bounds, sorted(map(repr, game.rules)), game.supposed, game.goal,
        sorted(map(repr, game.options)),
    )  # fmt: skip


def _possible(game: Game, rules: tuple[Rule, ...], people: int) -> bool:
    return next(Search(people, game.bounds, rules).worlds(), None) is not None


def _statements(
    rng: Random, goal: str, worlds: list[World], people: int, groups: int, rules: tuple[Rule, ...]
) -> list[Rule] | None:
    """Five statements, one of which is as asked."""
    right, wrong = list[Rule](), list[Rule]()
    placed, used = {rule[1] for rule in rules if rule[0] == "in"}, {*rules}
    for _ in range(150):
        rule = _grouping.any_rule(rng, rng.choice(("in", "out", "same", "apart")), people, groups)
        plain = rule[0] in ("in", "out") and rule[1] in placed
        # A statement and its opposite would tell that the right one is not among the others.
        opposed = (OPPOSITE[rule[0]], *rule[1:]) in (*right, *wrong)
        if plain or opposed or rule in used:
            continue
        used.add(rule)
        share = sum(map(_grouping.tested(rule), worlds))
        every, none = share == len(worlds), not share
        good = {"must": every, "could": not none, "cannot": none}[goal]
        bad = {"must": not every, "could": none, "cannot": not none}[goal]
        right += [rule] * good
        wrong += [rule] * bad
        if right and len(wrong) > 3:
            return [right[0], *wrong[:4]]
    return None


def _lists(
    rng: Random,
    bounds: tuple[tuple[int, int], ...],
    rules: tuple[Rule, ...],
    worlds: list[World],
    people: int,
) -> list[Rule] | None:
    """An assignment that keeps the rules, and four near it that break one or two."""
    true = rng.choice(worlds)
    near: list[World] = []
    tests = [_grouping.tested(rule) for rule in rules]
    for _ in range(200):
        changed = list(rng.choice(worlds))
        one, other = rng.sample(range(people), 2)
        changed[one], changed[other] = changed[other], changed[one]
        world = tuple(changed)
        broken = sum([not test(world) for test in tests])
        if _grouping.fits(bounds, world) and 0 < broken < 3 and world not in near:
            near.append(world)
        if len(near) == 4:
            return [true, *near]
    return None


def _world(option: tuple[str | int, ...]) -> World:
    return tuple(int(group) for group in option)


def _told(game: Game, option: tuple[str | int, ...]) -> str:
    if game.goal != "list":
        return statement(game.names, game.setting, option)
    parts = []
    for group in range(len(game.bounds)):
        inside = [name for name, place in zip(game.names, option) if place == group]
        parts.append(f"{_grouping.group_name(game.setting, group)}: {', '.join(inside)}")
    return "; ".join(parts)


LADDER = (
    Knobs(4, 2, 2, 2, 0.0),
    Knobs(5, 2, 4, 3, 0.3),
    Knobs(6, 3, 5, 4, 0.4),
    Knobs(7, 3, 7, 4, 0.6),
    Knobs(8, 3, 10, 4, 0.8),
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
    solver="search with pruned domains, option by option",
    guess_rate=0.28,
    steps=steps,
    canon=canon,
    skills=("deduction", "constraints", "conditionals"),
    theme="analytical_games",
    peers=("RuleReasoner/AR-LSAT",),
    version=2,
)
