"""Drawings: a puzzle as SVG, made from its data alone, in the colour of the text around it."""

from typing import Any

from puzzlemill.outputs.drawings.boards import BOARDS, board_svg
from puzzlemill.outputs.drawings.networks import network_svg


def svg_of(family: str, puzzle: Any) -> str | None:
    """A drawing of a family's puzzle; None where there is none of its kind."""
    if family in BOARDS:
        return board_svg(BOARDS[family](puzzle))
    return network_svg(family, puzzle)
