"""Peg solitaire: jump pegs over pegs, which are taken off, until one peg is left.

Any sequence of jumps that leaves the one peg where it is wanted is right, so `verify` plays it.
`generate` plays backwards from that peg; `solve` searches forwards, with the positions that led
nowhere kept in mind.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import way_travelled
from puzzlemill.generators._cells import SIDES, Cell, cells, turns
from puzzlemill.generators.planning._squares import COLUMNS, labelled, named

Jump = tuple[str, str]  # from square, to square


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of squares; rows and columns may change places
    columns: int  # of squares
    missing: int  # squares at most; a peg is where it would be
    pegs: int  # at the start


@dataclass(frozen=True, slots=True)
class Pegs:
    board: tuple[str, ...]  # o is a peg, . an empty square, # none
    home: str  # where the last peg is to be


def generate(rng: Random, knobs: Knobs) -> Pegs | None:
    """Jumps in reverse: a peg goes back over an empty square, where another appears."""
    rows, columns = rng.sample((knobs.rows, knobs.columns), 2)
    squares = rng.sample(cells(rows, columns), rows * columns - knobs.missing)
    home = squares[0]
    empty, pegs = set(squares[1:]), [home]
    while len(pegs) < knobs.pegs:
        ways = [
            (place, between, behind)
            for place, (row, column) in enumerate(pegs)
            for down, right in SIDES
            if (between := (row + down, column + right)) in empty
            and (behind := (row + 2 * down, column + 2 * right)) in empty
        ]
        if not ways:
            return None
        place, between, behind = rng.choice(ways)
        empty.add(pegs[place])
        empty -= {between, behind}
        pegs[place] = behind
        pegs.append(between)
    sign = dict.fromkeys(empty, ".") | dict.fromkeys(pegs, "o")
    board = tuple(
        "".join(sign.get((row, column), "#") for column in range(columns)) for row in range(rows)
    )
    return Pegs(board, named(home, rows))


def solve(pegs: Pegs) -> tuple[Jump, ...] | None:
    """Depth first, on a set of pegs as an integer; a position is looked at once."""
    rows, columns = len(pegs.board), len(pegs.board[0])
    flat = "".join(pegs.board)
    jumps = []
    for here, there in _jumps(rows, columns):
        middle = (here + there) // 2
        if "#" not in (flat[here], flat[middle], flat[there]):
            jumps.append((1 << here | 1 << middle, 1 << there, (here, there)))
    name = [named(divmod(at, columns), rows) for at in range(len(flat))]
    start = sum(1 << at for at, sign in enumerate(flat) if sign == "o")
    goal = 1 << name.index(pegs.home)
    seen, path = {start}, list[tuple[int, int]]()

    def onward(state: int) -> Iterator[tuple[tuple[int, int], int]]:
        for taken, there, jump in jumps:
            if state & taken == taken and not state & there:
                yield jump, state ^ taken ^ there

    trail = [onward(start)]
    state = start
    while trail and state != goal:
        for jump, state in trail[-1]:
            if state not in seen:
                seen.add(state)
                path.append(jump)
                trail.append(onward(state))
                break
        else:
            trail.pop()
            del path[-1:]
    return tuple((name[here], name[there]) for here, there in path) if trail else None


def verify(pegs: Pegs, jumps: tuple[Jump, ...]) -> float:
    rows, columns = len(pegs.board), len(pegs.board[0])
    cell = {named(at, rows): at for at in cells(rows, columns)}
    on = {at: pegs.board[at[0]][at[1]] for at in cell.values()}
    if len(jumps) >= list(on.values()).count("o"):
        return 0.0
    for here, there in jumps:
        if here not in cell or there not in cell:
            return 0.0
        (row, column), (down, right) = cell[here], cell[there]
        if sorted((abs(row - down), abs(column - right))) != [0, 2]:
            return 0.0
        middle = (row + down) // 2, (column + right) // 2
        if (on[row, column], on[middle], on[down, right]) != ("o", "o", "."):
            return 0.0
        on[row, column] = on[middle] = "."
        on[down, right] = "o"
    return float([at for at, sign in on.items() if sign == "o"] == [cell[pegs.home]])


def recheck(pegs: Pegs, jumps: tuple[Jump, ...]) -> bool:
    """On texts: along a row or a column a jump makes ..o of oo., or o.. of .oo."""
    lines = [list(line) for line in pegs.board]
    rows, columns = len(lines), len(lines[0])
    known = {f"{COLUMNS[at]}{rows - row}" for row in range(rows) for at in range(columns)}
    for here, there in jumps:
        if here == there or not known >= {here, there}:
            return False
        upright = here[0] == there[0]
        if not upright and here[1] != there[1]:
            return False
        lane = COLUMNS.index(here[0]) if upright else rows - int(here[1])
        line = [row[lane] for row in lines] if upright else lines[lane]
        ends = [rows - int(it[1]) if upright else COLUMNS.index(it[0]) for it in (here, there)]
        low, high = min(ends), max(ends)
        text = "".join(line[low : high + 1])
        if text != ("oo." if ends[0] == low else ".oo"):
            return False
        for at, sign in zip(range(low, high + 1), "..o" if ends[0] == low else "o.."):
            if upright:
                lines[at][lane] = sign
            else:
                lines[lane][at] = sign
    row, column = rows - int(pegs.home[1]), COLUMNS.index(pegs.home[0])
    return lines[row][column] == "o" and sum(line.count("o") for line in lines) == 1


def render(pegs: Pegs, style: Style) -> Prompt:
    board = labelled(pegs.board)
    count = "".join(pegs.board).count("o")
    holes = "#" in "".join(pegs.board)
    missing = style.pick(
        " Where there is a #, the board has no square.",
        " A # is not part of the board.",
        " The places marked # are cut out of the board.",
    )
    names = (
        "A square is named by the letter of its column and the number of its row, column first."
        + (missing if holes else "")
    )
    jump = style.pick(
        "A peg jumps over one neighbouring peg (to the left, to the right, up or down) and lands"
        " on the square right behind it, which must be empty; the peg that it jumped over is taken"
        " off the board.",
        "The only moves are jumps: a peg passes over a peg directly beside, above or below it to"
        " the next square in the same direction, which has to be free, and the peg between the two"
        " squares is removed.",
        "In a jump, a peg moves two squares along a row or a column. There has to be a peg on the"
        " square between, which is then removed, and the square where the jump ends has to be"
        " empty.",
    )
    return Prompt(
        style.pick(
            f"Peg solitaire with {count} pegs (o) on a board with empty squares (.):\n\n{board}\n\n"
            f"{jump} Play until a single peg is left, and see to it that this one stands on"
            f" {pegs.home}. {names}",
            f"A board:\n\n{board}\n\nIt has a peg on each square marked o, and none on the squares"
            f" marked with a dot. {jump} Which jumps leave just one peg, on square {pegs.home}?"
            f" {names}",
            f"Take {count - 1} of the {count} pegs off this board, so that the last one ends up on"
            f" {pegs.home}. {jump} {names} Pegs are drawn as o, empty squares as dots.\n\n{board}",
        ),
        form="the jumps in order, each a pair of squares in brackets: (x, y) for the peg that jumps"
        " from square x to square y",
    )


def steps(pegs: Pegs) -> list[str]:
    """The board after each jump, row by row from the top."""
    rows, board = len(pegs.board), [list(line) for line in pegs.board]
    at = {named(cell, rows): cell for cell in cells(rows, len(board[0]))}
    lines = []
    for here, there in solve(pegs) or ():
        (row, column), (down, right) = at[here], at[there]
        board[row][column] = board[(row + down) // 2][(column + right) // 2] = "."
        board[down][right] = "o"
        lines.append(f"{here} to {there}: {' / '.join(map(''.join, board))}")
    return lines


def progress(pegs: Pegs, lines: Lines) -> float:
    return way_travelled(FAMILY, pegs, lines, _onward, r"(\w\d) to (\w\d): ")


def _onward(pegs: Pegs, jump: Jump) -> Pegs | None:
    rows, board = len(pegs.board), [list(line) for line in pegs.board]
    at = {named(cell, rows): cell for cell in cells(rows, len(board[0]))}
    if not at.keys() >= set(jump):
        return None
    (row, column), (down, right) = at[jump[0]], at[jump[1]]
    over = (row + down) // 2, (column + right) // 2
    if sorted((abs(row - down), abs(column - right))) != [0, 2]:
        return None
    if (board[row][column], board[over[0]][over[1]], board[down][right]) != ("o", "o", "."):
        return None
    board[row][column] = board[over[0]][over[1]] = "."
    board[down][right] = "o"
    return replace(pegs, board=tuple(map("".join, board)))


def canon(pegs: Pegs) -> object:
    rows = len(pegs.board)
    marked = [
        [
            sign + ("!" if named((row, column), rows) == pegs.home else "")
            for column, sign in enumerate(line)
        ]
        for row, line in enumerate(pegs.board)
    ]
    return min(turns(marked))


def hardness(pegs: Pegs) -> float:
    """Jumps to find, and room to go wrong."""
    flat = "".join(pegs.board)
    return 3 * flat.count("o") + flat.count(".") / 10


def _jumps(rows: int, columns: int) -> Iterator[Cell]:
    """Squares that are two apart, numbered row by row from 0."""
    for row, column in cells(rows, columns):
        for down, right in SIDES:
            to = row + 2 * down, column + 2 * right
            if 0 <= to[0] < rows and 0 <= to[1] < columns:
                yield row * columns + column, to[0] * columns + to[1]


LADDER = (
    Knobs(4, 5, 2, 4),
    Knobs(5, 5, 3, 6),
    Knobs(5, 5, 3, 9),
    Knobs(5, 6, 4, 13),
    Knobs(6, 7, 6, 18),
)
FAMILY = Family(
    Pegs,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs(items="words"),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="depth-first search that looks at a position once",
    guess_rate=0.03,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("planning", "search", "spatial"),
    peers=("TextArena/PegJump",),
)
