"""Rotation match: which of the numbered figures is the first one, turned but not mirrored.

`verify` carries every coloured cell over by its coordinates; `solve` reads the figures from the
drawn panels and turns them as arrays.
"""

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


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of a figure, in cells
    colours: int  # of the cells
    options: int  # figures to choose from
    close: float  # share of the wrong options in which one cell only is changed


@dataclass(frozen=True, slots=True)
class Turned:
    figure: Figure
    options: tuple[Figure, ...]


def generate(rng: Random, knobs: Knobs) -> Turned | None:
    figure = random_figure(rng, knobs.side, knobs.side, knobs.colours)
    looks = turns(figure)
    if len(set(looks)) < 8:
        return None  # it has a symmetry
    # `turns` gives a turned figure and then its mirror image, four times.
    options = [looks[2 * rng.randrange(3)]]
    while len(options) < knobs.options:
        if rng.random() < knobs.close:
            other = turns(recoloured(rng, figure, knobs.colours))[2 * rng.randrange(4)]
        else:
            other = looks[2 * rng.randrange(4) + 1]
            if knobs.options > 5 or rng.random() < 0.3:
                other = recoloured(rng, other, knobs.colours)
        if other not in options and other not in looks[::2]:
            options.append(other)
    rng.shuffle(options)
    return Turned(figure, tuple(options))


def solve(turned: Turned) -> int | None:
    """Read the panels back and turn the first."""
    figure = np.array(read(drawn(turned.figure)))
    options = read_choices(choices(turned.options), turned.options)
    found = [
        number
        for number, option in enumerate(options, 1)
        if any(np.array_equal(np.rot90(figure, quarter), option) for quarter in range(4))
    ]
    return found[0] if len(found) == 1 else None


def verify(turned: Turned, number: int) -> float:
    if not 1 <= number <= len(turned.options):
        return 0.0
    side = len(turned.figure)
    wanted, cells = _inked(turned.options[number - 1]), _inked(turned.figure)
    for _ in range(4):
        cells = {(column, side - 1 - row, ink) for row, column, ink in cells}
        if cells == wanted:
            return 1.0
    return 0.0


def render(turned: Turned, style: Style) -> Prompt:
    count = len(turned.options)
    return Prompt(
        style.pick(
            f"<image>\nThis figure was turned by a quarter, a half or three quarters of a turn, and"
            f" is one of the {count} below. The others are mirrored or changed, so that no turn"
            " makes them the same as the figure. Which one is it? Its number stands above it."
            "\n<image>",
            f"First picture: <image>\nSecond picture: <image>\nOne of the {count} numbered figures"
            " in the second picture is the figure in the first, turned in the plane of the page."
            " All others are mirrored or differ in some cell. What is the number of the turned"
            " figure?",
            f"Which of the {count} numbered figures can be turned (without being mirrored) so that"
            " it is exactly the figure shown first? Only one can.\n<image>\n<image>",
        ),
        form="the number of that figure, as one integer",
        images=(png(drawn(turned.figure), PALETTE), png(choices(turned.options), PALETTE)),
    )


def hardness(turned: Turned) -> float:
    return len(turned.options) * len(turned.figure)


def _inked(figure: Figure) -> set[tuple[int, int, int]]:
    return {
        (row, column, ink)
        for row, line in enumerate(figure)
        for column, ink in enumerate(line)
        if ink
    }


LADDER = (
    Knobs(3, 2, 4, 0.4),
    Knobs(4, 2, 5, 0.5),
    Knobs(5, 3, 6, 0.6),
    Knobs(6, 3, 8, 0.7),
    Knobs(7, 4, 12, 0.8),
)
FAMILY = Family(
    Turned,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(called=("figure",)),
    hardness=hardness,
    proof="unique",
    solver="figures read from pixels and turned as arrays",
    guess_rate=0.3,
    redraws=True,
    skills=("vision", "spatial"),
    theme="turned_figures",
    version=4,
)
