"""Mirror match: which of the numbered figures comes out when one is mirrored and turned as told.

`verify` asks of each cell of an option where it came from; `solve` reads the figures from the drawn
panels and flips them as arrays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import turns
from puzzlemill.generators.visual._figures import (
    Figure,
    choices,
    drawn,
    random_figure,
    read,
    read_choices,
    recoloured,
)
from puzzlemill.generators.visual._picture import png
from puzzlemill.generators.visual._scene import PALETTE

ACTS = {
    "across": "left and right are exchanged",
    "down": "top and bottom are exchanged",
    "right": "it is turned clockwise by a quarter turn",
    "left": "it is turned anticlockwise by a quarter turn",
    "diagonal": "it is mirrored in the diagonal from its top left to its bottom right corner",
}


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of a figure, in cells
    colours: int  # of the cells
    options: int  # figures to choose from
    acts: int  # reflections and turns, one after another


@dataclass(frozen=True, slots=True)
class Mirrored:
    figure: Figure
    acts: tuple[str, ...]
    options: tuple[Figure, ...]


def generate(rng: Random, knobs: Knobs) -> Mirrored | None:
    figure = random_figure(rng, knobs.side, knobs.side, knobs.colours)
    looks = turns(figure)
    if len(set(looks)) < 8:
        return None  # it has a symmetry
    acts = [rng.choice(["across", "down"])]
    while len(acts) < knobs.acts:
        act = rng.choice(list(ACTS))
        if act != acts[-1] and {act, acts[-1]} != {"left", "right"}:
            acts.append(act)
    right = _done(np.array(figure), acts)
    options = [tuple(tuple(map(int, row)) for row in right)]
    while len(options) < knobs.options:
        other = rng.choice(looks)
        if rng.random() < 0.4:
            other = recoloured(rng, other, knobs.colours)
        if other not in options:
            options.append(other)
    rng.shuffle(options)
    return Mirrored(figure, tuple(acts), tuple(options))


def solve(mirrored: Mirrored) -> int | None:
    """Read the panels back, and flip the first as it is told."""
    wanted = _done(np.array(read(drawn(mirrored.figure))), mirrored.acts)
    options = read_choices(choices(mirrored.options), mirrored.options)
    found = [number for number, option in enumerate(options, 1) if np.array_equal(option, wanted)]
    return found[0] if len(found) == 1 else None


def verify(mirrored: Mirrored, number: int) -> float:
    if not 1 <= number <= len(mirrored.options):
        return 0.0
    option, last = mirrored.options[number - 1], len(mirrored.figure) - 1
    for row, line in enumerate(option):
        for column, ink in enumerate(line):
            r, c = row, column
            for act in reversed(mirrored.acts):
                r, c = {
                    "across": (r, last - c),
                    "down": (last - r, c),
                    "right": (last - c, r),  # before a turn to the right it lay one turn left
                    "left": (c, last - r),
                    "diagonal": (c, r),
                }[act]
            if mirrored.figure[r][c] != ink:
                return 0.0
    return 1.0


def render(mirrored: Mirrored, style: Style) -> Prompt:
    told = ", then ".join(ACTS[act] for act in mirrored.acts)
    count = len(mirrored.options)
    return Prompt(
        style.pick(
            f"<image>\nThis figure is changed: {told}. Which of the {count} figures below shows the"
            " result? Its number stands above it.\n<image>",
            f"First picture: <image>\nSecond picture: <image>\nTake the figure in the first picture"
            f" and change it: {told}. Which of the {count} numbered figures in the second picture"
            " is the result?",
            f"A figure is shown first, and {count} numbered figures after it.\n<image>\n<image>\n"
            f"The first figure is changed: {told}. Which numbered figure is exactly the"
            " result?",
        ),
        form="the number of that figure, as one integer",
        images=(png(drawn(mirrored.figure), PALETTE), png(choices(mirrored.options), PALETTE)),
    )


def hardness(mirrored: Mirrored) -> float:
    return len(mirrored.options) * len(mirrored.figure) + 10 * len(mirrored.acts)


def _done(board: np.typing.NDArray[np.int_], acts: Sequence[str]) -> np.typing.NDArray[np.int_]:
    for act in acts:
        match act:
            case "across":
                board = np.fliplr(board)
            case "down":
                board = np.flipud(board)
            case "right":
                board = np.rot90(board, -1)
            case "left":
                board = np.rot90(board)
            case _:
                board = board.T
    return board


LADDER = (
    Knobs(3, 2, 4, 1),
    Knobs(4, 2, 5, 2),
    Knobs(5, 3, 6, 3),
    Knobs(6, 3, 8, 4),
    Knobs(7, 4, 12, 6),
)
FAMILY = Family(
    Mirrored,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(called=("figure",)),
    hardness=hardness,
    proof="unique",
    solver="figures read from pixels and flipped as arrays",
    guess_rate=0.3,
    redraws=True,
    skills=("vision", "spatial"),
    theme="turned_figures",
    version=4,
)
