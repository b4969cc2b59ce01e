"""Bar chart: read coloured bars against an axis, and reckon with what they say.

`verify` reckons with the values behind the chart; `solve` measures every bar in the drawn picture,
in pixels, and reckons with that, in another way.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._charts import LEFT, SPACE, Axis, chart
from puzzlemill.generators.visual._drawing import area, asked, write
from puzzlemill.generators.visual._picture import Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import INDEX, PALETTE

COLOURS = ("red", "blue", "green")
BAR = 16  # pixels
BETWEEN = 18  # pixels between groups of bars
STEPS = (20, 40, 60, 100, 200)  # 2, 4 and 5 divide each
PARTS = (1, 2, 4, 5)  # of a step, that bars end at
LINES = 9
ASKS = ("value", "difference", "total", "spread", "gap", "higher")  # from the easiest


@dataclass(frozen=True, slots=True)
class Knobs:
    groups: int  # of bars
    series: int  # bars in a group
    part: int  # which of PARTS
    asks: int  # the last two of the first so many questions may be asked


@dataclass(frozen=True, slots=True)
class Chart:
    step: int
    fine: int
    values: tuple[tuple[int, ...], ...]  # of each group, one a colour
    ask: str
    named: tuple[tuple[int, int], ...]  # bars that the question names: group and colour


def generate(rng: Random, knobs: Knobs) -> Chart | None:
    step, fine = rng.choice(STEPS), PARTS[knobs.part]
    axis = Axis(LINES, step, fine)
    values = tuple(
        tuple(rng.randint(1, LINES * fine) * axis.least for _ in range(knobs.series))
        for _ in range(knobs.groups)
    )
    bars = [(group, colour) for group in range(knobs.groups) for colour in range(knobs.series)]
    ask = ASKS[rng.randint(max(knobs.asks - 2, 0), knobs.asks - 1)]
    named = {"difference": 2, "spread": 0, "gap": 0}.get(ask, 1)
    made = Chart(step, fine, values, ask, tuple(rng.sample(bars, named)))
    return made if solve(made) else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(made: Chart) -> int | None:
    """Measure the bars in the picture."""
    page, axis = _drawn(made), _axis(made)
    read: dict[tuple[int, int], int] = {}
    for group, row in enumerate(made.values):
        for colour in range(len(row)):
            column = page[:, _left(made, group, colour) + BAR // 2]
            pixels = int((column == INDEX[COLOURS[colour]]).sum())
            if pixels * axis.fine % SPACE:
                return None
            read[group, colour] = pixels * axis.fine // SPACE * axis.least
    heights = [read[bar] for bar in made.named]
    match made.ask:
        case "value":
            return heights[0]
        case "difference":
            return abs(heights[0] - heights[1])
        case "total":
            colour = made.named[0][1]
            return sum(height for bar, height in read.items() if bar[1] == colour)
        case "spread":
            return max(read.values()) - min(read.values())
        case "gap":
            order = sorted(read)  # as they stand
            pairs = (
                (bar, other)
                for bar, other in pairwise(order)
                if bar[0] == other[0] or len(made.values[0]) == 1
            )
            return max(abs(read[bar] - read[other]) for bar, other in pairs)
        case _:
            return sum(height for height in read.values() if height > heights[0])


def verify(made: Chart, number: int) -> float:
    values = made.values
    bars = [value for row in values for value in row]
    named = [values[group][colour] for group, colour in made.named]
    if made.ask == "value":
        right = named[0]
    elif made.ask == "difference":
        right = max(named) - min(named)
    elif made.ask == "total":
        right = sum(list(zip(*values))[made.named[0][1]])
    elif made.ask == "spread":
        right = max(bars) - min(bars)
    elif made.ask == "gap":
        steps = [abs(a - b) for row in values for a, b in pairwise(row)]
        if len(values[0]) == 1:
            steps = [abs(a - b) for a, b in pairwise(bars)]
        right = max(steps)
    else:
        right = sum(bars) - sum(value for value in bars if value <= named[0])
    return float(number == right)


def render(made: Chart, style: Style) -> Prompt:
    many = len(made.values[0]) > 1
    groups = (
        "Each letter has a group of bars, one of each colour." if many else "Each letter has a bar."
    )
    shown = (
        f"The chart shows coloured bars over letters. {groups} Every bar ends at"
        f" {_axis(made).told}."
    )
    return Prompt(
        asked(style, shown, _asked(made)),
        form="one integer",
        images=(png(_drawn(made), PALETTE),),
    )


def hardness(made: Chart) -> float:
    return len(made.values) * len(made.values[0]) + made.fine + 4 * ASKS.index(made.ask)


def _asked(made: Chart) -> str:
    many = len(made.values[0]) > 1
    bars = [
        f"the {COLOURS[colour]} bar over {_letter(group)}"
        if many
        else f"the bar over {_letter(group)}"
        for group, colour in made.named
    ]
    of_colour = f"{COLOURS[made.named[0][1]]} bars" if many and made.named else "bars"
    match made.ask:
        case "value":
            return f"How high is {bars[0]}?"
        case "difference":
            return f"By how much do {bars[0]} and {bars[1]} differ?"
        case "total":
            return f"What do all {of_colour} together add up to?"
        case "spread":
            return "How much higher is the highest bar of the chart than the lowest?"
        case "gap":
            where = " in one group" if many else ""
            return (
                f"Look at every two bars that stand directly beside each other{where}: what is the"
                " largest difference between two such bars?"
            )
        case _:
            return f"What do all bars that are higher than {bars[0]} add up to, without that bar?"


def _axis(made: Chart) -> Axis:
    return Axis(LINES, made.step, made.fine)


def _letter(group: int) -> str:
    return chr(ord("A") + group)


def _left(made: Chart, group: int, colour: int) -> int:
    """The first column of pixels of a bar."""
    return LEFT + BETWEEN + group * (BAR * len(made.values[0]) + BETWEEN) + colour * BAR


@drawn_once
def _drawn(made: Chart) -> Pixels:
    axis, count = _axis(made), len(made.values[0])
    page = chart(axis, BETWEEN + len(made.values) * (BAR * count + BETWEEN))
    for group, row in enumerate(made.values):
        for colour, value in enumerate(row):
            left = _left(made, group, colour)
            area(page, left, axis.height(value), left + BAR, axis.bottom, INDEX[COLOURS[colour]])
        middle = _left(made, group, 0) + BAR * count // 2
        write(page, _letter(group), middle, axis.bottom + 20)
    return page


LADDER = (
    Knobs(3, 1, 0, 1),
    Knobs(5, 1, 1, 2),
    Knobs(5, 2, 1, 4),
    Knobs(6, 2, 2, 5),
    Knobs(7, 3, 3, 6),
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
    solver="bars measured in the picture's pixels",
    guess_rate=0.15,
    redraws=True,
    skills=("vision", "reading", "arithmetic"),
    version=3,
)
