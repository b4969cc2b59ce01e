"""Spiral: read a matrix along a spiral from one of its corners.

`solve` walks cell by cell and turns where it cannot go on. `verify` does not walk: it cuts the
matrix into its rings, and each ring into its four sides. Both keep the order of a shape's cells.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.grid import in_lines, in_rows
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators import _cells

Rows = tuple[tuple[int, ...], ...]

CORNERS = ("top left", "top right", "bottom right", "bottom left")  # clockwise
# The directions, clockwise, as (down, right).
HEADINGS = ((0, 1), (1, 0), (0, -1), (-1, 0))
VALUES = tuple(range(100))
NAMES = ("to the right", "downwards", "to the left", "upwards")


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the matrix; rows and columns may change places
    columns: int  # of the matrix
    twists: float  # share of puzzles that start in another corner or turn the other way
    outward: float  # share of puzzles that ask for the list from the inner end


@dataclass(frozen=True, slots=True)
class Matrix:
    rows: Rows
    corner: int  # where the spiral begins: a place in CORNERS
    clockwise: bool
    outward: bool  # whether the list is read from the spiral's inner end


def generate(rng: Random, knobs: Knobs) -> Matrix:
    high, wide = knobs.rows, knobs.columns
    if rng.random() < 0.5:
        high, wide = wide, high
    numbers = tuple(rng.choices(VALUES[:10] if high * wide < 40 else VALUES, k=high * wide))
    corner, clockwise = 0, True
    if rng.random() < knobs.twists:
        corner, clockwise = rng.randrange(4), rng.random() < 0.5
    return Matrix(in_rows(numbers, wide), corner, clockwise, rng.random() < knobs.outward)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(matrix: Matrix) -> tuple[int, ...]:
    rows = matrix.rows
    read = tuple([rows[row][column] for row, column in _walk(matrix)])
    return read[::-1] if matrix.outward else read


def verify(matrix: Matrix, said: tuple[int, ...]) -> float:
    numbers = [*chain.from_iterable(matrix.rows)]
    shape = len(matrix.rows), len(matrix.rows[0])
    read = [numbers[place] for place in _peeled(*shape, matrix.corner, matrix.clockwise)]
    if matrix.outward:
        read.reverse()
    return float(list(said) == read)


def render(matrix: Matrix, style: Style) -> Prompt:
    board = in_lines(matrix.rows)
    corner, way = CORNERS[matrix.corner], "clockwise" if matrix.clockwise else "counterclockwise"
    first = NAMES[_heading(matrix)]
    if matrix.outward:
        order = style.pick(
            "Give the numbers in the opposite order: the list begins with the last cell of the"
            " spiral, inside, and ends with the corner.",
            "Then reverse the list, so that the innermost end of the spiral comes first and the"
            " corner last.",
            "Write down what the spiral reads backwards, from its inner end out to the corner.",
        )
    else:
        order = style.pick(
            "Give the numbers in the order in which the spiral meets them.",
            "List them all, the corner first.",
            "Write down what the spiral reads, from the corner to its inner end.",
        )
    return Prompt(
        style.pick(
            f"{board}\n\nA spiral runs {way} through this matrix: it starts in the {corner} corner,"
            f" goes {first} along the edge, and turns whenever the next cell is outside or already"
            f" visited, until it has visited every cell. {order}",
            f"Peel this matrix like an onion, {way}, from its {corner} corner, beginning"
            f" {first}: first the outermost ring, all the way around, then the next ring inside it,"
            f" and so on to the centre.\n\n{board}\n\n{order}",
            f"Read the matrix below in a {way} spiral that winds inwards. It begins at the {corner}"
            f" corner and sets out {first}; it always goes straight on as long as there is an"
            f" unvisited cell ahead and otherwise makes a quarter turn.\n\n{board}\n\n{order}",
        ),
        form="all the numbers in order, separated by commas",
    )


def steps(matrix: Matrix) -> list[str]:
    """The straight pieces of the spiral."""
    lines: list[str] = []
    walk = _walk(matrix)
    heading, piece = NAMES[_heading(matrix)], [walk[0]]
    for here, there in zip(walk, [*walk[1:], (-9, -9)]):
        step = (there[0] - here[0], there[1] - here[1])
        name = NAMES[HEADINGS.index(step)] if step in HEADINGS else ""
        if name != heading:
            numbers = " ".join(str(matrix.rows[row][column]) for row, column in piece)
            lines.append(f"{heading}: {numbers}")
            heading, piece = name, []
        piece.append(there)
    return [*lines, "read backwards"] if matrix.outward else lines


def progress(matrix: Matrix, lines: Lines) -> float:
    return states_followed(FAMILY, matrix, lines)


def canon(matrix: Matrix) -> tuple[int, ...]:
    """Matrices of one shape that read the same are the same."""
    return (len(matrix.rows), *solve(matrix))


def hardness(matrix: Matrix) -> int:
    return len(matrix.rows) * len(matrix.rows[0])


def _heading(matrix: Matrix) -> int:
    """The first direction, a place in HEADINGS."""
    return (matrix.corner + (not matrix.clockwise)) % 4


def _walk(matrix: Matrix) -> tuple[_cells.Cell, ...]:
    shape = len(matrix.rows), len(matrix.rows[0])
    return _walked(*shape, matrix.corner, _heading(matrix), 1 if matrix.clockwise else -1)


@lru_cache(maxsize=128)
def _walked(high: int, wide: int, corner: int, heading: int, turn: int) -> tuple[_cells.Cell, ...]:
    left = set(_cells.cells(high, wide))
    row = high - 1 if corner in (2, 3) else 0
    column = wide - 1 if corner in (1, 2) else 0
    walk = [(row, column)]
    left.remove((row, column))
    while left:
        down, right = HEADINGS[heading]
        if (row + down, column + right) in left:
            row, column = row + down, column + right
            left.remove((row, column))
            walk.append((row, column))
        else:
            heading = (heading + turn) % 4
    return tuple(walk)


@lru_cache(maxsize=128)
def _peeled(high: int, wide: int, corner: int, clockwise: bool) -> list[int]:
    """The places on the spiral, ring by ring."""
    board = [[*range(start, start + wide)] for start in range(0, high * wide, wide)]
    # Reflect the matrix until the spiral begins at its top left corner with the top row.
    if corner in (1, 2):
        board = [row[::-1] for row in board]
    if corner in (2, 3):
        board = board[::-1]
    if clockwise != (corner in (0, 2)):
        board = [list(column) for column in zip(*board)]
    read = list[int]()
    for ring in range((min(high, wide) + 1) // 2):
        top, *others = [row[ring : len(row) - ring] for row in board[ring : len(board) - ring]]
        read += top + [row[-1] for row in others]
        if others:
            read += others[-1][-2::-1]
        if len(top) > 1:
            read += [row[0] for row in others[-2::-1]]
    return read


LADDER = (
    Knobs(3, 3, 0.0, 0.0),
    Knobs(4, 5, 0.4, 0.1),
    Knobs(6, 7, 0.8, 0.3),
    Knobs(9, 10, 0.9, 0.5),
    Knobs(13, 14, 0.9, 0.5),
)
FAMILY = Family(
    Matrix,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(reorders=True),
    hardness=hardness,
    proof="unique",
    solver="a walk that turns where it is blocked",
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=True,
    skills=("spatial", "tracking"),
    peers=("reasoning-gym/spiral_matrix", "RLVE/spiral_matrix"),
    version=2,
)
