"""Permutation rank: the place of an arrangement in the alphabetical list of all of its kind.

`solve` counts, place by place, how many have a smaller letter there, with a formula for each kind
of object; `verify` goes to the place in the list that the answer names, and looks what stands
there.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import comb, factorial, prod
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style


@dataclass(frozen=True, slots=True)
class Knobs:
    size: int  # letters in the row; a subset or a bracket string is larger
    others: float  # how often it is a subset or a bracket string
    repeats: float  # how often letters occur more than once
    backwards: float  # how often the order of the letters is another one


@dataclass(frozen=True, slots=True)
class Row:
    sort: str  # "letters", "subset" or "walk"
    order: str  # the letters, from the smallest to the largest
    text: str  # the object: all of them have the same letters, or the same length
    size: int  # of the set from which a subset is taken; 0 elsewhere


def generate(rng: Random, knobs: Knobs) -> Row | None:
    sort = rng.choice(("subset", "walk")) if rng.random() < knobs.others else "letters"
    size = knobs.size
    if sort == "letters":
        order = rng.choice(ALPHABETS)
        if rng.random() < knobs.repeats:
            order = order[: rng.randint(size // 2 + 1, size - 1)]
            text = [*order, *rng.choices(order, k=size - len(order))]
        else:
            order = order[:size]
            text = [*order]
        rng.shuffle(text)
        return _row(rng, knobs, Row(sort, order, "".join(text), 0))
    if sort == "subset":
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: 2 * size]
        chosen = sorted(rng.sample(alphabet, rng.randint((size + 1) // 2, (size + 5) // 2)))
        return _row(rng, knobs, Row(sort, alphabet, "".join(chosen), 2 * size))
    text, height = [], 0
    for left in range(2 * size + 4, 0, -1):
        up = height == 0 or (height < left and rng.random() < 0.5)
        text.append("(" if up else ")")
        height += 1 if up else -1
    return _row(rng, knobs, Row(sort, "()", "".join(text), 0))


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(row: Row) -> int | None:
    """One more than the objects that agree up to a place and have a smaller letter there."""
    smaller = 0
    for place, letter in enumerate(row.text):
        for other in row.order[: row.order.index(letter)]:
            smaller += _endings(row, row.text[:place] + other)
    return smaller + 1


def verify(row: Row, answer: int) -> float:
    find = {"letters": _letters_at, "subset": _subset_at, "walk": _walk_at}[row.sort]
    return float(answer >= 1 and find(row, answer - 1) == row.text)


def render(row: Row, style: Style) -> Prompt:
    text = row.text
    ordered = " < ".join(row.order)
    if row.sort == "letters":
        things = f"strings made of the characters of {text}, each used as often as there,"
        what = f"the string {text}"
        note = f" The order of the characters is {ordered}."
    elif row.sort == "subset":
        things = f"subsets of {len(row.text)} letters of {row.order[0]}, ..., {row.order[-1]}, each"
        things += " written with its letters in alphabetical order and no gaps,"
        what = f"the subset {text}"
        note = f" The set has {row.size} letters: {', '.join(row.order)}."
    else:
        things = f"balanced bracket strings with {len(row.text) // 2} pairs of round brackets"
        what = f"the string {text}"
        bracket = ("(", ")") if row.order[0] == "(" else (")", "(")
        note = f" In this order, {bracket[0]} comes before {bracket[1]}."
    question = style.pick(
        f"All {things} are listed in dictionary order.{note} At which position of the list is"
        f" {what}? The first position is number 1.",
        f"Sort all {things} as in a dictionary.{note} What is the rank of {what}, if the very first"
        " one has rank 1?",
        f"Imagine the list of all {things} in dictionary order, numbered from 1.{note} What is the"
        f" number of {what}?",
    )
    return Prompt(question, form="one integer, the position in the list")


def steps(row: Row) -> list[str]:
    lines, smaller = [], 0
    for place, letter in enumerate(row.text):
        before = row.text[:place]
        found = [
            (other, _endings(row, before + other)) for other in row.order[: row.order.index(letter)]
        ]
        said = [f"{number} with {other}" for other, number in found if number]
        if said:
            smaller += sum(number for _, number in found)
            begun = f"After {before}" if before else "At the first place"
            lines.append(f"{begun}, before {letter}: {', '.join(said)}; so far {smaller}")
    return [*lines, f"{smaller} come before, so the place is {smaller + 1}."]


def hardness(row: Row) -> float:
    """The size of what is ranked; subsets and brackets of more letters are as hard as strings."""
    return {"letters": len(row.text), "subset": row.size / 2}.get(row.sort, len(row.text) / 2 - 2)


def canon(row: Row) -> tuple[str, tuple[int, ...], int]:
    return row.sort, tuple(row.order.index(letter) for letter in row.text), len(row.order)


def _row(rng: Random, knobs: Knobs, row: Row) -> Row | None:
    """With the order of its letters, in part of the cases, turned or shuffled."""
    if row.sort != "subset" and rng.random() < knobs.backwards:
        letters = [*row.order]
        rng.shuffle(letters)
        row = Row(row.sort, "".join(letters), row.text, row.size)
    return row if (solve(row) or 0) > 2 else None


def _endings(row: Row, start: str) -> int:
    """How many objects begin so."""
    left = len(row.text) - len(start)
    if row.sort == "letters":
        rest = Counter(row.text)
        rest.subtract(start)
        if min(rest.values()) < 0:
            return 0
        return factorial(left) // prod(map(factorial, rest.values()))
    if row.sort == "subset":
        if any(one >= other for one, other in pairwise(start)):
            return 0
        return comb(row.size - 1 - row.order.index(start[-1]), left)
    height = 0
    for bracket in start:
        height += 1 if bracket == "(" else -1
        if height < 0:
            return 0
    ups = (left - height) // 2  # ballot: mirror the ways that sink below zero
    return comb(left, ups) - comb(left, ups - 1) if ups > 0 else int(ups == 0)


def _letters_at(row: Row, skip: int) -> str:
    """What stands so far down the list: of all that are left, each letter begins its share."""
    rest = Counter(row.text)
    size, left, text = len(row.text), 1, ""
    for place in range(size):
        left = left * (place + 1) // (row.text[: place + 1].count(row.text[place]))
    if skip >= left:
        return ""
    for unfilled in range(size, 0, -1):
        for letter in row.order:
            share = left * rest[letter] // unfilled
            if skip < share:
                text, left = text + letter, share
                rest[letter] -= 1
                break
            skip -= share
    return text


def _subset_at(row: Row, skip: int) -> str:
    """Letter by letter: in or out, of which the subsets with it come first."""
    wanted, left, text = len(row.text), 1, ""
    for place in range(wanted):
        left = left * (row.size - place) // (place + 1)
    if skip >= left:
        return ""
    for place, letter in enumerate(row.order):
        share = left * wanted // (row.size - place)
        if skip < share:
            text, wanted, left = text + letter, wanted - 1, share
        else:
            skip, left = skip - share, left - share
    return text


def _walk_at(row: Row, skip: int) -> str:
    """Bracket by bracket, with a table of the ways back to the ground from every height."""
    size = len(row.text)
    table = [[1] + [0] * (size + 1)]
    for _ in range(size):
        below = table[-1]
        table.append([(below[h - 1] if h else 0) + below[h + 1] for h in range(size + 1)] + [0])
    if skip >= table[size][0]:
        return ""
    text, height = "", 0
    for left in range(size - 1, -1, -1):
        for bracket in row.order:
            after = height + (1 if bracket == "(" else -1)
            share = table[left][after] if after >= 0 else 0
            if skip < share:
                text, height = text + bracket, after
                break
            skip -= share
    return text


ALPHABETS = ("ABCDEFGHJKLMNP", "acdefghkmnprst", "KLMNPQRSTUVWXY")
LADDER = (
    Knobs(5, 0.0, 0.2, 0.0),
    Knobs(8, 0.3, 0.5, 0.3),
    Knobs(9, 0.3, 0.5, 0.5),
    Knobs(10, 0.3, 0.6, 0.6),
    Knobs(11, 0.3, 0.7, 0.7),
)
FAMILY = Family(
    Row,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="counting what comes before, place by place",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    skills=("counting",),
    peers=("RLVE/cantor_expansion",),
    version=2,
)
