"""Sliding tiles: push tiles into the gap, one after another, until the goal is reached.

Every way within the allowed number of moves is right, so `verify` slides the tiles named.
`generate` walks away from the goal and, for boards without a solution, exchanges two neighbours at
the end: of all boards that one could draw, half cannot be solved. `solve` finds that by the cycles
of the permutation, `verify` by counting inversions. `solve` searches forwards by the tiles'
distances from their places.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import way_travelled
from puzzlemill.generators._cells import Board, beside, drawn
from puzzlemill.generators.planning._search import guided

Answer: TypeAlias = tuple[int, ...] | Impossible
State = tuple[bytes, int, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the frame; rows and columns may change places
    columns: int  # of the frame
    moves: int  # by which the goal was scrambled; fewer may do
    impossible: float  # share of boards from which the goal cannot be reached


@dataclass(frozen=True, slots=True)
class Frame:
    start: Board[int]  # 0 is the gap
    goal: Board[int]
    limit: int  # moves allowed


def generate(rng: Random, knobs: Knobs) -> Frame | None:
    """A walk from the goal that comes to no board twice."""
    rows, columns = knobs.rows, knobs.columns
    if rng.random() < 0.5:
        rows, columns = columns, rows
    gap = rng.randrange(rows * columns)
    goal = [*range(1, gap + 1), 0, *range(gap + 1, rows * columns)]
    tiles, seen = list(goal), {tuple(goal)}
    for _ in range(knobs.moves):
        ways = []
        for row, column in beside(divmod(gap, columns), rows, columns):
            then, place = list(tiles), row * columns + column
            then[gap], then[place] = then[place], 0
            if tuple(then) not in seen:
                ways.append((place, then))
        if not ways:
            return None
        gap, tiles = rng.choice(ways)
        seen.add(tuple(tiles))
    if rng.random() < knobs.impossible:
        one = rng.choice([place for place, tile in enumerate(tiles) if tile])
        near = beside(divmod(one, columns), rows, columns)
        other = rng.choice([row * columns + column for row, column in near])
        if not tiles[other]:
            return None
        tiles[one], tiles[other] = tiles[other], tiles[one]
    return Frame(_rows(tiles, columns), _rows(goal, columns), knobs.moves)


def solve(frame: Frame) -> Answer | None:
    """A*: a tile needs at least as many moves as it is rows and columns away from its place.

    A state is the tiles, the place of the gap, and the sum of those distances.
    """
    rows, columns = len(frame.start), len(frame.start[0])
    start, goal = bytes(sum(frame.start, ())), bytes(sum(frame.goal, ()))
    if _is_odd(start, goal, columns):
        return IMPOSSIBLE
    near = [
        [row * columns + column for row, column in beside(divmod(at, columns), rows, columns)]
        for at in range(rows * columns)
    ]
    away = [[0] * len(goal) for _ in goal]  # by tile and place
    for tile in range(1, len(goal)):
        down, right = divmod(goal.index(tile), columns)
        away[tile] = [
            abs(at // columns - down) + abs(at % columns - right) for at in range(len(goal))
        ]

    def onward(state: State) -> Iterator[tuple[int, State]]:
        tiles, gap, left = state
        for place in near[gap]:
            tile = tiles[place]
            then = bytearray(tiles)
            then[gap], then[place] = tile, 0
            yield tile, (bytes(then), place, left + away[tile][gap] - away[tile][place])

    far = sum(away[tile][at] for at, tile in enumerate(start))
    found = guided(
        (start, start.index(0), far),
        lambda state: state[0] == goal,
        onward,
        lambda state: state[2],
        frame.limit,
    )
    return tuple(found) if found is not None else None


def verify(frame: Frame, slid: Answer) -> float:
    if isinstance(slid, Impossible):
        return float(_invariant(frame.start) != _invariant(frame.goal))
    if len(slid) > frame.limit:
        return 0.0
    board = [list(row) for row in frame.start]
    rows, columns = len(board), len(board[0])
    at = {tile: (row, column) for row, line in enumerate(board) for column, tile in enumerate(line)}
    for tile in slid:
        gap = at[0]
        if tile not in at or at[tile] not in beside(gap, rows, columns):
            return 0.0
        at[0], at[tile] = at[tile], gap
    goal = {
        tile: (row, column)
        for row, line in enumerate(frame.goal)
        for column, tile in enumerate(line)
    }
    return float(at == goal)


def recheck(frame: Frame, slid: Answer) -> bool:
    """On the tiles as one line, where a tile goes one place along, or one row's length."""
    if isinstance(slid, Impossible):
        return solve(frame) is IMPOSSIBLE
    columns = len(frame.start[0])
    line = [tile for row in frame.start for tile in row]
    for tile in slid:
        if tile < 1 or tile not in line:
            return False
        gap, place = line.index(0), line.index(tile)
        low, high = min(gap, place), max(gap, place)
        in_row = high - low == 1 and high % columns != 0
        if not in_row and high - low != columns:
            return False
        line[gap], line[place] = tile, 0
    return len(slid) <= frame.limit and line == [tile for row in frame.goal for tile in row]


def render(frame: Frame, style: Style) -> Prompt:
    rows, columns = len(frame.start), len(frame.start[0])
    gap = style.pick("_", ".", "0", "_", ".")
    start, goal = (
        drawn([[tile or gap for tile in row] for row in board])
        for board in (frame.start, frame.goal)
    )
    limit = f"{frame.limit} move{'s' if frame.limit > 1 else ''}"
    return Prompt(
        style.pick(
            f"A frame of {rows} rows and {columns} columns holds numbered tiles and one gap"
            f' ("{gap}"). In a move, a tile directly above, below, left or right of the gap slides'
            " into it, and leaves a gap where it was. Get from the start to the goal in at most"
            f" {limit}, or find that no number of moves gets there.\n\nStart:\n{start}"
            f"\n\nGoal:\n{goal}",
            f"Sliding puzzle, {rows}x{columns}:\n\n{start}\n\nIt should look like this:\n\n{goal}"
            f'\n\nThe sign "{gap}" is the empty place. Only a tile that shares a side with the'
            " empty place can move, and only into it. Which tiles have to be moved, in which order?"
            f" You may make {limit} or fewer. From some boards it cannot be done at all.",
            f"Slide tiles until this board\n\n{start}\n\nhas become this one:\n\n{goal}\n\nEvery"
            " move takes one tile next to the hole (horizontally or vertically, not diagonally) and"
            f' pushes it into the hole, which is drawn as "{gap}". There must be no more than'
            f" {limit}. If the one board can never become the other, say so.",
        ),
        form="the numbers of the tiles in the order in which they slide, separated by commas, or"
        ' the word "impossible" if the goal cannot be reached however many moves are made',
    )


def steps(frame: Frame) -> list[str]:
    """The board after each move, row by row."""
    tiles, columns = [tile for row in frame.start for tile in row], len(frame.start[0])
    lines = list[str]()
    slid = solve(frame)
    if isinstance(slid, Impossible):
        return _told(frame)
    for tile in slid or ():
        gap, place = tiles.index(0), tiles.index(tile)
        tiles[gap], tiles[place] = tile, 0
        rows = (tiles[row : row + columns] for row in range(0, len(tiles), columns))
        board = " / ".join(" ".join(str(it or "_") for it in row) for row in rows)
        lines.append(f"slide {tile}: {board}")
    return lines


def progress(frame: Frame, lines: Lines) -> float:
    return way_travelled(FAMILY, frame, lines, _onward, r"slide (\d{1,4})\b")


def _onward(frame: Frame, slid: int | str) -> Frame | None:
    tile, columns = int(slid), len(frame.start[0])
    tiles = [it for row in frame.start for it in row]
    if tile < 1 or tile not in tiles:
        return None
    gap, place = tiles.index(0), tiles.index(tile)
    if divmod(place, columns) not in beside(divmod(gap, columns), len(frame.start), columns):
        return None
    tiles[gap], tiles[place] = tile, 0
    return replace(frame, start=_rows(tiles, columns), limit=frame.limit - 1)


def hardness(frame: Frame) -> float:
    """Moves to make, and tiles to set right."""
    return frame.limit + len(frame.start) * len(frame.start[0])


def _is_odd(start: bytes, goal: bytes, columns: int) -> bool:
    """Whether an odd number of exchanges leads from one board to the other where the gap has gone
    an even number of steps, or the other way round: a move is one exchange and one step."""
    left, exchanges = set(range(len(start))), 0
    while left:
        cycle = [min(left)]
        while (after := goal.index(start[cycle[-1]])) != cycle[0]:
            cycle.append(after)
        left -= set(cycle)
        exchanges += len(cycle) - 1
    one, other = (divmod(board.index(0), columns) for board in (start, goal))
    steps = abs(one[0] - other[0]) + abs(one[1] - other[1])
    return (exchanges + steps) % 2 == 1


def _invariant(board: Board[int]) -> int:
    """What no move changes. The tiles are read row by row without the gap: a move along a row
    leaves them as they are, a move along a column carries a tile past one fewer than a row has."""
    tiles = [tile for row in board for tile in row if tile]
    inversions = sum(one > other for one, other in combinations(tiles, 2))
    gap = next(number for number, row in enumerate(board) if 0 in row)
    return (inversions + gap * (len(board[0]) - 1)) % 2


def _told(frame: Frame) -> list[str]:
    lines = ["read the tiles row by row and count the pairs in which the larger one is first; a"
             " move along a row leaves that as it is, a move along a column carries a tile past"
             f" {len(frame.start[0]) - 1} others"]  # fmt: skip
    for name, board in (("start", frame.start), ("goal", frame.goal)):
        tiles = [tile for row in board for tile in row if tile]
        inversions = sum(one > other for one, other in combinations(tiles, 2))
        gap = 1 + next(number for number, row in enumerate(board) if 0 in row)
        lines.append(f"{name}: {inversions} pairs, gap in row {gap}")
    return [*lines, "that does not go together: impossible"]


def _rows(tiles: list[int], columns: int) -> Board[int]:
    return tuple(tuple(tiles[at : at + columns]) for at in range(0, len(tiles), columns))


LADDER = (
    Knobs(3, 3, 6, 0.0),
    Knobs(3, 3, 10, 0.15),
    Knobs(3, 4, 16, 0.2),
    Knobs(4, 4, 22, 0.2),
    Knobs(4, 4, 30, 0.2),
    Knobs(4, 4, 40, 0.2),
)
FAMILY = Family(
    Frame,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.IntList()),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="A* by Manhattan distance; parity of the permutation",
    guess_rate=0.2,
    steps=steps,
    progress=progress,
    redraws=True,
    skills=("planning", "search", "spatial"),
    peers=(
        "Enigmata/eight_puzzle",
        "Enigmata/fifteen_puzzle",
        "RLVE/eight_digit_puzzle",
        "KORGym/23-puzzlegame",
        "TextArena/FifteenPuzzle",
    ),
    version=2,
)
