"""Paint copy: paint whole rows and columns, one over the other, until a pattern comes out.

Every way within the allowed number of strokes is right, so `verify` paints. `generate` paints lines
at random; `solve` goes backwards: the last stroke is a line of one colour, and what it covers may
have been anything before.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import Board, drawn, renumbered, turns
from puzzlemill.generators.planning._search import guided

COLOURS = ("red", "blue", "green", "yellow", "white")
LETTERS = "abcdefghij"
BLANK = "."

Stroke = tuple[str, str]  # the row's number or the column's letter, and the colour


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the pattern; rows and columns may change places
    columns: int  # of the pattern
    colours: int  # to paint with
    strokes: int  # made; of those that do not show in the end, none counts


@dataclass(frozen=True, slots=True)
class Pattern:
    colours: tuple[str, ...]
    squares: Board[str]  # the first letter of a colour, or a dot
    limit: int  # strokes allowed


def generate(rng: Random, knobs: Knobs) -> Pattern | None:
    rows, columns = rng.sample((knobs.rows, knobs.columns), 2)
    colours = tuple(rng.sample(COLOURS, knobs.colours))
    lines = [(False, row) for row in range(rows)] + [(True, column) for column in range(columns)]
    painted = rng.sample(lines, min(knobs.strokes, len(lines) - 1))
    board = [[BLANK] * columns for _ in range(rows)]
    stroke = [[-1] * columns for _ in range(rows)]
    for count, (upright, at) in enumerate(painted):
        colour = rng.choice(colours)[0]
        for other in range(rows if upright else columns):
            row, column = (other, at) if upright else (at, other)
            board[row][column], stroke[row][column] = colour, count
    shown = {count for line in stroke for count in line} - {-1}
    if len(shown) < 2:
        return None
    return Pattern(colours, tuple(map(tuple, board)), len(shown))


def solve(pattern: Pattern) -> tuple[Stroke, ...] | None:
    """A*, backwards: a state is the sets of rows and columns that are already taken away."""
    masks = {  # for each line, the lines across it in which each colour lies, as bits
        (upright, at): Counter({it: sum(1 << n for n, c in enumerate(line) if c == it)
                                for it in line})
        for upright, lines in ((False, pattern.squares), (True, tuple(zip(*pattern.squares))))
        for at, line in enumerate(lines)
    }  # fmt: skip

    def onward(state: tuple[int, int]) -> Iterator[tuple[tuple[bool, int, str], tuple[int, int]]]:
        for (upright, at), mask in masks.items():
            if state[upright] >> at & 1:
                continue
            left = [colour for colour, bits in mask.items() if bits & ~state[not upright]]
            if len(left) == 1 and left[0] != BLANK:
                gone = 1 << at
                then = (state[0], state[1] | gone) if upright else (state[0] | gone, state[1])
                yield (upright, at, left[0]), then

    def left(state: tuple[int, int]) -> int:
        """Squares of which no two lie in one line: each needs a stroke of its own."""
        count, taken = 0, state[1]
        for at, line in enumerate(pattern.squares):
            if not state[0] >> at & 1:
                for column, colour in enumerate(line):
                    if colour != BLANK and not taken >> column & 1:
                        taken |= 1 << column
                        count += 1
                        break
        return count

    found = guided((0, 0), lambda state: left(state) == 0, onward, left, pattern.limit)
    if found is None:
        return None
    named = {colour[0]: colour for colour in pattern.colours}
    return tuple(
        (LETTERS[at] if upright else str(at + 1), named[colour])
        for upright, at, colour in reversed(found)
    )


def verify(pattern: Pattern, strokes: tuple[Stroke, ...]) -> float:
    if len(strokes) > pattern.limit:
        return 0.0
    rows, columns = len(pattern.squares), len(pattern.squares[0])
    board = [[BLANK] * columns for _ in range(rows)]
    numbers = {str(row + 1): row for row in range(rows)}
    letters = {LETTERS[column]: column for column in range(columns)}
    for line, colour in strokes:
        if colour not in pattern.colours:
            return 0.0
        if line in numbers:
            board[numbers[line]] = [colour[0]] * columns
        elif line in letters:
            for row in board:
                row[letters[line]] = colour[0]
        else:
            return 0.0
    return float(board == list(map(list, pattern.squares)))


def recheck(pattern: Pattern, strokes: tuple[Stroke, ...]) -> bool:
    """Square by square: it has the colour of the later of the last strokes along its lines."""
    rows = [str(number) for number in range(1, len(pattern.squares) + 1)]
    columns = LETTERS[: len(pattern.squares[0])]
    last = {}
    for time, (line, colour) in enumerate(strokes):
        if line not in rows and line not in list(columns):
            return False
        if colour not in pattern.colours:
            return False
        last[line] = time, colour
    for row, squares in zip(rows, pattern.squares):
        for column, wanted in zip(columns, squares):
            over = max(last.get(row, (-1, BLANK)), last.get(column, (-1, BLANK)))
            if over[1][0] != wanted:
                return False
    return len(strokes) <= pattern.limit


def render(pattern: Pattern, style: Style) -> Prompt:
    rows, columns = len(pattern.squares), len(pattern.squares[0])
    head = " ".join(LETTERS[:columns])
    board = f"  {head}\n" + drawn(
        [[str(number), *line] for number, line in enumerate(pattern.squares, 1)]
    )
    key = ", ".join(f"{colour[0]} is {colour}" for colour in pattern.colours)
    colours = f"{', '.join(pattern.colours[:-1])} or {pattern.colours[-1]}"
    limit = f"{pattern.limit} stroke{'s' if pattern.limit > 1 else ''}"
    return Prompt(
        style.pick(
            f"A sheet of {rows} rows (1 to {rows}, from the top) and {columns} columns"
            f" ({LETTERS[0]} to {LETTERS[columns - 1]}, from the left) is blank. A stroke paints"
            f" all squares of one row or one column in one colour ({colours}), over whatever is"
            f" there. Make this pattern with at most {limit}:\n\n{board}\n\nHere {key}, and a dot"
            " is a square that is still blank.",
            f"This is how a sheet of squares should look:\n\n{board}\n\nHere {key}, and"
            f" {BLANK} stands for no paint. At first no square has any paint. You can only paint a"
            f" complete row or a complete column at a time, in {colours}; new paint covers the old."
            f" Which {limit} or fewer, in which order, give this picture?",
            f"Copy a picture by painting whole lines, rows as well as columns. Every stroke fills"
            f" one line from end to end with a single colour ({colours}), and hides what was"
            f" painted there before. You start with an empty sheet, and no more than {limit} are"
            f" allowed. The picture ({key}; dots are unpainted), with the names of its rows and"
            f" columns:\n\n{board}",
        ),
        form="the strokes in order, each a pair in brackets of the row's number or the column's"
        f" letter and the colour in full, as in (2, {pattern.colours[0]}) for a row and"
        f" (b, {pattern.colours[0]}) for a column",
    )


def steps(pattern: Pattern) -> list[str]:
    """The sheet after each stroke, row by row."""
    rows, columns = len(pattern.squares), len(pattern.squares[0])
    board = [[BLANK] * columns for _ in range(rows)]
    lines = []
    for line, colour in solve(pattern) or ():
        for row in range(rows):
            for column in range(columns):
                if line in (str(row + 1), LETTERS[column]):
                    board[row][column] = colour[0]
        lines.append(f"{line} {colour}: {' / '.join(map(''.join, board))}")
    return lines


def canon(pattern: Pattern) -> object:
    """The least of all turns and reflections, with a number for each colour."""
    blank = ((BLANK,),)
    images = (renumbered(blank + board) for board in turns(pattern.squares))
    return min(images), pattern.limit


def hardness(pattern: Pattern) -> float:
    """Strokes to find, among so many lines."""
    return pattern.limit + (len(pattern.squares) + len(pattern.squares[0])) / 2


LADDER = (
    Knobs(3, 4, 3, 4),
    Knobs(5, 5, 3, 6),
    Knobs(5, 5, 3, 7),
    Knobs(6, 6, 3, 9),
    Knobs(7, 8, 4, 12),
)
FAMILY = Family(
    Pattern,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs(items="words"),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="A* from the last stroke to the first",
    guess_rate=0.03,
    steps=steps,
    canon=canon,
    skills=("planning", "spatial"),
    peers=("KORGym/7-black_white_copy",),
)
