"""Who is the spy, with pictures in words: the colours of cells, row by row."""

from puzzlemill.core.family import Prompt
from puzzlemill.core.game import Game
from puzzlemill.generators.games.environments import _spy
from puzzlemill.generators.games.environments._spy import SEATS, Table


def shown(table: Table, seat: int) -> Prompt:
    colours, side = _spy.seen(table, seat), table.side
    rows = (
        f"row {row + 1}: {' '.join(colours[row * side : (row + 1) * side])}" for row in range(side)
    )
    question, form = _spy.rules(table, seat, f"Your picture: {'; '.join(rows)}.")
    return Prompt(question, form)


GAME = Game(
    Table, _spy.reset, _spy.to_move, _spy.legal, _spy.step, _spy.score, shown, _spy.move,
    _spy.write, players=SEATS, open=False, rivals=False, is_judged=_spy.is_judged,
    verdicts=_spy.verdicts,
)  # fmt: skip
