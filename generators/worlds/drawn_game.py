"""Drawn game: two players, two piles, drawn moves; with which numbers does the first player win?

`solve` fills a table of all positions from the smallest total on. `verify` plays each game out from
the top, by the moves as the prompt tells them. Without any of the moves, or with the other player
winning at the end, another set of numbers is right.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import counted

# A word (take, both, carry, halve), a number, how many fewer reach the other pile, and when it is
# allowed of the pile that shrinks ("", even, odd, larger, smaller).
Move: TypeAlias = tuple[str, int, int, str]
Pair: TypeAlias = tuple[int, int]

SKINS = {
    "stones": ("pile", "stone", "stones"),
    "boats": ("dock", "boat", "boats"),
    "coins": ("purse", "coin", "coins"),
}
CONDITIONS = ("even", "odd", "larger", "smaller")
DRAWS = 60


@dataclass(frozen=True, slots=True)
class Knobs:
    most: int  # in the first pile, of the numbers that are asked about
    other: int  # in the second pile, at most
    moves: int  # that the rules allow
    conditions: int  # moves that are not always allowed


@dataclass(frozen=True, slots=True)
class Game:
    skin: str
    moves: tuple[Move, ...]
    misere: bool  # who cannot move wins
    level: bool  # who makes the piles equal wins at once
    most: int
    other: int  # in the second pile


def generate(rng: Random, knobs: Knobs) -> Game | None:
    skin = rng.choice(sorted(SKINS))
    for _ in range(DRAWS):
        moves = dict.fromkeys(_move(rng, at < knobs.conditions) for at in range(knobs.moves))
        other = rng.randint(max(2, knobs.other // 2), knobs.other)
        misere, level = rng.random() < 0.5, rng.random() < 0.3
        game = Game(skin, tuple(sorted(moves)), misere, level, knobs.most, other)
        gold = solve(game)
        share = len(gold) / knobs.most
        if len(moves) < knobs.moves or not 0.25 <= share <= 0.75:
            continue
        if all(solve(fewer) != gold for fewer in without(game)):
            return game
    return None


def solve(game: Game) -> tuple[int, ...]:
    won = _table(game)
    return tuple(n for n in range(1, game.most + 1) if won[n, game.other])


def verify(game: Game, numbers: tuple[int, ...]) -> float:
    @cache
    def first_wins(one: int, two: int) -> bool:
        results = [*_played(game, one, two), *((b, a) for a, b in _played(game, two, one))]
        if not results:
            return game.misere
        return any(
            (game.level and after[0] == after[1]) or not first_wins(*after) for after in results
        )

    right = {n for n in range(1, game.most + 1) if first_wins(n, game.other)}
    return float(set(numbers) == right)


def render(game: Game, style: Style) -> Prompt:
    pile, one, many = SKINS[game.skin]
    moves = "\n".join(f"- {_told(game, move)}" for move in game.moves)
    ends = f"A player who cannot move {'wins' if game.misere else 'loses'}."
    if game.level:
        ends += f" A player who moves so that both {pile}s hold the same number of {many} wins at"
        ends += " once."
    start = f"{counted(game.other, one, many)} in the second {pile}"
    which = f"the first {pile} may hold from 1 to {game.most} {many} at the start"
    rules = (
        f"Two players have two {pile}s of {many} and move in turn. In a move, a player chooses one"
        f" of these, and either {pile} for it:\n\n{moves}\n\nA move that would take more"
        f" {many} than there are is not allowed. {ends}"
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
    won, lines = _table(game), []
    for n in range(1, game.most + 1):
        moves = [*_played(game, n, game.other)]
        moves += [(b, a) for a, b in _played(game, game.other, n)]
        winning = [(a, b) for a, b in moves if (game.level and a == b) or not won[a, b]]
        if winning:
            a, b = winning[0]
            lines.append(f"{n} and {game.other}: won, by a move to {a} and {b}")
        elif moves:
            lines.append(f"{n} and {game.other}: lost")
        else:
            lines.append(f"{n} and {game.other}: no move, {'won' if game.misere else 'lost'}")
    return lines


def kin(game: Game) -> list[object]:
    return [game.moves, game.misere, game.level]


def canon(game: Game) -> list[object]:
    return [kin(game), game.most, game.other]


def without(game: Game) -> Iterator[Game]:
    for at, (word, number, lost, condition) in enumerate(game.moves):
        yield replace(game, moves=game.moves[:at] + game.moves[at + 1 :])
        if condition:
            free = (word, number, lost, "")
            yield replace(game, moves=(*game.moves[:at], free, *game.moves[at + 1 :]))
    yield replace(game, misere=not game.misere)
    if game.level:
        yield replace(game, level=False)


def hardness(game: Game) -> float:
    """The positions of the table, by the moves to be looked at in each."""
    return float((game.most + 1) * (game.other + 1) * len(game.moves))


def _move(rng: Random, conditioned: bool) -> Move:
    word = rng.choice(("take", "take", "both", "carry", "carry", "halve"))
    condition = rng.choice(CONDITIONS) if conditioned else ""
    if word == "halve":
        return word, 0, 0, condition
    number = rng.randint(2, 5) if word == "carry" else rng.randint(1, 5)
    return word, number, rng.randint(1, number - 1) if word == "carry" else 0, condition


def _table(game: Game) -> dict[Pair, bool]:
    """The engine: for each position, whether the player to move wins."""
    won = dict[Pair, bool]()
    for size in range(game.most + game.other + 1):
        for left in range(size + 1):
            won[left, size - left] = _wins(game, (left, size - left), won)
    return won


def _wins(game: Game, pair: Pair, won: dict[Pair, bool]) -> bool:
    """Whether the player to move wins, from the smaller positions."""
    stuck = True
    for side in (0, 1):
        shrinks, other = pair[side], pair[1 - side]
        allowed = {
            "": True,
            "even": not shrinks & 1,
            "odd": bool(shrinks & 1),
            "larger": shrinks > other,
            "smaller": shrinks < other,
        }
        for word, number, lost, condition in game.moves:
            taken = (shrinks + 1) // 2 if word == "halve" else number
            grown = {"both": -number, "carry": number - lost}.get(word, 0)
            after = shrinks - taken, other + grown
            if not allowed[condition] or min(after) < 0 or not taken:
                continue
            stuck = False
            if (game.level and after[0] == after[1]) or not won[after if not side else after[::-1]]:
                return True
    return stuck and game.misere


def _played(game: Game, chosen: int, other: int) -> Iterator[Pair]:
    """The interpreter: what the chosen pile and the other one hold after each allowed move."""
    for word, number, lost, condition in game.moves:
        match condition:
            case "even" if chosen % 2 == 1:
                continue
            case "odd" if chosen % 2 == 0:
                continue
            case "larger" if chosen <= other:
                continue
            case "smaller" if chosen >= other:
                continue
        match word:
            case "take" if chosen >= number:
                yield chosen - number, other
            case "both" if chosen >= number and other >= number:
                yield chosen - number, other - number
            case "carry" if chosen >= number:
                yield chosen - number, other + number - lost
            case "halve" if chosen > 0:
                yield chosen // 2, other


def _told(game: Game, move: Move) -> str:
    pile, one, many = SKINS[game.skin]
    word, number, lost, condition = move
    amount = counted(number, one, many)
    text = {
        "take": f"take {amount} out of the chosen {pile}",
        "both": f"take {amount} out of each of the two {pile}s",
        "carry": f"take {amount} out of the chosen {pile} and put {number - lost} of them into the"
        " other one",
        "halve": f"take half of the {many}, rounded up, out of the chosen {pile}, which must not"
        " be empty",
    }[word]
    when = {
        "": "",
        "even": f"only if the chosen {pile} holds an even number of {many}",
        "odd": f"only if the chosen {pile} holds an odd number of {many}",
        "larger": f"only if the chosen {pile} holds more than the other one",
        "smaller": f"only if the chosen {pile} holds fewer than the other one",
    }[condition]
    return f"{text}; {when}" if when else text


LADDER = (
    Knobs(7, 4, 2, 0),
    Knobs(9, 6, 2, 1),
    Knobs(11, 8, 3, 1),
    Knobs(15, 11, 3, 2),
    Knobs(20, 14, 4, 2),
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
)
