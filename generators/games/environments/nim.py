"""Nim: several heaps; whoever takes the last object wins, or loses."""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Prompt
from puzzlemill.core.game import Game


@dataclass(frozen=True, slots=True)
class Heaps:
    sizes: tuple[int, ...]
    last_wins: bool
    mover: int


def reset(rng: Random, level: float) -> Heaps:
    most = 4 + round(level * 12)
    sizes = tuple(rng.randrange(1, most + 1) for _ in range(3 + round(level * 2)))
    return Heaps(sizes, rng.random() < 0.5, 0)


def to_move(heaps: Heaps) -> int:
    return heaps.mover


def legal(heaps: Heaps) -> tuple[tuple[int, ...], ...]:
    return tuple(
        (number, taken)
        for number, size in enumerate(heaps.sizes, start=1)
        for taken in range(1, size + 1)
    )


def step(heaps: Heaps, move: tuple[int, ...]) -> Heaps:
    number, taken = move
    sizes = list(heaps.sizes)
    sizes[number - 1] -= taken
    return Heaps(tuple(sizes), heaps.last_wins, 1 - heaps.mover)


def score(heaps: Heaps) -> tuple[float, float]:
    if any(heaps.sizes):
        return 0.0, 0.0
    # The other one took the last object.
    won = heaps.mover if not heaps.last_wins else 1 - heaps.mover
    return (1.0, -1.0) if won == 0 else (-1.0, 1.0)


def shown(heaps: Heaps, player: int) -> Prompt:
    sizes = "\n".join(f"heap {at}: {size}" for at, size in enumerate(heaps.sizes, start=1))
    end = "wins" if heaps.last_wins else "loses"
    return Prompt(
        "You play Nim against one opponent. The players take turns; in each, a player takes any"
        " number of objects, at least one, from a single heap. Whoever takes the last object of"
        f" all {end}. These objects are left:\n\n{sizes}\n\nIt is your turn.",
        form="the number of the heap and the number of objects to take from it, separated by a"
        " comma",
    )


KIND = answers.IntList()
GAME = Game(Heaps, reset, to_move, legal, step, score, shown, KIND.read, KIND.write)
