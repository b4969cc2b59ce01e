"""Dots and boxes: dots lettered row by row, sides between neighbours, and play to the end.

A side is named by its two dots in order: "AB". Who draws the last side of a box takes the box and
moves again.
"""

from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from itertools import combinations, pairwise, product
from operator import or_
from random import Random
from string import ascii_uppercase as LETTERS
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

DRAWS = 80

Array: TypeAlias = npt.NDArray[Any]
Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of dots
    columns: int  # of dots
    free: int  # sides that are not drawn yet


@dataclass(frozen=True, slots=True)
class Dots:
    rows: int
    columns: int
    drawn: tuple[str, ...]  # in order


@cache
def sides(rows: int, columns: int) -> tuple[str, ...]:
    """All sides in order."""
    across = [(at, at + 1) for at in range(rows * columns) if (at + 1) % columns]
    down = [(at, at + columns) for at in range((rows - 1) * columns)]
    return tuple(sorted(LETTERS[one] + LETTERS[two] for one, two in across + down))


@cache
def boxes(rows: int, columns: int) -> tuple[frozenset[str], ...]:
    """The four sides of each box, row by row."""
    found = []
    for at in range((rows - 1) * columns):
        if (at + 1) % columns:
            a, b, c, d = (LETTERS[it] for it in (at, at + 1, at + columns, at + columns + 1))
            found.append(frozenset((a + b, a + c, b + d, c + d)))
    return tuple(found)


def free(dots: Dots) -> tuple[str, ...]:
    return tuple(it for it in sides(dots.rows, dots.columns) if it not in dots.drawn)


def drawn_at_random(rng: Random, knobs: Knobs) -> Dots:
    """Sides drawn by players who seldom give a box away."""
    everything, boxes_of = sides(knobs.rows, knobs.columns), _boxes_of(knobs.rows, knobs.columns)
    left = rng.sample(everything, len(everything))
    drawn = [0] * len(boxes(knobs.rows, knobs.columns))  # sides of each box
    while len(left) > knobs.free:
        # A side that leaves no box with three, if there is one among the first few.
        threes = drawn.count(3)
        calm = (
            it
            for it in left[:6]
            if threes == sum(drawn[box] == 3 for box in boxes_of[it])
            and all(drawn[box] != 2 for box in boxes_of[it])
        )
        chosen = next(calm, left[0])
        left.remove(chosen)
        for box in boxes_of[chosen]:
            drawn[box] += 1
    return Dots(knobs.rows, knobs.columns, tuple(sorted({*everything}.difference(left))))


@cache
def _boxes_of(rows: int, columns: int) -> dict[str, list[int]]:
    """Of each side, the boxes that it belongs to."""
    whole = boxes(rows, columns)
    return {
        side: [place for place, box in enumerate(whole) if side in box]
        for side in sides(rows, columns)
    }


def closed(dots: Dots, side: str) -> int:
    """How many boxes a side that is not drawn yet would take."""
    drawn = {*dots.drawn, side}
    return sum(side in box and box <= drawn for box in boxes(dots.rows, dots.columns))


def masks(dots: Dots) -> tuple[tuple[str, ...], list[int]]:
    """The free sides, and of each box that is still open those that are free, as bits."""
    names = free(dots)
    place = {name: 1 << at for at, name in enumerate(names)}
    open_boxes = [sum(place.get(side, 0) for side in box) for box in boxes(dots.rows, dots.columns)]
    return names, [it for it in open_boxes if it]


@lru_cache(maxsize=2)
def margins(dots: Dots) -> dict[str, int]:
    """For each free side, by how many boxes more than the other one the mover comes out.

    Forward, with a memory of what is left.
    """
    names, open_boxes = masks(dots)
    memory = {0: 0}
    of_side: dict[int, list[int]] = {
        1 << at: [box for box in open_boxes if box >> at & 1] for at in range(len(names))
    }

    def after(left: int, side: int) -> int:
        then, taken = left ^ side, 0
        for box in of_side[side]:
            if not box & then:
                taken += 1
        value = memory.get(then)
        if value is None:
            value = best(then)
        return taken + value if taken else -value

    def best(left: int) -> int:
        value, rest = -99, sensible(left)
        while rest:
            side = rest & -rest
            rest ^= side
            gained = after(left, side)
            if gained > value:
                value = gained
        memory[left] = value
        return value

    def sensible(left: int) -> int:
        """Sides among which is one that is as good as any.

        Where a box can be taken, a side that takes none leaves it to the other player and is no
        better than the same side drawn after taking it. Only where it would take a box then, too,
        may it be better now: it hands over both.
        """
        frees = [box & left for box in open_boxes if box & left]
        taking = shared = 0
        for each in frees:
            if each & (each - 1):
                shared |= each
            else:
                taking |= each
        if not taking:
            return left
        if lone := taking & ~shared:  # it changes nothing else, so that it may be taken at once
            return lone & -lone
        handing = (each for each in frees if each & taking and each.bit_count() == 2)
        return reduce(or_, handing, taking)

    return {name: after((1 << len(names)) - 1, 1 << at) for at, name in enumerate(names)}


def margins_backward(dots: Dots) -> dict[str, int]:
    """The same from the end of the game on: the sides left are counted up, a few more each time.

    It counts the mover's own boxes, not the difference.
    """
    names, open_boxes = masks(dots)
    lefts = np.arange(1 << len(names))
    shut = np.zeros(len(lefts), dtype=np.int64)  # boxes whose free sides are all drawn
    for box in open_boxes:
        shut += lefts & box == 0
    own = np.zeros(len(lefts), dtype=np.int64)  # that the one to move gets of those still open
    total = len(open_boxes)
    for left, then in _layers(len(names)):
        gained = shut[then] - shut[left][:, None]
        gets = np.where(gained, gained + own[then], total - shut[then] - own[then])
        own[left] = gets.max(axis=1)
    values = 2 * gets[0] - (total - shut[-1])
    return dict(zip(names, values.tolist(), strict=True))


@lru_cache(maxsize=8)
def _layers(free: int) -> list[tuple[Array, Array]]:
    """By how many of so many sides are left, from 1 up: the sets of them, and what becomes of each
    by drawing any one of its sides."""
    layers = []
    for count in range(1, free + 1):
        chosen = np.array([*combinations(range(free), count)])
        left = (1 << chosen).sum(axis=1)
        layers.append((left, left[:, None] ^ 1 << chosen))
    return layers


def picture(dots: Dots) -> str:
    """Letters for dots, - and | for sides that are drawn, dots for those that are not."""
    drawn, columns = set(dots.drawn), dots.columns
    lines = []
    for row in range(dots.rows):
        names = LETTERS[row * columns : (row + 1) * columns]
        below = LETTERS[(row + 1) * columns : (row + 2) * columns]
        line = names[0]
        for one, two in pairwise(names):
            line += ("-" if one + two in drawn else ".") + two
        lines.append(line)
        if row + 1 < dots.rows:
            lines.append(
                " ".join("|" if one + two in drawn else "." for one, two in zip(names, below))
            )
    return "\n".join(lines)


def seen(dots: Dots) -> object:
    """The same board, turned and reflected."""
    return min(
        (rows, columns, sorted({*map(turned.__getitem__, dots.drawn)}))
        for rows, columns, turned in _turned(dots.rows, dots.columns)
    )


@cache
def _turned(rows: int, columns: int) -> list[tuple[int, int, dict[str, tuple[Cell, ...]]]]:
    """In each of eight ways: the rows and columns, and the cells of each side's dots."""
    forms = []
    for across, up, left in product((False, True), repeat=3):
        high, wide = (columns, rows) if across else (rows, columns)
        turned = {}
        for side in sides(rows, columns):
            cells = [divmod(LETTERS.index(dot), columns)[:: -1 if across else 1] for dot in side]
            turned[side] = tuple(sorted(
                (high - 1 - row if up else row, wide - 1 - at if left else at) for row, at in cells
            ))  # fmt: skip
        forms.append((high, wide, turned))
    return forms


def rule() -> str:
    return (
        "Two players take turns to draw a side between two neighbouring dots, across or down."
        " Whoever draws the last missing side of a box (a square of four neighbouring dots) gets"
        " that box, or both if two are completed at once, and must then draw another side, unless"
        " none is left. The game ends when all sides are drawn. In the picture - and | are sides"
        " that are drawn, and a full stop stands where one can still be drawn."
    )


def steps(dots: Dots) -> list[str]:
    """What each side comes to."""
    return [
        f"{side}: takes {closed(dots, side)} now, {value:+d} in the end"
        for side, value in margins(dots).items()
    ]


def hardness(dots: Dots) -> float:
    return len(free(dots))
