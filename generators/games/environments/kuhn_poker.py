"""Kuhn poker: one card each, one bet; what the other one holds is not shown."""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Prompt
from puzzlemill.core.game import Game

# After what was said, what may be said now.
CHOICES = {
    (): ("check", "bet"),
    ("check",): ("check", "bet"),
    ("bet",): ("fold", "call"),
    ("check", "bet"): ("fold", "call"),
}


@dataclass(frozen=True, slots=True)
class Hand:
    cards: tuple[int, int]  # of the two players
    highest: int  # of the deck, which begins with 1
    said: tuple[str, ...]


def reset(rng: Random, level: float) -> Hand:
    highest = 3 + round(level * 10)
    one, two = rng.sample(range(1, highest + 1), 2)
    return Hand((one, two), highest, ())


def to_move(hand: Hand) -> int:
    return len(hand.said) % 2


def legal(hand: Hand) -> tuple[str, ...]:
    return CHOICES.get(hand.said, ())


def step(hand: Hand, word: str) -> Hand:
    return Hand(hand.cards, hand.highest, (*hand.said, word))


def score(hand: Hand) -> tuple[float, float]:
    """Half for one chip: two chips are the most that can be won."""
    if legal(hand):
        return 0.0, 0.0
    if hand.said[-1] == "fold":
        won = 0.5 if len(hand.said) % 2 == 0 else -0.5
    else:
        won = 1.0 if hand.said[-1] == "call" else 0.5
        won = won if hand.cards[0] > hand.cards[1] else -won
    return won, -won


def shown(hand: Hand, player: int) -> Prompt:
    said = [
        f"{'You' if at % 2 == player else 'Your opponent'}: {it}."
        for at, it in enumerate(hand.said)
    ]
    told = f"So far - {' '.join(said)}" if said else "Nobody has said anything so far."
    first, second = CHOICES[hand.said]
    return Prompt(
        f"You play Kuhn poker against one opponent. The deck has the cards 1 to {hand.highest},"
        " one of each. Both of you have put one chip into the pot and were dealt one card. The"
        " first player checks or bets one chip. After a bet the other player calls, with one"
        " chip, or folds; after a check the other player may check too, which ends the betting, or"
        " bet, and then the first one calls or folds. A player who folds leaves the pot to the"
        f" other; otherwise the higher card wins it. You are the {('first', 'second')[player]}"
        f" player and hold the card {hand.cards[player]}. {told} It is your turn: {first} or"
        f" {second}?",
        form=f"one word, {first} or {second}",
    )


def move(text: str) -> str | None:
    return answers.Word().read(text)


def write(word: str) -> str:
    return word


GAME = Game(Hand, reset, to_move, legal, step, score, shown, move, write, open=False)
