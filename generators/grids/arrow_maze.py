"""Arrow maze: fill a board with arrows that run away from its numbers, as many as each number says.

`generate` sets numbers and lets arrows run from them until the board is full, and shows an arrow
where the numbers do not settle it; `solve` proves by SAT that one filling is left; `verify` follows
the arrows out of each number and looks whether any is left over.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _deduction
from puzzlemill.generators.grids._deduction import Rule, Rules, Values

Rows: TypeAlias = tuple[str, ...]

ARROWS = "URDL"  # in the order of _cells.SIDES
OPEN = "."

MOST = 9  # arrows of one number


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board
    suppositions: int  # that a proof of the single filling may take


@dataclass(frozen=True, slots=True)
class Maze:
    rows: Rows  # a digit, a letter for an arrow that is shown, "." for an open cell


def generate(rng: Random, knobs: Knobs) -> Maze | None:
    side = knobs.side
    signs = _filled(rng, side)
    if signs is None:
        return None
    shown = {cell: sign for cell, sign in signs.items() if sign.isdigit()}
    maze = _maze(side, shown)
    rules, values = _rules(maze), _values(maze)
    if not rules.narrow(values):
        return None
    while left := _deduction.undecided(values):
        if knobs.suppositions and rules.settles(values, knobs.suppositions):
            break
        place = rng.choice(left)
        cell = divmod(place, side)
        shown[cell] = signs[cell]
        values[place] = 1 << ARROWS.index(signs[cell])
        rules.narrow_around(values, place)  # an arrow of the filling contradicts nothing
    return _maze(side, shown)


def solve(maze: Maze) -> Rows | None:
    """SAT: a variable for each way that an arrow in an open cell may point."""
    side = len(maze.rows)
    circuit = _sat.Circuit()
    ways: dict[_cells.Cell, list[int]] = {}
    for number, rays in _rays(maze.rows).items():
        arrows = []
        for way, ray in enumerate(rays):
            before = None
            for cell in ray:
                here = circuit.variable((cell, way))
                ways.setdefault(cell, []).append(here)
                arrows.append(here)
                if before is not None:
                    circuit.clauses.append([-here, before])
                if maze.rows[cell[0]][cell[1]] == ARROWS[way]:
                    circuit.clauses.append([here])
                before = here
        circuit.exactly(arrows, int(maze.rows[number[0]][number[1]]))
    for row, column in _cells.cells(side, side):
        if not maze.rows[row][column].isdigit():
            circuit.clauses += _sat.exactly_one(ways.get((row, column), []))
    deciding = [variable for choices in ways.values() for variable in choices]
    true = _sat.only_model(circuit.clauses, deciding)
    if true is None:
        return None
    signs = {
        cell: ARROWS[way]
        for cell in ways
        for way in range(4)
        if circuit.variables.get((cell, way)) in true
    }
    return tuple(
        "".join(signs.get((row, column), sign) for column, sign in enumerate(line))
        for row, line in enumerate(maze.rows)
    )


def verify(maze: Maze, rows: Rows) -> float:
    side = len(maze.rows)
    if len(rows) != side or any(len(row) != side for row in rows):
        return 0.0
    for shown, filled in zip(maze.rows, rows, strict=True):
        for old, new in zip(shown, filled, strict=True):
            if new not in ARROWS if old == OPEN else new != old:
                return 0.0
    met = 0
    for row, column in _cells.cells(side, side):
        if rows[row][column].isdigit():
            out = 0
            for arrow, down, right in (("U", -1, 0), ("D", 1, 0), ("L", 0, -1), ("R", 0, 1)):
                r, c = row + down, column + right
                while 0 <= r < side and 0 <= c < side and rows[r][c] == arrow:
                    out += 1
                    r, c = r + down, c + right
            if out != int(rows[row][column]):
                return 0.0
            met += out
    # An arrow is met from one number at most, so that none is left over if the sum is right.
    return float(met == sum(sign in ARROWS for row in rows for sign in row))


def render(maze: Maze, style: Style) -> Prompt:
    side = len(maze.rows)
    picture = "\n".join(maze.rows)
    hints = any(sign in ARROWS for row in maze.rows for sign in row)
    some = " Some arrows are there already; they stay." if hints else ""
    return Prompt(
        style.pick(
            f"Fill every open cell (.) of this {side}x{side} board with an arrow that points up,"
            f" right, down or left.\n\n{picture}\n\nFrom each number, straight lines of arrows run"
            " out: up to four of them, one up, one right, one down and one left. A line begins in"
            " the cell next to the number, goes on without a gap, and all its arrows point away"
            " from the number. The number tells how many arrows its lines have in all. Every arrow"
            f" of the board must belong to such a line.{some}",
            f"Arrow maze.\n\n{picture}\n\nEach number N sends out rays in one or more of the four"
            " directions (up, down, left, right); together its rays cover exactly N cells. A ray"
            " covers the cells next to the number in its direction, one after the other, and it"
            " ends before another number, before a cell covered by another ray or at the edge, or"
            " earlier. Rays must cover every cell that has no number, and each such cell is"
            " covered just once. Write into each of them the direction in which its ray moves away"
            f" from its number.{some}",
            f"The board below has {side} rows and {side} columns. Replace the dots by letters U"
            " (up), R (right), D (down) and L (left) in the only way that fits the numbers."
            f"\n\n{picture}\n\nStart at a number and go up: as long as there are letters U, they"
            " belong to this number. In the same way the letters R that follow one another directly"
            " to the right of it, the D directly below it and the L directly to the left of it are"
            " its own. A number must have exactly as many letters of its own as it says, and every"
            f" letter must belong to a number.{some}",
        ),
        form=f"the {side} rows of the full board, one line each: U, R, D or L (up, right, down,"
        " left) for an arrow, numbers where they are",
    )


def steps(maze: Maze) -> list[str]:
    name = _deduction.named(len(maze.rows))
    lines = []
    for line in _deduction.worked(_rules(maze), _values(maze), name):
        head, _, rest = line.partition(" = ")
        if rest:
            line = f"{head} = {ARROWS[int(rest[0])]}{rest[1:]}"
        lines.append(line)
    return lines


def progress(maze: Maze, lines: Lines) -> float:
    return cells_filled(FAMILY, maze, lines, maze.rows, ".")


def canon(maze: Maze) -> _cells.Board[str]:
    """The least of the board's turns and reflections; the arrows turn with it."""
    found = []
    for number, board in enumerate(_cells.turns(maze.rows)):
        quarters = number // 2 + 1
        ways = ARROWS[quarters % 4 :] + ARROWS[: quarters % 4]
        if number % 2:
            ways = ways.translate(str.maketrans("UD", "DU"))
        new = dict(zip(ARROWS, ways, strict=True))
        found.append(tuple(tuple(new.get(sign, sign) for sign in row) for row in board))
    return min(found)


def hardness(maze: Maze) -> float:
    return float(sum(row.count(OPEN) for row in maze.rows))


def _maze(side: int, shown: Mapping[_cells.Cell, str]) -> Maze:
    rows = (
        "".join(shown.get((row, column), OPEN) for column in range(side)) for row in range(side)
    )
    return Maze(tuple(rows))


def _filled(rng: Random, side: int) -> dict[_cells.Cell, str] | None:
    """A full board: numbers are set where it is empty, and some arrows run from each at once."""
    signs: dict[_cells.Cell, str] = {}
    for cell in rng.sample(_cells.cells(side, side), side**2):
        if cell in signs:
            continue
        signs[cell] = "0"
        for way in rng.sample(range(4), 4):
            free = 0
            here = _next(cell, way)
            while _inside(here, side) and here not in signs:
                free, here = free + 1, _next(here, way)
            here = cell
            for _ in range(min(rng.randint(0, free), MOST - int(signs[cell]))):
                here = _next(here, way)
                signs[here] = ARROWS[way]
                signs[cell] = str(int(signs[cell]) + 1)
    for cell in [cell for cell, sign in signs.items() if sign == "0"]:
        if not _taken(signs, cell):
            return None
    return signs


def _taken(signs: dict[_cells.Cell, str], cell: _cells.Cell) -> bool:
    """Give a number without arrows the last arrow of a line that passes by, if its own number can
    spare it."""
    for way in range(4):
        here = _next(cell, way)
        sign = signs.get(here, "0")
        if sign in ARROWS and signs.get(_next(here, ARROWS.index(sign))) != sign:
            owner = here
            while signs[owner] == sign:
                owner = _next(owner, (ARROWS.index(sign) + 2) % 4)
            if signs[owner] > "1":
                signs[owner] = str(int(signs[owner]) - 1)
                signs[here], signs[cell] = ARROWS[way], "1"
                return True
    return False


def _next(cell: _cells.Cell, way: int) -> _cells.Cell:
    down, right = _cells.SIDES[way]
    return cell[0] + down, cell[1] + right


def _inside(cell: _cells.Cell, side: int) -> bool:
    return 0 <= cell[0] < side and 0 <= cell[1] < side


@lru_cache(maxsize=2)
def _rays(rows: Rows) -> dict[_cells.Cell, list[list[_cells.Cell]]]:
    """For each number and each way, the cells up to the next number or the edge."""
    side = len(rows)
    found: dict[_cells.Cell, list[list[_cells.Cell]]] = {}
    for cell in _cells.cells(side, side):
        if rows[cell[0]][cell[1]].isdigit():
            found[cell] = []
            for way in range(4):
                ray, here = [], _next(cell, way)
                while _inside(here, side) and not rows[here[0]][here[1]].isdigit():
                    ray.append(here)
                    here = _next(here, way)
                found[cell].append(ray)
    return found


def _rules(maze: Maze) -> Rules:
    side = len(maze.rows)
    rules = Rules(side**2)
    for (row, column), rays in _rays(maze.rows).items():
        number = int(maze.rows[row][column])
        cells = tuple(r * side + c for ray in rays for r, c in ray)
        says = f"the {number} at row {row + 1} column {column + 1}"
        rules.add(Rule(cells, _narrowing(number, tuple(map(len, rays))), says))
    return rules


def _values(maze: Maze) -> Values:
    """The ways that arrows may point; a number's cell counts as decided."""
    side = len(maze.rows)
    values = [1] * side**2
    for row, column in _cells.cells(side, side):
        sign = maze.rows[row][column]
        if not sign.isdigit():
            values[row * side + column] = 1 << ARROWS.index(sign) if sign in ARROWS else 0
    for rays in _rays(maze.rows).values():
        for way, ray in enumerate(rays):
            for row, column in ray:
                if maze.rows[row][column] == OPEN:
                    values[row * side + column] |= 1 << way
    return values


@cache
def _narrowing(number: int, lengths: tuple[int, ...]) -> _deduction.Narrow:
    """A number's lines are at least as long as what is known to be theirs, at most as long as
    nothing stops them, and together as long as the number says."""

    def narrow(values: Values) -> Values | None:
        rays, start = [], 0
        for length in lengths:
            rays.append(values[start : start + length])
            start += length
        least, most = [], []
        for way, ray in enumerate(rays):
            bit, own, free = 1 << way, len(ray), 0
            while own and ray[own - 1] != bit:
                own -= 1
            while free < len(ray) and ray[free] & bit:
                free += 1
            least.append(own)
            most.append(free)
        short, long = number - sum(most), number - sum(least)
        found: Values = []
        for way, ray in enumerate(rays):
            low, high = max(least[way], most[way] + short), min(most[way], least[way] + long)
            if low > high:
                return None
            found += [1 << way] * low + ray[low:high]
            found += [value & ~(1 << way) for value in ray[high:]]
        return found

    return narrow


LADDER = (
    Knobs(3, 0),
    Knobs(5, 0),
    Knobs(6, 0),
    Knobs(8, 6),
    Knobs(10, 20),
)
FAMILY = Family(
    Maze,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board("123456789" + ARROWS),
    hardness=hardness,
    proof="unique",
    solver="SAT over cells and directions",
    guess_rate=0.05,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("logic", "search"),
    peers=("SynLogic/arrow_maze", "InternBootcamp/arrowmaze"),
)
