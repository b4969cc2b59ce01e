"""Games of two piles solved by a table of all positions."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import count
from operator import or_
from typing import TypeAlias

from puzzlemill.generators.worlds._game_terms import End, Move

Pair: TypeAlias = tuple[int, int]

# How many a move may take out of the chosen pile, by its numbers and the two piles.
TAKEN: dict[str, Callable[[int, int, int, int], Iterable[int]]] = {
    "take": lambda number, second, mine, their: (number,),
    "range": lambda number, second, mine, their: range(second, number + 1),
    "both": lambda number, second, mine, their: (number,),
    "carry": lambda number, second, mine, their: (number,),
    "halve": lambda number, second, mine, their: ((mine + 1) // 2,),
    "third": lambda number, second, mine, their: ((mine + 2) // 3,),
    "leave": lambda number, second, mine, their: (mine - number,),
    "match": lambda number, second, mine, their: (their,),
}
ALLOWED: dict[str, Callable[[int, int, int], bool]] = {
    "": lambda bound, mine, their: True,
    "even": lambda bound, mine, their: not mine & 1,
    "odd": lambda bound, mine, their: bool(mine & 1),
    "larger": lambda bound, mine, their: mine > their,
    "smaller": lambda bound, mine, their: mine < their,
    "at least": lambda bound, mine, their: mine >= bound,
    "at most": lambda bound, mine, their: mine <= bound,
    "third": lambda bound, mine, their: not mine % 3,
    "other even": lambda bound, mine, their: not their & 1,
    "other odd": lambda bound, mine, their: bool(their & 1),
}

AT_ONCE: dict[str, Callable[[int, int, int], bool]] = {
    "equal": lambda number, one, two: one == two,
    "total": lambda number, one, two: one + two == number,
    "exactly": lambda number, one, two: number in (one, two),
}


def table(
    moves: tuple[Move, ...], end: End, barred: int, misere: bool, whole: int
) -> dict[Pair, bool]:
    """For each position of so many things at most, whether the player to move wins."""
    won = dict[Pair, bool]()
    for size, wins in zip(range(whole + 1), totals(moves, end, barred, misere)):
        for less, win in enumerate(wins):
            won[less, size - less] = won[size - less, less] = win
    return won


def totals(moves: tuple[Move, ...], end: End, barred: int, misere: bool) -> Iterator[list[bool]]:
    """Whether the player to move wins, for all positions of one thing after those of none, and so
    on; by what the smaller pile holds. A set of positions is an integer, with a bit for each."""
    word, number = end
    allowed = winning = 0  # positions that a move may lead to, and those that it wins by
    bit = 1
    for size in count():
        wins, reached = list[bool](), [0] * (size // 2 + 1)
        for move in moves:
            reached = [*map(or_, reached, _led(move, size))]
        for less, after in enumerate(reached):
            win = after & winning != 0 if after & allowed else misere
            wins.append(win)
            if not barred or barred not in (less, size - less):
                allowed |= bit
                if not win or (word and AT_ONCE[word](number, less, size - less)):
                    winning |= bit
            bit <<= 1
        yield wins


@lru_cache(maxsize=1 << 11)
def _led(move: Move, size: int) -> list[int]:
    """The positions to which a move leads, from those of so many things, by the smaller pile."""
    word, number, second, condition, bound = move
    after = _after(word, number, second, size)
    if condition:
        able = _able(condition, bound, size)
        after = [bits if may else 0 for bits, may in zip(after, able)]
    return [one | two for one, two in zip(after[: size // 2 + 1], after[::-1])]


@lru_cache(maxsize=1 << 11)
def _after(word: str, number: int, second: int, size: int) -> list[int]:
    """The same without a condition, by the chosen pile."""
    found = []
    for mine in range(size + 1):
        bits, their = 0, size - mine
        for taken in TAKEN[word](number, second, mine, their):
            a, b = mine - taken, their
            if word in ("both", "carry"):
                b += taken - second if word == "carry" else -taken
            if taken > 0 and a >= 0 and b >= 0:
                bits |= 1 << (a + b + 1) ** 2 // 4 + min(a, b)
        found.append(bits)
    return found


@lru_cache(maxsize=1 << 10)
def _able(condition: str, bound: int, size: int) -> list[bool]:
    """Whether a move under a condition is allowed, by the chosen pile."""
    return [ALLOWED[condition](bound, mine, size - mine) for mine in range(size + 1)]
