"""Ransom note: cut letters out of a paper to paste a note, and find out which are not enough.

To ask only whether they are enough would be to ask for a guess. `solve` tallies both texts;
`verify` crosses letters out of the paper one by one.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _vocabulary

Missing: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    note: int  # words of the note; the paper has one more
    missing: int  # letters that are not enough, at least
    copies: int  # how many times the note is wanted


@dataclass(frozen=True, slots=True)
class Desk:
    note: tuple[str, ...]
    paper: tuple[str, ...]
    copies: int


def generate(rng: Random, knobs: Knobs) -> Desk | None:
    words = _vocabulary.words(2, 9)
    copies = rng.randint(1, knobs.copies)
    desk = Desk(
        tuple(rng.choices(words, k=knobs.note)),
        tuple(rng.choices(words, k=(knobs.note + 1) * copies)),
        copies,
    )
    return desk if knobs.missing <= len(solve(desk)) else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(desk: Desk) -> Missing:
    note, paper = "".join(desk.note), "".join(desk.paper)
    counts = [
        (letter, note.count(letter) * desk.copies - paper.count(letter))
        for letter in sorted(set(note))
    ]
    return tuple([(letter, str(count)) for letter, count in counts if count > 0])


def verify(desk: Desk, missing: Missing) -> float:
    left = "".join(desk.paper)
    lacking: dict[str, int] = {}
    for letter in "".join(desk.note) * desk.copies:
        if letter in left:
            left = left.replace(letter, "", 1)
        else:
            lacking[letter] = lacking.get(letter, 0) + 1
    return float(dict(missing) == {letter: str(count) for letter, count in lacking.items()})


def render(desk: Desk, style: Style) -> Prompt:
    note, paper = " ".join(desk.note), " ".join(desk.paper)
    times = "" if desk.copies == 1 else f" {('twice', '3 times', '4 times')[desk.copies - 2]}"
    return Prompt(
        style.pick(
            f"Note: {note}\n\nNewspaper: {paper}\n\nThe note is to be pasted up{times} out of"
            " letters"
            " cut from the newspaper, each of which can be used once. Which letters are not there"
            " often enough, and how many of each are missing?",
            f'Somebody wants to write "{note}"{times} with single letters cut out of this text:\n\n'
            f"{paper}\n\nA letter that has been cut out can be used only once. Say for every letter"
            " that runs out how many more of it would be needed.",
            f"You have a bag with the letters of the following words, each as often as it is"
            f" written:\n\n{paper}\n\nLay these words{times} with them, all at the same time:\n\n"
            f"{note}\n\nOf which letters must you get more, and how many? Spaces do not count.",
        ),
        form=(
            "each letter that is missing, and no other, with the number that is missing, one"
            ' pair letter = number per line, such as "w = 2"'
        ),
    )


def steps(desk: Desk) -> list[str]:
    wanted = Counter("".join(desk.note) * desk.copies)
    there = Counter("".join(desk.paper))
    return [
        f"{letter}: {count} wanted, {there[letter]} there"
        + (f", {count - there[letter]} missing" if count > there[letter] else "")
        for letter, count in sorted(wanted.items())
    ]


def canon(desk: Desk) -> list[object]:
    return [sorted(desk.note), sorted(desk.paper), desk.copies]


def hardness(desk: Desk) -> float:
    """Letters to count."""
    return len("".join(desk.note)) + len("".join(desk.paper)) + 10 * desk.copies


LADDER = (
    Knobs(2, 1, 1),
    Knobs(6, 2, 1),
    Knobs(14, 3, 2),
    Knobs(28, 4, 2),
    Knobs(50, 4, 3),
)
FAMILY = Family(
    Desk,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Mapping(),
    hardness=hardness,
    proof="unique",
    solver="tallies of both texts",
    guess_rate=0.16,
    steps=steps,
    canon=canon,
    skills=("counting",),
    peers=("reasoning-gym/ransom_note",),
    version=2,
)
