"""Futoshiki: fill a Latin square so that signs between neighbouring cells tell which is greater.

`generate` adds signs and digits to a square until deduction finds the rest, `solve` proves by SAT
that one square is left, and `verify` looks at the lines, the givens and each sign by themselves.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain
from math import log2
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.grid import in_rows
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _deduction, _latin
from puzzlemill.generators.grids._deduction import Rule, Rules, Values
from puzzlemill.generators.grids._latin import Square

Sign = tuple[int, int]  # the cell with the smaller digit, and its neighbour with the greater
# By the signs within a line, where places are numbered from 0, what they and its digits say.
Narrows = dict[tuple[Sign, ...], _deduction.Narrow]


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # the board is side x side
    shown: float  # share of the digits to show; more where deduction needs them
    signs: float  # share of the neighbours to put a sign between
    suppositions: int  # how many may be needed beside deduction; without any, all clues stay


@dataclass(frozen=True, slots=True)
class Board:
    side: int
    givens: Square  # 0 is a blank
    signs: tuple[Sign, ...]  # cells are numbered from 0, row by row


def generate(rng: Random, knobs: Knobs) -> Board:
    side = knobs.side
    full = _latin.square(rng, side)
    beside = _neighbours(side)
    pairs = sorted(rng.sample(beside, round(knobs.signs * len(beside))))
    signs = [(one, other) if full[one] < full[other] else (other, one) for one, other in pairs]
    shown: list[int] = []
    values = _given(side, full, shown)
    # Without suppositions a line is hardly ever looked at twice in the same state.
    narrows: Narrows | None = {} if knobs.suppositions else None
    inside = _inside(side, signs)
    rules = _lines(side, inside, narrows)
    rules.narrow(values)
    for cell in rng.sample(range(side**2), side**2):
        if len(shown) < knobs.shown * side**2 or values[cell] & (values[cell] - 1):
            shown.append(cell)
            values[cell] = 1 << full[cell]
            rules.narrow_around(values, cell)
    if knobs.suppositions:
        for cell in list(shown):
            fewer = [other for other in shown if other != cell]
            if len(fewer) >= knobs.shown * side**2 and rules.singles_out(
                _given(side, full, fewer), full, knobs.suppositions
            ):
                shown = fewer
        values = _given(side, full, shown)
        for sign in rng.sample(signs, len(signs)):
            line, within = _placed(side, sign)
            before = rules.rules[line]
            fewer_signs = tuple(other for other in inside[line] if other != within)
            rules.rules[line] = _line_rule(before.cells, fewer_signs, narrows)
            if rules.singles_out(values, full, knobs.suppositions):
                inside[line] = fewer_signs
                signs.remove(sign)
            else:
                rules.rules[line] = before
    cells = [full[cell] if cell in shown else 0 for cell in range(side**2)]
    return Board(side, in_rows(tuple(cells), side), tuple(signs))


def solve(board: Board) -> Square | None:
    """SAT: where a digit stands beside a sign, one of the digits that go with it stands beyond."""
    side = board.side
    clauses = chain.from_iterable(_smaller(side, small, great) for small, great in board.signs)
    return _latin.only_square(side, board.givens, clauses)


@lru_cache(maxsize=1 << 10)
def _smaller(side: int, small: int, great: int) -> Sequence[_sat.Clause]:
    clauses = []
    for digit in range(1, side + 1):
        above = [_latin.variable(side, great, more) for more in range(digit + 1, side + 1)]
        below = [_latin.variable(side, small, less) for less in range(1, digit)]
        clauses.append([-_latin.variable(side, small, digit), *above])
        clauses.append([-_latin.variable(side, great, digit), *below])
    return clauses


def verify(board: Board, rows: Square) -> float:
    if not _latin.is_latin(rows, board.side) or not _latin.keeps(board.givens, rows):
        return 0.0
    digits = [digit for row in rows for digit in row]
    return float(all(digits[small] < digits[great] for small, great in board.signs))


def render(board: Board, style: Style) -> Prompt:
    side = board.side
    return Prompt(
        style.pick(
            f"Solve this {side}x{side} futoshiki. Put a digit from 1 to {side} into every empty"
            ' cell (shown as ".") so that each row and each column holds every digit from 1 to'
            f" {side} exactly once and all the signs are obeyed. Between two cells side by side"
            " stands < (the left digit is smaller), > (the left digit is greater) or | (no sign)."
            " Between two cells one above the other stands ^ (the upper digit is smaller), v (the"
            " upper digit is greater) or - (no sign). Each + only fills up a"
            f" corner.\n\n{_picture(board)}",
            f'Here is a board of {side} rows and {side} columns, with "." for an empty cell:\n\n'
            f"{_digits(board)}\n\nFill it with digits from 1 to {side} so that no digit occurs"
            " twice in a row or in a column. The digits that are there stay as they are. Besides,"
            f" these inequalities must hold (r2c3 is the cell in row 2 and column 3, counted from"
            f" the top left corner, which is r1c1):\n{_listed(board)}",
            f"Futoshiki, {side}x{side}. Each row and each column must contain each of the digits 1"
            f" to {side} once. The cells so far, an empty one as a dot:\n\n{_digits(board)}\n\nThe"
            " signs between the cells, where rXcY is the cell in row X from the top and column Y"
            f" from the left:\n{_listed(board)}\n\nFind the full board. The given digits must not"
            " change.",
        ),
        form="the completed board, one row a line, its digits separated by spaces",
    )


def steps(board: Board) -> list[str]:
    rules = _rules(board.side, board.signs)
    values = _latin.open_values(chain(*board.givens), board.side)
    return _deduction.worked(rules, values, _deduction.named(board.side))


def progress(board: Board, lines: Lines) -> float:
    return cells_filled(FAMILY, board, lines, board.givens, 0)


def canon(board: Board) -> list[object]:
    """The least of the board's turns and reflections, with its digits up- or downwards."""
    side, images = board.side, []
    cells = [digit for row in board.givens for digit in row]
    flipped = [digit and side + 1 - digit for digit in cells]
    for turned in _cells.turns(in_rows(tuple(range(side**2)), side)):
        order = [cell for row in turned for cell in row]
        images += [
            ([cells[cell] for cell in order], order, False),
            ([flipped[cell] for cell in order], order, True),
        ]
    least = min(digits for digits, _, _ in images)
    signs = min(
        _turned(board.signs, order, upside) for digits, order, upside in images if digits == least
    )
    return [side, least, signs]


def _turned(signs: Iterable[Sign], order: list[int], upside: bool) -> list[Sign]:
    """The signs of a board whose cells stand in another order, with smaller for greater or not."""
    place = {cell: at for at, cell in enumerate(order)}
    if upside:
        return sorted((place[great], place[small]) for small, great in signs)
    return sorted((place[small], place[great]) for small, great in signs)


def hardness(board: Board) -> float:
    """How much the digits leave open: the bits needed to note any digit for every blank."""
    return sum(row.count(0) for row in board.givens) * log2(board.side)


def _neighbours(side: int) -> list[tuple[int, int]]:
    return [
        (cell, beyond)
        for cell in range(side**2)
        for beyond in (cell + 1, cell + side)
        if beyond < side**2 and (beyond % side or beyond == cell + side)
    ]


def _given(side: int, full: list[int], shown: list[int]) -> Values:
    cells = [full[cell] if cell in shown else 0 for cell in range(side**2)]
    return _latin.open_values(cells, side)


def _rules(side: int, signs: list[Sign] | tuple[Sign, ...]) -> Rules:
    rules = _latin.rules(side)
    name = _deduction.named(side)
    for sign in signs:
        small, great = sign
        rules.add(Rule(sign, partial(_ordered, [(0, 1)]), f"{name(small)} < {name(great)}"))
    return rules


def _lines(side: int, inside: list[tuple[Sign, ...]], narrows: Narrows | None) -> Rules:
    """The same by one rule for each line and the signs in it: as narrow in the end, and sooner."""
    lines = zip(_latin.line_cells(side), inside)
    return Rules(side**2, (_line_rule(cells, within, narrows) for cells, within in lines))


def _line_rule(cells: tuple[int, ...], within: tuple[Sign, ...], narrows: Narrows | None) -> Rule:
    if narrows is None:
        return Rule(cells, partial(_narrowed, within), "")
    if within not in narrows:
        narrows[within] = _deduction.remembered(partial(_narrowed, within))
    return Rule(cells, narrows[within], "")


def _inside(side: int, signs: list[Sign]) -> list[tuple[Sign, ...]]:
    """The signs within each line."""
    inside: list[tuple[Sign, ...]] = [()] * (2 * side)
    for sign in signs:
        line, within = _placed(side, sign)
        inside[line] += (within,)
    return inside


def _placed(side: int, sign: Sign) -> tuple[int, Sign]:
    """The line of a sign, and its places there."""
    (row, column), (down, right) = (divmod(cell, side) for cell in sign)
    return (row, (column, right)) if row == down else (side + column, (row, down))


def _narrowed(signs: tuple[Sign, ...], line: Values) -> Values | None:
    ordered = _ordered(signs, line)
    return ordered and _deduction.each_once(ordered)


def _ordered(signs: Iterable[Sign], values: Values) -> Values | None:
    values = list(values)
    for small, great in signs:
        values[small] &= (1 << values[great].bit_length() - 1) - 1
        least = values[small] & -values[small]
        values[great] &= -2 * least
        if not values[great]:
            return None
    return values


def _digits(board: Board) -> str:
    return _cells.drawn([[digit or "." for digit in row] for row in board.givens])


def _listed(board: Board) -> str:
    """Every sign as it is met, the first cell before its right or lower neighbour."""
    side, lines = board.side, []
    for small, great in sorted(board.signs, key=min):
        first, second = min(small, great), max(small, great)
        sign = "<" if first == small else ">"
        names = [f"r{cell // side + 1}c{cell % side + 1}" for cell in (first, second)]
        lines.append(f"{names[0]} {sign} {names[1]}")
    return "\n".join(lines)


def _picture(board: Board) -> str:
    """The cells with what stands between them."""
    side, smaller = board.side, set(board.signs)

    def between(one: int, other: int, signs: str) -> str:
        return signs[0 if (one, other) in smaller else 1 if (other, one) in smaller else 2]

    lines = []
    for row, digits in enumerate(board.givens):
        start = row * side
        line = [str(digits[0] or ".")]
        for cell in range(start + 1, start + side):
            line += [between(cell - 1, cell, "<>|"), str(digits[cell - start] or ".")]
        lines.append(" ".join(line))
        if row < side - 1:
            below = [between(cell, cell + side, "^v-") for cell in range(start, start + side)]
            lines.append(" + ".join(below))
    return "\n".join(lines)


LADDER = (
    Knobs(4, 0.6, 0.4, 0),
    Knobs(4, 0.2, 0.4, 0),
    Knobs(6, 0.15, 0.4, 0),
    Knobs(7, 0.05, 0.5, 5),
    Knobs(9, 0.0, 0.5, 7),
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
    skills=("deduction", "search"),
    peers=(
        "reasoning-gym/futoshiki",
        "SynLogic/futoshiki",
        "InternBootcamp/futoshiki",
        "RLVE/futoshiki_puzzle",
    ),
    version=2,
)
