"""Locate shapes: the coordinates of all shapes that fit a description, on a numbered grid.

`verify` looks the shapes up in the puzzle's list; `solve` sees only the picture: at every crossing
of the grid it takes the patch of colour that lies there and finds out what shape it is.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._drawing import area, asked, blank, write
from puzzlemill.generators.visual._marks import put, shape_at
from puzzlemill.generators.visual._picture import GUTTER, Pixels, drawn_once, png
from puzzlemill.generators.visual._prose import Term, meets, plural
from puzzlemill.generators.visual._scene import COLOURS, KINDS, PALETTE

SIZES = {"small": 9, "large": 15}  # radius in pixels
LEFT, BELOW, MARGIN = 40, 36, 24  # pixels around the grid
SPACE = 38  # pixels between two lines of the grid

Placed = tuple[str, str, str, int, int]  # size, colour, kind, x and y on the grid


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # lines of the grid, both ways
    shapes: int  # on the grid, at most
    detail: int  # attributes that the description names
    numbered: int  # every how many lines have a number


@dataclass(frozen=True, slots=True)
class Grid:
    side: int
    numbered: int
    shapes: tuple[Placed, ...]
    term: Term


def generate(rng: Random, knobs: Knobs) -> Grid | None:
    points = [(x, y) for x in range(knobs.side) for y in range(knobs.side)]
    named = rng.sample(range(3), knobs.detail)
    whole = _look(rng)
    term = tuple(part if place in named else "" for place, part in enumerate(whole))
    wanted = rng.randint(1, max(2, knobs.shapes // 4))
    shapes = []
    for place, (x, y) in enumerate(rng.sample(points, knobs.shapes)):
        look = list(_look(rng))
        for attribute, part in enumerate(term):
            if part and (place < wanted or rng.random() < 0.5):
                look[attribute] = part
        if place >= wanted and meets((look[0], look[1], look[2]), (term[0], term[1], term[2])):
            continue
        shapes.append((look[0], look[1], look[2], x, y))
    rng.shuffle(shapes)
    grid = Grid(knobs.side, knobs.numbered, tuple(shapes), (term[0], term[1], term[2]))
    found = solve(grid)
    return grid if found and len(found) == wanted else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(grid: Grid) -> tuple[tuple[int, int], ...] | None:
    """Look at every crossing of the drawn grid."""
    page = _drawn(grid)
    sizes = {radius: size for size, radius in SIZES.items()}
    found = []
    for x in range(grid.side):
        for y in range(grid.side):
            shape = shape_at(page, *_at(grid, x, y), list(SIZES.values()))
            if shape is None:
                continue
            look = sizes[shape[2]], shape[1], shape[0]
            if all(part in ("", own) for own, part in zip(look, grid.term)):
                found.append((x, y))
    return tuple(sorted(found))


def verify(grid: Grid, points: tuple[tuple[int, int], ...]) -> float:
    right = {shape[3:] for shape in grid.shapes if meets(shape[:3], grid.term)}
    return float(set(points) == right and len(points) == len(right))


def render(grid: Grid, style: Style) -> Prompt:
    every = (
        "All lines have numbers" if grid.numbered == 1
        else f"Every {_ordinal(grid.numbered)} line has its number; both axes start at 0"
    )  # fmt: skip
    sizes = " Shapes are small or large." if grid.term[0] else ""
    shown = (
        "The picture shows shapes on a grid, each with its centre where two lines cross. The number"
        f" x is read at the bottom, y at the left. {every}.{sizes}"
    )
    return Prompt(
        asked(style, shown, f"Where are the {plural(grid.term)}?"),
        form="the coordinates of all of them as (x, y) pairs in any order, such as (30, 41), (52,"
        " 60)",
        images=(png(_drawn(grid), PALETTE),),
    )


def hardness(grid: Grid) -> float:
    return len(grid.shapes) + grid.side + 4 * grid.numbered


def _look(rng: Random) -> Term:
    return rng.choice(list(SIZES)), rng.choice(list(COLOURS)), rng.choice(list(KINDS))


def _ordinal(number: int) -> str:
    return {2: "second", 3: "third", 4: "fourth", 5: "fifth"}[number]


def _at(grid: Grid, x: int, y: int) -> tuple[int, int]:
    """The pixel of a crossing: y counts upwards."""
    return LEFT + x * SPACE, MARGIN + (grid.side - 1 - y) * SPACE


@drawn_once
def _drawn(grid: Grid) -> Pixels:
    long = (grid.side - 1) * SPACE
    page = blank(LEFT + long + MARGIN, MARGIN + long + BELOW)
    for step in range(grid.side):
        x, y = _at(grid, step, step)
        area(page, x, MARGIN, x + 1, MARGIN + long + 1, GUTTER)
        area(page, LEFT, y, LEFT + long + 1, y + 1, GUTTER)
        if step % grid.numbered == 0:
            write(page, str(step), x, MARGIN + long + 26)
            write(page, str(step), 12, y)
    for size, colour, kind, x, y in grid.shapes:
        across, up = _at(grid, x, y)
        put(page, kind, colour, SIZES[size], across, up)
    return page


LADDER = (
    Knobs(5, 4, 2, 1),
    Knobs(7, 9, 2, 1),
    Knobs(9, 16, 3, 2),
    Knobs(12, 30, 3, 3),
    Knobs(15, 60, 3, 5),
)
FAMILY = Family(
    Grid,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs(ordered=False),
    hardness=hardness,
    proof="unique",
    solver="shapes recognised at every crossing of the drawn grid",
    guess_rate=0.1,
    skills=("vision", "localisation"),
    version=2,
)
