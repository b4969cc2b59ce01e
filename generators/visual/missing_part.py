"""Missing part: which of the numbered pieces makes a pattern regular again.

The prompt lists the regularities that there are. An option is right if the pattern has one of them
once the piece is put in, and exactly one option is. `verify` compares cells by coordinates; `solve`
reads the pattern and the pieces from the drawn pictures and flips whole arrays.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._drawing import area, frame
from puzzlemill.generators.visual._figures import (
    CELL,
    EDGE,
    Figure,
    choices,
    drawn,
    random_figure,
    read,
    read_choices,
    recoloured,
)
from puzzlemill.generators.visual._picture import GUTTER, Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import PALETTE

TOLD = (
    "it is symmetrical about its vertical or its horizontal middle line or about one of its two"
    " diagonals, or it looks the same after half a turn, or it is made of equal square blocks of"
    " 2 x 2, 3 x 3 or 4 x 4 cells that repeat side by side from its top left corner"
)
BLOCKS = (2, 3, 4)


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the pattern, in cells
    gap: int  # of the missing square, in cells
    colours: int  # of the cells
    options: int  # pieces to choose from


@dataclass(frozen=True, slots=True)
class Pattern:
    rows: Figure  # with white cells in the gap
    top: int  # of the gap
    left: int
    options: tuple[Figure, ...]


def generate(rng: Random, knobs: Knobs) -> Pattern | None:
    side, gap = knobs.side, knobs.gap
    board = np.array(random_figure(rng, side, side, knobs.colours))
    kinds = ["across", "down", "diagonal", "other", "half"]
    if any(side % block == 0 for block in BLOCKS):  # not of 7 cells, nor of 11
        kinds += ["block", "block"]
    kind = rng.choice(kinds)
    whole = _made_regular(rng, board, kind)
    top, left = rng.randint(0, side - gap), rng.randint(0, side - gap)
    right = whole[top : top + gap, left : left + gap].copy()
    if not right.any():
        return None
    whole[top : top + gap, left : left + gap] = 0
    # A row of pieces, each one cell away from the next, in which the right one stands anywhere: so
    # it is not more like all others than they are like each other.
    options, before = [_figure(right)], rng.randrange(knobs.options)
    for _ in range(40):
        if len(options) == knobs.options:
            break
        first = before > 0
        other = recoloured(rng, options[0 if first else -1], knobs.colours)
        if other not in options:
            options.insert(0 if first else len(options), other)
            before -= first
    rng.shuffle(options)
    pattern = Pattern(_figure(whole), top, left, tuple(options))
    enough = len(options) == knobs.options
    return pattern if enough and solve(pattern) is not None else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(pattern: Pattern) -> int | None:
    """Read the pictures back and try each piece."""
    board = np.array(read(_holed(pattern)))
    gap = len(pattern.options[0])
    holes = np.argwhere(board == -1)
    if len(holes) != gap * gap:
        return None
    top, left = holes[0]
    found = []
    for number, piece in enumerate(read_choices(choices(pattern.options), pattern.options), 1):
        board[top : top + gap, left : left + gap] = piece
        if _is_regular(board):
            found.append(number)
    return found[0] if len(found) == 1 else None


def verify(pattern: Pattern, number: int) -> float:
    if not 1 <= number <= len(pattern.options):
        return 0.0
    side, piece = len(pattern.rows), pattern.options[number - 1]
    cells = {(r, c): ink for r, row in enumerate(pattern.rows) for c, ink in enumerate(row)}
    for r, row in enumerate(piece):
        for c, ink in enumerate(row):
            cells[pattern.top + r, pattern.left + c] = ink
    last = side - 1
    partners = [
        {(r, c): (r, last - c) for r, c in cells},
        {(r, c): (last - r, c) for r, c in cells},
        {(r, c): (c, r) for r, c in cells},
        {(r, c): (last - c, last - r) for r, c in cells},
        {(r, c): (last - r, last - c) for r, c in cells},
    ]
    partners += [
        {(r, c): (r % block, c % block) for r, c in cells} for block in BLOCKS if side % block == 0
    ]
    return float(any(all(cells[a] == cells[b] for a, b in pairs.items()) for pairs in partners))


def render(pattern: Pattern, style: Style) -> Prompt:
    count = len(pattern.options)
    return Prompt(
        style.pick(
            f"<image>\nA square piece of this pattern is missing (grey). The whole pattern was"
            f" regular: {TOLD}. Only one of the {count} pieces below makes it regular again. Which"
            " one? Its number stands above it.\n<image>",
            f"First picture: <image>\nSecond picture: <image>\nThe first picture is a pattern with"
            f" a grey gap, the second has {count} numbered pieces. Before the piece was taken out,"
            f" the pattern had this property: {TOLD}. Which piece, put in as it is shown, gives it"
            " back this property?",
            f"Find the missing piece. The pattern had a regularity: {TOLD}.\n<image>\nThese are the"
            f" {count} pieces, which are not to be turned; one of them makes the pattern regular:"
            "\n<image>\nWhat is its number?",
        ),
        form="the number of the piece, as one integer",
        images=(png(_holed(pattern), PALETTE), png(choices(pattern.options), PALETTE)),
    )


def hardness(pattern: Pattern) -> float:
    return len(pattern.rows) * len(pattern.options)


def _figure(board: np.typing.NDArray[np.int_]) -> Figure:
    return tuple(tuple(map(int, row)) for row in board)


def _made_regular(
    rng: Random, board: np.typing.NDArray[np.int_], kind: str
) -> np.typing.NDArray[np.int_]:
    side = len(board)
    if kind == "block":
        block = rng.choice([block for block in BLOCKS if side % block == 0])
        return np.tile(board[:block, :block], (side // block, side // block))
    # Of a cell and its image, the one that comes first gives its colour to both.
    number = np.arange(side * side).reshape(side, side)
    return board.ravel()[np.minimum(number, _images(number)[kind])]


def _images(board: np.typing.NDArray[np.int_]) -> dict[str, np.typing.NDArray[np.int_]]:
    return {
        "across": np.fliplr(board),
        "down": np.flipud(board),
        "diagonal": board.T,
        "other": np.rot90(board, 2).T,
        "half": np.rot90(board, 2),
    }


def _is_regular(board: np.typing.NDArray[np.int_]) -> bool:
    images, side = list(_images(board).values()), len(board)
    images += [
        np.tile(board[:block, :block], (side // block, side // block))
        for block in BLOCKS
        if side % block == 0
    ]
    return any(np.array_equal(board, image) for image in images)


@drawn_once
def _holed(pattern: Pattern) -> Pixels:
    page, gap = drawn(pattern.rows), len(pattern.options[0])
    left, top = EDGE + pattern.left * CELL, EDGE + pattern.top * CELL
    area(page, left, top, left + gap * CELL + 1, top + gap * CELL + 1, GUTTER)
    frame(page, left, top, left + gap * CELL + 1, top + gap * CELL + 1, 2)
    return page


LADDER = (
    Knobs(6, 2, 2, 4),
    Knobs(8, 3, 2, 5),
    Knobs(9, 3, 3, 6),
    Knobs(10, 4, 3, 8),
    Knobs(12, 5, 4, 12),
)
FAMILY = Family(
    Pattern,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(called=("piece",)),
    hardness=hardness,
    proof="unique",
    solver="every piece tried in the pattern that is read from pixels",
    guess_rate=0.3,
    redraws=True,
    skills=("vision", "symmetry", "induction"),
    peers=("KORGym/17-fill_game",),
    version=3,
)
