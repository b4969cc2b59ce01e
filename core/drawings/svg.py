"""SVG: its few elements, with everything escaped and no colour but that of the text.

Numbers are written by the format `g`, which takes nothing else: a drawing may be of a puzzle that
somebody changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

INK = "currentColor"
GAP = 16  # between pictures side by side


@dataclass(frozen=True, slots=True)
class Picture:
    wide: float
    high: float
    parts: Sequence[str]


def drawing(picture: Picture) -> str:
    wide, high = round(picture.wide), round(picture.high)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}" width="{wide:g}"'
        f' height="{high:g}" role="img" aria-label="the puzzle"'
        ' style="max-width:100%;height:auto" font-family="sans-serif">'
        f"{''.join(picture.parts)}</svg>"
    )


def moved(parts: Sequence[str], x: float, y: float) -> str:
    return f'<g transform="translate({x:g} {y:g})">{"".join(parts)}</g>'


def beside(pictures: Sequence[Picture], sign: str = "") -> Picture:
    """Pictures in a row, with a sign between them."""
    room = GAP if not sign else 2 * GAP
    high, x, parts = max(each.high for each in pictures), 0.0, list[str]()
    for place, each in enumerate(pictures):
        if place and sign:
            parts.append(text(x - room / 2, high / 2, sign, 20))
        parts.append(moved(each.parts, x, (high - each.high) / 2))
        x += each.wide + room
    return Picture(x - room, high, parts)


def stacked(pictures: Sequence[Picture]) -> Picture:
    """Pictures under one another."""
    y, parts = 0.0, list[str]()
    for each in pictures:
        parts.append(moved(each.parts, 0, y))
        y += each.high + GAP / 2
    return Picture(max(each.wide for each in pictures), y - GAP / 2, parts)


def titled(title: str, picture: Picture) -> Picture:
    wide = max(picture.wide, 8 * len(title))
    inner = moved(picture.parts, (wide - picture.wide) / 2, 22)
    return Picture(wide, picture.high + 22, [text(wide / 2, 10, title, 13), inner])


def line(x: float, y: float, to_x: float, to_y: float, width: float = 1) -> str:
    ends = f'x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}"'
    return f'<line {ends} stroke="{INK}" stroke-width="{width:g}" stroke-linecap="round"/>'


def text(x: float, y: float, words: str, size: int = 16, place: str = "middle") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{place}"'
        f' dominant-baseline="central" fill="{INK}">{escape(words)}</text>'
    )


def shade(x: float, y: float, side: float, high: float | None = None) -> str:
    high = side if high is None else high
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{side:g}" height="{high:g}" fill="{INK}"'
        ' fill-opacity="0.25"/>'
    )


def block(x: float, y: float, side: float) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{side:g}" height="{side:g}" fill="{INK}"/>'


def frame(x: float, y: float, wide: float, high: float, round_by: float = 0) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}" rx="{round_by:g}"'
        f' fill="none" stroke="{INK}"/>'
    )


def ring(x: float, y: float, radius: float, width: float = 1) -> str:
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="none" stroke="{INK}"'
        f' stroke-width="{width:g}"/>'
    )


def dot(x: float, y: float, radius: float = 4) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{INK}"/>'


def outline(points: Sequence[tuple[float, float]]) -> str:
    """A polygon, faintly filled."""
    ends = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polygon points="{ends}" fill="{INK}" fill-opacity="0.15" stroke="{INK}"/>'
