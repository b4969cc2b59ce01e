"""Crossword fill: write the words of a list into a grid so that they cross.

`generate` lets words cross one another first and then takes the letters away; `solve` fills the
places one after the other, the tightest first, and goes on to prove that there is no second
filling; `verify` reads every row and column of the answer.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from string import ascii_uppercase

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.words._crossing import (
    OPEN,
    STEPS,
    WALL,
    crossed,
    crossings_of,
    cut,
    fill,
    slots_of,
    words_of,
)


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # the grid is side x side
    words: int  # fewer where no more have room
    shortest: int  # letters of a word, at least
    longest: int  # letters of a word, at most
    spare: int  # words of the list that are not used
    given: int  # letters that stand in the grid already


@dataclass(frozen=True, slots=True)
class Frame:
    rows: tuple[str, ...]  # walls, open cells, given letters
    words: tuple[str, ...]  # in the order of the alphabet
    all_used: bool


def generate(rng: Random, knobs: Knobs) -> Frame | None:
    lengths = knobs.shortest, min(knobs.longest, knobs.side)
    grid, used = crossed(rng, *lengths, knobs.side, knobs.words)
    if len(used) < min(knobs.words, knobs.side**2 // 10):
        return None
    given = rng.sample(sorted(grid), knobs.given)
    spare = rng.sample(words_of(*lengths), 4 * knobs.spare + 4)
    asked = set(map(len, used))
    spare = [word for word in spare if word not in used and len(word) in asked][: knobs.spare]
    frame = Frame(
        cut(grid, given),
        tuple(sorted(used + spare)),
        not spare,
    )
    return frame if solve(frame) else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(frame: Frame) -> tuple[str, ...] | None:
    slots = slots_of(frame.rows)
    fitting = {
        number: [
            word
            for word in frame.words
            if len(word) == len(slot)
            and all(
                frame.rows[row][column] in (OPEN, sign)
                for (row, column), sign in zip(slot, word, strict=True)
            )
        ]
        for number, slot in enumerate(slots)
    }
    found: list[dict[int, str]] = []
    if fill(crossings_of(slots), fitting, {}, found) > STEPS or len(found) != 1:
        return None
    letters = {
        cell: sign
        for number, word in found[0].items()
        for cell, sign in zip(slots[number], word, strict=True)
    }
    return tuple(
        "".join(letters.get((row, column), WALL) for column in range(len(line)))
        for row, line in enumerate(frame.rows)
    )


def verify(frame: Frame, rows: tuple[str, ...]) -> float:
    if [*map(len, rows)] != [*map(len, frame.rows)]:
        return 0.0
    for line, pattern in zip(rows, frame.rows, strict=True):
        for sign, asked in zip(line, pattern, strict=True):
            if (sign == WALL) != (asked == WALL) or (asked not in (OPEN, sign)):
                return 0.0
    columns = ("".join(column) for column in zip(*rows))
    read = [run for line in (*rows, *columns) for run in line.split(WALL) if len(run) > 1]
    once = Counter(read) == Counter(frame.words)
    some = len(set(read)) == len(read) and set(read) <= set(frame.words)
    return float(once if frame.all_used else some)


def render(frame: Frame, style: Style) -> Prompt:
    grid, words = "\n".join(frame.rows), ", ".join(frame.words)
    count, slots = len(frame.words), len(slots_of(frame.rows))
    use = f"Each of the {count} words is used exactly once"
    if not frame.all_used:
        spare = count - slots
        left = f"one of the {count} words is" if spare == 1 else f"{spare} of the {count} words are"
        use = f"No word is used twice, and {left} left over"
    given = any(sign not in (WALL, OPEN) for line in frame.rows for sign in line)
    stay = " Letters that are given stay where they are." if given else ""
    return Prompt(
        style.pick(
            f"Fill in this crossword with words from the list.\n\n{grid}\n\nWords: {words}\n\n"
            f'"{WALL}" is a blocked cell, "{OPEN}" an empty one that takes one letter. Every'
            " unbroken run of two or more open cells, across from left to right or down from top to"
            f" bottom, must spell a word of the list. {use}.{stay} There is only one solution.",
            f"Words: {words}\n\nGrid:\n{grid}\n\nPut a letter into each {OPEN} of the grid so that"
            " all horizontal and all vertical stretches of at least two cells between blocked cells"
            f" ({WALL}) or the border read as words of the list, rightwards and downwards. {use}."
            f"{stay} The solution is unique.",
            f"The grid below has lost its letters: {OPEN} stood for a letter each, {WALL} for"
            f" nothing. Across and down it held these words: {words}. Wherever two or more letters"
            " stood side by side in a row, or one below the other in a column, the whole stretch"
            " was"
            f" one of these words. {use}.{stay} Only one filling is possible; find"
            f" it.\n\n{grid}",
        ),
        form=(
            f'all the rows of the filled grid, one line each, with "{WALL}" for blocked cells and'
            " no spaces between the cells"
        ),
    )


def canon(frame: Frame) -> list[object]:
    """The grid may be reflected about its diagonal."""
    turned = tuple("".join(column) for column in zip(*frame.rows))
    return [min(frame.rows, turned), frame.words]


def hardness(frame: Frame) -> float:
    """Words, and for each place the words that have its length."""
    lengths = Counter(map(len, frame.words))
    slots = slots_of(frame.rows)
    given = sum(sign not in (WALL, OPEN) for line in frame.rows for sign in line)
    return len(frame.words) + sum(lengths[len(slot)] for slot in slots) - given


LADDER = (
    Knobs(6, 4, 3, 5, 0, 2),
    Knobs(8, 7, 3, 6, 1, 2),
    Knobs(10, 11, 4, 6, 2, 1),
    Knobs(12, 16, 4, 6, 3, 0),
    Knobs(14, 22, 4, 6, 5, 0),
)
FAMILY = Family(
    Frame,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board(
        ascii_uppercase + WALL, "the rows of the filled grid, one line each, without spaces"
    ),
    hardness=hardness,
    proof="unique",
    solver="filling the tightest place first, to the second solution",
    guess_rate=0.01,
    canon=canon,
    skills=("search", "constraints"),
    peers=(
        "SynLogic/wordscapes",
        "Enigmata/full_crosswords",
        "KORGym/8-word_puzzle",
        "InternBootcamp/kor_wordscapes",
    ),
    version=4,
)
