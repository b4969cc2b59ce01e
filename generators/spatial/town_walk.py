"""Town walk: a town told in words, a walk by lefts and rights; which place is nearest at each stop?

`solve` keeps the town still and moves the walker. `verify` keeps the walker still, looking ahead,
and moves the town: what he passes slides by, and when he turns, the town turns the other way.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed

PLACES = ("bakery", "bank", "bridge", "castle", "chapel", "church", "cinema", "fountain",
          "garage", "gate", "hospital", "hotel", "library", "market", "mill", "museum", "park",
          "palace", "pharmacy", "school", "stadium", "station", "theatre", "tower")  # fmt: skip
WAYS = ("north", "east", "south", "west")
LONGEST = 5  # blocks in one go
PATIENCE = 12  # acts more than wanted, until one place alone is nearest

Point = tuple[int, int]  # blocks east and north of the first place
# ("walk", 3), ("north", 2): turn that way and walk; ("left", 0), ("right", 0), ("back", 0);
# ("until", 4): on, to the next crossing that has a place, which comes after so many blocks;
# ("stop", 0).
Act = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    places: int  # of the town
    acts: int  # between the stops, all together
    stops: int  # at which the nearest place is asked for
    chained: float  # how often a place is told by the last one told, instead of by the first


@dataclass(frozen=True, slots=True)
class Town:
    places: tuple[str, ...]
    # Of each place but the first: by which earlier one it is told, and how far east and north.
    told: tuple[tuple[int, int, int], ...]
    order: tuple[int, ...]  # in which the places are told
    start: int
    facing: int  # of WAYS
    acts: tuple[Act, ...]


def generate(rng: Random, knobs: Knobs) -> Town | None:
    breadth = int(knobs.places**0.5) + 2
    crossings = [(x, y) for x in range(breadth) for y in range(breadth)]
    at = rng.sample(crossings, knobs.places)
    told = []
    for place in range(1, knobs.places):
        by = place - 1 if rng.random() < knobs.chained else rng.randrange(place)
        told.append((by, at[place][0] - at[by][0], at[place][1] - at[by][1]))
    start, facing = rng.randrange(knobs.places), rng.randrange(4)
    walked = _walked(rng, knobs, at, at[start], facing, breadth)
    if walked is None:
        return None
    order = rng.sample(range(1, knobs.places), knobs.places - 1)
    names = tuple(rng.sample(PLACES, knobs.places))
    return Town(names, tuple(told), tuple(order), start, facing, tuple(walked))


def solve(town: Town) -> tuple[str, ...] | None:
    """Walks. None where two places are equally near at a stop."""
    at: list[Point] = [(0, 0)]
    for by, east, north in town.told:
        at.append((at[by][0] + east, at[by][1] + north))
    here, heading = complex(*at[town.start]), 1j * (-1j) ** town.facing
    found = []
    for what, count in town.acts:
        if what in WAYS:
            heading = 1j * (-1j) ** WAYS.index(what)
        heading *= {"left": 1j, "right": -1j, "back": -1}.get(what, 1)
        if what == "until":
            here += heading
            while (round(here.real), round(here.imag)) not in at:
                here += heading
        elif what != "stop":
            here += heading * count
        else:
            far = [abs(x - round(here.real)) + abs(y - round(here.imag)) for x, y in at]
            if far.count(min(far)) > 1:
                return None
            found.append(town.places[far.index(min(far))])
    return tuple(found)


def verify(town: Town, names: tuple[str, ...]) -> float:
    # Where each place is, seen by the walker: blocks to the right of him and ahead.
    seen: dict[str, Point] = {town.places[town.start]: (0, 0)}
    links = [(place, by, east, north) for place, (by, east, north) in enumerate(town.told, start=1)]
    for _ in town.places:
        for place, by, east, north in links:
            for one, other, sign in ((place, by, 1), (by, place, -1)):
                if (base := seen.get(town.places[other])) and town.places[one] not in seen:
                    seen[town.places[one]] = (base[0] + sign * east, base[1] + sign * north)
    seen = {name: _turned(point, town.facing) for name, point in seen.items()}
    facing, said = town.facing, list(names)
    for what, count in town.acts:
        if what == "stop":
            near = sorted(seen, key=lambda name: abs(seen[name][0]) + abs(seen[name][1]))
            if not said or said.pop(0) != near[0]:
                return 0.0
            continue
        turn = {"right": 1, "back": 2, "left": 3}.get(what, 0)
        if what in WAYS:
            turn = WAYS.index(what) - facing
        facing += turn
        seen = {name: _turned(point, turn) for name, point in seen.items()}
        if what == "until":
            count = min(ahead for right, ahead in seen.values() if right == 0 and ahead > 0)
        seen = {name: (right, ahead - count) for name, (right, ahead) in seen.items()}
    return float(not said)


def render(town: Town, style: Style) -> Prompt:
    lines = [f"- {_placed(town, place, style)}" for place in town.order]
    acts, stops = [], 0
    for what, count in town.acts:
        stops += what == "stop"
        acts.append(_told(what, count, stops, style))
    walk = "\n".join(f"{number}. {act}" for number, act in enumerate(acts, start=1))
    places = "\n".join(lines)
    start, way = f"the {town.places[town.start]}", WAYS[town.facing]
    many = f"stop{'s' if stops > 1 else ''}"
    nearest = style.pick(
        f"Which place is nearest to you at the {many}, counted in blocks along the streets?",
        "At each stop, to which place is the way along the streets shortest (in blocks)?",
    )
    if stops == 1:
        nearest = "Which place is nearest to you at the stop, counted in blocks along the streets?"
    there = "A place where you stand is at a distance of 0."
    return Prompt(
        style.pick(
            f"The streets of a town run straight from north to south and from east to west, and"
            f" cross at every block. Each place stands at a crossing:\n{places}\n\nYou are at"
            f" {start} and look {way}.\n{walk}\n\n{nearest} {there}",
            f"A town is a grid of streets; there is a crossing every block in every direction."
            f" These places lie at crossings:\n{places}\nNow a walk. It begins at {start}, facing"
            f" {way}:\n{walk}\n{nearest} {there}",
            f"You start a walk at {start}, looking {way}, in a town whose streets make a square"
            f" grid (north-south and east-west, a block apart). What is where, each thing at a"
            f" crossing:\n{places}\nThe walk:\n{walk}\n{there} {nearest}",
        ),
        form=(
            "the name of the place"
            if stops == 1
            else "the names of the places, one for each stop in order, separated by commas"
        ),
    )


def steps(town: Town) -> list[str]:
    """Where the places are, and the walker after each act."""
    at: list[Point] = [(0, 0)]
    for by, east, north in town.told:
        at.append((at[by][0] + east, at[by][1] + north))
    lines = [f"{name}: {point}" for name, point in zip(town.places, at)]
    (x, y), facing, stops = at[town.start], town.facing, iter(solve(town) or ())
    for what, count in town.acts:
        if what == "stop":
            lines.append(f"stop at ({x}, {y}): {next(stops)}")
            continue
        facing = WAYS.index(what) if what in WAYS else facing
        facing = (facing + {"right": 1, "back": 2, "left": 3}.get(what, 0)) % 4
        x += (0, 1, 0, -1)[facing] * count
        y += (1, 0, -1, 0)[facing] * count
        lines.append(f"{what}: at ({x}, {y}), looking {WAYS[facing]}")
    return lines


def progress(town: Town, lines: Lines) -> float:
    return states_followed(FAMILY, town, lines)


def canon(town: Town) -> object:
    """What the places are called makes no difference."""
    return town.told, town.order, town.start, town.facing, town.acts


def hardness(town: Town) -> float:
    return len(town.places) + len(town.acts)


def _walked(
    rng: Random, knobs: Knobs, at: list[Point], here: Point, facing: int, breadth: int
) -> list[Act] | None:
    """A walk in the town or close by, with a stop where one place, and another one, is nearest."""
    acts: list[Act] = []
    last = at.index(here)  # the place that was nearest at the last stop
    for stop in range(knobs.stops):
        due = (knobs.acts + stop) // knobs.stops
        for count in range(due + PATIENCE):
            what, blocks, facing = _act(rng, at, here, facing, breadth, acts)
            acts.append((what, blocks))
            x, y = here
            here = (x + (0, 1, 0, -1)[facing] * blocks, y + (1, 0, -1, 0)[facing] * blocks)
            far = [abs(here[0] - east) + abs(here[1] - north) for east, north in at]
            near = far.index(min(far))
            if count + 1 >= due and blocks and near != last and far.count(far[near]) == 1:
                last = near
                break
        else:
            return None
        acts.append(("stop", 0))
    return acts


def _act(
    rng: Random, at: list[Point], here: Point, facing: int, breadth: int, acts: list[Act]
) -> tuple[str, int, int]:
    """What is done next: its name, how many blocks it goes, and which way one looks then."""
    rooms = [
        [
            count
            for count in range(1, LONGEST + 1)
            if -1 <= here[0] + east * count <= breadth and -1 <= here[1] + north * count <= breadth
        ]
        for east, north in ((0, 1), (1, 0), (0, -1), (-1, 0))
    ]
    turned = bool(acts) and acts[-1][0] in ("left", "right", "back")
    if acts and not turned and (rng.random() < 0.6 or not rooms[facing]):
        # Not where there is no way on.
        quarters = rng.choice([it for it in (1, 2, 3, 1, 3) if rooms[(facing + it) % 4]])
        return ("right", "back", "left")[quarters - 1], 0, (facing + quarters) % 4
    if not rooms[facing] or (not turned and rng.random() < 0.4):
        facing = rng.choice([way for way in range(4) if rooms[way]])
        return WAYS[facing], rng.choice(rooms[facing]), facing
    east, north = (0, 1, 0, -1)[facing], (1, 0, -1, 0)[facing]
    met = [it for it in range(1, breadth + 2) if (here[0] + east * it, here[1] + north * it) in at]
    if met and rng.random() < 0.35:
        return "until", met[0], facing
    return "walk", rng.choice(rooms[facing]), facing


def _turned(point: Point, quarters: int) -> Point:
    """Where a thing at the right and ahead is seen once one has turned to the right so often."""
    right, ahead = point
    return ((right, ahead), (-ahead, right), (-right, -ahead), (ahead, -right))[quarters % 4]


def _placed(town: Town, place: int, style: Style) -> str:
    by, east, north = town.told[place - 1]
    ways = []
    for count, names in ((north, ("south", "north")), (east, ("west", "east"))):
        if count:
            plural = "s" * (abs(count) > 1)
            ways.append(f"{abs(count)} block{plural} {names[count > 0]}")
    way, name, base = " and ".join(ways), f"the {town.places[place]}", f"the {town.places[by]}"
    return style.pick(
        f"{name.capitalize()} is {way} of {base}.",
        f"From {base}, go {way} to find {name}.",
        f"{way} of {base} there is {name}.",
    )


def _told(what: str, count: int, stop: int, style: Style) -> str:
    blocks = f"{count} block{'s' * (count != 1)}"
    match what:
        case "walk":
            return style.pick(f"Walk {blocks} straight on.", f"Go {blocks} forward.")
        case "left" | "right":
            return style.pick(f"Turn {what}.", f"Turn to the {what}.")
        case "back":
            return style.pick("Turn round.", "Turn to look the opposite way.")
        case "until":
            return style.pick(
                "Walk straight on until you come to the next place.",
                "Go forward to the first crossing ahead of you that has a place.",
            )
        case "stop":
            return f"Stop number {stop}."
    return style.pick(
        f"Turn to the {what} and walk {blocks}.",
        f"Now go {blocks} {what}, and go on looking {what}.",
    )


LADDER = (
    Knobs(4, 3, 3, 0.2),
    Knobs(5, 6, 3, 0.4),
    Knobs(7, 12, 4, 0.5),
    Knobs(10, 20, 4, 0.6),
    Knobs(14, 40, 6, 0.7),
    Knobs(18, 70, 8, 0.8),
)
FAMILY = Family(
    Town,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(),
    hardness=hardness,
    proof="unique",
    solver="walking through the town",
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("spatial", "state tracking"),
    peers=(
        "SynLogic/space_reasoning",
        "Enigmata/natural_language_navigation",
        "KORGym/48-map_position_simulation_text",
    ),
)
