"""Minesweeper, standing still: which hidden cells are certainly mines, and which certainly safe?

Each number counts the mines around it; how many there are in all is not known. `generate` keeps
boards on which suppositions show all that is certain; `solve` asks SAT of each hidden cell whether
it could be otherwise; `verify` goes over the board once forth and once back, with the sets of what
the numbers may still need, and so learns what each cell is in some layout.
"""

from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _deduction, _marks, _tallies
from puzzlemill.generators.grids._deduction import Rule, Rules, Values

Rows: TypeAlias = tuple[str, ...]
Needs: TypeAlias = tuple[int, ...]  # of each number, how many mines are still to come

HIDDEN = "."
MINE, SAFE, UNKNOWN = "M", "S", "U"

TRIES = 200  # suppositions in a search for a layout
CERTAIN = 0.2  # share of the hidden cells of which something must be certain, at least


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board
    mines: float  # share of the cells
    closed: float  # share of the safe cells that are hidden
    stuck: bool  # looking at one number after the other does not show all that is certain


@dataclass(frozen=True, slots=True)
class Field:
    rows: Rows  # a digit for an open cell, "." for a hidden one


def generate(rng: Random, knobs: Knobs) -> Field | None:
    side = knobs.side
    everything = _cells.cells(side, side)
    mines = set(rng.sample(everything, round(knobs.mines * side**2)))
    safe = [cell for cell in everything if cell not in mines]
    shown = set(rng.sample(safe, round((1 - knobs.closed) * len(safe))))
    field = Field(
        tuple(
            "".join(
                str(sum(near in mines for near in _cells.around((row, column), side, side)))
                if (row, column) in shown
                else HIDDEN
                for column in range(side)
            )
            for row in range(side)
        )
    )
    rules, plain = _rules(field), _start(field)
    rules.narrow(plain)
    certain = _certain(rules, plain)
    open_, hidden = len(_deduction.undecided(certain)), len(_hidden(field))
    if hidden - open_ < CERTAIN * hidden or (knobs.stuck and certain == plain):
        return None
    layout = [_marks.MARKED if cell in mines else _marks.CLEAR for cell in everything]
    return field if _open_both_ways(rules, certain, layout) else None


def solve(field: Field) -> Rows | None:
    """SAT: a cell is certain where no layout has it otherwise."""
    side = len(field.rows)
    circuit = _sat.Circuit()
    mine = {cell: circuit.variable(cell) for cell in _hidden(field)}
    for (row, column), near in _numbers(field).items():
        circuit.exactly([mine[cell] for cell in near], int(field.rows[row][column]))
    signs = {cell: field.rows[cell[0]][cell[1]] for cell in _cells.cells(side, side)}
    with _sat.loaded(circuit.clauses) as solver:
        for cell, variable in mine.items():
            some, none = (solver.solve(assumptions=[sign * variable]) for sign in (1, -1))
            if not (some or none):
                return None
            signs[cell] = UNKNOWN if some and none else MINE if some else SAFE
    return tuple("".join(signs[row, column] for column in range(side)) for row in range(side))


def verify(field: Field, rows: Rows) -> float:
    side = len(field.rows)
    if len(rows) != side or any(len(row) != side for row in rows):
        return 0.0
    could = _sweep(field)
    for row, column in _cells.cells(side, side):
        sign, shown = rows[row][column], field.rows[row][column]
        if shown != HIDDEN:
            if sign != shown:
                return 0.0
        elif {MINE: {1}, SAFE: {0}, UNKNOWN: {0, 1}}.get(sign) != could[row, column]:
            return 0.0
    return 1.0


def render(field: Field, style: Style) -> Prompt:
    side = len(field.rows)
    picture = "\n".join(field.rows)
    return Prompt(
        style.pick(
            f"This is a Minesweeper board of {side} rows and {side} columns in the middle of a"
            f" game:\n\n{picture}\n\nA digit is an open cell, which holds no mine, and tells how"
            " many of the up to eight cells around it (at its sides and corners) hold one. A dot is"
            " a hidden cell, with a mine or without. Nobody knows how many mines there are in all."
            " For each hidden cell, find out whether the digits prove that it holds a mine, or"
            " prove that it is safe, or leave both possible.",
            f"Minesweeper, without guessing. Dots are hidden cells, and each may hold one mine;"
            " digits are open cells without a mine.\n\n"
            f"{picture}\n\nEvery digit equals the number of mines in the neighbouring cells,"
            " horizontally, vertically and diagonally. The total number of mines is not given."
            " Look at all layouts of mines that agree with every digit. A hidden cell that is a"
            " mine in all of them is certainly a mine; one that is a mine in none of them is"
            " certainly safe; any other is undecided. Sort the hidden cells in this way.",
            f"{picture}\n\nOn this {side}x{side} board, some cells hide mines. The digits stand in"
            " opened cells, which are free of mines; each counts the mines among its neighbours, of"
            ' which a cell in the middle of the board has eight. The cells "." are not opened, and'
            " any number of them may be mined. For every unopened cell, say what can be concluded"
            " from all the digits together: there must be a mine, there cannot be one, or neither"
            " follows.",
        ),
        form=f'the {side} rows of the board, one line each, with every dot replaced: "{MINE}" for'
        f' a cell that is certainly a mine, "{SAFE}" for one that is certainly safe, "{UNKNOWN}"'
        " where both are possible; digits stay",
    )


def steps(field: Field) -> list[str]:
    rules, values, side = _rules(field), _start(field), len(field.rows)
    said = _marks.telling(side, "no mine", "a mine")
    lines = _marks.worked(rules, values, said, certain=True)
    rules.narrow(values)
    if open_ := _deduction.undecided(_certain(rules, values)):
        where = ", ".join(_marks.named(cell, side) for cell in open_)
        lines.append(f"nothing more follows: with or without a mine at {where}")
    return lines


def progress(field: Field, lines: Lines) -> float:
    marks = {"mine": MINE, "no mine": SAFE, "with or without a mine": UNKNOWN}
    return cells_filled(FAMILY, field, lines, field.rows, ".", marks)


def canon(field: Field) -> _cells.Board[str]:
    """The least of the board's turns and reflections."""
    return min(_cells.turns(field.rows))


def hardness(field: Field) -> float:
    """Hidden cells beside a number; all others say nothing."""
    return float(len({cell for near in _numbers(field).values() for cell in near}))


def _hidden(field: Field) -> list[_cells.Cell]:
    return [
        (row, column)
        for row, line in enumerate(field.rows)
        for column, sign in enumerate(line)
        if sign == HIDDEN
    ]


def _numbers(field: Field) -> dict[_cells.Cell, list[_cells.Cell]]:
    """The hidden cells around each open one."""
    side = len(field.rows)
    return {
        (row, column): [
            (r, c)
            for r, c in sorted(_cells.around((row, column), side, side))
            if field.rows[r][c] == HIDDEN
        ]
        for row, column in _cells.cells(side, side)
        if field.rows[row][column] != HIDDEN
    }


def _start(field: Field) -> Values:
    return [_marks.OPEN if sign == HIDDEN else _marks.CLEAR for line in field.rows for sign in line]


def _rules(field: Field) -> Rules:
    side = len(field.rows)
    rules = Rules(side**2, marks=True)
    for (row, column), near in _numbers(field).items():
        number = int(field.rows[row][column])
        cells = tuple(r * side + c for r, c in near)
        name = f"the {number} at ({row + 1}, {column + 1})"
        rules.add(Rule(cells, _marks.counted(number, number), name))
    return rules


def _certain(rules: Rules, values: Values) -> Values:
    """What else follows where a cell that is otherwise leads to a contradiction."""
    tallies, (may, free) = rules.tallies(), _tallies.packed(values)
    going = True
    while going:
        going = False
        for cell in range(len(values)):
            bit, touched = 1 << cell, tallies.touching[cell]
            if not may & free & bit:
                continue
            clear, marked = (may & ~bit, free), (may, free & ~bit)
            for trial, otherwise in ((clear, marked), (marked, clear)):
                if tallies.narrow(trial, touched) is None:
                    may, free = tallies.narrow(otherwise, touched) or otherwise
                    going = True
                    break
    return _tallies.unpacked((may, free), len(values))


def _open_both_ways(rules: Rules, values: Values, layout: Values) -> bool:
    """Whether each open cell is seen to be otherwise in another layout that keeps the rules."""
    seen: set[int] = set()
    for cell in _deduction.undecided(values):
        if cell in seen:
            continue
        trial = list(values)
        trial[cell] ^= layout[cell]
        other = _marks.rival(rules, trial, layout, TRIES)
        if other is None or _deduction.undecided(other):
            return False
        seen.update(place for place, value in enumerate(other) if value != layout[place])
    return True


def _sweep(field: Field) -> dict[_cells.Cell, set[int]]:
    """For each hidden cell whether it holds 0 or 1 mines in some layout, or either."""
    numbers, hidden = _numbers(field), _hidden(field)
    order = list(numbers)
    touched = [
        tuple(place for place, number in enumerate(order) if cell in numbers[number])
        for cell in hidden
    ]
    last = {place: step for step, places in enumerate(touched) for place in places}
    start = tuple(int(field.rows[row][column]) for row, column in order)
    if any(need and place not in last for place, need in enumerate(start)):
        return {cell: set() for cell in hidden}
    done = [
        tuple(place for place in touched[step] if last[place] == step)
        for step in range(len(hidden))
    ]
    ahead, steps = {start}, list[list[tuple[Needs, int, Needs]]]()
    for places, final in zip(touched, done, strict=True):
        steps.append(
            [
                (needs, mine, after)
                for needs in ahead
                for mine in (0, 1)
                if (after := _after(needs, places, final, mine)) is not None
            ]
        )
        ahead = {after for _, _, after in steps[-1]}
    useful, could = ahead, {}
    for cell, step in zip(reversed(hidden), reversed(steps)):
        leading = [(needs, mine) for needs, mine, after in step if after in useful]
        useful, could[cell] = {needs for needs, _ in leading}, {mine for _, mine in leading}
    return could


def _after(
    needs: Needs, places: tuple[int, ...], final: tuple[int, ...], mine: int
) -> Needs | None:
    """What the numbers need after one more cell; None where one got too many or too few."""
    left = list(needs)
    for place in places:
        left[place] -= mine
        if left[place] < 0:
            return None
    return None if any(left[place] for place in final) else tuple(left)


LADDER = (
    Knobs(4, 0.2, 0.35, False),
    Knobs(5, 0.2, 0.4, False),
    Knobs(6, 0.22, 0.4, True),
    Knobs(8, 0.25, 0.45, True),
    Knobs(11, 0.26, 0.5, True),
)
FAMILY = Family(
    Field,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board("012345678" + MINE + SAFE + UNKNOWN),
    hardness=hardness,
    proof="unique",
    solver="SAT, twice for each hidden cell",
    guess_rate=0.01,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("logic", "search"),
    peers=(
        "Enigmata/minesweeper",
        "SynLogic/minesweeper",
        "InternBootcamp/minesweeper",
        "RLVE/minesweeping",
        "KORGym/38-minesweeper",
    ),
    version=2,
)
