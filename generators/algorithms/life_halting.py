"""Life halting: when does a Game of Life on a torus first repeat a board, and which one?

On a board of finite size every game ends in a loop; asked are both ends of it, since one of them
alone is easily guessed. `generate` plays many boards at once; `solve` keeps every board it has
seen; `verify` keeps none: it finds the loop's length with two players of different speed, and its
start with two in step, and counts the live cells around a cell with four bits for each cell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators import _cells

LIVE, DEAD = "#", "."


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # rows and columns
    least: int  # generations to the first repetition
    most: int  # generations to the first repetition


@dataclass(frozen=True, slots=True)
class Board:
    rows: tuple[str, ...]


def generate(rng: Random, knobs: Knobs) -> Board | None:
    """Boards that last long are rare, and so are those that end in a loop of more than one board:
    the length and, for most puzzles, a longer loop are chosen first, and kept to for a while."""
    side, size = knobs.side, knobs.side**2
    wanted, turning = rng.randint(knobs.least, knobs.most), rng.random() < TURNING
    for _ in range(BATCHES):
        games = [_sown(rng, TRIES * size, rng.choice(FILLS))]
        for _ in range(wanted):
            games.append(_after(games[-1], side, TRIES))
        *earlier, former, last = games
        fits = _alike(last, earlier if turning else [*earlier, former], size)
        fits &= ~_alike(former, earlier, size)
        if fits:
            number = (fits & -fits).bit_length() // size - 1
            return Board(_drawn(games[0] >> number * size, side))
    return None


def solve(board: Board) -> tuple[int, int]:
    games = _played(board, LONGEST)
    return games.index(games[-1]), len(games) - 1


def verify(board: Board, answer: tuple[int, ...]) -> float:
    side, bits = len(board.rows), 4 * len(board.rows)  # of a row
    start = int("".join(board.rows).replace(LIVE, "1").replace(DEAD, "0"), 16)
    ones, full = int("1" * side**2, 16), (1 << side * bits) - 1
    right = int(("0" * (side - 1) + "f") * side, 16)  # the last column
    left = right << bits - 4

    def after(cells: int) -> int:
        above, below = cells >> bits, cells << bits & full
        above |= cells << (side - 1) * bits & full
        below |= cells >> (side - 1) * bits
        threes = above + cells + below
        west, east = (threes & ~right) >> 4, (threes & ~left) << 4
        west |= (threes & right) << bits - 4
        east |= (threes & left) >> bits - 4
        squares = west + threes + east  # at most nine each; the cell itself is in its square
        one, two, four = squares, squares >> 1, squares >> 2
        return ones & (one & two & ~four | four & ~two & ~one & cells)

    slow, fast, length, power = start, after(start), 1, 1
    while slow != fast:
        if length == power:
            slow, power, length = fast, 2 * power, 0
        fast = after(fast)
        length += 1
    behind = ahead = start
    for _ in range(length):
        ahead = after(ahead)
    first = 0
    while behind != ahead:
        behind, ahead, first = after(behind), after(ahead), first + 1
    return float(tuple(answer) == (first, first + length))


def render(board: Board, style: Style) -> Prompt:
    grid, side = "\n".join(board.rows), len(board.rows)
    return Prompt(
        style.pick(
            f"Conway's Game of Life on a board of {side} rows and {side} columns whose opposite"
            " edges meet (the last row is next to the first, the last column next to the first):"
            f"\n\n{grid}\n\n{LIVE} is a live cell, {DEAD} a dead one. In each step, all cells at"
            " once: a live cell with 2 or 3 live cells among its 8 neighbours stays alive, a dead"
            " cell with exactly 3 comes alive, all others are dead. Call the board above board 0"
            " and the board after n steps board n. Sooner or later a board occurs for a second"
            " time. Find the smallest b such that board b is the same, cell by cell, as an"
            " earlier board, and the number a of that earlier board (a < b).",
            f"{grid}\n\nThis is time 0 of a Game of Life on a torus: beyond the right edge comes"
            " the left edge again, and beyond the bottom the top. From one time to the next, every"
            f" cell looks at the 8 cells around it. If exactly 3 of them are alive ({LIVE}), it is"
            " alive next; if exactly 2 are, it stays as it is; otherwise it is dead"
            f" ({DEAD}) next. At which time b does the whole picture, in the same place, first"
            " equal a picture of an earlier time a? State a and b.",
            f"A world of {side} x {side} cells wraps around at its edges, from top to bottom and"
            f" from left to right. Generation 0, with {LIVE} for alive and {DEAD} for dead:\n\n"
            f"{grid}\n\nRule, for all cells simultaneously: survive with 2 or 3 live neighbours out"
            " of 8, be born with exactly 3, else be dead. Let generation b be the first one that"
            " is exactly equal to some earlier generation a (if everything has died out, for"
            " example, each empty generation equals the one before). What are a and b?",
        ),
        form="the two numbers a and b, in this order, separated by a comma",
    )


def steps(board: Board) -> list[str]:
    first, second = solve(board)
    side = len(board.rows)
    lines = [
        f"{count}: {' / '.join(_drawn(game, side))}"
        for count, game in enumerate(_played(board, LONGEST))
    ]
    return [*lines, f"{second} is the same as {first}"]


def progress(board: Board, lines: Lines) -> float:
    return states_followed(FAMILY, board, lines)


def canon(board: Board) -> list[str]:
    """The least of the board's turns, reflections and shifts, since edges meet."""
    moved = []
    for turned in _cells.turns(board.rows):
        lines = ["".join(row) for row in turned]
        for right in range(len(lines)):
            moved.append([line[right:] + line[:right] for line in lines])
    least = min(map(min, moved))  # the first line, whichever way the board is moved down
    return min(
        lines[down:] + lines[:down]
        for lines in moved
        for down, line in enumerate(lines)
        if line == least
    )


def hardness(board: Board) -> int:
    """Cells to decide on until the repetition."""
    return len(board.rows) ** 2 * solve(board)[1]


def _played(board: Board, most: int) -> list[int]:
    """The boards up to the first repetition, it included, or up to so many."""
    side = len(board.rows)
    signs = "".join(board.rows)
    game = sum(1 << place for place, sign in enumerate(signs) if sign == LIVE)
    games, seen = [game], set[int]()
    while len(games) < most and game not in seen:
        seen.add(game)
        game = _after(game, side)
        games.append(game)
    return games


def _sown(rng: Random, cells: int, sixteenths: int) -> int:
    """Each cell lives with the same chance: a random binary fraction is below that."""
    live = 0
    for digit in range(4):
        coins = rng.getrandbits(cells)
        live = live | coins if sixteenths >> digit & 1 else live & coins
    return live


def _drawn(game: int, side: int) -> tuple[str, ...]:
    return tuple(
        "".join(LIVE if game >> (row * side + column) & 1 else DEAD for column in range(side))
        for row in range(side)
    )


@cache
def _edges(side: int, boards: int) -> tuple[int, ...]:
    """The first and last columns of so many boards, their first and last rows; after each, the rest
    of the cells."""
    size = side**2
    every = sum(1 << number * size for number in range(boards))
    column, row = sum(1 << number * side for number in range(side)), (1 << side) - 1
    edges = column, column << side - 1, row, row << size - side
    return tuple(every * cells for edge in edges for cells in (edge, (1 << size) - 1 - edge))


def _after(game: int, side: int, boards: int = 1) -> int:
    """All cells at once: an integer holds a bit for each cell, row by row and board by board.

    No number is inverted: work with negative ones takes long.
    """
    first, not_first, last, not_last, top, not_top, bottom, not_bottom = _edges(side, boards)
    across, around = side - 1, side * (side - 1)
    west = (game & not_last) << 1 | (game & last) >> across
    east = (game & not_first) >> 1 | (game & first) << across
    # Live cells of three in a row, in binary; then of three such rows, with four bits worth two.
    sides = west ^ east
    ones, twos = sides ^ game, west & east | sides & game
    one = (ones & not_bottom) << side | (ones & bottom) >> around
    a = (twos & not_bottom) << side | (twos & bottom) >> around
    another = (ones & not_top) >> side | (ones & top) << around
    b = (twos & not_top) >> side | (twos & top) << around
    outer = one ^ another
    low, c = ones ^ outer, one & another | ones & outer
    # Of the four bits, whether one of the first two is set, or both; and of the others.
    single, double, other_single, other_double = a ^ b, a & b, c ^ twos, c & twos
    odd = single ^ other_single
    three = low & odd
    three ^= three & (double | other_double)
    four = (single & other_single | double ^ other_double) & game
    return three | four ^ four & (low | odd)  # a live cell is counted with its neighbours


def _alike(game: int, others: Sequence[int], size: int) -> int:
    """Which of the boards that are played at once are as in one of the other games: the last cell
    of each."""
    last = _every(size) << size - 1
    rest = last - _every(size)
    apart = last
    for other in others:
        differing = game ^ other
        apart &= (differing & rest) + rest | differing  # a carry, unless all cells are alike
    return last & ~apart


@cache
def _every(size: int) -> int:
    """The first cell of each of the boards that are played at once."""
    return sum(1 << number * size for number in range(TRIES))


TRIES = 60  # boards that are played at once
BATCHES = 30  # of them for one wanted length
TURNING = 0.55  # of puzzles that end in a loop of two boards or more
FILLS = (3, 5, 6, 8)  # sixteenths of the cells that live at first
LONGEST = 100_000  # a bound that no board of a rung comes near: generate plays them out

LADDER = (
    Knobs(5, 2, 8),
    Knobs(6, 4, 14),
    Knobs(7, 8, 20),
    Knobs(8, 14, 30),
    Knobs(9, 20, 45),
)
FAMILY = Family(
    Board,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(names=("a", "b")),
    hardness=hardness,
    proof="unique",
    solver="simulation, comparing with every earlier board",
    guess_rate=0.15,  # mostly a number and the next one or the second next
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("tracking", "spatial"),
    peers=("reasoning-gym/game_of_life_halting",),
    theme="game_of_life",
    version=3,
)
