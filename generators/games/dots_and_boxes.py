"""Dots and boxes: which sides, drawn now, lead to the best result that can be had?

All the best sides are asked for, so that none can be hit by chance. `solve` searches forward with a
memory; `verify` counts the boxes from the end of the game backward. Chains are what makes it hard:
the last two boxes of one are often better given away.
"""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.games._boxes import (
    Dots,
    Knobs,
    drawn_at_random,
    free,
    hardness,
    margins,
    margins_backward,
    picture,
    rule,
    seen,
    steps,
)


def generate(rng: Random, knobs: Knobs) -> Dots | None:
    dots = drawn_at_random(rng, knobs)
    values = margins(dots)
    best = [side for side, value in values.items() if value == max(values.values())]
    # Where it makes no difference what one does, nothing is asked.
    return dots if 2 * len(best) <= len(values) else None


def solve(dots: Dots) -> tuple[str, ...]:
    values = margins(dots)
    best = max(values.values())
    return tuple(sorted(side.lower() for side, value in values.items() if value == best))


def verify(dots: Dots, named: tuple[str, ...]) -> float:
    values = margins_backward(dots)
    best = {side.lower() for side, value in values.items() if value == max(values.values())}
    return float({"".join(sorted(it.replace("-", ""))) for it in named} == best)


def render(dots: Dots, style: Style) -> Prompt:
    board = picture(dots)
    best = (
        "A side is best if it leads to the best result that the player can force: the number of"
        " boxes that the player gets from now on, less the number that the other one gets, when"
        " both play perfectly."
    )
    return Prompt(
        style.pick(
            f"A game of dots and boxes on {dots.rows} rows of {dots.columns} dots, which are named"
            f" by letters:\n\n{board}\n\n{rule()} It is your turn. Which sides are best to draw"
            f" now? {best} Name all of them.",
            f"{board}\n\n{rule()} The letters are the dots' names. Find every best side for the"
            f" player who moves next. {best}",
            f"Find all the best sides to draw next in this game. {rule()} {best} The dots have"
            f" letters for names:\n\n{board}",
        ),
        form="all the best sides in any order, each named by the letters of its two dots, separated"
        " by commas, such as AB, CF",
    )


LADDER = (
    Knobs(3, 4, 5),
    Knobs(4, 5, 7),
    Knobs(4, 5, 8),
    Knobs(4, 5, 9),
    Knobs(5, 5, 11),
)
FAMILY = Family(
    Dots,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet("all the best sides, separated by commas"),
    hardness=hardness,
    proof="unique",
    solver="search of all that is left to draw, with memory",
    guess_rate=0.25,
    steps=steps,
    canon=seen,
    known=free,
    skills=("games", "search"),
    peers=("TextArena/DotsAndBoxes",),
    theme="dots_and_boxes",
    slips_version=2,
    version=4,
)
