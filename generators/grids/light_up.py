"""Light Up: place lamps that light every cell of a board, none of them in the light of another.

Walls stop the light, and some say how many lamps stand at their sides. `generate` lights a board
and takes numbers away as long as deduction leads to one solution; `solve` proves by SAT that there
is one; `verify` follows each lamp's rays.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _marks, _realms, _tallies
from puzzlemill.generators.grids._deduction import Rule, Rules, Values
from puzzlemill.generators.grids._tallies import Marks, Tallies, Whole

Rows = tuple[str, ...]
Seen: TypeAlias = dict[_cells.Cell, set[_cells.Cell]]

MENDINGS = 12  # walls that may be added to be rid of second solutions
TRIES = 100  # suppositions in a search for a second solution


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board
    walls: float  # share of the cells that are walls, before some are added
    numbers: float  # share of the walls that keep their number, or more where each is needed
    suppositions: int  # how many may be needed beside deduction


@dataclass(frozen=True, slots=True)
class Room:
    rows: Rows  # "." is an open cell, "#" a wall, a digit a wall with that many lamps beside it


def generate(rng: Random, knobs: Knobs) -> Room | None:
    side = knobs.side
    full = (1 << side**2) - 1
    walls = set(rng.sample(range(side**2), round(knobs.walls * side**2)))
    lamps = 0
    for _ in range(MENDINGS):
        start = full & ~sum(1 << wall for wall in walls), full  # no wall may hold a lamp
        across, down = (
            [run for line in lines for run in _runs(line, start[0])]
            for lines in _tallies.lines(side)
        )
        lamps = _light(rng, side, across, down, lamps)
        tallies = Tallies(side**2)
        for wall in sorted(walls):
            number = sum(lamps >> cell & 1 for cell in _realms.near(side)[wall])
            tallies.add(_realms.near(side)[wall], _marks.counted(number, number))
        tallies.add(tuple(range(side**2)), None, _lit(across, down))
        right = lamps, full & ~lamps
        known = tallies.narrow(start, tallies.all)
        assert known, "a board has this solution"
        if not _marks.rival_marks(tallies, known, 0, right, knobs.suppositions // 2):
            break
        # A wall where a rival differs, to be rid of it; the lamps that stand stay right.
        may, free = _marks.rival_marks(tallies, known, 0, right, TRIES) or start
        other = (may ^ right[0]) | (free ^ right[1])
        where = rng.choice([cell for cell in range(side**2) if other >> cell & 1])
        walls.add(where)
        lamps &= ~(1 << where)
    else:
        return None

    bit_of = dict(zip(sorted(walls), tallies.bits))  # those of the numbers come first
    fewest = round(knobs.numbers * len(walls))
    shown = _marks.thinned_rules(rng, tallies, start, right, bit_of, fewest, knobs.suppositions)
    signs = ["#" if cell in walls else "." for cell in range(side**2)]
    for wall in shown or ():
        signs[wall] = str(sum(lamps >> cell & 1 for cell in _realms.near(side)[wall]))
    return Room(tuple("".join(signs[at : at + side]) for at in range(0, side**2, side)))


def solve(room: Room) -> Rows | None:
    """SAT: a variable for each open cell."""
    side = len(room.rows)
    board = _cells.cells(side, side)
    lamp = {cell: at for at, cell in enumerate((c for c in board if _sign(room, c) == "."), 1)}
    stretches: list[list[int]] = []
    for line in range(side):
        for cells in ([(line, at) for at in range(side)], [(at, line) for at in range(side)]):
            stretches.append([])
            for cell in cells:
                if cell in lamp:
                    stretches[-1].append(lamp[cell])
                else:
                    stretches.append([])
    lights: list[list[int]] = [[] for _ in range(len(lamp) + 1)]  # of each lamp, its cell's twice
    for stretch in stretches:
        for here in stretch:
            lights[here] += stretch
    bounds = [(stretch, 1) for stretch in stretches if len(stretch) > 1]
    for wall in board:
        if _sign(room, wall).isdigit():
            near = [lamp[cell] for cell in _cells.beside(wall, side, side) if cell in lamp]
            bounds += _sat.just(int(_sign(room, wall)), near)
    true = _sat.only_model(lights[1:], lamp.values(), bounds=bounds)
    if true is None:
        return None
    return tuple(
        "".join(
            "L" if lamp.get((row, column)) in true else sign for column, sign in enumerate(line)
        )
        for row, line in enumerate(room.rows)
    )


def verify(room: Room, rows: Rows) -> float:
    side = len(room.rows)
    if len(rows) != side or any(len(row) != side for row in rows):
        return 0.0
    if "".join(rows).replace("L", ".") != "".join(room.rows):
        return 0.0  # a wall is missing, has changed or has come to be, or carries a lamp
    light = [[0] * side for _ in range(side)]
    for row, column in _cells.cells(side, side):
        if rows[row][column] == "L":
            light[row][column] += 1
            for down, right in _cells.SIDES:
                r, c = row + down, column + right
                while 0 <= r < side and 0 <= c < side and rows[r][c] in ".L":
                    light[r][c] += 1
                    r, c = r + down, c + right
    for row, column in _cells.cells(side, side):
        sign = rows[row][column]
        if sign == "." and not light[row][column]:
            return 0.0
        if sign == "L" and light[row][column] > 1:
            return 0.0
        if sign.isdigit():
            near = sum(rows[r][c] == "L" for r, c in _cells.beside((row, column), side, side))
            if near != int(sign):
                return 0.0
    return 1.0


def render(room: Room, style: Style) -> Prompt:
    side = len(room.rows)
    picture = "\n".join(room.rows)
    return Prompt(
        style.pick(
            f"Place lamps in open cells of this {side}x{side} room so that every open cell is lit."
            ' Open cells are shown as "."; "#" and digits are walls.\n\n'
            f"{picture}\n\nA lamp lights its own cell and all cells in its row and column, up to"
            " the nearest wall in each direction. No lamp may be lit by another lamp. A digit tells"
            " how many of the cells directly above, below, left and right of that wall hold a lamp;"
            ' around a wall "#" there may be any number.',
            f"Light Up.\n\n{picture}\n\nThe dots are open cells, everything else is wall. Light"
            " shines from a lamp horizontally and vertically, in all four directions, until it"
            " meets a wall or the edge. Choose open cells for the lamps so that (1) each open cell"
            " holds a lamp or is in the light of one, (2) no two lamps shine on each other, and (3)"
            " each wall with a digit shares a side with exactly that many lamps. Walls without a"
            " digit (#) set no condition.",
            f"On the following plan of {side} rows and {side} columns, lamps are to be put into"
            ' cells marked ".", never into walls (# and digits). The number on a wall is the exact'
            ' number of lamps that share a side with it; a wall "#" may have any number of them.'
            " Each lamp shines along its row and its column as far as the next wall. In the end"
            " there must be light in every open cell, and two lamps must never see each other, that"
            f" is, stand in one row or column without a wall between them.\n\n{picture}",
        ),
        form='the rows of the completed plan, one line each: "L" for a lamp, every other sign as it'
        " is given",
    )


def steps(room: Room) -> list[str]:
    side = len(room.rows)
    everything = _cells.cells(side, side)
    walls = {cell for cell in everything if _sign(room, cell) != "."}
    numbers = {cell: int(_sign(room, cell)) for cell in everything if _sign(room, cell).isdigit()}
    said = _marks.telling(side, "no lamp", "lamp")
    return _marks.worked(_rules(side, walls, numbers), _start(side, walls), said)


def progress(room: Room, lines: Lines) -> float:
    return cells_filled(FAMILY, room, lines, room.rows, ".", {"lamp": "L", "no lamp": "."})


def canon(room: Room) -> _cells.Board[str]:
    """The least of the room's turns and reflections."""
    return min(_cells.turns(room.rows))


def hardness(room: Room) -> float:
    """Open cells, and walls that do not say how many lamps they touch."""
    picture = "".join(room.rows)
    return float(picture.count(".") + picture.count("#"))


def _sign(room: Room, cell: _cells.Cell) -> str:
    return room.rows[cell[0]][cell[1]]


def _light(rng: Random, side: int, across: list[int], down: list[int], lamps: int) -> int:
    """Lamps with others added, each where it is dark yet: so none comes to stand in another's
    light."""
    dark = sum(across)
    for run in (*across, *down):
        if run & lamps:
            dark &= ~run
    for cell in rng.sample(range(side**2), side**2):
        bit = 1 << cell
        if dark & bit:
            lamps |= bit
            for runs in (across, down):
                dark &= ~next(run for run in runs if run & bit)
    return lamps


def _runs(line: int, open_: int) -> list[int]:
    """A row or column, cut at the walls."""
    left, found = line & open_, []
    while left:
        # What is added to the first cell is carried past all that follow, up to a wall.
        run = left & ~((left | ~line) + (left & -left))
        left ^= run
        found.append(run)
    return found


def _lit(across: list[int], down: list[int]) -> Whole:
    """No lamp stands in another's light, and each open cell is lit."""
    lights = dict[int, int]()
    for run in (*across, *down):
        left = run
        while left:
            bit = left & -left
            left ^= bit
            lights[bit] = lights.get(bit, 0) | run
    open_ = sum(across)

    def whole(may: int, free: int) -> Marks | None:
        sure = may & ~free
        dark, left = open_, sure
        while left:
            lamp = left & -left
            left ^= lamp
            light = lights[lamp]
            if light & sure != lamp:
                return None
            dark &= ~light
        may &= dark | sure
        while dark:
            cell = dark & -dark
            dark ^= cell
            lamp = may & lights[cell]
            if not lamp & (lamp - 1):
                if not lamp:
                    return None
                # The only one that can light this cell.
                free &= ~lamp
        return may, free

    return whole


def _seen(stretches: list[list[_cells.Cell]]) -> Seen:
    """For each open cell, those that a lamp there lights, itself too."""
    seen: Seen = defaultdict(set)
    for stretch in stretches:
        for cell in stretch:
            seen[cell].update(stretch)
    return seen


def _start(side: int, walls: set[_cells.Cell]) -> Values:
    return [_marks.CLEAR if cell in walls else _marks.OPEN for cell in _cells.cells(side, side)]


def _rules(side: int, walls: set[_cells.Cell], numbers: dict[_cells.Cell, int]) -> Rules:
    rules = Rules(side**2, marks=True)
    open_ = sum(1 << r * side + c for r, c in _cells.cells(side, side) if (r, c) not in walls)
    stretches = [
        [cell for cell in _cells.cells(side, side) if run >> cell[0] * side + cell[1] & 1]
        for lines in zip(*_tallies.lines(side))
        for line in lines
        for run in _runs(line, open_)
    ]
    for wall, number in numbers.items():
        near = _numbered(_cells.beside(wall, side, side), side)
        rules.add(Rule(near, _marks.counted(number, number), f"the {number} at {_named(wall)}"))
    for stretch in stretches:
        if len(stretch) > 1:
            name = f"one lamp from {_named(stretch[0])} to {_named(stretch[-1])}"
            rules.add(Rule(_numbered(stretch, side), _marks.counted(0, 1), name))
    for cell, lights in sorted(_seen(stretches).items()):
        enough = _marks.counted(1, len(lights))
        rules.add(Rule(_numbered(sorted(lights), side), enough, f"light for {_named(cell)}"))
    return rules


def _numbered(cells: Iterable[_cells.Cell], side: int) -> tuple[int, ...]:
    return tuple([row * side + column for row, column in cells])


def _named(cell: _cells.Cell) -> str:
    return f"({cell[0] + 1}, {cell[1] + 1})"


LADDER = (
    Knobs(4, 0.25, 1.0, 0),
    Knobs(5, 0.25, 0.8, 0),
    Knobs(7, 0.25, 0.6, 2),
    Knobs(9, 0.25, 0.5, 6),
    Knobs(11, 0.25, 0.4, 16),
)
FAMILY = Family(
    Room,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board(".#01234L"),
    hardness=hardness,
    proof="unique",
    solver="SAT over cells",
    guess_rate=0.02,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("deduction", "search"),
    peers=("Enigmata/light_up", "InternBootcamp/light_up", "RLVE/light_up_puzzle"),
    version=2,
)
