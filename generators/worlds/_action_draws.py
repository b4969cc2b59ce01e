"""What worlds of drawn actions begin with: actions, a start, bans, and names."""

from random import Random
from typing import Protocol

from puzzlemill.generators.worlds._action_terms import SKINS, Action, Term, drawn
from puzzlemill.generators.worlds._action_world import Flat

Names = tuple[str, ...]


class Size(Protocol):
    @property
    def things(self) -> int: ...  # of the world
    @property
    def attributes(self) -> int: ...  # that each thing has
    @property
    def values(self) -> int: ...  # of each attribute
    @property
    def actions(self) -> int: ...  # at most: equal ones are one


def drawn_rules(rng: Random, size: Size) -> tuple[str, tuple[Action, ...], Flat]:
    """A skin, actions, and the state at the start."""
    skin = rng.choice(list(SKINS))
    sizes = (size.values,) * size.attributes
    actions = dict.fromkeys(drawn(rng, sizes, size.things) for _ in range(size.actions))
    start = tuple(rng.randrange(size.values) for _ in range(size.things * size.attributes))
    return skin, tuple(actions), start


def drawn_names(rng: Random, skin: str, size: Size, actions: int) -> tuple[Names, Names, Names]:
    """Of things, attributes and actions."""
    attributes, things, verbs = SKINS[skin]
    return (
        tuple(rng.sample(things, size.things)),
        tuple(rng.sample(list(attributes), size.attributes)),
        tuple(rng.sample(verbs, actions)),
    )


def drawn_ban(rng: Random, attributes: int, values: int, start: Flat) -> Term:
    """A limit on how many things have a value, which holds at the start."""
    attribute, value = rng.randrange(attributes), rng.randrange(values)
    return attribute, value, max(1, start[attribute::attributes].count(value))


def drawn_clash(rng: Random, attributes: int, values: int, start: Flat) -> Term:
    """Two values that no thing may have at once, nor has at the start; () if there are none."""
    first, second = rng.sample(range(attributes), 2) if attributes > 1 else (0, 0)
    ban = tuple(sorted([(first, rng.randrange(values)), (second, rng.randrange(values))]))
    (one, this), (other, that) = ban
    if one == other or (this, that) in zip(start[one::attributes], start[other::attributes]):
        return ()
    return one, this, other, that
