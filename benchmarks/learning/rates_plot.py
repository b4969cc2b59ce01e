"""Draws what RL on few and many families did: docs/breadth.svg.

    python -m benchmarks.learning.rates_plot

A panel is a set of families that are measured; a point is the mean gain in pass rate over the
student before, its line the 95% interval.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.learning.arms import EXPERIMENTS
from benchmarks.learning.run import HERE, RESULT
from puzzlemill.core.storage.files import read_json, write_text

DRAWN = HERE.parents[1] / "docs" / "breadth.svg"
INK, GREY, PALE = "#1d1d1f", "#6b6b70", "#d9d9de"
SERIES = {"breadth": ("RL", "#0072b2", -4), "imitation": ("SFT", "#d55e00", 4)}  # name, colour, dx
PANELS = {
    "base": "families warmed, never trained on after",
    "held": "families never seen at all",
    "own": "families that were trained on",
    "levels": "the same, at levels never seen",
    "wordings": "the same, in wordings never seen",
}
COLUMNS = 3
WIDE, HIGH, LEFT, TOP, GAP = 230, 170, 52, 62, 56  # pixels

Figures = Mapping[str, Any]


def main() -> None:
    write_text(DRAWN, drawing(read_json(RESULT)["rl"]))


def drawing(figures: Figures) -> str:
    low, high = _range(figures)
    rows = -(-len(PANELS) // COLUMNS)
    size = LEFT + COLUMNS * (WIDE + GAP), TOP + rows * (HIGH + GAP)
    inside = [*_legend()]
    for at, (name, title) in enumerate(PANELS.items()):
        x = LEFT + at % COLUMNS * (WIDE + GAP)
        y = TOP + at // COLUMNS * (HIGH + GAP)
        inside += [f'<g transform="translate({x} {y})">', *_panel(figures, name, title, low, high)]
        inside.append("</g>")
    text = "\n".join(inside)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}"'
        ' font-family="system-ui, sans-serif" font-size="11">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{text}\n</svg>\n'
    )


def _range(figures: Figures) -> tuple[float, float]:
    """Of all panels: they have one scale, so that they can be compared."""
    found = [
        figures[arm.name][name]["gain"]
        for series in SERIES
        for arm in EXPERIMENTS[series]
        if arm.name in figures
        for name in PANELS
    ]
    low, high = min(each["low"] for each in found), max(each["high"] for each in found)
    return min(low, 0.0) - 0.01, max(high, 0.0) + 0.01


def _legend() -> Iterator[str]:
    yield (
        f'<text x="{LEFT}" y="20" fill="{INK}" font-size="13">Gain in pass rate by the number of'
        " families, with as many prompts for each number</text>"
    )
    for at, (name, colour, _) in enumerate(SERIES.values()):
        x = LEFT + at * 60
        yield f'<circle cx="{x + 4}" cy="36" r="4" fill="{colour}"/>'
        yield f'<text x="{x + 14}" y="40" fill="{INK}">{name}</text>'


def _panel(figures: Figures, name: str, title: str, low: float, high: float) -> Iterator[str]:
    yield f'<text y="-8" fill="{INK}">{title}</text>'
    for mark in _marks(low, high):
        y = _y(mark, low, high)
        colour = GREY if mark == 0 else PALE
        yield f'<path d="M0 {y:.1f}h{WIDE}" stroke="{colour}"/>'
        end = f'y="{y + 4:.1f}" text-anchor="end" fill="{GREY}"'
        yield f'<text x="-6" {end}>{100 * mark:+.0f}</text>'
    counts = [arm.families for arm in EXPERIMENTS["breadth"]]
    step = WIDE / len(counts)
    for at, count in enumerate(counts):
        x = (at + 0.5) * step
        yield f'<text x="{x:.1f}" y="{HIGH + 16}" text-anchor="middle" fill="{GREY}">{count}</text>'
    for series, (_, colour, aside) in SERIES.items():
        points = [
            ((counts.index(arm.families) + 0.5) * step + aside, figures[arm.name][name]["gain"])
            for arm in EXPERIMENTS[series]
            if arm.name in figures
        ]
        yield from _points(points, colour, low, high)


def _points(
    points: Sequence[tuple[float, Mapping[str, float]]], colour: str, low: float, high: float
) -> Iterator[str]:
    for x, gain in points:
        top, at, foot = (_y(gain[end], low, high) for end in ("high", "value", "low"))
        yield f'<path d="M{x:.1f} {top:.1f}V{foot:.1f}" stroke="{colour}" stroke-width="2"/>'
        yield f'<circle cx="{x:.1f}" cy="{at:.1f}" r="4" fill="{colour}"/>'


def _marks(low: float, high: float) -> list[float]:
    """Round values, so few that their names do not meet."""
    step = next(each for each in (0.02, 0.05, 0.1, 0.2, 0.5, 1.0) if (high - low) / each <= 8)
    first = int(low / step) - 1
    return [
        round(at * step, 4) for at in range(first, first + 12) if low <= round(at * step, 4) <= high
    ]


def _y(value: float, low: float, high: float) -> float:
    return HIGH * (high - value) / (high - low)


if __name__ == "__main__":
    main()
