"""Kakuro: a crossword of digits, whose words hold no digit twice and come to given sums.

`generate` shows digits of a filled board until they and the sums settle it, `solve` proves by SAT
that one filling is left, and `verify` adds up every word of the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, combinations, count
from math import ceil, exp
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.grid import in_rows
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _deduction, _tallies
from puzzlemill.generators.grids._deduction import Rule, Rules, Values

Rows = tuple[tuple[int, ...], ...]
Word = tuple[int, tuple[int, ...]]  # the sum, and the cells

BLACK, BLANK = 0, -1
ANY = 0b1111111110  # every digit

WHITES = 0.7  # share of the cells that are white, at most
LEAN = 0.5  # how much a word leans to small or to great digits
# For each digit, the sets without it; sets of digits are bits, and so are sets of those.
WITHOUT = [
    sum(1 << digits for digits in range(0, 1 << 10, 2) if not digits >> digit & 1)
    for digit in range(10)
]


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # the board is side x side
    longest: int  # cells of a word, at most
    shown: float  # share of the digits to show; more where deduction needs them
    suppositions: int  # how many may be needed beside deduction


@dataclass(frozen=True, slots=True)
class Board:
    rows: Rows  # 0 is black, -1 a blank
    words: tuple[Word, ...]  # across, then down; cells are numbered from 0, row by row


def generate(rng: Random, knobs: Knobs) -> Board | None:
    """Show cells that deduction leaves open, then hide again what suppositions make up for."""
    side = knobs.side
    white = _layout(rng, side, knobs.longest)
    words = _words(white, side) if white else []
    full = _fill(rng, words, side**2) if white else None
    if not white or not full:
        return None
    sums = tuple((sum(full[cell] for cell in cells), cells) for cells in words)
    rules = _rules(sums, side**2)
    cells = [cell for cell in range(side**2) if white >> cell & 1]
    shown = rng.sample(cells, round(knobs.shown * len(cells)))
    # What follows from the sums alone holds in every trial.
    certain = [ANY if digit else 1 for digit in full]
    rules.narrow(certain)
    values = list(certain)
    rules.narrow(values, rules.show(values, full, shown))
    open_ = rng.sample(cells, len(cells))
    while open_ := [cell for cell in open_ if values[cell] & (values[cell] - 1)]:
        # The cell that may hold most: each settles much, so that few are shown.
        cell = max(open_, key=lambda each: values[each].bit_count())
        shown.append(cell)
        values[cell] = 1 << full[cell]
        rules.narrow_around(values, cell)
    spare = len(shown) - ceil(knobs.shown * len(cells))
    # Without suppositions the last is needed, for it was open beside the others, and the one before
    # is all but always.
    sure = [] if knobs.suppositions else shown[-2:]
    rules.narrow(certain, rules.show(certain, full, sure))
    doubtful = shown[: len(shown) - len(sure)]
    kept = sure + rules.needed(certain, full, doubtful, spare, knobs.suppositions)
    digits = {cell: full[cell] for cell in kept}
    board = [digits.get(cell, BLANK) if white >> cell & 1 else BLACK for cell in range(side**2)]
    return Board(in_rows(tuple(board), side), sums)


def solve(board: Board) -> Rows | None:
    """SAT: the digits of each word are one of the sets that come to its sum. A cell has variables
    only for digits that are in such sets of both its words."""
    side, givens = len(board.rows), [digit for row in board.rows for digit in row]
    digits_of = [{1, 2, 3, 4, 5, 6, 7, 8, 9} if digit == BLANK else {digit} for digit in givens]
    for total, cells in board.words:
        within = set().union(*_addends(total, len(cells)))
        for cell in cells:
            digits_of[cell] &= within
    number = count(1)
    variables = {
        cell: {digit: next(number) for digit in digits_of[cell]}
        for cell, given in enumerate(givens)
        if given != BLACK
    }
    clauses = [[*here.values()] for here in variables.values()]
    deciding, bounds = range(1, next(number)), [(here, 1) for here in clauses if len(here) > 1]
    for total, cells in board.words:
        places: list[list[int]] = [[] for _ in range(10)]
        for cell in cells:
            for digit, variable in variables[cell].items():
                places[digit].append(variable)
        bounds += [(several, 1) for several in places if len(several) > 1]
        chosen = []
        for addends in _addends(total, len(cells)):
            if all(map(places.__getitem__, addends)):
                choice = next(number)
                chosen.append(choice)
                clauses += [[-choice, *places[digit]] for digit in addends]
        clauses.append(chosen)
    true = _sat.only_model(clauses, deciding, bounds=bounds)
    if true is None:
        return None
    filled = [BLACK] * side**2
    for cell, here in variables.items():
        filled[cell] = next(digit for digit, variable in here.items() if variable in true)
    return in_rows(tuple(filled), side)


def verify(board: Board, rows: Rows) -> float:
    side = len(board.rows)
    if len(rows) != side or any(len(row) != side for row in rows):
        return 0.0
    for givens, row in zip(board.rows, rows, strict=True):
        for given, digit in zip(givens, row, strict=True):
            if digit not in range(1, 10) if given == BLANK else digit != given:
                return 0.0
    for total, cells in board.words:
        digits = [rows[cell // side][cell % side] for cell in cells]
        if sum(digits) != total or len(set(digits)) < len(digits):
            return 0.0
    return 1.0


def render(board: Board, style: Style) -> Prompt:
    side = len(board.rows)
    grid = _cells.drawn([["." if digit == BLANK else digit for digit in row] for row in board.rows])
    across, down = [], []
    for total, cells in board.words:
        row, column = divmod(cells[0], side)
        if cells[1] == cells[0] + 1:
            across.append(f"row {row + 1}, columns {column + 1}-{column + len(cells)}: {total}")
        else:
            down.append(f"column {column + 1}, rows {row + 1}-{row + len(cells)}: {total}")
    sums = "Across:\n" + "\n".join(across) + "\n\nDown:\n" + "\n".join(down)
    given = any(digit > 0 for row in board.rows for digit in row)
    stay = " The digits that are there stay as they are." if given else ""
    return Prompt(
        style.pick(
            f"Solve this kakuro on a {side}x{side} board. A dot is an empty cell, 0 is a black cell"
            " that stays as it is. Put a digit from 1 to 9 into every empty cell so that each of"
            " the runs below adds up to its sum and no digit occurs twice in a run. Rows are"
            f" counted from the top and columns from the left, from 1.{stay}\n\n{grid}\n\n{sums}",
            f"Here is a crossword of digits, {side} rows by {side} columns. Black squares are"
            f' written 0, squares to fill are written ".":\n\n{grid}\n\nWrite a digit 1 to 9 into'
            " each square to fill. Every word (squares next to one another in a row, or in a"
            " column) has to come to the sum listed for it, and all the digits of a word must"
            f" differ.{stay} The words, with rows numbered from the top and columns from the left,"
            f" starting at 1:\n\n{sums}",
            f"Kakuro. These are the sums of the runs (row 1 is at the top, column 1 at the"
            f" left):\n\n{sums}\n\nAnd this is the board, with 0 for a black cell and a dot for an"
            f" empty one:\n\n{grid}\n\nFill the empty cells with digits from 1 to 9. The digits of"
            f" a run must be different from one another and add up to its sum.{stay}",
        ),
        form=(
            "the completed board, one row a line, its digits separated by spaces, with 0 for every"
            " black cell"
        ),
    )


def steps(board: Board) -> list[str]:
    side = len(board.rows)
    values = [ANY if digit == BLANK else 1 << digit for row in board.rows for digit in row]
    return _deduction.worked(_rules(board.words, side**2), values, _deduction.named(side))


def progress(board: Board, lines: Lines) -> float:
    return cells_filled(FAMILY, board, lines, board.rows, -1)


def canon(board: Board) -> list[object]:
    """The least of the board's turns and reflections."""
    side = len(board.rows)
    cells = [digit for row in board.rows for digit in row]
    numbers = in_rows(tuple(range(side**2)), side)
    orders = [[cell for row in turned for cell in row] for turned in _cells.turns(numbers)]
    images = [[cells[cell] for cell in order] for order in orders]
    least, listed = min(images), []
    for order, image in zip(orders, images, strict=True):
        if image == least:  # the words decide between those that look alike
            place = {cell: at for at, cell in enumerate(order)}
            words = [(sorted(place[cell] for cell in word), total) for total, word in board.words]
            listed.append(sorted(words))
    return [side, least, min(listed)]


def hardness(board: Board) -> float:
    """The blanks."""
    return sum(row.count(BLANK) for row in board.rows)


def _layout(rng: Random, side: int, longest: int) -> int | None:
    """The white cells, in bits, each in two words: cells turn black until there are enough of them
    and no word is too long."""
    white = (1 << side**2) - 1
    while True:
        long = [word for word in _words(white, side) if len(word) > longest]
        if not long and white.bit_count() <= WHITES * side**2:
            return white
        whole = tuple(cell for cell in range(side**2) if white >> cell & 1)
        cells = rng.choice(long) if long else whole
        for cell in rng.sample(cells, len(cells)):
            left = _blackened(white, cell, side)
            if left.bit_count() >= white.bit_count() - 4:
                white = left
                break
        else:
            return None


def _blackened(white: int, cell: int, side: int) -> int:
    """The white cells without one, and without those that are then in no two words."""
    left, before, across = white & ~(1 << cell), white, _tallies.across(side)
    while left != before:
        before = left
        left &= across(left) & (left << side | left >> side)
    return left


def _words(white: int, side: int) -> list[tuple[int, ...]]:
    """Cells in a line between black cells or edges; two or more."""
    return [word for line in chain(*_tallies.lines(side)) for word in _runs(white & line, side)]


@lru_cache(maxsize=5000)
def _runs(white: int, side: int) -> list[tuple[int, ...]]:
    """The words of the white cells of a line."""
    words: list[list[int]] = []
    for cell in _deduction.members(white):
        if words and words[-1][-1] in (cell - 1, cell - side):
            words[-1].append(cell)
        else:
            words.append([cell])
    return [tuple(word) for word in words if len(word) > 1]


def _fill(rng: Random, words: list[tuple[int, ...]], cells: int) -> list[int] | None:
    """Digits at random, the cell with the fewest left first; None where that leads nowhere.

    Each word leans to small or to great digits, for extreme sums leave the fewest ways.
    """
    mates, lean = _mates(words, cells), [0] * cells
    for word in words:
        towards = rng.choice((-1, 1))
        for cell in word:
            lean[cell] += towards
    values = [ANY if mates[cell] else 1 for cell in range(cells)]
    open_ = _deduction.undecided(values)
    while open_ := [cell for cell in open_ if values[cell] & (values[cell] - 1)]:
        sizes = [values[cell].bit_count() for cell in open_]
        least = min(sizes)
        cell = rng.choice([cell for cell, size in zip(open_, sizes) if size == least])
        digits = _deduction.members(values[cell])
        weights = _weights(lean[cell])
        values[cell] = 1 << rng.choices(digits, [weights[digit] for digit in digits])[0]
        waiting = [cell]
        while waiting:
            sure = waiting.pop()
            for mate in mates[sure]:
                if values[mate] & values[sure]:
                    values[mate] &= ~values[sure]
                    if not values[mate]:
                        return None
                    if not values[mate] & (values[mate] - 1):
                        waiting.append(mate)
    return [value.bit_length() - 1 for value in values]


@cache
def _weights(lean: int) -> list[float]:
    """Of each digit, in a cell whose words lean so."""
    return [exp(lean * LEAN * digit) for digit in range(10)]


def _mates(words: list[tuple[int, ...]], cells: int) -> list[list[int]]:
    """For each cell, those that it shares a word with."""
    mates: list[list[int]] = [[] for _ in range(cells)]
    for word in words:
        for place, cell in enumerate(word):
            mates[cell] += word[:place] + word[place + 1 :]
    return mates


def _rules(words: tuple[Word, ...] | list[Word], cells: int) -> Rules:
    rules = Rules(cells)
    for total, word in words:
        way = "across" if word[1] == word[0] + 1 else "down"
        says = f"the sum {total} {way} leaves no other way"
        rules.add(Rule(word, _narrowing(total, len(word)), says))
    return rules


@cache
def _addends(total: int, size: int) -> list[tuple[int, ...]]:
    """So many different digits with a sum, all ways."""
    return [digits for digits in combinations(range(1, 10), size) if sum(digits) == total]


@cache
def _narrowing(total: int, size: int) -> _deduction.Narrow:
    sets = sum(1 << digits for digits in _sets(total, size, 9))

    def narrow(values: Values) -> Values | None:
        return narrowed(tuple(values))

    @lru_cache(maxsize=500)
    def narrowed(values: tuple[int, ...]) -> Values | None:
        return _filled(values, sets)

    return narrow


@cache
def _sets(total: int, size: int, most: int) -> tuple[int, ...]:
    """Sets of so many different digits, up to the most, with a sum; bit d for digit d."""
    if not size:
        return () if total else (0,)
    return tuple(
        smaller | 1 << digit
        for digit in range(min(most, total), 0, -1)
        for smaller in _sets(total - digit, size - 1, digit - 1)
    )


def _filled(values: Sequence[int], sets: int) -> Values | None:
    """What cells hold in all the ways to give them different digits that make up one of the sets:
    cell by cell, the sets of digits that are used so far, then back from those that end well. Sets
    of sets are bits, bit s for s, so that a digit joins all of them by a shift."""
    choices = [_deduction.members(value) for value in values]
    used = [1]
    for digits in choices:
        before, after = used[-1], 0
        for digit in digits:
            after |= (before & WITHOUT[digit]) << (1 << digit)
        used.append(after)
    ends, found = used.pop() & sets, []
    if not ends:
        return None
    for digits, before in zip(reversed(choices), reversed(used)):
        kept = starts = 0
        for digit in digits:
            fitting = ends >> (1 << digit) & before & WITHOUT[digit]
            if fitting:
                kept |= 1 << digit
                starts |= fitting
        found.append(kept)
        ends = starts
    return found[::-1]


LADDER = (
    Knobs(3, 3, 0.3, 0),
    Knobs(5, 4, 0.1, 0),
    Knobs(7, 5, 0.05, 0),
    Knobs(9, 5, 0.0, 5),
    Knobs(12, 7, 0.0, 20),
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
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("deduction", "search", "arithmetic"),
    peers=("InternBootcamp/kakuro",),
    version=2,
)
