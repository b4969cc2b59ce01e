"""The reader of games of two piles: what the moves lead to, as they are told, and who wins."""

from collections.abc import Iterator, Sequence
from functools import cache

from puzzlemill.generators.worlds._game_engine import Pair
from puzzlemill.generators.worlds._game_terms import End, Move


def reached(moves: Sequence[Move], barred: int, one: int, two: int) -> Iterator[Pair]:
    """What the two piles hold after each allowed move, of the first pile and then of the second."""
    for turned in (False, True):
        chosen, other = (two, one) if turned else (one, two)
        for move in moves:
            for after in _carried_out(move, chosen, other):
                if barred == 0 or barred not in after:
                    yield after[::-1] if turned else after


def won(
    moves: Sequence[Move], misere: bool, end: End, barred: int, most: int, other: int
) -> set[int]:
    """The numbers in the first pile, up to the most, with which the first player wins."""

    @cache
    def first_wins(one: int, two: int) -> bool:
        after = None
        for after in reached(moves, barred, one, two):
            if ended(end, *after) or not first_wins(*after):
                return True
        return misere if after is None else False

    return {n for n in range(1, most + 1) if first_wins(n, other)}


def ended(end: End, one: int, two: int) -> bool:
    """Whether who moved so has won at once."""
    match end:
        case "equal", _:
            return one == two
        case "total", total:
            return one + two == total
        case "exactly", number:
            return number in {one, two}
    return False


def _carried_out(move: Move, chosen: int, other: int) -> Iterator[Pair]:
    word, number, second, condition, bound = move
    match condition:
        case "even" if chosen % 2 == 1:
            return
        case "odd" if chosen % 2 == 0:
            return
        case "larger" if chosen <= other:
            return
        case "smaller" if chosen >= other:
            return
        case "at least" if chosen < bound:
            return
        case "at most" if chosen > bound:
            return
        case "third" if chosen not in range(0, chosen + 1, 3):
            return
        case "other even" if other % 2 == 1:
            return
        case "other odd" if other % 2 == 0:
            return
    match word:
        case "take" if chosen >= number:
            yield chosen - number, other
        case "range":
            for many in range(second, number + 1):
                if many <= chosen:
                    yield chosen - many, other
        case "both" if chosen >= number and other >= number:
            yield chosen - number, other - number
        case "carry" if chosen >= number:
            yield chosen - number, other + number - second
        case "halve" if chosen > 0:
            yield chosen // 2, other
        case "third" if chosen > 0:
            yield 2 * chosen // 3, other
        case "leave" if chosen > number:
            yield number, other
        case "match" if chosen >= other > 0:
            yield chosen - other, other
