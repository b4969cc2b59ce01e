"""A game: turns over plain states, as a value made of pure functions; played, not asked once."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from random import Random
from typing import Any, Generic, TypeVar

from puzzlemill.core.errors import UserError
from puzzlemill.core.family import Prompt
from puzzlemill.core.replies import answer_text

S = TypeVar("S")  # a state: a frozen dataclass of plain data, as puzzles are
M = TypeVar("M")  # a move


@dataclass(frozen=True, slots=True)
class Game(Generic[S, M]):
    """One game for one or more players, numbered from 0. Moves at once, such as votes, are made one
    after the other, and not shown.

    `reset` alone sees randomness: what is dealt is dealt there, and `shown` keeps it from whoever
    may not see it. A game is over when there is no legal move, and every game comes to an end.
    """

    state: type[S]
    reset: Callable[[Random, float], S]  # at a level, 0..1
    to_move: Callable[[S], int]
    legal: Callable[[S], tuple[M, ...]]  # in a fixed order
    step: Callable[[S, M], S]  # with a legal move
    # For each player, -1..1: the result once the game is over, and until then how it stands.
    score: Callable[[S], tuple[float, ...]]
    shown: Callable[[S, int], Prompt]  # all that a player may know, and the form of a move
    move: Callable[[str], M | None]  # reads one out of the text of an answer
    write: Callable[[M], str]  # what `move` reads
    players: int = 2
    open: bool = True  # whether every player sees the whole state
    rivals: bool = True  # whether what one wins the other loses
    # Whether the move to come is judged by itself, apart from the result, as a vote may be.
    is_judged: Callable[[S], bool] | None = None
    # Of each player's last such move: 1 right, -1 wrong, between them neither; NaN: there is none.
    verdicts: Callable[[S], tuple[float, ...]] | None = None
    version: int = 1
    name: str = ""  # filled in from where the file lies


AnyGame = Game[Any, Any]


def begin(game: Game[S, M], seed: int, level: float) -> S:
    """The first state; a seed and a level fix it."""
    if not 0 <= level <= 1:
        raise UserError(f"level {level} is outside 0..1")
    key = f"game\0{game.name}\0{game.version}\0{level!r}\0{seed}"
    return game.reset(Random(int.from_bytes(blake2b(key.encode()).digest())), level)


def over(game: Game[S, M], state: S) -> bool:
    return not game.legal(state)


def read(game: Game[S, M], state: S, reply: str) -> M | None:
    """The legal move in a reply, or None where there is none."""
    text = answer_text(reply)
    move = None if text is None else game.move(text)
    return move if move is not None and move in game.legal(state) else None
