"""Sudoku: fill a board so that every row, column and box holds every digit once.

`generate` digs holes into a full board as long as one completion is left, `solve` proves by SAT
that only one is, and `verify` reads the answer's rows, columns and boxes by the rules alone.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache, partial, reduce
from itertools import chain
from math import log2
from operator import or_
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.core.search import Node
from puzzlemill.generators import _sat

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    box_rows: int  # rows of a box
    box_columns: int  # its columns; the product of the two is the side of the board
    blanks: float  # share of the cells to empty; digging ends earlier where each given is needed
    stuck: bool  # 9x9 only: empty more where needed, so that singles alone do not finish it


@dataclass(frozen=True, slots=True)
class Board:
    box_rows: int
    box_columns: int
    rows: Rows  # 0 is a blank

    @property
    def side(self) -> int:
        return self.box_rows * self.box_columns


def generate(rng: Random, knobs: Knobs) -> Board | None:
    shape = _shape(knobs.box_rows, knobs.box_columns)
    side = knobs.box_rows * knobs.box_columns
    cells = _fill(shape, rng)
    wanted, stuck = round(knobs.blanks * side**2), knobs.stuck and side == 9
    given = _given(shape, cells)
    barred = [_barred(shape, own) for own in given]
    for cell in rng.sample(range(side**2), side**2):
        if cells.count(0) >= wanted and not (stuck and _singles_finish(shape, cells)):
            break
        _dig(shape, cells, given, barred, cell)
    if stuck and _singles_finish(shape, cells):
        return None
    return Board(
        knobs.box_rows,
        knobs.box_columns,
        tuple(tuple(cells[start : start + side]) for start in range(0, side**2, side)),
    )


def solve(board: Board) -> Rows | None:
    """SAT: a variable for each cell and digit; a blocking clause proves the solution unique."""
    side, groups = board.side, _groups(board.box_rows, board.box_columns)
    beating = _beating(board.box_rows, board.box_columns)
    given = {
        _variable(side, row, column, digit)
        for row, line in enumerate(board.rows)
        for column, digit in enumerate(line)
        if digit
    }
    beaten = set().union(*map(beating.__getitem__, given))
    left = [[*group.difference(beaten)] for group in groups if group.isdisjoint(given)]
    if not all(left) or beaten & given:
        return None  # two givens collide, or leave a digit no place
    deciding = set().union(*left)
    bounds = [(group, 1) for group in left if len(group) > 1]
    true = _sat.only_model(left, deciding, bounds=bounds)
    if true is None:
        return None
    digits = [(variable - 1) % side + 1 for variable in sorted(true | given)]
    return tuple(tuple(digits[start : start + side]) for start in range(0, side**2, side))


def verify(board: Board, rows: Rows) -> float:
    side, high, wide = board.side, board.box_rows, board.box_columns
    if len(rows) != side or any(len(row) != side for row in rows):
        return 0.0
    boxes = [
        [rows[top + down][left + right] for down in range(high) for right in range(wide)]
        for top in range(0, side, high)
        for left in range(0, side, wide)
    ]
    keeps = all(
        given in (0, digit)
        for givens, row in zip(board.rows, rows, strict=True)
        for given, digit in zip(givens, row, strict=True)
    )
    digits = list(range(1, side + 1))
    return float(keeps and all(sorted(unit) == digits for unit in [*rows, *zip(*rows), *boxes]))


def render(board: Board, style: Style) -> Prompt:
    side, blank = board.side, style.pick(".", "0", "_")
    grid = "\n".join(
        " ".join(str(digit) if digit else blank for digit in row) for row in board.rows
    )
    boxes = f"{board.box_rows} rows by {board.box_columns} columns"
    return Prompt(
        style.pick(
            f"Solve this {side}x{side} sudoku. Put a digit from 1 to {side} into every empty cell"
            f' (shown as "{blank}") so that each row, each column and each box holds every digit'
            f" from 1 to {side} exactly once. The boxes measure {boxes} and tile the board from its"
            f" top left corner.\n\n{grid}",
            f"Below is a board of {side} rows and {side} columns, divided into boxes of {boxes}"
            f' that start at the top left corner. Replace each "{blank}" by a digit from 1 to'
            f" {side}. No digit may occur twice in a row, in a column or in a box; the digits that"
            f" are there stay as they are.\n\n{grid}",
            f"Sudoku, {side}x{side}:\n\n{grid}\n\nFill the cells marked"
            f' "{blank}". When you are done, every row, every column and every box of {boxes} (the'
            f" boxes lie side by side, from the top left corner on) must contain each of the digits"
            f" 1 to {side} once. The given digits must not change.",
        ),
        form="the completed board, one row a line, its digits separated by spaces",
    )


def steps(board: Board) -> list[str]:
    """Singles in the order they show; where they run out, a supposition and what comes of it."""
    lines: list[str] = []
    shape = _shape(board.box_rows, board.box_columns)
    _work_out(shape, [digit for row in board.rows for digit in row], lines)
    return lines


def progress(board: Board, lines: Lines) -> float:
    return cells_filled(FAMILY, board, lines, board.rows, 0)


def search(board: Board) -> Node:
    """Digit after digit into the first blank, until one leaves a blank without any."""
    solution = solve(board)
    assert solution is not None, "the puzzle was solved"
    shape = _shape(board.box_rows, board.box_columns)
    right = [digit for row in solution for digit in row]
    return _blank(shape, [digit for row in board.rows for digit in row], right, ())


def canon(board: Board) -> list[int]:
    """The least of the board's turns and reflections, its digits renumbered as they appear."""
    turned, images = board.rows, []
    for _ in range(4):
        turned = tuple(zip(*turned[::-1]))
        for image in (turned, turned[::-1]):
            digits = bytes(chain(*image))
            order = bytes(dict.fromkeys(digits)).replace(b"\0", b"")
            images.append(digits.translate(bytes.maketrans(order, _NUMBERS[: len(order)])))
    return [
        board.box_rows * board.box_columns,
        min(board.box_rows, board.box_columns),
        *min(images),
    ]


_NUMBERS = bytes(range(1, 256))


def hardness(board: Board) -> float:
    """How much the givens leave open: the bits needed to note one candidate for every blank."""
    possible = _possible(
        _shape(board.box_rows, board.box_columns), [digit for row in board.rows for digit in row]
    )
    cells = (1 << cell for cell in range(board.side**2))
    return sum(log2(sum(bool(places & cell) for places in possible)) for cell in cells)


@dataclass(frozen=True, slots=True)
class _Shape:
    side: int
    all: int  # a set of cells is an integer: bit i for cell i, row by row
    units: tuple[int, ...]  # rows, columns, boxes
    units_of: tuple[tuple[int, ...], ...]  # for each cell, the units that it is in
    peers: tuple[int, ...]  # and the others that it shares one with


@cache
def _shape(box_rows: int, box_columns: int) -> _Shape:
    side = box_rows * box_columns
    units: defaultdict[tuple[str, int], int] = defaultdict(int)
    for cell in range(side**2):
        row, column = divmod(cell, side)
        box = row // box_rows * box_rows + column // box_columns
        for unit in (("row", row), ("column", column), ("box", box)):
            units[unit] |= 1 << cell
    masks = tuple(
        units[kind, number] for kind in ("row", "column", "box") for number in range(side)
    )
    units_of = tuple(tuple(mask for mask in masks if mask >> cell & 1) for cell in range(side**2))
    peers = tuple(reduce(or_, own) & ~(1 << cell) for cell, own in enumerate(units_of))
    return _Shape(side, (1 << side**2) - 1, masks, units_of, peers)


def _fill(shape: _Shape, rng: Random) -> list[int]:
    places = _complete(shape, [shape.all] * shape.side, rng)
    assert places is not None, "every board can be filled"
    found = [0] * shape.side**2
    for digit, cells in enumerate(places, 1):
        while cells:
            found[cells.bit_length() - 1] = digit
            cells &= ~(1 << cells.bit_length() - 1)
    return found


def _dig(shape: _Shape, cells: list[int], given: list[int], barred: list[int], cell: int) -> None:
    """Empty a cell, unless the board could then be completed with another digit there. For each
    digit, it is known where it is given, and where that bars it."""
    digit, here = cells[cell] - 1, 1 << cell
    left = given[digit] & ~here
    open_, bars = shape.all & ~sum(given) | here, _barred(shape, left)
    possible = open_ & ~bars
    # The quick case is that the digit has no other place in a unit.
    if not any(possible & unit == here for unit in shape.units_of[cell]):
        places = [open_ & ~barring | own for own, barring in zip(given, barred)]
        places[digit] = possible & ~here | left
        if _complete(shape, places, placed=shape.all & ~open_) is not None:
            return
    cells[cell], given[digit], barred[digit] = 0, left, bars


def _singles_finish(shape: _Shape, cells: list[int]) -> bool:
    places = _possible(shape, cells)
    narrowed = _narrow(shape, places)
    return narrowed is not None and not narrowed[0]


def _possible(shape: _Shape, cells: list[int]) -> list[int]:
    """For each digit, the cells where it is given or where no given forbids it."""
    given = _given(shape, cells)
    open_ = shape.all & ~sum(given)
    return [open_ & ~_barred(shape, own) | own for own in given]


def _given(shape: _Shape, cells: list[int]) -> list[int]:
    """For each digit, the cells where it is given."""
    given = [0] * (shape.side + 1)
    for cell, digit in enumerate(cells):
        given[digit] |= 1 << cell
    return given[1:]


def _barred(shape: _Shape, given: int) -> int:
    """The cells where a digit cannot stand beside those where it is given."""
    barred = 0
    while given:
        cell = given & -given
        given ^= cell
        barred |= shape.peers[cell.bit_length() - 1]
    return barred


def _complete(
    shape: _Shape, places: list[int], rng: Random | None = None, placed: int = 0
) -> list[int] | None:
    """One way to complete the board, or None where the whole search finds none."""
    # Hidden singles are seldom worth it on an empty board.
    narrowed = _narrow(shape, places, rng is None, placed)
    if narrowed is None:
        return None
    undecided, placed = narrowed
    if not undecided:
        return places
    cell = undecided & -undecided
    digits = [digit for digit in range(shape.side) if places[digit] & cell]
    if rng:
        rng.shuffle(digits)
    for digit in digits:
        branch = [cells & ~cell for cells in places]
        branch[digit] = places[digit] & ~shape.peers[cell.bit_length() - 1]
        found = _complete(shape, branch, rng, placed | cell)
        if found is not None:
            return found
    return None


def _narrow(
    shape: _Shape, places: list[int], hidden: bool = True, placed: int = 0
) -> tuple[int, int] | None:
    """Place singles until none is left; those that are placed already bar their peers. The cells to
    branch on, and those that are placed; None at a contradiction."""
    while True:
        once = twice = thrice = 0  # cells with at least one, two, three possible digits
        for cells in places:
            thrice |= twice & cells
            twice |= once & cells
            once |= cells
        if once != shape.all:
            return None
        naked = once & ~twice & ~placed
        placed |= naked
        if naked:
            for digit, cells in enumerate(places):
                fresh = cells & naked
                while fresh:
                    cell = fresh & -fresh
                    places[digit] &= ~shape.peers[cell.bit_length() - 1]
                    fresh ^= cell
        elif not twice:
            return 0, placed
        else:
            found = hidden and _place_hidden(shape, places, twice)
            if found is None:
                return None
            if not found:
                return twice & ~thrice or twice, placed


def _place_hidden(shape: _Shape, places: list[int], undecided: int) -> bool | None:
    """Give each digit the only cell left for it in a unit; None where a unit has no cell for it."""
    found = False
    for digit, cells in enumerate(places):
        for unit in shape.units:
            only = cells & unit
            if only & (only - 1):
                continue  # two cells or more
            if not only:
                return None
            if only & undecided:
                for other, elsewhere in enumerate(places):
                    if other != digit:
                        places[other] = elsewhere & ~only
                undecided &= ~only
                found = True
    return found


@cache
def _groups(box_rows: int, box_columns: int) -> tuple[frozenset[int], ...]:
    """Sets of variables of which exactly one is true, by the rules."""
    side = box_rows * box_columns
    groups: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for cell in range(side**2):
        row, column = divmod(cell, side)
        box = (row // box_rows, column // box_columns)
        for digit in range(1, side + 1):
            for kind in (("cell", cell), ("row", row, digit), ("column", column, digit)):
                groups[kind].append(_variable(side, row, column, digit))
            groups["box", box, digit].append(_variable(side, row, column, digit))
    return tuple(map(frozenset, groups.values()))


@cache
def _beating(box_rows: int, box_columns: int) -> dict[int, frozenset[int]]:
    """For each variable, those that are false where it is true."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    for group in _groups(box_rows, box_columns):
        for variable in group:
            found[variable].update(group)
    return {variable: frozenset(others - {variable}) for variable, others in found.items()}


def _variable(side: int, row: int, column: int, digit: int) -> int:
    return (row * side + column) * side + digit


def _work_out(shape: _Shape, cells: list[int], lines: list[str]) -> bool:
    """Write down how the blanks are filled; False where that ends in a contradiction."""
    while 0 in cells:
        places = _possible(shape, cells)
        found = _single(shape, cells, places)
        if found is None:
            return _suppose(shape, cells, places, lines)
        cell, digit, reason = found
        if not digit:
            lines.append(reason)
            return False
        cells[cell] = digit
        lines.append(f"{_where(shape, cell)} = {digit}: {reason}")
    return True


def _single(shape: _Shape, cells: list[int], places: list[int]) -> tuple[int, int, str] | None:
    """A cell, the digit that must stand there and why; digit 0 with a contradiction."""
    for cell, filled in enumerate(cells):
        if not filled:
            digits = [digit for digit, free in enumerate(places, 1) if free >> cell & 1]
            if not digits:
                return cell, 0, f"no digit fits at {_where(shape, cell)}"
            if len(digits) == 1:
                return cell, digits[0], "no other digit fits there"
    for number, unit in enumerate(shape.units):
        name = f"{('row', 'column', 'box')[number // shape.side]} {number % shape.side + 1}"
        for digit, free in enumerate(places, 1):
            only = free & unit
            if not only:
                return 0, 0, f"{digit} fits nowhere in {name}"
            cell = only.bit_length() - 1
            if not only & (only - 1) and not cells[cell]:
                return cell, digit, f"{digit} fits nowhere else in {name}"
    return None


def _suppose(shape: _Shape, cells: list[int], places: list[int], lines: list[str]) -> bool:
    """Try the digits of a blank with the fewest; on success the cells are filled in."""
    choices = {
        cell: [digit for digit, free in enumerate(places, 1) if free >> cell & 1]
        for cell, filled in enumerate(cells)
        if not filled
    }
    cell = min(choices, key=lambda blank: len(choices[blank]))
    for digit in choices[cell]:
        lines.append(f"suppose {_where(shape, cell)} = {digit}")
        trial = list(cells)
        trial[cell] = digit
        if _work_out(shape, trial, lines):
            cells[:] = trial
            return True
        lines.append(f"so {_where(shape, cell)} is not {digit}")
    return False


def _blank(shape: _Shape, cells: list[int], right: list[int], lines: tuple[str, ...]) -> Node:
    """The digits of the first blank; on the way to the answer also those that collide at once."""
    if 0 not in cells:
        return Node(lines)
    cell, places = cells.index(0), _possible(shape, cells)
    for blank, digit in enumerate(cells):
        if not digit and not any(free >> blank & 1 for free in places):
            return Node(lines, f"No digit fits at {_where(shape, blank)}")
    on_way = all(digit in (0, true) for digit, true in zip(cells, right))
    digits = [n for n in range(1, shape.side + 1) if on_way or places[n - 1] >> cell & 1]
    digits.sort(key=lambda digit: digit != right[cell])
    return Node(
        lines, branches=tuple(partial(_placed, shape, cells, right, cell, n) for n in digits)
    )


def _placed(shape: _Shape, cells: list[int], right: list[int], cell: int, digit: int) -> Node:
    line = (f"{_where(shape, cell)} = {digit}?",)
    for number, unit in enumerate(shape.units):
        held = any(unit >> place & 1 and cells[place] == digit for place in range(len(cells)))
        if unit >> cell & 1 and held:
            kind = ("row", "column", "box")[number // shape.side]
            return Node(line, f"Its {kind} has a {digit} already")
    return _blank(shape, [*cells[:cell], digit, *cells[cell + 1 :]], right, line)


def _where(shape: _Shape, cell: int) -> str:
    return f"row {cell // shape.side + 1} column {cell % shape.side + 1}"


LADDER = (
    Knobs(2, 2, 0.35, False),
    Knobs(2, 3, 0.45, False),
    Knobs(3, 3, 0.5, False),
    Knobs(3, 3, 0.62, False),
    Knobs(3, 3, 0.68, True),
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
    search=search,
    canon=canon,
    redraws=True,
    skills=("deduction", "search"),
    peers=(
        "reasoning-gym/sudoku",
        "reasoning-gym/mini_sudoku",
        "Enigmata/sudoku",
        "Enigmata/sudoku2",
        "SynLogic/sudoku",
    ),
)
