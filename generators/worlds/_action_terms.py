"""Actions on things with attributes: drawn, carried out one at a time, and worded.

An action is (number of things, conditions, effects). A condition or effect is a tuple: its kind,
the place of a thing among the action's things, an attribute, and perhaps a value. Attributes and
values are numbers; values go round in a circle.

A ban is (attribute, value, how many things at most may have it), or (attribute, value, attribute,
value), which no thing may have at once.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from puzzlemill.core.prose import counted

Term = tuple[Any, ...]
Action = tuple[Any, ...]  # (things, conditions, effects)
State = dict[tuple[str, int], int]  # the value of each attribute of each thing

VARIABLES = "XY"
# Attributes, each with its values in the order of its circle; things; verbs.
SKINS: dict[str, tuple[dict[str, tuple[str, ...]], tuple[str, ...], tuple[str, ...]]] = {
    "workshop": (
        {
            "colour": ("red", "green", "blue", "white"),
            "size": ("tiny", "small", "large", "huge"),
            "warmth": ("cold", "cool", "warm", "hot"),
        },
        ("stone", "feather", "coin", "shell", "bottle"),
        ("dip", "rub", "tap", "toss", "fold", "wind"),
    ),
    "farm": (
        {
            "place": ("in the barn", "in the yard", "on the roof", "by the pond"),
            "mood": ("calm", "merry", "cross", "sleepy"),
            "dress": ("in wool", "in silk", "in linen", "in straw"),
        },
        ("goat", "hen", "dog", "pony", "duck"),
        ("call", "feed", "comb", "whistle", "chase", "pat"),
    ),
    "symbols": (
        {
            "p-value": ("p1", "p2", "p3", "p4"),
            "q-value": ("q1", "q2", "q3", "q4"),
            "r-value": ("r1", "r2", "r3", "r4"),
        },
        ("k1", "k2", "k3", "k4", "k5"),
        ("alpha", "beta", "gamma", "delta", "kappa", "sigma"),
    ),
}


def drawn(rng: Random, sizes: Sequence[int], things: int) -> Action:
    """An action on one thing or two, with a condition or two and an effect."""
    arity = rng.choice((1, 2, 2)) if things > 1 else 1
    effects = [_effect(rng, sizes, arity)]
    conditions = list[Term]()
    for _ in range(rng.choice((1, 1, 2))):
        conditions.append(_condition(rng, sizes, arity))
    if rng.random() < 0.3:
        effects.append(_effect(rng, sizes, arity))
    if len({effect[2] for effect in effects}) < len(effects):
        effects.pop()  # two effects on one attribute would need an order
    return arity, tuple(sorted(set(conditions))), tuple(sorted(effects))


def _condition(rng: Random, sizes: Sequence[int], arity: int) -> Term:
    attribute, place = rng.randrange(len(sizes)), rng.randrange(arity)
    kind = rng.choice(("is", "is", "is not", "same", "differ") if arity == 2 else ("is", "is not"))
    if kind in ("same", "differ"):
        return kind, 0, attribute
    return kind, place, attribute, rng.randrange(sizes[attribute])


def _effect(rng: Random, sizes: Sequence[int], arity: int) -> Term:
    attribute, place = rng.randrange(len(sizes)), rng.randrange(arity)
    kinds = ("set", "turn", "copy", "swap") if arity == 2 else ("set", "set", "turn")
    kind = rng.choice(kinds)
    if kind == "set":
        return kind, place, attribute, rng.randrange(sizes[attribute])
    return kind, 0 if kind == "swap" else place, attribute


def allowed(action: Action, things: Sequence[str], state: State) -> bool:
    """The interpreter: whether an action on those things can be done now."""
    arity, conditions, _ = action
    if len(things) != arity or len(set(things)) != arity:
        return False
    for kind, place, attribute, *value in conditions:
        values = [state[thing, attribute] for thing in things]
        if kind in ("is", "is not"):
            holds = (values[place] == value[0]) == (kind == "is")
        else:
            holds = (values[0] == values[1]) == (kind == "same")
        if not holds:
            return False
    return True


def done(action: Action, things: Sequence[str], state: State, sizes: Sequence[int]) -> State:
    """The state after the action."""
    then = dict(state)
    for kind, place, attribute, *value in action[2]:
        thing, other = things[place], things[1 - place] if len(things) == 2 else ""
        if kind == "set":
            then[thing, attribute] = value[0]
        elif kind == "turn":
            then[thing, attribute] = (state[thing, attribute] + 1) % sizes[attribute]
        elif kind == "copy":
            then[thing, attribute] = state[other, attribute]
        else:
            then[thing, attribute] = state[other, attribute]
            then[other, attribute] = state[thing, attribute]
    return then


def worded(action: Action, attributes: Sequence[str], values: Sequence[Sequence[str]]) -> str:
    """What an action needs and does, of X and Y."""
    _, conditions, effects = action
    said: dict[str, Callable[..., str]] = {
        "is": lambda x, y, what, value: f"{x} is {value}",
        "is not": lambda x, y, what, value: f"{x} is not {value}",
        "same": lambda x, y, what, value: f"X and Y have the same {what}",
        "differ": lambda x, y, what, value: f"X and Y differ in {what}",
        "set": lambda x, y, what, value: f"{x} ends up {value}",
        "turn": lambda x, y, what, value: f"{x} moves on to its next {what}",
        "copy": lambda x, y, what, value: f"{x} gets the same {what} as {y}",
        "swap": lambda x, y, what, value: f"X and Y each get the other's {what}",
    }

    def clauses(terms: Sequence[Term], joint: str) -> str:
        return joint.join(
            said[kind](
                VARIABLES[place],
                VARIABLES[1 - place],
                attributes[attribute],
                values[attribute][value[0]] if value else "",
            )
            for kind, place, attribute, *value in terms
        )

    needs, makes = clauses(conditions, " and "), clauses(effects, ", and also ")
    return f"possible only if {needs}; then {makes}"


def broken(ban: Term, things: Sequence[str], state: State) -> bool:
    """The interpreter: whether a state is forbidden."""
    attribute, value, *more = ban
    having = [thing for thing in things if state[thing, attribute] == value]
    if len(more) == 1:
        return len(having) > int(more[0])
    return any(state[thing, more[0]] == more[1] for thing in having)


def ban_worded(ban: Term, values: Sequence[Sequence[str]], noun: str = "thing") -> str:
    attribute, value, *more = ban
    if len(more) == 1:
        return f"At no time may more than {counted(more[0], noun)} be {values[attribute][value]}."
    return f"At no time may a {noun} be {values[attribute][value]} and {values[more[0]][more[1]]}."
