"""Games of two piles solved by a table of all positions."""

from collections.abc import Callable, Iterable
from functools import lru_cache
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
    """For each position of so many things at most, whether the player to move wins; small totals
    come first."""
    word, number = end
    every = [_led(move, whole) for move in moves]
    won, worth = dict[Pair, bool](), dict[Pair, bool | None]()  # a move that leads there; None: no
    for size in range(whole + 1):
        for less in range(size // 2 + 1):
            pair = less, size - less
            wins = _wins(every, pair, worth)
            won[pair] = won[pair[::-1]] = misere if wins is None else wins
            no = barred > 0 and barred in pair
            at_once = bool(word) and AT_ONCE[word](number, *pair)
            value = None if no else at_once or not won[pair]
            worth[pair] = worth[pair[::-1]] = value
    return won


def _wins(
    moves: list[dict[Pair, list[Pair]]], pair: Pair, worth: dict[Pair, bool | None]
) -> bool | None:
    """Whether a move wins; None where there is no move."""
    found = None
    for led in moves:
        for here in (pair, pair[::-1]):
            for then in led.get(here, ()):
                value = worth[then]
                if value:
                    return True
                found = found if value is None else False
    return found


@lru_cache(maxsize=64)
def _led(move: Move, whole: int) -> dict[Pair, list[Pair]]:
    """Where a move leads, from each chosen and other pile of so many things at most."""
    word, number, second, condition, bound = move
    found = dict[Pair, list[Pair]]()
    for mine in range(1, whole + 1):
        for their in range(whole - mine + 1):
            if not ALLOWED[condition](bound, mine, their):
                continue
            for taken in TAKEN[word](number, second, mine, their):
                a, b = mine - taken, their
                if word in ("both", "carry"):
                    b += taken - second if word == "carry" else -taken
                if taken > 0 and a >= 0 and b >= 0:
                    found.setdefault((mine, their), []).append((a, b))
    return found
