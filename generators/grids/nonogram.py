"""Nonogram: blacken cells so that the runs of black cells in every line are as long as told.

`generate` changes a random picture until its runs settle it, `solve` proves by SAT over the places
of the runs that one picture is left, and `verify` reads the runs off the answer.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
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
    """SAT: a variable for each cell, and for each place where a run may begin."""
    down, across = len(picture.rows), len(picture.columns)
    circuit = _sat.Circuit()
    grid = [[circuit.variable((row, column)) for column in range(across)] for row in range(down)]
    lines = [*zip(picture.rows, grid), *zip(picture.columns, map(list, zip(*grid)))]
    for number, (runs, cells) in enumerate(lines):
        covers: list[list[int]] = [[] for _ in cells]
        before: list[int] = []
        for place, run in enumerate(runs):
            begins = [
                circuit.variable((number, place, start)) for start in range(len(cells) - run + 1)
            ]
            circuit.clauses += _sat.exactly_one(begins)
            for start, begin in enumerate(begins):
                for cell in range(start, start + run):
                    covers[cell].append(begin)
                # The run before has ended, and a gap follows it.
                gap = start - (runs[place - 1] if place else 0)
                circuit.clauses += [[-begin, -other] for other in before[max(gap, 0) :]]
            before = begins
        for cell, over in zip(cells, covers, strict=True):
            circuit.clauses.append([-cell, *over])
            circuit.clauses += [[cell, -begin] for begin in over]
    true = _sat.only_model(circuit.clauses, range(1, down * across + 1))
    if true is None:
        return None
    return tuple("".join("#" if cell in true else "." for cell in line) for line in grid)


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
    def filled(black: int, light: int) -> Values | None:
        ends = _ends(size, runs, black, light)
        # From the other side, the same line is its mirror image.
        starts = _ends(size, runs[::-1], _mirrored(size, black), _mirrored(size, light))
        if not ends[-1] >> size & 1:
            return None
        dark = blank = 0
        for place in range(len(runs) + 1):
            for cell in range(size):
                # White between the runs before and those after.
                if ends[place] >> cell & 1 and starts[-1 - place] >> size - cell - 1 & 1:
                    blank |= (1 << cell) & ~black
        for place, run in enumerate(runs):
            for start in range(size - run + 1):
                cells = (1 << run) - 1 << start
                before = start - 1 if place else start
                after = size - start - run - (place < len(runs) - 1)
                if (
                    not cells & light
                    and before >= 0
                    and after >= 0
                    and ends[place] >> before & 1
                    and starts[len(runs) - 1 - place] >> after & 1
                    and not (place and black >> start - 1 & 1)
                    and not (place < len(runs) - 1 and black >> start + run & 1)
                ):
                    dark |= cells
        return [
            (BLACK if dark >> cell & 1 else 0) | (LIGHT if blank >> cell & 1 else 0)
            for cell in range(size)
        ]

    def narrow(values: Values) -> Values | None:
        black = light = 0
        for place, value in enumerate(values):
            if value == BLACK:
                black |= 1 << place
            elif value == LIGHT:
                light |= 1 << place
        return filled(black, light)

    return narrow


def _ends(size: int, runs: Runs, black: int, light: int) -> list[int]:
    """For each number of runs, how many cells from the start may hold just them; bits of a set."""
    reach = 1
    for cell in range(size):
        if reach >> cell & 1 and not black >> cell & 1:
            reach |= 1 << cell + 1
    found = [reach]
    for place, run in enumerate(runs):
        new = 0
        for end in range(run, size + 1):
            start = end - run
            cells = (1 << run) - 1 << start
            gap = start - 1 if place else start
            touches = (
                place and gap >= 0 and black >> gap & 1
            )  # the run before, or what lies between
            if not cells & light and gap >= 0 and reach >> gap & 1 and not touches:
                new |= 1 << end
            if new >> end - 1 & 1 and not black >> end - 1 & 1:
                new |= 1 << end
        reach = new
        found.append(reach)
    return found


def _mirrored(size: int, cells: int) -> int:
    return sum(1 << size - 1 - cell for cell in range(size) if cells >> cell & 1)


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
