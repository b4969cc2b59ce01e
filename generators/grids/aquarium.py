"""Aquarium: fill tanks with water to some height each, so that the totals of the lines hold.

`generate` fills tanks and hides totals as long as deduction leads back to the same water; `solve`
proves by SAT that there is no other; `verify` looks at each tank's surface.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _marks
from puzzlemill.generators.grids._deduction import Narrow, Rule, Rules, Values
from puzzlemill.generators.grids._tallies import Marks, Tallies, Whole

Rows: TypeAlias = tuple[str, ...]
Totals: TypeAlias = tuple[int, ...]
Tanks: TypeAlias = tuple[tuple[int, ...], ...]
Line: TypeAlias = tuple[bool, int]  # whether it is a row, and which, from 0

HIDDEN = -1
FILLINGS = 10  # boards filled until one has a single solution


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board
    tanks: int  # how many there are
    totals: float  # share of the lines that keep their total, or more where each is needed
    suppositions: int  # how many may be needed beside deduction


@dataclass(frozen=True, slots=True)
class Aquarium:
    tanks: Tanks  # the number of each cell's tank, from 0
    across: Totals  # how many cells of each row hold water, from the top; -1 is hidden
    down: Totals  # how many of each column, from the left


def generate(rng: Random, knobs: Knobs) -> Aquarium | None:
    side = knobs.side
    lines = [(is_row, number) for is_row in (True, False) for number in range(side)]
    everything = ((1 << side**2) - 1,) * 2
    for _ in range(FILLINGS):
        tanks = _cells.regions(rng, side, side, knobs.tanks)
        water = _filled(rng, tanks)
        if not side <= len(water) <= side * (side - 1):
            continue  # an empty board, or nearly: totals of 0 leave nothing to find out
        full = {line: sum(cell[not line[0]] == line[1] for cell in water) for line in lines}

        tallies = _tallied(tanks, list(full.values()))
        bit_of = dict(zip(lines, tallies.bits[-len(lines) :]))  # those of the lines come last
        wet = sum(1 << row * side + column for row, column in water)
        right = wet, everything[0] & ~wet
        fewest = round(knobs.totals * len(lines))
        shown = _marks.thinned_rules(
            rng, tallies, everything, right, bit_of, fewest, knobs.suppositions
        )
        if shown is not None:
            totals = [full[line] if line in shown else HIDDEN for line in lines]
            return Aquarium(tanks, tuple(totals[:side]), tuple(totals[side:]))
    return None


def solve(aquarium: Aquarium) -> Rows | None:
    """SAT: a variable for each cell; a cell with water implies the next one of its tank, row by
    row, and in its own row the one before."""
    side = len(aquarium.tanks)
    water = {cell: at for at, cell in enumerate(_cells.cells(side, side), 1)}
    clauses, bounds = list[_sat.Clause](), list[_sat.Bound]()
    last: dict[int, _cells.Cell] = {}  # cell of each tank, so far
    for cell, here in water.items():
        tank = aquarium.tanks[cell[0]][cell[1]]
        if tank in last:
            clauses.append([-water[last[tank]], here])
            if last[tank][0] == cell[0]:
                clauses.append([-here, water[last[tank]]])
        last[tank] = cell
    for axis, totals in enumerate((aquarium.across, aquarium.down)):
        for number, total in enumerate(totals):
            if total != HIDDEN:
                line = [here for cell, here in water.items() if cell[axis] == number]
                bounds += _sat.just(total, line)
    true = _sat.only_model(clauses, water.values(), bounds=bounds)
    if true is None:
        return None
    return tuple(
        "".join("W" if water[row, column] in true else "." for column in range(side))
        for row in range(side)
    )


def verify(aquarium: Aquarium, rows: Rows) -> float:
    side = len(aquarium.tanks)
    if len(rows) != side or any(len(row) != side or set(row) - set("W.") for row in rows):
        return 0.0
    lines = [*zip(aquarium.across, rows), *zip(aquarium.down, map("".join, zip(*rows)))]
    if any(total not in (HIDDEN, line.count("W")) for total, line in lines):
        return 0.0
    for tank in range(max(map(max, aquarium.tanks)) + 1):
        inside = [(r, c) for r, c in _cells.cells(side, side) if aquarium.tanks[r][c] == tank]
        surface = min((r for r, c in inside if rows[r][c] == "W"), default=side)
        if any((rows[r][c] == "W") != (r >= surface) for r, c in inside):
            return 0.0
    return 1.0


def render(aquarium: Aquarium, style: Style) -> Prompt:
    side = len(aquarium.tanks)
    picture = _cells.drawn([[_letter(tank) for tank in row] for row in aquarium.tanks])
    across, down = (
        " ".join("?" if total == HIDDEN else str(total) for total in totals)
        for totals in (aquarium.across, aquarium.down)
    )
    unknown = HIDDEN in aquarium.across + aquarium.down
    return Prompt(
        style.pick(
            f"Aquarium. A board of {side}x{side} cells, seen from the side, is divided into tanks;"
            f" cells with the same letter belong to the same tank.\n\n{picture}\n\nEach tank is"
            " filled with water up to some level, from empty to full. The level is the same all"
            " over the tank: if a cell holds water, so do all cells of its tank in the same row and"
            " in all rows further down. Tanks do not depend on one another.\nCells with water in"
            f" each row, from top to bottom: {across}\nCells with water in each column, from left"
            f" to right: {down}\n"
            f"{'(? means that the number is not given.) ' if unknown else ''}Which cells hold"
            " water?",
            f"{picture}\n\nThe letters show {side} rows and {side} columns of cells, row 1 at the"
            " top; every letter is a tank of its own. Water is poured into the tanks (none, some or"
            " all of a tank). Within one tank, the cells of a row are either all wet or all dry,"
            " and below a wet row of the tank all its cells are wet as well. The numbers of wet"
            f" cells are, row by row from the top: {across}; and column by column from the left:"
            f" {down}.{' A question mark may stand for any number.' if unknown else ''} There is"
            " one solution; find it.",
            f"Decide how high the water stands in each tank of this board; its last row is at the"
            f" bottom. A tank is made of all cells with one letter.\n\n{picture}\n\nWet cells per"
            f" row (top row first): {across}\nWet cells per column (leftmost column first):"
            f" {down}\n\n"
            f"{'Where there is a ?, the number is for you to find. ' if unknown else ''}For each"
            " tank you choose a height: all its cells at this height or lower are wet, all higher"
            " ones are dry, even where parts of the tank are separated by other tanks. A tank may"
            " also stay dry or be filled to the top.",
        ),
        form='the rows of the board, one line each: "W" for a cell with water, "." for a cell'
        " without",
    )


def steps(aquarium: Aquarium) -> list[str]:
    shown = {
        (is_row, number): total
        for is_row, totals in ((True, aquarium.across), (False, aquarium.down))
        for number, total in enumerate(totals)
        if total != HIDDEN
    }
    values = [_marks.OPEN] * len(aquarium.tanks) ** 2
    said = _marks.telling(len(aquarium.tanks), "no water", "water")
    return _marks.worked(_rules(aquarium.tanks, shown), values, said)


def progress(aquarium: Aquarium, lines: Lines) -> float:
    return cells_filled(FAMILY, aquarium, lines, marks={"water": "W", "no water": "."})


def canon(aquarium: Aquarium) -> list[object]:
    """The lesser of the board and its mirror image, its tanks renumbered."""
    mirrored = [row[::-1] for row in aquarium.tanks]
    return min(
        [_cells.renumbered(tanks), aquarium.across, down]
        for tanks, down in (
            (aquarium.tanks, aquarium.down),
            (mirrored, aquarium.down[::-1]),
        )
    )


def hardness(aquarium: Aquarium) -> float:
    """Cells, and lines whose total is hidden."""
    side = len(aquarium.tanks)
    return float(side**2 + side * (aquarium.across + aquarium.down).count(HIDDEN))


def _letter(number: int) -> str:
    return chr(ord("A") + number)


def _filled(rng: Random, tanks: Tanks) -> list[_cells.Cell]:
    """The cells with water, where any level of a tank is as likely as any other."""
    rows: defaultdict[int, list[int]] = defaultdict(list)
    for row, line in enumerate(tanks):
        for tank in sorted(set(line)):
            rows[tank].append(row)
    surface = {tank: rng.choice([*wet, len(tanks)]) for tank, wet in sorted(rows.items())}
    return [
        (row, column)
        for row, column in _cells.cells(len(tanks), len(tanks))
        if row >= surface[tanks[row][column]]
    ]


def _rules(tanks: Tanks, totals: dict[Line, int]) -> Rules:
    side = len(tanks)
    rules = Rules(side**2, marks=True)
    tank_cells: defaultdict[int, list[_cells.Cell]] = defaultdict(list)
    for row, column in _cells.cells(side, side):
        tank_cells[tanks[row][column]].append((row, column))
    for tank, cells in tank_cells.items():
        inside = tuple(row * side + column for row, column in cells)
        rules.add(Rule(inside, _level(tuple(row for row, _ in cells)), f"tank {_letter(tank)}"))
    for (is_row, number), total in totals.items():
        if is_row:
            line = range(number * side, (number + 1) * side)
            rules.add(Rule(tuple(line), _layered(tanks[number], total), f"row {number + 1}"))
        else:
            line = range(number, side**2, side)
            rules.add(Rule(tuple(line), _marks.counted(total, total), f"column {number + 1}"))
    return rules


def _tallied(tanks: Tanks, totals: list[int]) -> Tallies:
    """The rules of the tanks and of the lines, all of whose totals are known, without names."""
    side = len(tanks)
    tank_cells: defaultdict[int, list[int]] = defaultdict(list)
    for cell, tank in enumerate(chain(*tanks)):
        tank_cells[tank].append(cell)
    tallies = Tallies(side**2)
    for cells in tank_cells.values():
        tallies.add(tuple(cells), None, _levelled(side, sum([1 << cell for cell in cells])))
    for number, (line, total) in enumerate(zip(tanks, totals)):
        row = tuple(range(number * side, (number + 1) * side))
        tallies.add(row, None, _summed(line, total, number))
    for number, total in enumerate(totals[side:]):
        tallies.add(tuple(range(number, side**2, side)), _marks.counted(total, total))
    return tallies


def _level(rows: tuple[int, ...]) -> Narrow:
    """Water fills a tank up to some row, and no higher; these are the rows of its cells."""

    def narrow(values: Values) -> Values | None:
        dry = max((row for row, value in zip(rows, values) if value == _marks.CLEAR), default=-1)
        wet = [row for row, value in zip(rows, values) if value == _marks.MARKED]
        if wet and min(wet) <= dry:
            return None
        return [
            _marks.CLEAR if row <= dry else _marks.MARKED if wet and row >= min(wet) else value
            for row, value in zip(rows, values)
        ]

    return narrow


@lru_cache(maxsize=1000)
def _layered(tanks: tuple[int, ...], total: int) -> Narrow:
    """So many cells of a row are wet, of these tanks: all cells of a tank, or none."""

    def narrow(values: Values) -> Values | None:
        missing = total - values.count(_marks.MARKED)
        widths: defaultdict[int, int] = defaultdict(int)
        for tank, value in zip(tanks, values):
            if value == _marks.OPEN:
                widths[tank] += 1
        if not widths:
            return None if missing else values
        can = {}  # what a tank's cells can be, by what the widths of the others add up to
        for left, width in widths.items():
            sums = _sums([other for tank, other in widths.items() if tank != left])
            dry = missing >= 0 and sums >> missing & 1
            wet = missing >= width and sums >> missing - width & 1
            can[left] = (_marks.CLEAR if dry else 0) | (_marks.MARKED if wet else 0)
        return [
            value & can[tank] if value == _marks.OPEN else value
            for tank, value in zip(tanks, values)
        ]

    return narrow


def _levelled(side: int, inside: int) -> Whole:
    """What `_level` says of a tank, whose cells and whose board are bits, row by row."""

    def whole(may: int, free: int) -> Marks | None:
        dry, wet = free & ~may & inside, may & ~free & inside
        if dry:  # down to the last row that has such a cell
            rows = (dry.bit_length() - 1) // side + 1
            may &= ~(inside & (1 << rows * side) - 1)
        if wet:  # from the first row on
            row = ((wet & -wet).bit_length() - 1) // side
            free &= ~(inside & -(1 << row * side))
        return None if inside & ~(may | free) else (may, free)

    return whole


def _summed(tanks: tuple[int, ...], total: int, row: int) -> Whole:
    """What `_layered` says of a row, as bits of a board."""
    start = row * len(tanks)
    parts: defaultdict[int, int] = defaultdict(int)
    for at, tank in enumerate(tanks):
        parts[tank] |= 1 << start + at
    layers, line = [*parts.values()], sum(parts.values())

    def whole(may: int, free: int) -> Marks | None:
        missing = total - (may & ~free & line).bit_count()
        open_ = may & free & line
        if not open_:
            return None if missing else (may, free)
        if missing < 0:
            return None
        left = [open_ & layer for layer in layers if open_ & layer]
        choices = _choices(tuple([layer.bit_count() for layer in left]), missing)
        if choices is None:
            return None
        for layer, (wet, dry) in zip(left, choices):
            if not wet:
                may ^= layer
            if not dry:
                free ^= layer
        return may, free

    return whole


@lru_cache(maxsize=1 << 12)
def _choices(widths: tuple[int, ...], missing: int) -> list[tuple[bool, bool]] | None:
    """Of layers so wide, some of which are so wide together, whether each can be one of these, and
    whether it can be none; None where no layers are."""
    found = []
    for at, width in enumerate(widths):
        sums = _sums([*widths[:at], *widths[at + 1 :]])
        wet = missing >= width and bool(sums >> missing - width & 1)
        found.append((wet, bool(sums >> missing & 1)))
        if not any(found[-1]):
            return None
    return found


def _sums(widths: list[int]) -> int:
    """A bit for each sum of some of them."""
    sums = 1
    for width in widths:
        sums |= sums << width
    return sums


LADDER = (
    Knobs(4, 4, 1.0, 0),
    Knobs(6, 9, 0.9, 0),
    Knobs(7, 12, 0.75, 4),
    Knobs(8, 15, 0.65, 8),
    Knobs(10, 22, 0.6, 20),
)
FAMILY = Family(
    Aquarium,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board("W."),
    hardness=hardness,
    proof="unique",
    solver="SAT over cells",
    guess_rate=0.04,
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=True,
    skills=("deduction", "search"),
    peers=("InternBootcamp/aquarium",),
    version=4,
)
