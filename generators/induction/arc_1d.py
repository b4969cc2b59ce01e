"""Coloured rows: what does a rule make of a row of cells, when examples are all that shows it?

The prompt names the kinds of steps that may occur and how many. `solve` goes through all programs
of such steps and answers only if those that fit all examples agree; `verify` goes the other way
round: from the new row to the answer by any steps, and asks whether these fit the examples.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby, pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.induction import _programs
from puzzlemill.generators.induction._programs import KindOfStep

FEW, SPARE = 3, 6  # examples; further ones in store
COLOURS = range(1, 6)
SMALL = (1, 2, 3)

Row: TypeAlias = tuple[int, ...]  # 0 is an empty cell
Block: TypeAlias = tuple[int, int, int]  # colour, start, end


@dataclass(frozen=True, slots=True)
class Knobs:
    kinds: int  # of steps that may occur
    steps: int  # in the rule, at most
    cells: int


@dataclass(frozen=True, slots=True)
class Rows:
    kinds: tuple[str, ...]
    longest: int  # steps
    examples: tuple[tuple[Row, Row], ...]
    case: Row


def generate(rng: Random, knobs: Knobs) -> Rows | None:
    kinds = tuple(rng.sample(list(LANGUAGE), knobs.kinds))
    colours = rng.sample(COLOURS, rng.randint(2, 4))
    values = [_drawn(rng, knobs.cells, colours) for _ in range(1 + FEW + SPARE)]
    found = _programs.posed(rng, LANGUAGE, kinds, knobs.steps, values, FEW)
    return Rows(kinds, knobs.steps, *found) if found else None


def solve(rows: Rows) -> Row | None:
    found = _programs.settled(LANGUAGE, rows.kinds, rows.longest, rows.examples, rows.case)
    return found[0] if found else None


def verify(rows: Rows, answer: Row) -> float:
    steps = _programs.all_steps(LANGUAGE, rows.kinds)
    return float(
        _programs.explained(LANGUAGE, steps, rows.longest, rows.examples, rows.case, answer)
    )


def render(rows: Rows, style: Style) -> Prompt:
    shown = "\n".join(f"{_shown(given)} -> {_shown(then)}" for given, then in rows.examples)
    kinds = _programs.listed(LANGUAGE, rows.kinds)
    length = _programs.length_said(rows.longest)
    case = _shown(rows.case)
    cells = (
        "Every number is a cell: 0 is an empty one, other numbers are colours. A block is a run of"
        " neighbouring cells of one colour, as long as it can be."
    )
    return Prompt(
        style.pick(
            f"The same rule changed each of these rows of cells:\n\n{shown}\n\n{cells}\n\nThe rule"
            f" consists of {length}, carried out in order. A step is of one of these kinds:\n"
            f"{kinds}\n\nWhat does the rule make of this row?\n{case}",
            f"A rule changes rows of coloured cells by {length}. {cells} Each"
            f" step does one of these things:\n{kinds}\n\nExamples of what the rule does:\n{shown}"
            f"\n\n{case} -> ?",
            f"Examples:\n\n{shown}\n\nFind out what becomes of the row {case} by the same rule."
            f" {cells}\n\nThe rule has {length}. What a step can do:\n{kinds}\n\nAll"
            " rules of this sort that fit the examples give the same row.",
        ),
        form="the new row, numbers separated by spaces",
    )


def steps(rows: Rows) -> list[str]:
    """A rule that fits, and what its steps make of the row."""
    return _programs.worked(LANGUAGE, rows, _shown)


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


def _blocks(row: Row) -> list[Block]:
    found, at = [], 0
    for colour, cells in groupby(row):
        end = at + len(list(cells))
        if colour:
            found.append((colour, at, end))
        at = end
    return found


def _redrawn(row: Row, change: Callable[[Block], tuple[int, int, int]]) -> Row:
    """Every block as the change has it: another colour, start and end; the rest is empty."""
    new = [0] * len(row)
    for block in _blocks(row):
        colour, start, end = change(block)
        new[start:end] = [colour] * (end - start)
    return tuple(new)


def _slid(row: Row, by: int) -> Row:
    size = len(row)
    return tuple(row[at - by] if 0 <= at - by < size else 0 for at in range(size))


def _turned(row: Row, by: int) -> Row:
    return row[-by:] + row[:-by]


def _swapped(row: Row, one: int, other: int) -> Row:
    return tuple({one: other, other: one}.get(cell, cell) for cell in row)


def _filled(row: Row) -> Row:
    new = list(row)
    blocks = _blocks(row)
    for (colour, _, end), (next_colour, start, _) in pairwise(blocks):
        if colour == next_colour:
            new[end:start] = [colour] * (start - end)
    return tuple(new)


def _smeared(row: Row) -> Row:
    new, last = [], 0
    for cell in row:
        last = cell or last
        new.append(last)
    return tuple(new)


def _grown(row: Row, by: int) -> Row:
    """By one cell to the right (1) or to the left (-1), into empty cells only."""
    beyond = _slid(row, by)
    return tuple(cell or near for cell, near in zip(row, beyond))


def _longest(row: Row) -> Row:
    most = max((end - start for _, start, end in _blocks(row)), default=0)
    return _redrawn(row, lambda block: block if block[2] - block[1] == most else (0, 0, 0))


def _shorter_gone(row: Row, length: int) -> Row:
    return _redrawn(row, lambda block: block if block[2] - block[1] >= length else (0, 0, 0))


def _by_length(row: Row, length: int, colour: int) -> Row:
    return _redrawn(
        row,
        lambda block: (colour if block[2] - block[1] == length else block[0], block[1], block[2]),
    )


def _hollow(row: Row) -> Row:
    new = list(row)
    for _, start, end in _blocks(row):
        new[start + 1 : end - 1] = [0] * max(0, end - start - 2)
    return tuple(new)


def _framed(row: Row, colour: int) -> Row:
    return tuple(
        colour if not cell and (left or right) else cell
        for left, cell, right in zip((0, *row), row, (*row[1:], 0))
    )


def _packed(row: Row) -> Row:
    cells = tuple(cell for cell in row if cell)
    return cells + (0,) * (len(row) - len(cells))


def _counted(row: Row) -> Row:
    """Blocks packed to the left, each but one cell wide."""
    cells = tuple(colour for colour, _, _ in _blocks(row))
    return cells + (0,) * (len(row) - len(cells))


def _by_size(row: Row) -> Row:
    blocks = sorted(_blocks(row), key=lambda block: block[1] - block[2])
    cells = tuple(colour for colour, start, end in blocks for _ in range(end - start))
    return cells + (0,) * (len(row) - len(cells))


def _mirrored(row: Row) -> Row:
    """The right half as the left one in a mirror."""
    half = (len(row) + 1) // 2
    return row[:half] + row[: len(row) // 2][::-1]


LANGUAGE: _programs.Language[Row] = {
    "slide_right": KindOfStep(
        "slide everything K cells to the right (K from 1 to 3); what leaves the row is lost, and"
        " empty cells come in",
        _slid, (SMALL,), "slide everything {0} to the right",
    ),
    "slide_left": KindOfStep(
        "slide everything K cells to the left (K from 1 to 3); what leaves the row is lost, and"
        " empty cells come in",
        lambda row, by: _slid(row, -by), (SMALL,), "slide everything {0} to the left",
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
        lambda row, one, other: tuple(other if cell == one else cell for cell in row),
        (COLOURS, COLOURS), "change {0} to {1}",
    ),
    "swap": KindOfStep(
        "swap the colours A and B everywhere (A and B from 1 to 5)",
        _swapped, (COLOURS, COLOURS), "swap {0} and {1}",
    ),
    "erase": KindOfStep(
        "empty all cells of the colour A (A from 1 to 5)",
        lambda row, colour: tuple(0 if cell == colour else cell for cell in row),
        (COLOURS,), "empty the cells of colour {0}",
    ),
    "paint": KindOfStep(
        "give all empty cells the colour A (A from 1 to 5)",
        lambda row, colour: tuple(cell or colour for cell in row),
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
        lambda row: _grown(row, 1), (), "make blocks longer at the right",
    ),
    "grow_left": KindOfStep(
        "make every block one cell longer at its left end, if the next cell is empty",
        lambda row: _grown(row, -1), (), "make blocks longer at the left",
    ),
    "frame": KindOfStep(
        "give every empty cell that is next to a coloured cell the colour A (A from 1 to 5)",
        _framed, (COLOURS,), "give empty cells beside coloured ones colour {0}",
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
        "move all coloured cells to the left end in the same order, without gaps", _packed
    ),
    "shrink": KindOfStep(
        "put one cell for every block, of its colour, side by side at the left end in the same"
        " order; the rest is empty",
        _counted, (), "one cell for every block, at the left end",
    ),
    "by_size": KindOfStep(
        "put all blocks side by side at the left end, longest first (equally long ones in the"
        " order they had); the rest is empty",
        _by_size, (), "put blocks at the left end, longest first",
    ),
}  # fmt: skip
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
    answer=answers.IntList(between=" "),
    hardness=hardness,
    proof="unique",
    solver="all programs of the language",
    guess_rate=0.05,
    steps=steps,
    canon=_programs.canonical,
    skills=("induction", "rows"),
    peers=("reasoning-gym/arc_1d",),
)
