"""Bridges: join islands by bridges, as many as each says, until all hang together.

`generate` lets islands spring from one another and changes bridges until deduction, with some
suppositions, leads to one solution; `solve` proves by SAT, with a clause for each group of islands
that is cut off, that there is one; `verify` reads the answer's picture cell by cell.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from itertools import pairwise
from operator import itemgetter, or_
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators._bits import members
from puzzlemill.generators.grids import _marks, _tallies
from puzzlemill.generators.grids._deduction import Rule, Rules, Values
from puzzlemill.generators.grids._tallies import Marks

Rows: TypeAlias = tuple[str, ...]
Span: TypeAlias = tuple[_cells.Cell, _cells.Cell]  # two islands with only water between them
Way: TypeAlias = tuple[_cells.Cell, _cells.Cell, int]  # from a cell, by steps of a side, so many
Numbers: TypeAlias = dict[_cells.Cell, int]  # what the islands say
Built: TypeAlias = dict[Span, int]  # the bridges of each span

WATER = "."
ACROSS, DOWN = "-=", "|H"  # one bridge, two bridges

TRIES = 300  # places for an island that are tried
CHANGES = 40  # of the bridges, before a chart is given up
SUPPOSITIONS = 100  # in a search for a second solution


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the chart
    islands: int  # at most
    stuck: bool  # one rule after the other does not finish it; something must be supposed


@dataclass(frozen=True, slots=True)
class Chart:
    rows: Rows  # a digit for an island, "." for water


def generate(rng: Random, knobs: Knobs) -> Chart | None:
    side = knobs.side
    built = _sprung(rng, side, knobs.islands)
    if len(built) < 3:
        return None
    numbers = _ends(built)
    # Only what islands say changes from here on.
    spans, tallies = _spans(numbers), _rules(side, numbers).tallies()
    everything = (1 << 2 * len(spans)) - 1
    for _ in range(CHANGES):
        right = sum((1 << built.get(span, 0)) - 1 << 2 * k for k, span in enumerate(spans))
        start, solution = (everything, everything), (right, everything & ~right)
        rival = _marks.rival_marks(tallies, start, tallies.all, solution, SUPPOSITIONS)
        if rival is None:
            settled = knobs.stuck and _tallies.completions(tallies, start, 0) == 1
            return None if settled else _chart(side, numbers)
        differs = (rival[0] ^ solution[0]) | (rival[1] ^ solution[1])
        span = spans[rng.choice(members(differs)) // 2]
        before = built.get(span, 0)
        # One bridge more or less; a span that is bridged stays so, that all hang together.
        if before:
            built[span] = 3 - before
        elif not any(_water(side, span) & _water(side, other) for other in built):
            built[span] = rng.randint(1, 2)
        else:
            continue
        for island in span:
            numbers[island] += built[span] - before
            tallies.recount([*numbers].index(island), numbers[island])
    return None


def solve(chart: Chart) -> Rows | None:
    """SAT: for each span, whether it has a bridge, and whether it has a second."""
    numbers = _numbers(chart)
    spans = _spans(numbers)
    some = {span: k for k, span in enumerate(spans, 1)}
    two = {span: len(spans) + k for k, span in enumerate(spans, 1)}
    clauses = [[-two[span], some[span]] for span in spans]
    for span, crossed in _crossed(len(chart.rows), spans).items():
        clauses += [[-some[span], -some[other]] for other in crossed]
    ends: dict[_cells.Cell, list[int]] = {island: [] for island in numbers}
    for span in spans:
        for island in span:
            ends[island] += some[span], two[span]
    bounds = [bound for island in numbers for bound in _sat.just(numbers[island], ends[island])]

    def cuts(true: set[int]) -> list[_sat.Clause]:
        group = _group(numbers, [span for span in spans if some[span] in true])
        if len(group) == len(numbers):
            return []
        return [[some[span] for span in spans if (span[0] in group) != (span[1] in group)]]

    true = _sat.only_model(clauses, [*some.values(), *two.values()], cuts, bounds)
    if true is None:
        return None
    return _drawn(chart, {span: (some[span] in true) + (two[span] in true) for span in spans})


def verify(chart: Chart, rows: Rows) -> float:
    side = len(chart.rows)
    if len(rows) != side or any(len(row) != side for row in rows):
        return 0.0
    root = {cell: cell for cell in _cells.cells(side, side)}

    def found(cell: _cells.Cell) -> _cells.Cell:
        while root[cell] != cell:
            cell = root[cell]
        return cell

    ends: defaultdict[_cells.Cell, int] = defaultdict(int)
    for row, column in _cells.cells(side, side):
        old, sign = chart.rows[row][column], rows[row][column]
        if old != sign and (old != WATER or sign.isdigit()):
            return 0.0
        if sign in ACROSS:
            many, both = ACROSS.index(sign) + 1, ((row, column + 1), (row, column - 1))
        elif sign in DOWN:
            many, both = DOWN.index(sign) + 1, ((row + 1, column), (row - 1, column))
        else:
            continue
        for r, c in both:
            near = rows[r][c] if 0 <= r < side and 0 <= c < side else WATER
            if near.isdigit():
                ends[r, c] += many
            elif near != sign:
                return 0.0
            root[found((row, column))] = found((r, c))
    islands = [cell for cell in root if rows[cell[0]][cell[1]].isdigit()]
    if any(ends[row, column] != int(rows[row][column]) for row, column in islands):
        return 0.0
    return float(len({found(cell) for cell in islands}) == 1)


def render(chart: Chart, style: Style) -> Prompt:
    side = len(chart.rows)
    picture = "\n".join(chart.rows)
    return Prompt(
        style.pick(
            f"Bridges (Hashi). The digits on this {side}x{side} chart are islands, the dots are"
            f" water.\n\n{picture}\n\nBuild bridges between islands. A bridge runs straight, along"
            " a row or a column, over water only, from one island to the next in that direction. At"
            " most two bridges may join the same two islands. Bridges must not cross each other."
            " The digit of an island is the number of bridges that end there. All islands together"
            " must be connected: by bridges one can get from each to every other.",
            f"{picture}\n\nJoin the islands (digits) of this sea of {side} rows and {side} columns."
            " Two islands in the same row or column, with no other island between them, may be"
            " joined by one bridge, by two parallel bridges, or by none. Each island has exactly as"
            " many bridges as its digit says. No cell of water (a dot) may lie under both a"
            " horizontal and a vertical bridge, and the bridges must make one network of all"
            " islands, without separate groups.",
            f"A map shows islands, each with the number of its bridges, and open water (.):\n\n"
            f"{picture}\n\nWhere are the bridges? They are horizontal or vertical and lead from an"
            " island to the nearest one on that line, never across an island and never across"
            " another bridge. A pair of islands has at most a double bridge, which counts twice at"
            " both. Whoever stands on one island can walk to any other. There is only one"
            " solution.",
        ),
        form=f'the {side} rows of the map, one line each, with bridges drawn in: "-" for one and'
        ' "=" for two horizontal bridges, "|" for one and "H" for two vertical ones, in each cell'
        " of water that they pass; digits and other water as given",
    )


def steps(chart: Chart) -> list[str]:
    names = [
        f"{_place(one)} - {_place(other)} ({which})"
        for one, other in _spans(_numbers(chart))
        for which in ("first", "second")
    ]
    said = _marks.telling_by(names.__getitem__, "no bridge", "a bridge")
    return _marks.worked(_rules(len(chart.rows), _numbers(chart)), [_marks.OPEN] * len(names), said)


def progress(chart: Chart, lines: Lines) -> float:
    return cells_filled(FAMILY, chart, lines, chart.rows, ".")


def canon(chart: Chart) -> _cells.Board[str]:
    """The least of the chart's turns and reflections."""
    return min(_cells.turns(chart.rows))


def hardness(chart: Chart) -> float:
    """Spans that may carry bridges."""
    return float(len(_spans(_numbers(chart))))


def _sprung(rng: Random, side: int, most: int) -> Built:
    """Islands, each but the first built at a bridge's end from another; then bridges more."""
    ways, longest = _ways(side), max(side // 2, 2)
    islands = [(rng.randrange(side), rng.randrange(side))]
    land, water = _bit(side, islands[0]), 0  # the cells of islands, and those below bridges
    built: Built = {}
    for _ in range(TRIES):
        if len(islands) == most:
            break
        way = rng.choice(islands), rng.choice(_cells.SIDES), rng.randint(2, longest)
        if way not in ways:
            continue
        end, span, passed, near = ways[way]
        new = _bit(side, end)
        if (passed | new) & (land | water) or near & land:
            continue
        islands.append(end)
        land, water = land | new, water | passed
        built[span] = rng.randint(1, 2)
    for span in _spans(islands):
        passed = _water(side, span)
        if span not in built and not passed & water and rng.random() < 0.5:
            water |= passed
            built[span] = rng.randint(1, 2)
    return built


@lru_cache(maxsize=16)
def _ways(side: int) -> dict[Way, tuple[_cells.Cell, Span, int, int]]:
    """Where a bridge ends that goes some way from a cell, its span, its water, and what lies beside
    its end."""
    found = {}
    for row, column in _cells.cells(side, side):
        for down, right in _cells.SIDES:
            for length in range(2, max(side // 2, 2) + 1):
                end = row + length * down, column + length * right
                if 0 <= end[0] < side and 0 <= end[1] < side:
                    span = min((row, column), end), max((row, column), end)
                    near = sum(_bit(side, cell) for cell in _cells.beside(end, side, side))
                    way = (row, column), (down, right), length
                    found[way] = end, span, _water(side, span), near
    return found


def _bit(side: int, cell: _cells.Cell) -> int:
    return 1 << cell[0] * side + cell[1]


@lru_cache(maxsize=1 << 12)
def _water(side: int, span: Span) -> int:
    """The bits of the cells between two islands."""
    (row, column), (down, right) = span
    if row == down:
        return sum(_bit(side, (row, c)) for c in range(column + 1, right))
    return sum(_bit(side, (r, column)) for r in range(row + 1, down))


def _ends(built: Built) -> Numbers:
    """How many bridges end at each island."""
    numbers: defaultdict[_cells.Cell, int] = defaultdict(int)
    for span, many in built.items():
        for island in span:
            numbers[island] += many
    return {island: numbers[island] for island in sorted(numbers)}


def _chart(side: int, numbers: Numbers) -> Chart:
    signs = [[WATER] * side for _ in range(side)]
    for (row, column), number in numbers.items():
        signs[row][column] = str(number)
    return Chart(tuple(map("".join, signs)))


def _numbers(chart: Chart) -> Numbers:
    """The islands in order, and what they say."""
    return {
        (row, column): int(sign)
        for row, line in enumerate(chart.rows)
        for column, sign in enumerate(line)
        if sign != WATER
    }


def _spans(islands: Iterable[_cells.Cell]) -> list[Span]:
    found = []
    for axis in (0, 1):
        ordered = sorted(islands, key=itemgetter(axis, 1 - axis))
        found += [
            (one, other)
            for one, other in pairwise(ordered)
            if one[axis] == other[axis] and other[1 - axis] - one[1 - axis] > 1
        ]
    return sorted(found)


def _crossed(side: int, spans: list[Span]) -> dict[Span, list[Span]]:
    """For each span those before it that it crosses."""
    water = {span: _water(side, span) for span in spans}
    return {
        span: [other for other in spans[:k] if water[other] & water[span]]
        for k, span in enumerate(spans)
    }


def _group(numbers: Numbers, spans: list[Span]) -> set[_cells.Cell]:
    """The islands that hang together with the first."""
    joined: defaultdict[_cells.Cell, list[_cells.Cell]] = defaultdict(list)
    for one, other in spans:
        joined[one].append(other)
        joined[other].append(one)
    waiting = [next(iter(numbers))]
    group = set(waiting)
    while waiting:
        new = [other for other in joined[waiting.pop()] if other not in group]
        group.update(new)
        waiting += new
    return group


def _drawn(chart: Chart, built: Built) -> Rows:
    signs = [list(row) for row in chart.rows]
    for ((row, column), (down, right)), many in built.items():
        if many and row == down:
            for c in range(column + 1, right):
                signs[row][c] = ACROSS[many - 1]
        elif many:
            for r in range(row + 1, down):
                signs[r][column] = DOWN[many - 1]
    return tuple(map("".join, signs))


def _rules(side: int, numbers: Numbers) -> Rules:
    """Of span k, 2k is whether it has a bridge, 2k + 1 whether it has a second. The islands' rules
    come first, in their order."""
    spans = _spans(numbers)
    first = {span: 2 * k for k, span in enumerate(spans)}
    ends: dict[_cells.Cell, list[int]] = {island: [] for island in numbers}
    for span in spans:
        for island in span:
            ends[island] += first[span], first[span] + 1
    rules = Rules(2 * len(spans), marks=True)
    for island, number in numbers.items():
        exactly = _marks.counted(number, number)
        rules.add(Rule(tuple(ends[island]), exactly, f"the {number} at {_place(island)}"))
    for span, crossed in _crossed(side, spans).items():
        both = first[span] + 1, first[span]
        rules.add(Rule(both, _marks.counted_if(1, 1), "a first before a second"))
        for other in crossed:
            one = _marks.counted(0, 1)
            rules.add(Rule((first[other], first[span]), one, "the ban on crossings"))
    rules.add(_connected(numbers, spans))
    return rules


def _connected(islands: Iterable[_cells.Cell], spans: list[Span]) -> Rule:
    """All islands can still hang together, and a span that alone joins some of them has a bridge:
    no way round leads from one of its ends to the other."""
    near: dict[_cells.Cell, list[tuple[_cells.Cell, int]]] = {island: [] for island in islands}
    firsts = range(0, 2 * len(spans), 2)
    for (one, other), first in zip(spans, firsts):
        near[one].append((other, 1 << first))
        near[other].append((one, 1 << first))
    start, some = next(iter(near)), sum(1 << first for first in firsts)

    @cache  # for this puzzle; what may be bridged is most often as it was before
    def needed(may: int) -> int | None:
        way, around = {start: 0}, 0  # the spans to each island in a tree of them; those of a ring
        waiting = [start]
        for island in waiting:
            for other, bit in near[island]:
                if may & bit:
                    if other not in way:
                        way[other] = way[island] | bit
                        waiting.append(other)
                    elif not way[island] & bit:
                        around |= way[island] ^ way[other]
        return None if len(way) < len(near) else reduce(or_, way.values()) & ~around

    def whole(may: int, free: int) -> Marks | None:
        alone = needed(may & some)
        return None if alone is None else (may, free & ~alone)

    def narrow(values: Values) -> Values | None:
        may, _ = _tallies.packed([each for value in values for each in (value, _marks.CLEAR)])
        alone = needed(may)
        if alone is None:
            return None
        return [
            _marks.MARKED if alone >> first & 1 else value for first, value in zip(firsts, values)
        ]

    return Rule(tuple(firsts), narrow, "the way between all islands", whole)


def _place(cell: _cells.Cell) -> str:
    return f"row {cell[0] + 1} column {cell[1] + 1}"


LADDER = (
    Knobs(5, 6, False),
    Knobs(7, 10, False),
    Knobs(8, 14, False),
    Knobs(9, 18, True),
    Knobs(11, 28, True),
)
FAMILY = Family(
    Chart,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board("12345678" + WATER + ACROSS + DOWN),
    hardness=hardness,
    proof="unique",
    solver="SAT over pairs of islands, with a clause for each group that is cut off",
    guess_rate=0.05,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("logic", "search"),
    peers=("InternBootcamp/bridges",),
)
