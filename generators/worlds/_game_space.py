"""The moves that a game of two piles may have when its own are not told: all, and a search."""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import compress
from typing import TypeAlias

from puzzlemill.generators.worlds._game_engine import ALLOWED, TAKEN, Pair
from puzzlemill.generators.worlds._game_terms import SKINS, Move, move_told, piles, when_told

Bits: TypeAlias = tuple[int, int]  # positions, and what is shown of them
Shown: TypeAlias = tuple[Pair, tuple[Pair, ...]]  # a position, and all to which a move leads

# Of each kind of moves, its two numbers.
NUMBERS: dict[str, list[Pair]] = {
    "take": [(number, 0) for number in range(1, 6)],
    "range": [(least + more, least) for least in (1, 2) for more in (1, 2, 3)],
    "both": [(number, 0) for number in range(1, 6)],
    "carry": [(number, lost) for number in range(2, 6) for lost in range(1, number)],
    "halve": [(0, 0)],
    "third": [(0, 0)],
    "leave": [(number, 0) for number in range(4)],
    "match": [(0, 0)],
}
BOUNDS = range(3, 9)
BOUNDED = ("at least", "at most")


@lru_cache(maxsize=64)
def every(kinds: tuple[str, ...], conditions: tuple[str, ...]) -> list[Move]:
    """All moves of these kinds, always allowed or under one of these conditions."""
    when = [("", 0)]
    when += [(it, bound) for it in conditions for bound in (BOUNDS if it in BOUNDED else (0,))]
    return [(kind, *numbers, *it) for kind in kinds for numbers in NUMBERS[kind] for it in when]


def results(kind: str, number: int, second: int, mine: int, their: int) -> list[Pair]:
    """The engine: what the chosen pile and the other one hold after a move, were it allowed."""
    found = []
    for taken in TAKEN[kind](number, second, mine, their):
        change = {"both": -taken, "carry": taken - second}.get(kind, 0)
        if 0 < taken <= mine and their + change >= 0:
            found.append((mine - taken, their + change))
    return found


def made(moves: Sequence[Move], shown: Sequence[Shown]) -> list[Bits]:
    """Of each move: the positions in which it leads to what is not shown, and what is shown that it
    leads to. What it leads to out of either pile and where its condition allows it are found apart:
    there are far fewer of these than moves."""
    lines = [(at, after) for at, (_, reached) in enumerate(shown) for after in reached]
    places: dict[tuple[int, tuple[int, ...]], int]
    places = {line: 1 << number for number, line in enumerate(lines)}
    blocks = [sum(places[at, after] for after in reached) for at, (_, reached) in enumerate(shown)]

    @cache
    def led(way: int, kind: str, number: int, second: int) -> Bits:
        wrong = right = 0
        for at, (pair, _) in enumerate(shown):
            for after in results(kind, number, second, *pair[::way]):
                place = places.get((at, after[::way]), 0)
                right |= place
                wrong |= 0 if place else 1 << at
        return wrong, right

    @cache
    def able(way: int, condition: str, bound: int) -> Bits:
        allowed = [ALLOWED[condition](bound, *pair[::way]) for pair, _ in shown]
        return sum(1 << at for at, yes in enumerate(allowed) if yes), sum(compress(blocks, allowed))

    found = []
    for kind, number, second, condition, bound in moves:
        wrong = right = 0
        for way in (1, -1):  # out of the first pile, and out of the second
            some, all_ = led(way, kind, number, second), able(way, condition, bound)
            wrong, right = wrong | some[0] & all_[0], right | some[1] & all_[1]
        found.append((wrong, right))
    return found


def explaining(
    each: Sequence[Bits], shown: Sequence[Shown], kept: Sequence[Shown], count: int
) -> Iterator[frozenset[int]]:
    """All sets of so many moves, by their places, that lead to what is shown of the positions kept,
    and to nothing else."""
    wanted = seen = number = 0
    for at, example in enumerate(shown):
        bits = (1 << len(example[1])) - 1 << number
        number += len(example[1])
        if example in kept:
            seen, wanted = seen | 1 << at, wanted | bits
    able = [(at, right & wanted) for at, (wrong, right) in enumerate(each) if not wrong & seen]
    found = set[frozenset[int]]()

    def chosen(moves: frozenset[int], left: int) -> Iterator[frozenset[int]]:
        if len(moves) == count:
            if not left and moves not in found:
                found.add(moves)
                yield moves
            return
        first = left & -left  # the first result that no move leads to yet
        for at, right in able:
            if at not in moves and right & first == first:
                yield from chosen(moves | {at}, left & ~right)

    return chosen(frozenset(), wanted)


def kind_told(skin: str, kind: str) -> str:
    """All moves of a kind, with letters for numbers."""
    pile, _, many = SKINS[skin]
    numbered = {
        "take": f"take N {many} out of the chosen {pile}, N being 1 to 5",
        "range": f"take from M to N {many}, as the player likes, out of the chosen {pile}, M being"
        " 1 or 2, and N being M + 1, M + 2 or M + 3",
        "both": f"take N {many} out of each of the two {piles(skin)}, N being 1 to 5",
        "carry": f"take N {many} out of the chosen {pile} and put M of them into the other one, N"
        " being 2 to 5, and M being 1 to N - 1",
        "leave": f"take {many} out of the chosen {pile} until exactly N of them are left, N being 0"
        " to 3",
    }
    return numbered.get(kind) or move_told(skin, (kind, 0, 0, "", 0))


def conditions_told(skin: str, conditions: Sequence[str]) -> str:
    told = []
    for condition in conditions:
        numbers = f", N being {BOUNDS[0]} to {BOUNDS[-1]}" if condition in BOUNDED else ""
        told.append(f"{when_told(skin, condition, 'N')}{numbers}")
    return "; ".join(told)
