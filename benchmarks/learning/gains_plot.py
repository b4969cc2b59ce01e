"""Draws what learning many families and few did: docs/gains.svg.

    python -m benchmarks.learning.gains_plot

A point is a mean gain over the student before, its line the 95% interval.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.learning.breadth import BREADTHS
from benchmarks.learning.run import HERE, RESULT
from puzzlemill.core.storage.files import read_json, write_text

DRAWN = HERE.parents[1] / "docs" / "gains.svg"
INK, GREY, PALE, BLUE, ORANGE = "#1d1d1f", "#6b6b70", "#d9d9de", "#0072b2", "#d55e00"
WIDE, HIGH, LEFT, TOP, GAP = 350, 200, 56, 66, 70  # pixels
ARMS = {
    "rl-1": "1 family",
    "rl-2": "2",
    "rl-4": "4",
    "wrong-0.11": "4, 11% wrong",
    "wrong-0.3": "30% wrong",
    "regenerated": "aimed",
    "thompson": "thompson",
    "staged": "staged",
    "sft-4": "SFT, 4",
}

Gain = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Series:
    name: str
    colour: str
    gains: dict[str, Gain]  # by category


@dataclass(frozen=True, slots=True)
class Panel:
    title: str
    unit: float  # by which values are multiplied
    categories: dict[str, str]  # with what is written below
    series: tuple[Series, ...]


def main() -> None:
    write_text(DRAWN, drawing(read_json(RESULT)))


def drawing(result: Mapping[str, Any]) -> str:
    panels = [of_likelihoods(result), of_rates(result)]
    wide, high = len(panels) * (LEFT + WIDE + GAP // 4), TOP + HIGH + GAP
    inside = []
    for at, panel in enumerate(panels):
        x = LEFT + at * (WIDE + GAP)
        inside += [f'<g transform="translate({x} {TOP})">', *_panel(panel), "</g>"]
    text = "\n".join(inside)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}"'
        ' font-family="system-ui, sans-serif" font-size="11">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{text}\n</svg>\n'
    )


def of_likelihoods(result: Mapping[str, Any]) -> Panel:
    series = []
    for size, name, colour in (("0.5m", "0.6M weights", BLUE), ("8m", "7.9M weights", ORANGE)):
        found = result.get(size, {}).get("breadth", {})
        gains = {str(count): found[str(count)]["gain"] for count in BREADTHS if str(count) in found}
        series.append(Series(name, colour, gains))
    title = "SFT on so many families: held-out solutions, nats a token"
    return Panel(title, 1.0, {str(count): str(count) for count in BREADTHS}, tuple(series))


def of_rates(result: Mapping[str, Any]) -> Panel:
    arms = result.get("bundled", {}).get("arms", {})
    names = {"others": "families never trained on", "own": "families trained on"}
    series = tuple(
        Series(name, colour, {arm: arms[arm][key]["gain"] for arm in ARMS if arm in arms})
        for (key, name), colour in zip(names.items(), (BLUE, ORANGE), strict=True)
    )
    shown = {arm: name for arm, name in ARMS.items() if arm in arms}
    return Panel("RL of the bundled policy: pass rate, points", 100.0, shown, series)


def _panel(panel: Panel) -> Iterator[str]:
    values = [gain for series in panel.series for gain in series.gains.values()]
    low = min([0.0, *(gain["low"] for gain in values)]) * panel.unit
    high = max([0.0, *(gain["high"] for gain in values)]) * panel.unit
    low, high = low - 0.04 * (high - low), high + 0.04 * (high - low)
    yield f'<text y="-38" fill="{INK}" font-size="12">{panel.title}</text>'
    for at, series in enumerate(panel.series):
        yield f'<circle cx="{at * 160 + 4}" cy="-20" r="4" fill="{series.colour}"/>'
        yield f'<text x="{at * 160 + 14}" y="-16" fill="{INK}">{series.name}</text>'
    for mark in _marks(low, high):
        y, colour = _y(mark, low, high), GREY if mark == 0 else PALE
        yield f'<path d="M0 {y:.1f}h{WIDE}" stroke="{colour}"/>'
        end = f'y="{y + 4:.1f}" text-anchor="end" fill="{GREY}"'
        yield f'<text x="-6" {end}>{mark:+g}</text>'
    step = WIDE / max(len(panel.categories), 1)
    for at, (category, name) in enumerate(panel.categories.items()):
        middle = (at + 0.5) * step
        x, y = f"{middle:.1f}", HIGH + 14 + 13 * (at % 2) * (len(panel.categories) > len(BREADTHS))
        yield f'<text x="{x}" y="{y}" text-anchor="middle" fill="{GREY}">{name}</text>'
        for number, series in enumerate(panel.series):
            if category in series.gains:
                aside = 10 * (number - (len(panel.series) - 1) / 2)
                yield from _point(series.gains[category], middle + aside, series, panel, low, high)


def _point(
    gain: Gain, x: float, series: Series, panel: Panel, low: float, high: float
) -> Iterator[str]:
    top, at, foot = (_y(gain[end] * panel.unit, low, high) for end in ("high", "value", "low"))
    yield f'<path d="M{x:.1f} {top:.1f}V{foot:.1f}" stroke="{series.colour}" stroke-width="2"/>'
    yield f'<circle cx="{x:.1f}" cy="{at:.1f}" r="4" fill="{series.colour}"/>'


def _marks(low: float, high: float) -> list[float]:
    """Round values, so few that their names do not meet."""
    steps = (scale * digit for scale in (0.01, 0.1, 1.0, 10.0) for digit in (1, 2, 5))
    step = next(each for each in steps if (high - low) / each <= 8)
    marks = (round(at * step, 6) for at in range(int(low / step) - 1, int(high / step) + 2))
    return [mark for mark in marks if low <= mark <= high]


def _y(value: float, low: float, high: float) -> float:
    return HIGH * (high - value) / (high - low)


if __name__ == "__main__":
    main()
