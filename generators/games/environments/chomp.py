"""Chomp: whoever eats the poisoned square loses."""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Prompt
from puzzlemill.core.game import Game
from puzzlemill.generators.games.chomp import Bar, bites, bitten


@dataclass(frozen=True, slots=True)
class Chocolate:
    rows: Bar
    mover: int


def reset(rng: Random, level: float) -> Chocolate:
    rows = rng.randrange(2, 4) + round(level * 3)
    columns = rng.randrange(3, 5) + round(level * 3)
    gone = [["#" if rng.random() < 0.85 else "." for _ in range(columns)] for _ in range(rows)]
    gone[0][:2] = "P#"
    return Chocolate(tuple(map("".join, gone)), 0)


def to_move(chocolate: Chocolate) -> int:
    return chocolate.mover


def legal(chocolate: Chocolate) -> tuple[tuple[int, ...], ...]:
    return bites(chocolate.rows)


def step(chocolate: Chocolate, bite: tuple[int, ...]) -> Chocolate:
    return Chocolate(bitten(chocolate.rows, bite), 1 - chocolate.mover)


def score(chocolate: Chocolate) -> tuple[float, float]:
    if bites(chocolate.rows):
        return 0.0, 0.0
    # The other one has eaten the poisoned square.
    return (1.0, -1.0) if chocolate.mover == 0 else (-1.0, 1.0)


def shown(chocolate: Chocolate, player: int) -> Prompt:
    picture = "\n".join(" ".join(row) for row in chocolate.rows)
    return Prompt(
        "You play Chomp against one opponent. This is what is left of the bar of chocolate (# is a"
        f" square, P the poisoned one, . a gap):\n\n{picture}\n\nA bite chooses a square that is"
        " left and takes it with all squares that are in its row or lower and in its column or"
        " farther right. Whoever takes the poisoned square loses. Rows are numbered from the top,"
        " columns from the left, both from 1. It is your turn.",
        form="the row and the column of the square, separated by a comma",
    )


KIND = answers.IntList()
GAME = Game(Chocolate, reset, to_move, legal, step, score, shown, KIND.read, KIND.write)
