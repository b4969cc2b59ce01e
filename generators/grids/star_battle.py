"""Star Battle: put stars on a board, so many in each row, column and region, none touching another.

`generate` scatters the stars and lets regions grow around them, over cells that deduction shows can
hold none; `solve` proves by SAT that no other set of stars fits; `verify` counts the stars.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _marks, _realms, _tallies
from puzzlemill.generators.grids._deduction import Rule, Rules

Rows = tuple[str, ...]

PAIRS_FROM = 9  # the side from which there are two stars a row; smaller boards leave too few ways
TRIES = 5000  # rows tried while stars are scattered
SUPPOSITIONS = 200  # to show that a cell of a growing region with two stars holds none


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board


@dataclass(frozen=True, slots=True)
class Sky:
    stars: int  # in each row, column and region
    regions: tuple[tuple[int, ...], ...]  # the number of each cell's region, from 0


def generate(rng: Random, knobs: Knobs) -> Sky | None:
    side, each = knobs.side, 2 if knobs.side >= PAIRS_FROM else 1
    stars = _scattered(rng, side, each)
    if stars is None:
        return None
    if each == 1:
        regions = _realms.overgrown_singles(rng, _realms.cores(side, stars))
    else:
        regions = _around_pairs(rng, side, stars)
    return Sky(each, _realms.in_rows(regions, side)) if regions else None


def solve(sky: Sky) -> Rows | None:
    """SAT: a variable for each cell."""
    side = len(sky.regions)
    star = {cell: at for at, cell in enumerate(_cells.cells(side, side), 1)}
    regions: defaultdict[int, list[int]] = defaultdict(list)
    for cell, here in star.items():
        regions[sky.regions[cell[0]][cell[1]]].append(here)
    rows = [[star[row, column] for column in range(side)] for row in range(side)]
    bounds = [
        bound
        for group in (*rows, *map(list, zip(*rows)), *regions.values())
        for bound in _sat.just(sky.stars, group)
    ]
    # Of the cells of a block, each of which touches the others, one holds a star at most.
    bounds += [
        ([star[r, c] for r in (row, row + 1) for c in (column, column + 1)], 1)
        for row, column in _cells.cells(side - 1, side - 1)
    ]
    true = _sat.only_model([], star.values(), bounds=bounds)
    if true is None:
        return None
    return tuple(
        "".join("S" if star[row, column] in true else "." for column in range(side))
        for row in range(side)
    )


def verify(sky: Sky, rows: Rows) -> float:
    side = len(sky.regions)
    if len(rows) != side or any(len(row) != side or set(row) - set("S.") for row in rows):
        return 0.0
    stars = [(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == "S"]
    apart = all(
        max(abs(r - other_r), abs(c - other_c)) > 1
        for (r, c), (other_r, other_c) in combinations(stars, 2)
    )
    expected = sorted(list(range(side)) * sky.stars)
    return float(
        apart
        and sorted(r for r, _ in stars) == expected
        and sorted(c for _, c in stars) == expected
        and sorted(sky.regions[r][c] for r, c in stars) == expected
    )


def render(sky: Sky, style: Style) -> Prompt:
    side = len(sky.regions)
    picture = _cells.drawn([[_letter(number) for number in row] for row in sky.regions])
    star = "one star" if sky.stars == 1 else f"{sky.stars} stars"
    return Prompt(
        style.pick(
            f"Place stars in the cells of this {side}x{side} board. Cells with the same letter form"
            f" a region. Every row, every column and every region must hold exactly {star}, and no"
            " two stars may touch, not even at a corner (that is, no star may lie in one of the"
            f" eight cells around another).\n\n{picture}",
            f"Star Battle. The letters divide the board below into {side} regions:\n\n{picture}\n\n"
            f"Put exactly {star} into each region, in such a way that each of the {side} rows and"
            f" each of the {side} columns holds exactly {star} as well. Stars must not be next to"
            " each other: not side by side, not one above the other, not diagonally.",
            f"Here is a map of {side} rows and {side} columns; its regions are the groups of equal"
            f" letters.\n\n{picture}\n\nFind the only way to mark cells with stars so that there"
            f" {'is' if sky.stars == 1 else 'are'} exactly {star} in each row, in each column and"
            " in each region, while two marked cells never share a side or a corner.",
        ),
        form='the rows of the board, one line each: "S" for a star, "." for a cell without one',
    )


def steps(sky: Sky) -> list[str]:
    side = len(sky.regions)
    rules = _rules(side, sky.stars, [number for row in sky.regions for number in row])
    values = [_marks.OPEN] * side**2
    return _marks.worked(rules, values, _marks.telling(side, "no star", "star"))


def progress(sky: Sky, lines: Lines) -> float:
    return cells_filled(FAMILY, sky, lines, marks={"star": "S", "no star": "."})


def canon(sky: Sky) -> list[object]:
    """The least of the board's turns and reflections, its regions renumbered."""
    return [sky.stars, _cells.least_renumbered(_cells.turns(sky.regions))]


def hardness(sky: Sky) -> float:
    return float(len(sky.regions) * sky.stars)


def _letter(number: int) -> str:
    return chr(ord("A") + number)


def _scattered(rng: Random, side: int, each: int) -> list[int] | None:
    """Stars in every row and column that do not touch, row by row; their cells."""
    patterns = [
        columns
        for columns in combinations(range(side), each)
        if all(right - left > 1 for left, right in pairwise(columns))
    ]
    left = [each] * side  # stars that a column still lacks
    stars: list[int] = []
    tries = TRIES

    def place(row: int) -> bool:
        nonlocal tries
        if row == side:
            return True
        above = [star % side for star in stars[-each:]]
        for pattern in rng.sample(patterns, len(patterns)):
            tries -= 1
            if tries < 0:
                return False
            if all(left[column] for column in pattern) and not any(
                abs(column - other) <= 1 for column in pattern for other in above
            ):
                stars.extend(row * side + column for column in pattern)
                for column in pattern:
                    left[column] -= 1
                if place(row + 1):
                    return True
                del stars[-each:]
                for column in pattern:
                    left[column] += 1
        return False

    return stars if place(0) else None


def _around_pairs(rng: Random, side: int, stars: list[int]) -> list[int] | None:
    """Regions with two stars each."""
    cores = _realms.cores_of_pairs(rng, side, stars)
    if cores is None:
        return None
    solution = [_marks.MARKED if cell in stars else _marks.CLEAR for cell in range(side**2)]
    region = _marks.counted(2, 2)
    return _realms.overgrown(rng, cores, solution, _lines(side, 2), region, SUPPOSITIONS)


def _rules(side: int, each: int, owners: list[int]) -> Rules:
    regions: list[list[int]] = [[] for _ in range(side)]
    for cell, number in enumerate(owners):
        regions[number].append(cell)
    told = [_region(each, number, tuple(cells)) for number, cells in enumerate(regions)]
    return Rules(side**2, (*_lines(side, each), *told), marks=True)


def _region(each: int, number: int, cells: tuple[int, ...]) -> Rule:
    return Rule(cells, _marks.counted(each, each), f"region {_letter(number)}")


@cache
def _lines(side: int, each: int) -> tuple[Rule, ...]:
    """The rules of rows, columns and neighbours."""
    exactly, one = _marks.counted(each, each), _marks.counted(0, 1)
    apart = _tallies.apart(side, corners=True)
    rules = []
    for number in range(side):
        row = tuple(range(number * side, (number + 1) * side))
        rules.append(Rule(row, exactly, f"row {number + 1}"))
        rules.append(Rule(tuple(range(number, side**2, side)), exactly, f"column {number + 1}"))
    for row_, column in _cells.cells(side - 1, side - 1):
        corner = row_ * side + column
        block = (corner, corner + 1, corner + side, corner + side + 1)
        rules.append(Rule(block, one, f"the 2x2 block from {_marks.named(corner, side)}", apart))
    return tuple(rules)


LADDER = (Knobs(5), Knobs(7), Knobs(8), Knobs(9))
FAMILY = Family(
    Sky,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board("S."),
    hardness=hardness,
    proof="unique",
    solver="SAT over cells",
    guess_rate=0.13,  # 14 boards of stars on the easiest rung
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=True,
    skills=("deduction", "search"),
    peers=(
        "Enigmata/star_battle",
        "SynLogic/star_placement_puzzle",
        "InternBootcamp/starbattle",
        "RLVE/star_battle",
    ),
)
