"""Floors: plans with walls, where somebody walks, pushes, jumps or tips a die."""

from collections.abc import Callable, Mapping
from typing import Any

from puzzlemill.core.drawings import svg
from puzzlemill.core.drawings.boards import SIDE, Board, Cells, labels, texts

WALL = "■"
FACES = {"N": "▲", "E": "▶", "S": "▼", "W": "◀"}
Place = tuple[int, int]


def floor(rows: Cells, signs: Mapping[str, str], marks: Mapping[Place, str]) -> Board:
    """A plan: walls are shaded, and some places have a mark."""
    plan = texts(rows, ".", {"#": WALL} | dict(signs))
    cells = tuple(
        tuple(marks.get((row, column), text) for column, text in enumerate(line))
        for row, line in enumerate(plan)
    )
    return Board(cells, shaded=WALL)


def _plan(field: str, **signs: str) -> Callable[[Any], Board]:
    return lambda puzzle: floor(getattr(puzzle, field), signs, {})


def _named(field: str, **signs: str) -> Callable[[Any], Board]:
    """A board whose squares are named like those of chess."""

    def board(puzzle: Any) -> Board:
        rows = getattr(puzzle, field)
        plan = texts(rows, ".", {"#": WALL} | signs)
        files = tuple("abcdefghijklmnopqrstuvwxyz"[: len(rows[0])])
        return Board(plan, left=labels(range(len(rows), 0, -1)), bottom=files, shaded=WALL)

    return board


def _sokoban(puzzle: Any) -> Board:
    marks: dict[Place, str] = dict.fromkeys(map(tuple, puzzle.goals), "×")
    for box in map(tuple, puzzle.boxes):
        marks[box] = "⊠" if box in marks else "□"
    you = tuple(puzzle.you)
    marks[you] = "☺×" if you in marks else "☺"
    return floor(puzzle.floor, {}, marks)


def _rush_hour(puzzle: Any) -> Board:
    marks = []
    for name, (row, column, length, down) in zip(puzzle.names, puzzle.cars, strict=True):
        wide, high = (1, length) if down else (length, 1)
        x, y = column * SIDE + 3, row * SIDE + 3
        marks.append(svg.shade(x, y, wide * SIDE - 6, high * SIDE - 6))
        marks.append(svg.frame(x, y, wide * SIDE - 6, high * SIDE - 6, 8))
        marks.append(svg.text(x + wide * SIDE / 2 - 3, y + high * SIDE / 2 - 3, name, 16))
    return Board((("",) * puzzle.side,) * puzzle.side, over=tuple(marks))


def _paint_copy(puzzle: Any) -> Board:
    rows = puzzle.squares
    files = tuple("abcdefghijklmnopqrstuvwxyz"[: len(rows[0])])
    return Board(texts(rows, "."), left=labels(range(1, len(rows) + 1)), top=files)


def _boxnet(puzzle: Any) -> Board:
    """Numbered rooms: a box is where its letter stands, and is to go to the letter's capital."""
    marks, cells = list[str](), list[list[str]]()
    for row in range(puzzle.rows):
        rooms = range(row * puzzle.columns + 1, (row + 1) * puzzle.columns + 1)
        cells.append([WALL if room in puzzle.shut else "" for room in rooms])
        for column, room in enumerate(rooms):
            x, y = column * SIDE, row * SIDE
            if room not in puzzle.shut:
                marks.append(svg.text(x + 4, y + 8, str(room), 9, "start"))
    for letter, start, goal in zip("abcdefghijklmnop", puzzle.start, puzzle.goal):
        for sign, room, aside in ((letter, start, 0.35), (letter.upper(), goal, 0.7)):
            row, column = divmod(room - 1, puzzle.columns)
            marks.append(svg.text((column + aside) * SIDE, (row + 0.65) * SIDE, sign, 15))
    return Board(texts(cells), shaded=WALL, over=tuple(marks))


def _named_places(puzzle: Any) -> Board:
    """A grid with the numbers of its rows and columns, and the things whose squares are told."""
    cells = [[""] * puzzle.columns for _ in range(puzzle.rows)]
    for kind, thing, *place in puzzle.clues:
        if kind == "at":
            cells[place[0] - 1][place[1] - 1] = puzzle.things[thing]
    return _counted(cells)


def _counted(cells: Cells) -> Board:
    rows, columns = labels(range(1, len(cells) + 1)), labels(range(1, len(cells[0]) + 1))
    return Board(texts(cells), left=rows, top=columns)


BOARDS: dict[str, Callable[[Any], Board]] = {
    "banner": lambda each: Board(texts(each.rows, "."), shaded=each.ink),
    "boxnet": _boxnet,
    "chomp": lambda each: Board(texts(each.rows, ".", {"#": "□"})),
    "dice_rolling": lambda each: floor(each.squares, {}, {tuple(each.start): "die"}),
    "draughts": _named("rows"),
    "grid_relations": _named_places,
    "ice_slide": lambda each: floor(each.ice, {}, {tuple(each.start): "A", tuple(each.goal): "B"}),
    "knight_swap": _named("board"),
    "life_halting": _plan("rows"),
    "light_up": lambda each: Board(
        texts(each.rows, ".", {"#": WALL}), shaded=WALL, dark=lambda text: text.isdigit()
    ),
    "locked_rooms": lambda each: floor(
        each.squares, {}, {tuple(each.start): FACES[each.face], tuple(each.goal): "$"}
    ),
    "maze": lambda each: floor(each.plan, {}, {tuple(each.start): "S", tuple(each.goal): "E"}),
    "modulo_grid": lambda each: Board(texts(each.rows, "."), shaded="#"),
    "arrow_maze": lambda each: Board(texts(each.rows, ".")),
    "one_stroke": lambda each: floor(each.squares, {}, {tuple(each.start): "☺"}),
    "paint_copy": _paint_copy,
    "paper_folding": lambda each: _counted([[""] * each.columns] * each.rows),
    "peg_solitaire": _named("board", o="●"),
    "rush_hour": _rush_hour,
    "sokoban": _sokoban,
    "spread": lambda each: floor(each.rows, {}, {}),
    "twiddle": lambda each: Board(texts(each.board)),
}
