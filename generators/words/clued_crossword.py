"""Clued crossword: fill a grid by clues that letters alone decide.

A clue may have several answers, of which crossings leave one. No knowledge of words is needed:
`solve` takes all strings of letters that meet a clue, and proves that they fit together in one way.
`verify` reads every row and column of the answer, and tries each clue on what it finds.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import log2
from random import Random
from string import ascii_uppercase

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.words import _clues
from puzzlemill.generators.words._clues import Clue
from puzzlemill.generators.words._crossing import (
    OPEN,
    STEPS,
    WALL,
    Slot,
    crossed,
    crossings_of,
    cut,
    fill,
    slots_of,
)


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # the grid is side x side
    words: int  # fewer where no more have room
    longest: int  # letters of a word, at most
    doubtful: float  # share of clues that have several answers by themselves, or fewer


@dataclass(frozen=True, slots=True)
class Frame:
    rows: tuple[str, ...]  # walls and open cells
    clues: tuple[Clue, ...]  # of the places in the order of `slots_of`: across, then down


def generate(rng: Random, knobs: Knobs) -> Frame | None:
    """Where the clues leave several fillings, doubtful ones are replaced one by one."""
    grid, used = crossed(rng, 3, min(knobs.longest, knobs.side), knobs.side, knobs.words)
    if len(used) < max(3, knobs.words * 2 // 3):
        return None
    rows = cut(grid, [])
    letters = cut(grid, sorted(grid))
    laid = ["".join(letters[row][column] for row, column in slot) for slot in slots_of(rows)]
    exact = [rng.random() >= knobs.doubtful for _ in laid]
    clues = [_clues.clue(rng, word, sure) for word, sure in zip(laid, exact, strict=True)]
    found = list[dict[int, str]]()
    for place in [-1, *rng.sample(range(len(laid)), len(laid))]:
        if place >= 0:
            if exact[place]:
                continue
            clues[place] = _clues.clue(rng, laid[place], True)
            if len(found) > 1 and all(words[place] == laid[place] for words in found):
                continue  # these fillings still meet all clues
        frame = Frame(rows, tuple(clues))
        if solve(frame) == letters:
            return frame
        found = _fillings(frame)
    return None


def solve(frame: Frame) -> tuple[str, ...] | None:
    slots, found = slots_of(frame.rows), _fillings(frame)
    if len(found) != 1:
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
        if any((sign == WALL) != (asked == WALL) for sign, asked in zip(line, pattern)):
            return 0.0
    columns = ("".join(column) for column in zip(*rows))
    read = [run for line in (*rows, *columns) for run in line.split(WALL) if len(run) > 1]
    return float(all(map(_clues.is_met, frame.clues, read)))


def render(frame: Frame, style: Style) -> Prompt:
    grid, listed = "\n".join(frame.rows), _listed(frame)
    where = (
        "A place is named by the row and the column of its first letter, counted from 1 from the"
        " top and from the left"
    )
    alone = "The clues are about letters only; no answer needs to be guessed from its meaning"
    return Prompt(
        style.pick(
            f'Solve this crossword. "{WALL}" is a blocked cell, "{OPEN}" an empty one that takes'
            f" one letter.\n\n{grid}\n\n{where}.\n{listed}\n\n{alone}, and where a clue has several"
            " answers, the crossings leave only one.",
            f"{listed}\n\nThese are the clues of a crossword. {where}.\n\n{grid}\n\nPut a letter"
            f" into each {OPEN}, so that every run of two or more open cells, across and down,"
            f" answers its clue. {alone}. There is only one solution.",
            f"Fill the grid ({OPEN} for an empty cell, {WALL} for a blocked one) so that all clues"
            f" are met.\n\n{grid}\n\n{listed}\n\n{where}. {alone}; words that cross share a letter,"
            " and the solution is unique.",
        ),
        form=(
            f'all the rows of the filled grid, one line each, with "{WALL}" for blocked cells and'
            " no spaces between the cells"
        ),
    )


def steps(frame: Frame) -> list[str]:
    """The places in the order in which fewest answers fit the letters so far."""
    gold = solve(frame)
    if gold is None:
        return []
    slots = slots_of(frame.rows)
    right = ["".join(gold[row][column] for row, column in slot) for slot in slots]
    fitting = [_clues.answers(clue) for clue in frame.clues]
    left, lines = list(range(len(slots))), list[str]()
    known: dict[tuple[int, int], str] = {}
    while left:
        counts = {
            place: sum(
                all(known.get(cell, sign) == sign for cell, sign in zip(slots[place], word))
                for word in fitting[place]
            )
            for place in left
        }
        place = min(left, key=counts.__getitem__)
        left.remove(place)
        known |= dict(zip(slots[place], right[place]))
        several = f" (one of {counts[place]} that fit so far)" if counts[place] > 1 else ""
        lines.append(f"{_name(slots[place])}: {right[place]}{several}")
    return lines


def canon(frame: Frame) -> list[object]:
    return [frame.rows, frame.clues]


def hardness(frame: Frame) -> float:
    """Letters to write, and the doubts that the clues leave by themselves."""
    cells = sum(line.count(OPEN) for line in frame.rows)
    return cells + sum(log2(len(_clues.answers(clue))) for clue in frame.clues)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def _fillings(frame: Frame) -> list[dict[int, str]]:
    """Two ways to fill the places, or the only one; none where that takes too long to tell."""
    fitting = {number: _clues.answers(clue) for number, clue in enumerate(frame.clues)}
    found: list[dict[int, str]] = []
    spent = fill(crossings_of(slots_of(frame.rows)), fitting, {}, found, once=False)
    return found if spent <= STEPS else []


def _name(slot: Slot) -> str:
    (row, column), second = slot[0], slot[1]
    way = "across" if second[0] == row else "down"
    return f"row {row + 1}, column {column + 1}, {way}"


def _listed(frame: Frame) -> str:
    return "\n".join(
        f"- {_name(slot)} ({len(slot)} letters): {_clues.said(clue)}"
        for slot, clue in zip(slots_of(frame.rows), frame.clues, strict=True)
    )


LADDER = (
    Knobs(6, 3, 5, 0.3),
    Knobs(8, 6, 6, 0.5),
    Knobs(10, 10, 6, 0.7),
    Knobs(12, 15, 7, 0.85),
    Knobs(14, 22, 7, 1.0),
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
    solver="all strings that meet the clues, the tightest place first, to the second solution",
    guess_rate=0.01,
    steps=steps,
    canon=canon,
    skills=("search", "constraints", "letters"),
    peers=("Enigmata/full_crosswords", "TextArena/Crosswords"),
    version=2,
)
