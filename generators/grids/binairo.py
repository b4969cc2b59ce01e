"""Binairo: fill a board with 0 and 1; no three alike in a row, every line balanced and different.

`generate` shows cells of a full board until deduction finds the rest, `solve` proves by SAT that
one completion is left, and `verify` reads the lines of the answer by the rules alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, combinations
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.grid import in_rows
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _deduction, _tallies
from puzzlemill.generators.grids._deduction import Rule, Rules, Values
from puzzlemill.generators.grids._tallies import Marks, Tallies, Whole

Rows = tuple[tuple[int, ...], ...]
BLANK = -1


@dataclass(frozen=True, slots=True)
class Knobs:
    half: int  # zeros in a line; the board has twice as many rows and columns
    shown: float  # share of the cells to show; more where deduction needs them
    suppositions: int  # how many may be needed beside deduction


@dataclass(frozen=True, slots=True)
class Board:
    rows: Rows  # -1 is a blank


def generate(rng: Random, knobs: Knobs) -> Board | None:
    """Show cells that deduction leaves open, then hide again what suppositions make up for."""
    side = 2 * knobs.half
    tallies = _rules(side).tallies()
    full = _fill(rng, tallies, side)
    if full is None:
        return None
    order = rng.sample(range(side**2), side**2)
    shown: list[int] = []
    marks = _everything(side)
    for cell in order:
        if len(shown) < knobs.shown * side**2 or (marks[0] & marks[1]) >> cell & 1:
            shown.append(cell)
            after = tallies.narrow(_set(marks, cell, full[cell]), tallies.touching[cell])
            assert after, "a full board has these digits"
            marks = after
    for cell in list(shown):
        if knobs.suppositions and len(shown) > knobs.shown * side**2:
            fewer = [other for other in shown if other != cell]
            start = _tallies.packed(_given(full, fewer))
            if _tallies.completions(tallies, start, knobs.suppositions) == 1:
                shown = fewer
    cells = [full[cell] if cell in shown else BLANK for cell in range(side**2)]
    return Board(in_rows(tuple(cells), side))


def solve(board: Board) -> Rows | None:
    """SAT: triples and balance as clauses; lines that turn out alike are forbidden when met."""
    side = len(board.rows)
    grid, always, bounds = _clauses(side)
    lines, clauses = [*grid, *map(list, zip(*grid))], list(always)
    for row, given in enumerate(board.rows):
        for column, digit in enumerate(given):
            if digit != BLANK:
                clauses.append([grid[row][column] if digit else -grid[row][column]])

    def twins(true: set[int]) -> list[_sat.Clause]:
        return [
            [-cell if cell in true else cell for cell in (*one, *other)]
            for way in (lines[:side], lines[side:])
            for one, other in combinations(way, 2)
            if all((left in true) == (right in true) for left, right in zip(one, other))
        ]

    deciding = [cell for line in grid for cell in line]
    true = _sat.only_model(clauses, deciding, twins, bounds)
    if true is None:
        return None
    return tuple(tuple(int(cell in true) for cell in line) for line in grid)


@lru_cache(maxsize=8)
def _clauses(side: int) -> tuple[list[list[int]], list[_sat.Clause], list[_sat.Bound]]:
    """A variable for each cell, and what holds on every board of this size."""
    grid = [[row * side + column + 1 for column in range(side)] for row in range(side)]
    clauses, bounds = list[_sat.Clause](), list[_sat.Bound]()
    for line in (*grid, *map(list, zip(*grid))):
        for start in range(side - 2):
            three = line[start : start + 3]
            clauses += [three, [-cell for cell in three]]
        bounds += _sat.just(side // 2, line)
    return grid, clauses, bounds


def verify(board: Board, rows: Rows) -> float:
    side = len(board.rows)
    if len(rows) != side or any(len(row) != side for row in rows):
        return 0.0
    keeps = all(
        given in (BLANK, digit)
        for line, row in zip(board.rows, rows, strict=True)
        for given, digit in zip(line, row, strict=True)
    )
    return float(keeps and _sound(rows) and _sound(tuple(zip(*rows))))


def render(board: Board, style: Style) -> Prompt:
    side = len(board.rows)
    blank = style.pick(".", "_")
    grid = _cells.drawn(
        [[blank if digit == BLANK else digit for digit in row] for row in board.rows]
    )
    half = side // 2
    return Prompt(
        style.pick(
            f'Solve this binairo (also called takuzu). Replace every "{blank}" by 0 or 1 so that'
            f" each row and each column holds {half} zeros and {half} ones, no three neighbouring"
            " cells of a row or a column are the same, no two rows are identical and no two columns"
            f" are identical. The digits that are there stay.\n\n{grid}",
            f"Here is a board of {side} rows and {side} columns, partly filled with zeros and"
            f' ones; "{blank}" marks an empty cell.\n\n{grid}\n\nFill in the rest. Rules:\n- Three'
            " cells next to one another, across or down, never hold the same digit.\n- In each"
            f" row and in each column there are as many zeros as ones ({half} of each).\n- All rows"
            " differ from one another, and all columns differ from one another.",
            f"Takuzu, {side}x{side}:\n\n{grid}\n\nPut a 0 or a 1 into each cell marked"
            f' "{blank}" and leave the others as they are. Every line (row or column) must have'
            f" exactly {half} zeros and {half} ones. Nowhere may 000 or 111 occur along a line."
            " Two rows must not be equal, nor two columns; a row may equal a column.",
        ),
        form="the completed board, one row a line, its digits separated by spaces",
    )


def steps(board: Board) -> list[str]:
    side = len(board.rows)
    values = [0b11 if digit == BLANK else 1 << digit for row in board.rows for digit in row]
    return _deduction.worked(_rules(side), values, _deduction.named(side))


def progress(board: Board, lines: Lines) -> float:
    return cells_filled(FAMILY, board, lines, board.rows, -1)


def canon(board: Board) -> Rows:
    """The least of the board's turns and reflections, with 0 and 1 as they are or exchanged."""
    exchanged = tuple(
        tuple(digit if digit == BLANK else 1 - digit for digit in row) for row in board.rows
    )
    return min([*_cells.turns(board.rows), *_cells.turns(exchanged)])


def hardness(board: Board) -> float:
    """The blanks."""
    return sum(row.count(BLANK) for row in board.rows)


def _sound(lines: Rows) -> bool:
    half = len(lines) // 2
    return len(set(lines)) == len(lines) and all(
        line.count(0) == line.count(1) == half
        and all(len(set(line[start : start + 3])) == 2 for start in range(len(line) - 2))
        for line in lines
    )


@cache
def _rules(side: int) -> Rules:
    rules = Rules(side**2, marks=True)
    rows = [tuple(range(start, start + side)) for start in range(0, side**2, side)]
    columns = [tuple(range(start, side**2, side)) for start in range(side)]
    for name, way in (("row", rows), ("column", columns)):
        for number, cells in enumerate(way, 1):
            says = f"the only way to go on in {name} {number}"
            rules.add(Rule(cells, _line(side), says, _whole_line(cells)))
    for name, way in (("rows", rows), ("columns", columns)):
        says = f"no two {name} are identical"
        rules.add(Rule(tuple(chain(*way)), _different(side), says, _all_different(tuple(way))))
    return rules


@cache
def _line(side: int) -> _deduction.Narrow:
    ways, everything = _ways(side), (1 << side) - 1

    @lru_cache(maxsize=10_000)
    def filled(ones: int, zeros: int) -> Values | None:
        always = never = everything
        for way in ways:
            if way & ones == ones and not way & zeros:
                always &= way
                never &= ~way
        if always & never:
            return None
        return [
            0b10 if always >> place & 1 else 0b01 if never >> place & 1 else 0b11
            for place in range(side)
        ]

    def narrow(values: Values) -> Values | None:
        ones = zeros = 0
        for place, value in enumerate(values):
            if value == 0b10:
                ones |= 1 << place
            elif value == 0b01:
                zeros |= 1 << place
        return filled(ones, zeros)

    return narrow


def _whole_line(cells: tuple[int, ...]) -> Whole:
    """The same, on a board in two integers."""
    start, line = cells[0], tuple(cell - cells[0] for cell in cells)
    everything, filled = sum(1 << cell for cell in line), _filling(line)

    def narrow(may: int, free: int) -> Marks | None:
        found = filled((may & ~free) >> start & everything, (free & ~may) >> start & everything)
        return found and (may & ~(found[1] << start), free & ~(found[0] << start))

    return narrow


@cache
def _filling(line: tuple[int, ...]) -> Callable[[int, int], Marks | None]:
    """What a line that begins at cell 0 has in all of its ways, and in none; for all alike."""
    ways = _ways(len(line))
    # By cell, the ways that are marked there: bit w for way w.
    marked = {
        cell: sum(1 << number for number, way in enumerate(ways) if way >> place & 1)
        for place, cell in enumerate(line)
    }

    @lru_cache(maxsize=1 << 15)
    def filled(ones: int, zeros: int) -> Marks | None:
        left = (1 << len(ways)) - 1
        for cell, with_one in marked.items():
            if ones >> cell & 1:
                left &= with_one
            elif zeros >> cell & 1:
                left &= ~with_one
        if not left:
            return None
        always = never = 0
        for cell, with_one in marked.items():
            common = left & with_one
            if not common:
                never |= 1 << cell
            elif common == left:
                always |= 1 << cell
        return always, never

    return filled


def _all_different(lines: tuple[tuple[int, ...], ...]) -> Whole:
    """The same, on a board in two integers."""
    shape = tuple(cell - lines[0][0] for cell in lines[0])
    everything = sum(1 << cell for cell in shape)
    starts = [line[0] for line in lines]

    def narrow(may: int, free: int) -> Marks | None:
        marked, clear = may & ~free, free & ~may
        full, nearly = [], []
        for start in starts:
            ones, zeros = marked >> start & everything, clear >> start & everything
            left = everything & ~(ones | zeros)
            if not left:
                full.append(ones)
            elif left.bit_count() == 2:
                nearly.append((start, ones, zeros, left))
        if len(set(full)) < len(full):
            return None
        for start, ones, zeros, left in nearly:
            for other in full:
                if not other & zeros and not ones & ~other:
                    # Balance: the cells left hold a 0 and a 1, and not as the other line does.
                    may &= ~((other & left) << start)
                    free &= ~((left & ~other) << start)
                    break
        return may, free

    return narrow


@cache
def _different(side: int) -> _deduction.Narrow:
    """All lines of one way differ, which says something once one is full and another nearly so."""

    def narrow(values: Values) -> Values | None:
        lines = in_rows(tuple(values), side)
        full = [line for line in lines if 0b11 not in line]
        if len(set(full)) < len(full):
            return None
        found: Values = []
        for line in lines:
            if line.count(0b11) == 2:
                for other in full:
                    if all(own & value for own, value in zip(line, other)):
                        # Balance: the cells left hold a 0 and a 1, and not as the other line does.
                        line = tuple(
                            own if own != 0b11 else 0b11 ^ value for own, value in zip(line, other)
                        )
                        break
            found += line
        return found

    return narrow


@cache
def _ways(side: int) -> tuple[int, ...]:
    """Balanced lines without three alike in a row; bit i for the cell at i."""
    ways = [""]
    for _ in range(side):
        ways = [
            way + digit
            for way in ways
            for digit in "01"
            if not way.endswith(digit * 2) and way.count(digit) < side // 2
        ]
    return tuple(int(way, 2) for way in ways)


def _fill(rng: Random, tallies: Tallies, side: int) -> list[int] | None:
    """A full board: cells in random order get a random digit, as far as deduction allows."""
    marks = _everything(side)
    while marks[0] & marks[1]:
        open_ = marks[0] & marks[1]
        cell = rng.choice([cell for cell in range(side**2) if open_ >> cell & 1])
        digit = rng.randrange(2)
        for choice in (digit, 1 - digit):
            after = tallies.narrow(_set(marks, cell, choice), tallies.touching[cell])
            if after is not None:
                marks = after
                break
        else:
            return None
    return [marks[0] >> cell & 1 for cell in range(side**2)]


def _everything(side: int) -> Marks:
    return ((1 << side**2) - 1,) * 2


def _set(marks: Marks, cell: int, digit: int) -> Marks:
    may, free = marks
    return (may, free & ~(1 << cell)) if digit else (may & ~(1 << cell), free)


def _given(full: list[int], shown: list[int]) -> Values:
    values = [0b11] * len(full)
    for cell in shown:
        values[cell] = 1 << full[cell]
    return values


LADDER = (
    Knobs(2, 0.6, 0),
    Knobs(3, 0.45, 0),
    Knobs(4, 0.3, 0),
    Knobs(5, 0.2, 5),
    Knobs(7, 0.1, 20),
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
    guess_rate=0.015,  # 72 boards on the easiest rung
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=True,
    skills=("deduction", "search"),
    peers=("Enigmata/binario", "InternBootcamp/binairo", "RLVE/binario"),
)
