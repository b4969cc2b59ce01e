"""Maze: walk from the start to the goal by a shortest way.

Every walk within the allowed number of steps is right, so `verify` walks it. A maze with only one
way from place to place would need no comparing of ways, so some walls are opened. `generate`
measures by spreading out from the start; `solve` searches by the distance as the crow flies.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import way_travelled
from puzzlemill.generators._cells import Board, Cell, beside, cells, turns
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
    rooms = list(_near(rows, columns))
    start = rng.choice(rooms)
    wide = 2 * columns + 1
    away = _away(plan, wide, start)
    goal = max(rng.sample(rooms, (len(rooms) + 2) // 3), key=lambda room: away[room])
    if goal == start:
        goal = rooms[0] if start != rooms[0] else rooms[-1]
    lines = tuple(plan[at : at + wide] for at in range(0, len(plan), wide))
    return Maze(lines, divmod(start, wide), divmod(goal, wide), away[goal])


def solve(maze: Maze) -> tuple[str, ...] | None:
    """A*: as many steps are left, at least, as there are rows and columns between."""

    wide = len(maze.plan[0])
    plan, (bottom, right) = "".join(maze.plan), maze.goal
    ways = [(way, down * wide + aside) for way, (down, aside) in WAYS.items()]

    def onward(place: int) -> list[tuple[str, int]]:
        return [(way, place + step) for way, step in ways if plan[place + step] != "#"]

    def left(place: int) -> int:
        return abs(place // wide - bottom) + abs(place % wide - right)

    start, goal = (row * wide + column for row, column in (maze.start, maze.goal))
    found = guided(start, lambda place: place == goal, onward, left, maze.limit)
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
    signs = [*"\n".join(maze.plan).translate({ord("#"): wall, ord("."): floor})]
    for sign, (row, column) in ((goal, maze.goal), (start, maze.start)):
        signs[row * (len(maze.plan[0]) + 1) + column] = sign
    board = "".join(signs)
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


def _plan(rng: Random, rows: int, columns: int, openings: int) -> str:
    """All rooms joined by digging on from the last room, or one somewhere before it.

    A place of the plan is its number, line by line.
    """
    wide, near = 2 * columns + 1, _near(rows, columns)
    plan = ["#"] * (wide * (2 * rows + 1))
    room = (2 * rng.randrange(rows) + 1) * wide + 2 * rng.randrange(columns) + 1
    trail = [room]
    plan[room] = "."
    while trail:
        at = -1 if rng.random() < 0.9 else rng.randrange(len(trail))
        here = trail[at]
        fresh = [room for room in near[here] if plan[room] == "#"]
        if not fresh:
            trail.pop(at)
            continue
        room = rng.choice(fresh)
        trail.append(room)
        plan[room] = plan[(here + room) // 2] = "."
    walls = [place for place in _walls(rows, columns) if plan[place] == "#"]
    for place in rng.sample(walls, min(openings, len(walls))):
        plan[place] = "."
    return "".join(plan)


@lru_cache(maxsize=64)
def _near(rows: int, columns: int) -> dict[int, list[int]]:
    """The rooms beside each room, as places of the plan."""
    wide = 2 * columns + 1
    return {
        (2 * row + 1) * wide + 2 * column + 1: [
            (2 * down + 1) * wide + 2 * right + 1
            for down, right in beside((row, column), rows, columns)
        ]
        for row, column in cells(rows, columns)
    }


@lru_cache(maxsize=64)
def _walls(rows: int, columns: int) -> list[int]:
    """The places between two rooms, line by line."""
    near = _near(rows, columns)
    return sorted({(room + other) // 2 for room, others in near.items() for other in others})


def _away(plan: str, wide: int, start: int) -> dict[int, int]:
    """How many steps from the start each place is."""
    away, border = {start: 0}, [start]
    for place in border:  # which grows meanwhile
        for there in (place - wide, place + 1, place + wide, place - 1):
            if plan[there] != "#" and there not in away:
                away[there] = away[place] + 1
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
