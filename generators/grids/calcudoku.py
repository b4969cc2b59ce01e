"""Calcudoku: fill a Latin square whose cells are grouped into cages that come to given results.

`generate` cuts a square into cages, and cells out of them until deduction settles the board,
`solve` proves by SAT that one square is left, and `verify` calculates each cage.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain, combinations, product
from math import isqrt, log2, prod
from random import Random
from string import ascii_letters

from puzzlemill.core import answers
from puzzlemill.core.answers.grid import in_rows
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells
from puzzlemill.generators.grids import _deduction, _latin
from puzzlemill.generators.grids._deduction import Rule, Rules, Values
from puzzlemill.generators.grids._latin import Square

Cage = tuple[str, int, tuple[int, ...]]  # what is calculated, the result, the cells
Piece = tuple[str, list[int]]  # the same before there is a result

MEANING = {
    "sum": "the digits of the cage add up to the result",
    "difference": "the larger of the two digits minus the smaller is the result",
    "product": "the digits of the cage multiply to the result",
    "quotient": "the larger of the two digits divided by the smaller is exactly the result",
}


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # the board is side x side
    shown: float  # share of the digits to show; more where deduction needs them
    cage: int  # cells of a cage, at most
    operations: int  # of: sum, difference, product, quotient
    suppositions: int  # how many may be needed beside deduction


@dataclass(frozen=True, slots=True)
class Board:
    side: int
    givens: Square  # 0 is a blank; only blanks are in cages
    cages: tuple[Cage, ...]  # in the order of their first cells, numbered row by row from 0


def generate(rng: Random, knobs: Knobs) -> Board:
    """Cages at random; while they settle too little, a cell that is left open is shown instead.

    Then shown cells join their neighbours, shown or not, in a cage where that leaves enough.
    """
    side = knobs.side
    full = _latin.square(rng, side)
    pieces = [
        (_operation(rng, [full[cell] for cell in cells], knobs.operations), cells)
        for cells in _cut(rng, side, knobs.cage)
    ]
    least = round(knobs.shown * side**2)
    for cell in rng.sample(range(side**2), least):
        pieces = _without(cell, pieces, side)
    nothing = _latin.open_values([0] * side**2, side)
    values = list(nothing)  # narrowed further with each cell that is shown
    while open_ := _unsettled(full, pieces, values, knobs.suppositions):
        pieces = _without(rng.choice(open_), pieces, side)
    for cell in rng.sample(range(side**2), side**2):
        for host in _hosts(cell, pieces, knobs):
            cells = sorted([*host, cell])
            joined = [piece for piece in pieces if piece[1] != host]
            joined.append(
                (_operation(rng, [full[each] for each in cells], knobs.operations), cells)
            )
            if side**2 - sum(len(piece[1]) for piece in joined) < least:
                continue
            if not _unsettled(full, joined, list(nothing), knobs.suppositions):
                pieces = joined
                break
    return _board(full, pieces)


def solve(board: Board) -> Square | None:
    """SAT: each cage is filled in one of the ways that come to its result."""
    side, clauses = board.side, []
    choice = side**3  # the variables of ways come after those of the cells
    for operation, result, cells in board.cages:
        first = choice + 1
        in_line = [
            (at, after)
            for (at, one), (after, other) in combinations(enumerate(cells), 2)
            if one // side == other // side or one % side == other % side
        ]
        ways = _ways(operation, result, len(cells), side)
        for at, after in in_line:
            ways = [way for way in ways if way[at] != way[after]]
        offsets = [_latin.variable(side, cell, 0) for cell in cells]
        for choice, way in enumerate(ways, first):
            clauses += [[-choice, offset + digit] for offset, digit in zip(offsets, way)]
        clauses.append([*range(first, choice + 1)])
    return _latin.only_square(side, board.givens, clauses)


def verify(board: Board, rows: Square) -> float:
    if not _latin.is_latin(rows, board.side) or not _latin.keeps(board.givens, rows):
        return 0.0
    digits = [digit for row in rows for digit in row]
    for operation, result, cells in board.cages:
        held = sorted(digits[cell] for cell in cells)
        match operation:
            case "sum":
                keeps = sum(held) == result
            case "product":
                keeps = prod(held) == result
            case "difference":
                keeps = held[1] - held[0] == result
            case _:
                keeps = held[1] == held[0] * result
        if not keeps:
            return 0.0
    return 1.0


def render(board: Board, style: Style) -> Prompt:
    side, named = board.side, list(zip(ascii_letters, board.cages, strict=False))
    signs = [str(digit) for row in board.givens for digit in row]
    for letter, (_, _, cells) in named:
        for cell in cells:
            signs[cell] = letter
    plan = _cells.drawn(in_rows(tuple(signs), side))
    given = [f"{_short(cell, side)} = {sign}" for cell, sign in enumerate(signs) if sign.isdigit()]
    stays = " A digit in the plan is given and stays where it is." if given else ""
    listed = f" Given digits, which stay: {', '.join(given)}." if given else ""
    results = "\n".join(f"{letter}: {word} {result}" for letter, (word, result, _) in named)
    places = "\n".join(
        f"{letter}: {word} {result} in {' '.join(_short(cell, side) for cell in cells)}"
        for letter, (word, result, cells) in named
    )
    used = {word for word, _, _ in board.cages}
    meaning = "\n".join(f"- {word}: {MEANING[word]}" for word in MEANING if word in used)
    return Prompt(
        style.pick(
            f"Solve this {side}x{side} calcudoku. Put a digit from 1 to {side} into every cell so"
            f" that each row and each column holds every digit from 1 to {side} exactly once. In"
            f" this plan, cells with the same letter make up a cage.{stays}\n\n{plan}\n\nEach cage"
            f" must come to its result:\n{results}\n\nHere\n{meaning}\nA digit may occur more than"
            " once in a cage.",
            f"A board of {side} rows and {side} columns is to be filled with the digits 1 to"
            f" {side}. No digit may occur twice in a row or twice in a column; in a cage it may."
            " These are the cages, each with its operation, its result and its cells (r2c3 is the"
            f" cell in row 2 from the top and column 3 from the left):\n{places}\n\nThe"
            f" operations:\n{meaning}\n\nFill the whole board.{listed}",
            f"Calcudoku, {side}x{side}. Each row and each column must contain each of the digits 1"
            f" to {side} once, and the digits of each cage must come to its result. Equal letters"
            f" mark the cells of one cage.{stays}\n\n{plan}\n\n{results}\n\nThe"
            f" operations:\n{meaning}\nInside a cage digits may repeat, as long as they stand in"
            " different rows and columns.",
        ),
        form="the completed board, one row a line, its digits separated by spaces",
    )


def steps(board: Board) -> list[str]:
    values = _latin.open_values(chain(*board.givens), board.side)
    rules = _rules(board.side, board.cages)
    return _deduction.worked(rules, values, _deduction.named(board.side))


def progress(board: Board, lines: Lines) -> float:
    return cells_filled(FAMILY, board, lines, board.givens, 0)


def canon(board: Board) -> list[object]:
    """The least of the board's turns and reflections, its cages numbered as they appear."""
    kinds = [(operation, result) for operation, result, _ in board.cages]
    owner = {cell: number for number, cage in enumerate(board.cages) for cell in cage[2]}
    for cell, digit in enumerate(chain(*board.givens)):
        if digit:
            owner[cell] = len(kinds)
            kinds.append(("given", digit))
    images = []
    for turned in _cells.turns(in_rows(tuple(range(board.side**2)), board.side)):
        cages = [owner[cell] for row in turned for cell in row]
        images.append((_cells.renumbered([cages]), cages))
    least = min(plan for plan, _ in images)
    results = min(
        [kinds[cage] for cage in dict.fromkeys(cages)] for plan, cages in images if plan == least
    )
    return [board.side, least, results]


def hardness(board: Board) -> float:
    """How much is open: the bits needed to note any digit for every blank."""
    return sum(row.count(0) for row in board.givens) * log2(board.side)


def _cut(rng: Random, side: int, most: int) -> list[list[int]]:
    """The board in pieces of two cells or more; a cell that is left over joins a piece with room,
    or is in none."""
    free = set(range(side**2))
    pieces: list[list[int]] = []
    for cell in rng.sample(range(side**2), side**2):
        if cell not in free:
            continue
        free.discard(cell)
        piece = [cell]
        size = rng.randint(2, most)
        while len(piece) < size:
            edge = sorted({near for own in piece for near in _beside(own, side)} & free)
            if not edge:
                break
            piece.append(rng.choice(edge))
            free.discard(piece[-1])
        room = [
            other
            for other in pieces
            if len(other) < most and any(near in other for near in _beside(cell, side))
        ]
        if len(piece) == 1 and room:
            rng.choice(room).append(cell)
        elif len(piece) > 1:
            pieces.append(piece)
    return [sorted(piece) for piece in pieces]


def _operation(rng: Random, digits: list[int], operations: int) -> str:
    fitting = ["sum", "difference", "product", "quotient"][:operations]
    if len(digits) > 2:
        fitting = [each for each in fitting if each in ("sum", "product")]
    elif max(digits) % min(digits):
        fitting = [each for each in fitting if each != "quotient"]
    return rng.choice(fitting)


def _board(full: list[int], pieces: list[Piece]) -> Board:
    side, givens = isqrt(len(full)), list(full)
    for _, cells in pieces:
        for cell in cells:
            givens[cell] = 0
    cages = _cages(full, sorted(pieces, key=lambda piece: piece[1]))
    return Board(side, in_rows(tuple(givens), side), tuple(cages))


def _cages(full: list[int], pieces: list[Piece]) -> list[Cage]:
    return [
        (operation, _result(operation, [full[cell] for cell in cells]), tuple(cells))
        for operation, cells in pieces
    ]


def _unsettled(
    full: list[int], pieces: list[Piece], values: Values, suppositions: int
) -> list[int]:
    """The cells that deduction leaves open; none, where a few suppositions settle them too. The
    values are narrowed from what follows without the cells that were shown last."""
    side, caged = isqrt(len(full)), {cell for _, cells in pieces for cell in cells}
    rules = _latin.rules(side)
    for cage in _cages(full, pieces):
        rules.add(_rule(side, cage))
    shown = [cell for cell in _deduction.undecided(values) if cell not in caged]
    fresh = rules.show(values, full, shown)
    # Lines say nothing of their own where nothing is shown.
    rules.narrow(values, fresh.union(rules.numbers[2 * side :]))
    open_ = _deduction.undecided(values)
    if open_ and suppositions and rules.singles_out(values, full, suppositions, ()):
        return []
    return open_


def _hosts(cell: int, pieces: list[Piece], knobs: Knobs) -> list[list[int]]:
    """What a shown cell can join: pieces beside it that have room, and other shown cells."""
    caged = {other for _, cells in pieces for other in cells}
    if cell in caged:
        return []
    near = _beside(cell, knobs.side)
    room = [
        cells
        for _, cells in pieces
        if len(cells) < knobs.cage and any(other in cells for other in near)
    ]
    return room + [[other] for other in near if other not in caged]


def _result(operation: str, digits: Sequence[int]) -> int:
    """What the digits come to; 0 where they do not divide."""
    result = digits[0]
    for digit in digits[1:]:
        match operation:
            case "sum":
                result += digit
            case "product":
                result *= digit
            case "difference":
                result = abs(result - digit)
            case _:
                large, small = max(result, digit), min(result, digit)
                result = 0 if large % small else large // small
    return result


def _without(cell: int, pieces: list[Piece], side: int) -> list[Piece]:
    """The pieces after a cell is taken out of one, which may fall apart; no piece is one cell."""
    left: list[Piece] = []
    for operation, cells in pieces:
        if cell not in cells:
            left.append((operation, cells))
            continue
        rest = _cells.pieces([divmod(other, side) for other in cells if other != cell])
        left += [
            (operation, [row * side + column for row, column in part])
            for part in rest
            if len(part) > 1
        ]
    return left


@lru_cache(maxsize=1000)
def _ways(operation: str, result: int, size: int, side: int) -> Sequence[tuple[int, ...]]:
    """The digits that cells can hold in order, found from the result backwards."""
    digits = range(1, side + 1)
    match operation:
        case "difference":
            less = [(one, one + result) for one in digits if one + result <= side]
            return less + [(one, one - result) for one in digits if one - result >= 1]
        case "quotient":
            less = [(one, one * result) for one in digits if one * result <= side]
            return less + [(one, one // result) for one in digits if one % result == 0]
        case _ if size == 1:
            return [(one,) for one in digits if one == result]
        case "sum":
            rests = [(one, result - one) for one in digits if one < result]
        case _:
            rests = [(one, result // one) for one in digits if result % one == 0]
    return [(one, *more) for one, rest in rests for more in _ways(operation, rest, size - 1, side)]


def _rules(side: int, cages: Iterable[Cage]) -> Rules:
    rules = _latin.rules(side)
    for letter, cage in zip(ascii_letters, cages, strict=False):
        says = f"cage {letter} ({cage[0]} {cage[1]}) leaves no other way"
        rules.add(replace(_rule(side, cage), says=says))
    return rules


@lru_cache(maxsize=1000)  # a puzzle's cages are most often as they were before
def _rule(side: int, cage: Cage) -> Rule:
    """That of a cage without its name."""
    operation, result, cells = cage
    return Rule(cells, _narrowing(side, operation, result, len(cells)), "")


@cache
def _table(side: int, operation: str, size: int) -> dict[int, list[tuple[int, ...]]]:
    """By result, the ways to fill cells."""
    ways = defaultdict(list)
    for digits in product(range(1, side + 1), repeat=size):
        ways[_result(operation, digits)].append(digits)
    return ways


@cache
def _narrowing(side: int, operation: str, result: int, size: int) -> _deduction.Narrow:
    # For each cell, the ways, as bits, in which it has a digit, or one of some digits.
    having = [dict.fromkeys((1 << digit for digit in range(side + 1)), 0) for _ in range(size)]
    for number, digits in enumerate(_table(side, operation, size).get(result, ())):
        for among, digit in zip(having, digits, strict=True):
            among[1 << digit] |= 1 << number

    def narrow(values: Values) -> Values | None:
        return narrowed(tuple(values))

    @lru_cache(maxsize=500)
    def narrowed(values: tuple[int, ...]) -> Values | None:
        left = -1
        for among, value in zip(having, values):
            if value not in among:
                among[value] = sum(among[1 << digit] for digit in _deduction.members(value))
            left &= among[value]
        if not left:
            return None
        found = []
        for among, value in zip(having, values):
            possible = 0
            for bit in _bits(value):
                if left & among[bit]:
                    possible |= bit
            found.append(possible)
        return found

    return narrow


@cache
def _bits(digits: int) -> tuple[int, ...]:
    return tuple(1 << digit for digit in _deduction.members(digits))


@cache
def _beside(cell: int, side: int) -> list[int]:
    row, column = divmod(cell, side)
    near = _cells.beside((row, column), side, side)
    return [down * side + right for down, right in near]


def _short(cell: int, side: int) -> str:
    return f"r{cell // side + 1}c{cell % side + 1}"


LADDER = (
    Knobs(4, 0.4, 2, 1, 0),
    Knobs(4, 0.1, 3, 2, 0),
    Knobs(5, 0.0, 3, 3, 0),
    Knobs(7, 0.0, 4, 4, 5),
    Knobs(9, 0.0, 4, 4, 20),
)
FAMILY = Family(
    Board,
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
    peers=("SynLogic/calcudoko", "InternBootcamp/calcudoku"),
    version=2,
)
