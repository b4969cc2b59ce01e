"""Bridges: join islands by bridges, as many as each says, until all hang together.

`generate` lets islands spring from one another and changes bridges until deduction, with some
suppositions, leads to one solution; `solve` proves by SAT, with a clause for each group of islands
that is cut off, that there is one; `verify` reads the answer's picture cell by cell.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _marks
from puzzlemill.generators.grids._deduction import Narrow, Rule, Rules, Values

Rows: TypeAlias = tuple[str, ...]
Span: TypeAlias = tuple[_cells.Cell, _cells.Cell]  # two islands with only water between them
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
    built = _sprung(rng, knobs.side, knobs.islands)
    if len(built) < 3:
        return None
    for _ in range(CHANGES):
        chart = _chart(knobs.side, built)
        spans, rules = _spans(chart), _rules(chart)
        start = [_marks.OPEN] * 2 * len(spans)
        solution = [
            _marks.MARKED if number < built.get(span, 0) else _marks.CLEAR
            for span in spans
            for number in (0, 1)
        ]
        rival = _marks.rival(rules, start, solution, SUPPOSITIONS)
        if rival is None:
            return None if knobs.stuck and rules.settles(start, 0) else chart
        differs = [place for place, value in enumerate(rival) if value != solution[place]]
        span = spans[rng.choice(differs) // 2]
        # One bridge more or less; a span that is bridged stays so, that all hang together.
        if built.get(span, 0):
            built[span] = 3 - built[span]
        elif not any(_crossing(span, other) for other in built):
            built[span] = rng.randint(1, 2)
    return None


def solve(chart: Chart) -> Rows | None:
    """SAT: for each span, whether it has a bridge, and whether it has a second."""
    spans, numbers = _spans(chart), _numbers(chart)
    circuit = _sat.Circuit()
    some = {span: circuit.variable((span, 1)) for span in spans}
    two = {span: circuit.variable((span, 2)) for span in spans}
    circuit.clauses += [[-two[span], some[span]] for span in spans]
    circuit.clauses += [
        [-some[one], -some[other]]
        for place, one in enumerate(spans)
        for other in spans[:place]
        if _crossing(one, other)
    ]
    for island, number in numbers.items():
        circuit.exactly(
            [bridge[span] for span in spans if island in span for bridge in (some, two)], number
        )

    def cuts(true: set[int]) -> list[_sat.Clause]:
        group = _group(numbers, [span for span in spans if some[span] in true])
        if len(group) == len(numbers):
            return []
        return [[some[span] for span in spans if (span[0] in group) != (span[1] in group)]]

    true = _sat.only_model(circuit.clauses, [*some.values(), *two.values()], cuts)
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
        for signs, step in ((ACROSS, (0, 1)), (DOWN, (1, 0))):
            if sign not in signs:
                continue
            for way in (1, -1):
                r, c = row + way * step[0], column + way * step[1]
                near = rows[r][c] if 0 <= r < side and 0 <= c < side else WATER
                if near != sign and not near.isdigit():
                    return 0.0
                if near.isdigit():
                    ends[r, c] += signs.index(sign) + 1
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
        for one, other in _spans(chart)
        for which in ("first", "second")
    ]
    said = _marks.telling_by(names.__getitem__, "no bridge", "a bridge")
    return _marks.worked(_rules(chart), [_marks.OPEN] * len(names), said)


def progress(chart: Chart, lines: Lines) -> float:
    return cells_filled(FAMILY, chart, lines, chart.rows, ".")


def canon(chart: Chart) -> _cells.Board[str]:
    """The least of the chart's turns and reflections."""
    return min(_cells.turns(chart.rows))


def hardness(chart: Chart) -> float:
    """Spans that may carry bridges."""
    return float(len(_spans(chart)))


def _sprung(rng: Random, side: int, most: int) -> Built:
    """Islands, each but the first built at a bridge's end from another; then bridges more."""
    islands = [(rng.randrange(side), rng.randrange(side))]
    used: dict[_cells.Cell, bool] = {islands[0]: True}  # whether a cell holds an island
    built: Built = {}
    for _ in range(TRIES):
        if len(islands) == most:
            break
        row, column = rng.choice(islands)
        down, right = rng.choice(_cells.SIDES)
        length = rng.randint(2, max(side // 2, 2))
        way = [(row + step * down, column + step * right) for step in range(1, length + 1)]
        end = way[-1]
        if not (0 <= end[0] < side and 0 <= end[1] < side) or any(cell in used for cell in way):
            continue
        if any(near in used and used[near] for near in _cells.beside(end, side, side)):
            continue
        used |= dict.fromkeys(way[:-1], False)
        used[end] = True
        islands.append(end)
        built[min((row, column), end), max((row, column), end)] = rng.randint(1, 2)
    for span in _spans(_chart(side, built)):
        free = span not in built and not any(_crossing(span, other) for other in built)
        if free and rng.random() < 0.5:
            built[span] = rng.randint(1, 2)
    return built


def _chart(side: int, built: Built) -> Chart:
    numbers: defaultdict[_cells.Cell, int] = defaultdict(int)
    for span, many in built.items():
        for island in span:
            numbers[island] += many
    return Chart(
        tuple(
            "".join(
                str(numbers[row, column]) if (row, column) in numbers else WATER
                for column in range(side)
            )
            for row in range(side)
        )
    )


def _numbers(chart: Chart) -> dict[_cells.Cell, int]:
    return {
        (row, column): int(sign)
        for row, line in enumerate(chart.rows)
        for column, sign in enumerate(line)
        if sign != WATER
    }


def _spans(chart: Chart) -> list[Span]:
    islands = list(_numbers(chart))
    found = []
    for axis in (0, 1):
        lines: defaultdict[int, list[_cells.Cell]] = defaultdict(list)
        for island in islands:
            lines[island[axis]].append(island)
        for line in lines.values():
            found += [
                (one, other) for one, other in pairwise(line) if other[1 - axis] - one[1 - axis] > 1
            ]
    return sorted(found)


def _crossing(one: Span, other: Span) -> bool:
    if (one[0][0] == one[1][0]) == (other[0][0] == other[1][0]):
        return False
    across, down = (one, other) if one[0][0] == one[1][0] else (other, one)
    return down[0][0] < across[0][0] < down[1][0] and across[0][1] < down[0][1] < across[1][1]


def _group(numbers: dict[_cells.Cell, int], spans: list[Span]) -> set[_cells.Cell]:
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


def _rules(chart: Chart) -> Rules:
    """Of span k, 2k is whether it has a bridge, 2k + 1 whether it has a second."""
    spans = _spans(chart)
    rules = Rules(2 * len(spans), marks=True)
    for island, number in _numbers(chart).items():
        ends = [
            2 * k + second for k, span in enumerate(spans) if island in span for second in (0, 1)
        ]
        exactly = _marks.counted(number, number)
        rules.add(Rule(tuple(ends), exactly, f"the {number} at {_place(island)}"))
    for k, span in enumerate(spans):
        rules.add(Rule((2 * k + 1, 2 * k), _marks.counted_if(1, 1), "a first before a second"))
        for earlier, other in enumerate(spans[:k]):
            if _crossing(span, other):
                one = _marks.counted(0, 1)
                rules.add(Rule((2 * earlier, 2 * k), one, "the ban on crossings"))
    firsts = tuple(range(0, 2 * len(spans), 2))
    rules.add(Rule(firsts, _connected(chart, spans), "the way between all islands"))
    return rules


def _connected(chart: Chart, spans: list[Span]) -> Narrow:
    """All islands can still hang together, and a span that alone joins some of them has a bridge:
    in a depth-first search, no other leads back from beyond it."""
    near: dict[_cells.Cell, list[tuple[_cells.Cell, int]]] = {cell: [] for cell in _numbers(chart)}
    for k, (one, other) in enumerate(spans):
        near[one].append((other, k))
        near[other].append((one, k))

    def narrow(values: Values) -> Values | None:
        order: dict[_cells.Cell, int] = {}
        found = list(values)

        def lowest(island: _cells.Cell, way: int) -> int:
            order[island] = low = len(order)
            for other, k in near[island]:
                if k == way or values[k] == _marks.CLEAR:
                    continue
                if other in order:
                    low = min(low, order[other])
                    continue
                beyond = lowest(other, k)
                if beyond > order[island]:
                    found[k] = _marks.MARKED
                low = min(low, beyond)
            return low

        lowest(next(iter(near)), -1)
        return found if len(order) == len(near) else None

    return narrow


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
