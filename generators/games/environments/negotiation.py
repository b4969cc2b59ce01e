"""Negotiation: share a pile by offers in turn; what things are worth to the other is not shown."""

from dataclasses import dataclass
from itertools import product
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Prompt
from puzzlemill.core.game import Game
from puzzlemill.generators.games.negotiation import THINGS

ACCEPT = "accept"
REFUSE = "refuse"  # the last offer, so that both get nothing
POINTS = 30  # that the whole pile is worth to each, about

Move = str | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Talk:
    things: tuple[str, ...]
    counts: tuple[int, ...]
    worths: tuple[tuple[int, ...], tuple[int, ...]]
    rounds: int  # offers that may be made
    offers: tuple[tuple[int, ...], ...]  # what each one who made an offer was to keep
    done: bool  # the last offer was accepted


def reset(rng: Random, level: float) -> Talk:
    kinds = 2 + round(level * 2)
    counts = tuple(rng.randrange(1, 4) for _ in range(kinds))
    worths = [_worths(rng, counts) for _ in range(2)]
    things = tuple(rng.sample(THINGS, kinds))
    return Talk(things, counts, (worths[0], worths[1]), 2 + round(level * 6), (), False)


def to_move(talk: Talk) -> int:
    return len(talk.offers) % 2


def legal(talk: Talk) -> tuple[Move, ...]:
    """To accept the last offer, if there is one, and to offer in return, if that may be."""
    if talk.done:
        return ()
    accepted: tuple[Move, ...] = (ACCEPT,) if talk.offers else ()
    if len(talk.offers) == talk.rounds:
        return (*accepted, REFUSE)
    return (*accepted, *product(*(range(have + 1) for have in talk.counts)))


def step(talk: Talk, move: Move) -> Talk:
    offers = talk.offers
    if move != ACCEPT:
        # An empty offer at the end: the last one was refused.
        offers = (*offers, () if isinstance(move, str) else move)
    return Talk(talk.things, talk.counts, talk.worths, talk.rounds, offers, isinstance(move, str))


def score(talk: Talk) -> tuple[float, float]:
    """For each the share that they got of what the pile is worth to them."""
    if not talk.done or not talk.offers[-1]:
        return 0.0, 0.0
    kept = talk.offers[-1]
    given = tuple(have - it for have, it in zip(talk.counts, kept))
    maker = (len(talk.offers) - 1) % 2
    shares = (kept, given) if maker == 0 else (given, kept)
    got = [_points(share, worths) for share, worths in zip(shares, talk.worths)]
    whole = [_points(talk.counts, worths) for worths in talk.worths]
    return got[0] / whole[0], got[1] / whole[1]


def shown(talk: Talk, player: int) -> Prompt:
    pile = ", ".join(f"{thing}: {many}" for thing, many in zip(talk.things, talk.counts))
    worth = ", ".join(f"{thing} {it}" for thing, it in zip(talk.things, talk.worths[player]))
    lines = []
    for turn, kept in enumerate(talk.offers):
        mine = turn % 2 == player
        given = tuple(have - it for have, it in zip(talk.counts, kept))
        yours = kept if mine else given
        told = ", ".join(f"{thing} {it}" for thing, it in zip(talk.things, yours))
        lines.append(f"{'You' if mine else 'The other'} offered that you get {told}.")
    last = len(talk.offers) == talk.rounds
    order = ", ".join(talk.things)
    offer = f"how many of each kind you want to keep, in the order {order}, separated by commas"
    if last:
        form = "one word, accept or refuse"
    elif talk.offers:
        form = f"the word accept, or for an offer of your own {offer}"
    else:
        form = offer
    said = "\n".join(lines) or "No offer has been made yet."
    return Prompt(
        f"You and another player share a pile of things ({pile}). One of each is worth this"
        f" many points to you: {worth}. To the other player they are worth other points, which you"
        f" do not know. You take turns making offers, at most {talk.rounds} in all, and each can"
        " accept the last offer of the other instead; if none is accepted, both get nothing. You"
        f" want as many points as possible.\n\n{said}\n\nIt is your turn.",
        form=form,
    )


def move(text: str) -> Move | None:
    word = answers.Word().read(text)
    return word if word in (ACCEPT, REFUSE) else answers.IntList().read(text)


def write(move: Move) -> str:
    return move if isinstance(move, str) else ", ".join(map(str, move))


def _worths(rng: Random, counts: tuple[int, ...]) -> tuple[int, ...]:
    """What things are worth to a player; the pile is worth about as much to both."""
    weights = [rng.randrange(1, 10) for _ in counts]
    whole = sum(many * weight for many, weight in zip(counts, weights))
    return tuple(max(round(weight * POINTS / whole), 1) for weight in weights)


def _points(counts: tuple[int, ...], worths: tuple[int, ...]) -> int:
    return sum(many * worth for many, worth in zip(counts, worths))


GAME = Game(Talk, reset, to_move, legal, step, score, shown, move, write, open=False, rivals=False)
