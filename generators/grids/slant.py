"""Slant: draw a diagonal through each cell so that the numbers at corners hold and no loop closes.

`generate` draws diagonals that close no loop and takes numbers away as long as deduction leads back
to them; `solve` proves by SAT, with a clause for each loop that shows, that nothing else does;
`verify` counts the ends at corners and the pieces that hang together.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _marks
from puzzlemill.generators.grids._deduction import Narrow, Rule, Rules, Values
from puzzlemill.generators.grids._tallies import Marks, Tallies, Whole

Rows = tuple[str, ...]
Numbers = tuple[tuple[int, ...], ...]

RISING, FALLING = "R", "F"  # seen from left to right; "/" and "\\" would be taken for LaTeX
HIDDEN = -1
MIRRORED = {
    _marks.CLEAR: _marks.MARKED,
    _marks.MARKED: _marks.CLEAR,
    _marks.OPEN: _marks.OPEN,
}


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board
    numbers: float  # share of the corners that keep their number, or more where each is needed
    suppositions: int  # how many may be needed beside deduction


@dataclass(frozen=True, slots=True)
class Lattice:
    numbers: Numbers  # of the corners, row by row, one more than there are cells; -1 is hidden


def generate(rng: Random, knobs: Knobs) -> Lattice | None:
    side = knobs.side
    rising = _drawn(rng, side)
    full = {
        corner: sum(near in rising if slope else near not in rising for near, slope in ends)
        for corner, ends in _ends(side).items()
    }

    tallies, everything = _counts(side, full), (1 << side**2) - 1
    marked = sum(
        1 << row * side + column
        for row, column in _cells.cells(side, side)
        if ((row, column) in rising) == (row + column) % 2
    )
    shown = _marks.thinned_rules(
        rng,
        tallies,
        (everything, everything),
        (marked, everything & ~marked),
        dict(zip(full, tallies.bits)),  # that of the rule against loops comes last
        round(knobs.numbers * len(full)),
        knobs.suppositions,
    )
    if shown is None:
        return None
    return Lattice(
        tuple(
            tuple(
                full[row, column] if (row, column) in shown else HIDDEN
                for column in range(side + 1)
            )
            for row in range(side + 1)
        )
    )


def solve(lattice: Lattice) -> Rows | None:
    """SAT: a variable for each cell, and a clause against each loop that a model closes."""
    side = len(lattice.numbers) - 1
    rises = {cell: at for at, cell in enumerate(_cells.cells(side, side), 1)}
    bounds = list[_sat.Bound]()
    for number, meeting in zip(chain(*lattice.numbers), _literals_around(side)):
        if number != HIDDEN:
            bounds += _sat.just(number, meeting)

    def cuts(true: set[int]) -> list[_sat.Clause]:
        lines = {cell: _line(cell, literal in true) for cell, literal in rises.items()}
        return [
            [-rises[cell] if rises[cell] in true else rises[cell] for cell in loop]
            for loop in _loops(lines)
        ]

    true = _sat.only_model([], rises.values(), cuts, bounds)
    if true is None:
        return None
    return tuple(
        "".join(RISING if rises[row, column] in true else FALLING for column in range(side))
        for row in range(side)
    )


@cache
def _literals_around(side: int) -> Sequence[list[int]]:
    """For each corner the literals by which the cells around it meet it."""
    rises = {cell: at for at, cell in enumerate(_cells.cells(side, side), 1)}
    found = []
    for row, column in _cells.cells(side + 1, side + 1):
        # The cells above left and below right meet the corner by falling, the others by rising.
        falling = (row - 1, column - 1), (row, column)
        rising = (row - 1, column), (row, column - 1)
        ends = [-rises[cell] for cell in falling if cell in rises]
        found.append(ends + [rises[cell] for cell in rising if cell in rises])
    return found


def verify(lattice: Lattice, rows: Rows) -> float:
    side = len(lattice.numbers) - 1
    if len(rows) != side or any(len(row) != side for row in rows):
        return 0.0
    joined: dict[_cells.Cell, list[_cells.Cell]] = {
        corner: [] for corner in _cells.cells(side + 1, side + 1)
    }
    for row, column in _cells.cells(side, side):
        left = row + 1 if rows[row][column] == RISING else row
        one, other = (left, column), (2 * row + 1 - left, column + 1)
        joined[one].append(other)
        joined[other].append(one)
    for (row, column), others in joined.items():
        if lattice.numbers[row][column] not in (HIDDEN, len(others)):
            return 0.0
    pieces, seen = 0, set()
    for corner in joined:
        if corner not in seen:
            pieces += 1
            waiting = [corner]
            while waiting:
                here = waiting.pop()
                if here not in seen:
                    seen.add(here)
                    waiting += joined[here]
    # Each line that closes no loop leaves one piece less.
    return float(pieces == len(joined) - side**2)


def render(lattice: Lattice, style: Style) -> Prompt:
    side = len(lattice.numbers) - 1
    picture = "\n".join(
        " ".join("." if number == HIDDEN else str(number) for number in line)
        for line in lattice.numbers
    )
    points = f"{side + 1} rows of {side + 1} points"
    return Prompt(
        style.pick(
            f"Slant. A board has {side} rows of {side} square cells, and so {points} where corners"
            " of cells lie. The picture shows these points, not the cells: a digit, or a dot where"
            f" nothing is known.\n\n{picture}\n\nDraw one diagonal in every cell. It either rises"
            " from left to right, /, from the bottom left corner of the cell to its top right"
            " corner, or it falls, \\, from the top left corner to the bottom right corner. A digit"
            " is the number of diagonals that end at this point. Diagonals must not close a loop"
            " anywhere, of whatever size or shape.",
            f"Each cell of a {side}x{side} board holds a slash, / (rising from left to right) or \\"
            " (falling). Slashes join opposite corners of their cells. Here is what is known about"
            f" the {points} that are the corners of cells: a digit says how many slashes touch that"
            f' point, and "." says nothing.\n\n{picture}\n\nTwo neighbouring points of one row and'
            " the two points below them are the corners of one cell. Slashes must not form a closed"
            " loop anywhere. Which slash stands in each cell?",
            f"These are {points}:\n\n{picture}\n\nThey are the corners of {side} rows of {side}"
            " cells; the cell in row r and column c has its corners at the points of rows r and r+1"
            " and columns c and c+1. Through every cell goes one straight line from corner to"
            " corner: either rising (/, bottom left to top right) or falling (\\, top left to"
            " bottom right). At a point that shows a digit, exactly that many lines end; a dot"
            " leaves it open. The lines contain no loop: starting along a line, one can never come"
            " back to the same point without using a line twice. There is one solution.",
        ),
        form=f'the rows of the board, one line of {side} letters each: "{RISING}" for a cell whose'
        f' diagonal rises (/), "{FALLING}" for one whose diagonal falls (\\)',
    )


def steps(lattice: Lattice) -> list[str]:
    shown = {
        (row, column): number
        for row, line in enumerate(lattice.numbers)
        for column, number in enumerate(line)
        if number != HIDDEN
    }
    side = len(lattice.numbers) - 1
    values = [_marks.OPEN] * side**2
    return _marks.worked(_rules(side, shown), values, _marks.telling(side, "\\", "/"))


def progress(lattice: Lattice, lines: Lines) -> float:
    return cells_filled(FAMILY, lattice, lines, marks={"/": RISING, "\\": FALLING})


def canon(lattice: Lattice) -> _cells.Board[int]:
    """The least of the lattice's turns and reflections."""
    return min(_cells.turns(lattice.numbers))


def hardness(lattice: Lattice) -> float:
    """Cells, and points where nothing is known."""
    hidden = sum(line.count(HIDDEN) for line in lattice.numbers)
    return float((len(lattice.numbers) - 1) ** 2 + hidden)


def _drawn(rng: Random, side: int) -> set[_cells.Cell]:
    """The cells whose diagonals rise, where none closes a loop. In each cell at least one way does
    not: loops through both would have to cross."""
    pieces = _Pieces(side)
    rising = set()
    for cell in rng.sample(_cells.cells(side, side), side**2):
        rises = rng.random() < 0.5
        if pieces.closes(cell, rises):
            rises = not rises
        pieces.join(cell, rises)
        if rises:
            rising.add(cell)
    return rising


class _Pieces:
    """Corners that hang together by diagonals."""

    def __init__(self, side: int) -> None:
        self.side = side
        self.root = list(range((side + 1) ** 2))

    def _find(self, corner: int) -> int:
        while self.root[corner] != corner:
            self.root[corner] = corner = self.root[self.root[corner]]
        return corner

    def _ends(self, cell: _cells.Cell, rises: bool) -> tuple[int, int]:
        width = self.side + 1
        above = cell[0] * width + cell[1]
        if rises:
            return self._find(above + 1), self._find(above + width)
        return self._find(above), self._find(above + width + 1)

    def closes(self, cell: _cells.Cell, rises: bool) -> bool:
        one, other = self._ends(cell, rises)
        return one == other

    def join(self, cell: _cells.Cell, rises: bool) -> None:
        one, other = self._ends(cell, rises)
        self.root[one] = other


@cache
def _ends(side: int) -> dict[_cells.Cell, tuple[tuple[_cells.Cell, bool], ...]]:
    """For each corner the cells around it, and whether they meet it by rising."""
    return {
        (row, column): tuple(
            ((row - up, column - left), up != left)
            for up in (1, 0)
            for left in (1, 0)
            if 0 <= row - up < side and 0 <= column - left < side
        )
        for row, column in _cells.cells(side + 1, side + 1)
    }


def _counts(side: int, numbers: dict[_cells.Cell, int]) -> Tallies:
    """What `_rules` says where a cell is marked that joins corners whose row and column add up to
    an even number. Of the lines at a corner all are then marked, or none."""
    tallies = _uncounted(side).copy()
    for number, (corner, count) in enumerate(numbers.items()):
        mask, size, *_ = tallies.tally(1 << number)
        marked = size - count if sum(corner) % 2 else count
        tallies.entries[number] = mask, size, marked, marked, 0
    return tallies


@cache
def _uncounted(side: int) -> Tallies:
    """The rules of all corners, none of which has its number yet, and that against loops."""
    tallies = Tallies(side**2)
    for ends in _ends(side).values():
        tallies.add(tuple(row * side + column for (row, column), _ in ends), _marks.counted(0, 0))
    tallies.add(tuple(range(side**2)), _unlooped(side), _treelike(side))
    return tallies


@cache
def _treelike(side: int) -> Whole:
    """No loop: corners that hang together are not joined by one more."""
    plain = list(range((side + 1) ** 2))
    ends = []
    for row, column in _cells.cells(side, side):
        corner = row * (side + 1) + column
        falling, rising = (corner, corner + side + 2), (corner + 1, corner + side + 1)
        ends.append((rising, falling) if (row + column) % 2 else (falling, rising))

    def narrow(may: int, free: int) -> Marks | None:
        root = plain.copy()
        open_ = list[int]()
        for cell, (marked, clear) in enumerate(ends):
            if not free >> cell & 1:
                one, two = marked
            elif not may >> cell & 1:
                one, two = clear
            else:
                open_.append(cell)
                continue
            while root[one] != one:
                root[one] = one = root[root[one]]
            while root[two] != two:
                root[two] = two = root[root[two]]
            if one == two:
                return None
            root[one] = two
        for corner, two in enumerate(root):
            while root[two] != two:
                two = root[two]
            root[corner] = two
        for cell in open_:
            (one, two), (three, four) = ends[cell]
            if root[one] == root[two]:
                may ^= 1 << cell
            if root[three] == root[four]:
                free ^= 1 << cell
        return None if ~(may | free) & (1 << len(ends)) - 1 else (may, free)

    return narrow


def _rules(side: int, numbers: dict[_cells.Cell, int]) -> Rules:
    """The rules of a board where a cell is marked that rises."""
    rules = Rules(side**2, marks=True)
    for corner, number in numbers.items():
        ends = _ends(side)[corner]
        cells = tuple(row * side + column for (row, column), _ in ends)
        name = f"the {number} at point ({corner[0] + 1}, {corner[1] + 1})"
        rules.add(Rule(cells, _meeting(tuple(slope for _, slope in ends), number), name))
    rules.add(Rule(tuple(range(side**2)), _unlooped(side), "no loop"))
    return rules


@cache
def _meeting(slopes: tuple[bool, ...], number: int) -> Narrow:
    """So many of the cells around a corner meet it, each by rising or else by falling."""
    counted = _marks.counted(number, number)

    def met(values: Values) -> Values:
        return [value if slope else MIRRORED[value] for value, slope in zip(values, slopes)]

    def narrow(values: Values) -> Values | None:
        after = counted(met(values))
        return after and met(after)

    return narrow


@cache
def _unlooped(side: int) -> Narrow:
    """No loop: corners that hang together by diagonals are not joined by one more."""
    above = [row * (side + 1) + column for row, column in _cells.cells(side, side)]
    rising = [(corner + 1, corner + side + 1) for corner in above]
    falling = [(corner, corner + side + 2) for corner in above]

    def narrow(values: Values) -> Values | None:
        root = list(range((side + 1) ** 2))

        def joined(one: int, other: int) -> bool:
            while root[one] != one:
                root[one] = one = root[root[one]]
            while root[other] != other:
                root[other] = other = root[root[other]]
            ends[:] = one, other
            return one == other

        ends = [0, 0]
        for value, rise, fall in zip(values, rising, falling):
            if value != _marks.OPEN:
                if joined(*(rise if value == _marks.MARKED else fall)):
                    return None
                root[ends[0]] = ends[1]
        return [
            value
            if value != _marks.OPEN
            else value
            & (_marks.CLEAR if joined(*rise) else _marks.OPEN)
            & (_marks.MARKED if joined(*fall) else _marks.OPEN)
            for value, rise, fall in zip(values, rising, falling)
        ]

    return narrow


def _line(cell: _cells.Cell, rises: bool) -> tuple[_cells.Cell, _cells.Cell]:
    row, column = cell
    if rises:
        return (row + 1, column), (row, column + 1)
    return (row, column), (row + 1, column + 1)


def _loops(lines: dict[_cells.Cell, tuple[_cells.Cell, _cells.Cell]]) -> list[list[_cells.Cell]]:
    """The cells of some loops, one for each line that joins what is joined already."""
    forest: defaultdict[_cells.Cell, dict[_cells.Cell, _cells.Cell]] = defaultdict(dict)
    piece_of: dict[_cells.Cell, list[_cells.Cell]] = {}
    found = []
    for cell, (one, other) in lines.items():
        piece, more = piece_of.get(one) or [one], piece_of.get(other) or [other]
        if piece is more:
            found.append([*_way(forest, one, other), cell])
            continue
        forest[one][other] = forest[other][one] = cell
        piece += more
        piece_of |= dict.fromkeys(piece, piece)
    return found


def _way(
    forest: dict[_cells.Cell, dict[_cells.Cell, _cells.Cell]], start: _cells.Cell, goal: _cells.Cell
) -> list[_cells.Cell]:
    """The cells on the way from one corner to another of the same piece."""
    waiting: list[tuple[_cells.Cell, list[_cells.Cell]]] = [(start, [])]
    while True:
        corner, way = waiting.pop()
        if corner == goal:
            return way
        for other, cell in forest[corner].items():
            if not way or cell != way[-1]:
                waiting.append((other, [*way, cell]))


LADDER = (
    Knobs(4, 1.0, 0),
    Knobs(5, 0.7, 0),
    Knobs(6, 0.55, 2),
    Knobs(8, 0.5, 4),
    Knobs(9, 0.45, 6),
)
FAMILY = Family(
    Lattice,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board(RISING + FALLING),
    hardness=hardness,
    proof="unique",
    solver="SAT over cells, with a clause for each loop that shows",
    guess_rate=0.02,
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=True,
    skills=("deduction", "search"),
    peers=("Enigmata/slant",),
    version=2,
)
