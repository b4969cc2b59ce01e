"""Draws breadth.json as docs/breadth.svg: what a policy gets right, by how many rule sets it saw.

A line is the mean over seeds, with bars of one standard deviation; a dot is one seed. Left, the
share of solutions that are right; right, the loss of a token of a solution.
"""

from collections.abc import Iterator
from math import log10
from typing import Any

COLOURS = {"seen": "#0072b2", "unseen": "#d55e00", "other": "#009e73"}
NAMES = {"seen": "seen rule sets", "unseen": "unseen rule sets", "other": "another kind"}
PANELS = {"right": "Right solutions", "nats": "Loss, nats a token"}
GREY, INK = "#6b6b70", "#1d1d1f"
WIDE, HIGH = 330, 240  # pixels of a panel
LEFT, TOP, RIGHT, FOOT = 52, 44, 24, 64
TICKS = 4


def drawing(figures: dict[str, dict[str, Any]]) -> str:
    inside = []
    for place, measure in enumerate(PANELS):
        left = LEFT + place * (WIDE + LEFT + RIGHT)
        inside += [f'<g transform="translate({left} {TOP})">', *panel(figures, measure), "</g>"]
    high = TOP + HIGH + FOOT
    for place, (kind, colour) in enumerate(COLOURS.items()):
        x = LEFT + place * 150
        inside.append(f'<text x="{x}" y="{high - 10}" fill="{colour}">● {NAMES[kind]}</text>')
    text = "\n".join(inside)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * (LEFT + WIDE + RIGHT)} {high}"'
        ' font-family="system-ui, sans-serif" font-size="12">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{text}\n</svg>\n'
    )


def panel(figures: dict[str, dict[str, Any]], measure: str) -> Iterator[str]:
    widest = max(log10(max(map(int, figures))), 1)
    values = [it for row in figures.values() for kind in COLOURS
              for it in row[f"{kind}_{measure}"]["by_seed"]]  # fmt: skip
    most = 1.0 if measure == "right" else max(values)

    def at(sets: str, value: float) -> tuple[float, float]:
        return round(log10(int(sets)) / widest * WIDE, 1), round((1 - value / most) * HIGH, 1)

    yield f'<text y="-16" font-size="15" font-weight="600" fill="{INK}">{PANELS[measure]}</text>'
    yield f'<text y="{HIGH + 34}" fill="{GREY}">rule sets among as many training items</text>'
    for tick in range(TICKS + 1):
        value = most * tick / TICKS
        _, y = at("1", value)
        said = f"{value:.0%}" if measure == "right" else f"{value:.1f}"
        yield f'<line x2="{WIDE}" y1="{y}" y2="{y}" stroke="#e4e4e8"/>'
        yield f'<text x="-8" y="{y}" dy="4" text-anchor="end" fill="{GREY}">{said}</text>'
    for sets in figures:
        x, _ = at(sets, 0)
        said = f"{int(sets):,}"
        yield f'<text x="{x}" y="{HIGH + 16}" text-anchor="middle" fill="{GREY}">{said}</text>'
    for kind, colour in COLOURS.items():
        rows = {sets: row[f"{kind}_{measure}"] for sets, row in figures.items()}
        line = " ".join(f"{x},{y}" for x, y in (at(k, row["mean"]) for k, row in rows.items()))
        yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
        for sets, row in rows.items():
            (x, low), (_, high) = (
                at(sets, row["mean"] + sign * row["deviation"]) for sign in (-1, 1)
            )
            yield f'<line x1="{x}" x2="{x}" y1="{low}" y2="{high}" stroke="{colour}" opacity=".5"'
            yield ' stroke-width="5"/>'
            for value in row["by_seed"]:
                x, y = at(sets, value)
                yield f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>'
