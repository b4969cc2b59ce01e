"""Figures: small boards of coloured cells, drawn as panels, and read back from pixels."""

from collections.abc import Sequence
from random import Random

import numpy as np

from puzzlemill.generators.visual._drawing import blank, frame
from puzzlemill.generators.visual._picture import GUTTER, PAPER, Pixels, drawn_once, panels, sheet
from puzzlemill.generators.visual._scene import COLOURS, INDEX

Figure = tuple[tuple[int, ...], ...]  # 0 is white, others are from INKS

INKS = ("blue", "red", "yellow", "green", "purple")
EDGE = 6  # pixels around a figure
CELL = 22  # pixels
NAMES = {INDEX[name]: place for place, name in enumerate(INKS, start=1)} | {PAPER: 0}

assert set(INKS) <= set(COLOURS)


def random_figure(rng: Random, rows: int, columns: int, colours: int) -> Figure:
    """About half of the cells are white."""
    return tuple(
        tuple(
            rng.randint(1, colours) if rng.random() < 0.55 else 0 for _ in range(columns)
        )
        for _ in range(rows)
    )  # fmt: skip


@drawn_once
def choices(options: tuple[Figure, ...]) -> Pixels:
    """Numbered figures to choose from."""
    return sheet([drawn(option) for option in options], _across(len(options)))


def read_choices(page: Pixels, options: Sequence[Figure]) -> list[Figure]:
    """The figures that are seen on a page where as many of this size are offered."""
    high, wide = drawn(options[0]).shape
    return [read(panel) for panel in panels(page, len(options), _across(len(options)), high, wide)]


def drawn(figure: Figure) -> Pixels:
    """A board of square cells with thin grey lines between them."""
    high, wide = len(figure) * CELL, len(figure[0]) * CELL
    page = blank(wide + 2 * EDGE + 1, high + 2 * EDGE + 1)
    inks = np.array([[INDEX[INKS[ink - 1]] if ink else PAPER for ink in line] for line in figure])
    board = page[EDGE : EDGE + high + 1, EDGE : EDGE + wide + 1]
    board[:high, :wide] = inks.repeat(CELL, axis=0).repeat(CELL, axis=1)
    board[::CELL] = board[:, ::CELL] = GUTTER
    frame(page, EDGE, EDGE, EDGE + wide + 1, EDGE + high + 1)
    return page


def read(panel: Pixels) -> Figure:
    """The figure of a panel, by the colour in the middle of each cell; -1 is another colour."""
    middles = panel[EDGE + CELL // 2 : -EDGE : CELL, EDGE + CELL // 2 : -EDGE : CELL]
    return tuple(tuple(NAMES.get(colour, -1) for colour in line) for line in middles.tolist())


def recoloured(rng: Random, figure: Figure, colours: int) -> Figure:
    """One cell changed."""
    row, column = rng.randrange(len(figure)), rng.randrange(len(figure[0]))
    ink = rng.choice([other for other in range(colours + 1) if other != figure[row][column]])
    line = figure[row]
    changed = (*line[:column], ink, *line[column + 1 :])
    return (*figure[:row], changed, *figure[row + 1 :])


def _across(options: int) -> int:
    """How many of so many numbered figures stand side by side."""
    return 4 if options > 6 else 3
