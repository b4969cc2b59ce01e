"""Arrow maze: fill a board with arrows that run away from its numbers, as many as each number says.

`generate` sets numbers and lets arrows run from them until the board is full, and shows an arrow
where the numbers do not settle it; `solve` proves by SAT that one filling is left; `verify` follows
the arrows out of each number and looks whether any is left over.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, chain, pairwise, takewhile
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.grid import in_rows
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _deduction
from puzzlemill.generators.grids._deduction import Rule, Rules, Values

Rows: TypeAlias = tuple[str, ...]
Ways: TypeAlias = tuple[tuple[range, ...], ...]

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
    shown = [sign if sign.isdigit() else OPEN for sign in signs]
    maze = _maze(side, shown)
    rules, values = _rules(maze), _values(maze)
    if not rules.narrow(values):
        return None
    while left := _deduction.undecided(values):
        if knobs.suppositions and rules.settles(values, knobs.suppositions):
            break
        cell = rng.choice(left)
        shown[cell] = signs[cell]
        values[cell] = 1 << ARROWS.index(signs[cell])
        rules.narrow_around(values, cell)  # an arrow of the filling contradicts nothing
    return _maze(side, shown)


def solve(maze: Maze) -> Rows | None:
    """SAT: a variable for each way that an arrow in an open cell may point."""
    side, signs = len(maze.rows), "".join(maze.rows)
    clauses, bounds = list[_sat.Clause](), list[_sat.Bound]()
    ways: dict[int, list[int]] = {cell: [] for cell in range(side**2) if not signs[cell].isdigit()}
    for number, rays in _rays(maze.rows).items():
        arrows = []
        for way, ray in enumerate(rays):
            run = [4 * cell + way + 1 for cell in ray]
            clauses += [[-farther, nearer] for nearer, farther in pairwise(run)]
            for cell, arrow in zip(ray, run):
                ways[cell].append(arrow)
            arrows += run
        bounds += _sat.just(int(signs[number]), arrows)
    for cell, choices in ways.items():
        shown = signs[cell]
        clauses.append([arrow for arrow in choices if shown in (OPEN, ARROWS[(arrow - 1) % 4])])
        bounds.append((choices, 1))
    true = _sat.only_model(clauses, chain.from_iterable(ways.values()), bounds=bounds)
    if true is None:
        return None
    filled = list(signs)
    for arrow in true:
        cell, way = divmod(arrow - 1, 4)
        filled[cell] = ARROWS[way]
    return _maze(side, filled).rows


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


def _maze(side: int, signs: list[str]) -> Maze:
    return Maze(tuple("".join(row) for row in in_rows(tuple(signs), side)))


def _filled(rng: Random, side: int) -> list[str] | None:
    """A full board: numbers are set where it is empty, and some arrows run from each at once."""
    signs, lines = [OPEN] * side**2, _lines(side)
    idle: list[int] = []  # numbers without arrows
    for cell in rng.sample(range(side**2), side**2):
        if signs[cell] != OPEN:
            continue
        number, signs[cell] = 0, "0"
        for way in rng.sample(range(4), 4):
            line, free = lines[cell][way], 0
            while free < len(line) and signs[line[free]] == OPEN:
                free += 1
            run = min(rng.randint(0, free), MOST - number)
            for here in line[:run]:
                signs[here] = ARROWS[way]
            number += run
        signs[cell] = str(number)
        if not number:
            idle.append(cell)
    return signs if all(_taken(signs, lines, cell) for cell in idle) else None


def _taken(signs: list[str], lines: Ways, cell: int) -> bool:
    """Give a number without arrows the last arrow of a line that passes by, if its own number can
    spare it."""
    for way, line in enumerate(lines[cell]):
        if not line or (sign := signs[line[0]]) not in ARROWS:
            continue
        here, along = line[0], ARROWS.index(sign)
        if lines[here][along] and signs[lines[here][along][0]] == sign:
            continue
        owner = next(back for back in lines[here][(along + 2) % 4] if signs[back] != sign)
        if signs[owner] > "1":
            signs[owner] = str(int(signs[owner]) - 1)
            signs[here], signs[cell] = ARROWS[way], "1"
            return True
    return False


@cache
def _lines(side: int) -> Ways:
    """For each cell and each way, the cells up to the edge."""
    return tuple(
        (
            range(cell - side, -1, -side),
            range(cell + 1, cell - cell % side + side),
            range(cell + side, side**2, side),
            range(cell - 1, cell - cell % side - 1, -1),
        )
        for cell in range(side**2)
    )


@lru_cache(maxsize=2)
def _rays(rows: Rows) -> dict[int, list[list[int]]]:
    """For each number and each way, the cells up to the next number or the edge."""
    signs, lines = "".join(rows), _lines(len(rows))
    blank = {cell for cell, sign in enumerate(signs) if not sign.isdigit()}
    return {
        cell: [[*takewhile(blank.__contains__, line)] for line in lines[cell]]
        for cell in range(len(signs))
        if cell not in blank
    }


def _rules(maze: Maze) -> Rules:
    side = len(maze.rows)
    rules = Rules(side**2)
    for number, rays in _rays(maze.rows).items():
        row, column = divmod(number, side)
        many = int(maze.rows[row][column])
        says = f"the {many} at row {row + 1} column {column + 1}"
        lengths = tuple(map(len, rays))
        rules.add(Rule(tuple(chain(*rays)), _narrowing(many, lengths), says))
    return rules


def _values(maze: Maze) -> Values:
    """The ways that arrows may point; a number's cell counts as decided."""
    signs = "".join(maze.rows)
    values = [
        1 if sign.isdigit() else 0 if sign == OPEN else 1 << ARROWS.index(sign) for sign in signs
    ]
    for rays in _rays(maze.rows).values():
        for way, ray in enumerate(rays):
            for cell in ray:
                if signs[cell] == OPEN:
                    values[cell] |= 1 << way
    return values


@cache
def _narrowing(number: int, lengths: tuple[int, ...]) -> _deduction.Narrow:
    """A number's lines are at least as long as what is known to be theirs, at most as long as
    nothing stops them, and together as long as the number says."""
    ends = list(accumulate(lengths))
    lines = [(1 << way, end - length, end) for way, (end, length) in enumerate(zip(ends, lengths))]
    lines = [(bit, start, end) for bit, start, end in lines if start < end]

    def narrow(values: Values) -> Values | None:
        spans, short, long = [], number, number
        for bit, start, end in lines:
            own, free = end, start  # where the line ends at least and at most
            while own > start and values[own - 1] != bit:
                own -= 1
            while free < end and values[free] & bit:
                free += 1
            spans.append((own, free))
            short -= free - start
            long -= own - start
        found = list(values)
        for (bit, start, end), (own, free) in zip(lines, spans):
            low, high = max(own, free + short), min(free, own + long)
            if low > high:
                return None
            found[start:low] = [bit] * (low - start)
            for cell in range(high, end):
                found[cell] &= ~bit
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
