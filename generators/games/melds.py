"""Melds: lettered cards are drawn and discarded; which draws make a triple, and which a run?

Every round has one right result. `solve` plays forwards with a hand that it keeps; `verify` counts
for each round anew what was drawn and thrown away before it.
"""

from collections import Counter
from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.relatives import outline

CARDS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
RESULTS = ("triple", "run", "nothing")


@dataclass(frozen=True, slots=True)
class Knobs:
    hand: int  # cards
    letters: int  # that there are
    rounds: int  # in each a card is drawn and one discarded


@dataclass(frozen=True, slots=True)
class Game:
    hand: str
    letters: int
    rounds: tuple[tuple[str, str], ...]  # the card drawn, and the card thrown away after it


def generate(rng: Random, knobs: Knobs) -> Game:
    cards = CARDS[: knobs.letters]
    hand = rng.choices(cards, k=knobs.hand)
    start, rounds = "".join(hand), []
    for _ in range(knobs.rounds):
        wanted = rng.choice(RESULTS)
        held = Counter(hand)
        fitting = [card for card in cards if _result(held, card) == wanted]
        drawn = rng.choice(fitting or cards)
        hand.append(drawn)
        rng.shuffle(hand)
        rounds.append((drawn, hand.pop()))
    return Game(start, knobs.letters, tuple(rounds))


def solve(game: Game) -> tuple[str, ...]:
    hand, results = Counter(game.hand), []
    for drawn, thrown in game.rounds:
        results.append(_result(hand, drawn))
        hand[drawn] += 1
        hand[thrown] -= 1
    return tuple(results)


def verify(game: Game, results: tuple[str, ...]) -> float:
    if len(results) != len(game.rounds):
        return 0.0
    left = [game.hand.count(card) for card in CARDS]
    for (drawn, thrown), said in zip(game.rounds, results):
        at = CARDS.index(drawn)
        run = any(
            all(left[place] for place in range(low, low + 3) if place != at)
            for low in range(max(at - 2, 0), min(at, game.letters - 3) + 1)
        )
        right = "triple" if left[at] > 1 else "run" if run else "nothing"
        if said != right:
            return 0.0
        left[at] += 1
        left[CARDS.index(thrown)] -= 1
    return 1.0


def render(game: Game, style: Style) -> Prompt:
    hand = " ".join(game.hand)
    rounds = "\n".join(
        f"Round {number}: draw {drawn}, discard {thrown}"
        for number, (drawn, thrown) in enumerate(game.rounds, 1)
    )
    last = CARDS[game.letters - 1]
    rules = (
        f"Each card bears one letter from A to {last}. In every round a card is drawn into the hand"
        " and then one card of the hand is discarded. The result of a round is decided when the"
        " card is drawn, by the cards already in the hand: it is a triple if the hand holds at"
        " least two cards with the same letter as the drawn one; if not, it is a run if the drawn"
        " card and two cards of the hand make three letters that follow one another in the"
        " alphabet; if not, it is nothing. No cards are laid down; a triple or run stays in the"
        " hand."
    )
    return Prompt(
        style.pick(
            f"A card game. {rules}\n\nThe hand at the start: {hand}\n\n{rounds}\n\nWhat is the"
            " result of each round?",
            f"You hold these cards: {hand}\n\nThis is what happens:\n\n{rounds}\n\n{rules}\n\nGive"
            " the results of all rounds.",
            f"{rules}\n\nHand: {hand}\n\n{rounds}\n\nSay for every round whether it is a triple, a"
            " run or nothing.",
        ),
        form="the results in the order of the rounds, each of them triple, run or nothing,"
        " separated by spaces",
    )


def steps(game: Game) -> list[str]:
    hand, lines = list(game.hand), []
    for (drawn, thrown), result in zip(game.rounds, solve(game)):
        lines.append(f"{' '.join(sorted(hand))} with {drawn}: {result}")
        hand.append(drawn)
        hand.remove(thrown)
    return lines


def hardness(game: Game) -> int:
    """Cards to look through, round by round."""
    return len(game.rounds) * len(game.hand)


def _result(hand: Counter[str], drawn: str) -> str:
    many = hand.get  # to index a counter takes three times as long where there is none
    if many(drawn, 0) > 1:
        return "triple"
    at = ord(drawn)
    left, right = many(chr(at - 1), 0) > 0, many(chr(at + 1), 0) > 0
    if (left and (right or many(chr(at - 2), 0) > 0)) or (right and many(chr(at + 2), 0) > 0):
        return "run"
    return "nothing"


LADDER = (
    Knobs(4, 6, 3),
    Knobs(7, 10, 5),
    Knobs(10, 15, 9),
    Knobs(13, 22, 16),
    Knobs(13, 26, 32),
)
FAMILY = Family(
    Game,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(),
    hardness=hardness,
    proof="unique",
    solver="playing the rounds with a counted hand",
    guess_rate=0.12,  # three rounds of three results
    steps=steps,
    redraws=outline,
    skills=("tracking",),
    peers=("reasoning-gym/mahjong_puzzle",),
)
