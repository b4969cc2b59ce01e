"""Drawings: a puzzle as SVG, made from its data alone, in the colour of the text around it."""

from typing import TYPE_CHECKING, Any

from puzzlemill.core.drawings.boards import BOARDS, board_svg
from puzzlemill.core.drawings.networks import network_svg

if TYPE_CHECKING:
    from puzzlemill.core.family import AnyFamily


def svg_of(family: str, puzzle: Any) -> str | None:
    """A drawing of a family's puzzle; None where there is none of its kind."""
    if family in BOARDS:
        return board_svg(BOARDS[family](puzzle))
    return network_svg(family, puzzle)


def drawing_of(family: "AnyFamily", puzzle: Any) -> str | None:
    """The same for a variant, too, where it asks its origin's puzzles."""
    while family.origin and family.origin.family.puzzle is family.puzzle:
        family = family.origin.family
    return svg_of(family.name, puzzle)
