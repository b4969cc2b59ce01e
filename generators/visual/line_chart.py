"""Line chart: follow coloured lines over a numbered axis, and reckon with their points.

`verify` reckons with the values behind the chart; `solve` looks in the drawn picture for the dot of
every colour over every number, and reckons with the heights in pixels.
"""

from dataclasses import dataclass
from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._charts import LEFT, SPACE, Axis, chart
from puzzlemill.generators.visual._drawing import area, asked, disc, line, write
from puzzlemill.generators.visual._picture import GUTTER, PAPER, Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import INDEX, PALETTE

COLOURS = ("red", "blue", "green", "orange")
APART = 48  # pixels from one point of a line to the next
DOT = 4  # radius in pixels; two dots one above the other never touch
STEPS = (4, 8, 20, 40, 100)  # 4 divides each
PARTS = (1, 2, 4)  # of a step, at which points lie
LINES = 9
ASKS = ("value", "change", "total", "rise", "above", "gap")  # from the easiest


@dataclass(frozen=True, slots=True)
class Knobs:
    points: int  # of each line
    lines: int  # in the chart
    part: int  # which of PARTS
    asks: int  # the last two of the first so many questions may be asked


@dataclass(frozen=True, slots=True)
class Chart:
    step: int
    fine: int
    values: tuple[tuple[int, ...], ...]  # of each line, from left to right
    ask: str
    line: int
    other: int  # a second line, the same where there is one only
    place: int  # of a point, from 0
    later: int  # of another point


def generate(rng: Random, knobs: Knobs) -> Chart:
    step, fine = rng.choice(STEPS), PARTS[knobs.part]
    least = step // fine
    # At every place the lines' values differ.
    columns = [
        [value * least for value in rng.sample(range(LINES * fine + 1), knobs.lines)]
        for _ in range(knobs.points)
    ]
    values = tuple(zip(*columns))
    first, second = rng.sample(range(knobs.lines), 2) if knobs.lines > 1 else (0, 0)
    place, later = sorted(rng.sample(range(knobs.points), 2))
    asks = [ask for ask in ASKS[: knobs.asks] if knobs.lines > 1 or ask not in ("above", "gap")]
    ask = rng.choice(asks[-2:])
    return Chart(step, fine, values, ask, first, second, place, later)


def solve(made: Chart) -> int | None:
    """Find the dots in the picture."""
    page, axis = _drawn(made), _axis(made)
    count = len(made.values[0])
    rows: list[list[int]] = []  # parts of a step, of each line
    for colour in COLOURS[: len(made.values)]:
        found = []
        for place in range(count):
            x = _across(place)
            parts = [
                part
                for part in range(LINES * made.fine + 1)
                if _is_dot(page, x, axis.bottom - part * SPACE // made.fine, INDEX[colour])
            ]
            if len(parts) != 1:
                return None
            found.append(parts[0])
        rows.append(found)
    mine, others, part = rows[made.line], rows[made.other], made.step // made.fine
    match made.ask:
        case "value":
            return mine[made.place] * part
        case "change":
            return abs(mine[made.later] - mine[made.place]) * part
        case "total":
            return sum(row[made.place] for row in rows) * part
        case "rise":
            return max(0, *(b - a for a, b in pairwise(mine))) * part
        case "above":
            return sum(a for a, b in zip(mine, others) if a > b) * part
        case _:
            return max(abs(a - b) for a, b in zip(mine, others)) * part


def verify(made: Chart, number: int) -> float:
    values, places = made.values, range(len(made.values[0]))
    mine, others = values[made.line], values[made.other]
    right = {
        "value": mine[made.place],
        "change": max(mine[made.place], mine[made.later]) - min(mine[made.place], mine[made.later]),
        "total": sum(list(zip(*values))[made.place]),
        "rise": max([mine[place + 1] - mine[place] for place in places[:-1]] + [0]),
        "above": sum(mine[place] for place in places if others[place] < mine[place]),
        "gap": max(max(one, other) - min(one, other) for one, other in zip(mine, others)),
    }[made.ask]
    return float(number == right)


def render(made: Chart, style: Style) -> Prompt:
    lines = "a line with a dot" if len(made.values) == 1 else "coloured lines with dots"
    shown = (
        f"The chart shows {lines} above each of the numbers at the bottom. Every dot lies at"
        f" {_axis(made).told}."
    )
    return Prompt(
        asked(style, shown, _asked(made)), form="one integer", images=(png(_drawn(made), PALETTE),)
    )


def hardness(made: Chart) -> float:
    return len(made.values) * len(made.values[0]) + 2 * made.fine + 5 * ASKS.index(made.ask)


def _asked(made: Chart) -> str:
    line, other = f"the {COLOURS[made.line]} line", f"the {COLOURS[made.other]} line"
    place, later = made.place + 1, made.later + 1
    match made.ask:
        case "value":
            return f"What is the value of {line} at {place}?"
        case "change":
            return f"By how much do the values of {line} at {place} and at {later} differ?"
        case "total":
            return f"What do the values of all lines at {place} add up to?"
        case "rise":
            return f"What is the largest rise of {line} from one dot to the next (0 if none)?"
        case "above":
            return (
                f"Take the numbers at the bottom where {line} lies above {other}. What do the"
                f" values of {line} at these numbers add up to (0 if there are none)?"
            )
        case _:
            return (
                f"Compare {line} and {other} at each of the numbers at the bottom: what is the"
                " largest difference between them?"
            )


def _axis(made: Chart) -> Axis:
    return Axis(LINES, made.step, made.fine)


def _is_dot(page: Pixels, x: int, y: int, colour: int) -> bool:
    if page[y, x] != colour:
        return False
    part = page[y - DOT : y + DOT + 1, x - DOT : x + DOT + 1]
    dot = part.copy()
    disc(dot, DOT, DOT, DOT, colour)
    return bool((part == dot).all()) and colour != PAPER


def _across(place: int) -> int:
    return LEFT + APART // 2 + place * APART


@drawn_once
def _drawn(made: Chart) -> Pixels:
    axis = _axis(made)
    count = len(made.values[0])
    page = chart(axis, count * APART)
    for place in range(count):
        area(page, _across(place), axis.height(LINES * made.step), _across(place) + 1, axis.bottom,
             GUTTER)  # fmt: skip
        write(page, str(place + 1), _across(place), axis.bottom + 20)
    points = [
        [(_across(place), axis.height(value)) for place, value in enumerate(row)]
        for row in made.values
    ]
    for colour, row in zip(COLOURS, points):
        for start, end in pairwise(row):
            line(page, start, end, 3, INDEX[colour])
    for colour, row in zip(COLOURS, points):
        for x, y in row:
            disc(page, x, y, DOT, INDEX[colour])
    return page


LADDER = (
    Knobs(4, 1, 0, 1),
    Knobs(6, 2, 0, 2),
    Knobs(8, 2, 1, 4),
    Knobs(10, 3, 1, 5),
    Knobs(12, 4, 2, 6),
)
FAMILY = Family(
    Chart,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="dots found in the picture's pixels",
    guess_rate=0.15,
    redraws=True,
    skills=("vision", "reading", "arithmetic"),
    version=2,
)
