"""Quest: a small world of rooms, locked doors and dark places, and things to bring to their rooms.

Every winning walkthrough within the limit is right, and `verify` walks it. `generate` finds one
layer by layer, on numbers and arrays of them, that lays things aside only where hands are needed;
`solve` plans the shortest by what is left to carry and how far.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.planning._search import guided

ROOMS = ("attic", "cellar", "chapel", "garden", "hall", "kitchen", "library", "stable", "study",
         "tower", "workshop", "yard")  # fmt: skip
TREASURES = ("crown", "statue", "harp", "mirror", "goblet", "globe")
COLOURS = ("red", "blue", "green")
WAYS = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}
BACK = {"north": "south", "south": "north", "east": "west", "west": "east"}
CARRIED = -1  # where a thing is that one has with one
DRAWS = 80
PATIENCE = 20_000  # states that are looked at for a walkthrough
LONGEST = 60  # commands
MANY = 120  # states from which it goes on by arrays

Where = tuple[int, ...]  # the room of each thing, or CARRIED
State = tuple[int, Where]  # the room that one is in, and the things
# From each room the ways, where they lead, and the thing that is a key to the door.
Exits = tuple[tuple[tuple[str, int, int | None], ...], ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    rooms: int  # of the world
    treasures: int  # to be brought to a room
    keys: int  # each for the doors of its colour
    dark: bool  # whether there is a dark room, and a lamp
    hands: int  # things that can be carried at once
    slack: float  # commands beyond those that are needed, as a share of them


@dataclass(frozen=True, slots=True)
class World:
    rooms: tuple[str, ...]
    doors: tuple[tuple[int, str, int, str], ...]  # room, way, room, and a colour where locked
    dark: tuple[int, ...]
    things: tuple[str, ...]
    where: Where
    start: int
    goals: tuple[tuple[int, int], ...]  # a thing, and the room in which it is to be put down
    hands: int
    limit: int  # commands


def generate(rng: Random, knobs: Knobs) -> World | None:
    for _ in range(DRAWS):
        world = _drawn(rng, knobs)
        if all(world.where[thing] != room for thing, room in world.goals) and _promising(world):
            needed = _found(world)
            if needed:
                return _limited(world, needed + round(needed * knobs.slack))
    return None


def solve(world: World) -> tuple[str, ...] | None:
    """A*: each treasure has to be taken and put down, and carried all its way."""
    found = plan(world, (world.start, world.where))
    return tuple(found) if found is not None else None


def plan(world: World, state: State) -> list[str] | None:
    """The fewest commands from a state on, if they are within the limit."""
    far, exits = _far(world), _exits(world)

    def left(state: State) -> int:
        here, where = state
        acts = walk = 0
        for thing, room in world.goals:
            at = where[thing]
            if at == CARRIED:
                acts += 1
                way = far[here][room]
            elif at != room:
                acts += 2
                way = far[here][at] + far[at][room]
            else:
                continue
            if way > walk:
                walk = way
        return acts + walk

    return guided(
        state,
        lambda state: not left(state),
        lambda state: _onward(world, exits, state),
        left,
        world.limit,
    )


def verify(world: World, commands: tuple[str, ...]) -> float:
    if len(commands) > world.limit:
        return 0.0
    here, things = world.rooms[world.start], dict(zip(world.things, world.where))
    exits = {}
    for room, way, other, colour in world.doors:
        exits[world.rooms[room], way] = (world.rooms[other], colour)
        exits[world.rooms[other], BACK[way]] = (world.rooms[room], colour)
    inside = {name: world.rooms[at] if at != CARRIED else "hand" for name, at in things.items()}
    shadows = {world.rooms[it] for it in world.dark}
    for command in commands:
        act, _, what = command.partition(" ")
        held = [name for name, at in inside.items() if at == "hand"]
        blind = here in shadows and inside["lamp"] != "hand"
        if act == "go" and (here, what) in exits:
            there, colour = exits[here, what]
            if colour and f"{colour} key" not in held:
                return 0.0
            here = there
        elif act == "take" and inside.get(what) == here and not (blind and what != "lamp"):
            if len(held) >= world.hands:
                return 0.0
            inside[what] = "hand"
        elif act == "drop" and what in held and (not blind or what == "lamp"):
            inside[what] = here
        else:
            return 0.0
    return float(all(inside[world.things[at]] == world.rooms[to] for at, to in world.goals))


def recheck(world: World, commands: tuple[str, ...]) -> bool:
    """By the list of all commands that may be given where one is."""
    state = (world.start, world.where)
    for command in commands:
        choices = dict(onward(world, state))
        if command not in choices:
            return False
        state = choices[command]
    return len(commands) <= world.limit and won(world, state[1])


def render(world: World, style: Style) -> Prompt:
    told = described(world)
    goal = goals(world)
    rule = rules(world)
    limit = f"{world.limit} commands"
    start = world.rooms[world.start]
    return Prompt(
        style.pick(
            f"You are the hero of a text adventure, and this is its world:\n\n{told}\n\nYou start"
            f" in the {start} with nothing in your hands. {rule}\n\n{goal} You win as soon as that"
            f" is so; you have {limit}. A command that cannot be carried out loses the game. Give a"
            " whole list of commands that wins.",
            f"{told}\n\nThis is the plan of a small text game. The player begins in the {start},"
            f" carrying nothing. {rule}\n\n{goal} Write a walkthrough of at most {limit}; none of"
            " its commands may fail, and at its end the goal must be reached.",
            f"Plan ahead in this world.\n\n{told}\n\n{rule}\n\nThe start is in the {start}, with"
            f" empty hands. {goal} At most {limit} may be given, all of which must be possible"
            " when they are given. Which commands lead to the goal?",
        ),
        form="the commands in order, separated by commas, such as: go north, take crown, go east",
    )


def steps(world: World) -> list[str]:
    """The rooms that the planner's way leads to, with what is done there."""
    state, lines, line = (world.start, world.where), list[str](), ""
    for command in solve(world) or ():
        state = dict(onward(world, state))[command]
        line += f"{', ' if line else ''}{command}"
        if not command.startswith("go "):
            lines.append(f"{line}: in the {world.rooms[state[0]]}")
            line = ""
    return lines


def canon(world: World) -> object:
    """Without the names of rooms and things, and as the rooms lie."""
    shut = [(*door[:3], bool(door[3])) for door in world.doors]
    return shut, world.dark, world.where, world.start, world.goals, world.hands


def hardness(world: World) -> float:
    """Commands to give, doors to open and rooms to keep in mind."""
    shut = sum(bool(colour) for *_, colour in world.doors)
    return world.limit + 2 * shut + len(world.rooms) / 2


def won(world: World, where: Where) -> bool:
    return all(where[thing] == room for thing, room in world.goals)


def onward(world: World, state: State) -> Iterator[tuple[str, State]]:
    """All commands that can be carried out, and what they lead to."""
    return _onward(world, _exits(world), state)


def _onward(world: World, exits: Exits, state: State) -> Iterator[tuple[str, State]]:
    here, where = state
    for way, there, thing in exits[here]:
        if thing is None or where[thing] == CARRIED:
            yield f"go {way}", (there, where)
    held = where.count(CARRIED)
    lamp = world.things.index("lamp") if world.dark else None
    blind = here in world.dark and lamp is not None and where[lamp] != CARRIED
    for thing, at in enumerate(where):
        if blind and thing != lamp:
            continue
        if at == here and held < world.hands:
            then = (*where[:thing], CARRIED, *where[thing + 1 :])
            yield f"take {world.things[thing]}", (here, then)
        elif at == CARRIED:
            then = (*where[:thing], here, *where[thing + 1 :])
            yield f"drop {world.things[thing]}", (here, then)


def described(world: World, seen: tuple[int, ...] | None = None, where: Where | None = None) -> str:
    """The rooms, or those that have been seen, with their doors and what lies there."""
    lines = []
    for room, name in enumerate(world.rooms):
        if seen is not None and room not in seen:
            continue
        ways = []
        for here, way, there, colour in world.doors:
            for at, direction, other in ((here, way, there), (there, BACK[way], here)):
                if at == room:
                    known = seen is None or other in seen
                    to = f"to the {world.rooms[other]}" if known else "to a place not seen yet"
                    ways.append(f"{direction} {to}{f' ({colour} door)' if colour else ''}")
        now = where or world.where
        lying = [f"the {thing}" for thing, place in zip(world.things, now) if place == room]
        dark = " It is dark." if room in world.dark else ""
        here_lies = f" Here: {', '.join(lying)}." if lying else ""
        lines.append(f"The {name}. Ways: {', '.join(sorted(ways))}.{dark}{here_lies}")
    return "\n".join(lines)


def goals(world: World) -> str:
    told = [f"the {world.things[thing]} in the {world.rooms[room]}" for thing, room in world.goals]
    return f"The goal: to put down {' and '.join(told)}."


def rules(world: World) -> str:
    told = [
        'Commands are: "go north", "go east", "go south" or "go west"; "take" and the name of a'
        ' thing that lies where you are; "drop" and the name of a thing that you carry, which puts'
        " it down where you are.",
        f"You can carry {world.hands} thing{'s' if world.hands > 1 else ''} at a time.",
    ]
    if any(colour for *_, colour in world.doors):
        told.append(
            "A coloured door lets you through, in either direction, only while you carry the key"
            " of its colour; it does not stay open."
        )
    if world.dark:
        told.append(
            "In a dark place you can neither take nor drop anything but the lamp, unless you"
            " carry the lamp."
        )
    return " ".join(told)


@lru_cache(maxsize=64)
def _exits(world: World) -> Exits:
    found: list[list[tuple[str, int, int | None]]] = [[] for _ in world.rooms]
    for here, way, there, colour in world.doors:
        key = world.things.index(f"{colour} key") if colour else None
        found[here].append((way, there, key))
        found[there].append((BACK[way], here, key))
    return tuple(map(tuple, found))


def _far(world: World) -> list[list[int]]:
    """Between any two rooms the fewest doors, if none were locked."""
    count = len(world.rooms)
    far = [[0 if one == two else count for two in range(count)] for one in range(count)]
    for here, _, there, _ in world.doors:
        far[here][there] = far[there][here] = 1
    for via in range(count):
        for one in range(count):
            for two in range(count):
                far[one][two] = min(far[one][two], far[one][via] + far[via][two])
    return far


def _drawn(rng: Random, knobs: Knobs) -> World:
    """A world in which nothing needs to be of use, or in reach."""
    places = _places(rng, knobs.rooms)
    names = rng.sample(ROOMS, knobs.rooms)
    colours = rng.sample(COLOURS, knobs.keys)
    pairs = [
        (here, way, there)
        for here, cell in enumerate(places)
        for way in ("east", "south")
        for there, other in enumerate(places)
        if other == (cell[0] + WAYS[way][0], cell[1] + WAYS[way][1])
    ]
    locked = dict(zip(rng.sample(range(len(pairs)), min(knobs.keys, len(pairs))), colours))
    doors = tuple((*pair, locked.get(at, "")) for at, pair in enumerate(pairs))
    lamp = ("lamp",) if knobs.dark else ()
    things = (*rng.sample(TREASURES, knobs.treasures), *(f"{it} key" for it in colours), *lamp)
    start = rng.randrange(knobs.rooms)
    where = tuple(rng.randrange(knobs.rooms) for _ in things)
    goals = tuple((thing, rng.randrange(knobs.rooms)) for thing in range(knobs.treasures))
    dark = [it for it in range(knobs.rooms) if it != start]
    shadow = (rng.choice(dark),) if knobs.dark else ()
    return World(tuple(names), doors, shadow, things, where, start, goals, knobs.hands, LONGEST)


def _places(rng: Random, count: int) -> list[tuple[int, int]]:
    """Cells that hang together."""
    places = [(0, 0)]
    while len(places) < count:
        row, column = rng.choice(places)
        down, right = rng.choice(list(WAYS.values()))
        cell = (row + down, column + right)
        # Not too broad, so that there are doors that cannot be gone round.
        beside = sum((cell[0] + a, cell[1] + b) in places for a, b in WAYS.values())
        if cell not in places and (beside == 1 or rng.random() < 0.25):
            places.append(cell)
    return places


def _limited(world: World, limit: int) -> World:
    return World(
        world.rooms, world.doors, world.dark, world.things, world.where, world.start, world.goals,
        world.hands, limit,
    )  # fmt: skip


def _promising(world: World) -> bool:
    """Whether the goal can be reached with hands enough, but not without each key and the lamp."""
    tools = range(len(world.goals), len(world.things))
    return _within_reach(world, None) and not any(_within_reach(world, it) for it in tools)


def _within_reach(world: World, without: int | None) -> bool:
    """Whether the goal can be reached if one thing is left where it is, and hands are enough."""
    rooms, held = {world.start}, set[int]()
    lamp = world.things.index("lamp") if world.dark else None
    exits = _exits(world)
    grown = True
    while grown:
        before = len(rooms) + len(held)
        for room in sorted(rooms):
            rooms |= {there for _, there, key in exits[room] if key is None or key in held}
        for thing, room in enumerate(world.where):
            lit = room not in world.dark or lamp in held or thing == lamp
            if room in rooms and lit and thing != without:
                held.add(thing)
        grown = len(rooms) + len(held) > before
    return all(
        thing in held and room in rooms and (room not in world.dark or lamp in held)
        for thing, room in world.goals
    )


def _found(world: World) -> int | None:
    """The commands of a walkthrough, layer by layer; a state is one number.

    Nothing is laid aside while there are hands for more; that the shortest way of all may do so
    does not matter much.
    """
    held = len(world.rooms)  # stands for the hands
    *shifts, top = _fields(world)  # things, then the room
    start = sum(room << shift for room, shift in zip((*world.where, world.start), (*shifts, top)))
    lamp = world.things.index("lamp") if world.dark else 0
    exits, last, low = _exits(world), (1 << held.bit_length()) - 1, (1 << top) - 1
    # The digits, and the things in hand: the same things lie about in many rooms' states.
    known: dict[int, tuple[tuple[int, ...], list[int]]] = {}
    border, seen = [start], {start}
    for commands in range(1, LONGEST + 1):
        if len(border) > MANY:
            return _found_together(world, border, seen, commands)
        fresh = []
        for state in border:
            here, rest = state >> top, state & low
            if rest not in known:
                digits = tuple(rest >> shift & last for shift in shifts)
                known[rest] = digits, [at for at, digit in enumerate(digits) if digit == held]
            digits, hands = known[rest]
            thens = [
                state + (there - here << top)
                for _, there, key in exits[here]
                if key is None or digits[key] == held
            ]
            blind = here in world.dark and digits[lamp] != held
            full = len(hands) >= world.hands
            if here in digits and not full:
                for at, digit in enumerate(digits):
                    if digit == here and not (blind and at != lamp):
                        thens.append(state + (held - here << shifts[at]))
            for at in hands:
                home = (at, here) in world.goals
                if not (full or home) or (blind and at != lamp):
                    continue
                if home and all(digits[it] == room for it, room in world.goals if it != at):
                    return commands
                thens.append(state - (held - here << shifts[at]))
            for then in thens:
                if then not in seen:
                    seen.add(then)
                    fresh.append(then)
        if len(seen) > PATIENCE:
            return None
        border = fresh
    return None


def _found_together(world: World, border: list[int], seen: set[int], commands: int) -> int | None:
    """The same from some layer on, all of a layer's states at once."""
    held = len(world.rooms)
    *shifts, top = _fields(world)
    last = (1 << held.bit_length()) - 1
    lamp = world.things.index("lamp") if world.dark else None
    shadows = np.isin(range(held), world.dark)
    # What a walk adds: a row for each room, filled up with zeros, which lead to the state itself.
    walks = np.zeros((held, len(WAYS)), dtype=np.int64)
    locked = []
    for room, ways in enumerate(_exits(world)):
        for at, (_, there, key) in enumerate(ways):
            if key is None:
                walks[room, at] = there - room << top
            else:
                locked.append((room, there - room << top, key))
    homes = dict(world.goals)
    won = sum(room << shifts[thing] for thing, room in world.goals)
    goods = sum(last << shifts[thing] for thing in homes)
    states, known = np.array(border), np.sort(np.fromiter(seen, np.int64, len(seen)))
    for layer in range(commands, LONGEST + 1):
        here = states >> top
        where = [states >> shift & last for shift in shifts]
        hands = [at == held for at in where]
        full = np.sum(hands, axis=0) >= world.hands
        lit = ~shadows[here]
        if lamp is not None:
            lit |= hands[lamp]
        parts = [(states[:, None] + walks[here]).ravel()]
        parts += [states[hands[key] & (here == room)] + step for room, step, key in locked]
        for thing, shift in enumerate(shifts):
            take = (where[thing] == here) & ~full
            drop = hands[thing] & (full | (here == homes.get(thing, held)))
            if thing != lamp:
                take, drop = take & lit, drop & lit
            parts.append(states[take] + (held - here[take] << shift))
            parts.append(states[drop] - (held - here[drop] << shift))
        states = np.sort(np.concatenate(parts))
        states = states[np.diff(states, prepend=-1) != 0]  # `unique` takes five times as long
        states = states[known.take(np.searchsorted(known, states), mode="clip") != states]
        if (states & goods == won).any():
            return layer
        known = np.sort(np.concatenate([known, states]), kind="stable")
        if len(known) > PATIENCE or not len(states):
            return None
    return None


def _fields(world: World) -> list[int]:
    """Where in a state's number each thing's room begins, and the room that one is in."""
    width = len(world.rooms).bit_length()
    return [width * at for at in range(len(world.things) + 1)]


LADDER = (
    Knobs(4, 1, 0, False, 2, 0.5),
    Knobs(5, 1, 1, False, 2, 0.3),
    Knobs(6, 2, 1, False, 2, 0.2),
    Knobs(7, 2, 1, True, 2, 0.1),
    Knobs(8, 2, 2, True, 2, 0.0),
)
FAMILY = Family(
    World,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(
        "the commands in order, separated by commas", items="phrases", idle=("the",)
    ),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="A* by what is left to carry and how far",
    guess_rate=0.03,
    steps=steps,
    canon=canon,
    skills=("games", "planning"),
    peers=("TextArena/TextWorld",),
    version=2,
)
