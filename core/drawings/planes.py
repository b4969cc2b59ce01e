"""Planes: points by their coordinates, polygons, circles, and bodies seen from the side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any

from puzzlemill.core.drawings import svg
from puzzlemill.core.drawings.svg import Picture

SIZE = 260  # of a plane, the longer side
Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Plane:
    """Where coordinates lie in a picture."""

    left: float
    top: float  # the greatest y
    scale: tuple[float, float]
    wide: float
    high: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        return 40 + (x - self.left) * self.scale[0], 20 + (self.top - y) * self.scale[1]


def _plane_of(points: Sequence[tuple[float, float]], square: bool = True) -> _Plane:
    """A plane that holds these points, with room for what is written at them; not square: with a
    scale of its own for each axis."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    spans = max(xs) - min(xs) or 1, max(ys) - min(ys) or 1
    scales = [SIZE / max(spans) if square else SIZE / span for span in spans]
    wide, high = (span * scale for span, scale in zip(spans, scales, strict=True))
    return _Plane(min(xs), max(ys), (scales[0], scales[1]), wide + 80, high + 40)


def _points(points: Sequence[Point], names: Sequence[str] = (), closed: bool = False) -> Picture:
    """Points with their names and coordinates; those of a polygon are joined in order."""
    plane = _plane_of(points)
    parts = [svg.outline([plane.at(*point) for point in points])] if closed else []
    for place, point in enumerate(points):
        parts += _dot(plane, point, "".join(names[place : place + 1]))
    return Picture(plane.wide, plane.high, parts)


def _dot(plane: _Plane, point: Point, name: str = "") -> list[str]:
    x, y = plane.at(*point)
    return [svg.dot(x, y, 3), svg.text(x, y - 10, f"{name}({point[0]}, {point[1]})", 10)]


def _circles(puzzle: Any) -> Picture | None:
    """Circles told by centre and radius, points of others, and a point or line that is asked of.

    A circle told by an equation is not drawn: to find its centre is part of the problem.
    """
    if "equation" in puzzle.given:
        return None
    rounds = [each for kind, each in zip(puzzle.given, puzzle.numbers) if kind == "centre"]
    dots = [each[:2] for each in rounds]
    for kind, each in zip(puzzle.given, puzzle.numbers, strict=True):
        dots += [each[place : place + 2] for place in (0, 2, 4)] if kind == "points" else []
    dots += [puzzle.about] if len(puzzle.about) == 2 else []
    reach = [(x + sign * r, y + sign * r) for x, y, r in rounds for sign in (1, -1)]
    plane = _plane_of([*dots, *reach])
    parts = [svg.ring(*plane.at(x, y), r * plane.scale[0]) for x, y, r in rounds]
    return Picture(
        plane.wide, plane.high, parts + [part for dot in dots for part in _dot(plane, dot)]
    )


def _interpolation(puzzle: Any) -> Picture:
    """The points that the polynomial goes through; slopes are in the text."""
    plane = _plane_of(puzzle.values, square=False)
    return Picture(plane.wide, plane.high, [p for each in puzzle.values for p in _dot(plane, each)])


def _solid(puzzle: Any) -> Picture | None:
    """The parts on their axis, seen from the side, with what is told of each."""
    sizes = [_outline(*part) for part in puzzle.parts]
    tall, wide = sum(high for *_, high in sizes), max(max(each[:2]) for each in sizes)
    scale = min(220 / tall, 110 / wide)
    middle, base, parts = wide * scale + 8, tall * scale + 8, list[str]()
    for (kind, numbers), (lower, upper, high) in zip(puzzle.parts, sizes, strict=True):
        top = base - high * scale
        if kind == "half":
            turns = [pi * at / 24 for at in range(25)]
            parts.append(
                svg.outline(
                    [
                        (middle + lower * scale * cos(turn), base - lower * scale * sin(turn))
                        for turn in turns
                    ]
                )
            )
        else:
            down, up = lower * scale, upper * scale
            corners = [(middle - down, base), (middle - up, top), (middle + up, top)]
            parts.append(svg.outline([*corners, (middle + down, base)]))
        told = SAID[kind].format(*numbers)
        parts.append(svg.text(2 * middle + 4, (base + top) / 2, told, 12, "start"))
        base = top
    if puzzle.hole:
        half = puzzle.hole * scale
        parts += [
            svg.line(middle + side, 2, middle + side, tall * scale + 14) for side in (-half, half)
        ]
        parts.append(svg.text(middle, tall * scale + 24, f"hole: radius {puzzle.hole}", 12))
    longest = max(len(SAID[kind].format(*numbers)) for kind, numbers in puzzle.parts)
    return Picture(2 * middle + 8 + 7 * longest, tall * scale + (34 if puzzle.hole else 16), parts)


def _outline(kind: str, numbers: Sequence[int]) -> tuple[float, float, float]:
    """Half of a part's width at its bottom and at its top, and its height."""
    match kind:
        case "block":
            return numbers[0] / 2, numbers[0] / 2, numbers[2]
        case "half":
            return numbers[0], 0, numbers[0]
        case "cone":
            return numbers[0], 0, numbers[1]
        case "frustum":
            return numbers[0], numbers[1], numbers[2]
        case _:
            return numbers[0], numbers[0], numbers[1]


SAID = {
    "block": "{} long, {} wide, {} high",
    "half": "radius {}",
    "cone": "radius {}, height {}",
    "frustum": "radius {} to {}, height {}",
    "cylinder": "radius {}, height {}",
}
PICTURES: dict[str, Callable[[Any], Picture | None]] = {
    "circles": _circles,
    "convex_hull": lambda each: _points(each.points),
    "interpolation": _interpolation,
    "line_relations": lambda each: _points(each.points, each.letters),
    # A puzzle with a picture of its own tells no coordinates.
    "polygon_area": lambda each: None if each.picture else _points(each.corners, closed=True),
    "solids": _solid,
    "triangle_centres": lambda each: _points(each.corners, each.letters, closed=True),
}
