"""Boards with marks between or over their cells: cages, signs, thermometers, clues, sides."""

from collections.abc import Callable
from typing import Any

from puzzlemill.core.drawings import svg
from puzzlemill.core.drawings.boards import SIDE, Board, Labels, grid, labels, texts

SIGNS = {"sum": "+", "difference": "−", "product": "×", "quotient": "÷"}  # of a cage


def _middle(cell: int) -> float:
    return cell * SIDE + SIDE / 2


def _calcudoku(puzzle: Any) -> Board:
    owners = [[-1] * puzzle.side for _ in range(puzzle.side)]
    marks = []
    for number, (operation, result, cells) in enumerate(puzzle.cages):
        for cell in cells:
            owners[cell // puzzle.side][cell % puzzle.side] = number
        row, column = divmod(min(cells), puzzle.side)
        clue = f"{result}{SIGNS.get(operation, ' ' + operation) if len(cells) > 1 else ''}"
        marks.append(svg.text(column * SIDE + 3, row * SIDE + 8, clue, 9, "start"))
    return Board(texts(puzzle.givens, 0), owners, over=tuple(marks))


def _futoshiki(puzzle: Any) -> Board:
    marks = []
    for less, more in puzzle.signs:
        (row, column), (to_row, to_column) = divmod(less, puzzle.side), divmod(more, puzzle.side)
        sign = {(0, 1): "<", (0, -1): ">", (1, 0): "^", (-1, 0): "v"}
        x, y = (_middle(column) + _middle(to_column)) / 2, (_middle(row) + _middle(to_row)) / 2
        marks.append(svg.text(x, y, sign[to_row - row, to_column - column], 14))
    return Board(texts(puzzle.givens, 0), over=tuple(marks))


def _kakuro(puzzle: Any) -> Board:
    wide = len(puzzle.rows[0])
    marks = []
    for total, cells in puzzle.words:
        row, column = divmod(cells[0], wide)
        across = cells[1] == cells[0] + 1
        y = row * SIDE + (8 if across else SIDE - 7)
        arrow = f"{total}→" if across else f"{total}↓"
        marks.append(svg.text(column * SIDE + 2, y, arrow, 9, "start"))
    cells = texts(puzzle.rows, -1, {"0": "■"})
    return Board(cells, shaded="■", over=tuple(marks))


def _slant(puzzle: Any) -> Board:
    """Numbers at corners; the cells' sides leave room for them."""
    high, wide = len(puzzle.numbers) - 1, len(puzzle.numbers[0]) - 1
    marks = []
    for row, numbers in enumerate(puzzle.numbers):
        for column, number in enumerate(numbers):
            x, y = column * SIDE, row * SIDE
            marks += [svg.text(x, y, str(number), 14)] if number >= 0 else []
            marks += [svg.line(x + 10, y, x + SIDE - 10, y, 0.7)] if column < wide else []
            marks += [svg.line(x, y + 10, x, y + SIDE - 10, 0.7)] if row < high else []
    outside = ((None,) * wide,) * high
    return Board((("",) * wide,) * high, outside, over=tuple(marks), room=8)


def _thermometers(puzzle: Any) -> Board:
    cells: dict[tuple[int, int], tuple[int, int]] = {}
    for row, (owners, places) in enumerate(zip(puzzle.owners, puzzle.places, strict=True)):
        for column, (owner, place) in enumerate(zip(owners, places, strict=True)):
            cells[owner, place] = row, column
    marks = []
    for (owner, place), (row, column) in cells.items():
        x, y = _middle(column), _middle(row)
        if place == 1:
            marks.append(svg.ring(x, y, SIDE / 3, 2))
        if (owner, place + 1) in cells:
            to_row, to_column = cells[owner, place + 1]
            gap = SIDE / 3 if place == 1 else 0  # a bulb is hollow
            x += gap * (to_column - column)
            y += gap * (to_row - row)
            marks.append(svg.line(x, y, _middle(to_column), _middle(to_row), 7))
    blank = [[""] * len(row) for row in puzzle.owners]
    right, bottom = labels(puzzle.rows), labels(puzzle.columns)
    return Board(texts(blank), right=right, bottom=bottom, over=tuple(marks))


def _crossword(puzzle: Any) -> Board:
    return Board(texts(puzzle.rows, ".", {"#": "■"}), shaded="■")


def _symbol_sums(puzzle: Any) -> Board:
    cells = tuple(tuple(puzzle.signs[each] for each in row) for row in puzzle.cells)
    right, bottom = (
        tuple("?" if each == "" else str(each) for each in totals)
        for totals in (puzzle.rows, puzzle.columns)
    )
    return Board(cells, right=right, bottom=bottom)


def _cube(puzzle: Any) -> Board:
    """The net of a cube: U above F, D below it, and L, F, R, B in a row."""
    side = round(len(puzzle.faces[0]) ** 0.5)
    up, right, front, down, left, back = (_net(face, side) for face in puzzle.faces)
    gap: Labels = ("",) * side
    rows = [gap + each + gap + gap for each in up]
    rows += [sum(line, ()) for line in zip(left, front, right, back, strict=True)]
    rows += [gap + each + gap + gap for each in down]
    faces = [
        [(row // side, column // side) if cell else None for column, cell in enumerate(cells)]
        for row, cells in enumerate(rows)
    ]
    return Board(tuple(rows), faces)


def _colours(puzzle: Any) -> Board:
    """The net of a cube in colours: front with top above it, left, right and back in its row."""
    top, bottom, front, back, left, right = puzzle.colours
    rows: list[list[str | None]] = [
        [None, top, None, None],
        [left, front, right, back],
        [None, bottom, None, None],
    ]
    faces = [[(at, place) if each else None for place, each in enumerate(row)]
             for at, row in enumerate(rows)]  # fmt: skip
    return Board(texts(rows, None), faces)


def _net(stickers: str, side: int) -> list[Labels]:
    return [tuple(stickers[start : start + side]) for start in range(0, side * side, side)]


def _dots(puzzle: Any) -> Board:
    """Dots with their letters, and the sides that are drawn."""
    marks = []
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    for one, other in puzzle.drawn:
        ends = [divmod(letters.index(each), puzzle.columns) for each in (one, other)]
        (row, column), (to_row, to_column) = ends
        middle = (_middle(column), _middle(row), _middle(to_column), _middle(to_row))
        marks.append(svg.line(*middle, 2.5))
    for number in range(puzzle.rows * puzzle.columns):
        row, column = divmod(number, puzzle.columns)
        marks.append(svg.dot(_middle(column), _middle(row)))
        marks.append(svg.text(_middle(column) - 8, _middle(row) - 9, letters[number], 11))
    outside = ((None,) * puzzle.columns,) * puzzle.rows
    return Board((("",) * puzzle.columns,) * puzzle.rows, outside, over=tuple(marks))


def _lattice(puzzle: Any) -> Board:
    """Streets from (0, 0) at the bottom left; closed crossings are crossed out."""
    high, wide = puzzle.height, puzzle.width
    marks = [svg.dot(0, high * SIDE), svg.dot(wide * SIDE, 0)]
    for x, y in puzzle.crossings:
        marks += [svg.text(x * SIDE, (high - y) * SIDE, "×", 22)]
    for x, y in puzzle.through:
        marks += [svg.ring(x * SIDE, (high - y) * SIDE, 8, 2)]
    for (x, y), (to_x, to_y) in puzzle.streets:
        middle_x, middle_y = (x + to_x) / 2 * SIDE, (high - (y + to_y) / 2) * SIDE
        marks.append(svg.text(middle_x, middle_y, "×", 14))
    return Board((("",) * wide,) * high, over=tuple(marks), room=12)


def _secret_code(puzzle: Any) -> Board:
    guesses = tuple(tuple(guess) for guess, _ in puzzle.guesses)
    return Board(guesses, right=tuple(_told(each) for _, each in puzzle.guesses))


def _told(answer: Any) -> str:
    return answer if isinstance(answer, str) else " ".join(map(str, answer))


def _move_values(puzzle: Any) -> Board:
    rows = [
        [stack[row] if row < len(stack) else "" for stack in puzzle.stacks]
        for row in reversed(range(puzzle.rows))
    ]
    return Board(texts(rows), bottom=labels(range(1, len(puzzle.stacks) + 1)))


BOARDS: dict[str, Callable[[Any], Board]] = {
    "calcudoku": _calcudoku,
    "clued_crossword": _crossword,
    "cube_rotation": _colours,
    "crossword_fill": _crossword,
    "dots_and_boxes": _dots,
    "dots_margin": _dots,
    "futoshiki": _futoshiki,
    "kakuro": _kakuro,
    "lattice_paths": _lattice,
    "move_values": _move_values,
    "pooling": grid("rows", None),
    "rotation": grid("rows", None),
    "rubiks_cube": _cube,
    "secret_code": _secret_code,
    "slant": _slant,
    "symbol_sums": _symbol_sums,
    "thermometers": _thermometers,
    "word_search": grid("rows", None),
}
