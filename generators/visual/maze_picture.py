"""Maze picture: a shortest way through a drawn maze.

`verify` walks the moves between the walls that the puzzle lists and compares their number with the
shortest; `recheck` asks that every single move come nearer to the goal; `solve` finds the walls in
the drawn picture.
"""

from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import Cell, beside, cells
from puzzlemill.generators.visual._drawing import area, asked, blank, disc
from puzzlemill.generators.visual._picture import INK, Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import INDEX, PALETTE

CELL = 28  # pixels
EDGE = 8
STEPS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # cells, both ways
    loops: float  # share of the walls that are left which are taken away again


@dataclass(frozen=True, slots=True)
class Maze:
    right: tuple[str, ...]  # of each cell, row by row: "." open to the right, "#" a wall
    down: tuple[str, ...]  # of each cell: open downwards, or a wall
    start: Cell
    goal: Cell


def generate(rng: Random, knobs: Knobs) -> Maze | None:
    side = knobs.side
    first = (rng.randrange(side), rng.randrange(side))
    opened: set[tuple[Cell, Cell]] = set()
    waiting, seen = [first], {first}
    while waiting:
        # Mostly on from the newest cell, which makes long corridors.
        place = -1 if rng.random() < 0.85 else rng.randrange(len(waiting))
        here = waiting[place]
        new = [cell for cell in beside(here, side, side) if cell not in seen]
        if not new:
            waiting.pop(place)
            continue
        there = rng.choice(new)
        opened |= {(here, there), (there, here)}
        seen.add(there)
        waiting.append(there)
    for here in cells(side, side):
        for there in beside(here, side, side):
            if here < there and (here, there) not in opened and rng.random() < knobs.loops:
                opened |= {(here, there), (there, here)}
    right, down = (
        tuple(
            "".join(".#"[((r, c), (r + dr, c + dc)) not in opened] for c in range(side))
            for r in range(side)
        )
        for dr, dc in ((0, 1), (1, 0))
    )
    start, goal = rng.sample(cells(side, side), 2)
    maze = Maze(right, down, start, goal)
    return maze if len(solve(maze) or ()) >= side else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(maze: Maze) -> tuple[str, ...] | None:
    """Breadth first through the gaps between the walls of the drawn picture."""
    page = _drawn(maze)
    came: dict[Cell, str] = {maze.start: ""}
    waiting = deque([maze.start])
    while waiting:
        row, column = waiting.popleft()
        if (row, column) == maze.goal:
            break
        y, x = (EDGE + CELL * step + CELL // 2 for step in (row, column))
        for move, (down, right) in STEPS.items():
            there = row + down, column + right
            if there not in came and page[y + down * CELL // 2, x + right * CELL // 2] != INK:
                came[there] = move
                waiting.append(there)
    if maze.goal not in came:
        return None
    moves, here = [], maze.goal
    while move := came[here]:
        moves.append(move)
        here = here[0] - STEPS[move][0], here[1] - STEPS[move][1]
    return tuple(reversed(moves))


def verify(maze: Maze, moves: tuple[str, ...]) -> float:
    here = maze.start
    for move in moves:
        if not _is_open(maze, here, move):
            return 0.0
        here = here[0] + STEPS[move][0], here[1] + STEPS[move][1]
    return float(here == maze.goal and len(moves) == _distances(maze)[maze.start])


def recheck(maze: Maze, moves: tuple[str, ...]) -> bool:
    far, (row, column) = _distances(maze), maze.start
    for move in moves:
        left = far[row, column]
        down, right = STEPS[move]
        wall = {
            "U": row and maze.down[row - 1][column],
            "D": maze.down[row][column],
            "L": column and maze.right[row][column - 1],
            "R": maze.right[row][column],
        }[move]
        row, column = row + down, column + right
        if wall != "." or far[row, column] >= left:
            return False
    return (row, column) == maze.goal


def render(maze: Maze, style: Style) -> Prompt:
    shown = (
        "The picture shows a maze of square cells; black lines are walls. A move goes up, down,"
        " left or right to the next cell, and may not cross a wall."
    )
    return Prompt(
        asked(style, shown, "Find a shortest way from the red disc to the blue square."),
        form="the moves of this way in order, each one of U, D, L, R (up, down, left, right),"
        " separated by spaces",
        images=(png(_drawn(maze), PALETTE),),
    )


def hardness(maze: Maze) -> float:
    return len(maze.right) ** 2 + len(solve(maze) or ())


def _is_open(maze: Maze, here: Cell, move: str) -> bool:
    row, column = here
    if move == "U":
        return row > 0 and maze.down[row - 1][column] == "."
    if move == "L":
        return column > 0 and maze.right[row][column - 1] == "."
    return (maze.down if move == "D" else maze.right)[row][column] == "."


def _distances(maze: Maze) -> dict[Cell, int]:
    """Moves from each cell to the goal, in waves."""
    far = {maze.goal: 0}
    wave = [maze.goal]
    while wave:
        wave = list(
            dict.fromkeys(
                (row + down, column + right)
                for row, column in wave
                for move, (down, right) in STEPS.items()
                if _is_open(maze, (row, column), move) and (row + down, column + right) not in far
            )
        )
        far |= dict.fromkeys(wave, max(far.values()) + 1)
    return far


@drawn_once
def _drawn(maze: Maze) -> Pixels:
    side = len(maze.right)
    long = side * CELL
    page = blank(long + 2 * EDGE, long + 2 * EDGE)
    for x0, y0, x1, y1 in ((0, 0, long, 0), (0, 0, 0, long)):
        area(page, EDGE + x0 - 1, EDGE + y0 - 1, EDGE + x1 + 2, EDGE + y1 + 2)
    for row, column in cells(side, side):
        x, y = EDGE + (column + 1) * CELL, EDGE + (row + 1) * CELL
        if maze.right[row][column] == "#":
            area(page, x - 1, y - CELL - 1, x + 2, y + 2)
        if maze.down[row][column] == "#":
            area(page, x - CELL - 1, y - 1, x + 2, y + 2)
    (y, x), (down, right) = (
        (EDGE + row * CELL + CELL // 2, EDGE + column * CELL + CELL // 2)
        for row, column in (maze.start, maze.goal)
    )
    disc(page, x, y, 8, INDEX["red"])
    area(page, right - 7, down - 7, right + 8, down + 8, INDEX["blue"])
    return page


LADDER = (Knobs(4, 0.1), Knobs(6, 0.1), Knobs(9, 0.06), Knobs(13, 0.05), Knobs(18, 0.04))
FAMILY = Family(
    Maze,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Moves(),
    hardness=hardness,
    proof="solved",
    solver="breadth-first search between the walls of the drawn picture",
    guess_rate=0.1,
    recheck=recheck,
    skills=("vision", "search"),
    theme="mazes",
    version=2,
)
