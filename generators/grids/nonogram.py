"""Nonogram: blacken cells so that the runs of black cells in every line are as long as told.

`generate` changes a random picture until its runs settle it, `solve` proves by SAT over the places
of the runs that one picture is left, and `verify` reads the runs off the answer.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import count, groupby, islice, pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _sat
from puzzlemill.generators.grids import _deduction
from puzzlemill.generators.grids._deduction import Rule, Rules, Values

Rows: TypeAlias = tuple[str, ...]
Runs: TypeAlias = tuple[int, ...]  # the lengths in their order; none for an empty line

LIGHT, BLACK, OPEN = 0b01, 0b10, 0b11  # what a cell may be: 0, 1 or either

TRIES = 60  # pictures that are looked at for one puzzle
_IS_BLACK, _IS_LIGHT = (  # to the digits 0 and 1
    bytes(48 + (value == kind) for value in range(256)) for kind in (BLACK, LIGHT)
)
SHADES = (0.5, 0.65)  # share of the cells that are black: with fewer, little is certain


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the picture
    suppositions: int  # how many may be needed; then some should be, where such a picture is found


@dataclass(frozen=True, slots=True)
class Picture:
    rows: tuple[Runs, ...]
    columns: tuple[Runs, ...]


def generate(rng: Random, knobs: Knobs) -> Picture | None:
    """Cells at random; some are changed while the runs settle too little, or too easily."""
    side = knobs.side
    shade = rng.uniform(*SHADES)
    black = [rng.random() < shade for _ in range(side**2)]
    easy = None
    for _ in range(TRIES):
        picture = _picture(black, side)
        rules, values = _rules(picture), [OPEN] * side**2
        rules.narrow(values)
        open_ = _deduction.undecided(values)
        if not open_:
            easy = picture
            if not knobs.suppositions:
                break
        elif knobs.suppositions and rules.settles(values, knobs.suppositions):
            return picture
        for cell in rng.sample(open_ or range(side**2), 2):
            black[cell] = not black[cell]
    return easy


def solve(picture: Picture) -> Rows | None:
    """SAT: a variable for each cell, and for each run and place whether it begins there or before.

    All runs of a line can begin as much later as its slack than as early as can be, so each has as
    many variables as the slack.
    """
    down, across = len(picture.rows), len(picture.columns)
    grid = [[*range(row * across + 1, (row + 1) * across + 1)] for row in range(down)]
    lines = [*zip(picture.rows, grid), *zip(picture.columns, map(list, zip(*grid)))]
    variable = count(down * across + 1)
    true = next(variable)
    clauses = [[true]]
    for runs, cells in lines:
        size = len(cells)
        slack = size - sum(runs) - max(len(runs) - 1, 0)
        if slack < 0:
            return None
        first, later = 0, [true] * slack  # variables of the run before
        ended = [true] * size  # by cell: whether the run before has ended
        for run in runs:
            begins = [*islice(variable, slack)]
            clauses += [[-one, other] for one, other in pairwise(begins)]
            clauses += [[-begin, before] for before, begin in zip(later, begins)]
            begun = [-true] * first + begins + [true] * (size - first - slack)
            clauses += [[-end, begin, -cell] for cell, end, begin in zip(cells, ended, begun)]
            ended = [-true] * run + begun[: size - run]
            clauses += [[-begin, end, cell] for cell, end, begin in zip(cells, ended, begun)]
            first, later = first + run + 1, begins
        clauses += [[-end, -cell] for cell, end in zip(cells, ended)]
    black = _sat.only_model(clauses, range(1, down * across + 1))
    if black is None:
        return None
    return tuple("".join("#" if cell in black else "." for cell in line) for line in grid)


def verify(picture: Picture, rows: Rows) -> float:
    if len(rows) != len(picture.rows) or any(len(row) != len(picture.columns) for row in rows):
        return 0.0
    if any(set(row) - set("#.") for row in rows):
        return 0.0
    columns = ["".join(column) for column in zip(*rows)]
    lines = [*zip(picture.rows, rows), *zip(picture.columns, columns)]
    return float(
        all(
            list(runs) == [len(run) for run in line.replace(".", " ").split()]
            for runs, line in lines
        )
    )


def render(picture: Picture, style: Style) -> Prompt:
    down, across = len(picture.rows), len(picture.columns)
    rows = "\n".join(f"Row {place}: {_said(runs)}" for place, runs in enumerate(picture.rows, 1))
    columns = "\n".join(
        f"Column {place}: {_said(runs)}" for place, runs in enumerate(picture.columns, 1)
    )
    return Prompt(
        style.pick(
            f"Nonogram. Every cell of a board of {down} rows and {across} columns is either black"
            " or white. The numbers of a line are the lengths of its runs of black cells, in their"
            " order: from left to right for a row, from top to bottom for a column. Between two"
            " runs there is at least one white cell. A 0 means that the line has no black cell."
            f"\n\n{rows}\n\n{columns}",
            f"A picture is hidden in a {down}x{across} grid, and it can be found from how its"
            " painted cells follow one another. For example, 3 1 stands for three painted cells in"
            " a row, then one or more empty cells, then one painted cell, with any number of empty"
            " cells at both ends; 0 stands for a line without painted cells.\n\nThe rows, from top"
            f" to bottom, read from left to right:\n{rows}\n\nThe columns, from left to right, read"
            f" from top to bottom:\n{columns}\n\nThere is one such picture.",
            f"{columns}\n\n{rows}\n\nThese are the clues of a {down}x{across} picture logic puzzle"
            " (columns count from the left, rows from the top). Shade cells so that in each line"
            " the groups of shaded cells that stand next to one another have exactly the sizes"
            " given, in the order given (rows from the left, columns from the top). Groups of one"
            " line are separated by at least one unshaded cell, and where the clue is 0, nothing"
            " is shaded.",
        ),
        form='the rows of the picture, one line each: "#" for a '
        + style.pick("black", "painted", "shaded")
        + ' cell, "." for any other',
    )


def steps(picture: Picture) -> list[str]:
    across = len(picture.columns)
    values = [OPEN] * (len(picture.rows) * across)
    return _deduction.worked(_rules(picture), values, _deduction.named(across))


def progress(picture: Picture, lines: Lines) -> float:
    return cells_filled(FAMILY, picture, lines, marks={"1": "#", "0": "."})


def canon(picture: Picture) -> list[tuple[Runs, ...]]:
    """The least of the picture's turns and reflections."""
    found = []
    for upside in (1, -1):
        for aside in (1, -1):
            # Rows in the opposite order are columns read the other way.
            rows = tuple(runs[::aside] for runs in picture.rows[::upside])
            columns = tuple(runs[::upside] for runs in picture.columns[::aside])
            found += [[rows, columns], [columns, rows]]
    return min(found)


def hardness(picture: Picture) -> float:
    """Cells that no line settles by itself."""
    across = len(picture.columns)
    values = [OPEN] * (len(picture.rows) * across)
    for rule in _rules(picture).rules:
        found = rule.narrow([OPEN] * len(rule.cells)) or []
        for cell, value in zip(rule.cells, found):
            values[cell] &= value
    return float(len(_deduction.undecided(values)))


def _said(runs: Runs) -> str:
    return " ".join(map(str, runs or (0,)))


def _picture(black: list[bool], side: int) -> Picture:
    rows = [black[start : start + side] for start in range(0, side**2, side)]
    return Picture(tuple(map(_runs, rows)), tuple(_runs(list(column)) for column in zip(*rows)))


def _runs(line: list[bool]) -> Runs:
    return tuple(len(list(cells)) for dark, cells in groupby(line) if dark)


def _rules(picture: Picture) -> Rules:
    down, across = len(picture.rows), len(picture.columns)
    rules = Rules(down * across)
    for row, runs in enumerate(picture.rows):
        cells = tuple(range(row * across, (row + 1) * across))
        says = f"row {row + 1} has {_said(runs)}"
        rules.add(Rule(cells, _narrowing(across, runs), says))
    for column, runs in enumerate(picture.columns):
        cells = tuple(range(column, down * across, across))
        says = f"column {column + 1} has {_said(runs)}"
        rules.add(Rule(cells, _narrowing(down, runs), says))
    return rules


@cache
def _narrowing(size: int, runs: Runs) -> _deduction.Narrow:
    @lru_cache(maxsize=10_000)
    def filled(values: bytes) -> Values | None:
        black, light = (int(values[::-1].translate(table), 2) for table in (_IS_BLACK, _IS_LIGHT))
        before, begun = _from_start(size, runs, black, light)
        if not before[-1] >> size & 1:
            return None
        after, ended = _from_end(size, runs, black, light)
        dark = blank = 0
        for here, there in zip(before, after):  # white between the runs before and those after
            blank |= here & there >> 1
        blank &= ~black
        for run, one, other in zip(runs, begun, ended):
            dark |= _stretched(one & other, run)
        return [
            (BLACK if dark >> cell & 1 else 0) | (LIGHT if blank >> cell & 1 else 0)
            for cell in range(size)
        ]

    return lambda values: filled(bytes(values))


def _from_start(size: int, runs: Runs, black: int, light: int) -> tuple[list[int], list[int]]:
    """For each number of runs, the places, as bits, before which there may be just them; and for
    each run, the cells in which it may then begin."""
    white = (1 << size) - 1 & ~black
    reach = (black & -black or 1 << size) * 2 - 1
    found, begun = [reach], []
    for place, run in enumerate(runs):
        free = reach if not place else (reach & white) << 1
        begun.append(free & ~_backwards(light, run) & (1 << max(size + 1 - run, 0)) - 1)
        reach = begun[-1] << run
        reach |= white + (reach & white) ^ white  # up to the first black cell, by a sum's carries
        found.append(reach)
    return found, begun


def _from_end(size: int, runs: Runs, black: int, light: int) -> tuple[list[int], list[int]]:
    """For each number of runs, all first, the places after which there may be just the others; and
    for each run, the cells in which it may then begin."""
    reach = (2 << size) - (1 << black.bit_length())
    found, begun = [reach], []
    for place, run in enumerate(runs[::-1]):
        free = reach if not place else reach >> 1 & ~black
        begun.append(free >> run & ~_backwards(light, run))
        reach = begun[-1]
        while (more := reach | reach >> 1 & ~black) != reach:
            reach = more
        found.append(reach)
    return found[::-1], begun[::-1]


def _backwards(cells: int, run: int) -> int:
    """Where a run begins that covers one of the cells."""
    covered = cells
    for _ in range(run - 1):
        covered = cells | covered >> 1
    return covered


def _stretched(starts: int, run: int) -> int:
    """The cells of runs that begin there."""
    covered = starts
    for _ in range(run - 1):
        covered = starts | covered << 1
    return covered


LADDER = (
    Knobs(4, 0),
    Knobs(5, 0),
    Knobs(7, 0),
    Knobs(10, 6),
    Knobs(13, 15),
)
FAMILY = Family(
    Picture,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board("#."),
    hardness=hardness,
    proof="unique",
    solver="SAT over the places of the runs",
    guess_rate=0.02,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("logic", "search"),
    peers=("InternBootcamp/nonograms",),
)
