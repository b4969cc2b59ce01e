"""Nurikabe: a wall in one piece, without a 2x2 block, around islands of the sizes that are given.

`generate` opens islands in a wall and moves their numbers as long as deduction, with a bounded
search, leaves another wall; `solve` proves by SAT, with a clause for each piece of wall or island
that is cut off, that there is no other; `verify` floods the answer's pieces.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from itertools import pairwise
from operator import or_
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.grid import in_rows
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _marks, _tallies
from puzzlemill.generators.grids._deduction import Narrow, Rule, Rules, Values
from puzzlemill.generators.grids._tallies import Marks, Tallies, Whole

Rows: TypeAlias = tuple[str, ...]
Numbers: TypeAlias = dict[int, int]  # the size of an island, by the cell where it stands

BOARDS = 60  # walls built until one has numbers that leave no other
CHANGES = 5  # for each row, before a wall is given up
OPENED = 0.15  # how often a cell in no 2x2 block is opened as well
CLOSED = 0.7  # how often a cell of an island is closed instead of given the number
SEARCHED = 2  # cells left open for each supposition, that a search is tried

# Cells as bits of an integer, the first one highest.
_IS_WALL = bytes.maketrans(bytes([_marks.CLEAR, _marks.MARKED, _marks.OPEN]), b"010")
_IS_ISLAND = bytes.maketrans(bytes([_marks.CLEAR, _marks.MARKED, _marks.OPEN]), b"100")


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board
    island: int  # cells of the largest islands
    suppositions: int  # how many may be needed beside deduction


@dataclass(frozen=True, slots=True)
class Sea:
    numbers: tuple[tuple[int, ...], ...]  # the size of the island that a cell is in; 0 is open


def generate(rng: Random, knobs: Knobs) -> Sea | None:
    side = knobs.side
    for _ in range(BOARDS):
        numbers = _settled(rng, side, knobs.island, knobs.suppositions)
        if numbers is not None:
            return Sea(in_rows(tuple(numbers.get(cell, 0) for cell in range(side**2)), side))
    return None


def solve(sea: Sea) -> Rows | None:
    """SAT: for each cell and each number that is near enough, whether it is of that island."""
    side = len(sea.numbers)
    board = _cells.cells(side, side)
    sizes = {(r, c): sea.numbers[r][c] for r, c in board if sea.numbers[r][c]}
    circuit, bounds = _sat.Circuit(), list[_sat.Bound]()
    island = defaultdict[_cells.Cell, list[int]](list)  # the cells that may be of each
    land = {cell: circuit.variable(cell) for cell in board}
    own: dict[tuple[_cells.Cell, _cells.Cell], int] = {}  # by a cell, and a number's cell
    for cell in board:
        near = [home for home, size in sizes.items() if _distance(cell, home) < size]
        own |= {(cell, home): circuit.variable((cell, home)) for home in near}
        owned = [own[cell, home] for home in near]
        circuit.clauses.append([-land[cell], *owned])
        bounds.append((owned, 1))
        circuit.clauses += [[-each, land[cell]] for each in owned]
    for (cell, home), here in own.items():
        beside = _cells.beside(cell, side, side)
        joined = [own[other, home] for other in beside if (other, home) in own]
        if cell == home:
            circuit.clauses.append([here])
        else:
            circuit.clauses.append([-here, *joined])
        for other in beside:
            same = [own[other, home]] if (other, home) in own else []
            circuit.clauses.append([-here, -land[other], *same])
        island[home].append(here)
    for home, size in sizes.items():
        bounds += _sat.just(size, island[home])
    for row, column in _cells.cells(side - 1, side - 1):
        block = [(row + down, column + right) for down in (0, 1) for right in (0, 1)]
        circuit.clauses.append([land[cell] for cell in block])

    def cuts(true: set[int]) -> list[_sat.Clause]:
        walls = _cells.pieces([cell for cell in board if land[cell] not in true])
        found = []
        for piece, other in zip(walls, walls[1:] + walls[:1] if len(walls) > 1 else []):
            # Between two cells of wall, the cells around the one's piece are not all land.
            bridge = [-land[cell] for cell in _cells.border(piece, side, side)]
            found.append([*bridge, land[piece[0]], land[other[0]]])
        for piece in _cells.pieces([cell for cell in board if land[cell] in true]):
            if not any(cell in sizes for cell in piece):
                bridge = [land[cell] for cell in _cells.border(piece, side, side)]
                found += [[-land[cell], *bridge] for cell in piece]
        return found

    true = _sat.only_model(circuit.clauses, land.values(), cuts, bounds)
    if true is None:
        return None
    return tuple(
        "".join("." if land[row, column] in true else "#" for column in range(side))
        for row in range(side)
    )


def verify(sea: Sea, rows: Rows) -> float:
    side = len(sea.numbers)
    if len(rows) != side or any(len(row) != side or set(row) - set("#.") for row in rows):
        return 0.0
    if any(
        upper[column : column + 2] == lower[column : column + 2] == "##"
        for upper, lower in pairwise(rows)
        for column in range(side - 1)
    ):
        return 0.0
    walls = 0
    seen: set[_cells.Cell] = set()
    for row in range(side):
        for column in range(side):
            if (row, column) in seen:
                continue
            piece = _piece(rows, row, column)
            seen |= piece
            if rows[row][column] == "#":
                walls += 1
            elif [sea.numbers[r][c] for r, c in piece if sea.numbers[r][c]] != [len(piece)]:
                return 0.0
    # What is left of the numbers stands in the wall.
    dry = all(
        sign == "." or not number
        for signs, numbers in zip(rows, sea.numbers)
        for sign, number in zip(signs, numbers)
    )
    return float(walls <= 1 and dry)


def render(sea: Sea, style: Style) -> Prompt:
    side = len(sea.numbers)
    picture = _cells.drawn([[number or "-" for number in row] for row in sea.numbers])
    return Prompt(
        style.pick(
            f"Nurikabe. Every cell of this {side}x{side} board is either wall or part of an island;"
            f' "-" marks a cell without a number.\n\n{picture}\n\nFind the wall:\n- Each island is'
            " a group of cells that are connected along their sides and holds exactly one number,"
            " which says how many cells the island has. A cell with a number is never wall.\n- Two"
            " islands never share a side (they may touch at a corner).\n- All wall cells are"
            " connected: from each there is a way to every other over wall cells that share a"
            " side.\n- No 2x2 block of cells is all wall.",
            f"{picture}\n\nThis is the map of a sea with {side} rows and {side} columns. A number"
            ' is a piece of land; every other cell, drawn as "-", may be land or water. Land cells'
            " that adjoin along a side belong to the same island. Every island has one number and"
            " no more, and it has as many cells as the number says, the number's own cell included."
            " The water is a single connected body: one can sail from any water cell to any other,"
            " moving up, down, left and right over water. And nowhere do four water cells form a"
            " square of two by two. Only one map fits; draw it.",
            f"Which cells of this board ({side} rows, {side} columns) are black?\n\n{picture}\n\n"
            'Rules: (1) cells with numbers are white, the others ("-") are white or black; (2)'
            " each area of white cells, connected horizontally and vertically, contains exactly one"
            " number, equal to its count of cells; (3) the black cells form one area, connected"
            " horizontally and vertically; (4) no four black cells make up a 2x2 square. Corners"
            " that touch do not connect anything. There is exactly one solution.",
        ),
        form=style.pick(
            'the rows of the board, one line each: "#" for a wall cell, "." for an island cell,'
            " with or without a number",
            'the rows of the map, one line each: "#" for water, "." for land, also where a number'
            " stands",
            'the rows of the board, one line each: "#" for a black cell, "." for a white one, also'
            " in place of a number",
        ),
    )


def steps(sea: Sea) -> list[str]:
    side = len(sea.numbers)
    numbers = {
        row * side + column: sea.numbers[row][column]
        for row, column in _cells.cells(side, side)
        if sea.numbers[row][column]
    }
    said = _marks.telling(side, "island", "wall")
    return _marks.worked(_rules(side, numbers), _start(side, numbers), said)


def progress(sea: Sea, lines: Lines) -> float:
    return cells_filled(FAMILY, sea, lines, marks={"wall": "#", "island": "."})


def canon(sea: Sea) -> _cells.Board[int]:
    """The least of the board's turns and reflections."""
    return min(_cells.turns(sea.numbers))


def hardness(sea: Sea) -> float:
    """Cells without a number."""
    return float(sum(row.count(0) for row in sea.numbers))


def _distance(one: _cells.Cell, other: _cells.Cell) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def _piece(rows: Rows, row: int, column: int) -> set[_cells.Cell]:
    """The cells that hang together with a cell and are of its sign."""
    sign, found, waiting = rows[row][column], {(row, column)}, [(row, column)]
    while waiting:
        r, c = waiting.pop()
        for near in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
            inside = 0 <= near[0] < len(rows) and 0 <= near[1] < len(rows)
            if inside and near not in found and rows[near[0]][near[1]] == sign:
                found.add(near)
                waiting.append(near)
    return found


class _Frame:
    """A rectangle of cells as bits."""

    def __init__(self, rows: int, columns: int) -> None:
        self.columns = columns
        self.size = rows * columns
        self.full = (1 << self.size) - 1
        last = sum(1 << row * columns for row in range(rows))
        # The cells that have one to their right, and those that have one to their left.
        self.right, self.left = self.full & ~last, self.full & ~(last << columns - 1)

    def bit(self, place: int) -> int:
        return 1 << self.size - 1 - place

    def grown(self, bits: int) -> int:
        """The bits and those beside them."""
        return self.full & (
            bits
            | (bits & self.left) << 1
            | (bits & self.right) >> 1
            | bits << self.columns
            | bits >> self.columns
        )

    def blocks(self, wall: int) -> int:
        """Where 2x2 blocks of wall end."""
        pairs = wall & (wall & self.right) >> 1
        return pairs & pairs >> self.columns

    def is_whole(self, wall: int) -> bool:
        return self.flood(wall & -wall, wall) == wall

    def reach(self, bits: int, within: int, steps: int) -> int:
        """Where one gets from bits within others in so many steps."""
        # As in grown, which is too dear to call here.
        left, right, columns = self.left, self.right, self.columns
        within |= bits
        for _ in range(steps):
            more = bits | (bits & left) << 1 | (bits & right) >> 1 | bits << columns
            more = (more | bits >> columns) & within
            if more == bits:
                break
            bits = more
        return bits

    def reach_few(self, bits: int, within: int, most: int) -> int:
        """Where one gets in as many steps as lead to so many cells at most."""
        more = bits
        while more.bit_count() <= most:
            bits, more = more, self.reach(more, within, 1)
            if more == bits:
                break
        return bits

    def flood(self, bits: int, within: int) -> int:
        """What hangs together with bits."""
        return self.reach(bits, within, self.size)


@cache
def _frame(rows: int, columns: int) -> _Frame:
    return _Frame(rows, columns)


def _settled(rng: Random, side: int, most: int, suppositions: int) -> Numbers | None:
    """Numbers that leave one wall: changed one by one, never so that deduction leaves more open,
    and where another wall was found, then where that one differs."""
    frame = _frame(side, side)
    wall = _opened(rng, frame, most)
    if wall is None:
        return None
    numbers = _numbered(rng, frame, wall, 0)
    best, least, open_ = (wall, numbers), frame.size, [0]
    for change in range(CHANGES * side):
        if change:
            wall, numbers = _changed(rng, frame, *best, rng.choice(open_), most)
            if (wall, numbers) == best:
                continue
        tallies = _tallied(side, numbers)
        start = frame.full & ~sum(1 << cell for cell in numbers), frame.full
        marks = tallies.narrow(start, tallies.all)
        assert marks, "a wall has these numbers"
        undecided = marks[0] & marks[1]
        left = undecided.bit_count()
        if not left:
            return numbers
        if left <= least:
            if left < least and left <= SEARCHED * suppositions:
                solution = sum(1 << cell for cell in range(frame.size) if wall & frame.bit(cell))
                right = solution, frame.full & ~solution
                rival = _marks.rival_marks(tallies, marks, tallies.all, right, suppositions)
                if rival is None:
                    return numbers
                if not rival[0] & rival[1]:
                    undecided = rival[0] ^ solution
            best, least = (wall, numbers), left
            open_ = [cell for cell in range(frame.size) if undecided >> cell & 1]
    return None


def _opened(rng: Random, frame: _Frame, most: int) -> int | None:
    """A wall with islands of at most so many cells, opened one by one until there is no 2x2 block;
    None where one stays."""
    wall = frame.full
    for cell in rng.sample(range(frame.size), frame.size):
        less = wall & ~frame.bit(cell)
        if rng.random() < OPENED or frame.blocks(less) != frame.blocks(wall):
            island = frame.flood(frame.bit(cell), frame.full & ~less)
            if island.bit_count() <= most and frame.is_whole(less):
                wall = less
    return None if frame.blocks(wall) else wall


def _changed(
    rng: Random, frame: _Frame, wall: int, numbers: Numbers, cell: int, most: int
) -> tuple[int, Numbers]:
    """Another wall or other numbers: a cell is opened or closed where it can be, or is an island's
    new place for its number."""
    bit, places = frame.bit(cell), sum(map(frame.bit, numbers))
    other = wall ^ bit
    island = frame.flood(bit, frame.full & ~wall | bit)
    if wall & bit:
        fits = 1 < island.bit_count() <= most and frame.is_whole(other)
    else:
        places = places & ~island | bit
        fits = rng.random() < CLOSED and frame.is_whole(other) and not frame.blocks(other)
    if not fits:
        other = wall
    return other, _numbered(rng, frame, other, places)


def _numbered(rng: Random, frame: _Frame, wall: int, places: int) -> Numbers:
    """A number for each island, where it has one of the places there if it can."""
    numbers, left = {}, frame.full & ~wall
    while left:
        island = frame.flood(left & -left, left)
        left &= ~island
        place = rng.choice(_bits(island & places or island))
        numbers[frame.size - place.bit_length()] = island.bit_count()
    return numbers


def _start(side: int, numbers: Numbers) -> Values:
    return [_marks.CLEAR if cell in numbers else _marks.OPEN for cell in range(side**2)]


def _rules(side: int, numbers: Numbers) -> Rules:
    rules = Rules(side**2, _blocks(side))
    for cell, size in numbers.items():
        rules.add(_island(side, numbers, cell, size))
    everything = tuple(range(side**2))
    narrow, _ = _reached(side, numbers)
    rules.add(Rule(everything, narrow, "no island gets so far"))
    rules.add(_marks.connected(side, _marks.MARKED))
    return rules


def _tallied(side: int, numbers: Numbers) -> Tallies:
    """The same rules, for a board whose cells are counted from the lowest bit. An island's has no
    more cells than it must: each that changes makes it look again."""
    tallies = Tallies(side**2)
    everything = tuple(range(side**2))
    tallies.add(everything, None, _tallies.no_blocks(side))
    homes = sum(1 << cell for cell in numbers)
    for cell, size in numbers.items():
        cells, inside = _near(side, cell, size)
        claim = _claim(side, inside, cell, homes & inside & ~(1 << cell), size)
        tallies.add(cells, None, claim)
    _, reached = _reached(side, numbers)
    wall = _tallies.connected(side, _marks.MARKED)
    for whole in (reached, wall):
        tallies.add(everything, None, whole)
    return tallies


@cache
def _within(side: int, home: int, size: int) -> tuple[int, ...]:
    """The rectangle that an island can reach and the cells around it."""
    row, column = divmod(home, side)
    top, left = max(row - size, 0), max(column - size, 0)
    bottom, right = min(row + size + 1, side), min(column + size + 1, side)
    return tuple(r * side + c for r in range(top, bottom) for c in range(left, right))


@cache
def _near(side: int, home: int, size: int) -> tuple[tuple[int, ...], int]:
    """The cells that an island can reach and those around them, and their bits."""
    start = divmod(home, side)
    cells = [cell for cell in range(side**2) if _distance(divmod(cell, side), start) <= size]
    return tuple(cells), sum(1 << cell for cell in cells)


@lru_cache(1 << 12)
def _claim(side: int, inside: int, home: int, others: int, size: int) -> Whole:
    """The rule of an island, as `_sized` has it."""
    board, start = _frame(side, side), 1 << home

    def whole(may: int, free: int) -> Marks | None:
        land, wall = free & ~may & inside, may & ~free & inside
        found = _forced(board, inside, start, others, size, land, wall)
        return found and _kept(may, free, *found)

    return whole


@cache
def _blocks(side: int) -> tuple[Rule, ...]:
    corners = [row * side + column for row, column in _cells.cells(side - 1, side - 1)]
    return tuple(
        Rule(
            (corner, corner + 1, corner + side, corner + side + 1),
            _marks.counted(0, 3),
            f"the 2x2 block from {_marks.named(corner, side)}",
        )
        for corner in corners
    )


def _island(side: int, numbers: Numbers, home: int, size: int) -> Rule:
    """The rule of one island, over the rectangle that it can reach and the cells around it."""
    cells = _within(side, home, size)
    columns = cells[-1] % side - cells[0] % side + 1
    frame = _frame(len(cells) // columns, columns)
    start = frame.bit(cells.index(home))
    foreign = sum(
        frame.bit(place) for place, cell in enumerate(cells) if cell in numbers and cell != home
    )
    name = f"the island of the {size} at {_marks.named(home, side)}"
    return Rule(cells, _sized(frame, start, foreign, size), name)


def _sized(frame: _Frame, start: int, foreign: int, size: int) -> Narrow:
    """The island grows to its size and no further, and to no other number."""

    def narrow(values: Values) -> Values | None:
        plain = bytes(values)
        land = int(plain.translate(_IS_ISLAND), 2)
        wall = int(plain.translate(_IS_WALL), 2)
        found = _forced(frame, frame.full, start, foreign, size, land, wall)
        return None if found is None else _marked(frame, values, *found)

    return narrow


@lru_cache(1 << 14)  # moving one number leaves most islands what they were
def _forced(
    frame: _Frame, full: int, start: int, foreign: int, size: int, land: int, wall: int
) -> tuple[int, int] | None:
    """What must be land and what wall for an island within a rectangle that is full; None where it
    has no way to be."""
    own = frame.flood(start, land)
    missing = size - own.bit_count()
    if missing < 0 or own & foreign:
        return None
    if not missing:
        return 0, frame.grown(own) & full & ~own & ~wall
    free = full & ~wall & ~frame.grown(frame.flood(foreign, land))
    inner = frame.reach(own, free, missing - 1)
    reach = inner | frame.grown(inner) & free
    if reach.bit_count() < size:
        return None
    # No way leads over what is reached last of all, so it is needed only where nothing is to spare.
    doubtful = (reach if reach.bit_count() == size else inner) & ~land
    # Nor is one needed where enough are as near without it.
    doubtful &= frame.reach_few(own, free, size)
    needed = sum(
        bit for bit in _bits(doubtful) if frame.reach(own, free & ~bit, missing).bit_count() < size
    )
    around = 0
    if missing == 1:
        # Whichever cell is added, what lies beside all that can be is beside the island.
        around = full
        for bit in _bits(reach & ~own):
            around &= frame.grown(bit)
        around &= ~reach & ~wall
        if around & land:
            return None
    return needed, around


def _bits(bits: int) -> list[int]:
    found = []
    while bits:
        found.append(bits & -bits)
        bits &= bits - 1
    return found


def _marked(frame: _Frame, values: Values, land: int, wall: int) -> Values:
    """The values, with land and wall where bits say so."""
    if not land and not wall:
        return values
    found = list(values)
    for bits, value in ((land, _marks.CLEAR), (wall, _marks.MARKED)):
        for bit in _bits(bits):
            found[frame.size - bit.bit_length()] &= value
    return found


def _reached(side: int, numbers: Numbers) -> tuple[Narrow, Whole]:
    """What no island reaches is wall."""
    frame = _frame(side, side)
    homes = [(frame.bit(cell), size) for cell, size in numbers.items()]
    turned = [(1 << cell, size) for cell, size in numbers.items()]

    def left_out(land: int, wall: int, homes: list[tuple[int, int]]) -> int | None:
        pieces = [(frame.flood(home, land), size) for home, size in homes]
        taken = reach = reduce(or_, (own for own, _ in pieces), 0)
        for own, size in pieces:
            free = frame.full & ~wall & ~frame.grown(taken & ~own)
            reach |= frame.reach(own, free, max(size - own.bit_count(), 0))
        return None if land & ~reach else frame.full & ~reach & ~wall

    def narrow(values: Values) -> Values | None:
        plain = bytes(values)
        land = int(plain.translate(_IS_ISLAND), 2)
        wall = int(plain.translate(_IS_WALL), 2)
        out = left_out(land, wall, homes)
        return None if out is None else _marked(frame, values, 0, out)

    def whole(may: int, free: int) -> Marks | None:
        out = left_out(free & ~may, may & ~free, turned)
        return None if out is None else _kept(may, free, 0, out)

    return narrow, whole


def _kept(may: int, free: int, land: int, wall: int) -> Marks | None:
    """A board, with land and wall where bits say so."""
    may &= ~land
    free &= ~wall
    return None if land & ~free or wall & ~may else (may, free)


LADDER = (
    Knobs(4, 4, 0),
    Knobs(6, 5, 0),
    Knobs(7, 6, 4),
    Knobs(8, 7, 8),
    Knobs(9, 8, 12),
)
FAMILY = Family(
    Sea,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board("#."),
    hardness=hardness,
    proof="unique",
    solver="SAT over cells and islands, with a clause for each piece that is cut off",
    guess_rate=0.04,
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=True,
    skills=("deduction", "search"),
    peers=("SynLogic/number_wall", "InternBootcamp/nurikabe"),
    version=3,
)
