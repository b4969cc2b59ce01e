"""Tents: pitch a tent beside each tree so that no two touch and the totals of the lines hold.

`generate` pitches tents, plants trees beside them and hides totals as long as deduction leads back
to the tents; `solve` proves by SAT over pairs of tree and tent that they can stand nowhere else;
`verify` pairs the answer's tents with trees in whatever way goes.
"""

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations, count
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _marks
from puzzlemill.generators.grids._deduction import Narrow, Rule, Rules, Values

Rows: TypeAlias = tuple[str, ...]
Totals: TypeAlias = tuple[int, ...]
Line: TypeAlias = tuple[bool, int]  # whether it is a row, and which, from 0

HIDDEN = -1
PLANTINGS = 10  # boards planted until one has a single solution
SIDES = ("above", "to the right of", "below", "to the left of")  # in the order of _cells.SIDES


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board
    trees: float  # for each cell
    totals: float  # share of the lines that keep their total, or more where each is needed
    suppositions: int  # how many may be needed beside deduction


@dataclass(frozen=True, slots=True)
class Camp:
    rows: Rows  # "T" is a tree, "." a cell without
    across: Totals  # how many tents each row holds, from the top; -1 is hidden
    down: Totals  # how many each column holds, from the left


def generate(rng: Random, knobs: Knobs) -> Camp | None:
    side = knobs.side
    lines = [(is_row, number) for is_row in (True, False) for number in range(side)]
    for _ in range(PLANTINGS):
        tents, trees = _planted(rng, side, round(knobs.trees * side**2))
        full = dict.fromkeys(lines, 0)
        for row, column in tents:
            full[True, row] += 1
            full[False, column] += 1
        rules = _rules(trees, full)
        first = len(rules.rules) - len(lines)  # the number of the first line's rule
        rule_of = dict(zip(lines, range(first, len(rules.rules))))
        start = _sides(side, trees)

        def settles(
            shown: list[Line],
            rules: Rules = rules,
            first: int = first,
            rule_of: dict[Line, int] = rule_of,
            start: Values = start,
        ) -> bool:
            kept = [*range(first), *map(rule_of.__getitem__, shown)]
            only = None if len(kept) == len(rules.rules) else kept
            return rules.settles(start, knobs.suppositions, only)

        shown = _marks.thinned(rng, lines, round(knobs.totals * len(lines)), settles)
        if shown is not None:
            rows = [
                "".join("T" if (row, column) in trees else "." for column in range(side))
                for row in range(side)
            ]
            totals = [full[line] if line in shown else HIDDEN for line in lines]
            return Camp(tuple(rows), tuple(totals[:side]), tuple(totals[side:]))
    return None


def solve(camp: Camp) -> Rows | None:
    """SAT: a variable for each cell that could hold a tent, and for each tree it could have."""
    side = len(camp.rows)
    sites = defaultdict[_cells.Cell, list[int]](list)  # the pairs of each
    variables = count(1)
    clauses, bounds = list[_sat.Clause](), list[_sat.Bound]()
    for tree in _cells.cells(side, side):
        if _is_tree(camp, tree):
            pairs = []
            for site in _cells.beside(tree, side, side):
                if not _is_tree(camp, site):
                    pairs.append(next(variables))
                    sites[site].append(pairs[-1])
            clauses.append(pairs)
            bounds.append((pairs, 1))
    tent = {site: next(variables) for site in sites}
    lines = defaultdict[tuple[int, int], list[int]](list)
    for cell, here in tent.items():
        clauses += [[-owner, here] for owner in sites[cell]]
        clauses.append([-here, *sites[cell]])
        bounds.append((sites[cell], 1))
        for axis, number in enumerate(cell):
            lines[axis, number].append(here)
    for block in _blocks(side):
        near = [tent[cell] for cell in block if cell in tent]
        bounds.append((near, 1))  # each cell touches the others
    for axis, totals in enumerate((camp.across, camp.down)):
        for number, total in enumerate(totals):
            if total != HIDDEN:
                bounds += _sat.just(total, lines[axis, number])
    telling = [bound for bound in bounds if len(bound[0]) > bound[1]]
    true = _sat.only_model(clauses, tent.values(), bounds=telling)
    if true is None:
        return None
    return tuple(
        "".join(
            "A" if tent.get((row, column)) in true else sign for column, sign in enumerate(line)
        )
        for row, line in enumerate(camp.rows)
    )


@cache
def _blocks(side: int) -> list[list[_cells.Cell]]:
    """The cells of each 2x2 block."""
    return [
        [(r, c) for r in (row, row + 1) for c in (column, column + 1)]
        for row, column in _cells.cells(side - 1, side - 1)
    ]


def verify(camp: Camp, rows: Rows) -> float:
    side = len(camp.rows)
    if len(rows) != side or "".join(rows).replace("A", ".") != "".join(camp.rows):
        return 0.0
    if any(len(row) != side for row in rows):
        return 0.0
    tents = [(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == "A"]
    for (row, column), (other_row, other_column) in combinations(tents, 2):
        if abs(row - other_row) <= 1 and abs(column - other_column) <= 1:
            return 0.0
    lines = [*zip(camp.across, rows), *zip(camp.down, map("".join, zip(*rows)))]
    if any(total not in (HIDDEN, line.count("A")) for total, line in lines):
        return 0.0
    trees = [(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == "T"]
    return float(len(trees) == len(tents) and _all_paired(trees, tents))


def render(camp: Camp, style: Style) -> Prompt:
    side = len(camp.rows)
    picture = "\n".join(" ".join(row) for row in camp.rows)
    across, down = (
        " ".join("?" if total == HIDDEN else str(total) for total in totals)
        for totals in (camp.across, camp.down)
    )
    unknown = HIDDEN in camp.across + camp.down
    return Prompt(
        style.pick(
            f'Tents. On this camping ground of {side}x{side} cells, "T" is a tree and "." an empty'
            f" cell.\n\n{picture}\n\nTents per row, from top to bottom: {across}\nTents per column,"
            f" from left to right: {down}\n"
            f"{'(? means that the number is not given.)' if unknown else ''}\nPut tents into empty"
            " cells, as many as there are trees, so that trees and tents can be paired off: each"
            " tree has one tent of its own directly above, below, left or right of it, and each"
            " tent has one tree of its own. (A tent may stand beside other trees as well.) Tents"
            " must not touch each other, not even at a corner.",
            f"{picture}\n\nThis is a map of {side} rows and {side} columns with trees (T). To every"
            " tree belongs exactly one tent, in one of the empty cells that share a side with the"
            " tree, and every tent belongs to exactly one tree, though it may be next to more. No"
            " tent stands in any of the eight cells around another tent. The rows, from the top,"
            f" hold this many tents: {across}. The columns, from the left: {down}."
            f"{' A question mark may stand for any number.' if unknown else ''} Where are the"
            " tents?",
            f"Find the only way to pitch the tents.\n\n{picture}\n\nNumber of tents in each row"
            f" (top row first): {across}\nNumber of tents in each column (leftmost column first):"
            f" {down}\n\nRules: a tent takes up one cell without a tree (T). Each tree is tied to"
            " one tent that is its horizontal or vertical neighbour, each tent to one such tree,"
            " and nothing is left untied. Two tents never share a side or a corner."
            f"{' Where there is a ?, the number is for you to find.' if unknown else ''}",
        ),
        form='the rows of the board, one line each: "A" for a tent, "T" for a tree, "." for any'
        " other cell",
    )


def steps(camp: Camp) -> list[str]:
    side = len(camp.rows)
    trees = [cell for cell in _cells.cells(side, side) if _is_tree(camp, cell)]
    totals = {
        (is_row, number): total
        for is_row, totals in ((True, camp.across), (False, camp.down))
        for number, total in enumerate(totals)
        if total != HIDDEN
    }

    def said(cells: list[int], value: int) -> str:
        return f"tent {SIDES[value]} {', '.join(_named(trees[cell]) for cell in cells)}"

    return _marks.worked(_rules(trees, totals, named=True), _sides(side, trees), said)


def progress(camp: Camp, lines: Lines) -> float:
    return cells_filled(FAMILY, camp, lines, camp.rows, ".")


def canon(camp: Camp) -> _cells.Board[object]:
    """The least of the board's turns and reflections, its totals along two of its edges."""
    framed = [(" ", *camp.down, " ")]
    framed += [(total, *row, total) for total, row in zip(camp.across, camp.rows)]
    framed.append(framed[0])
    return min(_cells.turns([[str(sign) for sign in row] for row in framed]))


def hardness(camp: Camp) -> float:
    """Cells, and lines whose total is hidden."""
    hidden = (camp.across + camp.down).count(HIDDEN)
    return float(len(camp.rows) ** 2 + len(camp.rows) * hidden)


def _is_tree(camp: Camp, cell: _cells.Cell) -> bool:
    return camp.rows[cell[0]][cell[1]] == "T"


def _all_paired(trees: list[_cells.Cell], tents: list[_cells.Cell]) -> bool:
    """Whether each tree can have a tent of its own beside it: one after the other takes one, and
    those before it move to another where they must."""
    taken: dict[_cells.Cell, _cells.Cell] = {}

    def take(tree: _cells.Cell, refused: set[_cells.Cell]) -> bool:
        for tent in tents:
            near = abs(tent[0] - tree[0]) + abs(tent[1] - tree[1]) == 1
            if near and tent not in refused:
                refused.add(tent)
                if tent not in taken or take(taken[tent], refused):
                    taken[tent] = tree
                    return True
        return False

    return all(take(tree, set()) for tree in trees)


def _planted(rng: Random, side: int, many: int) -> tuple[list[_cells.Cell], list[_cells.Cell]]:
    """Tents that do not touch, so many where there is room, and a tree of its own beside each."""
    tents: list[_cells.Cell] = []
    trees: list[_cells.Cell] = []
    taken: set[_cells.Cell] = set()
    barred: set[_cells.Cell] = set()
    for tent in rng.sample(_cells.cells(side, side), side**2):
        if len(tents) == many:
            break
        if tent in barred:
            continue
        near = [cell for cell in _cells.beside(tent, side, side) if cell not in taken]
        if near:
            tents.append(tent)
            trees.append(rng.choice(near))
            taken |= {tent, trees[-1]}
            barred |= {tent, trees[-1], *_cells.around(tent, side, side)}
    return tents, trees


def _sides(side: int, trees: list[_cells.Cell]) -> Values:
    """For each tree, the set of the sides on which its tent may stand."""
    planted = set(trees)
    return [
        sum(
            1 << number
            for number, (row, column) in enumerate(_around(tree))
            if 0 <= row < side and 0 <= column < side and (row, column) not in planted
        )
        for tree in trees
    ]


def _around(tree: _cells.Cell) -> list[_cells.Cell]:
    return [(tree[0] + down, tree[1] + right) for down, right in _cells.SIDES]


def _rules(trees: list[_cells.Cell], totals: dict[Line, int], named: bool = False) -> Rules:
    """The rules of a board whose cells are the trees, and whose values the sides of the tents."""
    rules = Rules(len(trees))
    for (one, (row, column)), (two, (down, right)) in combinations(enumerate(trees), 2):
        if abs(down - row) + abs(right - column) <= 4:
            rule = _pair(one, two, down - row, right - column)
            if named:
                both = f"{_named(trees[one])} and {_named(trees[two])}"
                rule = replace(rule, says=f"no tents touch at the trees {both}")
            rules.add(rule)
    # For each line, the trees whose tent may stand there, and on which of their sides.
    inside = defaultdict[Line, list[tuple[int, int]]](list)
    for cell, tree in enumerate(trees):
        for line, ways in _reached(tree):
            inside[line].append((cell, ways))
    for (is_row, number), total in totals.items():
        reaching = inside[is_row, number]
        narrow = _totalled(tuple([ways for _, ways in reaching]), total)
        says = f"{'row' if is_row else 'column'} {number + 1}"
        rules.add(Rule(tuple([cell for cell, _ in reaching]), narrow, says))
    return rules


@lru_cache(maxsize=1 << 12)
def _reached(tree: _cells.Cell) -> tuple[tuple[Line, int], ...]:
    """The lines in which a tree's tent may stand, and on which of its sides."""
    found = defaultdict[Line, int](int)
    for way, (row, column) in enumerate(_around(tree)):
        found[True, row] |= 1 << way
        found[False, column] |= 1 << way
    return tuple(found.items())


@lru_cache(maxsize=1 << 12)
def _pair(one: int, two: int, down: int, right: int) -> Rule:
    """That of two trees, so far apart, without its name."""
    return Rule((one, two), _untouched(down, right), "")


@cache
def _untouched(down: int, right: int) -> Narrow:
    """The tents of two trees, so far apart, do not touch."""
    fits = [
        [max(abs(one[0] - two[0]), abs(one[1] - two[1])) > 1 for two in _around((down, right))]
        for one in _cells.SIDES
    ]

    @cache
    def narrowed(one: int, two: int) -> Values:
        return [
            sum(
                1 << way
                for way in range(4)
                if one >> way & 1 and any(fits[way][to] for to in range(4) if two >> to & 1)
            ),
            sum(
                1 << to
                for to in range(4)
                if two >> to & 1 and any(fits[way][to] for way in range(4) if one >> way & 1)
            ),
        ]

    return lambda values: narrowed(values[0], values[1])


def _totalled(inside: tuple[int, ...], total: int) -> Narrow:
    """So many trees have their tent in a line, which for each tree lies on these sides."""

    def narrow(values: Values) -> Values | None:
        sure = maybe = 0
        for value, ways in zip(values, inside):
            if value & ways:
                if value & ~ways:
                    maybe += 1
                else:
                    sure += 1
        if not sure <= total <= sure + maybe:
            return None
        if maybe and sure == total:
            return [value & ~ways or value for value, ways in zip(values, inside)]
        if maybe and sure + maybe == total:
            return [value & ways or value for value, ways in zip(values, inside)]
        return values

    return narrow


def _named(cell: _cells.Cell) -> str:
    return f"({cell[0] + 1}, {cell[1] + 1})"


LADDER = (
    Knobs(4, 0.19, 1.0, 0),
    Knobs(6, 0.2, 1.0, 0),
    Knobs(8, 0.2, 0.8, 4),
    Knobs(10, 0.2, 0.65, 12),
    Knobs(12, 0.2, 0.5, 40),
)
FAMILY = Family(
    Camp,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board(".TA"),
    hardness=hardness,
    proof="unique",
    solver="SAT over pairs of tree and tent",
    guess_rate=0.02,
    steps=steps,
    slips_version=2,
    progress=progress,
    canon=canon,
    skills=("deduction", "search"),
    peers=(
        "Enigmata/campsite",
        "SynLogic/campsite",
        "InternBootcamp/tents",
        "RLVE/campsite_puzzle",
    ),
    version=2,
)
