"""Grouping count: in how many ways can people be put into groups so that all rules are kept?

`solve` searches person by person with what each choice rules out; `verify` tries all ways.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.logic import _grouping


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # to be put into groups
    groups: int  # to put them into
    rules: int  # drawn for the game
    ways: int  # at most


@dataclass(frozen=True, slots=True)
class Game:
    names: tuple[str, ...]
    setting: int
    bounds: tuple[tuple[int, int], ...]  # how many people each group may have
    rules: tuple[tuple[str | int, ...], ...]


def generate(rng: Random, knobs: Knobs) -> Game | None:
    names, setting, bounds, rules, _ = _grouping.drawn(rng, knobs.people, knobs.groups, knobs.rules)
    made = Game(names, setting, bounds, rules)
    return made if 2 < solve(made) <= knobs.ways else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(game: Game) -> int:
    return sum(1 for _ in _grouping.Search(len(game.names), game.bounds, game.rules).worlds())


def verify(game: Game, count: int) -> float:
    _, every = _grouping.every_world(len(game.names), game.bounds, game.rules).shape
    return float(every == count)


def render(game: Game, style: Style) -> Prompt:
    scene = _grouping.scene(game.names, game.setting, game.bounds, game.rules)
    question = style.pick(
        f"{scene}\n\nIn how many different ways can this be done?",
        f"How many assignments keep all of these rules?\n\n{scene}",
        f"{scene}\n\nCount the assignments that agree with everything above.",
    )
    return Prompt(question, form="the number of ways, a positive integer")


def steps(game: Game) -> list[str]:
    lines = []
    search = _grouping.Search(len(game.names), game.bounds, game.rules)
    counts = [0] * len(game.bounds)
    for world in search.worlds():
        counts[world[0]] += 1
    for group, count in enumerate(counts):
        where = _grouping.group_name(game.setting, group)
        lines.append(f"With {game.names[0]} assigned to {where}: {count}")
    return [*lines, f"The answer is {sum(counts)}"]


def hardness(game: Game) -> float:
    return _grouping.hardness(len(game.names), game.bounds, game.rules)


def canon(game: Game) -> tuple[object, ...]:
    return game.bounds, sorted(map(repr, game.rules))


LADDER = (
    Knobs(5, 2, 2, 30),
    Knobs(6, 2, 3, 40),
    Knobs(6, 3, 5, 40),
    Knobs(7, 3, 6, 60),
    Knobs(8, 3, 8, 99),
)
FAMILY = Family(
    Game,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="search with pruned domains",
    guess_rate=0.3,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("deduction", "counting", "conditionals"),
    peers=("RuleReasoner/AR-LSAT",),
    theme="analytical_games",
    version=2,
)
