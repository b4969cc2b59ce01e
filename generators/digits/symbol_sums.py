"""Symbol sums: every symbol has a value, sums of some rows are told, sums of others are asked for.

The sums told settle those asked for, though not always the values of all symbols. `solve` looks for
the asked lines among the combinations of the told ones, by elimination with fractions; `verify`
works modulo a prime: a sum is right if adding it to the told ones contradicts nothing, and anything
else in its place would.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import gcd
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import listed
from puzzlemill.generators import _cells

SYMBOLS = "★●▲■◆♣♥♠☀☂☾♪"
PRIME = 2**61 - 1
FAR = 10**12  # further from zero than any sum
TRIES = 30
SLIPS = 24

Row: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the table
    columns: int  # of the table
    symbols: int  # different ones
    most: int  # the largest value
    negative: float  # share of the values below zero


@dataclass(frozen=True, slots=True)
class Table:
    cells: _cells.Board[int]  # symbols by number
    signs: str  # the symbols
    rows: tuple[int | str, ...]  # sums of the rows; "" where it is not told
    columns: tuple[int | str, ...]


def generate(rng: Random, knobs: Knobs) -> Table | None:
    """All sums, of which those are taken away at random that follow from the others."""
    signs = "".join(rng.sample(SYMBOLS, knobs.symbols))
    different = min(knobs.rows, knobs.symbols**knobs.columns)  # rows, if there are so many
    for _ in range(TRIES):
        cells = tuple(
            tuple(rng.randrange(knobs.symbols) for _ in range(knobs.columns))
            for _ in range(knobs.rows)
        )
        used = {cell for row in cells for cell in row}
        if len(used) == knobs.symbols and len(set(cells)) == different:
            break
    else:
        return None
    values = [
        rng.randint(1, knobs.most) * (-1 if rng.random() < knobs.negative else 1)
        for _ in range(knobs.symbols)
    ]
    lines = [*cells, *zip(*cells)]
    sums: list[int | str] = [sum(values[cell] for cell in line) for line in lines]
    order = rng.sample(range(len(sums)), len(sums))
    vectors = _vectors(lines, knobs.symbols, range(len(lines)))
    for place in order:
        others = [vectors[at] for at, told in enumerate(sums) if told != "" and at != place]
        if _follows(others, vectors[place]):
            sums[place] = ""
    asked = [place for place, told_sum in enumerate(sums) if told_sum == ""]
    alike = {tuple(sorted(line)) for line, told_sum in zip(lines, sums) if told_sum != ""}
    if len(asked) < 2 or any(tuple(sorted(lines[place])) in alike for place in asked):
        return None  # a sum that is told already is no question
    return Table(cells, signs, tuple(sums[: knobs.rows]), tuple(sums[knobs.rows :]))


def solve(table: Table) -> Row | None:
    lines, sums = _lines(table)
    size = len(table.signs)
    told = _vectors(lines, size, [at for at, known in enumerate(sums) if known != ""])
    known = [(vector, int(sums[at])) for at, vector in told.items()]
    found = []
    for place in _asked(table):
        (wanted,) = _vectors(lines, size, [place]).values()
        shares = _combination([vector for vector, _ in known], wanted)
        if shares is None:
            return None
        total = sum(share * told_sum for share, (_, told_sum) in zip(shares, known))
        if total.denominator > 1:
            return None
        found.append(int(total))
    return tuple(found)


def verify(table: Table, answer: Row) -> float:
    asked = _asked(table)
    if len(answer) != len(asked) or any(abs(number) > FAR for number in answer):
        return 0.0
    lines, sums = _lines(table)
    size = len(table.signs)
    everything = _vectors(lines, size, range(len(lines)))
    rows = [[*everything[at], int(known)] for at, known in enumerate(sums) if known != ""]
    rank = _rank(rows)
    for place, number in zip(asked, answer, strict=True):
        vector = everything[place]
        if _rank([*rows, [*vector, number]]) != rank:
            return 0.0
        if _rank([*rows, [*vector, number + 1]]) != rank + 1:
            return 0.0
    return 1.0


def render(table: Table, style: Style) -> Prompt:
    def sign(told: int | str) -> str:
        return "?" if told == "" else str(told)

    lines = [
        f"{' '.join(table.signs[cell] for cell in row)} = {sign(told)}"
        for row, told in zip(table.cells, table.rows)
    ]
    drawn = "\n".join(lines)
    below = ", ".join(
        f"column {place} = {sign(told)}" for place, told in enumerate(table.columns, 1)
    )
    asked = _names(table)
    told = "from left to right"
    rule = "Every symbol stands for a whole number, always the same one."
    return Prompt(
        style.pick(
            f"{rule} Each row is followed by the sum of its symbols:\n\n{drawn}\n\nThe sums of the"
            f" columns, {told}: {below}.\n\nWhich sums belong in place of the question marks?",
            f"{drawn}\n\n{rule} Each line of the table ends with what its symbols add up to. The"
            f" columns, {told}, add up to: {below}. Work out the sums that are missing (?). Values"
            " may be negative, and some of them may remain unknown.",
            f"In this table of symbols some sums of rows and columns are missing:\n\n{drawn}\n\n"
            f"Sums of columns, {told}: {below}.\n\n{rule} What are the missing sums?",
        ),
        form=f"the sums of {listed(asked)}, in this order, separated by commas",
    )


def slips(rng: Random, table: Table, gold: Row) -> Iterator[Row]:
    """The value of a symbol is mistaken, time and again, in all of the sums."""
    lines, sums = _lines(table)
    counts = list(_vectors(lines, len(table.signs), _asked(table)).values())
    positive = all(known == "" or int(known) > 0 for known in sums)
    step = max(2, max(map(abs, gold)) // len(table.columns) // 3)
    answer = gold
    for _ in range(SLIPS):
        symbol, apart = rng.randrange(len(table.signs)), rng.choice((-1, 1)) * rng.randint(1, step)
        moved = tuple(
            number + count[symbol] * apart for number, count in zip(answer, counts, strict=True)
        )
        if min(moved) > 0 or not positive:
            answer = moved
            yield answer


def steps(table: Table) -> list[str]:
    """For each missing sum, the told sums that combine to it."""
    lines, sums = _lines(table)
    names = [f"row {at + 1}" for at in range(len(table.rows))]
    names += [f"column {at + 1}" for at in range(len(table.columns))]
    told = _vectors(lines, len(table.signs), [at for at, known in enumerate(sums) if known != ""])
    said = []
    for place, total in zip(_asked(table), solve(table) or ()):
        (wanted,) = _vectors(lines, len(table.signs), [place]).values()
        shares = _combination(list(told.values()), wanted) or []
        terms = [
            f"({share}) * {names[at]}" for share, at in zip(shares, told, strict=True) if share
        ]
        said.append(f"{names[place]} = {' + '.join(terms)} = {total}")
    return said


def canon(table: Table) -> object:
    """Symbols by the order in which they first appear."""
    return [_cells.renumbered(table.cells), table.rows, table.columns]


def hardness(table: Table) -> float:
    """The size of the system of equations, and of the numbers in it."""
    largest = max((abs(told) for told in _lines(table)[1] if isinstance(told, int)), default=1)
    return len(table.signs) * len(_lines(table)[0]) * len(str(largest))


def _lines(table: Table) -> tuple[list[Row], tuple[int | str, ...]]:
    return [*table.cells, *zip(*table.cells)], (*table.rows, *table.columns)


def _names(table: Table) -> list[str]:
    """What the prompt calls the sums that are missing."""
    return [
        f"row {place + 1}" if place < len(table.rows) else f"column {place + 1 - len(table.rows)}"
        for place in _asked(table)
    ]


def _asked(table: Table) -> list[int]:
    return [at for at, told in enumerate((*table.rows, *table.columns)) if told == ""]


def _vectors(lines: list[Row], size: int, places: Iterable[int]) -> dict[int, list[int]]:
    """How often each symbol stands in some lines."""
    counts = {place: Counter(lines[place]) for place in places}
    return {place: [count[at] for at in range(size)] for place, count in counts.items()}


def _follows(rows: list[list[int]], wanted: list[int]) -> bool:
    """Whether some shares of rows add up to the wanted one: by elimination in whole numbers."""
    heads: list[tuple[int, list[int]]] = []
    for row in (*rows, wanted):
        for column, head in heads:
            if by := row[column]:
                own = head[column]
                row = [each * own - by * above for each, above in zip(row, head)]
        common = gcd(*row)
        if common:
            row = [each // common for each in row]
            heads.append((next(at for at, each in enumerate(row) if each), row))
    return not common


def _combination(rows: list[list[int]], wanted: list[int]) -> list[Fraction] | None:
    """Shares of rows that add up to the wanted one; None, where there are none."""
    size = len(rows)
    # One equation for each symbol; the unknowns are the shares
    system = [[*(row[at] for row in rows), wanted[at]] for at in range(len(wanted))]
    shares, done = [Fraction(0)] * size, 0
    pivots = []
    for column in range(size):
        pivot = next((at for at in range(done, len(system)) if system[at][column]), None)
        if pivot is None:
            continue
        system[done], system[pivot] = system[pivot], system[done]
        head = system[done]
        own = head[column]
        for at, row in enumerate(system):
            if at != done and row[column]:
                by = row[column]
                left = [each * own - by * above for each, above in zip(row, head)]
                common = gcd(*left) or 1
                system[at] = [each // common for each in left]
        pivots.append(column)
        done += 1
    if any(row[-1] for row in system[done:]):
        return None
    for at, column in enumerate(pivots):
        shares[column] = Fraction(system[at][-1], system[at][column])
    return shares


def _rank(rows: list[list[int]]) -> int:
    """The rank modulo a large prime."""
    left = [[each % PRIME for each in row] for row in rows]
    rank = 0
    while left:
        row = left.pop()
        column = next((at for at, each in enumerate(row) if each), None)
        if column is None:
            continue
        rank += 1
        inverse = pow(row[column], -1, PRIME)
        for at, other in enumerate(left):
            by = other[column] * inverse % PRIME
            if by:
                left[at] = [(each - by * own) % PRIME for each, own in zip(other, row)]
    return rank


LADDER = (
    Knobs(2, 3, 2, 9, 0.0),
    Knobs(3, 3, 3, 12, 0.0),
    Knobs(4, 4, 4, 20, 0.2),
    Knobs(5, 5, 6, 40, 0.3),
    Knobs(7, 6, 8, 99, 0.4),
)
FAMILY = Family(
    Table,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    notation=lambda table: answers.IntList(names=tuple(_names(table))),
    hardness=hardness,
    proof="unique",
    solver="elimination with fractions",
    guess_rate=0.1,
    steps=steps,
    canon=canon,
    slips=slips,
    slips_version=2,
    skills=("linear algebra", "calculation"),
    peers=("KORGym/16-jiafa",),
    version=4,
)
