"""Who is the spy, with pictures that are drawn: for policies that see."""

from puzzlemill.core.family import Prompt
from puzzlemill.core.game import Game
from puzzlemill.generators.games.environments import _spy
from puzzlemill.generators.games.environments._spy import COLOURS, SEATS, Table
from puzzlemill.generators.visual._drawing import area, blank
from puzzlemill.generators.visual._picture import png

# Paper, ink, and the colours in their order.
PALETTE = (
    (255, 255, 255), (0, 0, 0), (204, 32, 32), (24, 140, 60), (32, 72, 200), (240, 200, 32),
)  # fmt: skip
CELL, GAP = 24, 2  # pixels


def shown(table: Table, seat: int) -> Prompt:
    question, form = _spy.rules(table, seat, "Your picture: <image>")
    return Prompt(question, form, (drawn(_spy.seen(table, seat), table.side),))


def drawn(colours: tuple[str, ...], side: int) -> bytes:
    """The picture, as PNG."""
    page = blank(side * CELL, side * CELL)
    for place, colour in enumerate(colours):
        left, top = place % side * CELL, place // side * CELL
        corner = left + CELL - GAP, top + CELL - GAP
        area(page, left + GAP, top + GAP, *corner, 2 + COLOURS.index(colour))
    return png(page, PALETTE)


GAME = Game(
    Table, _spy.reset, _spy.to_move, _spy.legal, _spy.step, _spy.score, shown, _spy.move,
    _spy.write, players=SEATS, open=False, rivals=False, is_judged=_spy.is_judged,
    verdicts=_spy.verdicts,
)  # fmt: skip
