"""Dice rolling: a die is tipped from square to square; what shows on it in the end, or on the way.

A roll that would leave the board or enter a wall is left out, so that path and die hang together.
`solve` rolls the die; `verify` walks the path first and then turns, for each number asked for, the
face's direction backwards through all the rolls to where it was at the start.
"""

from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators._cells import Cell, cells

WAYS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
BACK = {"N": "S", "S": "N", "E": "W", "W": "E"}
NAMES = {"N": "north", "E": "east", "S": "south", "W": "west"}

# The faces at the end, or the numbers on top on the marked squares that it comes to rest on.
Ask = Literal["end", "marks"]
Pips = Literal["usual", "own"]
# Where the number comes from that is now on top, bottom, north, south, east, west.
TIPPED = {
    "N": (3, 2, 0, 1, 4, 5),
    "S": (2, 3, 1, 0, 4, 5),
    "E": (5, 4, 2, 3, 0, 1),
    "W": (4, 5, 2, 3, 1, 0),
}
FACING = ((0, 0, 1), (0, 0, -1), (-1, 0, 0), (1, 0, 0), (0, 1, 0), (0, -1, 0))


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board
    rolls: int  # of the die, those that fail among them
    walls: float  # share of the squares
    pips: Pips  # how the numbers lie on the die
    ask: Ask


@dataclass(frozen=True, slots=True)
class Board:
    squares: tuple[str, ...]  # . is free, # a wall, * marked
    start: Cell
    die: tuple[int, ...]  # on top, bottom, north, south, east, west
    path: str
    ask: Ask


def generate(rng: Random, knobs: Knobs) -> Board | None:
    places = cells(knobs.side, knobs.side)
    walls = set(rng.sample(places, int(knobs.walls * len(places))))
    start = rng.choice([cell for cell in places if cell not in walls])
    here, path, visits, bumps = start, "", [start], 0
    for _ in range(knobs.rolls):
        on = [way for way in WAYS if _next(here, way, knobs.side, walls) != here]
        off = [way for way in WAYS if way not in on]
        if not on:
            return None
        onward = [way for way in on if path[-1:] != BACK[way]]
        bumped = bool(knobs.walls and off and bumps < len(path) // 4 and rng.random() < 0.5)
        way = rng.choice(off if bumped else onward or on)
        bumps += bumped
        path += way
        if not bumped:
            here = _next(here, way, knobs.side, walls)
            visits.append(here)
    marks: list[Cell] = []
    if knobs.ask == "marks":
        order = sorted(set(visits[1:]))
        rng.shuffle(order)
        while order and sum(visits[1:].count(cell) for cell in marks) < 2 + knobs.rolls // 5:
            marks.append(order.pop())
        if sum(visits[1:].count(cell) for cell in marks) < 2:
            return None
        marks += [cell for cell in places if cell not in visits and rng.random() < 0.15]
    squares = tuple(
        "".join(
            "#" if (row, column) in walls else ".*"[(row, column) in marks]
            for column in range(knobs.side)
        )
        for row in range(knobs.side)
    )
    return Board(squares, start, _die(rng, knobs.pips), path, knobs.ask)


def solve(board: Board) -> tuple[int, ...]:
    """Rolls the die."""
    die, (row, column), seen = board.die, board.start, []
    side = len(board.squares)
    for way in board.path:
        down, right = WAYS[way]
        to = (row + down, column + right)
        if min(to) < 0 or max(to) >= side or board.squares[to[0]][to[1]] == "#":
            continue
        row, column = to
        die = tuple(die[source] for source in TIPPED[way])
        if board.squares[row][column] == "*":
            seen.append(die[0])
    return tuple(seen) if board.ask == "marks" else (die[0], die[2], die[4])


def verify(board: Board, numbers: tuple[int, ...]) -> float:
    walls = {
        (row, column)
        for row, line in enumerate(board.squares)
        for column, sign in enumerate(line)
        if sign == "#"
    }
    visits = [board.start]
    for way in board.path:
        visits.append(_next(visits[-1], way, len(board.squares), walls))
    rolls = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(visits) if a != b]
    if board.ask == "end":
        looks = [(len(rolls), FACING[face]) for face in (0, 2, 4)]
    else:
        rests = [board.start, *(b for a, b in pairwise(visits) if a != b)]
        looks = [
            (count, FACING[0])
            for count, (row, column) in enumerate(rests)
            if count and board.squares[row][column] == "*"
        ]
    if len(numbers) != len(looks):
        return 0.0
    for number, (count, facing) in zip(numbers, looks):
        for roll in reversed(rolls[:count]):
            facing = _before(facing, roll)
        if number != board.die[FACING.index(facing)]:
            return 0.0
    return 1.0


def render(board: Board, style: Style) -> Prompt:
    top, bottom, north, south, east, west = board.die
    picture = "\n".join(board.squares)
    row, column = board.start[0] + 1, board.start[1] + 1
    path = " ".join(board.path)
    walls = any("#" in line for line in board.squares)
    faces = style.pick(
        f"{top} is on top, {bottom} at the bottom, {north} on the north side, {south} on the south"
        f" side, {east} on the east side and {west} on the west side",
        f"its top shows {top}, its bottom {bottom}, its north face {north}, its south face {south},"
        f" its east face {east} and its west face {west}",
        f"top {top}, bottom {bottom}, north {north}, east {east}, south {south}, west {west}",
    )
    blocked = style.pick(
        "A roll that would take the die off the board"
        f"{' or onto a wall (#)' if walls else ''} does not happen: the die stays as it is, and the"
        " next roll follows.",
        f"Should a roll lead off the board{' or into a wall (#)' if walls else ''}, it is skipped,"
        " and the die does not move.",
    )
    if board.ask == "end":
        asked = style.pick(
            "Which numbers are on its top, its north side and its east side after the last roll?",
            "In the end, what does the die show on top, on the north side and on the east side?",
        )
        form = "three integers separated by commas: top, north side, east side"
    else:
        asked = style.pick(
            "Each time the die has been rolled onto a marked square (*), the number on its top is"
            " written down. Which numbers are written?",
            "Whenever a roll ends on a square marked *, the number that is then on top is noted."
            " Which numbers are noted, in order?",
        )
        form = (
            "the numbers in the order in which they are written down, repeats included, separated"
            " by commas"
        )
    return Prompt(
        style.pick(
            f"A die stands on row {row}, column {column} of this board (rows are counted from the"
            f" top, columns from the left, both from 1; north is up):\n\n{picture}\n\nAt the start"
            f" {faces}. A roll tips the die over one edge onto the next square to the north (N),"
            f" east (E), south (S) or west (W); so on a roll to the east the face that was on top"
            f" comes to the east side. {blocked} These are the rolls, in order:\n{path}\n{asked}",
            f"{picture}\n\nThis is a board with north at the top. On it lies a die whose faces"
            f" carry numbers: {faces}. It starts in row {row} (from the top) and column {column}"
            f" (from the left), counted from 1, and is rolled without sliding, a square at a time,"
            f" to the north, east, south or west: {path}. Rolling it north, for instance, brings"
            f" the top face to the north side. {blocked} {asked}",
            f"Somebody rolls a die over a board by tipping it over its edges: {path} (N north, E"
            f" east, S south, W west, each by one square). The board, north up:\n\n{picture}\n\n"
            f"The die begins on the square in row {row} and column {column}, where row 1 is the"
            f" northernmost and column 1 the westernmost. Then: {faces}. When the die is tipped"
            f" towards a side, the face on that side becomes the bottom. {blocked} {asked}",
        ),
        form=form,
    )


def steps(board: Board) -> list[str]:
    """The die after each roll."""
    lines, path = [], ""
    for way in board.path:
        path += way
        at = Board(board.squares, board.start, board.die, path, "end")
        before = Board(board.squares, board.start, board.die, path[:-1], "end")
        top, north, east = solve(at)
        if (top, north, east) == solve(before):
            lines.append(f"{NAMES[way]}: no roll")
        else:
            lines.append(f"{NAMES[way]}: top {top}, north {north}, east {east}")
    return lines


def progress(board: Board, lines: Lines) -> float:
    return states_followed(FAMILY, board, lines)


def hardness(board: Board) -> float:
    return len(board.path) * (1.5 if board.ask == "marks" else 1)


def _die(rng: Random, pips: Pips) -> tuple[int, ...]:
    if pips == "own":
        return tuple(rng.sample(range(1, 100), 6))
    pairs = [(1, 6), (2, 5), (3, 4)]
    rng.shuffle(pairs)
    (top, bottom), (north, south), (east, west) = (
        pair if rng.random() < 0.5 else pair[::-1] for pair in pairs
    )
    return top, bottom, north, south, east, west


def _next(here: Cell, way: str, side: int, walls: set[Cell]) -> Cell:
    """Where a roll ends; the same square where it cannot be done."""
    down, right = WAYS[way]
    to = (here[0] + down, here[1] + right)
    return to if 0 <= to[0] < side and 0 <= to[1] < side and to not in walls else here


def _before(facing: tuple[int, int, int], roll: Cell) -> tuple[int, int, int]:
    """The direction (south, east, up) that a face had before a roll, by the one it has after."""
    down, right, up = facing
    along = down * roll[0] + right * roll[1]
    flat = (down - along * roll[0], right - along * roll[1])
    # What has been rolled ahead was on top; what is on top now was behind.
    return flat[0] - up * roll[0], flat[1] - up * roll[1], along


LADDER = (
    Knobs(3, 2, 0.0, "usual", "end"),
    Knobs(4, 6, 0.0, "own", "end"),
    Knobs(5, 12, 0.1, "own", "end"),
    Knobs(6, 25, 0.15, "own", "marks"),
    Knobs(8, 60, 0.2, "own", "marks"),
    Knobs(9, 120, 0.2, "own", "marks"),
)
FAMILY = Family(
    Board,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    hardness=hardness,
    proof="unique",
    solver="rolling the die",
    guess_rate=0.05,
    steps=steps,
    progress=progress,
    skills=("spatial", "state tracking"),
    version=2,
)
