"""Rules on a board as SAT: a gate for each rule, true where the rule holds.

That symbols are connected is written down for pieces of one or two cells, which are most of those
that a solver comes up with: `cuts` says what a model breaks of the rest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from itertools import pairwise, product
from typing import Any

from puzzlemill.generators import _cells
from puzzlemill.generators._sat import Circuit, Clause, exactly_one
from puzzlemill.generators.worlds._board_terms import WAYS, Layout, Rule


@dataclass(frozen=True, slots=True)
class Encoding:
    layout: Layout
    symbols: str
    cells: list[_cells.Cell]
    circuit: Circuit = field(default_factory=Circuit)
    literals: dict[str, dict[_cells.Cell, int]] = field(default_factory=dict)  # by symbol
    connected: dict[int, str] = field(default_factory=dict)  # gates, and what hangs together


def encoded(layout: Layout, symbols: str) -> Encoding:
    """A board whose cells hold one symbol each."""
    coding = Encoding(layout, symbols, _cells.cells(len(layout), len(layout)))
    named = symbols[:1] if len(symbols) == 2 else symbols
    for cell in coding.cells:
        each = [coding.circuit.variable((cell, it)) for it in named]
        if len(symbols) == 2:
            each.append(-each[0])
        else:
            coding.circuit.clauses += exactly_one(each)
        for symbol, it in zip(symbols, each, strict=True):
            coding.literals.setdefault(symbol, {})[cell] = it
    return coding


def literal(coding: Encoding, cell: _cells.Cell, symbol: str) -> int:
    return coding.literals[symbol][cell]


def gate(coding: Encoding, rule: Rule) -> int:
    kind, *rest = rule
    circuit = coding.circuit
    match kind:
        case "if" | "one of":
            first, second = (gate(coding, part) for part in rest)
            return circuit.joined("if" if kind == "if" else "either", first, second)
        case "count" | "least" | "most":
            amount = {"count": "exactly", "least": "at least", "most": "at most"}[kind]
            return circuit.so_many(amount, rest[2], _of(coding, rest[0], rest[1]))
        case "parity":
            odd = reduce(lambda a, b: circuit.joined("either", a, b), _of(coding, *rest[:2]))
            return odd if rest[2] else -odd
        case "more":
            return _greater(circuit, _of(coding, rest[0], rest[1]), _of(coding, rest[0], rest[2]))
        case "fewer":
            return _greater(circuit, _of(coding, rest[1], rest[2]), _of(coding, rest[0], rest[2]))
        case "alike":
            one, other = (_of(coding, area, rest[2]) for area in rest[:2])
            return _every(circuit, [-_greater(circuit, one, other), -_greater(circuit, other, one)])
        case "joined":
            made = circuit.variable(rule)
            coding.connected[made] = rest[0]
            circuit.clauses += _small_pieces(coding, made, coding.literals[rest[0]])
            return made
        case _:
            return _every(circuit, _clauses(coding, kind, rest))


def _small_pieces(coding: Encoding, made: int, stands: dict[_cells.Cell, int]) -> Iterator[Clause]:
    """Where a symbol is connected, and there is more of it, one or two of it have a neighbour."""
    more = coding.circuit.at_least([*stands.values()], 3)[1:]
    pieces = {
        frozenset((cell, other)) for cell in stands for other in (cell, *_beside(coding, cell))
    }
    for piece in sorted(map(sorted, pieces)):
        wall = {it for cell in piece for it in _beside(coding, cell)}.difference(piece)
        yield [-made, -more[len(piece)], *(-stands[it] for it in piece),
               *(stands[it] for it in sorted(wall))]  # fmt: skip


def cuts(coding: Encoding, true: set[int], gates: Sequence[int]) -> list[Clause]:
    """What a model breaks of the gates that say that a symbol is connected."""
    broken = list[Clause]()
    for made in gates:
        symbol = coding.connected.get(made)
        if symbol is None:
            continue
        here = list(coding.literals[symbol].values())  # of the cells in their order
        stands = sum(
            1 << at for at, it in enumerate(here) if (it in true if it > 0 else -it not in true)
        )
        for (one, wall), (other, _) in pairwise(_pieces(stands, len(coding.layout))):
            broken.append([
                -made, *(-here[(it & -it).bit_length() - 1] for it in (one, other)),
                *(it for at, it in enumerate(here) if wall >> at & 1),
            ])  # fmt: skip
    return broken


def _pieces(stands: int, side: int) -> list[tuple[int, int]]:
    """Each piece of some cells and its wall, which is the cells beside it; a cell is a bit."""
    left, right, whole = _edges(side)
    found = []
    while stands:
        piece, grown = 0, stands & -stands
        while piece != grown:
            piece = grown
            near = piece << side | piece >> side | (piece & ~right) << 1 | (piece & ~left) >> 1
            grown = piece | near & stands
        found.append((piece, near & whole & ~piece))
        stands &= ~piece
    return found


@lru_cache(maxsize=16)
def _edges(side: int) -> tuple[int, int, int]:
    """The first column, the last and all cells."""
    first = sum(1 << row * side for row in range(side))
    return first, first << side - 1, (1 << side * side) - 1


def board_of(coding: Encoding, true: set[int], symbol: str) -> list[_cells.Cell]:
    """Where a symbol stands in a model."""
    stands = coding.literals[symbol].items()
    return [cell for cell, it in stands if (it in true if it > 0 else -it not in true)]


def deciding(coding: Encoding) -> list[int]:
    """The variables of the cells, which come before all others."""
    return sorted(it for stands in coding.literals.values() for it in stands.values() if it > 0)


def _clauses(coding: Encoding, kind: str, rest: Sequence[Any]) -> list[int]:
    """Literals that are all true where a rule on lines, or on the whole board, holds."""
    circuit, side = coding.circuit, len(coding.layout)
    whole = coding.cells

    def at(cell: _cells.Cell, symbol: object) -> int:
        return literal(coding, cell, str(symbol))

    match kind, rest:
        case "first", (str(way), int(number), symbol, int(place)):
            line, step = WAYS[way]
            row = _area(coding, (line, number))[::step]
            return [*(-at(cell, symbol) for cell in row[:place]), at(row[place], symbol)]
        case "run", (area, symbol):
            row = _area(coding, area)
            ways = [
                _every(circuit, [at(cell, symbol) if start <= it < end else -at(cell, symbol)
                                 for it, cell in enumerate(row)])
                for start in range(side) for end in range(start + 2, side + 1)
            ]  # fmt: skip
            return [_some(circuit, ways)]
        case "every", (str(line), symbol, int(number)):
            many = 1 + max(map(max, coding.layout)) if line == "region" else side
            areas = [(line, f"r{it}" if line == "region" else it) for it in range(many)]
            return [circuit.so_many("exactly", number, _of(coding, area, str(symbol)))
                    for area in areas]  # fmt: skip
        case "has", (symbol, other):
            near = {cell: [at(it, other) for it in _beside(coding, cell)] for cell in whole}
            return [_some(circuit, [-at(cell, symbol), *near[cell]]) for cell in whole]
        case "each", (symbol, other, int(number)):
            near = {cell: [at(it, other) for it in _beside(coding, cell)] for cell in whole}
            return [circuit.either(-at(cell, symbol), circuit.so_many("exactly", number, others))
                    for cell, others in near.items()]  # fmt: skip
        case "after", (symbol, other, way):
            down, right = (0, 1) if way == "right" else (1, 0)
            steps = {cell: (cell[0] + down, cell[1] + right) for cell in whole}
            return [circuit.either(-at(cell, symbol), -at(then, other))
                    for cell, then in steps.items() if max(then) < side]  # fmt: skip
        case _, (symbol,):
            return [_some(circuit, [-at(cell, symbol) for cell in shape])
                    for shape in _shapes(kind, side)]  # fmt: skip
    raise AssertionError(f"unknown rule: {kind}")


def _shapes(kind: str, side: int) -> list[list[_cells.Cell]]:
    """Groups of cells that must not hold a symbol all over."""
    groups: dict[str, list[tuple[_cells.Cell, ...]]] = {
        "apart": [((0, 0), (0, 1)), ((0, 0), (1, 0))],
        "loose": [((0, 0), (0, 1)), ((0, 0), (1, 0)), ((0, 0), (1, 1)), ((0, 1), (1, 0))],
        "block": [((0, 0), (0, 1), (1, 0), (1, 1))],
        "three": [((0, 0), (0, 1), (0, 2)), ((0, 0), (1, 0), (2, 0))],
    }
    placed = [
        [(row + down, column + right) for down, right in shape]
        for shape in groups[kind]
        for row, column in product(range(side), repeat=2)
    ]
    return [shape for shape in placed if max(map(max, shape)) < side]


def _beside(coding: Encoding, cell: _cells.Cell) -> list[_cells.Cell]:
    return _cells.beside(cell, len(coding.layout), len(coding.layout))


def _area(coding: Encoding, area: Rule) -> list[_cells.Cell]:
    """The cells of an area, by their places."""
    side, kind, rest = len(coding.layout), area[0], area[1:]
    if kind in ("beside", "around"):
        reach = [(down, right) for down, right in product((-1, 0, 1), repeat=2) if down or right]
        row, column = rest
        return [(row + down, column + right) for down, right in reach
                if (kind == "around" or not down or not right)
                and 0 <= row + down < side and 0 <= column + right < side]  # fmt: skip
    if kind == "region":
        return [(row, column) for row, column in coding.cells
                if f"r{coding.layout[row][column]}" == rest[0]]  # fmt: skip
    axis = {"row": 0, "column": 1}.get(kind)
    return [cell for cell in coding.cells if axis is None or cell[axis] == rest[0]]


def _of(coding: Encoding, area: Rule, symbol: str) -> list[int]:
    return [literal(coding, cell, symbol) for cell in _area(coding, area)]


def _greater(circuit: Circuit, many: Sequence[int], few: Sequence[int]) -> int:
    """True where more of the first literals than of the second are true."""
    more, others = circuit.at_least(many, len(few) + 1), circuit.at_least(few, len(many))
    ways = [circuit.both(it, -other) for it, other in zip(more[1:], others[1:])]
    return _some(circuit, [*ways, *more[len(others) :]])


def _every(circuit: Circuit, literals: list[int]) -> int:
    made = circuit.variable(("every", *literals))
    circuit.clauses += [[-made, each] for each in literals]
    circuit.clauses.append([made, *(-each for each in literals)])
    return made


def _some(circuit: Circuit, literals: list[int]) -> int:
    return -_every(circuit, [-each for each in literals])
