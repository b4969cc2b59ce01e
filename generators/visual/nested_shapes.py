"""Nested shapes: inside how many of the drawn outlines does the dot lie?

Outlines never touch. `verify` compares coordinates; `solve` goes from patch to patch of the drawn
picture, from its border to the dot, and counts the outlines that it has to cross.
"""

from collections import deque
from dataclasses import dataclass
from random import Random

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._drawing import asked, blank, disc, frame, ring
from puzzlemill.generators.visual._patches import touching
from puzzlemill.generators.visual._picture import INK, Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import INDEX, PALETTE

SIDE = 440  # pixels
GAP = 6  # pixels between two outlines, at least
DOT = 4  # radius in pixels
LEAST = 20  # pixels along a side of a shape

Outline = tuple[str, int, int, int, int]  # "box" or "circle", left, top, right, bottom


Room = tuple[int, int, int, int, int]  # outlines around it, left, top, right, bottom


@dataclass(frozen=True, slots=True)
class Knobs:
    shapes: int  # outlines in the picture
    deep: float  # how often a room is filled with one outline, and not divided


@dataclass(frozen=True, slots=True)
class Nest:
    outlines: tuple[Outline, ...]
    dot: tuple[int, int]  # x, y


def generate(rng: Random, knobs: Knobs) -> Nest | None:
    rooms: list[Room] = [(0, 0, 0, SIDE, SIDE)]
    extents = [_extent(rooms[0])]
    outlines: list[Outline] = []
    for _ in range(6 * knobs.shapes):
        if len(outlines) == knobs.shapes or not rooms:
            break
        # Mostly the largest room, so that the picture is filled.
        weights = [extent * rng.randint(1, 4) for extent in extents]
        place = weights.index(max(weights))
        room = rooms.pop(place)
        del extents[place]
        if rng.random() < knobs.deep:
            outline = _put_in(rng, room)
            if outline is not None:
                outlines.append(outline)
                rooms.append(_inside(outline, room[0] + 1))
        else:
            rooms += _halves(rng, room)
        extents += map(_extent, rooms[len(extents) :])
    free = [room for room in rooms if min(room[3] - room[1], room[4] - room[2]) > 4 * GAP]
    depths = sorted({room[0] for room in free} - {0})
    if len(outlines) < knobs.shapes or not depths:
        return None
    depth = rng.choice(depths)
    _, left, top, right, bottom = rng.choice([room for room in free if room[0] == depth])
    reach = DOT + GAP
    dot = rng.randint(left + reach, right - reach), rng.randint(top + reach, bottom - reach)
    return Nest(tuple(outlines), dot)


def solve(nest: Nest) -> int | None:
    """From the border of the picture to the dot, crossing as few outlines as possible."""
    page = _drawn(nest)
    # Lines of pixels that repeat the one before change nothing: half of them, and more.
    rows = np.append(0, 1 + np.flatnonzero((page[1:] != page[:-1]).any(axis=1)))
    page = page[rows]
    columns = np.append(0, 1 + np.flatnonzero((page[:, 1:] != page[:, :-1]).any(axis=0)))
    page = page.take(columns, axis=1)
    numbers, colours, pairs = touching(page)
    x, y = (lines.searchsorted(at, "right") - 1 for lines, at in zip((columns, rows), nest.dot))
    start, goal = int(numbers[0, 0]), int(numbers[y, x])
    beside: dict[int, list[int]] = {}
    for a, b in pairs:
        beside.setdefault(a, []).append(b)
    crossed = {start: 0}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        for there in beside[here]:
            if there not in crossed:
                crossed[there] = crossed[here] + (colours[there] == INK)
                waiting.append(there)
    return crossed.get(goal)


def verify(nest: Nest, count: int) -> float:
    x, y = nest.dot
    inside = 0
    for kind, left, top, right, bottom in nest.outlines:
        if kind == "box":
            inside += left < x < right and top < y < bottom
        else:
            # Twice as far from the middle as across, all in whole numbers.
            across, down = 2 * x - left - right + 1, 2 * y - top - bottom + 1
            inside += across**2 + down**2 < (right - left) ** 2
    return float(count == inside)


def render(nest: Nest, style: Style) -> Prompt:
    shown = "The picture shows outlines of boxes and circles, which never touch, and a red dot."
    return Prompt(
        asked(style, shown, "How many of the boxes and circles is the dot inside of?"),
        form="one integer",
        images=(png(_drawn(nest), PALETTE),),
    )


def hardness(nest: Nest) -> float:
    return len(nest.outlines)


def _extent(room: Room) -> int:
    return (room[3] - room[1]) * (room[4] - room[2])


def _put_in(rng: Random, room: Room) -> Outline | None:
    """An outline that nearly fills a room."""
    _, left, top, right, bottom = room
    left, top = left + rng.randint(GAP, 2 * GAP), top + rng.randint(GAP, 2 * GAP)
    right, bottom = right - rng.randint(GAP, 2 * GAP), bottom - rng.randint(GAP, 2 * GAP)
    side = min(right - left, bottom - top) // 2 * 2
    if side < LEAST:
        return None
    if rng.random() < 0.3:
        left += rng.randint(0, right - left - side)
        top += rng.randint(0, bottom - top - side)
        return "circle", left, top, left + side - 1, top + side - 1
    return "box", left, top, right, bottom


def _inside(outline: Outline, depth: int) -> Room:
    kind, left, top, right, bottom = outline
    inset = (right - left) * 3 // 20 if kind == "circle" else 0  # to the square inside a circle
    return depth, left + inset, top + inset, right - inset, bottom - inset


def _halves(rng: Random, room: Room) -> list[Room]:
    depth, left, top, right, bottom = room
    share = rng.randint(35, 65)
    if right - left > bottom - top:
        line = left + (right - left) * share // 100
        return [(depth, left, top, line, bottom), (depth, line, top, right, bottom)]
    line = top + (bottom - top) * share // 100
    return [(depth, left, top, right, line), (depth, left, line, right, bottom)]


@drawn_once
def _drawn(nest: Nest) -> Pixels:
    page = blank(SIDE, SIDE)
    for kind, left, top, right, bottom in nest.outlines:
        if kind == "box":
            frame(page, left, top, right, bottom, 2)
        else:
            radius = (right - left - 1) // 2
            ring(page, left + radius, top + radius, radius, 2)
    disc(page, *nest.dot, DOT, INDEX["red"])
    return page


LADDER = (Knobs(4, 0.6), Knobs(8, 0.6), Knobs(13, 0.6), Knobs(19, 0.62), Knobs(25, 0.64))
FAMILY = Family(
    Nest,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="outlines crossed on the way from the border, in pixels",
    guess_rate=0.5,
    redraws=True,
    skills=("vision", "counting"),
    version=2,
)
