"""Actions: the shortest plan in a world whose actions are drawn, with conditions and effects.

An action speaks of any X and Y, not of certain things. Every plan of the fewest actions is right,
so `verify` carries it out. `generate` goes through the states layer by layer, by the interpreter;
`solve` compiles the actions and searches on its own. No action and no ban can be left out: the
shortest plan would change its length. The set of them decides the split.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.worlds._action_terms import SKINS, Action, Term, drawn
from puzzlemill.generators.worlds._action_world import (
    Flat,
    actions_told,
    after,
    article,
    attributes_told,
    compiled,
    drawn_ban,
    every_name,
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

PATIENCE = 3000  # states that a search looks at

Goal = tuple[tuple[int, int, int], ...]  # thing, attribute, value


@dataclass(frozen=True, slots=True)
class Knobs:
    things: int  # of the world
    attributes: int  # that each thing has
    values: int  # of each attribute
    actions: int  # that are drawn; those that are of no use are left out
    moves: int  # of the shortest plan, at least


@dataclass(frozen=True, slots=True)
class World:
    skin: str
    things: tuple[str, ...]
    attributes: tuple[str, ...]
    values: int
    verbs: tuple[str, ...]
    actions: tuple[Action, ...]
    bans: tuple[Term, ...]  # attribute, value, and how many things at most may have it
    start: Flat
    goal: Goal
    moves: int  # of a shortest plan


def generate(rng: Random, knobs: Knobs) -> World | None:
    skin = rng.choice(list(SKINS))
    attributes, things, verbs = SKINS[skin]
    sizes = (knobs.values,) * knobs.attributes
    actions = list(dict.fromkeys(drawn(rng, sizes, knobs.things) for _ in range(knobs.actions)))
    start = tuple(rng.randrange(knobs.values) for _ in range(knobs.things * knobs.attributes))
    world = World(
        skin,
        tuple(rng.sample(things, knobs.things)),
        tuple(rng.sample(list(attributes), knobs.attributes)),
        knobs.values,
        tuple(rng.sample(verbs, len(actions))),
        tuple(actions),
        (drawn_ban(rng, knobs.attributes, knobs.values, start),) if rng.random() < 0.5 else (),
        start,
        (),
        0,
    )
    layers = _layers(world)
    if len(layers) <= knobs.moves:
        return None
    depth = rng.randint(knobs.moves, min(len(layers) - 1, knobs.moves + 1))
    world = replace(world, goal=_goal(rng, knobs, layers[: depth + 1]), moves=depth)
    return _slim(world)


def solve(world: World) -> tuple[str, ...] | None:
    """Breadth first over compiled actions, each a test and a change of the flat state."""
    every = compiled(world)
    wanted = [(thing * len(world.attributes) + at, value) for thing, at, value in world.goal]
    if not sound(world, world.start):
        return None
    came: dict[Flat, tuple[Flat, str] | None] = {world.start: None}
    queue = [world.start]
    for state in queue:
        if all(state[at] == value for at, value in wanted):
            plan = list[str]()
            while before := came[state]:
                state, name = before
                plan.append(name)
            return tuple(reversed(plan)) or None
        if len(came) > 2 * PATIENCE:
            return None
        for name, tests, changes in every:
            then = stepped(world, state, tests, changes)
            if then is not None and then not in came:
                came[then] = (state, name)
                queue.append(then)
    return None


def verify(world: World, plan: tuple[str, ...]) -> float:
    if len(plan) != world.moves:
        return 0.0
    state = state_of(world, world.start)
    for name in plan:
        then = after(world, state, name)
        if then is None:
            return 0.0
        state = then
    return float(all(state[world.things[it], at] == value for it, at, value in world.goal))


def recheck(world: World, plan: tuple[str, ...]) -> bool:
    """Backwards: each value that is asked for is traced to the action that made it."""
    names = {f"{verb} {' '.join(things)}": (action, things)
             for verb, action in zip(world.verbs, world.actions)
             for things in permutations(world.things, action[0])}  # fmt: skip
    if len(plan) != world.moves or any(name not in names for name in plan):
        return False

    def value(time: int, thing: str, attribute: int) -> int:
        if not time:
            at = world.things.index(thing) * len(world.attributes) + attribute
            return world.start[at]
        action, things = names[plan[time - 1]]
        for kind, place, which, *number in action[2]:
            if which != attribute or thing not in things:
                continue
            mine = things[place] == thing
            if kind == "set" and mine:
                return int(number[0])
            if kind == "turn" and mine:
                return (value(time - 1, thing, attribute) + 1) % world.values
            if kind == "swap" or (kind == "copy" and mine):
                return value(time - 1, things[1 - things.index(thing)], attribute)
        return value(time - 1, thing, attribute)

    for time, name in enumerate(plan):
        action, things = names[name]
        for kind, place, which, *number in action[1]:
            here = value(time, things[place], which)
            other = number[0] if number else value(time, things[1 - place], which)
            if (here == other) != (kind in ("is", "same")):
                return False
    for attribute, number, most in world.bans:
        for time in range(1, len(plan) + 1):
            if sum(value(time, thing, attribute) == number for thing in world.things) > most:
                return False
    return all(value(len(plan), world.things[it], at) == number for it, at, number in world.goal)


def render(world: World, style: Style) -> Prompt:
    values, the = values_of(world), article(world)
    kinds, now, actions = attributes_told(world), start_told(world), actions_told(world)
    wanted = dict[int, list[str]]()
    for thing, at, value in world.goal:
        wanted.setdefault(thing, []).append(values[at][value])
    goal = listed(f"{the}{world.things[it]} is {listed(parts)}" for it, parts in wanted.items())
    letters = letters_told(world)
    fewest = "as few actions as possible"
    question = style.pick(
        f"A little world has rules of its own. Each thing has these attributes, whose values follow"
        f" each other in this order:\n\n{kinds}\n\nAt the start:\n{now}\n\nThese are the"
        f" actions; {letters}. An action changes nothing but what it says.\n\n{actions}\n\nFind"
        f" a plan of {fewest} after which {goal}.",
        f"Bring it about that {goal}, with {fewest}. The rules ({letters}; what a rule does not"
        f" mention stays as it is):\n\n{actions}\n\nThe attributes, with their values in"
        f" order:\n{kinds}\n\nThe beginning:\n{now}",
        f"{now}\n\nYou want that {goal}. You may do these actions, each as often as you like, as"
        f" long as its condition is met; {letters}, and all else stays the same.\n\n{actions}"
        f"\n\nAttributes have values in a fixed order:\n{kinds}\n\nGive a plan with {fewest}.",
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
        )
    for at in range(len(world.bans)):
        yield replace(world, bans=world.bans[:at] + world.bans[at + 1 :])


def kin(world: World) -> Any:
    """The actions and bans, whatever things, attributes and values are called."""
    return unnamed(rule_facts(world), rule_names(world))


def canon(world: World) -> Any:
    facts = rule_facts(world)
    for thing, states in enumerate(rows(world, world.start)):
        facts += [("start", f"t{thing}", f"v{at}.{value}") for at, value in enumerate(states)]
    facts += [("goal", f"t{thing}", f"v{at}.{value}") for thing, at, value in world.goal]
    return unnamed(facts, [*rule_names(world), *(f"t{at}" for at in range(len(world.things)))])


def hardness(world: World) -> float:
    """Moves to find, each among so many actions on so many things."""
    choices = sum(len(world.things) ** int(action[0]) for action in world.actions)
    return float(world.moves + choices / 20)


def _layers(world: World) -> list[list[Flat]]:
    """The states after no action, after one, and so on; none where there are too many."""
    names = [*every_name(world)]
    seen, layers = {world.start}, [[world.start]]
    while layers[-1]:
        fresh = list[Flat]()
        for flat in layers[-1]:
            state = state_of(world, flat)
            for name in names:
                changed = after(world, state, name)
                if changed is not None and (then := tuple(changed.values())) not in seen:
                    seen.add(then)
                    fresh.append(then)
        layers.append(fresh)
        if len(seen) > PATIENCE:
            return []
    return layers[:-1]


def _goal(rng: Random, knobs: Knobs, layers: list[list[Flat]]) -> Goal:
    """What a state of the last layer has, and none before; as little of it as will do."""
    chosen = rng.choice(layers[-1])
    earlier = [state for layer in layers[:-1] for state in layer]
    places = list(range(len(chosen)))
    for at in rng.sample(places, len(places)):
        less = [it for it in places if it != at]
        if not any(all(state[it] == chosen[it] for it in less) for state in earlier):
            places = less
    return tuple((*divmod(at, knobs.attributes), chosen[at]) for at in places)


def _slim(world: World) -> World | None:
    """Without the rules that change nothing; None where too few are left, or one still does."""
    for fewer in [*without(world)][::-1]:
        gone = set(world.actions) - set(fewer.actions), set(world.bans) - set(fewer.bans)
        kept = [(verb, it) for verb, it in zip(world.verbs, world.actions) if it not in gone[0]]
        less = replace(
            world,
            verbs=tuple(verb for verb, _ in kept),
            actions=tuple(action for _, action in kept),
            bans=tuple(ban for ban in world.bans if ban not in gone[1]),
        )
        if _length(less) == world.moves:
            world = less
    if len(world.actions) < 2 or any(_length(fewer) == world.moves for fewer in without(world)):
        return None
    return world


def _length(world: World) -> int:
    return len(solve(world) or ())


LADDER = (
    Knobs(2, 2, 3, 3, 3),
    Knobs(3, 2, 3, 4, 5),
    Knobs(3, 2, 3, 5, 7),
    Knobs(3, 2, 4, 5, 9),
    Knobs(3, 2, 4, 6, 12),
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
    solver="breadth first over compiled actions",
    guess_rate=0.07,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    skills=("planning", "search", "rules"),
    theme="drawn_rules",
)
