"""Hitori: shade cells until no line repeats a number, none side by side, the rest in one piece.

`generate` shades as many cells as it can, gives them numbers that their lines repeat, and changes
those that leave a second way out; `solve` proves by SAT, with a clause for each piece that shaded
cells cut off, that none is left; `verify` looks at lines, neighbours and what hangs together.
"""

from collections import defaultdict
from collections.abc import Iterator
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
from puzzlemill.generators.grids._tallies import Tally

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
        tallies, solution = _tallied(side, numbers), (right, everything & ~right)
        other = _marks.rival_marks(tallies, (everything, everything), tallies.all, solution, TRIES)
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
    clauses, alike = list[_sat.Clause](), defaultdict[tuple[int, int, int], list[int]](list)
    for cell, here in shaded.items():
        number = sheet.numbers[cell[0]][cell[1]]
        for axis, line in enumerate(cell):
            alike[axis, line, number].append(here)
        near = [shaded[other] for other in _cells.beside(cell, side, side)]
        clauses += [[-here, -other] for other in near if here < other]
        clauses.append([-other for other in near])  # else the cell is cut off
    for same in alike.values():
        clauses += map(list, combinations(same, 2))

    def cuts(true: set[int]) -> list[_sat.Clause]:
        pieces = _cells.pieces([cell for cell in shaded if shaded[cell] not in true])
        if len(pieces) == 1:
            return []
        # The cells around a piece that is cut off cannot all be shaded.
        return [[-shaded[cell] for cell in _cells.border(piece, side, side)] for piece in pieces]

    true = _sat.only_model(clauses, shaded.values(), cuts)
    if true is None:
        return None
    return tuple(
        "".join("#" if shaded[row, column] in true else "." for column in range(side))
        for row in range(side)
    )


def verify(sheet: Sheet, rows: Rows) -> float:
    side = len(sheet.numbers)
    if len(rows) != side or any(len(row) != side or set(row) - set("#.") for row in rows):
        return 0.0
    for signs, numbers in [
        *zip(rows, sheet.numbers),
        *zip(zip(*rows), zip(*sheet.numbers)),
    ]:
        left = [number for sign, number in zip(signs, numbers) if sign == "."]
        if "##" in "".join(signs) or len(set(left)) < len(left):
            return 0.0
    unshaded = [cell for cell in _cells.cells(side, side) if rows[cell[0]][cell[1]] == "."]
    reached, waiting = set(unshaded[:1]), unshaded[:1]
    while waiting:
        row, column = waiting.pop()
        for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= r < side and 0 <= c < side and rows[r][c] == "." and (r, c) not in reached:
                reached.add((r, c))
                waiting.append((r, c))
    return float(len(reached) == len(unshaded))


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
    everything = (1 << side**2) - 1
    left = everything
    for cell in rng.sample(range(side**2), side**2):
        fewer = left & ~(1 << cell)
        alone = not beside(1 << cell) & ~left & everything
        if alone and fewer and flooded(fewer & -fewer, fewer) == fewer:
            left = fewer
    return {cell for cell in range(side**2) if not left >> cell & 1}


def _repeated(rng: Random, side: int, numbers: list[int], shaded: set[int], cell: int) -> int:
    """A number of an unshaded cell in a cell's row or column, another than it has."""
    row, column = divmod(cell, side)
    line = [row * side + step for step in range(side)]
    line += [step * side + column for step in range(side)]
    found = {numbers[place] for place in line if place not in shaded} - {numbers[cell]}
    return rng.choice(sorted(found))


def _rules(side: int, numbers: list[int]) -> Rules:
    rules = Rules(side**2, marks=True)
    for name, line in _lines(side):
        for number, cells in _alike(line, numbers):
            for shaded, narrow, words in _said(line, cells):
                rules.add(Rule(shaded, narrow, f"{words}the {number}s of {name}"))
    for rule in _marks.apart_and_connected(side):
        rules.add(rule)
    return rules


def _tallied(side: int, numbers: list[int]) -> _tallies.Tallies:
    """The same without names."""
    tallies = _tallies.Tallies(side**2)
    for _, line in _lines(side):
        for _, cells in _alike(line, numbers):
            for shaded, narrow, _ in _said(line, cells):
                tallies.add(shaded, narrow)
    board = tuple(range(side**2))
    tallies.add(board, None, _tallies.apart(side))
    tallies.add(board, None, _tallies.connected(side, _marks.CLEAR))
    return tallies


def _alike(line: list[int], numbers: list[int]) -> list[tuple[int, list[int]]]:
    """The numbers that stand in a line more than once, in order, and their cells."""
    alike: defaultdict[int, list[int]] = defaultdict(list)
    for place in line:
        alike[numbers[place]].append(place)
    return sorted((number, cells) for number, cells in alike.items() if len(cells) > 1)


def _said(line: list[int], cells: list[int]) -> Iterator[tuple[tuple[int, ...], Tally, str]]:
    """What equal numbers of a line say, each in words: all but one are shaded, or all."""
    many, step = len(cells), line[1] - line[0]
    # Of two that are neighbours one stays unshaded, and so does what lies between two.
    pair = next((cell for cell in cells if cell + step in cells), None)
    if pair is not None and many > 2:
        others = tuple(cell for cell in cells if cell not in (pair, pair + step))
        yield others, _marks.counted(many - 2, many), "a pair among "
    for cell in cells[:-1]:
        if cell + 2 * step in cells:
            yield (cell + step,), _marks.counted(0, 0), "between two of "
    yield tuple(cells), _marks.counted(many - 1, many), ""


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
