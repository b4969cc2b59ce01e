"""Drawings: a puzzle as SVG, made from its data alone, in the colour of the text around it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from puzzlemill.core.drawings import (
    boards,
    circuits,
    examples,
    figures,
    floors,
    lines,
    links,
    maps,
    marked_boards,
    piles,
    planes,
    tables,
    trees,
)
from puzzlemill.core.drawings.boards import board_picture
from puzzlemill.core.drawings.networks import network_of
from puzzlemill.core.drawings.svg import Picture, drawing

if TYPE_CHECKING:
    from puzzlemill.core.family import AnyFamily

BOARDS = boards.BOARDS | marked_boards.BOARDS | floors.BOARDS
# Of other shapes; None where a puzzle is too large to be drawn.
PICTURES: Mapping[str, Callable[[Any], Picture | None]] = (
    circuits.PICTURES
    | examples.PICTURES
    | figures.PICTURES
    | lines.PICTURES
    | links.PICTURES
    | maps.PICTURES
    | piles.PICTURES
    | planes.PICTURES
    | tables.PICTURES
    | trees.PICTURES
)


def svg_of(family: str, puzzle: Any) -> str | None:
    """A drawing of a family's puzzle; None where there is none of its kind."""
    if family in BOARDS:
        return drawing(board_picture(BOARDS[family](puzzle)))
    picture = PICTURES[family](puzzle) if family in PICTURES else network_of(puzzle)
    return drawing(picture) if picture else None


def drawing_of(family: "AnyFamily", puzzle: Any) -> str | None:
    """The same for a variant, too, where it asks its origin's puzzles."""
    while family.origin and family.origin.family.puzzle is family.puzzle:
        family = family.origin.family
    return svg_of(family.name, puzzle)
