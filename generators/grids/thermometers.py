"""Thermometers: fill them from the bulb on so that each line has its number of full cells.

`generate` changes how far thermometers are filled until deduction, with some suppositions, leads to
one solution; `solve` proves by SAT that there is one; `verify` looks along each thermometer and
counts.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import chain, pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _marks
from puzzlemill.generators.grids._deduction import Rule, Rules, Values

Rows: TypeAlias = tuple[str, ...]
Tube: TypeAlias = list[_cells.Cell]  # the cells of a thermometer, its bulb first

NONE = -1  # of no thermometer

LONGEST = 6  # cells of a thermometer; places are one digit
MOST = 26  # thermometers, by the letters there are
CHANGES = 40  # of how far a thermometer is filled, before a board is given up
TRIES = 100  # suppositions in a search for a second solution


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board
    stuck: bool  # one rule after the other does not finish it; something must be supposed


@dataclass(frozen=True, slots=True)
class Glass:
    owners: tuple[tuple[int, ...], ...]  # the number of each cell's thermometer; -1 is none
    places: tuple[tuple[int, ...], ...]  # where in it the cell comes, the bulb being 1
    rows: tuple[int, ...]  # full cells in each row
    columns: tuple[int, ...]


def generate(rng: Random, knobs: Knobs) -> Glass | None:
    side = knobs.side
    tubes = _laid(rng, side)
    if len(tubes) > MOST:
        return None
    levels = [rng.randint(0, len(tube)) for tube in tubes]
    for _ in range(CHANGES):
        glass = _glass(side, tubes, levels)
        rules, start = _rules(glass), _start(glass)
        solution = [_marks.CLEAR] * side**2
        for tube, level in zip(tubes, levels, strict=True):
            for row, column in tube[:level]:
                solution[row * side + column] = _marks.MARKED
        rival = _marks.rival(rules, start, solution, TRIES)
        if rival is None:
            return None if knobs.stuck and rules.settles(start, 0) else glass
        where = rng.choice([cell for cell, value in enumerate(rival) if value != solution[cell]])
        number = glass.owners[where // side][where % side]
        levels[number] = rng.choice(
            [level for level in range(len(tubes[number]) + 1) if level != levels[number]]
        )
    return None


def solve(glass: Glass) -> Rows | None:
    """SAT: a variable for each cell of a thermometer."""
    side = len(glass.rows)
    tubes = _tubes(glass)
    full = {cell: at for at, cell in enumerate(chain(*tubes), 1)}
    clauses = [[-full[after], full[before]] for tube in tubes for before, after in pairwise(tube)]
    bounds = []
    for axis, totals in enumerate((glass.rows, glass.columns)):
        lines: list[list[int]] = [[] for _ in totals]
        for cell, here in full.items():
            lines[cell[axis]].append(here)
        for line, total in zip(lines, totals):
            bounds += _sat.just(total, line)
    true = _sat.only_model(clauses, full.values(), bounds=bounds)
    if true is None:
        return None
    return tuple(
        "".join("#" if full.get((row, column)) in true else "." for column in range(side))
        for row in range(side)
    )


def verify(glass: Glass, rows: Rows) -> float:
    side = len(glass.rows)
    if len(rows) != side or any(len(row) != side or set(row) - set("#.") for row in rows):
        return 0.0
    if tuple(row.count("#") for row in rows) != glass.rows:
        return 0.0
    if tuple(column.count("#") for column in zip(*rows)) != glass.columns:
        return 0.0
    filled: defaultdict[int, set[int]] = defaultdict(set)
    for row, column in _cells.cells(side, side):
        if rows[row][column] == "#":
            filled[glass.owners[row][column]].add(glass.places[row][column])
    # The places that are filled are 1, 2, ... up to as many as there are.
    return float(
        NONE not in filled and all(max(places) == len(places) for places in filled.values())
    )


def render(glass: Glass, style: Style) -> Prompt:
    side = len(glass.rows)
    picture = _cells.drawn(
        [
            ["--" if owner == NONE else f"{_letter(owner)}{place}" for owner, place in zip(*lines)]
            for lines in zip(glass.owners, glass.places, strict=True)
        ]
    )
    rows, columns = (" ".join(map(str, line)) for line in (glass.rows, glass.columns))
    bare = style.pick(
        ' Cells "--" belong to no thermometer and are never filled.',
        ' Where "--" stands, there is no thermometer and no mercury.',
        ' A cell "--" has no glass in it and stays empty.',
    )
    if not any(NONE in owners for owners in glass.owners):
        bare = ""
    return Prompt(
        style.pick(
            f"A board of {side} rows and {side} columns is covered with thermometers. Each cell is"
            " marked with the letter of its thermometer and the cell's place in it, counted from"
            f" the bulb: A1 is the bulb of thermometer A, A2 the next cell, and so on.{bare}\n\n"
            f"{picture}\n\nMercury fills a thermometer from the bulb on, without a gap, up to any"
            " place: it may be empty, full, or filled in part. The numbers of filled cells in the"
            f" rows, from top to bottom, are {rows}, and in the columns, from left to right,"
            f" {columns}. Which cells are filled?",
            f"Thermometers.\n\n{picture}\n\nEach letter is one thermometer, bent or straight, and"
            " the digit beside it numbers its cells from the bulb (1) to the tip. If a cell is"
            " filled, all cells of the same thermometer with smaller numbers are filled too;"
            f" otherwise a thermometer may be filled as far as you like, or not at all.{bare}\n\n"
            f"Filled cells by row, top to bottom: {rows}\nFilled cells by column, left to right:"
            f" {columns}",
            f"How high does the mercury stand in these thermometers?\n\n{picture}\n\nA letter and a"
            " number stand for one cell: the letter names the thermometer, the number says how far"
            " along it the cell is, with 1 at the bulb, where filling starts. Filled cells of a"
            " thermometer are always the first few of it (none and all are possible)."
            f"{bare} Row by row from the top, the board has {rows} filled cells; column by column"
            f" from the left, it has {columns}. There is one solution.",
        ),
        form=f'the {side} rows of the board, one line each: "#" for a filled cell, "." for any'
        " other",
    )


def steps(glass: Glass) -> list[str]:
    said = _marks.telling(len(glass.rows), "no mercury", "mercury")
    return _marks.worked(_rules(glass), _start(glass), said)


def progress(glass: Glass, lines: Lines) -> float:
    return cells_filled(FAMILY, glass, lines, marks={"mercury": "#", "no mercury": "."})


def canon(glass: Glass) -> list[object]:
    """The least of the board's turns and reflections, its thermometers renumbered."""
    side = len(glass.rows)
    cells = [
        [
            (glass.owners[row][column], glass.places[row][column], (row, column))
            for column in range(side)
        ]
        for row in range(side)
    ]
    found: list[list[object]] = []
    for quarters, turn in enumerate(_cells.turns(cells), 2):
        totals = glass.columns, glass.rows
        across, down = totals if quarters // 2 % 2 else totals[::-1]
        axis = 1 if quarters // 2 % 2 else 0
        found.append(
            [
                _cells.renumbered([[owner for owner, _, _ in line] for line in turn]),
                tuple(tuple(place for _, place, _ in line) for line in turn),
                tuple(across[line[0][2][axis]] for line in turn),
                tuple(down[cell[2][1 - axis]] for cell in turn[0]),
            ]
        )
    return min(found, key=repr)


def hardness(glass: Glass) -> float:
    """Cells of thermometers."""
    return float(sum(owner != NONE for row in glass.owners for owner in row))


def _letter(number: int) -> str:
    return chr(ord("A") + number)


def _tubes(glass: Glass) -> list[Tube]:
    side = len(glass.rows)
    found: defaultdict[int, Tube] = defaultdict(list)
    for row, column in _cells.cells(side, side):
        if glass.owners[row][column] != NONE:
            found[glass.owners[row][column]].append((row, column))
    for tube in found.values():
        tube.sort(key=lambda cell: glass.places[cell[0]][cell[1]])
    return [found[number] for number in sorted(found)]


def _laid(rng: Random, side: int) -> list[Tube]:
    """Paths of two cells and more that cover most of a board, as they are met row by row."""
    free = set(_cells.cells(side, side))
    tubes = []
    for start in rng.sample(sorted(free), side**2):
        if start not in free:
            continue
        tube, length = [start], rng.randint(3, LONGEST)
        free.remove(start)
        while len(tube) < length:
            near = [cell for cell in _cells.beside(tube[-1], side, side) if cell in free]
            if not near:
                break
            tube.append(rng.choice(near))
            free.remove(tube[-1])
        if len(tube) > 1:
            tubes.append(tube)
    return sorted(tubes, key=min)


def _glass(side: int, tubes: list[Tube], levels: list[int]) -> Glass:
    owners = [[NONE] * side for _ in range(side)]
    places = [[0] * side for _ in range(side)]
    rows, columns = [0] * side, [0] * side
    for number, (tube, level) in enumerate(zip(tubes, levels, strict=True)):
        for place, (row, column) in enumerate(tube, 1):
            owners[row][column], places[row][column] = number, place
            rows[row] += place <= level
            columns[column] += place <= level
    return Glass(tuple(map(tuple, owners)), tuple(map(tuple, places)), tuple(rows), tuple(columns))


def _start(glass: Glass) -> Values:
    return [_marks.CLEAR if owner == NONE else _marks.OPEN for row in glass.owners for owner in row]


def _rules(glass: Glass) -> Rules:
    side = len(glass.rows)
    rules = Rules(side**2, marks=True)
    for number in range(side):
        row = tuple(range(number * side, (number + 1) * side))
        column = tuple(range(number, side**2, side))
        for cells, kind, total in (
            (row, "row", glass.rows[number]),
            (column, "column", glass.columns[number]),
        ):
            rules.add(Rule(cells, _marks.counted(total, total), f"{kind} {number + 1}"))
    for number, tube in enumerate(_tubes(glass)):
        cells = tuple(row * side + column for row, column in tube)
        rules.add(Rule(cells, _without_gap, f"thermometer {_letter(number)}"))
    return rules


def _without_gap(values: Values) -> Values | None:
    """From the bulb on full, and from some cell on empty."""
    full = max(
        (place for place, value in enumerate(values, 1) if value == _marks.MARKED), default=0
    )
    empty = values.index(_marks.CLEAR) if _marks.CLEAR in values else len(values)
    if full > empty:
        return None
    open_ = empty - full
    clear = len(values) - empty
    return [_marks.MARKED] * full + [_marks.OPEN] * open_ + [_marks.CLEAR] * clear


LADDER = (
    Knobs(4, False),
    Knobs(5, False),
    Knobs(6, True),
    Knobs(8, True),
    Knobs(9, True),
)
FAMILY = Family(
    Glass,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board("#."),
    hardness=hardness,
    proof="unique",
    solver="SAT over cells",
    guess_rate=0.02,
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=True,
    skills=("logic", "search"),
    peers=("InternBootcamp/thermometers",),
)
