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
from puzzlemill.generators.grids import _marks, _tallies
from puzzlemill.generators.grids._deduction import Rule, Rules, Values
from puzzlemill.generators.grids._tallies import Tallies

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
    everything = _cells.cells(side, side)
    walls = set(rng.sample(everything, round(knobs.walls * side**2)))
    lamps: set[_cells.Cell] = set()
    for _ in range(MENDINGS):
        stretches = _stretches(side, walls)
        seen = _seen(stretches)
        _light(rng, side, seen, lamps)
        numbers = {
            wall: sum(cell in lamps for cell in _cells.beside(wall, side, side))
            for wall in sorted(walls)
        }
        solution = [_marks.MARKED if cell in lamps else _marks.CLEAR for cell in everything]
        tallies = _tallied(side, numbers, stretches, seen)
        start = _tallies.packed(_start(side, walls))
        if _tallies.completions(tallies, start, knobs.suppositions) == 1:
            break
        # A wall where a rival differs, to be rid of it; the lamps that stand stay right.
        right = _tallies.packed(solution)
        other = _marks.rival_marks(tallies, start, tallies.all, right, TRIES) or start
        values = _tallies.unpacked(other, side**2)
        where = everything[
            rng.choice([at for at, value in enumerate(values) if value != solution[at]])
        ]
        walls.add(where)
        lamps.discard(where)
    else:
        return None

    rule_of = {wall: number for number, wall in enumerate(numbers)}  # they come first

    def settles(shown: list[_cells.Cell]) -> bool:
        kept = [*map(rule_of.__getitem__, shown), *range(len(rule_of), len(tallies.bits))]
        return _tallies.completions(tallies.only(kept), start, knobs.suppositions) == 1

    shown = _marks.thinned(rng, sorted(walls), round(knobs.numbers * len(walls)), settles)
    signs = {cell: "#" if cell in walls else "." for cell in everything}
    signs |= {wall: str(numbers[wall]) for wall in shown or ()}
    return Room(tuple("".join(signs[row, column] for column in range(side)) for row in range(side)))


def solve(room: Room) -> Rows | None:
    """SAT: a variable for each open cell."""
    side = len(room.rows)
    open_ = [cell for cell in _cells.cells(side, side) if _sign(room, cell) == "."]
    lamp = {cell: at for at, cell in enumerate(open_, 1)}
    clauses, bounds = list[_sat.Clause](), list[_sat.Bound]()
    for cell in open_:
        up, right, down, left = (
            [lamp[other] for other in _ray(room, cell, step)] for step in _cells.SIDES
        )
        clauses.append([lamp[cell], *up, *right, *down, *left])
        # The first cell of each stretch tells of the whole.
        bounds += (
            ([lamp[cell], *ahead], 1) for back, ahead in ((up, down), (left, right)) if not back
        )
    for wall in _cells.cells(side, side):
        if _sign(room, wall).isdigit():
            near = [lamp[cell] for cell in _cells.beside(wall, side, side) if cell in lamp]
            bounds += _sat.just(int(_sign(room, wall)), near)
    true = _sat.only_model(clauses, lamp.values(), bounds=bounds)
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


def _ray(room: Room, cell: _cells.Cell, step: _cells.Cell) -> list[_cells.Cell]:
    """The open cells from a cell on in one direction, up to a wall or the edge."""
    side, (down, right) = len(room.rows), step
    row, column = cell[0] + down, cell[1] + right
    found = []
    while 0 <= row < side and 0 <= column < side and room.rows[row][column] == ".":
        found.append((row, column))
        row, column = row + down, column + right
    return found


def _light(rng: Random, side: int, seen: Seen, lamps: set[_cells.Cell]) -> None:
    """Add lamps, each where it is dark yet: so none comes to stand in another's light."""
    for cell in rng.sample(_cells.cells(side, side), side**2):
        if cell in seen and lamps.isdisjoint(seen[cell]):
            lamps.add(cell)


def _stretches(side: int, walls: set[_cells.Cell]) -> list[list[_cells.Cell]]:
    """The rows and columns, cut at the walls."""
    found: list[list[_cells.Cell]] = []
    for number in range(side):
        for line in (
            [(number, step) for step in range(side)],
            [(step, number) for step in range(side)],
        ):
            found.append([])
            for cell in line:
                if cell in walls:
                    found.append([])
                else:
                    found[-1].append(cell)
    return [stretch for stretch in found if stretch]


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
    rules, stretches = Rules(side**2, marks=True), _stretches(side, walls)
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


def _tallied(
    side: int, numbers: dict[_cells.Cell, int], stretches: list[list[_cells.Cell]], seen: Seen
) -> Tallies:
    """The same without names, those of the numbers first."""
    tallies = Tallies(side**2)
    for wall, number in numbers.items():
        near = _numbered(_cells.beside(wall, side, side), side)
        tallies.add(near, _marks.counted(number, number))
    for stretch in stretches:
        if len(stretch) > 1:
            tallies.add(_numbered(stretch, side), _marks.counted(0, 1))
    for lights in seen.values():
        tallies.add(_numbered(lights, side), _marks.counted(1, len(lights)))
    return tallies


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
