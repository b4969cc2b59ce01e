"""Lines and rings: number lines, rows, axes with things on them, clocks, people in a circle."""

from collections.abc import Callable, Sequence
from math import cos, pi, sin
from typing import Any

from puzzlemill.core.drawings import svg
from puzzlemill.core.drawings.svg import Picture

ROOM = 78.0  # for what is written at a thing on an axis

Mark = tuple[int, str, tuple[str, ...]]  # a place, a text over it, and texts below


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


def _cars(puzzle: Any) -> Picture | None:
    """The order in which the cars come, and the one in which they are to leave."""
    arriving, leaving = _row(puzzle.pushed), _row(puzzle.popped)
    if not arriving or not leaving:
        return None
    return svg.stacked([svg.titled("arrive", arriving), svg.titled("leave", leaving)])


def _numbers(numbers: Sequence[int]) -> Picture | None:
    return _row(list(map(str, numbers)))


def _table(puzzle: Any) -> Picture | None:
    """Seats round a table, numbered clockwise; one person's is told."""
    count = len(puzzle.people)
    far = max(60, 9 * count)
    parts = [svg.ring(far + 60, far + 34, far - 34, 2)]
    for seat in range(count):
        turn = 2 * pi * seat / count
        x, y = far + 60 + far * sin(turn), far + 34 - far * cos(turn)
        parts += [svg.ring(x, y, 13), svg.text(x, y, str(seat + 1), 12)]
    parts.append(svg.text(far + 60, 8, puzzle.people[0], 13))
    return Picture(2 * far + 120, 2 * far + 68, parts)


def _track(puzzle: Any) -> Picture:
    """Carts on a track, with their masses under them and their velocities over them."""
    marks = []
    carts = zip(puzzle.masses, puzzle.places, puzzle.speeds, strict=True)
    for number, (mass, place, speed) in enumerate(carts, 1):
        arrow = "→" if speed > 0 else "←" if speed < 0 else ""
        marks.append(
            (place, f"{abs(speed)} m/s {arrow}", (f"cart {number}", f"{mass} kg", f"{place} m"))
        )
    return _axis(marks, lambda x, y: [svg.frame(x - 14, y - 18, 28, 14), svg.dot(x, y - 3, 3)])


def _bench(puzzle: Any) -> Picture:
    """An object on an axis, and the lenses to its right: arrows outwards where they converge."""
    marks: list[Mark] = [(0, "", ("object",))]
    for number, (place, focus) in enumerate(puzzle.lenses, 1):
        marks.append((place, f"f = {focus} cm", (f"lens {number}", f"{place} cm")))
    signs = iter([_object, *(_lens(focus) for _, focus in puzzle.lenses)])
    return _axis(marks, lambda x, y: next(signs)(x, y))


def _object(x: float, y: float) -> list[str]:
    ends = [(x - 4, y - 22), (x + 4, y - 22)]
    return [svg.line(x, y, x, y - 30, 2), *(svg.line(x, y - 30, *end, 2) for end in ends)]


def _lens(focus: int) -> Callable[[float, float], list[str]]:
    def sign(x: float, y: float) -> list[str]:
        parts = [svg.line(x, y - 34, x, y + 34, 2)]
        for side in (-1, 1):
            tip, back = y + 34 * side, (-7 if focus > 0 else 7) * side
            parts += [svg.line(x, tip, x + aside, tip + back, 2) for aside in (-6, 6)]
        return parts

    return sign


def _axis(marks: Sequence[Mark], sign: Callable[[float, float], list[str]]) -> Picture:
    """Things on an axis at their places, with a text over each and texts below.

    Where two are too close for their texts, the later ones are moved on: an axis is no ruler.
    """
    first, last = marks[0][0], marks[-1][0]
    scale = 420 / ((last - first) or 1)
    y, x, parts = 64.0, -ROOM, list[str]()
    for place, over, below in marks:
        x = max(x + ROOM, 50 + (place - first) * scale)
        parts += [*sign(x, y), svg.text(x, y - 48, over, 12)]
        parts += [svg.text(x, y + 46 + 15 * line, each, 12) for line, each in enumerate(below)]
    parts.append(svg.line(10, y, x + 40, y))
    return Picture(x + 50, y + 90, parts)


PICTURES: dict[str, Callable[[Any], Picture | None]] = {
    "alternation": lambda each: _row(each.signs),
    "best_window": lambda each: _numbers(each.numbers),
    "car_painting": lambda each: _row(each.paints),
    "clock_hands": _clock,
    "collisions": _track,
    "increasing_run": lambda each: _numbers(each.numbers),
    "intervals": _bookings,
    "josephus": _ring,
    "lenses": _bench,
    "seating": _table,
    "stack_order": _cars,
}
