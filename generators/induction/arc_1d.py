"""Coloured rows: what does a rule make of a row of cells, when examples are all that shows it?

The prompt names the kinds of steps that may occur and how many. `solve` goes through all programs
of such steps and answers only if those that fit all examples agree; `verify` goes the other way
round: from the new row to the answer by any steps, and asks whether these fit the examples.
"""

import re
from collections.abc import Container
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.search import Node
from puzzlemill.generators.induction import _programs
from puzzlemill.generators.induction._programs import KindOfStep

FEW, SPARE = 3, 6  # examples; further ones in store
COLOURS = range(1, 6)
SMALL = (1, 2, 3)

# Steps take a row as bytes, which is quick to search and to cut.
CELLS = [bytes((colour,)) for colour in (0, *COLOURS)]
EMPTY = CELLS[0]
BLOCK = re.compile(rb"([^\0])\1*")
LAST_AND_GAP = re.compile(rb"([^\0])\0+")
LAST_AND_EMPTY = re.compile(rb"([^\0])\0")
EMPTY_AND_FIRST = re.compile(rb"\0([^\0])")
BESIDE_BLOCKS = re.compile(rb"\0(?=[^\0])|(?<=[^\0])\0")

Row: TypeAlias = tuple[int, ...]  # 0 is an empty cell
Block: TypeAlias = tuple[int, int, int]  # colour, start, end


@dataclass(frozen=True, slots=True)
class Knobs:
    kinds: int  # of steps that may occur
    steps: int  # in the rule, at most
    cells: int  # in a row, about


@dataclass(frozen=True, slots=True)
class Rows:
    kinds: tuple[str, ...]
    longest: int  # steps
    examples: tuple[tuple[Row, Row], ...]
    case: Row


def generate(rng: Random, knobs: Knobs) -> Rows | None:
    kinds = tuple(rng.sample(list(LANGUAGE.kinds), knobs.kinds))
    colours = rng.sample(COLOURS, rng.randint(2, 4))
    values = [_drawn(rng, knobs.cells, colours) for _ in range(1 + FEW + SPARE)]
    found = _programs.posed(rng, LANGUAGE, kinds, knobs.steps, values, FEW)
    rows = Rows(kinds, knobs.steps, *found) if found else None
    return rows if rows and any(solve(rows) or ()) else None  # an empty row is no answer


def solve(rows: Rows) -> Row | None:
    found = _programs.settled(LANGUAGE, rows)
    return found[0] if found else None


def verify(rows: Rows, answer: Row) -> float:
    if any(cell not in (0, *COLOURS) for cell in answer):
        return 0.0
    return float(_programs.explained(LANGUAGE, rows, answer))


def render(rows: Rows, style: Style) -> Prompt:
    shown = "\n".join(f"{_shown(given)} -> {_shown(then)}" for given, then in rows.examples)
    kinds = _programs.listed(LANGUAGE, rows.kinds)
    length = _programs.length_said(rows.longest)
    case = _shown(rows.case)
    cells = (
        "Every number is a cell: 0 is an empty one, other numbers are colours. A block is a run of"
        " neighbouring cells of one colour that cannot be made longer."
    )
    return Prompt(
        style.pick(
            f"The same rule changed each of these rows of cells:\n\n{shown}\n\n{cells}\n\nThe rule"
            f" consists of {length}. A step is of one of these kinds:\n{kinds}\n\nWhat does the"
            f" rule make of this row?\n{case}",
            f"A rule changes rows of coloured cells by {length}. {cells} Each"
            f" step does one of these things:\n{kinds}\n\nExamples of what the rule does:\n{shown}"
            f"\n\n{case} -> ?",
            f"Examples:\n\n{shown}\n\nFind out what the same rule makes of the row {case}."
            f" {cells}\n\nThe rule has {length}. What a step can do:\n{kinds}\n\nAll rules of this"
            " sort that fit the examples give the same row.",
        ),
        form="the new row, numbers separated by spaces",
    )


def steps(rows: Rows) -> list[str]:
    """A rule that fits, and what its steps make of the row."""
    return _programs.worked(LANGUAGE, rows, _shown)


def search(rows: Rows) -> Node:
    return _programs.searched(LANGUAGE, rows, _shown)


def hardness(rows: Rows) -> float:
    """Programs to choose from, by order of magnitude, and the cells to look at."""
    return _programs.to_choose_from(LANGUAGE, rows) + len(rows.case) / 4


def _shown(row: Row) -> str:
    return " ".join(map(str, row))


def _drawn(rng: Random, cells: int, colours: list[int]) -> Row:
    """Blocks and gaps of one to four cells."""
    row: list[int] = []
    while len(row) < cells:
        colour = rng.choice(colours) if rng.random() < 0.6 else 0
        row += [colour] * rng.choice((1, 1, 2, 2, 3, 4))
    return tuple(row[:cells])


@lru_cache(maxsize=256)
def _blocks(row: bytes) -> list[Block]:
    return [(row[it.start()], it.start(), it.end()) for it in BLOCK.finditer(row)]


def _slid_right(row: bytes, by: int) -> bytes:
    return (bytes(by) + row)[: len(row)]


def _slid_left(row: bytes, by: int) -> bytes:
    return (row + bytes(by))[by:]


def _turned(row: bytes, by: int) -> bytes:
    return row[-by:] + row[:-by]


def _recoloured(row: bytes, one: int, other: int) -> bytes:
    return row.replace(CELLS[one], CELLS[other])


def _swapped(row: bytes, one: int, other: int) -> bytes:
    return row.translate(_swapping(one, other))


@cache
def _swapping(one: int, other: int) -> bytes:
    return bytes.maketrans(bytes((one, other)), bytes((other, one)))


def _filled(row: bytes) -> bytes:
    new = bytearray(row)
    for (colour, _, end), (next_colour, start, _) in pairwise(_blocks(row)):
        if colour == next_colour:
            new[end:start] = CELLS[colour] * (start - end)
    return bytes(new)


def _smeared(row: bytes) -> bytes:
    return LAST_AND_GAP.sub(lambda found: found[1] * len(found[0]), row)


def _longest(row: bytes) -> bytes:
    most = max((end - start for _, start, end in _blocks(row)), default=0)
    return _shorter_gone(row, most)


def _shorter_gone(row: bytes, length: int) -> bytes:
    new = bytearray(row)
    for _, start, end in _blocks(row):
        if end - start < length:
            new[start:end] = bytes(end - start)
    return bytes(new)


def _by_length(row: bytes, length: int, colour: int) -> bytes:
    new = bytearray(row)
    for _, start, end in _blocks(row):
        if end - start == length:
            new[start:end] = CELLS[colour] * length
    return bytes(new)


def _hollow(row: bytes) -> bytes:
    new = bytearray(row)
    for _, start, end in _blocks(row):
        new[start + 1 : end - 1] = bytes(max(0, end - start - 2))
    return bytes(new)


def _at_the_left(cells: bytes, row: bytes) -> bytes:
    """Cells with as many empty ones behind them as make a row."""
    return cells.ljust(len(row), EMPTY)


def _by_size(row: bytes) -> bytes:
    blocks = sorted(_blocks(row), key=lambda block: block[1] - block[2])
    return _at_the_left(b"".join(row[start:end] for _, start, end in blocks), row)


def _mirrored(row: bytes) -> bytes:
    """The right half as the left one in a mirror."""
    half = (len(row) + 1) // 2
    return row[:half] + row[: len(row) // 2][::-1]


KINDS: dict[str, KindOfStep[bytes]] = {
    "slide_right": KindOfStep(
        "slide everything K cells to the right (K from 1 to 3); what leaves the row is lost, and"
        " empty cells come in",
        _slid_right, (SMALL,), "slide everything {0} to the right",
    ),
    "slide_left": KindOfStep(
        "slide everything K cells to the left (K from 1 to 3); what leaves the row is lost, and"
        " empty cells come in",
        _slid_left, (SMALL,), "slide everything {0} to the left",
    ),
    "wrap": KindOfStep(
        "move everything K cells to the right (K from 1 to 3); what leaves the row at the right"
        " end comes in at the left",
        _turned, (SMALL,), "move everything {0} to the right, round the end",
    ),
    "reverse": KindOfStep("put the row in reverse order", lambda row: row[::-1]),
    "mirror": KindOfStep(
        "replace the right half by the mirror image of the left half (a cell in the middle stays)",
        _mirrored,
    ),
    "recolour": KindOfStep(
        "change the colour A to the colour B everywhere (A and B from 1 to 5)",
        _recoloured, (COLOURS, COLOURS), "change {0} to {1}",
    ),
    "swap": KindOfStep(
        "swap the colours A and B everywhere (A and B from 1 to 5)",
        _swapped, (COLOURS, COLOURS), "swap {0} and {1}",
    ),
    "erase": KindOfStep(
        "empty all cells of the colour A (A from 1 to 5)",
        lambda row, colour: _recoloured(row, colour, 0),
        (COLOURS,), "empty the cells of colour {0}",
    ),
    "paint": KindOfStep(
        "give all empty cells the colour A (A from 1 to 5)",
        lambda row, colour: _recoloured(row, 0, colour),
        (COLOURS,), "give empty cells colour {0}",
    ),
    "fill": KindOfStep(
        "between two blocks of the same colour that follow one another with only empty cells in"
        " between, give these cells that colour",
        _filled, (), "fill between blocks of the same colour",
    ),
    "smear": KindOfStep(
        "give every empty cell the colour of the nearest coloured cell to its left, if there is"
        " one",
        _smeared, (), "smear colours to the right",
    ),
    "grow_right": KindOfStep(
        "make every block one cell longer at its right end, if the next cell is empty",
        lambda row: LAST_AND_EMPTY.sub(rb"\1\1", row), (), "make blocks longer at the right",
    ),
    "grow_left": KindOfStep(
        "make every block one cell longer at its left end, if the next cell is empty",
        lambda row: EMPTY_AND_FIRST.sub(rb"\1\1", row), (), "make blocks longer at the left",
    ),
    "frame": KindOfStep(
        "give every empty cell that is next to a coloured cell the colour A (A from 1 to 5)",
        lambda row, colour: BESIDE_BLOCKS.sub(CELLS[colour], row),
        (COLOURS,), "give empty cells beside coloured ones colour {0}",
    ),
    "hollow": KindOfStep(
        "empty all cells of every block but its first and its last", _hollow
    ),
    "longest": KindOfStep(
        "keep only the longest block, or all that are equally long; empty the rest",
        _longest, (), "keep the longest blocks only",
    ),
    "clean": KindOfStep(
        "empty all blocks of fewer than K cells (K from 2 to 4)",
        _shorter_gone, (range(2, 5),), "empty blocks of fewer than {0} cells",
    ),
    "by_length": KindOfStep(
        "give all blocks of exactly K cells the colour A (K from 1 to 4, A from 1 to 5)",
        lambda row, choice: _by_length(row, *choice),
        ([(length, colour) for length in range(1, 5) for colour in COLOURS],),
        "give blocks of exactly {0[0]} cells colour {0[1]}",
    ),
    "pack": KindOfStep(
        "move all coloured cells to the left end in the same order, without gaps",
        lambda row: _at_the_left(row.replace(EMPTY, b""), row),
    ),
    "shrink": KindOfStep(
        "put one cell for every block, of its colour, side by side at the left end in the same"
        " order; the rest is empty",
        lambda row: _at_the_left(bytes(colour for colour, _, _ in _blocks(row)), row),
        (), "one cell for every block, at the left end",
    ),
    "by_size": KindOfStep(
        "put all blocks side by side at the left end, longest first (equally long ones in the"
        " order they had); the rest is empty",
        _by_size, (), "put blocks at the left end, longest first",
    ),
}  # fmt: skip
SHAPE = bytes(map(bool, range(256)))
# Kinds of steps by what becomes of the empty cells.
EMPTYING = frozenset(("erase", "hollow", "longest", "clean", "shrink"))
FILLING = frozenset(("paint", "fill", "smear", "grow_right", "grow_left", "frame"))
MOVING = frozenset(("wrap", "reverse", "pack", "by_size", "shrink"))
LOSING = frozenset(("slide_right", "slide_left", "mirror"))


def possible(row: bytes, then: bytes) -> Container[str]:
    """The kinds of steps that may make one row of another, by what each kind leaves as it is."""
    more = then.count(EMPTY) - row.count(EMPTY)
    if more:
        return LOSING | (EMPTYING if more > 0 else FILLING)
    if row == then:
        return KINDS
    if row.translate(SHAPE) != then.translate(SHAPE):
        return LOSING | MOVING
    changes = {(old, new) for old, new in zip(row, then) if old != new}
    kinds = {"recolour"} if len(changes) == 1 else set()
    if len(changes) < 3:
        kinds.add("swap")
    if len({new for _, new in changes}) == 1:
        kinds.add("by_length")
    return LOSING | MOVING | kinds


LANGUAGE: _programs.Language[Row] = _programs.Language(
    KINDS, bytes, tuple, possible, lambda one, other: _programs.unlike([one], [other])
)
LADDER = (
    Knobs(5, 1, 9),
    Knobs(10, 1, 12),
    Knobs(10, 2, 14),
    Knobs(18, 2, 18),
    Knobs(21, 2, 26),
)
FAMILY = Family(
    Rows,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(between=" ", notations=("digits",)),
    hardness=hardness,
    proof="unique",
    solver="all programs of the language",
    guess_rate=0.05,
    steps=steps,
    search=search,
    canon=_programs.canonical,
    redraws=True,
    skills=("induction", "rows"),
    peers=("reasoning-gym/arc_1d",),
    theme="rules_from_examples",
    version=2,
)
