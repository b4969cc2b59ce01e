"""Dots and boxes: whoever completes a box takes it and moves again."""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Prompt
from puzzlemill.core.game import Game
from puzzlemill.generators.games._boxes import (
    Dots,
    Knobs,
    closed,
    drawn_at_random,
    free,
    picture,
    rule,
)
from puzzlemill.generators.games._boxes import boxes as all_boxes

SIZES = ((3, 3, 9), (3, 4, 13), (4, 4, 18), (5, 5, 30))  # rows, columns, sides not yet drawn


@dataclass(frozen=True, slots=True)
class Position:
    rows: int
    columns: int
    drawn: tuple[str, ...]
    taken: tuple[int, int]  # boxes, by player
    mover: int


def reset(rng: Random, level: float) -> Position:
    rows, columns, left = SIZES[round(level * (len(SIZES) - 1))]
    dots = drawn_at_random(rng, Knobs(rows, columns, left))
    return Position(rows, columns, dots.drawn, (0, 0), 0)


def to_move(position: Position) -> int:
    return position.mover


def legal(position: Position) -> tuple[str, ...]:
    return free(_dots(position))


def step(position: Position, side: str) -> Position:
    gained, mover = closed(_dots(position), side), position.mover
    taken = list(position.taken)
    taken[mover] += gained
    drawn = tuple(sorted((*position.drawn, side)))
    after = mover if gained else 1 - mover
    return Position(position.rows, position.columns, drawn, (taken[0], taken[1]), after)


def score(position: Position) -> tuple[float, float]:
    """Over: who has more boxes. Until then: how far ahead, as a share of all."""
    ahead = position.taken[0] - position.taken[1]
    if legal(position):
        lead = ahead / (len(all_boxes(position.rows, position.columns)) + 1)
        return lead, -lead
    result = float((ahead > 0) - (ahead < 0))
    return result, -result


def shown(position: Position, player: int) -> Prompt:
    mine, theirs = position.taken[player], position.taken[1 - player]
    return Prompt(
        f"You play dots and boxes. {rule()} The dots have letters for names:\n\n"
        f"{picture(_dots(position))}\n\nSo far you have {mine} and your opponent has {theirs} of"
        " the boxes; whoever has more at the end wins. It is your turn.",
        form="the letters of the two dots of the side that you draw, such as AB",
    )


def move(text: str) -> str | None:
    said = answers.Word().read(text)
    return "".join(sorted(said.replace("-", ""))).upper() if said else None


def write(side: str) -> str:
    return side


def _dots(position: Position) -> Dots:
    return Dots(position.rows, position.columns, position.drawn)


GAME = Game(Position, reset, to_move, legal, step, score, shown, move, write)
