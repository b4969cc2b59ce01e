"""Calculi: what follows from facts by inference rules that are drawn.

`solve` takes one statement after the other and joins it with those before it; `verify` tries every
rule on all things until nothing is new. No rule can be left out: without it, the answer is another.
The set of rules decides the split.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators.worlds._calculus_terms import (
    FEW_RELATIONS,
    SKINS,
    Atom,
    Lines,
    Rule,
    closed,
    derived,
    drawn_fact,
    drawn_rules,
    rule_worded,
    rules_form,
    worded,
)

TRIES = 40  # sets of facts and rules that are looked at for one puzzle


@dataclass(frozen=True, slots=True)
class Knobs:
    things: int  # that facts are about
    facts: int  # that are told, at most
    rules: int  # that are drawn; those of no use are left out, and more than a third is left
    lines: int  # of the proof of all that is asked for, at least


@dataclass(frozen=True, slots=True)
class World:
    skin: str
    things: tuple[str, ...]
    facts: tuple[Atom, ...]
    rules: tuple[Rule, ...]
    query: Atom  # of which things it holds: the things go in for "?"


def generate(rng: Random, knobs: Knobs) -> World | None:
    found = (_tried(rng, knobs) for _ in range(TRIES))
    return next((world for world in found if world), None)


def solve(world: World) -> tuple[str, ...] | None:
    """Statement by statement: what each gives with those that were taken before it."""
    right = _matching(
        {statement for statement, _, _ in derived(world.facts, world.rules)}, world.query
    )
    return in_order(thing.lower() for thing in right) or None


def verify(world: World, things: tuple[str, ...]) -> float:
    right = _matching(closed(world.facts, world.rules, world.things), world.query)
    return float({thing.lower() for thing in right} == set(things))


def render(world: World, style: Style) -> Prompt:
    facts = "\n".join(worded(fact, world.skin) for fact in world.facts)
    rules = "\n".join(
        f"{at}. {rule_worded(it, world.skin)}" for at, it in enumerate(world.rules, 1)
    )
    things, kind = listed(world.things), world.skin if world.skin != "symbols" else "things"
    query = worded((*world.query[:-1], "X"), world.skin)
    letters = "X, Y and Z stand for any of them, and two letters may stand for the same one unless"
    letters = f"{letters} the rule says that they are different"
    question = style.pick(
        f"There are these {kind}: {things}. The following is given:\n\n{facts}\n\nThese are the"
        f" only rules of inference; {letters}:\n\n{rules}\n\nFor which X can it be derived, or is"
        f" it given, that {query}?",
        f"Find every X for which this is given or follows: {query}.\n\nThe {kind} are {things}."
        f" Conclusions are drawn by these rules alone, as often as possible ({letters}):"
        f"\n\n{rules}\n\nGiven:\n{facts}",
        f"{rules}\n\nThese rules, and no others, may be used to draw conclusions about {things};"
        f" {letters}. It is known that:\n{facts}\n\nA statement holds only if it is known or"
        f" follows by the rules. List all X such that {query}.",
    )
    return Prompt(question, "all such names, separated by commas")


def steps(world: World) -> list[str]:
    """What leads to the answer, in order."""
    return [
        f"{worded(statement, world.skin)}: by rule {rule + 1}, since"
        f" {listed(worded(each, world.skin) for each in dict.fromkeys(premises))}"
        for statement, rule, premises in _proof(world)
    ]


def without(world: World) -> Iterator[World]:
    for at in range(len(world.rules)):
        yield replace(world, rules=world.rules[:at] + world.rules[at + 1 :])


def kin(world: World) -> Any:
    """The rules, whatever predicates and variables are called."""
    return rules_form(world.rules)


def canon(world: World) -> Any:
    facts = [("fact", *fact) for fact in world.facts] + [("query", *world.query)]
    return rules_form(world.rules, facts, world.things)


def hardness(world: World) -> float:
    """Lines of the proof, found among so many rules."""
    return len(_proof(world)) + len(world.rules) / 2


def _tried(rng: Random, knobs: Knobs) -> World | None:
    skin = rng.choice(list(SKINS))
    things = tuple(rng.sample(SKINS[skin][1], knobs.things))
    facts = dict.fromkeys(drawn_fact(rng, things, FEW_RELATIONS) for _ in range(knobs.facts))
    rules = drawn_rules(rng, tuple(facts), things, knobs.rules, 2 * knobs.lines)
    world = World(skin, things, tuple(facts), rules, ("P1", "?"))
    whole, most = derived(world.facts, world.rules), knobs.lines * 1.6 + 1
    by_query = dict[Atom, set[Atom]]()
    for statement, _, _ in whole:
        by_query.setdefault((*statement[:-1], "?"), set()).add(statement)
    for query in rng.sample(list(by_query), len(by_query)):
        right = by_query[query]
        if not 2 <= len(right) <= len(things) - 2 or right <= facts.keys():
            continue
        lines = _leading(whole, right)
        kept = sorted({rule for _, rule, _ in lines})
        if len(kept) > knobs.rules // 3 and knobs.lines <= len(lines) <= most:
            asked = replace(world, query=query, rules=tuple(world.rules[at] for at in kept))
            slim = _slim(asked, right)
            if slim is asked:  # without rules that gave none of its lines, the proof is the same
                return asked
            lines = _proof(slim) if len(slim.rules) > knobs.rules // 3 else []
            if knobs.lines <= len(lines) <= most:
                return slim
    return None


def _matching(known: Any, query: Atom) -> list[str]:
    return [each[-1] for each in known if each[:-1] == query[:-1] and len(each) == len(query)]


def _slim(world: World, right: set[Atom]) -> World:
    """Without the rules that change nothing of what is right."""
    at = 0
    while at < len(world.rules):
        fewer = world.rules[:at] + world.rules[at + 1 :]
        if right <= closed(world.facts, fewer, world.things):
            world = replace(world, rules=fewer)
        else:
            at += 1
    return world


def _proof(world: World) -> Lines:
    """The lines that lead to what is asked for, each thing's first derivation."""
    whole = derived(world.facts, world.rules)
    return _leading(whole, {each for each, _, _ in whole if _matching([each], world.query)})


def _leading(whole: Lines, wanted: set[Atom]) -> Lines:
    """The lines that lead to some statements."""
    wanted = set(wanted)
    for statement, _, premises in reversed(whole):
        if statement in wanted:
            wanted.update(premises)
    return [line for line in whole if line[0] in wanted and line[1] >= 0]


LADDER = (
    Knobs(5, 6, 4, 2),
    Knobs(5, 8, 6, 5),
    Knobs(6, 9, 8, 9),
    Knobs(7, 10, 10, 15),
    Knobs(8, 12, 12, 25),
)
FAMILY = Family(
    World,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(),
    hardness=hardness,
    proof="unique",
    solver="statement by statement, joined with those before",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    kin=kin,
    known=lambda world: world.things,
    without=without,
    skills=("deduction", "inference", "rules"),
    theme="drawn_rules",
    version=3,
)
