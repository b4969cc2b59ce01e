"""Maps: rooms with doors between them, and lines that cross."""

from collections.abc import Callable, Iterator
from typing import Any

from puzzlemill.core.drawings import svg
from puzzlemill.core.drawings.svg import Picture

WAYS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
ACROSS, DOWN = 130, 86  # from room to room
WIDE, HIGH = 100, 56  # of a room
STEP = (12, 16)  # of a sign: across and down


def _rooms(puzzle: Any) -> Picture:
    """Rooms where their doors lead, with what lies there; dark ones are shaded."""
    places = _places(puzzle)
    left, top = (min(place[axis] for place in places.values()) for axis in (0, 1))
    corners = {
        room: (4 + (x - left) * ACROSS, 4 + (y - top) * DOWN) for room, (x, y) in places.items()
    }
    parts = list[str]()
    for room, corner in corners.items():
        parts += _room(puzzle, room, *corner)
    for room, way, _, colour in puzzle.doors:
        parts += _door(*corners[room], *WAYS[way], colour)
    wide = max(x for x, _ in corners.values()) + WIDE + 4
    return Picture(wide, max(y for _, y in corners.values()) + HIGH + 4, parts)


def _places(puzzle: Any) -> dict[int, tuple[int, int]]:
    """Where each room lies, seen from the first: so many rooms to the east and to the south."""
    places = {0: (0, 0)}
    for _ in puzzle.rooms:
        for room, way, other, _ in puzzle.doors:
            for here, there, sign in ((room, other, 1), (other, room, -1)):
                if here in places:
                    x, y = places[here]
                    across, down = WAYS[way]
                    places.setdefault(there, (x + sign * across, y + sign * down))
    return places


def _room(puzzle: Any, room: int, x: float, y: float) -> Iterator[str]:
    yield svg.frame(x, y, WIDE, HIGH, 4)
    if room in puzzle.dark:
        yield svg.shade(x, y, WIDE, HIGH)
    here = [thing for thing, where in zip(puzzle.things, puzzle.where) if where == room]
    lines = [puzzle.rooms[room], ", ".join(here), "you" if room == puzzle.start else ""]
    for number, each in enumerate(filter(None, lines)):
        size = 11 if len(each) < 18 else 8
        yield svg.text(x + WIDE / 2, y + 12 + 16 * number, each, size)


def _door(x: float, y: float, across: int, down: int, colour: str) -> Iterator[str]:
    """From the side of a room to the next one; thick, with its colour, where it is locked."""
    x, y = x + (1 + across) * WIDE / 2, y + (1 + down) * HIGH / 2
    to_x, to_y = x + across * (ACROSS - WIDE), y + down * (DOWN - HIGH)
    yield svg.line(x, y, to_x, to_y, 4 if colour else 1.5)
    if colour:
        aside = (x + to_x) / 2 + (20 if down else 0)
        yield svg.text(aside, (y + to_y) / 2 - (0 if down else 8), colour, 10)


def _canvas(puzzle: Any) -> Picture:
    """Lines of - | and + as lines."""
    rows, (wide, high) = puzzle.rows, STEP
    parts = []
    for row, line in enumerate(rows):
        for column, sign in enumerate(line):
            left, top = 8 + wide * column, 8 + high * row
            if sign in "-+" and line[column + 1 : column + 2] in ("-", "+"):
                parts.append(svg.line(left, top, left + wide, top, 1.5))
            if sign in "|+" and row + 1 < len(rows) and rows[row + 1][column] in "|+":
                parts.append(svg.line(left, top, left, top + high, 1.5))
    return Picture(wide * len(rows[0]) + 4, high * len(rows), parts)


PICTURES: dict[str, Callable[[Any], Picture | None]] = {
    "quest": _rooms,
    "rectangle_count": _canvas,
}
