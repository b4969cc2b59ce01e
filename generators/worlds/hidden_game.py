"""Hidden game: what a player may do is shown by examples and not told; when does the first one win?

The game has so many moves of a told form, on two piles. All games of this form that fit the shown
positions are won with the same numbers. `solve` goes through these games, a table of positions for
each, and does not look at the one that was drawn; `verify` plays that one out from the top. Each
shown position is needed, and so is each move and its condition.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from math import comb, log2
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import counted
from puzzlemill.generators.worlds._examples import fewest
from puzzlemill.generators.worlds._game_engine import starts, table
from puzzlemill.generators.worlds._game_reader import reached, won
from puzzlemill.generators.worlds._game_space import (
    NUMBERS,
    Bits,
    Shown,
    conditions_told,
    every,
    explaining,
    kind_told,
    made,
)
from puzzlemill.generators.worlds._game_terms import CONDITIONS, SKINS, Move, move_told, piles

Numbers: TypeAlias = tuple[int, ...]
Each: TypeAlias = list[Bits]  # what each move of the form leads to

POOL = 14  # positions to choose the examples from
DRAWS = 60
COUNTS = {1: "one move", 2: "two moves", 3: "three moves"}


@dataclass(frozen=True, slots=True)
class Knobs:
    kinds: int  # of moves that the game may have
    conditions: int  # under which a move may be allowed
    moves: int  # that the game has
    most: int  # in the first pile, of the numbers that are asked about
    other: int  # in the second pile, at most


@dataclass(frozen=True, slots=True)
class Hidden:
    skin: str
    kinds: tuple[str, ...]  # of moves that the game may have
    conditions: tuple[str, ...]
    moves: tuple[Move, ...]  # not told
    misere: bool  # who cannot move wins
    examples: tuple[Shown, ...]
    most: int
    other: int  # in the second pile


def generate(rng: Random, knobs: Knobs) -> Hidden | None:
    skin = rng.choice(sorted(SKINS))
    for _ in range(DRAWS):
        other = rng.randint(max(2, knobs.other // 2), knobs.other)
        hidden = Hidden(skin, *drawn(rng, knobs), (), knobs.most, other)
        gold = _won(hidden)
        stretch = bool(gold) and gold[-1] - gold[0] == len(gold) - 1  # soon guessed
        if stretch or not 0.25 <= len(gold) / knobs.most <= 0.75:
            continue
        if any(_has(fewer, gold) for fewer in _shortened(hidden)):
            continue
        pairs = dict.fromkeys(
            (rng.randint(0, knobs.most), rng.randint(0, knobs.most)) for _ in range(POOL)
        )
        hidden = replace(hidden, examples=tuple((pair, _after(hidden, *pair)) for pair in pairs))
        if kept := fewest(hidden.examples, _settling(hidden, gold), gold):
            return replace(hidden, examples=kept)
    return None


def drawn(
    rng: Random, knobs: Knobs
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Move, ...], bool]:
    """The kinds and conditions of the form, the moves, and whether who cannot move wins."""
    some = rng.sample(list(NUMBERS), min(knobs.kinds, len(NUMBERS)))
    tests = rng.sample(CONDITIONS, min(knobs.conditions, len(CONDITIONS)))
    kinds = tuple(kind for kind in NUMBERS if kind in some)
    conditions = tuple(condition for condition in CONDITIONS if condition in tests)
    moves = rng.sample(every(kinds, conditions), knobs.moves)
    return kinds, conditions, tuple(sorted(moves)), rng.random() < 0.5


def solve(hidden: Hidden) -> Numbers | None:
    """The numbers that win in all games that fit the examples; None where these differ."""
    games = _fitting(hidden, _made(hidden), hidden.examples)
    first = next(games, None)
    if first is None:
        return None
    gold = _won(_playing(hidden, first))
    return gold if all(_has(_playing(hidden, game), gold) for game in games) else None


def verify(hidden: Hidden, numbers: Numbers) -> float:
    right = won(hidden.moves, hidden.misere, ("", 0), 0, hidden.most, hidden.other)
    return float(set(numbers) == right)


def render(hidden: Hidden, style: Style) -> Prompt:
    pile, one, many = SKINS[hidden.skin]
    kinds = "\n".join(f"- {kind_told(hidden.skin, kind)}" for kind in hidden.kinds)
    shown = "\n".join(f"- {_shown(example)}" for example in hidden.examples)
    end = f"A player who cannot move {'wins' if hidden.misere else 'loses'}."
    count = COUNTS[len(hidden.moves)]
    plays = (
        f"Two players have two {piles(hidden.skin)} of {many} and take turns. In a turn, a player"
        f" chooses one of the moves of the game, and either {pile} for it. A move takes at least"
        f" one {one}, and cannot take more than there are. {end}"
    )
    form = (
        f"The game has exactly {count}, no two of them the same, each of one of these kinds (two"
        f" may be of one kind):\n\n{kinds}"
    )
    if hidden.conditions:
        form += (
            "\n\nEach move is either always allowed, or allowed only under one condition, which is"
            f" one of these: {conditions_told(hidden.skin, hidden.conditions)}."
        )
    seen = (
        f"what the first and the second {pile} hold before a turn, and all that they may hold"
        " after it"
    )
    start = f"{counted(hidden.other, one, many)} in the second {pile}"
    which = f"from 1 to {hidden.most} {many} in the first {pile}"
    sure = "All games of this form that fit the examples have the same answer."
    return Prompt(
        style.pick(
            f"{plays}\n\nWhich moves there are is not told, but these examples show {seen}:\n\n"
            f"{shown}\n\n{form}\n\n{sure} A new game begins with {start} and {which}. For which of"
            " these numbers can the first player force a win?",
            f"A game begins with {start} and {which}. With which of these numbers does the player"
            f" who moves first win, if both play as well as possible?\n\n{plays} {form}\n\nThe"
            f" moves must be found from examples of {seen}:\n\n{shown}\n\n{sure}",
            f"Somebody watched a game and wrote down {seen}:\n\n{shown}\n\n{plays} {form}\n\n{sure}"
            f" Let there be {start}, and n {many} in the first {pile}, from 1 to {hidden.most}."
            " Find all n for which the first player has a winning strategy.",
        ),
        form="all these numbers, separated by commas",
    )


def steps(hidden: Hidden) -> list[str]:
    """The moves; and for each number, where a winning turn leads to, if there is one."""
    lines = [f"move {at}: {move_told(hidden.skin, move)}"
             for at, move in enumerate(hidden.moves, 1)]  # fmt: skip
    wins = table(hidden.moves, ("", 0), 0, hidden.misere, hidden.most + hidden.other)
    for n in range(1, hidden.most + 1):
        turns = [*reached(hidden.moves, 0, n, hidden.other)]
        winning = next((pair for pair in turns if not wins[pair]), None)
        if winning:
            said = f"won, by a turn to {winning[0]} and {winning[1]}"
        elif turns:
            said = "lost"
        else:
            said = f"no move, {'won' if hidden.misere else 'lost'}"
        lines.append(f"{n} and {hidden.other}: {said}")
    return lines


def slips(rng: Random, hidden: Hidden, gold: Numbers) -> Iterator[Numbers]:
    """A move or a condition is overlooked, or who wins at the end; or another move is taken."""
    others = [*_shortened(hidden)]
    moves = every(hidden.kinds, hidden.conditions)
    for move in rng.sample(moves, min(6, len(moves))):
        others.append(replace(hidden, moves=(*hidden.moves[:-1], move)))
    for other in rng.sample(others, len(others)):
        if numbers := _won(other):
            yield numbers


def kin(hidden: Hidden) -> list[object]:
    return [hidden.moves, hidden.misere]


def canon(hidden: Hidden) -> list[object]:
    form = hidden.kinds, hidden.conditions
    return [kin(hidden), form, sorted(hidden.examples), hidden.most, hidden.other]


def without(hidden: Hidden) -> Iterator[Hidden]:
    for at in range(len(hidden.examples)):
        yield replace(hidden, examples=hidden.examples[:at] + hidden.examples[at + 1 :])


def hardness(hidden: Hidden) -> float:
    """The games of the told form, by order of magnitude, and the positions of a table by tens."""
    moves = len(every(hidden.kinds, hidden.conditions))
    return log2(comb(moves, len(hidden.moves))) + (hidden.most + 1) * (hidden.other + 1) / 10


def _won(hidden: Hidden) -> Numbers:
    return tuple(n for n, win in enumerate(_wins(hidden), start=1) if win)


def _has(hidden: Hidden, gold: Numbers) -> bool:
    """Whether a game has these numbers; most that differ do so soon."""
    return all(win == (n in gold) for n, win in enumerate(_wins(hidden), start=1))


def _wins(hidden: Hidden) -> Iterator[bool]:
    """Whether the first player wins, number by number."""
    return starts(hidden.moves, ("", 0), 0, hidden.misere, hidden.most, hidden.other)


def _made(hidden: Hidden) -> Each:
    return made(every(hidden.kinds, hidden.conditions), hidden.examples)


def _fitting(hidden: Hidden, each: Each, examples: tuple[Shown, ...]) -> Iterator[frozenset[int]]:
    """The games of the form that fit the examples, by the places of their moves."""
    return explaining(each, hidden.examples, examples, len(hidden.moves))


def _playing(hidden: Hidden, places: frozenset[int]) -> Hidden:
    """With these moves of the form."""
    space = every(hidden.kinds, hidden.conditions)
    return replace(hidden, moves=tuple(space[at] for at in places))


def _settling(hidden: Hidden, gold: Numbers) -> Callable[[tuple[Shown, ...]], Numbers | None]:
    """Gold for examples that only games with this gold fit."""
    each = _made(hidden)

    @cache
    def has_gold(places: frozenset[int]) -> bool:
        return _has(_playing(hidden, places), gold)

    def settled(examples: tuple[Shown, ...]) -> Numbers | None:
        return gold if all(map(has_gold, _fitting(hidden, each, examples))) else None

    return settled


def _after(hidden: Hidden, one: int, two: int) -> tuple[tuple[int, int], ...]:
    """The interpreter: what the piles may hold after a turn."""
    return tuple(sorted(set(reached(hidden.moves, 0, one, two)), reverse=True))


def _shortened(hidden: Hidden) -> Iterator[Hidden]:
    """Without a move, or its condition; or the other player wins at the end."""
    for at, (kind, number, second, condition, _) in enumerate(hidden.moves):
        before, behind = hidden.moves[:at], hidden.moves[at + 1 :]
        yield replace(hidden, moves=before + behind)
        if condition:
            yield replace(hidden, moves=(*before, (kind, number, second, "", 0), *behind))
    yield replace(hidden, misere=not hidden.misere)


def _shown(example: Shown) -> str:
    (one, two), after = example
    told = "; ".join(f"{a} and {b}" for a, b in after)
    return f"{one} and {two} -> {told or 'no move'}"


LADDER = (
    Knobs(3, 0, 2, 8, 4),
    Knobs(5, 0, 2, 10, 6),
    Knobs(6, 3, 2, 12, 7),
    Knobs(8, 6, 2, 14, 9),
    Knobs(8, 9, 3, 16, 10),
)
FAMILY = Family(
    Hidden,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntSet(),
    hardness=hardness,
    proof="unique",
    solver="every game of the form, by a table of positions",
    guess_rate=0.18,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    slips=slips,
    slips_version=2,
    skills=("induction", "games", "rules"),
    theme="hidden_rules",
)
