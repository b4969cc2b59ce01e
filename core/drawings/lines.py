"""Lines, points and circles: number lines, polygons, clocks, rings of people."""

from collections.abc import Callable, Sequence
from math import cos, pi, sin
from typing import Any

from puzzlemill.core.drawings import svg
from puzzlemill.core.drawings.svg import Picture

SIZE = 260  # of a plane, the longer side
Point = tuple[int, int]


def _plane(points: Sequence[Point], closed: bool) -> Picture:
    """Points with their coordinates; those of a polygon are joined in order."""
    least = [min(point[axis] for point in points) for axis in (0, 1)]
    spans = [max(point[axis] for point in points) - least[axis] or 1 for axis in (0, 1)]
    scale = SIZE / max(spans)
    wide, high = spans[0] * scale + 80, spans[1] * scale + 40
    places = [(40 + (x - least[0]) * scale, high - 20 - (y - least[1]) * scale) for x, y in points]
    parts = [svg.outline(places)] if closed else []
    for (across, up), (x, y) in zip(points, places, strict=True):
        parts += [svg.dot(x, y, 3), svg.text(x, y - 10, f"({across}, {up})", 10)]
    return Picture(wide, high, parts)


def _clock(puzzle: Any) -> Picture | None:
    """The dial with its hands, which move evenly."""
    minute = puzzle.minute + puzzle.seconds / 60
    hour = puzzle.hour + minute / puzzle.minutes
    if puzzle.hours > 24:
        return None
    parts = [svg.ring(110, 110, 100, 2)]
    for number in range(1, puzzle.hours + 1):
        x, y = _on_dial(number / puzzle.hours, 84)
        parts.append(svg.text(x, y, str(number), 14))
    parts.append(svg.line(110, 110, *_on_dial(hour / puzzle.hours, 48), 5))
    parts.append(svg.line(110, 110, *_on_dial(minute / puzzle.minutes, 70), 2))
    return Picture(220, 220, [*parts, svg.dot(110, 110)])


def _on_dial(turn: float, far: float) -> tuple[float, float]:
    return 110 + far * sin(2 * pi * turn), 110 - far * cos(2 * pi * turn)


def _bookings(puzzle: Any) -> Picture | None:
    """Bars over a line of hours."""
    most = max(end for _, end in puzzle.bookings)
    if len(puzzle.bookings) > 40:
        return None
    scale, parts = min(24, 600 / most), list[str]()
    for place, (start, end) in enumerate(puzzle.bookings):
        y = 4 + 18 * place
        parts.append(svg.text(20, y + 7, str(place + 1), 11, "end"))
        parts.append(svg.shade(30 + start * scale, y, (end - start) * scale, 14))
        parts.append(svg.frame(30 + start * scale, y, (end - start) * scale, 14, 3))
    base = 10 + 18 * len(puzzle.bookings)
    parts.append(svg.line(30, base, 30 + most * scale, base))
    for hour in range(0, most + 1, max(1, round(30 / scale))):
        parts.append(svg.text(30 + hour * scale, base + 12, str(hour), 11))
    return Picture(60 + most * scale, base + 24, parts)


def _ring(puzzle: Any) -> Picture | None:
    """People in a circle, clockwise from the top."""
    if len(puzzle.people) > 40:
        return None
    far = max(50, 7 * len(puzzle.people))
    parts = []
    for place, name in enumerate(puzzle.people):
        turn = 2 * pi * place / len(puzzle.people)
        x, y = far + 24 + far * sin(turn), far + 24 - far * cos(turn)
        parts += [svg.ring(x, y, 15), svg.text(x, y, name.upper(), 14)]
    return Picture(2 * far + 48, 2 * far + 48, parts)


def _row(things: Sequence[str]) -> Picture | None:
    """Things in a row, numbered from 1."""
    if len(things) > 30:
        return None
    wide = max(30, *(9 * len(thing) + 8 for thing in things))
    parts = []
    for place, thing in enumerate(things):
        parts.append(svg.frame(4 + wide * place, 4, wide, 30))
        parts.append(svg.text(4 + wide * (place + 0.5), 19, thing, 13))
        parts.append(svg.text(4 + wide * (place + 0.5), 46, str(place + 1), 10))
    return Picture(wide * len(things) + 8, 56, parts)


PICTURES: dict[str, Callable[[Any], Picture | None]] = {
    "alternation": lambda each: _row(each.signs),
    "car_painting": lambda each: _row(each.paints),
    "clock_hands": _clock,
    "convex_hull": lambda each: _plane(each.points, closed=False),
    "intervals": _bookings,
    "josephus": _ring,
    # A puzzle with a picture of its own tells no coordinates.
    "polygon_area": lambda each: None if each.picture else _plane(each.corners, closed=True),
}
