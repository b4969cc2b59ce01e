"""Kuhn poker: what does a strategy earn, and what the best reply to it?

Two players get one card each of a small deck, and either may bet once. Anna moves first. `solve`
reasons card by card: what each of Ben's cards is worth against all of Anna's. `verify` deals every
pair of cards and, where the best reply is asked for, goes through all of Ben's strategies or Anna's
that never mix.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product
from operator import and_
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction

Asked = Literal["profit", "best reply"]


@dataclass(frozen=True, slots=True)
class Knobs:
    cards: int  # in the deck
    bet: int  # chips, at most
    parts: int  # denominator of probabilities, at most
    asked: Asked  # what a strategy earns, or what the best reply to it earns


@dataclass(frozen=True, slots=True)
class Table:
    """Chances for each card, the lowest first, in parts of `parts`; empty where it is not told."""

    ante: int
    bet: int
    parts: int
    cards: int
    bets: tuple[int, ...]  # Anna bets at once
    calls: tuple[int, ...]  # Anna, who has checked, calls a bet
    bets_after: tuple[int, ...]  # Ben bets after a check
    calls_after: tuple[int, ...]  # Ben calls a bet
    asked: Asked
    player: str  # whose profit


def generate(rng: Random, knobs: Knobs) -> Table | None:
    parts = rng.randrange(2, knobs.parts + 1)
    player = rng.choice(("Anna", "Ben"))

    def drawn() -> tuple[int, ...]:
        return tuple(rng.randrange(parts + 1) for _ in range(knobs.cards))

    anna, ben = (drawn(), drawn()), (drawn(), drawn())
    if knobs.asked == "best reply":
        anna, ben = (((), ()), ben) if player == "Anna" else (anna, ((), ()))
    ante, bet = rng.randrange(1, 3), rng.randrange(1, knobs.bet + 1)
    table = Table(ante, bet, parts, knobs.cards, *anna, *ben, knobs.asked, player)
    return table if solve(table) else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(table: Table) -> Fraction:
    """Card by card: what each of the player's own meets, and what is then best."""
    earned = [_with_card(table, card) for card in range(table.cards)]
    return sum(earned, Fraction(0)) / table.cards


def verify(table: Table, profit: Fraction) -> float:
    pure = list(product((0, table.parts), repeat=table.cards))
    firsts = [(table.bets, table.calls)]
    seconds = [(table.bets_after, table.calls_after)]
    if table.asked == "profit":
        return float(profit == _dealt(table, firsts[0], seconds[0]))
    pairs = list(product(pure, pure))
    if table.player == "Anna":
        # What Anna calls with matters only where she has checked.
        firsts = [it for it in pairs if not any(map(and_, *it))]
    else:
        seconds = pairs
    return float(
        profit == max(_dealt(table, first, second) for first in firsts for second in seconds)
    )


def render(table: Table, style: Style) -> Prompt:
    stake = f"{table.ante} chip{'s' if table.ante > 1 else ''}"
    bet = f"{table.bet} chip{'s' if table.bet > 1 else ''}"
    rule = style.pick(
        f"Anna and Ben play Kuhn poker with the cards 1 to {table.cards}. Each puts {stake} into"
        " the pot and is dealt one card at random, which the other does not see. Anna begins: she"
        f" checks or bets {bet}. If she bets, Ben folds or calls with {bet}. If she checks, Ben"
        f" checks as well or bets {bet}; if he bets, Anna folds or calls with {bet}. A player who"
        " folds leaves the pot to the other; otherwise the higher card wins the pot.",
        f"A deck has one card of each of the numbers 1 to {table.cards}. Anna and Ben each pay"
        f" {stake} into the pot and get one card each at random, known to its owner only. Anna may"
        f" check or bet {bet}. After a bet Ben either calls ({bet} more from him) or folds. After a"
        f" check Ben may check too, or bet {bet}, and then Anna calls or folds. The pot goes to the"
        " one who did not fold, or if nobody folded, to the holder of the higher card.",
        f"This is Kuhn poker for two. Ante: {stake} each. Deck: the numbers 1 to {table.cards}, one"
        f" card for each player, dealt at random and hidden from the other. First Anna bets {bet}"
        f" or checks. If she bets, Ben may call, for {bet}, or fold. If she checked, Ben may check,"
        f" which ends the betting, or bet {bet}, and then Anna calls or folds. Folding gives the"
        " pot up; without a fold the higher card takes it.",
    )
    told = []
    for name, what, shares in (
        ("Anna", "bets at once", table.bets),
        ("Anna", "calls Ben's bet after she has checked", table.calls),
        ("Ben", "bets after Anna's check", table.bets_after),
        ("Ben", "calls Anna's bet", table.calls_after),
    ):
        if shares:
            listed = ", ".join(
                f"{Fraction(share, table.parts)} with card {card}"
                for card, share in enumerate(shares, start=1)
            )
            told.append(f"{name} {what} with these probabilities: {listed}.")
    strategies = "\n".join(told)
    if table.asked == "profit":
        question = style.pick(
            f"What is {table.player}'s expected profit in a game, in chips?",
            f"How many chips does {table.player} win in a game on average (losses are negative)?",
            f"Find the expected value of the chips that {table.player} gains in one game.",
        )
    else:
        other = "Ben" if table.player == "Anna" else "Anna"
        question = style.pick(
            f"{table.player} knows this strategy of {other}'s and plays a best reply to it. What is"
            f" {table.player}'s expected profit in a game, in chips?",
            f"What is the most that {table.player} can win in a game on average, in chips, by"
            f" playing as well as possible against this strategy of {other}'s?",
            f"{other} will play just like that, and {table.player} knows it. Find the largest"
            f" expected number of chips that {table.player} can gain in one game.",
        )
    note = "What a player paid into the pot counts as lost unless the player wins the pot."
    return Prompt(
        f"{rule}\n\n{strategies}\n\n{question} {note}",
        form="an exact number (an integer or a fraction in lowest terms, such as -7/2)",
    )


def steps(table: Table) -> list[str]:
    """What each card earns, on average over the cards of the other."""
    lines = [
        f"{table.player} with card {card + 1} earns {_with_card(table, card)}"
        for card in range(table.cards)
    ]
    return [*lines, f"on average over the cards: {solve(table)}"]


def hardness(table: Table) -> float:
    searched = 3 if table.asked == "best reply" else 1
    return table.cards * searched + table.parts / 10


def _with_card(table: Table, card: int) -> Fraction:
    """What the player earns with a card, on average over the cards of the other."""
    others = [it for it in range(table.cards) if it != card]
    small, large = table.ante, table.ante + table.bet
    signs = {it: 1 if card > it else -1 for it in others}
    whole = Fraction(0)

    def share(shares: tuple[int, ...], at: int) -> Fraction:
        return Fraction(shares[at], table.parts)

    if table.player == "Anna":
        called = {it: share(table.calls_after, it) for it in others}
        raised = {it: share(table.bets_after, it) for it in others}
        bet = sum(
            ((1 - called[it]) * small + called[it] * signs[it] * large for it in others), whole
        )
        check = sum(((1 - raised[it]) * signs[it] * small for it in others), whole)
        fold = -small * sum(raised.values(), whole)
        call = large * sum((raised[it] * signs[it] for it in others), whole)
        if table.asked == "best reply":
            won = max(bet, check + max(fold, call))
        else:
            bets, calls = share(table.bets, card), share(table.calls, card)
            won = bets * bet + (1 - bets) * (check + (1 - calls) * fold + calls * call)
    else:
        bets_of = {it: share(table.bets, it) for it in others}
        calls_of = {it: share(table.calls, it) for it in others}
        fold = -small * sum(bets_of.values(), whole)
        call = large * sum((bets_of[it] * signs[it] for it in others), whole)
        check = small * sum(((1 - bets_of[it]) * signs[it] for it in others), whole)
        bet = sum(
            (
                (1 - bets_of[it]) * ((1 - calls_of[it]) * small + calls_of[it] * signs[it] * large)
                for it in others
            ),
            whole,
        )
        if table.asked == "best reply":
            won = max(fold, call) + max(check, bet)
        else:
            calls, raises = share(table.calls_after, card), share(table.bets_after, card)
            won = (1 - calls) * fold + calls * call + (1 - raises) * check + raises * bet
    return won / len(others)


def _dealt(
    table: Table,
    anna: tuple[tuple[int, ...], ...],
    ben: tuple[tuple[int, ...], ...],
) -> Fraction:
    """What the player wins on average, over all deals and all that may be said."""
    total = sum(
        _told(table.ante, table.bet, table.parts, mine > hers,
              anna[0][mine], anna[1][mine], ben[0][hers], ben[1][hers])
        for mine, hers in permutations(range(table.cards), 2)
    )  # fmt: skip
    profit = Fraction(total, table.cards * (table.cards - 1) * table.parts**3)
    return profit if table.player == "Anna" else -profit


@lru_cache(maxsize=4096)
def _told(
    ante: int, bet: int, parts: int, higher: bool, bets: int, calls: int, raised: int, called: int
) -> int:
    """What Anna wins of one deal, times parts to the third."""
    high = 1 if higher else -1
    return sum(
        first * second * third * chips
        for first, second, third, chips in (
            (bets, called, parts, high * (ante + bet)),
            (bets, parts - called, parts, ante),
            (parts - bets, parts - raised, parts, high * ante),
            (parts - bets, raised, calls, high * (ante + bet)),
            (parts - bets, raised, parts - calls, -ante),
        )
    )


LADDER = (
    Knobs(3, 1, 2, "profit"),
    Knobs(3, 2, 4, "profit"),
    Knobs(3, 2, 6, "best reply"),
    Knobs(4, 3, 6, "best reply"),
    Knobs(5, 4, 10, "best reply"),
)
FAMILY = Family(
    Table,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="card by card, with the best action for each",
    guess_rate=0.06,
    steps=steps,
    redraws=True,
    skills=("games", "probability"),
    peers=("TextArena/KuhnPoker",),
    version=3,
)
