"""Marked points: order points on the walls, the floor and the boxes of a room by their distance.

The lines around the room lie at equal steps, so that one can count how far in a point is. `verify`
follows the ray from the eye through a point to what it meets first. `solve` sees the picture only:
it goes by the colour of what a point lies on, and where that stands on the floor.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._picture import (
    INK,
    PAPER,
    Colour,
    Pixels,
    drawn_once,
    extents,
    png,
    stamp,
)
from puzzlemill.generators.visual._plates import find_plates, plate, put_plate
from puzzlemill.generators.visual._scene import COLOURS, inside
from puzzlemill.generators.visual._scene import PALETTE as SHAPES

WIDE, HIGH = 384, 288  # pixels
EYE = WIDE // 2, 126  # where the room's far end shrinks to
FOCUS = 300  # pixels: how far the eye is from the picture
# Of the room, in centimetres from the eye: to either side, down, up, and to the far wall.
SIDE, DOWN, UP, FAR = 150, 130, 110, 1200
STEP = 100  # from one line around the room to the next
RULE = 3  # centimetres: half a line's width
PARTIAL = 0.2  # the score of a permutation is at most this until all letters are in place
TRIES = 200  # places tried for all points
DOT = 4  # pixels: a point's radius
ABOVE = 18  # pixels from a point to the middle of its letter's plate
ROOM = 26  # pixels between two points, at least
LETTERS = "ABCDEFG"
HUES = tuple(COLOURS)

# A room's surfaces, then of each box the front, the top and the side.
_FLOOR, _CEILING, _LEFT, _RIGHT, _BACK, _LINE = range(len(SHAPES), len(SHAPES) + 6)
_BOX = _LINE + 1


def _shaded(colour: Colour, share: int) -> Colour:
    red, green, blue = (part * share // 100 for part in colour)
    return red, green, blue


PALETTE: tuple[Colour, ...] = (
    *SHAPES,
    (214, 206, 190), (236, 236, 240), (206, 220, 226), (196, 210, 218), (180, 186, 196),
    (128, 128, 136),
    *(_shaded(colour, share) for colour in COLOURS.values() for share in (100, 84, 66)),
)  # fmt: skip

Box = tuple[int, int, int, int, int, int]  # hue, left, right, height, near and far, in centimetres
Point = tuple[int, int]  # x and y in the picture
Way = tuple[float, float]  # to a point: straight ahead, and as the crow flies
Depths = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Knobs:
    points: int  # to be put in order
    boxes: int  # in the room
    clear: int  # per cent: each point is at least so far away as the one before it, if they fit


@dataclass(frozen=True, slots=True)
class Room:
    boxes: tuple[Box, ...]
    points: tuple[Point, ...]  # named A, B, C … in this order


def generate(rng: Random, knobs: Knobs) -> Room | None:
    clear = min(knobs.clear, 100 + 100 // (knobs.points - 1))  # more would not fit into the room
    hues = rng.sample(range(len(HUES)), knobs.boxes)
    boxes = tuple(_box(rng, hue) for hue in hues)
    if any(_is_near(one, other) for at, one in enumerate(boxes) for other in boxes[:at]):
        return None
    surfaces, points, ways = _surfaces(boxes), list[Point](), list[Way]()
    for _ in range(TRIES):
        point = _somewhere(rng, boxes)
        if _is_alone(point, points) and _surface(surfaces, *point) is not None:
            straight = _depth(boxes, point)
            way = straight, straight * _slant(point)
            if all(_is_clear(way, other, clear) for other in ways):
                points.append(point)
                ways.append(way)
        if len(points) == knobs.points:
            rng.shuffle(points)  # the first one is not the nearest more often than another
            room = Room(boxes, tuple(points))
            gold = solve(room)
            return room if gold and verify(room, gold) == 1 else None
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(room: Room) -> tuple[str, ...] | None:
    """The letters and their points as read from the picture, and how far each lies."""
    pixels, found = _page(room), []
    letters = LETTERS[: len(room.points)]
    for letter, corner in zip(letters, find_plates(pixels, letters)):
        if corner is None:
            return None
        high, wide = plate(letter).shape
        x, y = corner[1] + wide // 2, corner[0] + high // 2 + ABOVE
        depth = _read_depth(pixels, x, y)
        if depth is None:
            return None
        right, below = x - EYE[0], y - EYE[1]
        found.append((depth * math.hypot(right, below, FOCUS), letter.lower()))
    return tuple(letter for _, letter in sorted(found))


def verify(room: Room, said: tuple[str, ...]) -> float:
    names = LETTERS[: len(room.points)].lower()
    if sorted(said) != sorted(names):
        return 0.0
    true = sorted(names, key=lambda name: _distance(room.boxes, room.points[names.index(name)]))
    right = sum(one == other for one, other in zip(true, said, strict=True))
    return 1.0 if right == len(true) else PARTIAL * right / len(true)


def render(room: Room, style: Style) -> Prompt:
    count = len(room.points)
    told = "The lines around the room are at equal distances from one another." + (
        " The boxes stand on the floor." if room.boxes else ""
    )
    return Prompt(
        style.pick(
            f"<image>\nYou look into a long room. {count} points are marked on its surfaces: a"
            f" point is the dot below its letter. {told} Order the points by how far they are from"
            " you.",
            f"The picture shows a room, seen from one end, with {count} dots on its surfaces; each"
            f" has its letter above it.\n<image>\n{told} Which dot marks the place nearest to"
            " the viewer, which the next, and so on?",
            f"<image>\nSort the {count} marked places in this room by depth, the nearest first."
            f" Each place is where a dot is, below its letter. {told}",
        ),
        form=f"all {count} letters from the nearest to the farthest, separated by commas",
        images=(png(_page(room), PALETTE),),
    )


def hardness(room: Room) -> float:
    return 2 * len(room.points) + len(room.boxes)


def _box(rng: Random, hue: int) -> Box:
    near, wide = rng.randint(350, 850), rng.randint(40, 90)
    left = rng.randint(10 - SIDE, SIDE - 10 - wide)
    return hue, left, left + wide, rng.randint(40, 110), near, near + rng.randint(60, 140)


def _is_near(one: Box, other: Box) -> bool:
    """Whether there is less than a step between two boxes on the floor."""
    aside = one[1] >= other[2] + 10 or other[1] >= one[2] + 10
    return not aside and one[4] < other[5] + 60 and other[4] < one[5] + 60


def _somewhere(rng: Random, boxes: Sequence[Box]) -> Point:
    """Half of the time within the outline of a box, if there are any."""
    left, right, top, bottom = 14, WIDE - 15, ABOVE + 14, HIGH - 8
    if boxes and rng.random() < 0.5:
        _, *aside, high, near, _ = rng.choice(boxes)
        left, right = (EYE[0] + FOCUS * edge // near for edge in aside)
        top, bottom = (EYE[1] + FOCUS * level // near for level in (DOWN - high, DOWN))
        left, right, top = max(left - 12, 14), min(right + 12, WIDE - 15), max(top - 10, ABOVE + 14)
    return rng.randint(left, right), rng.randint(top, min(bottom, HIGH - 8))


def _is_alone(point: Point, others: Sequence[Point]) -> bool:
    """Whether a point lies apart from others in the picture."""
    x, y = point
    return all(abs(x - u) >= ROOM or abs(y - v) >= ROOM for u, v in others)


def _is_clear(one: Way, other: Way, clear: int) -> bool:
    """Whether one of two points is clearly the farther."""
    farther = set()
    for here, there in zip(one, other):
        if 100 * max(here, there) < clear * min(here, there):
            return False
        farther.add(here > there)
    return len(farther) == 1


def _distance(boxes: Sequence[Box], point: Point) -> float:
    return _depth(boxes, point) * _slant(point)


def _slant(point: Point) -> float:
    return math.hypot(point[0] - EYE[0], point[1] - EYE[1], FOCUS)


def _depth(boxes: Sequence[Box], point: Point) -> float:
    """How far into the room the ray through a point gets, in centimetres, straight ahead."""
    right, below = ((place - eye) / FOCUS for place, eye in zip(point, EYE, strict=True))
    found = [float(FAR)]
    found += [SIDE / abs(right)] if right else []
    found += [(DOWN if below > 0 else UP) / abs(below)] if below else []
    for _, left, stop, high, near, far in boxes:
        reach = float(near)
        if left <= right * near <= stop and DOWN - high <= below * near <= DOWN:
            found.append(reach)
            continue
        if below > 0:
            reach = (DOWN - high) / below
            if near <= reach <= far and left <= right * reach <= stop:
                found.append(reach)
        for side in (left, stop):
            if right and near <= (reach := side / right) <= far and (
                DOWN - high <= below * reach <= DOWN
            ):  # fmt: skip
                found.append(reach)
    return min(found)


def _read_depth(pixels: Pixels, x: int, y: int) -> float | None:
    """The depth of a point by the surface around it in the picture."""
    colour = _surface(pixels, x, y)
    if colour is None:
        return None
    right, below = x - EYE[0], y - EYE[1]
    if colour == _BACK:
        return FAR
    if colour in (_FLOOR, _CEILING):
        return FOCUS * (DOWN if colour == _FLOOR else UP) / abs(below)
    if colour in (_LEFT, _RIGHT):
        return FOCUS * SIDE / abs(right)
    hue, face = divmod(colour - _BOX, 3)
    front = extents(pixels, [_BOX + 3 * hue])
    if not front:
        return None
    top, bottom, left, stop = front[_BOX + 3 * hue]
    near = FOCUS * DOWN / (bottom + 0.5 - EYE[1])  # the front's foot, on the floor
    if face == 0:
        return near
    if face == 1:
        return (top - 0.5 - EYE[1]) * near / below
    edge = left - 0.5 if right > 0 else stop + 0.5
    return (edge - EYE[0]) * near / right


def _surface(pixels: Pixels, x: int, y: int) -> int | None:
    """The one colour around a point, lines apart."""
    ring = pixels[y - DOT - 2 : y + DOT + 3, x - DOT - 2 : x + DOT + 3]
    colours = set(ring.tobytes()) - {INK, PAPER, _LINE}
    return colours.pop() if len(colours) == 1 else None


@drawn_once
def _surfaces(boxes: tuple[Box, ...]) -> Pixels:
    """The room and its boxes, without the points."""
    pixels, depths = _empty()
    pixels, depths = pixels.copy(), depths.copy()
    for box in boxes:
        _draw(pixels, depths, box)
    return pixels


@drawn_once
def _page(room: Room) -> Pixels:
    pixels = _surfaces(room.boxes).copy()
    for letter, (x, y) in zip(LETTERS, room.points):
        stamp(pixels, inside("circle", DOT + 1), x, y, PAPER)
        stamp(pixels, inside("circle", DOT), x, y, INK)
        put_plate(pixels, letter, x, y - ABOVE)
    return pixels


def _rays() -> tuple[Depths, Depths]:
    across, down = np.arange(WIDE, dtype=np.int32), np.arange(HIGH, dtype=np.int32)
    return across[None] - EYE[0], down[:, None] - EYE[1]


@cache
def _empty() -> tuple[Pixels, Depths]:
    """The room without boxes, and how far each of its pixels is."""
    right, below = _rays()
    walls = FOCUS * SIDE // np.maximum(abs(right), 1)
    levels = FOCUS * np.where(below > 0, DOWN, UP) // np.maximum(abs(below), 1)
    depths = np.minimum(np.minimum(walls, levels), FAR).astype(np.int32)
    pixels = np.where(levels < walls, np.where(below > 0, _FLOOR, _CEILING),
                      np.where(right < 0, _LEFT, _RIGHT)).astype(np.uint8)  # fmt: skip
    pixels[depths == FAR] = _BACK
    # A line is at least a pixel wide, however far away: where two pixels' depths lie around it.
    step = (depths + RULE) // STEP
    line = (depths + RULE) % STEP < 2 * RULE
    line[:, 1:] |= step[:, 1:] != step[:, :-1]
    line[1:] |= step[1:] != step[:-1]
    pixels[line & (depths < FAR)] = _LINE
    for each in (pixels, depths):
        each.setflags(write=False)
    return pixels, depths


def _draw(pixels: Pixels, depths: Depths, box: Box) -> None:
    hue, left, stop, high, near, far = box
    top, first = DOWN - high, _BOX + 3 * hue
    # Only where the box can be seen, and a few pixels around.
    levels = [FOCUS * (top - 1) // near, FOCUS * (top - 1) // far, FOCUS * DOWN // near]
    aside = [FOCUS * edge // reach for edge in (left, stop) for reach in (near, far)]
    rows, columns = (
        slice(max(eye + min(places) - 4, 0), eye + max(places) + 5)
        for eye, places in ((EYE[1], levels), (EYE[0], aside))
    )
    pixels, depths = pixels[rows, columns], depths[rows, columns]
    right, below = _rays()
    right, below = right[:, columns], below[rows]
    faces: list[tuple[Depths, int]] = [
        (np.array(near, dtype=np.int32), 0),
        (FOCUS * top // np.maximum(below, 1), 1),
    ]
    if left > 0 or stop < 0:
        edge = left if left > 0 else stop
        side = right if left > 0 else -right
        # A side is seen on its own side of the middle only.
        faces.append((np.where(side > 0, FOCUS * abs(edge) // np.maximum(side, 1), -1), 2))
    for reach, face in faces:
        # Where the ray meets the plane of the face, in hundredths of a centimetre times the focus.
        across, down = right * reach * 100, below * reach * 100
        met = (reach >= near) & (reach <= far) & (reach < depths)
        met &= (down >= 100 * FOCUS * (top - (face == 1))) & (down < FOCUS * (100 * DOWN + 1))
        if face < 2:
            met &= (across >= 100 * FOCUS * left) & (across < FOCUS * (100 * stop + 1))
        pixels[met] = first + face
        np.copyto(depths, reach, where=met)


LADDER = (
    Knobs(3, 0, 150),
    Knobs(4, 1, 130),
    Knobs(5, 2, 120),
    Knobs(6, 3, 112),
    Knobs(7, 4, 108),
)
FAMILY = Family(
    Room,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(form="letters in order", items="letters", reorders=True),
    hardness=hardness,
    proof="unique",
    solver="what each point lies on, and where that stands, read from the pixels",
    guess_rate=0.17,
    known=lambda room: LETTERS[: len(room.points)],
    redraws=True,
    skills=("vision", "space"),
    peers=("Visual-Jigsaw/3d",),
    version=5,
)
