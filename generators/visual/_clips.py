"""Clips: little films of steady motion, drawn frame by frame and read back from their pixels.

Each motion is drawn by time in quarters of a frame. Its states, read from pixels, are tuples of
whole numbers; two states in a row tell which may come next.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random
from typing import TypeAlias

import numpy as np
from PIL import Image, ImageDraw

from puzzlemill.generators.visual._picture import GUTTER, INK, PAPER, Pixels, extents, stamp
from puzzlemill.generators.visual._scene import COLOURS, INDEX, inside, silhouette
from puzzlemill.generators.visual._waves import TURN, whole_sines

FRAME = 108  # pixels of a frame's side
TICKS = 4  # of a frame

_BALL = 8  # radius in pixels
_HAND = 40
_CELLS = 7  # of a maze's side
_WAY = 15  # pixels from the middle of a cell to the next
_EDGE = (FRAME - _CELLS * _WAY) // 2

Plan = tuple[int, ...]
State: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Motion:
    plan: Callable[[Random, int, int], Plan | None]  # for so many frames; the second number: haste
    draw: Callable[[Plan, int], Pixels]
    read: Callable[[Sequence[Pixels]], list[State] | None]
    next: Callable[[State, State], Iterator[State]]  # what may follow two states
    apart: Callable[[State, State], int]
    loose: int  # two states no farther apart than this may be taken for the same
    told: str  # the rule, as a prompt says it


def _balls(rng: Random, frames: int, haste: int) -> Plan | None:
    """Of each ball: colour, x, y, and the pixels that it moves in a frame, across and down."""
    plan: list[int] = []
    for colour in rng.sample(range(len(COLOURS)), 2):
        speed = rng.randint(8 + haste // 10, 12 + haste // 6)
        across = rng.choice((-1, 1)) * rng.randint(speed // 3, speed)
        down = rng.choice((-1, 1)) * max(4, math.isqrt(max(speed**2 - across**2, 0)))
        plan += [colour, *(rng.randint(_BALL, FRAME - 1 - _BALL) for _ in range(2)), across, down]
    made = tuple(plan)
    for tick in range(frames * TICKS):
        (x, y), (u, v) = _centres(made, tick)
        if (x - u) ** 2 + (y - v) ** 2 <= (2 * _BALL + 2) ** 2:
            return None
    return made


def _centres(plan: Plan, tick: int) -> list[tuple[int, int]]:
    return [
        (
            _folded(plan[at + 1] + plan[at + 3] * tick // TICKS),
            _folded(plan[at + 2] + plan[at + 4] * tick // TICKS),
        )
        for at in range(0, len(plan), 5)
    ]


def _folded(place: int) -> int:
    """A place on a straight way, thrown back by walls that stop a ball's centre."""
    room = FRAME - 1 - 2 * _BALL
    place = (place - _BALL) % (2 * room)
    return _BALL + min(place, 2 * room - place)


def _draw_balls(plan: Plan, tick: int) -> Pixels:
    pixels = np.full((FRAME, FRAME), PAPER, dtype=np.uint8)
    for at, (x, y) in zip(range(0, len(plan), 5), _centres(plan, tick), strict=True):
        stamp(pixels, silhouette("circle", _BALL), x, y, INK)
        stamp(pixels, inside("circle", _BALL), x, y, INDEX[list(COLOURS)[plan[at]]])
    return pixels


def _read_middles(frames: Sequence[Pixels]) -> list[State] | None:
    """The middle of each colour's patch, colours in the palette's order."""
    states = []
    for pixels in frames:
        state: list[int] = []
        for _, top, bottom, left, right in _patches(pixels):
            state += [(left + right) // 2, (top + bottom) // 2]
        states.append(tuple(state))
    return states


def _patches(pixels: Pixels) -> Iterator[tuple[int, int, int, int, int]]:
    """Colour, top, bottom, left and right of what is drawn in each of the scenes' colours."""
    for colour, box in extents(pixels, INDEX.values()).items():
        yield colour, *box


def _next_balls(before: State, here: State) -> Iterator[State]:
    """Straight on, perhaps thrown back between the two states, or after them."""
    ways: list[list[int]] = [[]]
    for one, other in zip(before, here, strict=True):
        speeds = {other - one, 2 * _BALL - other - one, 2 * (FRAME - 1 - _BALL) - other - one}
        # What was thrown back comes to the same place twice as fast in the unfolded room.
        after = {_folded(one + 2 * speed) for speed in speeds if abs(speed) <= FRAME // 2}
        ways = [[*way, place] for way in ways for place in after]
    yield from map(tuple, ways)


def _growth(rng: Random, frames: int, haste: int) -> Plan | None:
    """Of each disc: colour, x, y, its radius, and the pixels that it grows in a frame."""
    plan: list[int] = []
    most = 2 + haste // 40
    for colour in rng.sample(range(len(COLOURS)), 3):
        first, rate = rng.randint(4, 9), rng.randint(1, most)
        last = first + rate * frames
        if 2 * last + 4 > FRAME:
            return None
        x, y = (rng.randint(last + 1, FRAME - 2 - last) for _ in range(2))
        for at in range(0, len(plan), 5):
            reach = last + plan[at + 3] + plan[at + 4] * frames + 3
            if (x - plan[at + 1]) ** 2 + (y - plan[at + 2]) ** 2 < reach**2:
                return None
        plan += [colour, x, y, first, rate]
    return tuple(plan)


def _draw_growth(plan: Plan, tick: int) -> Pixels:
    pixels = np.full((FRAME, FRAME), PAPER, dtype=np.uint8)
    for at in range(0, len(plan), 5):
        colour, x, y, first, rate = plan[at : at + 5]
        radius = first + rate * tick // TICKS
        stamp(pixels, silhouette("circle", radius), x, y, INDEX[list(COLOURS)[colour]])
    return pixels


def _read_widths(frames: Sequence[Pixels]) -> list[State] | None:
    return [tuple(right - left for _, _, _, left, right in _patches(frame)) for frame in frames]


def _next_growth(before: State, here: State) -> Iterator[State]:
    if all(other >= one for one, other in zip(before, here, strict=True)):
        yield tuple(2 * other - one for one, other in zip(before, here, strict=True))


def _turning(rng: Random, frames: int, haste: int) -> Plan | None:
    """Colours of rim and hand, where the hand begins, and how far it turns in a frame."""
    colours = rng.sample(range(len(COLOURS)), 2)
    least = 36 + haste // 5
    most = min(TURN * 15 // 16 // frames, least + 24)
    return (*colours, rng.randrange(TURN), rng.randint(least, most)) if most >= least else None


def _draw_turning(plan: Plan, tick: int) -> Pixels:
    rim, hand, first, speed = plan
    canvas, middle = _dial(rim).copy(), FRAME // 2
    tip = _on_circle(first + speed * tick // TICKS, _HAND)
    ImageDraw.Draw(canvas).line((middle, middle, *tip), fill=INK, width=3)
    pixels = np.array(canvas, dtype=np.uint8)
    stamp(pixels, silhouette("circle", 6), *tip, INDEX[list(COLOURS)[hand]])
    return pixels


@cache
def _dial(hue: int) -> Image.Image:
    canvas = Image.new("L", (FRAME, FRAME), PAPER)
    pen, middle = ImageDraw.Draw(canvas), FRAME // 2
    pen.ellipse((4, 4, FRAME - 4, FRAME - 4), fill=GUTTER, outline=INK, width=2)
    for mark in range(12):
        x, y = _on_circle(mark * TURN // 12, _HAND + 6)
        pen.ellipse((x - 1, y - 1, x + 1, y + 1), fill=INK)
    pen.ellipse((middle - 9, middle - 9, middle + 9, middle + 9), fill=INDEX[list(COLOURS)[hue]])
    return canvas


def _on_circle(angle: int, radius: int) -> tuple[int, int]:
    """Clockwise from the top."""
    right, up = (whole_sines()[turn % TURN] * radius for turn in (angle, angle + TURN // 4))
    return FRAME // 2 + (2 * right + TURN) // (2 * TURN), FRAME // 2 - (2 * up + TURN) // (2 * TURN)


def _read_angles(frames: Sequence[Pixels]) -> list[State] | None:
    states: list[State] = []
    for pixels in frames:
        tips = [
            ((left + right) / 2 - FRAME // 2, (top + bottom) / 2 - FRAME // 2)
            for _, top, bottom, left, right in _patches(pixels)
        ]
        across, down = max(tips, key=lambda tip: tip[0] ** 2 + tip[1] ** 2)
        states.append((round(math.atan2(across, -down) / math.tau * TURN) % TURN,))
    return states


def _next_turning(before: State, here: State) -> Iterator[State]:
    step = (here[0] - before[0]) % TURN
    if step < TURN // 2:
        yield ((here[0] + step) % TURN,)


def _walk(rng: Random, frames: int, haste: int) -> Plan | None:
    """The colour of the walker, cells a frame, the cells of the way, and then the passages."""
    joined: dict[int, list[int]] = {0: []}
    passages: list[int] = []
    stack = [0]
    while stack:
        beside = [cell for cell in _beside(stack[-1]) if cell not in joined]
        if not beside:
            stack.pop()
            continue
        cell = rng.choice(beside)
        passages += [stack[-1], cell]
        joined[stack[-1]].append(cell)
        joined[cell] = [stack[-1]]
        stack.append(cell)
    start = rng.randrange(_CELLS**2)
    came = {start: start}
    queue = [start]
    for cell in queue:
        for other in joined[cell]:
            if other not in came:
                came[other] = cell
                queue.append(other)
    speed = max(1, haste // 30)
    way = [queue[-1]]
    while way[-1] != start:
        way.append(came[way[-1]])
    if len(way) <= frames * speed:
        return None
    return (rng.randrange(len(COLOURS)), speed, len(way), *reversed(way), *passages)


def _beside(cell: int) -> list[int]:
    row, column = divmod(cell, _CELLS)
    return [
        (row + down) * _CELLS + column + right
        for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0))
        if 0 <= row + down < _CELLS and 0 <= column + right < _CELLS
    ]


def _draw_walk(plan: Plan, tick: int) -> Pixels:
    colour, speed, length = plan[:3]
    way, passages = plan[3 : 3 + length], plan[3 + length :]
    pixels = _maze(passages).copy()
    x, y = _middle(way[min(speed * tick // TICKS, length - 1)])
    stamp(pixels, silhouette("circle", 4), x, y, INDEX[list(COLOURS)[colour]])
    return pixels


@lru_cache(maxsize=2)  # a clip's frames show the same one
def _maze(passages: tuple[int, ...]) -> Pixels:
    pixels = np.full((FRAME, FRAME), INK, dtype=np.uint8)
    for cell in range(_CELLS**2):
        _carve(pixels, cell, cell)
    for one, other in zip(passages[::2], passages[1::2], strict=True):
        _carve(pixels, one, other)
    pixels.setflags(write=False)
    return pixels


def _middle(cell: int) -> tuple[int, int]:
    row, column = divmod(cell, _CELLS)
    return _EDGE + column * _WAY + _WAY // 2, _EDGE + row * _WAY + _WAY // 2


def _carve(pixels: Pixels, one: int, other: int) -> None:
    (x, y), (u, v) = sorted((_middle(one), _middle(other)))
    half = _WAY // 2 - 1
    pixels[min(y, v) - half : max(y, v) + half + 1, x - half : u + half + 1] = PAPER


def _read_ways(frames: Sequence[Pixels]) -> list[State] | None:
    """How far the walker is from where it is in the first frame, along the passages."""
    cells = []
    for pixels in frames:
        _, top, bottom, left, right = next(_patches(pixels))
        row, column = ((near + far) // 2 - _EDGE for near, far in ((top, bottom), (left, right)))
        cells.append(row // _WAY * _CELLS + column // _WAY)
    away, queue = {cells[0]: 0}, [cells[0]]
    for cell in queue:
        for other in _beside(cell):
            (x, y), (u, v) = _middle(cell), _middle(other)
            if other not in away and frames[0][(y + v) // 2, (x + u) // 2] != INK:
                away[other] = away[cell] + 1
                queue.append(other)
    return [(away[cell],) for cell in cells]


def _next_walk(before: State, here: State) -> Iterator[State]:
    if here[0] > before[0]:
        yield (2 * here[0] - before[0],)


def _farthest(one: State, other: State) -> int:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def _round(one: State, other: State) -> int:
    gap = (one[0] - other[0]) % TURN
    return min(gap, TURN - gap)


MOTIONS: dict[str, Motion] = {
    "balls": Motion(
        _balls, _draw_balls, _read_middles, _next_balls, _farthest, 4,
        "Each ball goes straight on, always at the same speed, and bounces off the walls.",
    ),
    "growth": Motion(
        _growth, _draw_growth, _read_widths, _next_growth, _farthest, 1,
        "Each disc grows steadily or stays as it is; none ever shrinks.",
    ),
    "turning": Motion(
        _turning, _draw_turning, _read_angles, _next_turning, _round, 14,
        "The hand turns clockwise, always at the same speed, by less than one full turn in the"
        " whole clip.",
    ),
    "walk": Motion(
        _walk, _draw_walk, _read_ways, _next_walk, _farthest, 0,
        "The dot walks through the maze, always at the same speed, and never turns back.",
    ),
}  # fmt: skip


def orders(motion: Motion, frames: Sequence[Pixels], first: int) -> list[tuple[int, ...]]:
    """In which orders the frames may follow one another, of which one is known to be the first;
    two at most."""
    rest = [place for place in range(len(frames)) if place != first]
    read = motion.read([frames[place] for place in (first, *rest)])
    if read is None:
        return []
    states = dict(zip((first, *rest), read, strict=True))
    found: list[tuple[int, ...]] = []
    stack: list[tuple[int, ...]] = [(first, second) for second in rest]
    while stack and len(found) < 2:
        way = stack.pop()
        if len(way) == len(frames):
            found.append(way)
            continue
        after = list(motion.next(states[way[-2]], states[way[-1]]))
        stack += [
            (*way, place)
            for place in rest
            if place not in way
            and any(motion.apart(state, states[place]) <= motion.loose for state in after)
        ]
    return found
