"""Pooling: slide a window over a matrix and note one number of each place.

`solve` cuts the windows out one by one; `verify` lets each number of the matrix visit all the
windows that it belongs to.
"""

from dataclasses import dataclass
from random import Random
from typing import Literal, get_args

from puzzlemill.core import answers
from puzzlemill.core.answers.grid import in_rows
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators import _cells

Rows = tuple[tuple[int, ...], ...]
What = Literal["largest", "smallest", "sum", "range", "median"]

DEFINED = {
    "largest": "the largest number",
    "smallest": "the smallest number",
    "sum": "the sum of the numbers",
    "range": "the largest number minus the smallest",
    "median": (
        "the median (the middle one when they are sorted, each as often as it occurs) of the"
        " numbers"
    ),
}


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # places of the window, from top to bottom
    columns: int  # from left to right
    window: int  # its longest side
    signed: bool  # whether numbers may be negative


@dataclass(frozen=True, slots=True)
class Matrix:
    rows: Rows
    high: int  # the window
    wide: int
    down: int  # the steps from one place to the next
    right: int
    what: What


def generate(rng: Random, knobs: Knobs) -> Matrix | None:
    """The matrix is made to fit, so that no window sticks out."""
    high, wide = (rng.randint(max(1, knobs.window - 1), knobs.window) for _ in range(2))
    if high * wide == 1:
        return None
    down, right = (rng.randint((side + 1) // 2, side) for side in (high, wide))
    whats = [what for what in get_args(What) if what != "median" or high * wide % 2]
    rows, columns = (knobs.rows - 1) * down + high, (knobs.columns - 1) * right + wide
    numbers = rng.choices(range(-99 if knobs.signed else 0, 100), k=rows * columns)
    board = in_rows(tuple(numbers), columns)
    return Matrix(board, high, wide, down, right, rng.choice(whats))


def solve(matrix: Matrix) -> Rows:
    rows, columns = len(matrix.rows), len(matrix.rows[0])
    return tuple(
        tuple(
            _pooled(matrix.what, _window(matrix, top, left))
            for left in range(0, columns - matrix.wide + 1, matrix.right)
        )
        for top in range(0, rows - matrix.high + 1, matrix.down)
    )


def verify(matrix: Matrix, said: Rows) -> float:
    lowest = len(matrix.rows) - matrix.high  # the last window's first row and column
    rightmost = len(matrix.rows[0]) - matrix.wide
    places: dict[tuple[int, int], list[int]] = {}
    for row, line in enumerate(matrix.rows):
        for column, number in enumerate(line):
            for down in range(min(row, lowest) // matrix.down + 1):
                for right in range(min(column, rightmost) // matrix.right + 1):
                    inside = row - down * matrix.down < matrix.high
                    if inside and column - right * matrix.right < matrix.wide:
                        places.setdefault((down, right), []).append(number)
    found = {(r, c): each for r, line in enumerate(said) for c, each in enumerate(line)}
    if found.keys() != places.keys():
        return 0.0
    for place, numbers in places.items():
        least, most, each = min(numbers), max(numbers), found[place]
        below, above = sum(n < each for n in numbers), sum(n > each for n in numbers)
        holds = {
            "largest": each == most,
            "smallest": each == least,
            "sum": each == sum(numbers),
            "range": each == most - least,
            "median": each in numbers and max(below, above) <= len(numbers) // 2,
        }
        if not holds[matrix.what]:
            return 0.0
    return 1.0


def render(matrix: Matrix, style: Style) -> Prompt:
    board = _cells.drawn(matrix.rows)
    high, wide, down, right = matrix.high, matrix.wide, matrix.down, matrix.right
    window = f"{_count(high, 'row')} high and {_count(wide, 'column')} wide"
    across, under = _count(right, "column"), _count(down, "row")
    what = DEFINED[matrix.what]
    tops = range(1, len(matrix.rows) - high + 2, down)
    lefts = range(1, len(matrix.rows[0]) - wide + 2, right)
    return Prompt(
        style.pick(
            f"A window {window} lies on the top left corner of this matrix:\n\n{board}\n\nIt moves"
            f" {across} to the right at a time, as long as it stays inside the matrix; then it goes"
            f" back to the left edge and {under} down, and so on until it has covered the bottom"
            f" right corner. At each position of the window, write down {what} in it. One"
            " row of results belongs to each row of positions, in the same order.",
            f"{board}\n\nPool this matrix. The pools are all blocks, {window}, whose top row is"
            f" {_one_of('row', tops)} and whose leftmost column is {_one_of('column', lefts)},"
            " counted from 1 at the top left corner; pools may overlap. Replace each block by"
            f" {what} in it; the results keep the blocks' order, from left to right and from top"
            " to bottom.",
            f"Compute a smaller matrix from the one below. Each of its entries stands for a block"
            f" {window}. The top left entry belongs to the block in the top left corner; one entry"
            f" further right means a block {across} further right, one entry further down a block"
            f" {under} further down, as long as the block fits in. The entry is {what} in its"
            f" block.\n\n{board}",
        ),
        form="the resulting matrix, one row a line, its numbers separated by spaces",
    )


def steps(matrix: Matrix) -> list[str]:
    lines = []
    for down, row in enumerate(solve(matrix)):
        for right, number in enumerate(row):
            window = _window(matrix, down * matrix.down, right * matrix.right)
            lines.append(
                f"row {down + 1} column {right + 1}: {' '.join(map(str, window))} gives {number}"
            )
    return lines


def progress(matrix: Matrix, lines: Lines) -> float:
    return states_followed(FAMILY, matrix, lines)


def hardness(matrix: Matrix) -> int:
    """Numbers to read, over all windows."""
    return sum(map(len, solve(matrix))) * matrix.high * matrix.wide


def _window(matrix: Matrix, top: int, left: int) -> list[int]:
    lines = matrix.rows[top : top + matrix.high]
    return [number for line in lines for number in line[left : left + matrix.wide]]


def _pooled(what: What, numbers: list[int]) -> int:
    ordered = sorted(numbers)
    match what:
        case "largest":
            return ordered[-1]
        case "smallest":
            return ordered[0]
        case "sum":
            return sum(ordered)
        case "range":
            return ordered[-1] - ordered[0]
        case "median":
            return ordered[len(ordered) // 2]


def _one_of(what: str, numbers: range) -> str:
    *most, last = map(str, numbers)
    return f"{what} {', '.join(most)} or {last}" if most else f"{what} {last}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number > 1 else ''}"


LADDER = (
    Knobs(2, 2, 2, False),
    Knobs(3, 3, 3, False),
    Knobs(4, 4, 4, True),
    Knobs(6, 6, 4, True),
    Knobs(8, 8, 5, True),
)
FAMILY = Family(
    Matrix,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Grid(),
    hardness=hardness,
    proof="unique",
    solver="each window cut out and sorted",
    steps=steps,
    progress=progress,
    redraws=True,
    skills=("calculation", "spatial"),
    peers=("reasoning-gym/pool_matrix", "RLVE/matrix_pooling"),
    version=3,
)
