"""Kakurasu: blacken cells so that the places of the black cells in every line add up to its sum.

`generate` changes a random board until its sums settle it, `solve` proves by SAT that one board is
left, and `verify` adds up the places of the black cells in every row and column.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from math import log2
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _sat
from puzzlemill.generators.grids import _deduction
from puzzlemill.generators.grids._deduction import Rule, Rules, Values

Rows = tuple[tuple[int, ...], ...]

LIGHT, BLACK, OPEN = 0b01, 0b10, 0b11  # what a cell may be: 0, 1 or either

TRIES = 40  # boards that are looked at for one puzzle


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the board
    columns: int  # of the board
    suppositions: int  # how many may be needed; then some should be, where such a board is found


@dataclass(frozen=True, slots=True)
class Board:
    rows: tuple[int, ...]  # for each row, the sum of the columns of its black cells, from 1
    columns: tuple[int, ...]  # for each column, the sum of the rows of its black cells


def generate(rng: Random, knobs: Knobs) -> Board | None:
    """Cells at random; some are changed while the sums settle too little, or too easily."""
    cells = range(knobs.rows * knobs.columns)
    black = [rng.random() < 0.5 for _ in cells]
    easy = None
    for _ in range(TRIES):
        board = _board(black, knobs.rows, knobs.columns)
        rules, values = _rules(board), [OPEN for _ in cells]
        rules.narrow(values)
        open_ = _deduction.undecided(values)
        if not open_:
            easy = board
            if not knobs.suppositions:
                break
        elif knobs.suppositions and rules.settles(values, knobs.suppositions):
            return board
        for cell in rng.sample(open_ or cells, 2):
            black[cell] = not black[cell]
    return easy


def solve(board: Board) -> Rows | None:
    """SAT: the black cells of each line are one of the sets that come to its sum."""
    down, across = len(board.rows), len(board.columns)
    circuit = _sat.Circuit()
    grid = [[circuit.variable((row, column)) for column in range(across)] for row in range(down)]
    lines = [*zip(board.rows, grid), *zip(board.columns, zip(*grid))]
    for number, (total, line) in enumerate(lines):
        sets = _sets(len(line), total)
        choices = [circuit.variable(("set", number, chosen)) for chosen in sets]
        circuit.clauses.append(choices)
        circuit.clauses += [
            [-choice, sign * cell]
            for choice, chosen in zip(choices, sets, strict=True)
            for sign, cell in zip(chosen, line, strict=True)
        ]
    true = _sat.only_model(circuit.clauses, range(1, down * across + 1))
    if true is None:
        return None
    return tuple(tuple(int(cell in true) for cell in line) for line in grid)


@cache
def _sets(size: int, total: int) -> list[tuple[int, ...]]:
    """The lines of a size that come to a total: 1 for a black cell, -1 for any other."""
    return [
        signs
        for signs in product((1, -1), repeat=size)
        if sum(place for place, sign in enumerate(signs, 1) if sign == 1) == total
    ]


def verify(board: Board, rows: Rows) -> float:
    if len(rows) != len(board.rows) or any(len(row) != len(board.columns) for row in rows):
        return 0.0
    if any(cell not in (0, 1) for row in rows for cell in row):
        return 0.0
    lines = [*zip(board.rows, rows, strict=True), *zip(board.columns, zip(*rows), strict=True)]
    return float(
        all(
            sum(place * cell for place, cell in enumerate(line, 1)) == total
            for total, line in lines
        )
    )


def render(board: Board, style: Style) -> Prompt:
    down, across = len(board.rows), len(board.columns)
    rows, columns = " ".join(map(str, board.rows)), " ".join(map(str, board.columns))
    listed = "\n".join(
        [f"Row {place}: {total}" for place, total in enumerate(board.rows, 1)]
        + [f"Column {place}: {total}" for place, total in enumerate(board.columns, 1)]
    )
    shade = style.pick("black", "painted", "shaded")
    return Prompt(
        style.pick(
            f"Solve this kakurasu on a board of {down} rows and {across} columns: decide which"
            " cells are black. A black cell in column k adds k to the sum of its row (the columns"
            f" are numbered 1 to {across} from the left), and a black cell in row k adds k to the"
            f" sum of its column (the rows are numbered 1 to {down} from the top). All sums must"
            f" come out as given.\n\nSums of the rows, from top to bottom: {rows}\nSums of the"
            f" columns, from left to right: {columns}",
            f"Some cells of a grid with {down} rows and {across} columns are painted. For each row,"
            " the numbers of the columns of its painted cells were added up; for each column, the"
            " numbers of the rows of its painted cells. Rows count from 1 at the top, columns from"
            f" 1 at the left, and a sum is 0 where nothing is painted.\n\n{listed}\n\nWhich cells"
            " are painted?",
            f"Kakurasu, {down} rows by {across} columns. Here are the columns' sums from left to"
            f" right: {columns}\nAnd the rows' sums from top to bottom: {rows}\n\nShade cells so"
            f" that every sum is met. In a row, the cells are worth 1 to {across} from left to"
            f" right; in a column, they are worth 1 to {down} from top to bottom. A line's sum is"
            " what its shaded cells are worth together; cells that are not shaded count nothing.",
        ),
        form=(
            f"the whole board, one row a line, with 1 for every {shade} cell and 0 for every other,"
            " separated by spaces"
        ),
    )


def steps(board: Board) -> list[str]:
    across = len(board.columns)
    values = [OPEN] * (len(board.rows) * across)
    return _deduction.worked(_rules(board), values, _deduction.named(across))


def progress(board: Board, lines: Lines) -> float:
    return cells_filled(FAMILY, board, lines)


def canon(board: Board) -> list[tuple[int, ...]]:
    """A board and its reflection along the diagonal are the same puzzle."""
    return min([board.rows, board.columns], [board.columns, board.rows])


def hardness(board: Board) -> float:
    """The bits that the sums leave open, line by line, halved: each cell is in two lines."""
    down, across = len(board.rows), len(board.columns)
    ways = [len(_ways(across, total)) for total in board.rows]
    ways += [len(_ways(down, total)) for total in board.columns]
    return sum(map(log2, ways)) / 2


def _board(black: list[bool], down: int, across: int) -> Board:
    rows, columns = [0] * down, [0] * across
    for cell, dark in enumerate(black):
        if dark:
            row, column = divmod(cell, across)
            rows[row] += column + 1
            columns[column] += row + 1
    return Board(tuple(rows), tuple(columns))


def _rules(board: Board) -> Rules:
    down, across = len(board.rows), len(board.columns)
    rules = Rules(down * across)
    for row, total in enumerate(board.rows):
        cells = tuple(range(row * across, (row + 1) * across))
        says = f"row {row + 1} comes to {total} in no other way"
        rules.add(Rule(cells, _narrowing(across, total), says))
    for column, total in enumerate(board.columns):
        cells = tuple(range(column, down * across, across))
        says = f"column {column + 1} comes to {total} in no other way"
        rules.add(Rule(cells, _narrowing(down, total), says))
    return rules


@cache
def _narrowing(size: int, total: int) -> _deduction.Narrow:
    return lambda values: _narrowed(total, tuple(values))


@lru_cache(maxsize=1 << 13)  # lines look alike in many boards that are tried
def _narrowed(total: int, values: tuple[int, ...]) -> Values | None:
    light = dark = 0
    for place, value in enumerate(values):
        if value == BLACK:
            dark |= 1 << place
        elif value == LIGHT:
            light |= 1 << place
    always = never = (1 << len(values)) - 1
    for way in _ways(len(values), total):
        if way & dark == dark and not way & light:
            always &= way
            never &= ~way
    if always & never:
        return None
    return [
        BLACK if always >> place & 1 else LIGHT if never >> place & 1 else OPEN
        for place in range(len(values))
    ]


@cache
def _ways(size: int, total: int) -> tuple[int, ...]:
    """The lines of a size that come to a total; bit i for the cell that is worth i + 1."""
    if size == 0:
        return () if total else (0,)
    with_last = _ways(size - 1, total - size) if total >= size else ()
    return (*_ways(size - 1, total), *(way | 1 << size - 1 for way in with_last))


LADDER = (
    Knobs(3, 4, 0),
    Knobs(4, 5, 0),
    Knobs(6, 6, 0),
    Knobs(8, 7, 10),
    Knobs(9, 10, 25),
)
FAMILY = Family(
    Board,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Grid(digits=True),
    hardness=hardness,
    proof="unique",
    solver="SAT with a blocking clause",
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=True,
    skills=("deduction", "search", "arithmetic"),
    peers=(
        "reasoning-gym/kakurasu",
        "Enigmata/kakurasu",
        "SynLogic/kukurasu",
        "InternBootcamp/kakurasu",
        "RLVE/kakurasu",
    ),
)
