"""Sum skyscrapers: fill a Latin square of heights so that clues tell the sum of the towers seen.

From the edge of the board a tower hides every lower one behind it. `generate` takes clues off a
square while deduction settles it, `solve` proves by SAT that one square is left, and `verify` walks
along every view and adds up.
"""

from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain, combinations
from math import log2
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.grid import in_rows
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _sat
from puzzlemill.generators.grids import _deduction, _latin, _skyline
from puzzlemill.generators.grids._latin import Square
from puzzlemill.generators.grids._skyline import Clues


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # the board is side x side
    shown: float  # share of the heights to show; more where deduction needs them
    clued: float  # share of the clues to start from
    suppositions: int  # how many may be needed beside deduction; without any, all clues stay


@dataclass(frozen=True, slots=True)
class City:
    side: int
    givens: Square  # 0 is a blank
    clues: Clues  # above the columns, below, left of the rows, right; 0 is none


def generate(rng: Random, knobs: Knobs) -> City:
    side = knobs.side
    givens, clues = _skyline.draw(
        rng, side, knobs.shown, knobs.clued, knobs.suppositions, _total, _narrowing
    )
    return City(side, in_rows(tuple(givens), side), in_rows(tuple(clues), side))


def solve(city: City) -> Square | None:
    """SAT: a literal for each height and view says whether it is seen; a clue lists the sets of
    heights that come to it."""
    circuit, views = _skyline.circuit(city.side)
    bounds = list[_sat.Bound]()
    for place, clue in enumerate(chain(*city.clues)):
        if clue == city.side:
            circuit.clauses.append(_skyline.highest_first(city.side, place))
        elif clue:
            seen, clauses, hidden = views[place]
            circuit.clauses += clauses
            bounds += hidden
            sets = _sets(city.side, clue)
            chosen = [circuit.variable(("set", place, heights)) for heights in sets]
            circuit.clauses.append(chosen)
            for choice, heights in zip(chosen, sets, strict=True):
                for height, literal in seen.items():
                    circuit.clauses.append([-choice, literal if height in heights else -literal])
    return _latin.only_square(city.side, city.givens, circuit.clauses, bounds)


def verify(city: City, rows: Square) -> float:
    if not _latin.is_latin(rows, city.side) or not _latin.keeps(city.givens, rows):
        return 0.0
    columns = tuple(zip(*rows))
    views = (
        *columns, *(column[::-1] for column in columns), *rows, *(row[::-1] for row in rows)
    )  # fmt: skip
    for clue, view in zip(chain(*city.clues), views, strict=True):
        seen = highest = 0
        for height in view:
            if height > highest:
                seen, highest = seen + height, height
        if clue and seen != clue:
            return 0.0
    return 1.0


def render(city: City, style: Style) -> Prompt:
    side = city.side
    start, order = _skyline.start(city.givens), _skyline.ORDER
    edges = _skyline.listed(city.clues, _skyline.EDGES)
    facing = _skyline.listed(city.clues, _skyline.FACING)
    return Prompt(
        style.pick(
            f"Solve this {side}x{side} sum skyscrapers puzzle. Put a tower of height 1 to {side}"
            " into every cell so that each row and each column holds every height from 1 to"
            f" {side} exactly once. A clue at the edge of the board is the sum of the heights of"
            " the towers that can be seen from there along its row or column: a tower is seen when"
            f" all the towers in front of it are lower. {order}\n\n{edges}\n\n{start}",
            f"A city has {side} rows and {side} columns of towers. No two towers in a row or in a"
            f" column are equally high, and all heights are from 1 to {side}. Someone who stands"
            " outside and looks along a row or a column sees a tower unless one nearer to them is"
            " higher. They added up the heights of the towers that they saw (for columns, the sums"
            ' go from left to right; for rows, from top to bottom; "-" means that nobody looked'
            f" there):\n\n{facing}\n\n{start}\n\nHow high is each tower?",
            f"Skyscrapers with sums, {side}x{side}. {start}\n\nClues:\n{edges}\n\n{order} Fill in"
            f" heights from 1 to {side}, each of them once in every row and once in every column."
            " Look from a clue straight across the board: higher towers hide the lower ones behind"
            " them, and the heights of those that stay visible add up to the clue. Heights that are"
            " given must not change.",
        ),
        form="the heights of the whole board, one row a line, separated by spaces",
    )


def steps(city: City) -> list[str]:
    rules = _skyline.rules(city.side, list(chain(*city.clues)), _narrowing)
    values = _latin.open_values(chain(*city.givens), city.side)
    return _deduction.worked(rules, values, _deduction.named(city.side))


def progress(city: City, lines: Lines) -> float:
    return cells_filled(FAMILY, city, lines, city.givens, 0)


def canon(city: City) -> list[object]:
    return _skyline.canon(city.givens, city.clues)


def hardness(city: City) -> float:
    """How much the heights leave open: the bits needed to note any height for every blank."""
    return sum(row.count(0) for row in city.givens) * log2(city.side)


def _total(heights: list[int]) -> int:
    return sum(set(accumulate(heights, max)))


@cache
def _narrowing(side: int, clue: int) -> _deduction.Narrow:
    return _skyline.narrowing(side, clue, tuple(range(side + 1)))


@cache
def _sets(side: int, total: int) -> tuple[tuple[int, ...], ...]:
    """The sets of heights with a total; the highest tower is always seen."""
    return tuple(
        (*lower, side)
        for size in range(side)
        for lower in combinations(range(1, side), size)
        if sum(lower) + side == total
    )


LADDER = (
    Knobs(4, 0.55, 0.7, 0),
    Knobs(4, 0.1, 0.6, 0),
    Knobs(5, 0.1, 0.6, 0),
    Knobs(6, 0.05, 0.7, 3),
    Knobs(7, 0.0, 0.7, 15),
)
FAMILY = Family(
    City,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Grid(digits=True),
    hardness=hardness,
    proof="unique",
    solver="SAT with a blocking clause",
    guess_rate=0.002,  # 576 squares on the easiest rung
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("deduction", "search", "arithmetic"),
    peers=("Enigmata/sum_skyscraper", "RLVE/skyscraper_sum_puzzle"),
    theme="skyscrapers",
)
