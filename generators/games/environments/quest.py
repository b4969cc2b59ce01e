"""Quest: a text adventure; rooms are seen when they are entered, and things are to be brought."""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Prompt
from puzzlemill.core.game import Game
from puzzlemill.core.knobs import at
from puzzlemill.core.plain_data import freeze, thaw
from puzzlemill.generators.games.quest import (
    CARRIED,
    FAMILY,
    Where,
    World,
    described,
    generate,
    goals,
    onward,
    rules,
    won,
)

EASY = 0.75  # of the family's ladder, at level 1
MORE = 2  # times the commands of a walkthrough, since the rooms are not known


@dataclass(frozen=True, slots=True)
class Place:
    world: str  # as JSON, since it is a record itself
    here: int
    where: Where
    seen: tuple[int, ...]
    left: int  # commands


def reset(rng: Random, level: float) -> Place:
    while True:
        world = generate(rng, at(FAMILY.ladder, level * EASY))
        if world is not None:
            break
    return Place(freeze(world), world.start, world.where, (world.start,), world.limit * MORE)


def to_move(place: Place) -> int:
    return 0


def legal(place: Place) -> tuple[str, ...]:
    world = world_of(place)
    if place.left == 0 or won(world, place.where):
        return ()
    return tuple(command for command, _ in onward(world, (place.here, place.where)))


def step(place: Place, command: str) -> Place:
    world = world_of(place)
    here, where = dict(onward(world, (place.here, place.where)))[command]
    seen = tuple(sorted({*place.seen, here}))
    return Place(place.world, here, where, seen, place.left - 1)


def score(place: Place) -> tuple[float, ...]:
    return (float(won(world_of(place), place.where)),)


def shown(place: Place, player: int) -> Prompt:
    world = world_of(place)
    told = described(world, place.seen, place.where)
    held = [f"the {it}" for it, now in zip(world.things, place.where) if now == CARRIED]
    return Prompt(
        f"You play a text adventure. What you have seen of its world so far:\n\n{told}\n\nYou are"
        f" in the {world.rooms[place.here]} and carry {' and '.join(held) or 'nothing'}."
        f" {rules(world)}\n\n{goals(world)} Commands left: {place.left}. A command that cannot be"
        " carried out loses the game.",
        form="your next command",
    )


def world_of(place: Place) -> World:
    return thaw(World, place.world)


KIND = answers.Phrase()
GAME = Game(
    Place, reset, to_move, legal, step, score, shown, KIND.read, KIND.write,
    players=1, open=False, rivals=False,
)  # fmt: skip
