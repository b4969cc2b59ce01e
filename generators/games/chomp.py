"""Chomp: a bar of chocolate with a poisoned corner is eaten bite by bite; which bite wins?

A bite takes a square with all that is to the right of it and below it; some squares may be gone
already. Every winning bite is right. `solve` goes through all that can be left of the bar, from the
least on; `verify` plays what is left after the bite, row by row; `recheck` plays on sets of
squares.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE
from puzzlemill.core.answers.impossible import Impossible
from puzzlemill.core.family import Family, Prompt, Style

HOPELESS = 0.15  # share of bars without a winning bite
DRAWS = 60

Bar = tuple[str, ...]  # rows of # and dots; P is the poisoned square, at the top left


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the bar
    columns: int  # of the bar
    gone: float  # share of the squares


@dataclass(frozen=True, slots=True)
class Chocolate:
    rows: Bar


def generate(rng: Random, knobs: Knobs) -> Chocolate | None:
    hopeless = rng.random() < HOPELESS
    for _ in range(DRAWS):
        rows = [
            "".join("." if rng.random() < knobs.gone else "#" for _ in range(knobs.columns))
            for _ in range(knobs.rows)
        ]
        rows[0] = f"P{rows[0][1:]}"
        chocolate = Chocolate(tuple(rows))
        gold = solve(chocolate)
        if isinstance(gold, Impossible):
            continue
        left = bitten(chocolate.rows, gold)
        # To leave the poisoned square alone is no problem worth asking.
        if len(bites(left)) > (2 * len(bites(chocolate.rows)) // 3 if hopeless else 1):
            return Chocolate(left) if hopeless else chocolate
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(chocolate: Chocolate) -> tuple[int, ...] | Impossible:
    """All that can be left, from the least on: whether who is to move then loses."""
    squares, columns = bites(chocolate.rows), len(chocolate.rows[0])
    whole = sum(_bit(square, columns) for square in squares)
    lost: set[int] = set()
    ways = [
        (square, _bit(square, columns), _zone(square, len(chocolate.rows), columns))
        for square in squares
    ]
    for left in sorted(
        {it & whole for it in _stairs(len(chocolate.rows), columns)}, key=int.bit_count
    ):
        if left and not any(left & ~zone in lost for _, bit, zone in ways if left & bit):
            lost.add(left)
    for square, _, zone in ways:
        if whole & ~zone in lost:
            return square
    return IMPOSSIBLE


def verify(chocolate: Chocolate, bite: tuple[int, ...] | Impossible) -> float:
    if isinstance(bite, Impossible):
        return float(not _wins(chocolate.rows))
    if bite not in bites(chocolate.rows):
        return 0.0
    return float(not _wins(bitten(chocolate.rows, bite)))


def recheck(chocolate: Chocolate, bite: tuple[int, ...] | Impossible) -> bool:
    """On sets of squares: what is bitten off is crossed out, and the rest is played to the end."""
    squares = bites(chocolate.rows)
    crossed = {
        (row, column): sum(
            1 << place
            for place, (lower, farther) in enumerate(squares)
            if lower >= row and farther >= column
        )
        for row, column in squares
    }
    lost: dict[int, bool] = {0: False}

    def loses(left: int) -> bool:
        if left not in lost:
            lost[left] = not any(
                loses(left & ~zone)
                for place, zone in enumerate(crossed.values())
                if left >> place & 1
            )
        return lost[left]

    everything = (1 << len(squares)) - 1
    if isinstance(bite, Impossible):
        return loses(everything)
    if len(bite) != 2 or (bite[0], bite[1]) not in crossed:
        return False
    return loses(everything & ~crossed[bite[0], bite[1]])


def render(chocolate: Chocolate, style: Style) -> Prompt:
    picture = "\n".join(" ".join(row) for row in chocolate.rows)
    count, widest = len(chocolate.rows), len(chocolate.rows[0])
    where = style.pick(
        f"Rows are numbered 1 to {count} from the top, columns 1 to {widest} from the left.",
        "A square is named by its row, counted from the top, and its column, counted from the"
        " left, both from 1.",
    )
    return Prompt(
        style.pick(
            "What is left of a bar of chocolate (# is a square, P the poisoned one, . a gap):\n\n"
            f"{picture}\n\nTwo players take turns biting. A bite chooses a square that is left and"
            " takes it together with all squares that are in its row or lower and in its column or"
            f" farther right. Whoever takes the poisoned square loses. {where} It is your turn."
            " Find a bite after which you win however your opponent plays.",
            f"A game of Chomp (# and P are the remaining squares, . is a gap):\n\n{picture}\n\nEach"
            " player in turn chooses one of the remaining squares; it is removed together with"
            " everything that is neither above it nor to the left of it. P must not be taken:"
            f" whoever has to do so has lost. {where} You move next. Which choice makes sure"
            " that you win?",
            f"{picture}\n\nTwo players eat this chocolate, of which the squares # and P are still"
            " there and those with a dot are gone. They take turns naming a square that is still"
            " there and eating it, and with it every square whose row is the same or further down"
            " and whose column is the same or further right. The square P is poisoned, and"
            f" the one who eats it loses. {where} You are to move, and your opponent makes no"
            " mistakes. What do you name?",
        )
        + " If every move lets your opponent win, the answer is: impossible.",
        form='the row and the column of the square, separated by a comma, or the word "impossible"',
    )


def steps(chocolate: Chocolate) -> list[str]:
    """How the opponent answers each bite that loses."""
    lines = []
    for bite in bites(chocolate.rows):
        left = bitten(chocolate.rows, bite)
        reply = next((it for it in bites(left) if not _wins(bitten(left, it))), None)
        told = "no reply wins" if reply is None else f"the reply ({reply[0]}, {reply[1]}) wins"
        many = len(bites(left))
        lines.append(f"({bite[0]}, {bite[1]}) leaves {many} square{'s' * (many != 1)}: {told}")
    return lines


def canon(chocolate: Chocolate) -> object:
    """Rows and columns may be exchanged, and empty ones left out."""
    rows = [row for row in chocolate.rows if row.strip(".")]
    columns = [column for column in map("".join, zip(*rows)) if column.strip(".")]
    return min(columns, ["".join(row) for row in zip(*columns)])


def hardness(chocolate: Chocolate) -> float:
    return len(bites(chocolate.rows))


def bites(rows: Bar) -> tuple[tuple[int, ...], ...]:
    """The squares that are left."""
    return tuple(
        (row, column)
        for row, line in enumerate(rows, start=1)
        for column, sign in enumerate(line, start=1)
        if sign != "."
    )


def bitten(rows: Bar, bite: tuple[int, ...]) -> Bar:
    """What a bite leaves."""
    row, column = bite
    return (
        *rows[: row - 1],
        *(line[: column - 1].ljust(len(line), ".") for line in rows[row - 1 :]),
    )


def _bit(square: tuple[int, ...], columns: int) -> int:
    return 1 << (square[0] - 1) * columns + square[1] - 1


@cache
def _zone(square: tuple[int, ...], rows: int, columns: int) -> int:
    """What a bite takes."""
    return sum(
        _bit((row, column), columns)
        for row in range(square[0], rows + 1)
        for column in range(square[1], columns + 1)
    )


@cache
def _stairs(rows: int, columns: int) -> tuple[int, ...]:
    """What can be left of a whole bar: in each row a number of squares, never more than above."""
    found = [0]
    for row in range(rows - 1, -1, -1):
        # Of the rows from here on, those whose first one is the longest.
        found = [
            (1 << row * columns) * ((1 << length) - 1) | rest
            for length in range(columns + 1)
            for rest in found
            if row == rows - 1 or (rest >> (row + 1) * columns) % (1 << columns) < 1 << length
        ]
    return tuple(found)


def _wins(rows: Bar) -> bool:
    """Whether the one to move wins, by play; larger bites are tried first."""
    keeps = _keeps(len(rows), len(rows[0]))

    def wins(left: int) -> bool:
        if left not in known:
            rest = left
            while rest:
                low = rest & -rest
                if not wins(left & keeps[low]):
                    break
                rest ^= low
            known[left] = rest != 0
        return known[left]

    known = {0: True}
    return wins(sum(1 << at for at, sign in enumerate("".join(rows)) if sign != "."))


@cache
def _keeps(rows: int, columns: int) -> dict[int, int]:
    """What a bite of each square, a bit row by row, leaves of a whole bar."""
    kept = {}
    for square in range(rows * columns):
        row, column = divmod(square, columns)
        above = (1 << row * columns) - 1
        left = sum(((1 << column) - 1) << line * columns for line in range(row, rows))
        kept[1 << square] = above | left
    return kept


LADDER = (
    Knobs(4, 4, 0.3),
    Knobs(4, 6, 0.3),
    Knobs(5, 6, 0.3),
    Knobs(6, 6, 0.2),
    Knobs(6, 7, 0.2),
)
FAMILY = Family(
    Chocolate,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.IntList(names=("row", "column"))),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="all that can be left, from the least on",
    guess_rate=0.25,
    steps=steps,
    canon=canon,
    skills=("games", "search"),
    peers=("TextArena/Chomp",),
    theme="heaps",
    version=6,
)
