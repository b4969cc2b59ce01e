"""Grid rules: what does a rule make of a grid, when examples are all that shows the rule?

The prompt names the kinds of steps that may occur and how many. `solve` goes through all programs
of such steps and answers only if those that fit all examples agree; `verify` goes the other way
round: from the new grid to the answer by any steps, and asks whether these fit the examples.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _cells
from puzzlemill.generators.induction import _programs
from puzzlemill.generators.induction._programs import KindOfStep

FEW, SPARE = 2, 6  # examples; further ones in store
COLOURS = range(1, 5)
SMALL = (1, 2)

Grid = _cells.Board[int]  # 0 is an empty cell
Lines: TypeAlias = tuple[bytes, ...]  # a grid as steps take it


@dataclass(frozen=True, slots=True)
class Knobs:
    kinds: int  # of steps that may occur
    steps: int  # in the rule, at most
    side: int  # of the grids, at most


@dataclass(frozen=True, slots=True)
class Grids:
    kinds: tuple[str, ...]
    longest: int  # steps
    examples: tuple[tuple[Grid, Grid], ...]
    case: Grid


def generate(rng: Random, knobs: Knobs) -> Grids | None:
    kinds = tuple(rng.sample(list(LANGUAGE.kinds), knobs.kinds))
    values = [_drawn(rng, knobs.side) for _ in range(1 + FEW + SPARE)]
    found = _programs.posed(rng, LANGUAGE, kinds, knobs.steps, values, FEW)
    grids = Grids(kinds, knobs.steps, *found) if found else None
    # A grid that comes out empty is no answer.
    return grids if grids and any(map(any, solve(grids) or ())) else None


def solve(grids: Grids) -> Grid | None:
    found = _programs.settled(LANGUAGE, grids)
    return found[0] if found else None


def verify(grids: Grids, answer: Grid) -> float:
    if any(cell not in (0, *COLOURS) for row in answer for cell in row):
        return 0.0
    return float(_programs.explained(LANGUAGE, grids, answer))


def render(grids: Grids, style: Style) -> Prompt:
    shown = "\n\n".join(
        f"Example {number}, before:\n{_cells.drawn(given)}\nafter:\n{_cells.drawn(then)}"
        for number, (given, then) in enumerate(grids.examples, 1)
    )
    kinds = _programs.listed(LANGUAGE, grids.kinds)
    length = _programs.length_said(grids.longest)
    case = _cells.drawn(grids.case)
    cells = "In the grids 0 is an empty cell, and the other numbers are colours."
    return Prompt(
        style.pick(
            f"The same rule changed each of these grids:\n\n{shown}\n\n{cells} The rule consists of"
            f" {length}. A step is of one of these kinds:\n{kinds}\n\nWhat does the rule make of"
            f" this grid?\n{case}",
            f"A rule changes grids by {length}. {cells} Each step does one of"
            f" these things:\n{kinds}\n\n{shown}\n\nNow the rule is used on this grid. What comes"
            f" out?\n{case}",
            f"{shown}\n\nFind out what the same rule makes of the grid below. {cells}\n\n{case}\n\n"
            f"The rule has {length}. What a step can do:\n{kinds}\n\nAll rules of this sort that"
            " fit the examples give the same grid.",
        ),
        form="the new grid, a line for each row, numbers separated by spaces",
    )


def steps(grids: Grids) -> list[str]:
    """A rule that fits, and what its steps make of the grid; a bar between rows."""
    return _programs.worked(LANGUAGE, grids, _barred)


def hardness(grids: Grids) -> float:
    """Programs to choose from, by order of magnitude, and the cells to look at."""
    return _programs.to_choose_from(LANGUAGE, grids) + len(grids.case) * len(grids.case[0]) / 10


def _barred(grid: Grid) -> str:
    return " | ".join(" ".join(map(str, row)) for row in grid)


def _drawn(rng: Random, most: int) -> Grid:
    rows, columns = rng.randint(most - 1, most), rng.randint(most - 1, most)
    share = rng.uniform(0.35, 0.6)
    return tuple(
        tuple(rng.choice(COLOURS) if rng.random() < share else 0 for _ in range(columns))
        for _ in range(rows)
    )


def _packed(grid: Grid) -> Lines:
    return tuple(map(bytes, grid))


def _plain(lines: Lines) -> Grid:
    return tuple(map(tuple, lines))


def _transposed(grid: Lines) -> Lines:
    return tuple(map(bytes, zip(*grid)))


def _fallen(row: bytes) -> bytes:
    """The coloured cells at the end of a row."""
    return row.replace(b"\0", b"").rjust(len(row), b"\0")


def _rolled(row: bytes, by: int) -> bytes:
    start = len(row) - by % len(row)
    return row[start:] + row[:start]


def _rolled_down(grid: Lines, by: int) -> Lines:
    by %= len(grid)
    return grid[len(grid) - by :] + grid[: len(grid) - by]


def _mapped(grid: Lines, old: tuple[int, ...], new: tuple[int, ...]) -> Lines:
    table = _table(old, new)
    return tuple(row.translate(table) for row in grid)


@cache
def _table(old: tuple[int, ...], new: tuple[int, ...]) -> bytes:
    return bytes.maketrans(bytes(old), bytes(new))


def _framed(grid: Lines, colour: int) -> Lines:
    side = bytes((colour,))
    edge = side * (len(grid[0]) + 2)
    return edge, *(side + row + side for row in grid), edge


def _beside(grid: Lines) -> Iterator[Iterator[tuple[int, tuple[int, ...]]]]:
    """For each row its cells, each with what is above, left, right and below; 0 beyond the edge."""
    beyond = bytes(len(grid[0]))
    for above, row, below in zip((beyond, *grid), grid, (*grid[1:], beyond)):
        yield zip(row, zip(above, b"\0" + row, row[1:] + b"\0", below))


def _haloed(grid: Lines, colour: int) -> Lines:
    return tuple(
        bytes(cell or (colour if any(near) else 0) for cell, near in row) for row in _beside(grid)
    )


def _single_gone(grid: Lines) -> Lines:
    return tuple(bytes(cell if cell in near else 0 for cell, near in row) for row in _beside(grid))


def _largest(grid: Lines) -> Lines:
    coloured = [cell for cell in _cells.cells(len(grid), len(grid[0])) if grid[cell[0]][cell[1]]]
    pieces = _cells.pieces(coloured)
    most = max(map(len, pieces), default=0)
    new = [bytearray(len(row)) for row in grid]
    for piece in pieces:
        if len(piece) == most:
            for row, column in piece:
                new[row][column] = grid[row][column]
    return tuple(map(bytes, new))


def _by_count(grid: Lines) -> Lines:
    """The rows in order of their coloured cells, fewest first."""
    return tuple(sorted(grid, key=lambda row: -row.count(0)))


def possible(grid: Lines, then: Lines) -> set[str]:
    """The kinds of steps that may make one grid of another, by what each kind leaves as it is."""
    high, wide = len(grid), len(grid[0])
    sizes = {
        (wide, high): ("turn", "turn_back", "transpose"),
        (high + 2, wide + 2): ("frame",),
        (high, 2 * wide): ("double",),
        (2 * high, wide): ("stack",),
    }
    size = len(then), len(then[0]) if then else 0  # an answer may be empty
    kinds = set(sizes.get(size, ()))
    if size == (high - 2, wide - 2) or then == grid:
        kinds.add("crop")
    if size != (high, wide):
        return kinds
    before, after = b"".join(grid), b"".join(then)
    changes = {(old, new) for old, new in zip(before, after) if old != new}
    gone = any(not new for _, new in changes)
    come = any(not old for old, _ in changes)
    other = any(old and new for old, new in changes)
    if not gone and not come:
        kinds.add("next")
        if len(changes) < 3:
            kinds.add("swap")
        if len(changes) < 2:
            kinds.add("recolour")
    if not gone and not other:
        kinds |= {"paint", "halo"}
    if not come and not other:
        kinds |= {"erase", "lonely", "largest"}
    if sorted(before) == sorted(after):
        kinds |= {"mirror_sides", "mirror_top", "right", "down", "stagger", "fall", "push", "sort"}
    return kinds


KINDS: dict[str, KindOfStep[Lines]] = {
    "mirror_sides": KindOfStep(
        "swap left and right, so that the first column becomes the last",
        lambda grid: tuple(row[::-1] for row in grid),
    ),
    "mirror_top": KindOfStep(
        "swap top and bottom, so that the first row becomes the last", lambda grid: grid[::-1]
    ),
    "turn": KindOfStep(
        "turn the grid by a quarter, clockwise", lambda grid: _transposed(grid[::-1])
    ),
    "turn_back": KindOfStep(
        "turn the grid by a quarter, anticlockwise", lambda grid: _transposed(grid)[::-1]
    ),
    "transpose": KindOfStep(
        "turn rows into columns, the first row into the first column", _transposed
    ),
    "right": KindOfStep(
        "move every row K cells to the right (K is 1 or 2); what leaves it comes in at the left",
        lambda grid, by: tuple(_rolled(row, by) for row in grid),
        (SMALL,), "move rows {0} to the right, round the edge",
    ),
    "down": KindOfStep(
        "move every column K cells down (K is 1 or 2); what leaves it comes in at the top",
        _rolled_down, (SMALL,), "move columns {0} down, round the edge",
    ),
    "stagger": KindOfStep(
        "move the second row 1 cell to the right, the third 2 cells and so on; what leaves a row"
        " comes in at its left",
        lambda grid: tuple(_rolled(row, at) for at, row in enumerate(grid)),
        (), "move the second row 1 to the right, the third 2 and so on",
    ),
    "recolour": KindOfStep(
        "change the colour A to the colour B everywhere (A and B from 1 to 4)",
        lambda grid, one, other: _mapped(grid, (one,), (other,)),
        (COLOURS, COLOURS), "change {0} to {1}",
    ),
    "swap": KindOfStep(
        "swap the colours A and B everywhere (A and B from 1 to 4)",
        lambda grid, one, other: _mapped(grid, (one, other), (other, one)),
        (COLOURS, COLOURS), "swap {0} and {1}",
    ),
    "erase": KindOfStep(
        "empty all cells of the colour A (A from 1 to 4)",
        lambda grid, colour: _mapped(grid, (colour,), (0,)),
        (COLOURS,), "empty the cells of colour {0}",
    ),
    "paint": KindOfStep(
        "give all empty cells the colour A (A from 1 to 4)",
        lambda grid, colour: _mapped(grid, (0,), (colour,)),
        (COLOURS,), "give empty cells colour {0}",
    ),
    "next": KindOfStep(
        "change every colour to the next one: 1 to 2, 2 to 3, 3 to 4, 4 to 1",
        lambda grid: _mapped(grid, (1, 2, 3, 4), (2, 3, 4, 1)),
    ),
    "fall": KindOfStep(
        "let the coloured cells fall down, in each column onto one another",
        lambda grid: _transposed(tuple(map(_fallen, _transposed(grid)))),
        (), "let coloured cells fall down",
    ),
    "push": KindOfStep(
        "push the coloured cells to the right, in each row against one another",
        lambda grid: tuple(map(_fallen, grid)), (), "push coloured cells to the right",
    ),
    "frame": KindOfStep(
        "put a frame of cells of the colour A around the grid (A from 1 to 4), which gets two rows"
        " and two columns more",
        _framed, (COLOURS,), "put a frame of colour {0} around",
    ),
    "crop": KindOfStep(
        "take away the outermost row or column on all four sides, if something is left then",
        lambda grid: (
            tuple(row[1:-1] for row in grid[1:-1]) if len(grid) > 2 < len(grid[0]) else grid
        ),
        (), "take away the edge",
    ),
    "double": KindOfStep(
        "put the mirror image of the grid to its right, so that it becomes twice as wide",
        lambda grid: tuple(row + row[::-1] for row in grid),
        (), "put the mirror image to the right",
    ),
    "stack": KindOfStep(
        "put a copy of the grid below it, so that it becomes twice as high",
        lambda grid: grid + grid, (), "put a copy below",
    ),
    "halo": KindOfStep(
        "give every empty cell that shares a side with a coloured cell the colour A (A from 1"
        " to 4)",
        _haloed, (COLOURS,), "give empty cells beside coloured ones colour {0}",
    ),
    "lonely": KindOfStep(
        "empty every cell that shares no side with a cell of its own colour", _single_gone
    ),
    "largest": KindOfStep(
        "keep only the largest piece, or all that are equally large, and empty the rest (coloured"
        " cells that share a side are connected, whatever their colours)",
        _largest, (), "keep the largest piece",
    ),
    "sort": KindOfStep(
        "order the rows by how many coloured cells they have, fewest at the top; of equal ones"
        " the upper one stays above",
        _by_count, (), "order the rows by their coloured cells",
    ),
}  # fmt: skip
LANGUAGE: _programs.Language[Grid] = _programs.Language(
    KINDS, _packed, _plain, possible, _programs.unlike
)
LADDER = (
    Knobs(5, 1, 3),
    Knobs(10, 1, 4),
    Knobs(10, 2, 4),
    Knobs(16, 2, 5),
    Knobs(20, 2, 7),
)
FAMILY = Family(
    Grids,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Grid(digits=True),
    hardness=hardness,
    proof="unique",
    solver="all programs of the language",
    guess_rate=0.05,
    steps=steps,
    canon=_programs.canonical,
    redraws=True,
    skills=("induction", "grids"),
    peers=(
        "Enigmata/symbolic_hard",
        "reasoning-gym/rearc",
        "reasoning-core/matrix_induction",
        "reasoning-core/pattern_induction",
    ),
    theme="rules_from_examples",
    version=3,
)
