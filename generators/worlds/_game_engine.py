"""Games of two piles solved by a table of all positions."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import compress, repeat
from operator import and_, or_
from typing import TypeAlias

from puzzlemill.generators.worlds._game_terms import End, Move

Pair: TypeAlias = tuple[int, int]

STRIDE = 8  # tables of positions are kept for multiples of so many things

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
    for (less, more), win in zip(_positions(whole), wins(moves, end, barred, misere, whole)):
        won[less, more] = won[more, less] = win
    return won


def starts(
    moves: tuple[Move, ...], end: End, barred: int, misere: bool, most: int, other: int
) -> Iterator[bool]:
    """Whether the first player wins with 1, 2, ... in the first pile, and the other number in the
    second."""
    return compress(wins(moves, end, barred, misere, most + other), _asked(most, other))


def wins(
    moves: tuple[Move, ...], end: End, barred: int, misere: bool, whole: int
) -> Iterator[bool]:
    """Whether the player to move wins, for all positions of so many things at most: those of fewer
    things first, and then by the smaller pile. A set of positions is an integer, with a bit for
    each."""
    whole += -whole % STRIDE
    allowed = _allowed(barred, whole)  # positions that a move may lead to
    winning = _won_at_once(end, whole) & allowed  # and those of them that it wins by
    bit = 1
    for after in _reached(moves, whole):
        win = after & winning != 0 if after & allowed else misere
        if not win:
            winning |= bit & allowed
        yield win
        bit <<= 1


def _reached(moves: tuple[Move, ...], whole: int) -> Iterable[int]:
    """What the moves lead to from each position."""
    found: Iterable[int] = repeat(0, len(_positions(whole)))
    for word, number, second, condition, bound in moves:
        out_of_less, out_of_more, out_of_either = _led(word, number, second, whole)
        after: Iterable[int] = out_of_either
        if condition:
            less, more = _able(condition, bound, whole)
            after = map(or_, map(and_, out_of_less, less), map(and_, out_of_more, more))
        found = map(or_, found, after)
    return found


@lru_cache(maxsize=8)
def _positions(whole: int) -> list[Pair]:
    """The smaller and the larger pile of each position, in order."""
    return [(less, size - less) for size in range(whole + 1) for less in range(size // 2 + 1)]


@lru_cache(maxsize=64)
def _asked(most: int, other: int) -> list[bool]:
    """Which positions have the other number in one pile and 1, ..., most in the other one."""
    return [
        (less == other and 0 < more <= most) or (more == other and 0 < less <= most)
        for less, more in _positions(most + other)
    ]


@lru_cache(maxsize=64)
def _allowed(barred: int, whole: int) -> int:
    """The positions of which no pile holds what is barred."""
    return _set(barred == 0 or barred not in pair for pair in _positions(whole))


@lru_cache(maxsize=64)
def _won_at_once(end: End, whole: int) -> int:
    word, number = end
    return _set(word != "" and AT_ONCE[word](number, *pair) for pair in _positions(whole))


@lru_cache(maxsize=64)
def _led(word: str, number: int, second: int, whole: int) -> tuple[list[int], list[int], list[int]]:
    """The positions to which a move leads from each, were it allowed: out of the smaller pile, out
    of the larger, out of either."""

    def after(mine: int, their: int) -> int:
        bits = 0
        for taken in TAKEN[word](number, second, mine, their):
            a, b = mine - taken, their
            if word in ("both", "carry"):
                b += taken - second if word == "carry" else -taken
            if taken > 0 and a >= 0 and b >= 0:
                bits |= 1 << (a + b + 1) ** 2 // 4 + min(a, b)
        return bits

    less = [after(less, more) for less, more in _positions(whole)]
    more = [after(more, less) for less, more in _positions(whole)]
    return less, more, [*map(or_, less, more)]


@lru_cache(maxsize=64)
def _able(condition: str, bound: int, whole: int) -> tuple[list[int], list[int]]:
    """Where a move under a condition is allowed, out of the smaller pile and out of the larger: -1
    (all bits) or 0."""
    allowed = ALLOWED[condition]
    return (
        [-allowed(bound, less, more) for less, more in _positions(whole)],
        [-allowed(bound, more, less) for less, more in _positions(whole)],
    )


def _set(which: Iterable[bool]) -> int:
    """The positions for which it is true."""
    return sum(1 << at for at, yes in enumerate(which) if yes)
