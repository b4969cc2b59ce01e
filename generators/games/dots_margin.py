"""Dots margin: how does a game of dots and boxes end, when both players play perfectly?

The value of a position, where `dots_and_boxes` asks for the best moves. `solve` searches forward
with a memory; `verify` counts the boxes from the end of the game backward.
"""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.games._boxes import (
    Dots,
    Knobs,
    drawn_at_random,
    hardness,
    margins,
    margins_backward,
    masks,
    picture,
    rule,
    seen,
    steps,
)


def generate(rng: Random, knobs: Knobs) -> Dots | None:
    """Seldom a position from which the player to move takes all boxes: that is what one guesses."""
    dots = drawn_at_random(rng, knobs)
    values = set(margins(dots).values())
    if max(values) == len(masks(dots)[1]) and rng.random() < ALL:
        return None
    return dots if len(values) > 1 else None


def solve(dots: Dots) -> int:
    return max(margins(dots).values())


def verify(dots: Dots, margin: int) -> float:
    return float(margin == max(margins_backward(dots).values()))


def render(dots: Dots, style: Style) -> Prompt:
    board, left = picture(dots), len(masks(dots)[1])
    boxes = f"{left} box{'es are' if left > 1 else ' is'} not yet taken"
    count = "The boxes that were taken before do not count"
    return Prompt(
        style.pick(
            f"A game of dots and boxes on {dots.rows} rows of {dots.columns} dots, which are named"
            f" by letters:\n\n{board}\n\n{rule()} It is Anna's turn, then Ben's, and {boxes}. Both"
            " play perfectly: each tries to get as many more boxes than the other as possible. How"
            f" many boxes more than Ben does Anna get from now on? {count}; the number is negative"
            " if Ben gets more.",
            f"{board}\n\n{rule()} Now {boxes}. With perfect play on both sides, what is the number"
            " of boxes that the player who moves next gets from here on, less the number that the"
            f" other player gets? {count}.",
            f"{rule()} The position, with letters for the dots:\n\n{board}\n\nHere {boxes}, and you"
            " are to move. You and your opponent both play without mistakes, each for as large a"
            " lead, or as small a deficit, as possible. By how many boxes are you ahead at the end,"
            f" of those that are taken from now on? {count}; a deficit is a negative number.",
        ),
        form="one integer, with a minus sign if it is negative",
    )


ALL = 0.85  # of the positions from which one player takes all boxes, how many are left out
LADDER = (
    Knobs(4, 4, 6),
    Knobs(4, 5, 8),
    Knobs(4, 5, 9),
    Knobs(4, 5, 10),
    Knobs(5, 5, 12),
)
FAMILY = Family(
    Dots,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="search of all that is left to draw, with memory",
    guess_rate=0.4,
    steps=steps,
    canon=seen,
    skills=("games", "search"),
    peers=("TextArena/DotsAndBoxes",),
    theme="dots_and_boxes",
    version=4,
)
