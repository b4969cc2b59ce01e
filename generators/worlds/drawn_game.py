"""Drawn game: two players, two piles, drawn moves; with which numbers does the first player win?

`solve` fills a table of all positions from the smallest total on. `verify` plays each game out from
the top, by the moves as the prompt tells them. Without any of the rules, or with the other player
winning at the end, another set of numbers is right.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import counted
from puzzlemill.generators.worlds._game_engine import Pair, starts, table
from puzzlemill.generators.worlds._game_reader import ended, reached, won
from puzzlemill.generators.worlds._game_terms import (
    SKINS,
    End,
    Move,
    bar_told,
    drawn_end,
    drawn_move,
    end_told,
    move_told,
    piles,
)

DRAWS = 60
EXTRAS = 2  # rules that a game may have besides its moves: what wins at once, what is barred


@dataclass(frozen=True, slots=True)
class Knobs:
    most: int  # in the first pile, of the numbers that are asked about
    other: int  # in the second pile, at most
    moves: int  # that the rules allow
    conditions: int  # moves that are not always allowed
    extras: int  # rules on what wins at once, and on what is barred; two at most


@dataclass(frozen=True, slots=True)
class Game:
    skin: str
    moves: tuple[Move, ...]
    misere: bool  # who cannot move wins
    end: End  # who moves so wins at once
    barred: int  # what no pile may hold after a move; 0: nothing is barred
    most: int
    other: int  # in the second pile


def generate(rng: Random, knobs: Knobs) -> Game | None:
    skin = rng.choice(sorted(SKINS))
    for _ in range(DRAWS):
        game = drawn(rng, skin, knobs)
        if len(game.moves) < knobs.moves:
            continue
        gold = solve(game)
        if not 0.25 <= len(gold) / knobs.most <= 0.75:
            continue
        stretch = gold[-1] - gold[0] == len(gold) - 1  # the commonest golds, and soon guessed
        if not stretch and not any(_has(fewer, gold) for fewer in without(game)):
            return game
    return None


def drawn(rng: Random, skin: str, knobs: Knobs) -> Game:
    moves = dict.fromkeys(drawn_move(rng, at < knobs.conditions) for at in range(knobs.moves))
    other = rng.randint(max(2, knobs.other // 2), knobs.other)
    extras = rng.sample(("end", "bar"), min(knobs.extras, EXTRAS))
    end = drawn_end(rng) if "end" in extras else ("", 0)
    barred = rng.randint(1, 6) if "bar" in extras else 0
    misere = rng.random() < 0.5
    return Game(skin, tuple(sorted(moves)), misere, end, barred, knobs.most, other)


def solve(game: Game) -> tuple[int, ...]:
    return tuple(n for n, win in enumerate(_wins(game), start=1) if win)


def verify(game: Game, numbers: tuple[int, ...]) -> float:
    right = won(game.moves, game.misere, game.end, game.barred, game.most, game.other)
    return float(set(numbers) == right)


def render(game: Game, style: Style) -> Prompt:
    pile, one, many = SKINS[game.skin]
    moves = "\n".join(f"- {move_told(game.skin, move)}" for move in game.moves)
    ends = [f"A player who cannot move {'wins' if game.misere else 'loses'}."]
    if game.barred:
        ends.insert(0, bar_told(game.skin, game.barred))
    if game.end[0]:
        ends.append(end_told(game.skin, game.end))
    start = f"{counted(game.other, one, many)} in the second {pile}"
    which = f"the first {pile} may hold from 1 to {game.most} {many} at the start"
    rules = (
        f"Two players have two {piles(game.skin)} of {many} and move in turn. In a move, a player"
        f" chooses one of these, and either {pile} for it:\n\n{moves}\n\nA move takes at least"
        f" one {one}, and cannot take more than there are. {' '.join(ends)}"
    )
    return Prompt(
        style.pick(
            f"{rules}\n\nThere are {start}, and {which}. For which of these numbers can the first"
            " player force a win?",
            f"A game begins with {start}; {which}. With which of these numbers does the player who"
            f" moves first win, if both play as well as possible?\n\n{rules}",
            f"{rules}\n\nAt the start there are {start}. Let n be the number of {many} in the first"
            f" {pile}, from 1 to {game.most}. Find all n for which the first player has a winning"
            " strategy.",
        ),
        form="all these numbers, separated by commas",
    )


def steps(game: Game) -> list[str]:
    """For each number, where a winning move leads to, if there is one."""
    wins, lines = _table(game), []
    for n in range(1, game.most + 1):
        moves = [*reached(game.moves, game.barred, n, game.other)]
        winning = [(a, b) for a, b in moves if ended(game.end, a, b) or not wins[a, b]]
        if winning:
            a, b = winning[0]
            lines.append(f"{n} and {game.other}: won, by a move to {a} and {b}")
        elif moves:
            lines.append(f"{n} and {game.other}: lost")
        else:
            lines.append(f"{n} and {game.other}: no move, {'won' if game.misere else 'lost'}")
    return lines


def kin(game: Game) -> list[object]:
    return [game.moves, game.misere, game.end, game.barred]


def canon(game: Game) -> list[object]:
    return [kin(game), game.most, game.other]


def without(game: Game) -> Iterator[Game]:
    for at, (word, number, second, condition, _) in enumerate(game.moves):
        yield replace(game, moves=game.moves[:at] + game.moves[at + 1 :])
        if condition:
            free = (word, number, second, "", 0)
            yield replace(game, moves=(*game.moves[:at], free, *game.moves[at + 1 :]))
    yield replace(game, misere=not game.misere)
    if game.end[0]:
        yield replace(game, end=("", 0))
    if game.barred:
        yield replace(game, barred=0)


def hardness(game: Game) -> float:
    """The positions of the table, by the moves to be looked at in each."""
    return float((game.most + 1) * (game.other + 1) * len(game.moves))


def _wins(game: Game) -> Iterator[bool]:
    """Whether the first player wins, number by number."""
    return starts(game.moves, game.end, game.barred, game.misere, game.most, game.other)


def _has(game: Game, gold: tuple[int, ...]) -> bool:
    """Whether a game has these numbers; most that differ do so soon."""
    return all(win == (n in gold) for n, win in enumerate(_wins(game), start=1))


def _table(game: Game) -> dict[Pair, bool]:
    whole = game.most + game.other
    return table(game.moves, game.end, game.barred, game.misere, whole)


LADDER = (
    Knobs(9, 5, 2, 0, 0),
    Knobs(10, 7, 2, 1, 1),
    Knobs(12, 9, 3, 1, 1),
    Knobs(15, 11, 3, 2, 2),
    Knobs(20, 14, 4, 2, 2),
)
FAMILY = Family(
    Game,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntSet(),
    hardness=hardness,
    proof="unique",
    solver="a table of all positions",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    skills=("games", "recursion", "rules"),
    version=2,
)
