"""SVG: its few elements, with everything escaped and no colour but that of the text."""

from collections.abc import Sequence
from html import escape

INK = "currentColor"


def drawing(wide: int, high: int, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}"'
        f' height="{high}" role="img" aria-label="the puzzle" style="max-width:100%;height:auto"'
        f' font-family="sans-serif">{"".join(parts)}</svg>'
    )


def line(x: int, y: int, to_x: int, to_y: int, width: float = 1) -> str:
    return (
        f'<line x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}" stroke="{INK}" stroke-width="{width:g}"/>'
    )


def text(x: int, y: int, words: str, size: int = 16, place: str = "middle") -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{place}"'
        f' dominant-baseline="central" fill="{INK}">{escape(words)}</text>'
    )


def shade(x: int, y: int, side: int) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{side}" height="{side}" fill="{INK}" fill-opacity="0.25"/>'
    )


def ring(x: int, y: int, radius: int) -> str:
    return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="none" stroke="{INK}"/>'
