"""Hitori: shade cells until no line repeats a number, none side by side, the rest in one piece.

`generate` shades as many cells as it can, gives them numbers that their lines repeat, and changes
those that leave a second way out; `solve` proves by SAT, with a clause for each piece that shaded
cells cut off, that none is left; `verify` looks at lines, neighbours and what hangs together.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.grid import in_rows
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _latin, _marks, _tallies
from puzzlemill.generators.grids._deduction import Rule, Rules
from puzzlemill.generators.grids._tallies import Marks

Rows: TypeAlias = tuple[str, ...]
Numbers: TypeAlias = tuple[tuple[int, ...], ...]

CHANGES = 30  # of a shaded cell's number, before a board is given up
TRIES = 30  # suppositions in a search for a second solution


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board


@dataclass(frozen=True, slots=True)
class Sheet:
    numbers: Numbers


def generate(rng: Random, knobs: Knobs) -> Sheet | None:
    side = knobs.side
    shaded = _shaded(rng, side)
    right = sum([1 << cell for cell in shaded])
    everything = (1 << side**2) - 1
    numbers = _latin.square(rng, side)
    for cell in sorted(shaded):
        numbers[cell] = _repeated(rng, side, numbers, shaded, cell)
    for _ in range(CHANGES):
        tallies, start = _tallied(side, numbers)
        solution = right, everything & ~right
        other = _marks.rival_marks(tallies, start, tallies.all, solution, TRIES)
        if other is None:
            return Sheet(in_rows(tuple(numbers), side))
        # Another number to repeat for one of the cells that the rival leaves unshaded.
        left = [cell for cell in sorted(shaded) if not other[0] >> cell & 1]
        cell = rng.choice(left or sorted(shaded))
        numbers[cell] = _repeated(rng, side, numbers, shaded, cell)
    return None


def solve(sheet: Sheet) -> Rows | None:
    """SAT: a variable for each cell."""
    side = len(sheet.numbers)
    shaded = {cell: at for at, cell in enumerate(_cells.cells(side, side), 1)}
    alike = defaultdict[tuple[int, int, int], list[int]](list)
    for cell, here in shaded.items():
        number = sheet.numbers[cell[0]][cell[1]]
        for axis, line in enumerate(cell):
            alike[axis, line, number].append(here)
    clauses = [*_apart(side)]
    for same in alike.values():
        clauses += map(list, combinations(same, 2))
    beside, flooded = _tallies.beside(side), _tallies.flooding(side)

    def cuts(true: set[int]) -> list[_sat.Clause]:
        left = sum([1 << here - 1 for here in shaded.values() if here not in true])
        broken = list[_sat.Clause]()
        while left:
            piece = flooded(left & -left, left)
            left &= ~piece
            if not left and not broken:
                break
            # The cells around a piece that is cut off cannot all be shaded.
            border = beside(piece) & ~piece
            broken.append([-here for here in shaded.values() if border >> here - 1 & 1])
        return broken

    true = _sat.only_model(clauses, shaded.values(), cuts)
    if true is None:
        return None
    return tuple(
        "".join("#" if shaded[row, column] in true else "." for column in range(side))
        for row in range(side)
    )


@cache
def _apart(side: int) -> Sequence[_sat.Clause]:
    """Of a cell, from 1 on, and one beside it at most one is shaded; and not all around it are."""
    clauses = list[_sat.Clause]()
    for here, cell in enumerate(_cells.cells(side, side), 1):
        near = [row * side + column + 1 for row, column in _cells.beside(cell, side, side)]
        clauses += [[-here, -other] for other in near if here < other]
        clauses.append([-other for other in near])  # else the cell is cut off
    return clauses


def verify(sheet: Sheet, rows: Rows) -> float:
    side = len(sheet.numbers)
    if len(rows) != side or any(len(row) != side or set(row) - set("#.") for row in rows):
        return 0.0
    for signs, numbers in [
        *zip(rows, sheet.numbers),
        *zip(zip(*rows), zip(*sheet.numbers)),
    ]:
        kept = [number for sign, number in zip(signs, numbers) if sign == "."]
        if "##" in "".join(signs) or len(set(kept)) < len(kept):
            return 0.0
    left = {cell for cell in _cells.cells(side, side) if rows[cell[0]][cell[1]] == "."}
    waiting = [left.pop()] if left else []
    while waiting:
        row, column = waiting.pop()
        for near in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if near in left:
                left.discard(near)
                waiting.append(near)
    return float(not left)


def render(sheet: Sheet, style: Style) -> Prompt:
    side = len(sheet.numbers)
    picture = _cells.drawn(sheet.numbers)
    return Prompt(
        style.pick(
            f"Hitori. Shade some cells of this {side}x{side} board of numbers.\n\n{picture}\n\n"
            "Among the cells that stay unshaded, no number may occur twice in a row or twice in a"
            " column. Shaded cells must not share a side (they may touch at a corner). And the"
            " unshaded cells must all be connected: from each one there is a way to every other"
            " over unshaded cells that share a side.",
            f"{picture}\n\nBlack out cells of this board, which has {side} rows and {side} columns,"
            " so that three things hold. First: no two black cells are next to each other"
            " horizontally or vertically. Second: in no row and in no column does a number appear"
            " more than once among the cells that are not black. Third: black cells do not divide"
            " the others; moving up, down, left and right through cells that are not black, one can"
            " get from any of them to any other. There is just one way to do it.",
            f"Which cells have to be crossed out in this square of {side} by {side} numbers?\n\n"
            f"{picture}\n\nRules: after crossing out, every row and every column must be free of"
            " repeated numbers. Two crossed-out cells are never direct neighbours in a row or in a"
            " column, though they may be diagonal neighbours. The cells that remain form one"
            " connected area, where cells are connected if they share a side.",
        ),
        form=style.pick(
            'the rows of the board, one line each: "#" for a shaded cell, "." for any other',
            'the rows of the board, one line each: "#" for a black cell, "." for any other',
            'the rows of the square, one line each: "#" for a cell that is crossed out, "." for any'
            " other",
        ),
    )


def steps(sheet: Sheet) -> list[str]:
    side = len(sheet.numbers)
    rules = _rules(side, [number for row in sheet.numbers for number in row])
    values = [_marks.OPEN] * side**2
    return _marks.worked(rules, values, _marks.telling(side, "unshaded", "shaded"))


def progress(sheet: Sheet, lines: Lines) -> float:
    return cells_filled(FAMILY, sheet, lines, marks={"shaded": "#", "unshaded": "."})


def canon(sheet: Sheet) -> _cells.Board[int]:
    """The least of the board's turns and reflections, its numbers renumbered as they appear."""
    return _cells.least_renumbered(_cells.turns(sheet.numbers))


def hardness(sheet: Sheet) -> float:
    """Cells whose number stands in their row or column again."""
    lines = [*sheet.numbers, *zip(*sheet.numbers)]
    return float(sum(line.count(number) > 1 for line in lines for number in line))


def _shaded(rng: Random, side: int) -> set[int]:
    """Cells shaded until no other can be: else a board has no single solution, for shading one cell
    more repeats no number."""
    beside, flooded = _tallies.beside(side), _tallies.flooding(side)
    left = (1 << side**2) - 1
    for cell in rng.sample(range(side**2), side**2):
        fewer, near = left & ~(1 << cell), beside(1 << cell)
        # The rest stays in one piece if there is a way round from each cell beside it.
        if not near & ~left and not near & ~flooded(near & -near, fewer, near):
            left = fewer
    return {cell for cell in range(side**2) if not left >> cell & 1}


def _repeated(rng: Random, side: int, numbers: list[int], shaded: set[int], cell: int) -> int:
    """A number of an unshaded cell in a cell's row or column, another than it has."""
    lines = _lines_of(side)[cell]
    found = {numbers[place] for place in lines - shaded} - {numbers[cell]}
    return rng.choice(sorted(found))


@cache
def _lines_of(side: int) -> list[set[int]]:
    """For each cell, those of its row and of its column."""
    return [
        {place for _, line in _lines(side) if cell in line for place in line}
        for cell in range(side**2)
    ]


def _rules(side: int, numbers: list[int]) -> Rules:
    rules = Rules(side**2, marks=True)
    for name, line in _lines(side):
        for number, cells in sorted(_alike(line, numbers).items()):
            for sure, value, words in _certain(line, cells):
                many = len(sure) if value == _marks.MARKED else 0
                all_of = _marks.counted(many, many)
                rules.add(Rule(tuple(sure), all_of, f"{words} the {number}s of {name}"))
            all_but_one = _marks.counted(len(cells) - 1, len(cells))  # or all
            rules.add(Rule(tuple(cells), all_but_one, f"the {number}s of {name}"))
    for rule in _marks.apart_and_connected(side):
        rules.add(rule)
    return rules


def _tallied(side: int, numbers: list[int]) -> tuple[_tallies.Tallies, Marks]:
    """The same without names, and what is certain at once."""
    may = free = (1 << side**2) - 1
    alike, several = [0] * side**2, 0
    for _, line in _lines(side):
        for cells in _alike(line, numbers).values():
            equal = sum([1 << cell for cell in cells])
            several |= equal
            for cell in cells:
                alike[cell] |= equal ^ 1 << cell
            for sure, value, _ in _certain(line, cells):
                certain = sum([1 << cell for cell in sure])
                if value == _marks.MARKED:
                    free &= ~certain
                else:
                    may &= ~certain

    def repeated(may: int, free: int) -> Marks | None:
        shaded, unshaded = 0, free & ~may & several
        while unshaded:
            bit = unshaded & -unshaded
            unshaded ^= bit
            shaded |= alike[bit.bit_length() - 1]
        return None if shaded & ~may else (may, free & ~shaded)

    tallies, board = _tallies.Tallies(side**2), tuple(range(side**2))
    for whole in (_tallies.apart(side), repeated, _tallies.connected(side, _marks.CLEAR)):
        tallies.add(board, None, whole)
    return tallies, (may, free)


def _alike(line: list[int], numbers: list[int]) -> dict[int, list[int]]:
    """The numbers that stand in a line more than once, and their cells."""
    alike: defaultdict[int, list[int]] = defaultdict(list)
    for place in line:
        alike[numbers[place]].append(place)
    return {number: cells for number, cells in alike.items() if len(cells) > 1}


def _certain(line: list[int], cells: list[int]) -> Iterator[tuple[list[int], int, str]]:
    """What is sure by where equal numbers of a line stand: cells, their value, why in words."""
    step = line[1] - line[0]
    # Of two that are neighbours one stays unshaded, and so does what lies between two.
    pair = next((cell for cell in cells if cell + step in cells), None)
    if pair is not None and len(cells) > 2:
        others = [cell for cell in cells if cell not in (pair, pair + step)]
        yield others, _marks.MARKED, "a pair among"
    for cell in cells[:-1]:
        if cell + 2 * step in cells:
            yield [cell + step], _marks.CLEAR, "between two of"


@cache
def _lines(side: int) -> list[tuple[str, list[int]]]:
    rows = [(f"row {row + 1}", [*range(row * side, (row + 1) * side)]) for row in range(side)]
    return rows + [
        (f"column {column + 1}", [*range(column, side**2, side)]) for column in range(side)
    ]


LADDER = (
    Knobs(4),
    Knobs(5),
    Knobs(7),
    Knobs(9),
    Knobs(12),
)
FAMILY = Family(
    Sheet,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board("#."),
    hardness=hardness,
    proof="unique",
    solver="SAT over cells, with a clause for each piece that is cut off",
    guess_rate=0.04,
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=True,
    skills=("deduction", "search"),
    peers=("Enigmata/hitori", "InternBootcamp/hitori", "RLVE/hitori_puzzle"),
    version=2,
)
