"""Maze: walk from the start to the goal by a shortest way.

Every walk within the allowed number of steps is right, so `verify` walks it. A maze with only one
way from place to place would need no comparing of ways, so some walls are opened. `generate`
measures by spreading out from the start; `solve` searches by the distance as the crow flies.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import way_travelled
from puzzlemill.generators._cells import SIDES, Board, Cell, beside, cells, turns
from puzzlemill.generators.planning._search import guided

WAYS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
STRETCH = r"(\d{1,3}) (up|down|left|right)\b"


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of rooms; between two there is a wall or a passage
    columns: int  # of rooms
    openings: float  # share of the rooms for each of which a wall more is opened


@dataclass(frozen=True, slots=True)
class Maze:
    plan: tuple[str, ...]  # . can be walked on; # is wall, and surrounds it
    start: Cell
    goal: Cell
    limit: int  # steps allowed


def generate(rng: Random, knobs: Knobs) -> Maze:
    """Start and goal are far apart: of some rooms the farthest from a room, then from that one."""
    rows, columns = rng.sample((knobs.rows, knobs.columns), 2)
    plan = _plan(rng, rows, columns, round(knobs.openings * rows * columns))
    rooms = [(2 * row + 1, 2 * column + 1) for row, column in cells(rows, columns)]
    start = rng.choice(rooms)
    away = _away(plan, start)
    goal = max(rng.sample(rooms, (len(rooms) + 2) // 3), key=lambda room: away[room])
    if goal == start:
        goal = rooms[0] if start != rooms[0] else rooms[-1]
    return Maze(plan, start, goal, away[goal])


def solve(maze: Maze) -> tuple[str, ...] | None:
    """A*: as many steps are left, at least, as there are rows and columns between."""

    def onward(cell: Cell) -> Iterator[tuple[str, Cell]]:
        row, column = cell
        for way, (down, right) in WAYS.items():
            if maze.plan[row + down][column + right] != "#":
                yield way, (row + down, column + right)

    found = guided(
        maze.start,
        lambda cell: cell == maze.goal,
        onward,
        lambda cell: abs(cell[0] - maze.goal[0]) + abs(cell[1] - maze.goal[1]),
        maze.limit,
    )
    return tuple(found) if found is not None else None


def verify(maze: Maze, moves: tuple[str, ...]) -> float:
    if len(moves) > maze.limit:
        return 0.0
    row, column = maze.start
    for move in moves:
        row += {"U": -1, "D": 1}.get(move, 0)
        column += {"L": -1, "R": 1}.get(move, 0)
        if maze.plan[row][column] == "#":
            return 0.0
    return float((row, column) == maze.goal)


def recheck(maze: Maze, moves: tuple[str, ...]) -> bool:
    """Along the plan as one line, where a step up or down is one row's length."""
    width = len(maze.plan[0])
    line = "".join(maze.plan)
    step = {"U": -width, "D": width, "L": -1, "R": 1}
    places = [maze.start[0] * width + maze.start[1]]
    for move in moves:
        places.append(places[-1] + step[move])
        if line[places[-1]] == "#":
            return False
    return len(moves) <= maze.limit and divmod(places[-1], width) == maze.goal


def render(maze: Maze, style: Style) -> Prompt:
    wall, floor, start, goal = tuple(style.pick("#.SG", "X-AB", "#_SE", "W.AZ", "@+SG"))
    board = "\n".join(
        "".join(
            start
            if (row, column) == maze.start
            else goal
            if (row, column) == maze.goal
            else wall
            if sign == "#"
            else floor
            for column, sign in enumerate(line)
        )
        for row, line in enumerate(maze.plan)
    )
    limit = f"{maze.limit} step{'s' if maze.limit > 1 else ''}"
    return Prompt(
        style.pick(
            f"A maze, seen from above ({wall} is wall, {floor} is floor):\n\n{board}\n\nWalk from"
            f" {start} to {goal}. Each step takes you to the square directly above, below, left or"
            f" right of yours, never onto a wall. You may take at most {limit}, which is enough"
            " for a shortest way.",
            f"{board}\n\nThis is the plan of a maze. {wall} marks walls, {floor} squares that can"
            f" be walked on, {start} where you are, and {goal} where you want to be. You go one"
            " square at a time, up, down, left or right; walls cannot be entered. Find a way of no"
            f" more than {limit}.",
            f"How does one get from {start} to {goal} in {limit} or fewer? One step leads to a"
            " neighbouring square (up, down, left, right; not diagonally) that is not a wall."
            f" Signs: {wall} wall, {floor} free square.\n\n{board}",
        ),
        form="the steps in order, each as one letter: U for up, D for down, L for left, R for"
        " right; separated by spaces",
    )


def steps(maze: Maze) -> list[str]:
    """The way, straight stretch by straight stretch."""
    words = {"U": "up", "D": "down", "L": "left", "R": "right"}
    (row, column), lines, count = maze.start, list[str](), 0
    moves = solve(maze) or ()
    for place, move in enumerate(moves):
        row, column = row + WAYS[move][0], column + WAYS[move][1]
        count += 1
        if moves[place + 1 : place + 2] != (move,):
            lines.append(f"{count} {words[move]}, to row {row + 1} column {column + 1}")
            count = 0
    return lines


def progress(maze: Maze, lines: Lines) -> float:
    return way_travelled(FAMILY, maze, lines, _onward, STRETCH, _stretch)


def _stretch(match: re.Match[str]) -> list[str]:
    return [match[2][0].upper()] * int(match[1])


def _onward(maze: Maze, move: str) -> Maze | None:
    there = maze.start[0] + WAYS[move][0], maze.start[1] + WAYS[move][1]
    wall = maze.plan[there[0]][there[1]] == "#"
    return None if wall else replace(maze, start=there, limit=maze.limit - 1)


def canon(maze: Maze) -> Board[str]:
    board = [list(line) for line in maze.plan]
    for sign, (row, column) in (("S", maze.start), ("G", maze.goal)):
        board[row][column] = sign
    return min(turns(board))


def hardness(maze: Maze) -> float:
    """Steps to take, past so many squares."""
    return maze.limit + len(maze.plan) * len(maze.plan[0]) / 10


def _plan(rng: Random, rows: int, columns: int, openings: int) -> tuple[str, ...]:
    """All rooms joined by digging on from the last room, or one somewhere before it."""
    plan = [["#"] * (2 * columns + 1) for _ in range(2 * rows + 1)]
    room = rng.randrange(rows), rng.randrange(columns)
    trail, seen = [room], {room}
    plan[2 * room[0] + 1][2 * room[1] + 1] = "."
    while trail:
        at = -1 if rng.random() < 0.9 else rng.randrange(len(trail))
        row, column = trail[at]
        fresh = [room for room in beside((row, column), rows, columns) if room not in seen]
        if not fresh:
            trail.pop(at)
            continue
        down, right = room = rng.choice(fresh)
        seen.add(room)
        trail.append(room)
        plan[2 * down + 1][2 * right + 1] = plan[row + down + 1][column + right + 1] = "."
    walls = [
        (row, column)
        for row, column in cells(2 * rows + 1, 2 * columns + 1)
        if row % 2 != column % 2
        and 0 < row < 2 * rows
        and 0 < column < 2 * columns
        and plan[row][column] == "#"
    ]
    for row, column in rng.sample(walls, min(openings, len(walls))):
        plan[row][column] = "."
    return tuple(map("".join, plan))


def _away(plan: tuple[str, ...], start: Cell) -> dict[Cell, int]:
    """How many steps from the start each square is."""
    away, border = {start: 0}, [start]
    for row, column in border:  # which grows meanwhile
        for down, right in SIDES:
            there = row + down, column + right
            if there not in away and plan[there[0]][there[1]] != "#":
                away[there] = away[row, column] + 1
                border.append(there)
    return away


LADDER = (
    Knobs(3, 3, 0.0),
    Knobs(4, 5, 0.1),
    Knobs(6, 7, 0.15),
    Knobs(9, 10, 0.15),
    Knobs(13, 14, 0.2),
    Knobs(18, 18, 0.2),
)
FAMILY = Family(
    Maze,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Moves(),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="A* by Manhattan distance",
    guess_rate=0.05,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("planning", "search", "spatial"),
    peers=(
        "reasoning-gym/maze",
        "Enigmata/maze",
        "InternBootcamp/maze",
        "RLVE/maze",
        "KORGym/11-maze",
    ),
    theme="mazes",
    version=2,
)
