"""Chess attacks: which red pieces do the blue pieces attack on a drawn board?

`verify` looks along the lines from every red piece back to a blue one; `solve` reads the pieces
from the drawn board and moves every blue one.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import Cell, cells
from puzzlemill.generators.visual._drawing import area, asked, blank, letter_at, write
from puzzlemill.generators.visual._picture import GUTTER, PAPER, Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import INDEX, PALETTE

CELL = 36  # pixels
EDGE = 30  # pixels to the left and below, for the names of the rows and columns
STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
ASLANT = ((1, 1), (1, -1), (-1, 1), (-1, -1))
LEAPS = ((1, 2), (2, 1), (-1, 2), (2, -1), (1, -2), (-2, 1), (-1, -2), (-2, -1))
# Steps of a piece, and whether it goes on along them.
WAYS: dict[str, tuple[tuple[Cell, ...], bool]] = {
    "R": (STRAIGHT, True),
    "B": (ASLANT, True),
    "Q": (STRAIGHT + ASLANT, True),
    "N": (LEAPS, False),
    "K": (STRAIGHT + ASLANT, False),
}
NAMES = {"R": "rook", "B": "bishop", "Q": "queen", "N": "knight", "K": "king"}


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # squares, both ways
    blue: int  # pieces
    red: int  # pieces


@dataclass(frozen=True, slots=True)
class Position:
    side: int
    blue: tuple[tuple[str, int, int], ...]  # piece, row from the top and column, from 0
    red: tuple[tuple[str, int, int], ...]


def generate(rng: Random, knobs: Knobs) -> Position | None:
    squares = rng.sample(cells(knobs.side, knobs.side), knobs.blue + knobs.red)
    pieces = [(rng.choice("RRBBQNNK" if place < knobs.blue else "RBQNK"), row, column)
              for place, (row, column) in enumerate(squares)]  # fmt: skip
    position = Position(knobs.side, tuple(pieces[: knobs.blue]), tuple(pieces[knobs.blue :]))
    return position if 0 < len(solve(position)) < knobs.red else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(position: Position) -> tuple[str, ...]:
    """Read the board, and let every blue piece go as far as it can."""
    page, side = _drawn(position), position.side
    seen: dict[Cell, tuple[str, str]] = {}
    for row, column in cells(side, side):
        x, y = EDGE + column * CELL + CELL // 2, row * CELL + CELL // 2 + 4
        for colour in ("blue", "red"):
            if piece := letter_at(page, x, y, 3, INDEX[colour]):
                seen[row, column] = colour, piece
    found = set()
    for (row, column), (colour, piece) in seen.items():
        if colour == "red":
            continue
        steps, far = WAYS[piece]
        for down, right in steps:
            for length in range(1, side if far else 2):
                there = row + length * down, column + length * right
                if there in seen:
                    if seen[there][0] == "red":
                        found.add(_square(side, *there))
                    break
    return tuple(sorted(found))


def verify(position: Position, squares: tuple[str, ...]) -> float:
    taken = {(row, column): piece for piece, row, column in position.red + position.blue}
    blue = {(row, column) for _, row, column in position.blue}
    right = set()
    for _, row, column in position.red:
        for r, c in blue:
            down, across, piece = abs(r - row), abs(c - column), taken[r, c]
            between = [
                (row + (r - row) * step // max(down, across), column + (c - column) * step
                 // max(down, across))
                for step in range(1, max(down, across))
            ]  # fmt: skip
            straight, aslant = 0 in (down, across), down == across
            if piece == "N":
                attacks = {down, across} == {1, 2}
            elif piece == "K":
                attacks = max(down, across) == 1
            else:
                attacks = (straight and piece in "RQ") or (aslant and piece in "BQ")
                attacks = attacks and not any(cell in taken for cell in between)
            if attacks:
                right.add(_square(position.side, row, column))
    return float({square.lower() for square in squares} == right)


def render(position: Position, style: Style) -> Prompt:
    letters = ", ".join(f"{piece} is a {name}" for piece, name in NAMES.items())
    shown = (
        f"The picture shows a board with {position.side} x {position.side} squares and chess pieces"
        f" as letters ({letters}). Pieces attack as in chess; rooks, bishops and queens do"
        " not attack beyond the first piece in their way, of either colour."
    )
    return Prompt(
        asked(style, shown, "Which red pieces are attacked by at least one blue piece?"),
        form="the squares of all these red pieces, each a letter and a number such as z9, separated"
        " by commas",
        images=(png(_drawn(position), PALETTE),),
    )


def hardness(position: Position) -> float:
    return len(position.blue) * len(position.red)


def _square(side: int, row: int, column: int) -> str:
    return f"{chr(ord('a') + column)}{side - row}"


@drawn_once
def _drawn(position: Position) -> Pixels:
    side = position.side
    page = blank(EDGE + side * CELL + 6, side * CELL + EDGE + 6)
    for row, column in cells(side, side):
        left, top = EDGE + column * CELL, row * CELL + 4
        dark = (row + column) % 2 == 1
        area(page, left, top, left + CELL, top + CELL, GUTTER if dark else PAPER)
    for step in range(side):
        write(page, chr(ord("A") + step), EDGE + step * CELL + CELL // 2, side * CELL + 20)
        write(page, str(side - step), EDGE // 2, step * CELL + CELL // 2 + 4)
    for line in (0, side):
        area(page, EDGE, line * CELL + 3, EDGE + side * CELL, line * CELL + 5)
        area(page, EDGE + line * CELL - 1, 4, EDGE + line * CELL + 1, side * CELL + 4)
    for colour, pieces in (("blue", position.blue), ("red", position.red)):
        for piece, row, column in pieces:
            x, y = EDGE + column * CELL + CELL // 2, row * CELL + CELL // 2 + 4
            write(page, piece, x, y, 3, INDEX[colour])
    return page


LADDER = (Knobs(5, 1, 3), Knobs(6, 2, 5), Knobs(8, 3, 8), Knobs(8, 6, 12), Knobs(10, 9, 20))
FAMILY = Family(
    Position,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(items="nodes"),
    hardness=hardness,
    proof="unique",
    solver="pieces read from the picture's pixels and moved",
    guess_rate=0.3,
    redraws=True,
    skills=("vision", "rules"),
    version=3,
)
