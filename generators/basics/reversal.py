"""Reversal: a row of letters, read from the end.

`solve` takes letter after letter off the end; `verify` compares each with its mirror place.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import list_begun

LETTERS = "nopqrstuvwxyz"  # the other half is that of `arrows`: a tiny policy confuses the two


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # how many letters


@dataclass(frozen=True, slots=True)
class Row:
    letters: tuple[str, ...]  # all different


def generate(rng: Random, knobs: Knobs) -> Row:
    return Row(tuple(rng.sample(LETTERS, knobs.length)))


def solve(row: Row) -> tuple[str, ...]:
    left, taken = list(row.letters), []
    while left:
        taken.append(left.pop())
    return tuple(taken)


def verify(row: Row, letters: tuple[str, ...]) -> float:
    count = len(row.letters)
    return float(
        len(letters) == count
        and all(letters[at] == row.letters[count - 1 - at] for at in range(count))
    )


def render(row: Row, style: Style) -> Prompt:
    letters = " ".join(row.letters)
    return Prompt(
        style.pick(
            f"Reverse this row of letters: {letters}",
            f"Write these letters from last to first: {letters}",
            f"Letters: {letters}\nRead them backwards.",
        ),
        form="the letters, separated by spaces",
    )


def progress(row: Row, lines: Lines) -> float:
    return list_begun(FAMILY, row, lines)


LADDER = (Knobs(3), Knobs(5), Knobs(6), Knobs(8), Knobs(10))
FAMILY = Family(
    Row,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(reorders=True, items="letters"),
    hardness=lambda row: len(row.letters),
    proof="unique",
    solver="letters taken off the end",
    guess_rate=0.17,
    progress=progress,
    skills=("copying",),
    peers=("reasoning-gym/word_sequence_reversal", "reasoning-gym/spell_backward"),
)
