"""Boards of cells: neighbours, pieces that hang together, regions, turns and reflections.

A cell is (row, column), both from 0; a board is a tuple of rows.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from random import Random
from typing import TypeAlias, TypeVar

Cell: TypeAlias = tuple[int, int]
T = TypeVar("T")
Board: TypeAlias = tuple[tuple[T, ...], ...]

SIDES = ((-1, 0), (0, 1), (1, 0), (0, -1))
CORNERS = ((-1, -1), (-1, 1), (1, 1), (1, -1))


def cells(rows: int, columns: int) -> list[Cell]:
    return [(row, column) for row in range(rows) for column in range(columns)]


def beside(cell: Cell, rows: int, columns: int) -> list[Cell]:
    """The cells that share a side with a cell."""
    return [*_moved(cell, rows, columns, SIDES)]


def around(cell: Cell, rows: int, columns: int) -> list[Cell]:
    """The cells that share a side or a corner with a cell."""
    return [*_moved(cell, rows, columns, SIDES + CORNERS)]


@lru_cache(maxsize=1 << 14)
def _moved(cell: Cell, rows: int, columns: int, steps: tuple[Cell, ...]) -> tuple[Cell, ...]:
    row, column = cell
    return tuple(
        (row + down, column + right)
        for down, right in steps
        if 0 <= row + down < rows and 0 <= column + right < columns
    )


def pieces(chosen: Collection[Cell]) -> list[list[Cell]]:
    """The chosen cells, by which of them hang together side by side; sorted."""
    left, found = set(chosen), []
    for start in sorted(chosen):
        if start in left:
            left.discard(start)
            piece = [start]
            for row, column in piece:  # grows meanwhile
                for down, right in SIDES:
                    near = row + down, column + right
                    if near in left:
                        left.discard(near)
                        piece.append(near)
            found.append(sorted(piece))
    return found


def border(piece: Collection[Cell], rows: int, columns: int) -> list[Cell]:
    """The cells that share a side with one of a piece, in order."""
    near = {other for cell in piece for other in beside(cell, rows, columns)}
    return sorted(near.difference(piece))


def regions(rng: Random, rows: int, columns: int, count: int) -> Board[int]:
    """A board cut into so many regions, each of one piece, numbered as they first appear."""
    everything = cells(rows, columns)
    owner = {cell: number for number, cell in enumerate(rng.sample(everything, count))}
    border = list(owner)
    while border:
        place = rng.randrange(len(border))
        near = _moved(border[place], rows, columns, SIDES)
        free = [cell for cell in near if cell not in owner]
        if not free:
            border[place] = border[-1]
            border.pop()
            continue
        cell = rng.choice(free)
        owner[cell] = owner[border[place]]
        border.append(cell)
    owners = list(map(owner.__getitem__, everything))
    return renumbered([owners[start : start + columns] for start in range(0, len(owners), columns)])


def renumbered(board: Sequence[Sequence[T]]) -> Board[int]:
    """Equal values by a number, from 0, in the order in which they first appear."""
    new = {value: number for number, value in enumerate(dict.fromkeys(chain.from_iterable(board)))}
    return tuple(tuple(map(new.__getitem__, row)) for row in board)


def least_renumbered(boards: Iterable[Sequence[Sequence[T]]]) -> Board[int]:
    """The least of boards that are renumbered; most are more in their first row already."""
    first = [(renumbered(board[:1]), board) for board in boards]
    least = min(row for row, _ in first)
    return min(renumbered(board) for row, board in first if row == least)


def turns(board: Sequence[Sequence[T]]) -> list[Board[T]]:
    """The eight ways to lay a board down: turned by quarters, and reflected."""
    turned: Board[T] = tuple(map(tuple, board))
    found = []
    for _ in range(4):
        turned = tuple(zip(*turned[::-1]))
        found += [turned, turned[::-1]]
    return found


def drawn(board: Sequence[Sequence[object]], between: str = " ") -> str:
    """A line a row."""
    return "\n".join([between.join([f"{cell}" for cell in row]) for row in board])
