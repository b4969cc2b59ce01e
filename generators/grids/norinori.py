"""Norinori: shade two cells in each region so that the shaded cells pair off into dominoes.

`generate` lays the dominoes and lets regions grow around pairs of their cells, over cells that
deduction shows cannot be shaded; `solve` proves by SAT that no other shading fits; `verify` counts
partners.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _marks, _realms, _tallies
from puzzlemill.generators.grids._deduction import Rule, Rules

Rows = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board


@dataclass(frozen=True, slots=True)
class Map:
    regions: tuple[tuple[int, ...], ...]  # the number of each cell's region, from 0


def generate(rng: Random, knobs: Knobs) -> Map | None:
    side = knobs.side
    shaded = _laid(rng, side)
    cores = _realms.cores_of_pairs(rng, side, sorted(shaded))
    if cores is None:
        return None
    solution = [_marks.MARKED if cell in shaded else _marks.CLEAR for cell in range(side**2)]
    regions = _realms.overgrown(rng, cores, solution, _partners(side), _marks.counted(2, 2))
    return Map(_realms.in_rows(regions, side)) if regions else None


def solve(map_: Map) -> Rows | None:
    """SAT: a variable for each cell."""
    side = len(map_.regions)
    shaded = {cell: at for at, cell in enumerate(_cells.cells(side, side), 1)}
    regions: defaultdict[int, list[int]] = defaultdict(list)
    clauses = []
    for cell, here in shaded.items():
        regions[map_.regions[cell[0]][cell[1]]].append(here)
        near = [shaded[other] for other in _cells.beside(cell, side, side)]
        clauses.append([-here, *near])
        clauses += [[-here, -one, -other] for one, other in combinations(near, 2)]
    bounds = [bound for region in regions.values() for bound in _sat.just(2, region)]
    true = _sat.only_model(clauses, shaded.values(), bounds=bounds)
    if true is None:
        return None
    return tuple(
        "".join("#" if shaded[row, column] in true else "." for column in range(side))
        for row in range(side)
    )


def verify(map_: Map, rows: Rows) -> float:
    side = len(map_.regions)
    if len(rows) != side or any(len(row) != side or set(row) - set("#.") for row in rows):
        return 0.0
    shaded = {(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == "#"}
    partners = [
        sum((r + down, c + right) in shaded for down, right in _cells.SIDES) for r, c in shaded
    ]
    inside = sorted(map_.regions[r][c] for r, c in shaded)
    twice = sorted([*range(max(map(max, map_.regions)) + 1)] * 2)
    return float(inside == twice and all(partner == 1 for partner in partners))


def render(map_: Map, style: Style) -> Prompt:
    side = len(map_.regions)
    picture = _cells.drawn([[_letter(number) for number in row] for row in map_.regions])
    return Prompt(
        style.pick(
            f"Norinori: the letters divide this {side}x{side} board into regions, one for each"
            f" letter.\n\n{picture}\n\nShade exactly two cells in every region. The shaded cells"
            " must form dominoes: each shaded cell shares a side with exactly one other shaded"
            " cell. The two cells of a domino may belong to the same region or to two regions;"
            " dominoes may meet at a corner, but not along a side.",
            f"Colour some cells of this board black. Cells with the same letter belong to one"
            f" region.\n\n{picture}\n\nTwo rules hold: (1) each region has exactly two black cells;"
            " (2) among the cells directly above, below, left and right of a black cell, exactly"
            " one is black, whichever region it is in. There is only one way to do it.",
            f"The board below has {side} rows and {side} columns, and equal letters mark the cells"
            " of one region. Lay dominoes on it, each of which covers two cells that share a side"
            " (they may lie in different regions). No two dominoes may touch along a side, though"
            " they may touch at a corner, and exactly two cells of every region must be covered."
            f" Find the cells that are covered.\n\n{picture}",
        ),
        form=style.pick(
            'the rows of the board, one line each: "#" for a shaded cell, "." for any other',
            'the rows of the board, one line each: "#" for a black cell, "." for any other',
            'the rows of the board, one line each: "#" for a covered cell, "." for any other',
        ),
    )


def steps(map_: Map) -> list[str]:
    side = len(map_.regions)
    rules = _rules(side, [number for row in map_.regions for number in row])
    values = [_marks.OPEN] * side**2
    return _marks.worked(rules, values, _marks.telling(side, "not shaded", "shaded"))


def progress(map_: Map, lines: Lines) -> float:
    return cells_filled(FAMILY, map_, lines, marks={"shaded": "#", "not shaded": "."})


def canon(map_: Map) -> _cells.Board[int]:
    """The least of the board's turns and reflections, its regions renumbered."""
    return _cells.least_renumbered(_cells.turns(map_.regions))


def hardness(map_: Map) -> float:
    """The number of cells."""
    return float(len(map_.regions) ** 2)


def _letter(number: int) -> str:
    return chr(ord("A") + number)


def _laid(rng: Random, side: int) -> set[int]:
    """Dominoes that share no side, as many as find room one after the other; their cells."""
    dominoes = [
        (cell, other)
        for cell in range(side**2)
        for other in _realms.near(side)[cell]
        if cell < other
    ]
    shaded: set[int] = set()
    for domino in rng.sample(dominoes, len(dominoes)):
        around = {near for cell in domino for near in _realms.near(side)[cell]}
        if not shaded & around:
            shaded.update(domino)
    return shaded


def _rules(side: int, owners: list[int]) -> Rules:
    regions: list[list[int]] = [[] for _ in range(max(owners) + 1)]
    for cell, number in enumerate(owners):
        regions[number].append(cell)
    told = [_twice(number, tuple(cells)) for number, cells in enumerate(regions)]
    return Rules(side**2, (*told, *_partners(side)), marks=True)


def _twice(number: int, cells: tuple[int, ...]) -> Rule:
    return Rule(cells, _marks.counted(2, 2), f"region {_letter(number)}")


@cache
def _partners(side: int) -> tuple[Rule, ...]:
    return tuple(
        Rule(
            (cell, *_realms.near(side)[cell]),
            _marks.counted_if(1, 1),
            f"a partner for {_marks.named(cell, side)}",
            _tallies.paired(side),
        )
        for cell in range(side**2)
    )


LADDER = (Knobs(4), Knobs(6), Knobs(7), Knobs(8), Knobs(10))
FAMILY = Family(
    Map,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board("#."),
    hardness=hardness,
    proof="unique",
    solver="SAT over cells",
    guess_rate=0.08,  # some twenty shadings on the easiest rung
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=True,
    skills=("deduction", "search"),
    peers=("SynLogic/norinori", "InternBootcamp/norinori"),
    version=2,
)
