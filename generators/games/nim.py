"""Nim: several heaps, take as many as you like from one; which move wins?

Ordinary, with the last object losing, or with a bound on what may be taken. Every winning move is
right. `solve` builds tables of Grundy numbers from the moves; `verify` looks only at the heaps left
over and uses Bouton's theorem; `recheck` plays small games out and adds large ones bit by bit.
"""

from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import xor
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE
from puzzlemill.core.answers.impossible import Impossible
from puzzlemill.core.family import Family, Prompt, Style

HOPELESS = 0.15  # share of positions without a winning move

LATE = 0.06  # share of positions, where the last object loses, in which that makes a difference

# Whoever takes the last object wins; or loses; or wins, but at most so many may be taken.
Rule = Literal["last wins", "last loses", "bounded"]


@dataclass(frozen=True, slots=True)
class Knobs:
    heaps: int  # of objects, or one fewer of many
    most: int  # objects in a heap
    rule: Rule


@dataclass(frozen=True, slots=True)
class Heaps:
    sizes: tuple[int, ...]
    rule: Rule
    bound: int  # objects that may be taken at once; 0: no bound


def generate(rng: Random, knobs: Knobs) -> Heaps | None:
    count = knobs.heaps - rng.randrange(2) * (knobs.heaps > 5)
    bound = rng.randrange(2, max(knobs.most // 3, 2) + 2) if knobs.rule == "bounded" else 0
    hopeless = rng.random() < HOPELESS
    for _ in range(100):
        sizes = [rng.randrange(1, knobs.most + 1) for _ in range(count)]
        if knobs.rule == "last loses" and rng.random() < LATE:
            sizes = [1] * (count + rng.randrange(4))
            sizes[rng.randrange(len(sizes))] = rng.randrange(2, knobs.most + 1)
        elif hopeless:
            modulus = bound + 1 if bound else knobs.most + 1
            sizes[-1] = reduce(xor, (size % modulus for size in sizes[:-1]))
            rng.shuffle(sizes)
        if min(sizes) < 1 or not 2 <= max(sizes) <= knobs.most:
            continue
        heaps = Heaps(tuple(sizes), knobs.rule, bound)
        if (solve(heaps) is IMPOSSIBLE) == hopeless:
            return heaps
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(heaps: Heaps) -> tuple[int, ...] | Impossible:
    """Tries every move on Grundy numbers; where only ones are left, it counts them."""
    for number, size in enumerate(heaps.sizes):
        for taken in range(1, min(size, heaps.bound or size) + 1):
            left = list(heaps.sizes)
            left[number] -= taken
            if _lost(left, heaps):
                return number + 1, taken
    return IMPOSSIBLE


def verify(heaps: Heaps, move: tuple[int, ...] | Impossible) -> float:
    modulus = heaps.bound + 1 if heaps.bound else max(heaps.sizes) + 1
    residues = [size % modulus for size in heaps.sizes]
    total = reduce(xor, residues)
    if isinstance(move, Impossible):
        # The player to move has lost where nothing is over, or among ones, an odd number of them.
        ones = heaps.rule == "last loses" and max(residues) < 2
        return float(total == (1 if ones else 0))
    if len(move) != 2:
        return 0.0
    number, taken = move
    if not 1 <= number <= len(residues) or not 1 <= taken <= (heaps.bound or taken):
        return 0.0
    if taken > heaps.sizes[number - 1]:
        return 0.0
    residues[number - 1] = (heaps.sizes[number - 1] - taken) % modulus
    wanted = 1 if heaps.rule == "last loses" and max(residues) < 2 else 0
    return float(reduce(xor, residues) == wanted)


def recheck(heaps: Heaps, move: tuple[int, ...] | Impossible) -> bool:
    """By play, down from the position: small heaps whole, else bit by bit."""
    if isinstance(move, Impossible):
        return all(
            not recheck(heaps, (number, taken))
            for number, size in enumerate(heaps.sizes, start=1)
            for taken in range(1, min(size, heaps.bound or size) + 1)
        )
    if len(move) != 2 or not 1 <= move[0] <= len(heaps.sizes):
        return False
    size, taken = heaps.sizes[move[0] - 1], move[1]
    if not 1 <= taken <= min(size, heaps.bound or size):
        return False
    left = [*heaps.sizes]
    left[move[0] - 1] = size - taken
    if heaps.bound:
        left = [it % (heaps.bound + 1) for it in left]
    small = len(left) <= 4 and max(left) <= 9
    if small:
        return not _wins(tuple(sorted(it for it in left if it)), heaps.rule == "last loses")
    if heaps.rule == "last loses" and sum(it > 1 for it in left) < 2:
        # One large heap can be brought down to one or to nothing, whichever is needed.
        return max(left) < 2 and sum(left) % 2 == 1
    return all(sum(it >> bit & 1 for it in left) % 2 == 0 for bit in range(max(left).bit_length()))


def render(heaps: Heaps, style: Style) -> Prompt:
    sizes = ", ".join(map(str, heaps.sizes))
    many = len(heaps.sizes)
    bound = f" at most {heaps.bound}" if heaps.bound else " any number"
    of = "" if heaps.bound else " (at least one, up to all)"
    least = " but at least one" if heaps.bound else ""
    end = {
        "last loses": style.pick(
            "Whoever has to take the last object of all loses.",
            "The one who takes the very last object has lost.",
        )
    }.get(
        heaps.rule,
        style.pick(
            "Whoever takes the last object of all wins.",
            "The player who makes the last move, so that nothing is left, is the winner.",
        ),
    )
    return Prompt(
        style.pick(
            f"Two players take turns. There are {many} heaps with {sizes} objects (heap 1, heap 2,"
            f" and so on). In a turn a player chooses one heap and takes{bound} of its"
            f" objects{of}{least}. {end} It is your turn. Find a move after which you win however"
            " your opponent plays.",
            f"A game of Nim: the heaps, numbered from 1 in this order, hold {sizes} matches"
            f" (called objects here). Each player in turn removes{bound} of the objects of a single"
            f" heap{of}{least}. {end} You move next. Which move makes sure that you win?",
            f"Heaps of objects: {sizes}. They are numbered 1 to {many} from the left. Two"
            f" players take turns, and each turn removes{bound} of the objects of one"
            f" heap{of}{least}. {end} You are to move, and your opponent makes no mistakes. What do"
            " you do?",
        )
        + " If every move lets your opponent win, the answer is: impossible.",
        form="the number of the heap and the number of objects to take from it, separated by a"
        ' comma, or the word "impossible"',
    )


def steps(heaps: Heaps) -> list[str]:
    """The heaps in binary, their sum without carrying, and what each heap would have to become."""
    values = [_grundy(size, heaps.bound) for size in heaps.sizes]
    total = reduce(xor, values)
    lines = [
        f"heap {number}: {size}, worth {value} = {value:b} in binary"
        for number, (size, value) in enumerate(zip(heaps.sizes, values), start=1)
    ]
    lines.append(f"sum without carrying: {total:b}")
    for number, value in enumerate(values, start=1):
        if value ^ total < value:
            lines.append(f"heap {number} would have to be worth {value ^ total}")
    gold = solve(heaps)
    if isinstance(gold, Impossible):
        return [*lines, "no move wins"]
    return [*lines, f"take {gold[1]} from heap {gold[0]}"]


def canon(heaps: Heaps) -> object:
    return sorted(heaps.sizes), heaps.rule, heaps.bound


def hardness(heaps: Heaps) -> float:
    return sum(size.bit_length() for size in heaps.sizes)


def _lost(left: list[int], heaps: Heaps) -> bool:
    """Whether the player who is to move now loses."""
    values = [_grundy(size, heaps.bound) for size in left]
    if heaps.rule == "last loses" and all(size < 2 for size in left):
        return sum(left) % 2 == 1
    return reduce(xor, values) == 0


@lru_cache(maxsize=4096)
def _grundy(size: int, bound: int) -> int:
    """The least number that no move from a heap of this size leads to."""
    table: list[int] = []
    for heap in range(size + 1):
        reached = set(table[-bound:] if bound else table)
        table.append(next(value for value in range(heap + 1) if value not in reached))
    return table[size]


@lru_cache(maxsize=65536)
def _wins(sizes: tuple[int, ...], misere: bool) -> bool:
    """Whether the player to move wins, by trying everything."""
    if not sizes:
        return misere
    return any(
        not _wins(tuple(sorted(it for it in (*sizes[:at], rest, *sizes[at + 1 :]) if it)), misere)
        for at, size in enumerate(sizes)
        for rest in range(size)
    )


LADDER = (
    Knobs(3, 7, "last wins"),
    Knobs(5, 25, "last wins"),
    Knobs(5, 50, "last loses"),
    Knobs(6, 90, "bounded"),
    Knobs(8, 200, "last wins"),
)
FAMILY = Family(
    Heaps,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.IntList(names=("heap", "objects"))),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="Grundy numbers by the rule of the least excluded",
    guess_rate=0.2,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("games", "arithmetic"),
    peers=("RLVE/new_nim_game", "TextArena/Nim"),
    theme="heaps",
    version=2,
)
