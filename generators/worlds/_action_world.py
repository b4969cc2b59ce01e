"""Worlds of drawn actions: how they are told, compared, compiled, and read one action at a time."""

from collections.abc import Sequence
from itertools import permutations
from typing import Any, Protocol

from puzzlemill.core.prose import capital, listed
from puzzlemill.generators.worlds._action_terms import (
    SKINS,
    VARIABLES,
    Action,
    State,
    Term,
    allowed,
    ban_worded,
    broken,
    done,
    worded,
)

Flat = tuple[int, ...]  # the values of the first thing's attributes, then of the second's
Compiled = list[tuple[str, list[Any], list[Any]]]  # a name, tests and changes


class Rules(Protocol):
    """What puzzles about drawn actions have in common."""

    @property
    def skin(self) -> str: ...
    @property
    def attributes(self) -> tuple[str, ...]: ...
    @property
    def values(self) -> int: ...  # of each attribute
    @property
    def verbs(self) -> tuple[str, ...]: ...
    @property
    def actions(self) -> tuple[Action, ...]: ...
    @property
    def bans(self) -> tuple[Term, ...]: ...  # as _action_terms tells


class Setting(Rules, Protocol):
    @property
    def things(self) -> tuple[str, ...]: ...
    @property
    def start(self) -> Flat: ...


def values_of(world: Rules) -> list[tuple[str, ...]]:
    return [SKINS[world.skin][0][attribute][: world.values] for attribute in world.attributes]


def article(world: Setting) -> str:
    return "" if world.skin == "symbols" else "the "


def attributes_told(world: Rules) -> str:
    values = values_of(world)
    return "\n".join(
        f"{attribute}: {', '.join(values[at])}, and then {values[at][0]} again"
        for at, attribute in enumerate(world.attributes)
    )


def start_told(world: Setting) -> str:
    values = values_of(world)
    return "\n".join(
        f"{capital(article(world))}{thing} is {listed(values[at][it] for at, it in states)}."
        for thing, row in zip(world.things, rows(world, world.start))
        if (states := list(enumerate(row)))
    )


def actions_told(world: Setting, costs: Sequence[int] = ()) -> str:
    values = values_of(world)
    prices = [f" (cost {cost})" for cost in costs] or [""] * len(world.actions)
    told = [
        f"{verb} {' '.join(VARIABLES[: action[0]])}{price}:"
        f" {worded(action, world.attributes, values)}."
        for verb, action, price in zip(world.verbs, world.actions, prices, strict=True)
    ]
    return "\n".join([*told, *(ban_worded(ban, values) for ban in world.bans)])


def letters_told(world: Setting) -> str:
    if any(action[0] == 2 for action in world.actions):
        return "X and Y stand for any two different things"
    return "X stands for any thing"


def rows(world: Setting, flat: Flat) -> list[Flat]:
    wide = len(world.attributes)
    return [flat[at : at + wide] for at in range(0, len(flat), wide)]


def state_of(world: Setting, flat: Flat) -> State:
    things = zip(world.things, rows(world, flat))
    return {(thing, at): value for thing, row in things for at, value in enumerate(row)}


def after(world: Setting, state: State, name: str) -> State | None:
    """The interpreter: the state after an action by its name; None where it cannot be done."""
    verb, *things = name.split(" ")
    if verb not in world.verbs or not set(things) <= set(world.things):
        return None
    action = world.actions[world.verbs.index(verb)]
    if not allowed(action, things, state):
        return None
    then = done(action, things, state, (world.values,) * len(world.attributes))
    return None if any(broken(ban, world.things, then) for ban in world.bans) else then


def compiled(world: Setting) -> Compiled:
    """Each action on each things: its name, tests and changes by places in the flat state."""
    wide, every = len(world.attributes), Compiled()
    for verb, action in zip(world.verbs, world.actions):
        for numbers in permutations(range(len(world.things)), action[0]):
            name = " ".join([verb, *(world.things[it] for it in numbers)])
            every.append((name, *_placed(action, [it * wide for it in numbers])))
    return every


def compiled_one(world: Setting, name: str) -> tuple[list[Any], list[Any]]:
    """The tests and changes of an action on some things."""
    verb, *things = name.split(" ")
    place = [world.things.index(thing) * len(world.attributes) for thing in things]
    return _placed(world.actions[world.verbs.index(verb)], place)


def _placed(action: Action, place: Sequence[int]) -> tuple[list[Any], list[Any]]:
    """The tests and changes of an action on things whose attributes begin at these places."""
    arity, needs, makes = action
    tests = [
        (kind, place[it] + at, value[0] if value else place[1 - it] + at)
        for kind, it, at, *value in needs
    ]
    changes = list[tuple[str, int, int]]()
    for kind, it, at, *value in makes:
        here = place[it] + at
        there = place[1 - it] + at if arity == 2 else 0
        if kind in ("copy", "swap"):
            changes.append(("from", here, there))
        if kind == "swap":
            changes.append(("from", there, here))
        if kind in ("set", "turn"):
            changes.append((kind, here, value[0] if value else 0))
    return tests, changes


def stepped(world: Setting, state: Flat, tests: list[Any], changes: list[Any]) -> Flat | None:
    """The engine: the flat state after a compiled action; None where it cannot be done."""
    then = moved(world.values, state, tests, changes)
    return then if then is not None and sound(world, then) else None


def moved(values: int, state: Flat, tests: list[Any], changes: list[Any]) -> Flat | None:
    """The same, whatever is forbidden."""
    for kind, a, b in tests:
        if kind == "is":
            if state[a] != b:
                return None
        elif kind == "is not":
            if state[a] == b:
                return None
        elif (state[a] == state[b]) != (kind == "same"):
            return None
    then = list(state)
    for kind, a, b in changes:
        then[a] = b if kind == "set" else (
            state[b] if kind == "from" else (state[a] + 1) % values)  # fmt: skip
    return tuple(then)


def sound(world: Setting, flat: Flat) -> bool:
    wide = len(world.attributes)
    for attribute, value, *more in world.bans:
        if len(more) == 1:
            if flat[attribute::wide].count(value) > more[0]:
                return False
        elif (value, more[1]) in zip(flat[attribute::wide], flat[more[0] :: wide]):
            return False
    return True


def rule_facts(world: Rules) -> list[tuple[Any, ...]]:
    """The actions and bans, and which value follows which."""

    def named(terms: tuple[Term, ...]) -> tuple[Any, ...]:
        return tuple(
            (kind, VARIABLES[place], f"a{at}", *(f"v{at}.{it}" for it in value))
            for kind, place, at, *value in terms
        )

    facts: list[tuple[Any, ...]] = [
        ("action", arity, ("needs", *named(needs)), ("makes", *named(makes)))
        for arity, needs, makes in world.actions
    ]
    facts += [
        ("ban", f"v{at}.{value}", *more)
        if len(more) == 1
        else ("clash", f"v{at}.{value}", f"v{more[0]}.{more[1]}")
        for at, value, *more in world.bans
    ]
    for at in range(len(world.attributes)):
        turns = [(f"v{at}.{it}", f"v{at}.{(it + 1) % world.values}") for it in range(world.values)]
        facts += [("next", f"a{at}", *pair) for pair in turns]
    return facts


def rule_names(world: Rules) -> list[str]:
    attributes = range(len(world.attributes))
    return [f"a{at}" for at in attributes] + [
        f"v{at}.{value}" for at in attributes for value in range(world.values)
    ]
