"""Selection: some of the candidates are chosen under rules; which statement must, could or cannot
be true of the choice?

Questions are those of analytical reasoning tests. `solve` decides candidate after candidate and
gives up where a rule is broken; `verify` goes through all choices.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import capital, listed
from puzzlemill.generators._vocabulary import NAMES
from puzzlemill.generators.logic import _analysis
from puzzlemill.generators.logic._analysis import GOALS, LETTERS, Goal, Statement, World

VALUES = (0, 1)  # left out, chosen
FEWEST, MOST = 3, 40  # choices that keep the rules
DRAWS = 60  # of rules
# What they are chosen for, the two sorts of candidates, and what they are together.
SETTINGS = (
    ("a committee", "teacher", "parent", "volunteers"),
    ("an expedition", "botanist", "geologist", "scientists"),
    ("a concert", "violinist", "cellist", "musicians"),
    ("a relay team", "sprinter", "swimmer", "athletes"),
)


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # candidates
    sorted: float  # share of games that tell two sorts of candidates apart
    supposed: float  # share of questions that suppose something
    tangled: float  # share of rules with three people


@dataclass(frozen=True, slots=True)
class Game:
    names: tuple[str, ...]
    setting: int
    first: int  # so many are of the first sort, the others of the second; 0: there are no sorts
    # Statements of who is chosen: ("in", A), ("both", A, B), ("one", A, B), ("size", 4) …
    rules: tuple[Statement, ...]
    supposed: tuple[Statement, ...]  # one or none
    goal: Goal
    options: tuple[tuple[str | int, ...], ...]  # statements, or choices to check


def generate(rng: Random, knobs: Knobs) -> Game | None:
    people = knobs.people
    hidden = tuple(rng.randrange(2) for _ in range(people))
    size = sum(hidden)
    if not people // 3 < size < people - 1:
        return None
    first = rng.randint(people // 2 - 1, people // 2 + 1) if rng.random() < knobs.sorted else 0
    rules: list[Statement] = [("size", people, size)]
    if first:
        count = sum(hidden[:first])
        kind = rng.choice(("least", "most"))
        if not 0 < count < min(first, size):
            return None
        rules.append((kind, first, count))
    worlds = _analysis.every(VALUES, people, tuple(rules), tested)
    for _ in range(DRAWS):
        rule = _rule(rng, people, knobs.tangled)
        if not tested(rule)(hidden):
            continue
        kept = [*filter(tested(rule), worlds)]
        if FEWEST <= len(kept) < len(worlds):
            rules.append(rule)
            worlds = kept
        if len(worlds) <= MOST and len(rules) > people // 2 and rng.random() < 0.3:
            break
    if (
        len(worlds) > MOST
        or sum(len({world[at] for world in worlds}) < 2 for at in range(people)) > 1
    ):
        return None
    rules = [*_analysis.needed(VALUES, people, rules, tested, about)]
    if rules[0][0] != "size":
        return None
    supposed: tuple[Statement, ...] = ()
    if rng.random() < knobs.supposed:
        told: Statement = (rng.choice(("in", "out")), rng.randrange(people))
        kept = [*filter(tested(told), worlds)]
        if not 2 <= len(kept) < len(worlds):
            return None
        supposed, worlds = (told,), kept
    goal = rng.choice(GOALS)
    every_rule = (*rules, *supposed)
    known = {each for said in supposed for each in about(said)}
    unknown = [each for each in range(people) if each not in known]
    options: tuple[tuple[str | int, ...], ...] | None = (
        _analysis.arrangements(rng, worlds, lambda world: _near(rng, world), every_rule, tested)
        if goal == "list"
        else _analysis.statements(
            rng,
            goal,
            len(worlds),
            lambda option: sum(map(tested(option), worlds)),
            lambda: _option(rng, unknown),
            every_rule,
        )
    )
    if options is None:
        return None
    names = tuple(rng.sample(NAMES, people))
    return Game(names, rng.randrange(len(SETTINGS)), first, tuple(rules), supposed, goal, options)


def solve(game: Game) -> str | None:
    rules = (*game.rules, *game.supposed)
    return _analysis.right_by_search(
        game.goal, game.options, VALUES, len(game.names), rules, tested, about
    )


def verify(game: Game, letter: str) -> float:
    option = game.options[LETTERS.index(letter)]
    return float(_analysis.is_right(game.goal, option, _worlds(game), tested))


def render(game: Game, style: Style) -> Prompt:
    purpose, one, other, people = SETTINGS[game.setting]
    size = game.rules[0][2]
    sorts = ""
    if game.first:
        firsts, others = listed(game.names[: game.first]), listed(game.names[game.first :])
        sorts = f" {firsts} are {one}s; {others} are {other}s."
    rules = "\n".join(f"- {capital(_told(game, rule))}." for rule in game.rules[1:])
    before = f"Suppose that {_told(game, game.supposed[0])}. " if game.supposed else ""
    ask = before + _analysis.question(game.goal, style, "choice")
    options = _analysis.listing(_shown(game, option) for option in game.options)
    everybody = listed(game.names)
    question = style.pick(
        f"From the {people} {everybody}, exactly {size} are chosen for {purpose}.{sorts} These"
        f" rules hold:\n{rules}\n\n{ask}\n\n{options}",
        f"Exactly {size} of these {len(game.names)} {people} will be chosen for {purpose}:"
        f" {everybody}.{sorts}\n\nThe rules of the choice are:\n{rules}\n\n{ask}\n\n{options}",
        f"{everybody} are {people} who would like to be chosen for {purpose}, which has exactly"
        f" {size} places.{sorts} All places are taken, and the choice follows these rules:\n{rules}"
        f"\n\n{ask}\n\n{options}",
    )
    return Prompt(question, form=_analysis.FORM)


def steps(game: Game) -> list[str]:
    worlds = _worlds(game)
    lines = [f"There are {len(worlds)} choices that keep all the rules"]
    if len(worlds) <= 12:
        lines += [_chosen(game, world) for world in worlds]
    for letter, option in zip(LETTERS, game.options, strict=True):
        if game.goal == "list":
            rules = (*game.rules, *game.supposed)
            broken = next((rule for rule in rules if not tested(rule)(_world(option))), None)
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
    tangled = sum(len(rule) > 3 for rule in game.rules)
    return len(game.names) ** 2 / 2 + len(game.rules) + tangled + 2 * len(game.supposed)


@lru_cache(maxsize=1 << 12)
def tested(said: Statement) -> Callable[[World], bool]:
    """Whether a statement is true of a world, as a function of the world."""
    kind, *rest = said
    if kind == "not":
        inner = tested(said[1:])
        return lambda world: not inner(world)
    who = [int(each) for each in rest]
    a, b, c, last = *(*who, 0, 0)[:3], who[-1]
    match kind:
        case "size":
            return lambda world: sum(world) == b
        case "least":
            return lambda world: sum(world[:a]) >= b
        case "most":
            return lambda world: sum(world[:a]) <= b
        case "in":
            return lambda world: bool(world[a])
        case "out":
            return lambda world: not world[a]
        case "both":
            return lambda world: bool(world[a] and world[b])
        case "neither":
            return lambda world: not (world[a] or world[b])
        case "one":
            return lambda world: bool(world[a]) != bool(world[b])
        case "some":
            return lambda world: bool(world[a] or world[b] or world[last])
        case "not all":
            return lambda world: not (world[a] and world[b] and world[last])
        case "if":
            return lambda world: not world[a] or bool(world[b])
        case "if not":
            return lambda world: bool(world[a] or world[b])
        case "same":
            return lambda world: bool(world[a]) == bool(world[b])
        case "if both":
            return lambda world: not (world[a] and world[b]) or bool(world[c])
        case "if then one":
            return lambda world: not world[a] or bool(world[b]) != bool(world[c])
    raise AssertionError(f"no statement: {said}")


def about(said: Statement) -> list[int]:
    """Those who decide a statement."""
    kind, *rest = said[1:] if said[0] == "not" else said
    who = [int(each) for each in rest]
    return [*range(who[0])] if kind in ("size", "least", "most") else who


def _rule(rng: Random, people: int, tangled: float) -> Statement:
    one, other, third = rng.sample(range(people), 3)
    if rng.random() < tangled:
        kind = rng.choice(("if both", "if then one", "not all", "some"))
        if kind == "if both":
            one, other = sorted((one, other))
        elif kind == "if then one":
            other, third = sorted((other, third))
        else:
            one, other, third = sorted((one, other, third))
        return (kind, one, other, third)
    kind = rng.choice(("if", "if", "if not", "same", "one", "not all"))
    if kind != "if":
        one, other = sorted((one, other))
    return (kind, one, other)


def _option(rng: Random, people: list[int]) -> Statement:
    """About those of whom nothing is supposed."""
    one, other = sorted(rng.sample(people, 2))
    kind = rng.choice(("in", "out", "both", "both", "neither", "one", "some"))
    return (kind, one) if kind in ("in", "out") else (kind, one, other)


def _near(rng: Random, world: World) -> World:
    """Somebody else is chosen in another's place; now and then twice."""
    changed = [*world]
    for _ in range(rng.randint(1, 2)):
        chosen = [at for at, each in enumerate(changed) if each]
        left = [at for at, each in enumerate(changed) if not each]
        changed[rng.choice(chosen)] = 0
        changed[rng.choice(left)] = 1
    return tuple(changed)


def _world(option: tuple[str | int, ...]) -> World:
    return tuple(map(int, option))


def _worlds(game: Game) -> list[World]:
    return _analysis.every(VALUES, len(game.names), (*game.rules, *game.supposed), tested)


def _chosen(game: Game, world: World) -> str:
    return ", ".join(name for name, chosen in zip(game.names, world, strict=True) if chosen)


def _shown(game: Game, option: tuple[str | int, ...]) -> str:
    if game.goal == "list":
        return _chosen(game, _world(option))
    return f"{capital(_told(game, option))}."


def _told(game: Game, said: Statement) -> str:
    kind, *rest = said
    if kind == "size":
        return f"exactly {rest[1]} are chosen"
    if kind in ("least", "most"):
        one = SETTINGS[game.setting][1]
        return f"at {kind} {rest[1]} of those chosen {'is a' if rest[1] == 1 else 'are'} {one}" + (
            "" if rest[1] == 1 else "s"
        )
    names = [game.names[int(each)] for each in rest]
    return {
        "in": "{} is chosen",
        "out": "{} is not chosen",
        "both": "both {} and {} are chosen",
        "neither": "neither {} nor {} is chosen",
        "one": "either {} or {} is chosen, but not both",
        "some": "at least one of {} is chosen",
        "not all": "{} are not all chosen" if len(names) > 2 else "{} are not both chosen",
        "if": "if {} is chosen, then so is {}",
        "if not": "if {} is not chosen, then {} is chosen",
        "same": "either both of {} and {} are chosen, or neither of them is",
        "if both": "if both {} and {} are chosen, then so is {}",
        "if then one": "if {} is chosen, then exactly one of {} and {} is chosen",
    }[str(kind)].format(*([listed(names)] if kind in ("some", "not all") else names))


LADDER = (
    Knobs(5, 0.0, 0.0, 0.0),
    Knobs(6, 0.3, 0.3, 0.2),
    Knobs(7, 0.5, 0.5, 0.3),
    Knobs(8, 0.7, 0.7, 0.4),
    Knobs(9, 0.8, 0.8, 0.5),
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
    solver="candidate after candidate, giving up where a rule is broken",
    guess_rate=0.28,
    steps=steps,
    canon=canon,
    renamed=renamed,
    skills=("deduction", "constraints", "conditionals"),
    theme="analytical_games",
    peers=("RuleReasoner/AR-LSAT",),
)
