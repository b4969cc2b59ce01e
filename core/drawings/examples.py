"""Boards side by side: what something becomes, and examples of a rule."""

from collections.abc import Callable, Sequence
from typing import Any

from puzzlemill.core.drawings import svg
from puzzlemill.core.drawings.boards import Board, Cells, board_picture, texts
from puzzlemill.core.drawings.svg import Picture

MOST = 6  # pairs; more is a wall of grids
WIDEST = 1200


def _grid(rows: Cells, blank: Any = 0) -> Picture:
    return board_picture(Board(texts(rows, blank)))


def _start_and_goal(blank: Any) -> Callable[[Any], Picture]:
    return lambda puzzle: svg.beside([_grid(puzzle.start, blank), _grid(puzzle.goal, blank)], "→")


def _examples(rows_of: Callable[[Any], Cells], blank: Any = 0) -> Callable[[Any], Picture | None]:
    """The examples, before and after, and the case that is asked for."""

    def picture(puzzle: Any) -> Picture | None:
        if len(puzzle.examples) > MOST:
            return None
        pairs: Sequence[Picture] = [
            svg.beside([_grid(rows_of(each), blank) for each in pair], "→")
            for pair in puzzle.examples
        ]
        asked = svg.titled("?", _grid(rows_of(puzzle.case), blank))
        whole = svg.stacked([*pairs, asked])
        return whole if whole.wide <= WIDEST else None

    return picture


PICTURES: dict[str, Callable[[Any], Picture | None]] = {
    "arc_1d": _examples(lambda row: (row,)),
    "arc_objects": _examples(lambda rows: rows),
    "list_functions": _examples(lambda row: (row,), None),
    "grid_rules": _examples(lambda rows: rows),
    "shifting_rows": _start_and_goal(None),
    "sliding_tiles": _start_and_goal(0),
}
