"""Boards: cells with what they hold, regions with thick borders, totals at the margins."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from puzzlemill.core.drawings import svg
from puzzlemill.core.drawings.svg import Picture

SIDE = 36  # of a cell
MARGIN = 3

Cells = Sequence[Sequence[Any]]
Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Board:
    cells: tuple[Labels, ...]
    # The region of each cell; empty: no thick borders but the frame. None is outside the board.
    regions: Cells = ()
    shaded: str = ""  # texts whose cells are shaded, not written
    left: Labels = ()
    top: Labels = ()
    right: Labels = ()
    bottom: Labels = ()
    dark: Callable[[str], bool] = lambda text: False  # whether a cell is shaded under its text
    over: tuple[str, ...] = ()  # SVG on top; the origin is the first cell's corner
    room: int = 0  # around the cells, for what lies over their borders


def board_picture(board: Board) -> Picture:
    rows, columns = len(board.cells), len(board.cells[0])
    x0 = MARGIN + board.room + 9 * max(map(len, board.left), default=0) + (8 if board.left else 0)
    tops = [label.split() for label in board.top]
    y0 = MARGIN + board.room + 18 * max(map(len, tops), default=0)
    x1, y1 = x0 + columns * SIDE, y0 + rows * SIDE
    wide = (
        x1
        + MARGIN
        + board.room
        + 9 * max(map(len, board.right), default=0)
        + (8 if board.right else 0)
    )
    high = y1 + MARGIN + board.room + (22 if board.bottom else 0)
    parts = []
    for row, held in enumerate(board.cells):
        for column, each in enumerate(held):
            x, y = x0 + column * SIDE, y0 + row * SIDE
            if each and each not in board.shaded:
                small = 18 if len(each) < 3 else 13 if len(each) < 5 else 9
                parts.append(svg.text(x + SIDE // 2, y + SIDE // 2, each, small))
        dark = groupby(held, lambda each: board.dark(each) or (bool(each) and each in board.shaded))
        column = 0
        for is_dark, group in dark:
            count = len(list(group))
            if is_dark:
                x = x0 + column * SIDE
                parts.append(svg.shade(x, y0 + row * SIDE, count * SIDE, SIDE))
            column += count
    parts += _borders(board, x0, y0)
    for row in range(rows):
        y = y0 + row * SIDE + SIDE // 2
        parts += [svg.text(x0 - 6, y, each, 14, "end") for each in board.left[row : row + 1]]
        parts += [svg.text(x1 + 6, y, each, 14, "start") for each in board.right[row : row + 1]]
    for column in range(columns):
        x = x0 + column * SIDE + SIDE // 2
        for stack in tops[column : column + 1]:
            for place, each in enumerate(reversed(stack)):
                parts.append(svg.text(x, y0 - 10 - 18 * place, each, 14))
        parts += [svg.text(x, y1 + 12, each, 14) for each in board.bottom[column : column + 1]]
    return Picture(wide, high, [*parts, svg.moved(board.over, x0, y0)] if board.over else parts)


def _borders(board: Board, x0: int, y0: int) -> list[str]:
    rows, columns = len(board.cells), len(board.cells[0])

    def region(row: int, column: int) -> Any:
        if not (0 <= row < rows and 0 <= column < columns):
            return None
        return board.regions[row][column] if board.regions else 0

    parts = []
    for row in range(rows + 1):
        y, pairs = (
            y0 + row * SIDE,
            [(region(row - 1, at), region(row, at)) for at in range(columns)],
        )
        for start, end, width in _runs(pairs):
            parts.append(svg.line(x0 + start * SIDE, y, x0 + end * SIDE, y, width))
    for column in range(columns + 1):
        x, pairs = (
            x0 + column * SIDE,
            [(region(at, column - 1), region(at, column)) for at in range(rows)],
        )
        for start, end, width in _runs(pairs):
            parts.append(svg.line(x, y0 + start * SIDE, x, y0 + end * SIDE, width))
    return parts


def _runs(pairs: Sequence[tuple[Any, Any]]) -> Iterator[tuple[int, int, float]]:
    """Where lines of one width begin and end, between the regions on both sides of each cell's."""
    place = 0
    for width, group in groupby(pairs, lambda pair: _width(*pair)):
        start, place = place, place + len(list(group))
        if width:
            yield start, place, width


def _width(one: Any, other: Any) -> float:
    if one is None and other is None:
        return 0
    return 0.5 if one == other else 2.5


def texts(rows: Cells, blank: Any = None, signs: Mapping[str, str] | None = None) -> Any:
    """What the cells hold: nothing for a blank, and other signs for some."""
    return tuple(
        tuple("" if each == blank else (signs or {}).get(str(each), str(each)) for each in row)
        for row in rows
    )


def labels(numbers: Sequence[Any], hidden: Any = -1) -> Labels:
    return tuple("" if each == hidden else str(each) for each in numbers)


def grid(field: str, blank: Any, shaded: str = "", **signs: str) -> Callable[[Any], Board]:
    """A board that is one field of the puzzle."""
    return lambda puzzle: Board(texts(getattr(puzzle, field), blank, signs), shaded=shaded)


def regions(field: str) -> Callable[[Any], Board]:
    """An empty board with regions."""
    return lambda puzzle: empty(getattr(puzzle, field))


def empty(regions: Cells, right: Labels = (), bottom: Labels = ()) -> Board:
    return Board(texts([[""] * len(row) for row in regions]), regions, right=right, bottom=bottom)


def _sudoku(puzzle: Any) -> Board:
    down, across = puzzle.box_rows, puzzle.box_columns
    side = range(len(puzzle.rows))
    boxes = [[(row // down, column // across) for column in side] for row in side]
    return Board(texts(puzzle.rows, 0), boxes)


def _city(puzzle: Any) -> Board:
    top, bottom, left, right = (labels(each, 0) for each in puzzle.clues)
    return Board(texts(puzzle.givens, 0), left=left, top=top, right=right, bottom=bottom)


def _heyawake(puzzle: Any) -> Board:
    left = {room: str(number) for room, number in enumerate(puzzle.numbers) if number >= 0}
    cells = tuple(tuple(left.pop(room, "") for room in row) for row in puzzle.rooms)
    return Board(cells, puzzle.rooms)


def _nonogram(puzzle: Any) -> Board:
    across, down = (
        tuple(" ".join(map(str, runs)) or "0" for runs in lines)
        for lines in (puzzle.rows, puzzle.columns)
    )
    return Board(texts([[""] * len(down)] * len(across)), left=across, top=down)


def _kakurasu(puzzle: Any) -> Board:
    high, wide = len(puzzle.rows), len(puzzle.columns)
    return Board(
        texts([[""] * wide] * high),
        left=labels(range(1, high + 1)),
        top=labels(range(1, wide + 1)),
        right=labels(puzzle.rows),
        bottom=labels(puzzle.columns),
    )


def _connect_four(puzzle: Any) -> Board:
    rows = [
        [stack[row] if row < len(stack) else "" for stack in puzzle.stacks]
        for row in reversed(range(puzzle.rows))
    ]
    return Board(texts(rows), bottom=labels(range(1, len(puzzle.stacks) + 1)))


def _chess(puzzle: Any) -> Board:
    ranks = len(puzzle.ranks)
    files = tuple("abcdefgh"[: len(puzzle.ranks[0])])
    # Letters as in the prompt: on a dark page a filled chess sign would look white.
    cells = texts(puzzle.ranks, ".")
    return Board(cells, left=labels(range(ranks, 0, -1)), bottom=files)


BOARDS: dict[str, Callable[[Any], Board]] = {
    "aquarium": lambda each: empty(each.tanks, labels(each.across), labels(each.down)),
    "binairo": grid("rows", -1),
    "bridges": grid("rows", "."),
    "connect_four": _connect_four,
    "distances": grid("rows", None),
    "dominosa": grid("numbers", None),
    "game_of_life": grid("rows", ".", "#"),
    "heyawake": _heyawake,
    "hitori": grid("numbers", None),
    "islands": grid("rows", ".", "#"),
    "kakurasu": _kakurasu,
    "lights_out": grid("lit", 0, "1"),
    "magic_square": grid("rows", 0),
    "mate_in_one": _chess,
    "minesweeper": grid("rows", "."),
    "nonogram": _nonogram,
    "norinori": regions("regions"),
    "numbrix": grid("rows", 0),
    "nurikabe": grid("numbers", 0),
    "queens": grid("rows", ".", Q="♛", X="×"),
    "skyscrapers": _city,
    "spiral": grid("rows", None),
    "star_battle": regions("regions"),
    "sudoku": _sudoku,
    "sum_skyscrapers": _city,
    "survo": lambda each: Board(
        texts(each.cells, 0), right=labels(each.rows), bottom=labels(each.columns)
    ),
    "tents": lambda each: Board(
        texts(each.rows, ".", {"T": "▲"}), right=labels(each.across), bottom=labels(each.down)
    ),
    "tic_tac_toe": grid("cells", "."),
    "tsumego": grid("rows", "."),
}
