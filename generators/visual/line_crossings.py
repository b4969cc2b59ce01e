"""Line crossings: how often do coloured lines cross?

All lines run from left to right. Every crossing is clear: away from the others and from the corners
of the lines. `verify` looks where the order of two lines changes; `solve` counts the pieces into
which the lines that are drawn first are cut by those drawn later.
"""

from dataclasses import dataclass
from itertools import combinations, pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._drawing import asked, blank, path
from puzzlemill.generators.visual._patches import sizes
from puzzlemill.generators.visual._picture import Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import INDEX, PALETTE

COLOURS = ("red", "blue", "green", "orange")
COLUMN = 44  # pixels from one corner of a line to the next
HIGH = 300  # pixels
EDGE = 16
WIDE = 4  # pixels of a line
APART = 16  # pixels between two lines at their corners, and between two crossings
STEEP = 44  # pixels by which the distance of two lines changes in a column where they cross
CRUMB = 10  # pixels; a smaller piece is a corner left over at a crossing


@dataclass(frozen=True, slots=True)
class Knobs:
    lines: int  # in the picture
    corners: int  # of each line, its ends among them


@dataclass(frozen=True, slots=True)
class Lines:
    heights: tuple[tuple[int, ...], ...]  # of each line's corners, in pixels from the top


def generate(rng: Random, knobs: Knobs) -> Lines | None:
    columns: list[list[int]] = []
    for _ in range(400):
        if len(columns) == knobs.corners:
            break
        column = [rng.randrange(EDGE, HIGH - EDGE) for _ in range(knobs.lines)]
        spread = sorted(column)
        if any(b - a < APART for a, b in pairwise(spread)):
            continue
        if not columns or _is_clear(columns[-1], column):
            columns.append(column)
    if len(columns) < knobs.corners:
        return None
    return Lines(tuple(zip(*columns)))


def solve(lines: Lines) -> int:
    """Count the pieces of each colour: one more than the times that it is crossed over."""
    used = [INDEX[colour] for colour in COLOURS[: len(lines.heights)]]
    patches = sizes(_drawn(lines), corners=True)
    return sum(size >= CRUMB and colour in used for colour, size in patches) - len(used)


def verify(lines: Lines, count: int) -> float:
    crossings = 0
    for one, other in combinations(lines.heights, 2):
        above = [a < b for a, b in zip(one, other)]
        crossings += sum(first != second for first, second in pairwise(above))
    return float(count == crossings)


def render(lines: Lines, style: Style) -> Prompt:
    names = COLOURS[: len(lines.heights)]
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    if len(names) == 2:
        question = "How many times do the two lines cross?"
    else:
        question = (
            "How many crossings of two lines are there in the picture, all pairs of lines taken"
            " together?"
        )
    return Prompt(
        asked(style, f"The picture shows lines from left to right: {listed}.", question),
        form="one integer (0 if there are none)",
        images=(png(_drawn(lines), PALETTE),),
    )


def hardness(lines: Lines) -> float:
    return len(lines.heights) * len(lines.heights[0])


def _is_clear(before: list[int], after: list[int]) -> bool:
    """Whether all crossings between two columns of corners are easy to tell."""
    found: list[tuple[int, int]] = []
    for one, other in combinations(range(len(before)), 2):
        gap, later = before[other] - before[one], after[other] - after[one]
        if (gap < 0) == (later < 0):
            continue
        whole = abs(gap) + abs(later)
        if whole < STEEP or not 0.2 * whole < abs(gap) < 0.8 * whole:
            return False
        x = COLUMN * abs(gap) // whole
        found.append((x, before[one] + (after[one] - before[one]) * abs(gap) // whole))
    return all(
        (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 >= APART**2 for a, b in combinations(found, 2)
    ) and not _passes(before, after, found)


def _passes(before: list[int], after: list[int], found: list[tuple[int, int]]) -> bool:
    """Whether some line comes near a crossing that is not its own."""
    for x, y in found:
        near = 0
        for a, b in zip(before, after):
            near += abs(a + (b - a) * x // COLUMN - y) < APART
        if near > 2:
            return True
    return False


@drawn_once
def _drawn(lines: Lines) -> Pixels:
    corners = len(lines.heights[0])
    page = blank(2 * EDGE + (corners - 1) * COLUMN, HIGH)
    for colour, heights in zip(COLOURS, lines.heights):
        points = [(EDGE + COLUMN * place, height) for place, height in enumerate(heights)]
        path(page, points, WIDE, INDEX[colour])
    return page


LADDER = (Knobs(2, 4), Knobs(2, 8), Knobs(3, 8), Knobs(3, 14), Knobs(4, 20))
FAMILY = Family(
    Lines,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="pieces of the lines counted in the picture's pixels",
    guess_rate=0.45,
    redraws=True,
    skills=("vision", "counting"),
    version=2,
)
