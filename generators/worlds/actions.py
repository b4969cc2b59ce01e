"""Actions: the shortest or cheapest plan in a world whose actions are drawn.

An action has conditions and effects, speaks of any X and Y, not of certain things, and may have a
cost; some states are forbidden. Every plan as cheap as ours is right, so `verify` carries it out.
`generate` looks at all states at once, as arrays; `solve` takes the cheapest state next. No action
and no ban can be left out: the least cost would be another. The set of them decides the split.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from random import Random
from typing import Any

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.worlds._action_arrays import (
    Arrays,
    arrays_of,
    needed_rules,
    telling,
)
from puzzlemill.generators.worlds._action_draws import (
    drawn_ban,
    drawn_clash,
    drawn_names,
    drawn_rules,
)
from puzzlemill.generators.worlds._action_terms import Action, Term
from puzzlemill.generators.worlds._action_trace import traced
from puzzlemill.generators.worlds._action_world import (
    Flat,
    actions_told,
    after,
    article,
    attributes_told,
    compiled,
    letters_told,
    rows,
    rule_facts,
    rule_names,
    sound,
    start_told,
    state_of,
    stepped,
    values_of,
)

Goal = tuple[tuple[int, int, int], ...]  # thing, attribute, value


@dataclass(frozen=True, slots=True)
class Knobs:
    things: int  # of the world
    attributes: int  # that each thing has
    values: int  # of each attribute
    actions: int  # that are drawn; those that are of no use are left out
    moves: int  # of the shortest plan, at least; about so many of the cheapest
    costs: int  # the most that an action costs; from 2 on, plans are to be cheap, not short
    bans: int  # states that are forbidden, at most; those that are of no use are left out


@dataclass(frozen=True, slots=True)
class World:
    skin: str
    things: tuple[str, ...]
    attributes: tuple[str, ...]
    values: int
    verbs: tuple[str, ...]
    actions: tuple[Action, ...]
    costs: tuple[int, ...]  # of the actions; none where their number counts
    bans: tuple[Term, ...]
    start: Flat
    goal: Goal
    least: int  # what a cheapest plan costs


def generate(rng: Random, knobs: Knobs) -> World | None:
    skin, actions, start = drawn_rules(rng, knobs)
    bans = dict.fromkeys(
        rng.choice((drawn_ban, drawn_clash))(rng, knobs.attributes, knobs.values, start)
        for _ in range(rng.randint(0, knobs.bans))
    )
    priced = range(len(actions)) if knobs.costs > 1 else ()
    things, attributes, verbs = drawn_names(rng, skin, knobs, len(actions))
    world = World(
        skin,
        things,
        attributes,
        knobs.values,
        verbs,
        actions,
        tuple(rng.randint(1, knobs.costs) for _ in priced),
        tuple(ban for ban in bans if ban),
        start,
        (),
        0,
    )
    arrays = arrays_of(world)
    distances = arrays.distances(range(len(actions)), range(len(world.bans)))
    far = round(knobs.moves * sum(world.costs) / len(actions)) if world.costs else knobs.moves
    able = [each for each in np.unique(distances).tolist() if far <= each <= far + 1]
    if not able:
        return None
    least = rng.choice(able)
    places = telling(rng, arrays, distances, least)
    goal = tuple((*divmod(at, knobs.attributes), value) for at, value in places)
    return _slim(replace(world, goal=goal, least=least), arrays)


def solve(world: World) -> tuple[str, ...] | None:
    """Dijkstra over compiled actions, each a test and a change of the flat state."""
    prices = dict(zip(world.verbs, world.costs))
    every = [(prices.get(name.split(" ")[0], 1), name, tests, changes)
             for name, tests, changes in compiled(world)]  # fmt: skip
    wanted = [(thing * len(world.attributes) + at, value) for thing, at, value in world.goal]
    if not sound(world, world.start):
        return None
    came: dict[Flat, tuple[int, Flat, str]] = {world.start: (0, (), "")}
    queue = [(0, world.start)]
    while queue:
        cost, state = heappop(queue)
        if cost > came[state][0]:
            continue
        if all(state[at] == value for at, value in wanted):
            plan = list[str]()
            while came[state][1]:
                _, state, name = came[state]
                plan.append(name)
            return tuple(reversed(plan)) or None
        for price, name, tests, changes in every:
            then = stepped(world, state, tests, changes)
            if then is not None and (then not in came or came[then][0] > cost + price):
                came[then] = (cost + price, state, name)
                heappush(queue, (cost + price, then))
    return None


def verify(world: World, plan: tuple[str, ...]) -> float:
    state, spent = state_of(world, world.start), 0
    for name in plan:
        then = after(world, state, name)
        if then is None:
            return 0.0
        state = then
        spent += _cost(world, name)
    reached = all(state[world.things[it], at] == value for it, at, value in world.goal)
    return float(reached and spent == world.least)


def recheck(world: World, plan: tuple[str, ...]) -> bool:
    """Backwards: each value that is asked for is traced to the action that made it."""
    spent = sum(_cost(world, name) for name in plan if name.split(" ")[0] in world.verbs)
    return spent == world.least and traced(world, world.goal, plan)


def render(world: World, style: Style) -> Prompt:
    values, the = values_of(world), article(world)
    kinds, now = attributes_told(world), start_told(world)
    actions = actions_told(world, world.costs)
    wanted = dict[int, list[str]]()
    for thing, at, value in world.goal:
        wanted.setdefault(thing, []).append(values[at][value])
    goal = listed(f"{the}{world.things[it]} is {listed(parts)}" for it, parts in wanted.items())
    letters = letters_told(world)
    fewest = "as few actions as possible"
    if world.costs:
        fewest = "the least total cost, which is what its actions cost together"
    question = style.pick(
        f"A little world has rules of its own. Each thing has these attributes, whose values follow"
        f" each other in this order:\n\n{kinds}\n\nAt the start:\n{now}\n\nThese are the"
        f" actions; {letters}. An action changes nothing but what it says.\n\n{actions}\n\nFind"
        f" a plan with {fewest}, after which {goal}.",
        f"Bring it about that {goal}, by a plan with {fewest}. The rules ({letters}; what a"
        f" rule does not mention stays as it is):\n\n{actions}\n\nThe attributes, with their values"
        f" in order:\n{kinds}\n\nAt the start:\n{now}",
        f"{now}\n\nBring about a state in which {goal}. You may do these actions, each as"
        f" often as you like, as long as its condition is met; {letters}, and all else stays the"
        f" same.\n\n{actions}\n\nAttributes have values in a fixed order:\n{kinds}\n\nGive a plan"
        f" with {fewest}.",
    )
    two = next((v for v, a in zip(world.verbs, world.actions) if a[0] == 2), "")
    example = " ".join([two or world.verbs[0], *world.things[: 2 if two else 1]])
    return Prompt(
        question,
        "the actions in order, separated by commas, each with its things in the order of its"
        f' letters (as in "{example}")',
    )


def steps(world: World) -> list[str]:
    """What each action changes."""
    values, state, lines = values_of(world), state_of(world, world.start), list[str]()
    for name in solve(world) or ():
        then = after(world, state, name) or state
        changed = [f"{thing} is {values[at][value]}" for (thing, at), value in then.items()
                   if state[thing, at] != value]  # fmt: skip
        lines.append(f"{name}: {', '.join(changed)}")
        state = then
    return lines


def without(world: World) -> Iterator[World]:
    for at in range(len(world.actions)):
        yield replace(
            world,
            actions=world.actions[:at] + world.actions[at + 1 :],
            verbs=world.verbs[:at] + world.verbs[at + 1 :],
            costs=world.costs[:at] + world.costs[at + 1 :],
        )
    for at in range(len(world.bans)):
        yield replace(world, bans=world.bans[:at] + world.bans[at + 1 :])


def kin(world: World) -> Any:
    """The actions and bans, whatever things, attributes and values are called."""
    return unnamed(_rules(world), rule_names(world), ("clash",))


def canon(world: World) -> Any:
    facts = _rules(world)
    for thing, states in enumerate(rows(world, world.start)):
        facts += [("start", f"t{thing}", f"v{at}.{value}") for at, value in enumerate(states)]
    facts += [("goal", f"t{thing}", f"v{at}.{value}") for thing, at, value in world.goal]
    return unnamed(
        facts, [*rule_names(world), *(f"t{at}" for at in range(len(world.things)))], ("clash",)
    )


def hardness(world: World) -> float:
    """The plan's cost in cheap actions, each found among so many actions on so many things."""
    choices = sum(len(world.things) ** int(action[0]) for action in world.actions)
    return float(world.least / (min(world.costs) if world.costs else 1) + choices / 20)


def _cost(world: World, name: str) -> int:
    return world.costs[world.verbs.index(name.split(" ")[0])] if world.costs else 1


def _rules(world: World) -> list[tuple[Any, ...]]:
    facts = rule_facts(world)
    for at, cost in enumerate(world.costs):
        facts[at] = (*facts[at], cost)
    return facts


def _slim(world: World, arrays: Arrays) -> World | None:
    """Without the rules that change nothing; None where too few are left."""
    wide = len(world.attributes)
    goal = [(thing * wide + at, value) for thing, at, value in world.goal]
    actions, bans = needed_rules(arrays, goal, world.least)
    if len(actions) < 2:
        return None
    return replace(
        world,
        verbs=tuple(world.verbs[at] for at in actions),
        actions=tuple(world.actions[at] for at in actions),
        costs=tuple(world.costs[at] for at in actions if world.costs),
        bans=tuple(world.bans[at] for at in bans),
    )


LADDER = (
    Knobs(2, 2, 3, 3, 3, 1, 0),
    Knobs(3, 2, 3, 4, 5, 1, 1),
    Knobs(3, 2, 3, 5, 7, 2, 1),
    Knobs(3, 2, 4, 5, 9, 3, 2),
    Knobs(3, 2, 4, 6, 12, 4, 2),
)
FAMILY = Family(
    World,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(items="phrases", idle=("the", "and", "with", "on")),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="Dijkstra over compiled actions",
    guess_rate=0.12,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    skills=("planning", "search", "rules"),
    theme="drawn_rules",
    version=3,
)
