"""Take away: heaps from which only certain numbers may be taken, or which may be split; who wins?

Every winning move is right; it is told by the heaps that it leaves. `solve` gives each size of heap
its Grundy number. `verify` plays out the game that is left, on whole positions; there two heaps of
one size are as good as none, since one player can copy on one what the other does on its twin.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import pairwise
from operator import xor
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE
from puzzlemill.core.answers.impossible import Impossible
from puzzlemill.core.family import Family, Prompt, Style

HOPELESS = 0.15  # share of positions without a winning move
DRAWS = 200
RICH = 0.25  # share of the moves that may win

# A heap is never split; or it may be split in two instead of taking from it; or what is left of it
# may be split in two once something has been taken, in the same turn.
Split = Literal["never", "instead", "after"]
Sizes = tuple[int, ...]  # in order, without empty heaps


@dataclass(frozen=True, slots=True)
class Knobs:
    heaps: int  # at the start
    most: int  # objects, in all heaps together
    numbers: int  # how many numbers may be taken
    split: Split


@dataclass(frozen=True, slots=True)
class Game:
    heaps: Sizes
    numbers: tuple[int, ...]  # of objects that one may take
    split: Split


def generate(rng: Random, knobs: Knobs) -> Game | None:
    hopeless = rng.random() < HOPELESS
    for _ in range(DRAWS):
        numbers = tuple(sorted(rng.sample(range(1, 5 + 2 * knobs.numbers), knobs.numbers)))
        total = rng.randrange(knobs.most * 2 // 3, knobs.most + 1)
        cuts = sorted(rng.sample(range(1, total), knobs.heaps - 1))
        heaps = tuple(sorted(b - a for a, b in pairwise([0, *cuts, total])))
        game = Game(heaps, numbers, knobs.split)
        moves = set(_moves(heaps, numbers, knobs.split))
        if len(moves) < 3:
            continue
        values = _values(heaps[-1], numbers, knobs.split)
        winning = sum(reduce(xor, (values[it] for it in left), 0) == 0 for left in moves)
        if (winning == 0) == hopeless and winning <= RICH * len(moves):
            return game
    return None


def solve(game: Game) -> Sizes | Impossible:
    """Grundy numbers: each the least that no move from a heap of that size leads to."""
    values = _values(game.heaps[-1], game.numbers, game.split)
    for left in _moves(game.heaps, game.numbers, game.split):
        if reduce(xor, (values[it] for it in left), 0) == 0:
            return left or (0,)
    return IMPOSSIBLE


def verify(game: Game, left: Sizes | Impossible) -> float:
    moves = set(_moves(game.heaps, game.numbers, game.split))
    if isinstance(left, Impossible):
        return float(all(_wins(_unpaired(it), game.numbers, game.split) for it in moves))
    sizes = tuple(sorted(it for it in left if it != 0))
    return float(sizes in moves and not _wins(_unpaired(sizes), game.numbers, game.split))


def recheck(game: Game, left: Sizes | Impossible) -> bool:
    """By what went and what came, and the Grundy numbers of all heaps together."""
    values = _values(game.heaps[-1], game.numbers, game.split)
    if isinstance(left, Impossible):
        # Some move wins just if the numbers do not cancel.
        return reduce(xor, (values[it] for it in game.heaps)) == 0
    before, after = Counter(game.heaps), Counter(it for it in left if it)
    went, came = list((before - after).elements()), list((after - before).elements())
    if len(went) != 1 or len(came) > 2 or (came and min(came) < 0):
        return False
    taken = went[0] - sum(came)
    legal = {
        "never": len(came) < 2 and taken in game.numbers,
        "instead": taken == 0 if len(came) == 2 else taken in game.numbers,
        "after": taken in game.numbers,
    }[game.split]
    return legal and reduce(xor, (values[it] for it in after.elements()), 0) == 0


def render(game: Game, style: Style) -> Prompt:
    heaps = ", ".join(map(str, game.heaps))
    numbers = [str(it) for it in game.numbers]
    may = numbers[0] if len(numbers) == 1 else f"{', '.join(numbers[:-1])} or {numbers[-1]}"
    split = {
        "never": "",
        "instead": style.pick(
            " Instead of taking, a player may split a heap into two heaps, neither of them empty.",
            " Or the player splits one heap into two (each with at least one object) and takes"
            " nothing in that turn.",
        ),
        "after": style.pick(
            " If something is left of that heap, the player may then, in the same turn, split the"
            " rest of it into two heaps, neither of them empty.",
            " What remains of that heap may, as part of the same move, be divided into two heaps"
            " with at least one object each.",
        ),
    }[game.split]
    end = style.pick(
        "A player who cannot move loses.",
        "Whoever has no move left loses the game.",
        "The game is lost by the player who is to move and cannot.",
    )
    return Prompt(
        style.pick(
            f"Two players take turns with heaps of objects; now the heaps have the sizes"
            f" {heaps}. In a turn a player takes {may} objects from one heap, if it has that many;"
            f" no other number may be taken.{split} {end} You are to move. Which sizes can you"
            " leave, so that you win whatever your opponent does?",
            f"Heaps: {heaps}. A move is to remove objects from a single heap, and their number has"
            f" to be {may}.{split} {end} It is your move, and both sides play perfectly. Make a"
            " move that wins, and say which heaps there are after it.",
            f"In a game for two players there are heaps, at present of {heaps} objects. Whoever is"
            f" to move chooses a heap and takes exactly {may} objects from it (not more than it"
            f" has).{split} {end} Find a winning move for the player whose turn it is; give the"
            " heaps as they are afterwards.",
        )
        + " If no move wins, the answer is: impossible.",
        form="the sizes of all heaps after your move, in any order, separated by commas (an empty"
        ' heap is left out or written as 0; if all are empty, write 0), or the word "impossible"',
    )


def slips(rng: Random, game: Game, gold: Sizes | Impossible) -> Iterator[Sizes]:
    """Moves that leave the other player one that wins, first those with as many heaps as gold."""
    moves = sorted({left or (0,) for left in _moves(game.heaps, game.numbers, game.split)})
    likest = len(moves[0] if isinstance(gold, Impossible) else gold)
    yield from sorted(rng.sample(moves, len(moves)), key=lambda left: len(left) != likest)


def steps(game: Game) -> list[str]:
    """The Grundy numbers, their sum, and the move."""
    values = _values(game.heaps[-1], game.numbers, game.split)
    lines = [f"a heap of {size} is worth {value}" for size, value in enumerate(values)]
    total = reduce(xor, (values[it] for it in game.heaps))
    lines.append(f"sum without carrying in binary: {total}")
    gold = solve(game)
    if isinstance(gold, Impossible):
        return [*lines, "no move makes a sum of 0"]
    worth = ", ".join(f"{size} ({values[size]})" for size in gold)
    return [*lines, f"leave {worth}: their sum is 0"]


def canon(game: Game) -> object:
    return game.heaps, game.numbers, game.split


def hardness(game: Game) -> float:
    ways = len(game.numbers) * {"never": 1, "instead": 2, "after": 3}[game.split]
    return sum(game.heaps) + ways


def _moves(heaps: Sizes, numbers: tuple[int, ...], split: Split) -> Iterator[Sizes]:
    """What each move leaves."""
    for place, size in enumerate(heaps):
        if place and heaps[place - 1] == size:
            continue
        others = heaps[:place] + heaps[place + 1 :]
        rests = [size - taken for taken in numbers if taken <= size]
        cut = {"never": [], "instead": [size], "after": rests}[split]
        for rest in rests:
            yield tuple(sorted((*others, rest))) if rest else others
        for whole in cut:
            for part in range(1, whole // 2 + 1):
                yield tuple(sorted((*others, part, whole - part)))


@lru_cache(maxsize=1024)
def _values(most: int, numbers: tuple[int, ...], split: Split) -> tuple[int, ...]:
    """The Grundy number of each size of heap."""
    table = [0]
    for size in range(1, most + 1):
        reached = set()
        rests = [size - taken for taken in numbers if taken <= size]
        if split != "after":
            reached |= {table[rest] for rest in rests}
        for whole in [size] if split == "instead" else rests if split == "after" else []:
            reached |= {table[part] ^ table[whole - part] for part in range(whole // 2 + 1)
                        if part or split == "after"}  # fmt: skip
        table.append(next(value for value in range(size * size + 2) if value not in reached))
    return tuple(table)


def _unpaired(heaps: Sizes) -> int:
    """The sizes of which there is an odd number of heaps, as a set of bits."""
    odd = 0
    for size in heaps:
        odd ^= 1 << size
    return odd & ~1  # of no size but 0


@lru_cache(maxsize=4096)
def _turns(size: int, numbers: tuple[int, ...], split: Split) -> tuple[int, ...]:
    """What each move with a heap of this size turns of the sizes that are there oddly often."""
    lefts = set(_moves((size,), numbers, split))
    return tuple(sorted({_unpaired((size, *left)) for left in lefts}, reverse=True))


@lru_cache(maxsize=64)
def _played(numbers: tuple[int, ...], split: Split) -> tuple[set[int], set[int]]:
    """The positions played so far that the player to move loses, and those that one wins."""
    return {0}, set()


def _wins(odd: int, numbers: tuple[int, ...], split: Split) -> bool:
    """Whether the player to move wins, by play; what leaves the smallest heaps is looked at
    first."""
    lost, won = _played(numbers, split)

    def wins(odd: int) -> bool:
        if odd in lost or odd in won:
            return odd in won
        moves, left = list[int](), odd
        while left:
            size = left.bit_length() - 1
            left ^= 1 << size
            some = [odd ^ turned for turned in _turns(size, numbers, split)]
            # A move that is known to win spares the play of all others.
            if not lost.isdisjoint(some):
                won.add(odd)
                return True
            moves += some
        winning = not all(map(wins, sorted(moves)))
        (won if winning else lost).add(odd)
        return winning

    return wins(odd)


LADDER = (
    Knobs(3, 14, 2, "never"),
    Knobs(4, 37, 3, "never"),
    Knobs(4, 37, 4, "instead"),
    Knobs(4, 37, 4, "after"),
    Knobs(5, 42, 5, "after"),
)
FAMILY = Family(
    Game,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.IntBag()),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="Grundy numbers",
    guess_rate=0.2,
    steps=steps,
    slips=slips,
    slips_version=2,
    canon=canon,
    skills=("games", "arithmetic"),
    peers=("RLVE/splitting_game", "RLVE/taking_prime_game"),
    theme="heaps",
    version=3,
)
