"""Shifting rows: turn a board into another by shifting whole rows and columns round.

Every way within the allowed number of shifts is right, so `verify` shifts the answer's rows and
columns. `generate` shifts the goal about, so that no board is out of reach (on a board with odd
sides a shift is an even permutation, and half of all boards are); `solve` searches from both ends.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import way_travelled
from puzzlemill.generators._cells import Board, drawn, renumbered
from puzzlemill.generators.planning._search import from_both_ends

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXY"
LARGEST = 5  # rows or columns
BACK = {"L": "R", "R": "L", "U": "D", "D": "U"}


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the board
    columns: int  # of the board
    letters: int  # different ones
    shifts: int  # by which the goal was scrambled; fewer may do


@dataclass(frozen=True, slots=True)
class Boards:
    start: Board[str]
    goal: Board[str]
    limit: int  # shifts allowed


def generate(rng: Random, knobs: Knobs) -> Boards | None:
    size = knobs.rows * knobs.columns
    letters = rng.sample(LETTERS, min(knobs.letters, size))
    flat = (letters * size)[:size]
    rng.shuffle(flat)
    goal = tuple(tuple(flat[at : at + knobs.columns]) for at in range(0, size, knobs.columns))
    moves = _moves(knobs.rows, knobs.columns)
    board, seen = goal, {goal}
    for _ in range(knobs.shifts):
        boards = [_shifted(board, move) for move in moves]
        fresh = [it for it in boards if it not in seen]
        if not fresh:
            return None
        board = rng.choice(fresh)
        seen.update(boards)  # else it could be come to by fewer shifts
    return Boards(board, goal, knobs.shifts)


def solve(boards: Boards) -> tuple[str, ...] | None:
    """Breadth first from both ends, on the letters as one line."""
    rows, columns = len(boards.start), len(boards.start[0])
    tables = {}  # for each move, the place that each letter comes from
    for move in _moves(rows, columns):
        step = 1 if move[0] in "LU" else -1
        number = int(move[1]) - 1
        source = list(range(rows * columns))
        for place in source:
            row, column = divmod(place, columns)
            if move[0] in "LR" and row == number:
                source[place] = row * columns + (column + step) % columns
            elif move[0] in "UD" and column == number:
                source[place] = (row + step) % rows * columns + column
        tables[move] = bytes(source)

    def onward(line: bytes) -> Iterator[tuple[str, bytes]]:
        table = line.ljust(256)
        for move, source in tables.items():
            yield move, source.translate(table)

    def backward(line: bytes) -> Iterator[tuple[str, bytes]]:
        return ((BACK[move[0]] + move[1], before) for move, before in onward(line))

    start, goal = ("".join(map("".join, board)).encode() for board in (boards.start, boards.goal))
    found = from_both_ends(start, goal, onward, backward, boards.limit)
    return tuple(found) if found is not None else None


def verify(boards: Boards, moves: tuple[str, ...]) -> float:
    rows, columns = len(boards.start), len(boards.start[0])
    if len(moves) > boards.limit:
        return 0.0
    board = [list(row) for row in boards.start]
    for move in moves:
        way, number = move[0], int(move[1]) - 1
        if number >= (rows if way in "LR" else columns):
            return 0.0
        if way in "LR":
            line = deque(board[number])
            line.rotate(1 if way == "R" else -1)
            board[number] = list(line)
        else:
            line = deque(row[number] for row in board)
            line.rotate(1 if way == "D" else -1)
            for row, letter in zip(board, line):
                row[number] = letter
    return float(board == [list(row) for row in boards.goal])


def recheck(boards: Boards, moves: tuple[str, ...]) -> bool:
    """Letter by letter: where each one ends up, wherever the others go."""
    rows, columns = len(boards.start), len(boards.start[0])
    if any(int(move[1]) > (rows if move[0] in "LR" else columns) for move in moves):
        return False
    for top, line in enumerate(boards.start):
        for left, letter in enumerate(line):
            row, column = top, left
            for move in moves:
                if move in (f"R{row + 1}", f"L{row + 1}"):
                    column = (column + (1 if move[0] == "R" else columns - 1)) % columns
                elif move in (f"D{column + 1}", f"U{column + 1}"):
                    row = (row + (1 if move[0] == "D" else rows - 1)) % rows
            if boards.goal[row][column] != letter:
                return False
    return len(moves) <= boards.limit


def render(boards: Boards, style: Style) -> Prompt:
    rows, columns = len(boards.start), len(boards.start[0])
    start, goal = drawn(boards.start), drawn(boards.goal)
    limit = f"{boards.limit} shift{'s' if boards.limit > 1 else ''}"
    return Prompt(
        style.pick(
            f"A board of {rows} rows and {columns} columns:\n\n{start}\n\nA shift moves all letters"
            " of one row one place to the left or to the right, or all letters of one column one"
            " place up or down; the letter that leaves the board at one end comes back in at the"
            f" other end. Turn it into this board with at most {limit}:\n\n{goal}\n\nRows are"
            " numbered from top to bottom and columns from left to right, both from 1.",
            f"Now:\n{start}\n\nGoal:\n{goal}\n\nYou may shift whole rows (left or right) and whole"
            " columns (up or down), by one place at a time. They wrap round: what is pushed out at"
            f" one end enters again at the opposite end. Get from the board above to the goal in"
            f" {limit} or fewer. Row 1 is the top row; column 1 is the leftmost column.",
            f"By shifting rows and columns round, the board\n\n{start}\n\nis to be changed into\n\n"
            f"{goal}\n\nEach shift turns a single row or a single column round by one place, and"
            " the letter that is pushed out at one end comes back at the other. How can it be"
            f" done? No more than {limit} may be used. The top row and the leftmost column have"
            " the number 1.",
        ),
        form="the shifts in order, separated by spaces, each as a letter and a number: Rn for row n"
        " to the right, Ln for row n to the left, Dn for column n down, Un for column n up",
    )


def steps(boards: Boards) -> list[str]:
    """The board after each shift, row by row."""
    board, lines = boards.start, []
    for move in solve(boards) or ():
        board = _shifted(board, move)
        lines.append(f"{move}: {' / '.join(' '.join(row) for row in board)}")
    return lines


def progress(boards: Boards, lines: Lines) -> float:
    return way_travelled(FAMILY, boards, lines, _onward, r"([LRUD]\d): ")


def _onward(boards: Boards, move: str) -> Boards | None:
    if move not in _moves(len(boards.start), len(boards.start[0])):
        return None
    return replace(boards, start=_shifted(boards.start, move), limit=boards.limit - 1)


def canon(boards: Boards) -> Any:
    """Which letters they are makes no difference."""
    return renumbered(boards.start + boards.goal), boards.limit


def hardness(boards: Boards) -> float:
    """What there is to search: so many shifts, each one of so many."""
    return boards.limit * (len(boards.start) + len(boards.start[0]))


def _moves(rows: int, columns: int) -> list[str]:
    across = [f"{way}{row + 1}" for row in range(rows) for way in "LR"]
    return across + [f"{way}{column + 1}" for column in range(columns) for way in "UD"]


def _shifted(board: Board[str], move: str) -> Board[str]:
    if move[0] in "UD":
        turned = _shifted(tuple(zip(*board)), ("L" if move[0] == "U" else "R") + move[1])
        return tuple(zip(*turned))
    number = int(move[1]) - 1
    row = board[number]
    moved = (*row[1:], row[0]) if move[0] == "L" else (row[-1], *row[:-1])
    return (*board[:number], moved, *board[number + 1 :])


LADDER = (
    Knobs(3, 3, 4, 2),
    Knobs(3, 3, 6, 3),
    Knobs(3, 4, 9, 4),
    Knobs(4, 4, 12, 5),
    Knobs(4, 4, 16, 6),
    Knobs(5, 5, 25, 6),
)
FAMILY = Family(
    Boards,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Moves(tuple(_moves(LARGEST, LARGEST))),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="breadth-first search from both ends",
    guess_rate=0.03,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("planning", "search", "spatial"),
    peers=("Enigmata/nine_puzzle", "Enigmata/sixteen_puzzle", "RLVE/nine_puzzle"),
    version=2,
)
