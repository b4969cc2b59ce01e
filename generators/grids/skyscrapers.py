"""Skyscrapers: fill a Latin square of heights so that clues tell how many towers are seen.

From the edge of the board a tower hides every lower one behind it. `generate` takes clues off a
square while deduction settles it, `solve` proves by SAT that one square is left, and `verify` walks
along every view and counts. Some boards have one clue changed so that no square is left; that is
proved by SAT and by exhaustion of what deduction leaves open.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, chain
from math import log2
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.answers.grid import in_rows
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _sat
from puzzlemill.generators.grids import _deduction, _latin, _skyline
from puzzlemill.generators.grids._latin import Square
from puzzlemill.generators.grids._skyline import Clues

Answer: TypeAlias = Square | Impossible


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # the board is side x side
    shown: float  # share of the heights to show; more where deduction needs them
    clued: float  # share of the clues to start from
    suppositions: int  # how many may be needed beside deduction; without any, all clues stay
    impossible: float  # share of boards that no square fits


@dataclass(frozen=True, slots=True)
class City:
    side: int
    givens: Square  # 0 is a blank
    clues: Clues  # above the columns, below, left of the rows, right; 0 is none


def generate(rng: Random, knobs: Knobs) -> City | None:
    side = knobs.side
    feasible = rng.random() >= knobs.impossible
    givens, clues = _skyline.draw(
        rng, side, knobs.shown, knobs.clued, knobs.suppositions, _count, _narrowing
    )
    if not feasible and not _spoil(rng, side, givens, clues, PATIENCE + knobs.suppositions):
        return None
    return City(side, in_rows(tuple(givens), side), in_rows(tuple(clues), side))


def solve(city: City) -> Answer | None:
    """SAT: a literal for each height and view says whether it is seen, and a bound counts them; of
    one or two it takes no such literals."""
    circuit, views = _skyline.circuit(city.side)
    bounds = list[_sat.Bound]()
    for place, clue in enumerate(chain(*city.clues)):
        if clue == 1:
            circuit.clauses.append(_skyline.highest_first(city.side, place))
        elif clue == 2:
            circuit.clauses += _two_seen(city.side, place)
        elif clue:
            seen, clauses, hidden = views[place]
            circuit.clauses += clauses
            bounds += [*hidden, *_sat.just(clue, list(seen.values()))]
    square = _latin.only_square(city.side, city.givens, circuit.clauses, bounds)
    if square is None and not _latin.any_square(city.side, city.givens, circuit.clauses, bounds):
        return IMPOSSIBLE
    return square


@cache
def _two_seen(side: int, place: int) -> Sequence[_sat.Clause]:
    """The first tower is not the highest, and each that is higher than it stands behind that."""
    first, *others = _skyline.views(side)[place]
    clauses = [[-_latin.variable(side, first, side)]]
    for at, cell in enumerate(others[:-1]):  # the last stands behind the highest in any case
        highest = [_latin.variable(side, nearer, side) for nearer in others[:at]]
        for height in range(2, side):
            hidden = [_latin.variable(side, first, more) for more in range(height + 1, side)]
            clauses.append([-_latin.variable(side, cell, height), *hidden, *highest])
    return clauses


def verify(city: City, rows: Answer) -> float:
    if isinstance(rows, Impossible):
        return float(not _can_be_filled(city))
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
                seen, highest = seen + 1, height
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
            f"Solve this {side}x{side} skyscrapers puzzle. Put a tower of height 1 to {side} into"
            f" every cell so that each row and each column holds every height from 1 to {side}"
            " exactly once. A clue at the edge of the board says how many towers can be seen from"
            " there along its row or column: a tower is seen when all the towers in front of it"
            f" are lower. {order} There may be no solution.\n\n{edges}\n\n{start}",
            f"A city has {side} rows and {side} columns of towers. No two towers in a row or in a"
            f" column are equally high, and all heights are from 1 to {side}. Someone who stands"
            " outside and looks along a row or a column sees a tower unless one nearer to them is"
            " higher. They counted the towers that they saw (for columns, the counts go from left"
            ' to right; for rows, from top to bottom; "-" means that nobody counted'
            f" there):\n\n{facing}\n\n{start}\n\nHow high is each tower? Or can"
            " these counts not be right?",
            f"Skyscrapers, {side}x{side}. {start}\n\nClues:\n{edges}\n\n{order} Fill in heights"
            f" from 1 to {side}, each of them once in every row and once in every column. A clue is"
            " the number of towers visible from its place when one looks from the edge straight"
            " across the board, where higher towers hide the lower ones behind them. Heights that"
            " are given must not change. It may be that no board fits.",
        ),
        form="the heights of the whole board, one row a line, separated by spaces, or the word"
        ' "impossible" if there is no such board',
    )


def steps(city: City) -> list[str]:
    rules = _skyline.rules(city.side, list(chain(*city.clues)), _narrowing)
    values = _latin.open_values(chain(*city.givens), city.side)
    lines = _deduction.worked(rules, values, _deduction.named(city.side))
    return lines if _can_be_filled(city) else [*lines, "no height is left for a cell: impossible"]


def progress(city: City, lines: Lines) -> float:
    return cells_filled(FAMILY, city, lines, city.givens, 0)


def canon(city: City) -> list[object]:
    return _skyline.canon(city.givens, city.clues)


def hardness(city: City) -> float:
    """How much the heights leave open: the bits needed to note any height for every blank."""
    return sum(row.count(0) for row in city.givens) * log2(city.side)


def _count(heights: list[int]) -> int:
    return len(set(accumulate(heights, max)))


def _spoil(rng: Random, side: int, givens: list[int], clues: list[int], suppositions: int) -> bool:
    """Change a clue so that nothing fits, which deduction shows, but no line shows by itself."""
    values = _latin.open_values(givens, side)
    for place in rng.sample(range(4 * side), 4 * side):
        right = clues[place]
        for clue in rng.sample(range(1, side + 1), side) if right else ():
            clues[place] = clue
            facing = clues[(place // side ^ 1) * side + place % side]
            line = [values[cell] for cell in _skyline.views(side)[place]]
            alone = _narrowing(side, clue)(line) is None
            if clue == right or alone or clue + facing > side + 1 or clue == facing == 1:
                continue
            rules = _skyline.rules(side, clues, _narrowing)
            if rules.completions(values, suppositions) == 0:
                return True
        clues[place] = right
    return False


@lru_cache(maxsize=64)
def _can_be_filled(city: City) -> bool:
    """By deduction and, where it says no more, by every height for the tightest cell."""
    rules = _skyline.rules(city.side, list(chain(*city.clues)), _narrowing)
    return rules.completions(_latin.open_values(chain(*city.givens), city.side), None) != 0


@cache
def _narrowing(side: int, clue: int) -> _deduction.Narrow:
    return _skyline.narrowing(side, clue, (1,) * (side + 1))


PATIENCE = 8  # suppositions more that a contradiction may take

LADDER = (
    Knobs(4, 0.55, 0.8, 0, 0.0),
    Knobs(4, 0.1, 0.7, 0, 0.15),
    Knobs(5, 0.1, 0.7, 0, 0.15),
    Knobs(6, 0.05, 0.8, 2, 0.2),
    Knobs(7, 0.0, 0.8, 10, 0.2),
)
FAMILY = Family(
    City,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.Grid(digits=True)),
    hardness=hardness,
    proof="unique",
    solver="SAT with a blocking clause",
    guess_rate=0.2,  # that there is no such board
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=True,
    skills=("deduction", "search"),
    peers=(
        "Enigmata/skyscraper",
        "SynLogic/skyscraper_puzzle",
        "InternBootcamp/skyscrapers",
        "RLVE/skyscraper_puzzle",
    ),
    theme="skyscrapers",
    version=2,
)
