"""Dominosa: find how the dominoes of a full set lie on a board that shows only their numbers.

`generate` lays the set out and exchanges dominoes until deduction, with some suppositions, leads
back to it; `solve` proves by SAT that it can lie in one way; `verify` looks for each half's other
half.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations_with_replacement
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _marks
from puzzlemill.generators.grids._deduction import Rule, Rules

Rows: TypeAlias = tuple[str, ...]
Domino: TypeAlias = tuple[_cells.Cell, _cells.Cell]  # the upper or left half first

SLIPS = 24
EXCHANGES = 150  # of two dominoes, before a layout is given up
TRIES = 100  # suppositions in a search for a second solution


@dataclass(frozen=True, slots=True)
class Knobs:
    pips: int  # the set holds each pair of numbers from 0 to this


@dataclass(frozen=True, slots=True)
class Table:
    numbers: tuple[tuple[int, ...], ...]


def generate(rng: Random, knobs: Knobs) -> Table | None:
    rows, columns = knobs.pips + 1, knobs.pips + 2
    tiles = _tiled(rng, rows, columns)
    if tiles is None:
        return None
    numbers = {tile: number for number, tile in enumerate(_tiles(rows, columns))}
    right = sum([1 << numbers[tile] for tile in tiles])
    pairs = [
        rng.choice([pair, pair[::-1]])
        for pair in combinations_with_replacement(range(knobs.pips + 1), 2)
    ]
    rng.shuffle(pairs)
    for _ in range(EXCHANGES):
        table = _table(rows, columns, tiles, pairs)
        sure = _rival(table, right)
        if sure is None:
            return table
        gone = [at for at, tile in enumerate(tiles) if not sure >> numbers[tile] & 1]
        one = rng.choice(gone)
        other = rng.randrange(len(tiles))
        pairs[one], pairs[other] = pairs[other], pairs[one][::-1]
    return None


def solve(table: Table) -> Rows | None:
    """SAT: a variable for each place where a domino could lie."""
    rows, columns = len(table.numbers), len(table.numbers[0])
    places = {tile: at for at, tile in enumerate(_tiles(rows, columns), 1)}
    covers: defaultdict[object, list[int]] = defaultdict(list)
    for tile, literal in places.items():
        for need in (*tile, frozenset(_pair(table, tile))):
            covers[need].append(literal)
    if len(covers) < rows * columns * 3 // 2:
        return None  # a pair that is nowhere
    bounds = [(literals, 1) for literals in covers.values()]
    true = _sat.only_model(covers.values(), places.values(), bounds=bounds)
    if true is None:
        return None
    return _lettered(rows, columns, [tile for tile, literal in places.items() if literal in true])


def verify(table: Table, rows: Rows) -> float:
    down, across = len(table.numbers), len(table.numbers[0])
    if len(rows) != down or any(len(row) != across for row in rows):
        return 0.0
    way = {"U": (-1, 0, "D"), "D": (1, 0, "U"), "L": (0, -1, "R"), "R": (0, 1, "L")}
    halves: defaultdict[tuple[int, int], int] = defaultdict(int)
    for row, column in _cells.cells(down, across):
        if rows[row][column] not in way:
            return 0.0
        step, aside, back = way[rows[row][column]]
        r, c = row + step, column + aside
        if not (0 <= r < down and 0 <= c < across) or rows[r][c] != back:
            return 0.0
        here, there = table.numbers[row][column], table.numbers[r][c]
        halves[min(here, there), max(here, there)] += 1
    return float(len(halves) == down * across // 2 and set(halves.values()) == {2})


def render(table: Table, style: Style) -> Prompt:
    rows, columns = len(table.numbers), len(table.numbers[0])
    top, many = rows - 1, rows * columns // 2
    picture = _cells.drawn(table.numbers)
    return Prompt(
        style.pick(
            f"A full set of dominoes with the numbers 0 to {top}, {many} dominoes in all, one for"
            f" each pair of numbers (doubles such as {top}-{top} among them), was laid out to fill"
            f" a rectangle of {rows} rows and {columns} columns. Only the numbers can be seen, not"
            f" where one domino ends and the next begins:\n\n{picture}\n\nEach domino covers two"
            " cells that share a side. Find out how the dominoes lie.",
            f"Dominosa.\n\n{picture}\n\nDivide this board into dominoes, that is, into pairs of"
            " cells next to each other in a row or in a column, so that every cell belongs to one"
            f" pair. Each combination of two numbers from 0 to {top}, equal or different, must"
            f" occur on exactly one of the {many} dominoes; which number comes first does not"
            " matter.",
            f"{picture}\n\nThese {rows} by {columns} numbers are the halves of {many} dominoes."
            " No two of the dominoes are alike (1-0 and 0-1 are alike): every pair that can be"
            f" made of the numbers from 0 to {top}, doubles included, is there once. The two halves"
            " of a domino are side by side, or one above the other. There is only one way to draw"
            " the dominoes in; for each number, say where the other half of its domino is.",
        ),
        form=f"{rows} lines of {columns} letters, one letter for each cell: U, R, D or L if the"
        " other half of its domino lies above (up), to the right, below (down) or to the left",
    )


def slips(rng: Random, table: Table, gold: Rows) -> Iterator[Rows]:
    """Other ways to lay dominoes on the board, by which some pair is missing."""
    rows, columns = len(gold), len(gold[0])
    for _ in range(SLIPS):
        if tiles := _tiled(rng, rows, columns):
            yield _lettered(rows, columns, tiles)


def steps(table: Table) -> list[str]:
    tiles = _tiles(len(table.numbers), len(table.numbers[0]))
    names = [
        f"({row + 1}, {column + 1})-({down + 1}, {right + 1})"
        for (row, column), (down, right) in tiles
    ]
    said = _marks.telling_by(names.__getitem__, "none", "a domino")
    return _marks.worked(_rules(table), [_marks.OPEN] * len(tiles), said)


def progress(table: Table, lines: Lines) -> float:
    return cells_filled(FAMILY, table, lines)


def canon(table: Table) -> _cells.Board[int]:
    """The least of the table's turns and reflections, its numbers renumbered as they appear."""
    return min(_cells.renumbered(turn) for turn in _cells.turns(table.numbers))


def hardness(table: Table) -> float:
    """Places where a domino could lie of which another could lie elsewhere."""
    places: defaultdict[frozenset[int], int] = defaultdict(int)
    for tile in _tiles(len(table.numbers), len(table.numbers[0])):
        places[frozenset(_pair(table, tile))] += 1
    return float(sum(many for many in places.values() if many > 1))


@lru_cache(maxsize=8)
def _tiles(rows: int, columns: int) -> tuple[Domino, ...]:
    return tuple(
        ((row, column), other)
        for row, column in _cells.cells(rows, columns)
        for other in ((row, column + 1), (row + 1, column))
        if other[0] < rows and other[1] < columns
    )


def _pair(table: Table, tile: Domino) -> tuple[int, int]:
    (row, column), (down, right) = tile
    return table.numbers[row][column], table.numbers[down][right]


def _tiled(rng: Random, rows: int, columns: int) -> list[Domino] | None:
    """A board cut into dominoes by chance: the cell with fewest free neighbours comes next."""
    free = {  # in order
        cell: _cells.beside(cell, rows, columns) for cell in _cells.cells(rows, columns)
    }
    tiles = []
    while free:
        fewest = min(map(len, free.values()))
        if not fewest:
            return None
        cell = rng.choice([cell for cell, others in free.items() if len(others) == fewest])
        other = rng.choice(free[cell])
        tiles.append((min(cell, other), max(cell, other)))
        for half in (cell, other):
            for beside in free.pop(half):
                if beside in free:
                    free[beside].remove(half)
    return tiles


def _lettered(rows: int, columns: int, tiles: list[Domino]) -> Rows:
    signs = {}
    for (row, column), other in tiles:
        signs[row, column], signs[other] = "RL" if row == other[0] else "DU"
    return tuple("".join(signs[row, column] for column in range(columns)) for row in range(rows))


def _table(rows: int, columns: int, tiles: list[Domino], pairs: list[tuple[int, int]]) -> Table:
    numbers = [[0] * columns for _ in range(rows)]
    for tile, pair in zip(tiles, pairs, strict=True):
        for (row, column), number in zip(tile, pair, strict=True):
            numbers[row][column] = number
    return Table(tuple(map(tuple, numbers)))


def _rules(table: Table) -> Rules:
    """One domino of the places for each pair, and of those that cover a cell."""
    rows, columns = len(table.numbers), len(table.numbers[0])
    pairs = _by_pair(table)
    needs = [(f"the domino {low}-{high}", pairs[low, high]) for low, high in sorted(pairs)]
    needs += [
        (f"row {row + 1} column {column + 1}", places)
        for (row, column), places in _by_cell(rows, columns).items()
    ]
    one = _marks.counted(1, 1)
    rules = [Rule(tuple(places), one, name) for name, places in needs]
    return Rules(len(_tiles(rows, columns)), rules, marks=True)


def _rival(table: Table, right: int) -> int | None:
    """The places of dominoes, as bits, in a second solution beside the right one; None where there
    is none; where the tries run out, one that is not complete."""
    rows, columns = len(table.numbers), len(table.numbers[0])
    covering, cells = _covering(rows, columns)
    flat = list(chain(*table.numbers))
    # The places that show a pair of numbers, which are found in either order.
    showing = [0] * (rows * rows)
    codes = []
    for place, (one, other) in enumerate(cells):
        low, high = flat[one], flat[other]
        codes.append(low * rows + high if low < high else high * rows + low)
        showing[codes[-1]] |= 1 << place
    # Of the places in each group one has a domino; a domino rules out the others of its groups.
    groups = [
        (covering[one], covering[other], showing[code])
        for (one, other), code in zip(cells, codes, strict=True)
    ]
    everything, tries = (1 << len(cells)) - 1, TRIES
    # A cell has two places or more, so at first only a pair with one place says something.
    alone = sum([places for places in showing if not places & (places - 1)])
    waiting = [(everything, 0, alone)]
    while waiting:
        narrowed = _narrowed(groups, *waiting.pop())
        if narrowed is None:
            continue
        may, sure = narrowed
        open_ = may ^ sure
        if not open_:
            if sure != right:
                return sure
            continue
        tries -= 1
        if tries < 0:
            return sure
        bit = open_ & -open_
        out = _ruled_out(groups, bit) & may
        there, gone = (may ^ out, sure | bit, out), (may ^ bit, sure, bit)
        # What is not as in the right solution comes last here, and so is looked at first.
        waiting += (there, gone) if right & bit else (gone, there)
    return None


def _narrowed(
    groups: Sequence[tuple[int, int, int]], may: int, sure: int, fresh: int
) -> tuple[int, int] | None:
    """The places that may have a domino and those that surely do, as bits, after the groups of the
    fresh places and all that follows; None at a contradiction."""
    while fresh:
        low = fresh & -fresh
        fresh ^= low
        for group in groups[low.bit_length() - 1]:
            here = may & group
            if here & (here - 1) or here & sure:
                continue
            if not here:
                return None
            sure |= here
            out = _ruled_out(groups, here) & may
            if out & sure:
                return None
            may ^= out
            fresh |= out
    return may, sure


def _ruled_out(groups: Sequence[tuple[int, int, int]], bit: int) -> int:
    one, other, pair = groups[bit.bit_length() - 1]
    return (one | other | pair) & ~bit


@lru_cache(maxsize=8)
def _covering(rows: int, columns: int) -> tuple[list[int], list[tuple[int, int]]]:
    """The places that cover each cell, as bits, and the two cells of each place."""
    covering = [0] * (rows * columns)
    cells = [
        (row * columns + column, down * columns + right)
        for (row, column), (down, right) in _tiles(rows, columns)
    ]
    for place, both in enumerate(cells):
        for cell in both:
            covering[cell] |= 1 << place
    return covering, cells


def _by_cell(rows: int, columns: int) -> dict[_cells.Cell, list[int]]:
    """The places of dominoes that cover each cell."""
    cells: defaultdict[_cells.Cell, list[int]] = defaultdict(list)
    for place, tile in enumerate(_tiles(rows, columns)):
        for cell in tile:
            cells[cell].append(place)
    return cells


def _by_pair(table: Table) -> dict[tuple[int, int], list[int]]:
    """The places that show each pair of numbers, the lesser first."""
    pairs: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for place, tile in enumerate(_tiles(len(table.numbers), len(table.numbers[0]))):
        one, two = _pair(table, tile)
        pairs[(one, two) if one < two else (two, one)].append(place)
    return pairs


LADDER = (Knobs(2), Knobs(3), Knobs(4), Knobs(6), Knobs(8))
FAMILY = Family(
    Table,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board("URDL"),
    hardness=hardness,
    proof="unique",
    solver="SAT over the places of the dominoes",
    guess_rate=0.15,  # 11 tilings on the easiest rung
    steps=steps,
    progress=progress,
    canon=canon,
    slips=slips,
    slips_version=2,
    redraws=True,
    skills=("logic", "search"),
    peers=("InternBootcamp/dominosa",),
)
