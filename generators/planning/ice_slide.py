"""Ice slide: slide over ice, each time until something is in the way, and come to rest on the goal.

Every way within the allowed number of slides is right, so `verify` slides, square by square.
`generate` follows the slides from the start; `solve` asks backwards, for each place of rest, how
many slides are left from there.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import Board, Cell, cells, drawn, turns

WAYS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
TRIES = 6  # lakes that `generate` looks at


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of squares; rows and columns may change places
    columns: int  # of squares
    rocks: float  # share of the squares
    slides: int  # the fewest that lead to the goal, or one or two less


@dataclass(frozen=True, slots=True)
class Lake:
    ice: tuple[str, ...]  # . is ice, # a rock
    start: Cell
    goal: Cell
    limit: int  # slides allowed


def generate(rng: Random, knobs: Knobs) -> Lake | None:
    """Of some lakes, one with a place of rest that takes as many slides as wanted, or the most."""
    wanted = max(2, knobs.slides - rng.randrange(3))
    best: Lake | None = None
    for _ in range(TRIES):
        rows, columns = rng.sample((knobs.rows, knobs.columns), 2)
        squares = cells(rows, columns)
        rocks = set(rng.sample(squares, round(knobs.rocks * len(squares))))
        ice = tuple(
            "".join(".#"[(row, column) in rocks] for column in range(columns))
            for row in range(rows)
        )
        start = rng.choice([cell for cell in squares if cell not in rocks])
        border, seen, slides = [start], {start}, 0
        while slides < wanted:
            ends = (_rest(ice, cell, way) for cell in border for way in WAYS)
            fresh = [cell for cell in dict.fromkeys(ends) if cell not in seen]
            if not fresh:
                break
            border, slides = fresh, slides + 1
            seen.update(fresh)
        if best is None or slides > best.limit:
            best = Lake(ice, start, rng.choice(border), slides)
        if slides == wanted:
            break
    return best if best is not None and best.limit > 1 else None


def solve(lake: Lake) -> tuple[str, ...] | None:
    """Where each slide ends, read off line by line; then outwards from the goal."""
    rows, columns = len(lake.ice), len(lake.ice[0])
    ends: dict[tuple[Cell, str], Cell] = {}
    for way in WAYS:
        order = cells(rows, columns)
        for row, column in order if way in "UL" else reversed(order):
            # The square before it, in the way of the slide, has been looked at already.
            if lake.ice[row][column] == ".":
                ahead = row + WAYS[way][0], column + WAYS[way][1]
                ends[(row, column), way] = ends.get((ahead, way), (row, column))
    back: dict[Cell, list[tuple[Cell, str]]] = {}
    for (cell, way), end in ends.items():
        if cell != end:
            back.setdefault(end, []).append((cell, way))
    left = {lake.goal: ""}
    border = [lake.goal]
    for cell in border:  # which grows meanwhile
        for before, way in back.get(cell, ()):
            if before not in left:
                left[before] = way + left[cell]
                border.append(before)
    moves = left.get(lake.start)
    return tuple(moves) if moves is not None and len(moves) <= lake.limit else None


def verify(lake: Lake, moves: tuple[str, ...]) -> float:
    if len(moves) > lake.limit:
        return 0.0
    rows, columns = len(lake.ice), len(lake.ice[0])
    row, column = lake.start
    for move in moves:
        down, right = WAYS[move]
        while (
            0 <= row + down < rows
            and 0 <= column + right < columns
            and lake.ice[row + down][column + right] == "."
        ):
            row, column = row + down, column + right
    return float((row, column) == lake.goal)


def recheck(lake: Lake, moves: tuple[str, ...]) -> bool:
    """By the nearest rock (or shore) in the row or the column of where one is."""
    row, column = lake.start
    for move in moves:
        lane = lake.ice[row] if move in "LR" else "".join(line[column] for line in lake.ice)
        place = column if move in "LR" else row
        if move in "LU":
            place = lane.rfind("#", 0, place) + 1
        else:
            rock = lane.find("#", place)
            place = (rock if rock >= 0 else len(lane)) - 1
        row, column = (row, place) if move in "LR" else (place, column)
    return len(moves) <= lake.limit and (row, column) == lake.goal


def render(lake: Lake, style: Style) -> Prompt:
    rock, ice, start, goal = tuple(style.pick("#.SG", "O-AB", "#_SG", "^.YX"))
    signs = {lake.start: start, lake.goal: goal}
    board = drawn(
        [
            [signs.get((row, column), rock if it == "#" else ice) for column, it in enumerate(line)]
            for row, line in enumerate(lake.ice)
        ]
    )
    limit = f"{lake.limit} slide{'s' if lake.limit > 1 else ''}"
    return Prompt(
        style.pick(
            f"A frozen lake, with rocks ({rock}) in smooth ice ({ice}):\n\n{board}\n\nYou stand on"
            f" {start}. When you push off up, down, left or right, you slide on in that direction"
            " until the next square is a rock or outside the lake, and only then can you choose"
            f" another direction. Come to a stop on {goal}, with at most {limit}; sliding across"
            " it does not count. The start and the goal are plain ice.",
            f"{board}\n\nOn this sheet of ice {rock} is a rock and {ice} is ice, and so are"
            f" {start}, where you begin, and {goal}, where you want to end up. There is a wall all"
            " round the sheet. You can set off in any of the four directions (up, down, left,"
            " right), but you cannot stop before a rock or the wall stops you, on the square just"
            f" before it. Find {limit} or fewer after which you rest on {goal}. Passing over it is"
            " not enough.",
            f"Slide from {start} to {goal}. A slide goes up, down, left or right, and never ends"
            " before the next square in its direction holds a rock or lies beyond the edge of the"
            f" board. The last slide has to end exactly on {goal}, which does not stop you by"
            f" itself. No more than {limit} may be made. The sign {ice} is a free"
            f" square, {rock} a rock.\n\n{board}",
        ),
        form="the directions of the slides in order, each as one letter: U for up, D for down, L"
        " for left, R for right; separated by spaces",
    )


def steps(lake: Lake) -> list[str]:
    """Where each slide ends."""
    here, lines = lake.start, []
    for move in solve(lake) or ():
        here = _rest(lake.ice, here, move)
        lines.append(f"{move}: to row {here[0] + 1} column {here[1] + 1}")
    return lines


def canon(lake: Lake) -> Board[str]:
    board = [list(line) for line in lake.ice]
    for sign, (row, column) in (("S", lake.start), ("G", lake.goal)):
        board[row][column] = sign
    return min(turns(board))


def hardness(lake: Lake) -> float:
    """Slides to find, on so large a lake."""
    return lake.limit + (len(lake.ice) + len(lake.ice[0])) / 4


def _rest(ice: tuple[str, ...], cell: Cell, way: str) -> Cell:
    """Where a slide ends: the last square of the straight stretch of ice ahead."""
    (row, column), (down, right) = cell, WAYS[way]
    stretch = 0
    lane = range(1, max(len(ice), len(ice[0])))
    for far in lane:
        there = row + far * down, column + far * right
        if min(there) < 0 or there[0] >= len(ice) or there[1] >= len(ice[0]):
            break
        if ice[there[0]][there[1]] == "#":
            break
        stretch = far
    return row + stretch * down, column + stretch * right


LADDER = (
    Knobs(5, 5, 0.15, 4),
    Knobs(6, 7, 0.15, 6),
    Knobs(8, 8, 0.15, 8),
    Knobs(11, 11, 0.15, 12),
    Knobs(15, 16, 0.15, 17),
)
FAMILY = Family(
    Lake,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Moves(),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="breadth-first search backwards from the goal",
    guess_rate=0.1,
    steps=steps,
    canon=canon,
    skills=("planning", "search", "spatial"),
)
