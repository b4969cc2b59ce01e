"""Optimal stopping: boxes are opened one by one, and the player says when to stop; worth of a game.

`solve` goes backwards from the last box. `verify` improves a plan instead: it begins with taking
what is there, works out what the plan is worth by following it forwards, and changes it wherever
one more box would be better, until no change helps.
"""

from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.probability._chance import EXACT

Amounts: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    boxes: int  # to be opened
    amounts: int  # in a box, at most
    most: int  # the largest amount
    fee: int  # for a further box, at most
    recall: float  # the share of games in which the best amount so far is kept


@dataclass(frozen=True, slots=True)
class Game:
    name: str
    coins: str
    boxes: tuple[Amounts, ...]  # all amounts of a box are equally likely
    fee: int  # for every box but the first
    recall: bool  # whether the best amount so far may be taken, not only the last


def generate(rng: Random, knobs: Knobs) -> Game | None:
    draft = Game(
        rng.choice(NAMES), rng.choice(COINS), ((),) * knobs.boxes, 0, rng.random() < knobs.recall
    )
    return _filled(rng, knobs, draft)


def solve(game: Game) -> Fraction | None:
    """From the last box to the first: what it is worth to have opened it with an amount in hand."""
    if not 1 <= len(game.boxes) <= 10 or any(not 1 <= len(box) <= 12 for box in game.boxes):
        return None
    worth: Fraction = _worths(game)[0]
    return worth


def verify(game: Game, answer: Fraction) -> float:
    plan: dict[tuple[int, int], bool] = {}  # whether to go on, after a box, with an amount
    for _ in range(len(game.boxes) + 1):
        worth, better = _followed(game, plan)
        if better == plan:
            return float(worth == answer)
        plan = better
    return 0.0


def render(game: Game, style: Style) -> Prompt:
    name, coins = game.name, game.coins
    lines = "\n".join(
        f"- box {place}: {', '.join(f'{amount}' for amount in box)}"
        for place, box in enumerate(game.boxes, 1)
    )
    taken = "the largest amount found so far" if game.recall else "the amount found in that box"
    lost = "" if game.recall else " (an amount that was not taken is lost)"
    fee = f"pays {game.fee} {coins} to open the next box{lost}"
    rule = (
        f"{name} opens the first box for free. After each box, {name} either stops and takes"
        f" {taken}, or {fee}. After the last box the game is over, and {name} takes {taken}."
    )
    scene = (
        f"There are {len(game.boxes)} closed boxes in a row. Each holds one amount of {coins}. The"
        " amounts in this list are equally likely for a box, whatever the others hold (one that is"
        " listed twice is twice as likely):"
    )
    aim = f"{name} plays so as to gain as much as possible on average"
    net = "less all that was paid, "
    return Prompt(
        style.pick(
            f"{scene}\n\n{lines}\n\n{rule}\n\n{aim}. What is the expected gain, {net}in {coins}?",
            f"{rule} {scene}\n\n{lines}\n\n{aim}. Find the expected gain ({net}in {coins}).",
            f"{scene}\n\n{lines}\n\n{rule}\n\nWhat is the largest expected gain, {net}in {coins},"
            f" that {name} can reach?",
        ),
        form=EXACT,
    )


def steps(game: Game) -> list[str]:
    """From the last box backwards: with which amounts to stop, and what the box is worth."""
    worths, lines = _worths(game), []
    for place in reversed(range(len(game.boxes))):
        further = _further(game, worths, place)
        if game.recall:
            for held in _held(game, place):
                said = f"After box {place + 1} with {held}"
                if place + 1 == len(game.boxes):
                    lines.append(f"{said}: the game is over.")
                    continue
                way = "go on" if further[held] > held else "stop"
                lines.append(f"{said}: going on is worth {further[held]}, so {way}.")
        else:
            box = game.boxes[place]
            if place + 1 == len(game.boxes):
                lines.append(f"Box {place + 1} is the last, worth {Fraction(sum(box), len(box))}.")
                continue
            on = further[box[0]]
            lines.append(
                f"After box {place + 1} going on is worth {on}: stop with that or more. Opening box"
                f" {place + 1} is worth {_opened(game, place, on)}."
            )
    return [*lines, f"The game is worth {worths[0]}."]


def hardness(game: Game) -> float:
    """The decisions: what may be in hand, after each box."""
    return sum(len(_held(game, place)) for place in range(len(game.boxes))) + bool(game.fee)


def canon(game: Game) -> list[Any]:
    return [[sorted(box) for box in game.boxes], game.fee, game.recall]


def twin(rng: Random, knobs: Knobs, game: Game) -> Game | None:
    return _filled(rng, knobs, game)


def renamed(rng: Random, knobs: Knobs, game: Game) -> Game:
    return replace(game, name=rng.choice(NAMES), coins=rng.choice(COINS))


def _filled(rng: Random, knobs: Knobs, draft: Game) -> Game | None:
    """Boxes of a game in which it is right now to stop and now to go on."""
    boxes = []
    for _ in draft.boxes:
        count = rng.randint(2, knobs.amounts)
        boxes.append(tuple(sorted(rng.randint(1, knobs.most) for _ in range(count))))
    game = replace(draft, boxes=tuple(boxes), fee=rng.randint(2, knobs.fee))
    first = game.boxes[0]
    on = _further(game, _worths(game), 0)
    return game if len({amount < on[amount] for amount in first}) == 2 else None


def _held(game: Game, place: int) -> list[int]:
    """What may be in hand after a box."""
    if not game.recall:
        return sorted(set(game.boxes[place]))
    amounts = {amount for box in game.boxes[: place + 1] for amount in box}
    least = max(min(box) for box in game.boxes[: place + 1])
    return sorted(amount for amount in amounts if amount >= least)


def _worths(game: Game) -> list[Any]:
    """The worth of the game; then, for each box, by what is in hand after it, played at best."""
    found: list[Any] = []
    after: dict[int, Fraction] = {}
    for place in reversed(range(len(game.boxes))):
        now = {}
        for held in _held(game, place):
            now[held] = Fraction(held)
            if after:
                now[held] = max(now[held], _next(game, place, held, after))
        found.insert(0, now)
        after = now
    first = game.boxes[0]
    return [sum(after[amount] for amount in first) / len(first), *found]


def _further(game: Game, worths: list[Any], place: int) -> dict[int, Fraction]:
    """What going on after a box is worth, by what is in hand."""
    if place + 1 == len(game.boxes):
        return {held: Fraction(0) for held in _held(game, place)}
    return {held: _next(game, place, held, worths[place + 2]) for held in _held(game, place)}


def _next(game: Game, place: int, held: int, after: dict[int, Fraction]) -> Fraction:
    box = game.boxes[place + 1]
    total = sum(after[max(held, amount) if game.recall else amount] for amount in box)
    return Fraction(total) / len(box) - game.fee


def _opened(game: Game, place: int, on: Fraction) -> Fraction:
    box = game.boxes[place]
    return sum((max(Fraction(amount), on) for amount in box), Fraction(0)) / len(box)


def _followed(
    game: Game, plan: dict[tuple[int, int], bool]
) -> tuple[Fraction, dict[tuple[int, int], bool]]:
    """What a plan is worth, and the plan changed where one more box would be better."""
    better = {}
    for place in range(len(game.boxes) - 1):
        for held in _held(game, place):
            on = _gained(game, plan, place + 1, held) - game.fee
            if on > held:
                better[place, held] = True
    return _gained(game, plan, 0, 0), better


def _gained(game: Game, plan: dict[tuple[int, int], bool], place: int, held: int) -> Fraction:
    """What a plan gains on average from the opening of a box on, followed forwards: in all ways
    together in which the boxes so far can come out, of which some lead to each hand."""
    hands, total, ways, last = {held: 1}, 0, 1, len(game.boxes) - 1
    for at in range(place, last + 1):
        box = game.boxes[at]
        ways, total = ways * len(box), total * len(box)
        shares: dict[int, int] = {}
        for hand, share in hands.items():
            for amount in box:
                new = max(hand, amount) if game.recall else amount
                shares[new] = shares.get(new, 0) + share
        hands = {}
        for hand, share in shares.items():
            if at < last and plan.get((at, hand)):
                hands[hand] = share
                total -= share * game.fee
            else:
                total += share * hand
    return Fraction(total, ways)


NAMES = ("Alma", "Bodo", "Cleo", "Denis", "Elif", "Fabio", "Gwen", "Hiro", "Isla", "Janek")
COINS = ("coins", "euros", "dollars", "tokens", "points", "gems")
LADDER = (
    Knobs(2, 3, 9, 2, 0.0),
    Knobs(3, 4, 20, 3, 0.2),
    Knobs(4, 5, 30, 3, 0.4),
    Knobs(5, 6, 40, 4, 0.6),
    Knobs(6, 7, 50, 5, 0.8),
)
FAMILY = Family(
    Game,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="backward induction",
    guess_rate=0.12,
    steps=steps,
    canon=canon,
    inputs=("boxes", "fee"),
    twin=twin,
    renamed=renamed,
    skills=("expectation", "probability", "recurrences"),
    version=2,
)
