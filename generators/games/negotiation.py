"""Negotiation: two players offer each other shares of a pile; what does the first one ask for?

Offers are made by turns, something is lost with each refusal, and after the last one each gets a
few points instead. Every offer that is best for the player is right. `solve` tries all shares, from
the last round back; `verify` keeps for each worth to the other one only the best that is left over;
`recheck` plays the whole game out, refusals included.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from operator import mul
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style

THINGS = ("apples", "books", "coins", "drums", "eggs", "forks", "globes", "hats", "jars", "keys")
NAMES = ("Anna", "Ben", "Clara", "David", "Emma", "Felix")

Counts = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    things: int  # kinds of them
    most: int  # of a kind
    worth: int  # points, at most, for one
    rounds: int  # offers


@dataclass(frozen=True, slots=True)
class Deal:
    names: tuple[str, str]  # the first one makes the first offer
    things: tuple[str, ...]
    counts: Counts
    worths: tuple[Counts, Counts]  # of one of each kind, to each player
    lost: Counts  # the kind of which one is lost, after the first refusal, the second, ...
    fallback: tuple[int, int]  # points for each if the last offer is refused as well


def generate(rng: Random, knobs: Knobs) -> Deal | None:
    names, things = rng.sample(NAMES, 2), rng.sample(THINGS, knobs.things)
    counts = tuple(rng.randrange(1, knobs.most + 1) for _ in things)
    left, lost = list(counts), []
    for _ in range(knobs.rounds - 1):
        kinds = [kind for kind, count in enumerate(left) if count]
        if len(kinds) < 2:
            return None
        lost.append(rng.choice(kinds))
        left[lost[-1]] -= 1
    worths = [tuple(rng.randrange(1, knobs.worth + 1) for _ in things) for _ in names]
    wholes = [_points(counts, each) for each in worths]
    fallback = [rng.randrange(whole // 8, whole // 2 + 1) for whole in wholes]
    deal = Deal(
        (names[0], names[1]),
        tuple(things),
        counts,
        (worths[0], worths[1]),
        tuple(lost),
        (fallback[0], fallback[1]),
    )
    # The last offer too can leave both better off than no deal; so no refusal is ever wanted.
    last = len(lost)
    if _value(deal, last) <= fallback[last % 2]:
        return None
    best = _best_offers(deal)
    few = 8 * len(best) <= len(list(_shares(counts)))
    # To keep everything, or all but one kind, is no problem worth asking.
    given = [have - asked for have, asked in zip(counts, best[0])]
    kept = sum(map(bool, best[0]))
    return deal if few and kept > 1 and sum(map(bool, given)) > (knobs.things > 2) else None


def solve(deal: Deal) -> Counts:
    """All shares, from the last round back."""
    return _best_offers(deal)[0]


def verify(deal: Deal, asked: Counts) -> float:
    if len(asked) != len(deal.counts):
        return 0.0
    if any(not 0 <= it <= have for it, have in zip(asked, deal.counts)):
        return 0.0
    most, needed = _frontier(deal)
    given = tuple(have - it for have, it in zip(deal.counts, asked))
    return float(
        _points(asked, deal.worths[0]) == most and _points(given, deal.worths[1]) >= needed
    )


def recheck(deal: Deal, asked: Counts) -> bool:
    """Every offer of every round, taken or refused."""
    if len(asked) != len(deal.counts):
        return False
    if any(it < 0 or it > have for it, have in zip(asked, deal.counts)):
        return False
    results = dict(_results(deal, deal.counts, 0))
    best = max(own for own, _ in results.values())
    return results[asked][0] == best


def render(deal: Deal, style: Style) -> Prompt:
    one, two = deal.names
    rounds = len(deal.lost) + 1
    pile = _told(deal.counts, deal.things)
    worths = "\n".join(
        f"{name}: {', '.join(f'{thing} {worth}' for thing, worth in zip(deal.things, each))}"
        for name, each in zip(deal.names, deal.worths)
    )
    word = style.pick("refusal", "rejection", "refusal")
    lost = ", ".join(
        f"after the {_ordinal(at)} {word} one {deal.things[kind][:-1]}"
        for at, kind in enumerate(deal.lost, start=1)
    )
    sense = style.pick(
        "Both know all of this, want as many points as possible for themselves, and reason"
        " perfectly. A player who would get just as much by refusing takes the offer.",
        "Each cares only about their own points, is perfectly rational, and knows that the other"
        " one is, and what everything is worth to both. An offer is taken if refusing it would not"
        " bring more.",
    )
    end = (
        f"{one} gets {_some(deal.fallback[0])} and {two} gets {_some(deal.fallback[1])}, and"
        " nothing else"
    )
    if rounds == 1:
        way = style.pick(
            f"{one} makes one offer, which says how many of each kind each of them gets. {two}"
            f" takes it, and it is done, or refuses it, and then {end}.",
            f"{one} proposes a division, and {two} accepts or rejects it. If it is rejected, there"
            f" is no other: {end}.",
            f"There is a single offer, made by {one}. If {two} does not take it, {end}.",
        )
    else:
        way = style.pick(
            f"They take turns making offers, {one} first; an offer says how many of each kind each"
            " of them gets. The other one takes it, and it is done, or refuses it and makes the"
            f" next offer. With each refusal one thing disappears from the pile: {lost}. There are"
            f" at most {rounds} offers: if the last one is refused too, {end}.",
            f"First {one} proposes a division, which {two} accepts or rejects; after a rejection"
            f" the one who rejected proposes, and so on, up to {rounds} proposals in all. Every"
            f" rejection but the last costs a thing, which is taken off the pile: {lost}. When the"
            f" last proposal is rejected, {end}.",
            f"{one} offers first, {two} takes the offer or makes a counter-offer, and so on,"
            f" taking turns; offer number {rounds} is the last, and if it is not taken either,"
            f" {end}. Before each counter-offer one thing is removed from what there is to share:"
            f" {lost}.",
        )
    return Prompt(
        style.pick(
            f"{one} and {two} are to share a pile: {pile}. These are the points that one of each"
            f" kind is worth to them:\n{worths}\n\n{way} {sense} What should {one} ask for in the"
            " first offer?",
            f"A pile of things is to be divided between {one} and {two}: {pile}. Points for each"
            f" single thing:\n{worths}\n\n{way} {sense} Which things does {one} claim in the first"
            " proposal, to get the most points?",
            f"{one} and {two} have to agree on how to share {pile}, for which they get points"
            f" apiece as follows:\n{worths}\n\n{way} {sense} How many of each kind should {one}'s"
            f" first offer leave to {one}?",
        ),
        form=f"how many of each kind {one} asks for, in the order {', '.join(deal.things)}: whole"
        " numbers separated by commas",
    )


def steps(deal: Deal) -> list[str]:
    """What whoever makes each offer can get, from the last one back."""
    lines = []
    for turn in range(len(deal.lost), -1, -1):
        left = _left(deal, turn)
        proposer = turn % 2
        points = _value(deal, turn)
        lines.append(
            f"offer {turn + 1}, {deal.names[proposer]} of"
            f" {_told(left, deal.things)}:"
            f" can get {points} points"
        )
    return [*lines, f"asks for {', '.join(map(str, solve(deal)))}"]


def hardness(deal: Deal) -> float:
    return (len(deal.lost) + 1) * len(deal.counts) + sum(deal.counts) / 2


def _told(counts: Counts, things: tuple[str, ...]) -> str:
    """2 apples, 1 book."""
    named = (f"{many} {thing[:-1] if many == 1 else thing}" for many, thing in zip(counts, things))
    return ", ".join(named)


def _some(points: int) -> str:
    return f"{points} point{'s' * (points != 1)}"


def _ordinal(number: int) -> str:
    return ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")[number - 1]


def _points(counts: Counts, worths: Counts) -> int:
    return sum(map(mul, counts, worths))


def _left(deal: Deal, turn: int) -> Counts:
    """The pile once so many offers have been refused."""
    return tuple(have - deal.lost[:turn].count(kind) for kind, have in enumerate(deal.counts))


def _shares(counts: Counts) -> Iterator[Counts]:
    return product(*(range(have + 1) for have in counts))


def _needed(deal: Deal, turn: int) -> int:
    """What the other one gets by refusing."""
    return _value(deal, turn + 1) if turn < len(deal.lost) else deal.fallback[1 - turn % 2]


@lru_cache(maxsize=16)
def _value(deal: Deal, turn: int) -> int:
    """The most that whoever makes an offer can get."""
    proposer, left = turn % 2, _left(deal, turn)
    needed = _needed(deal, turn)
    whole = _points(left, deal.worths[1 - proposer])
    return max(
        (
            _points(share, deal.worths[proposer])
            for share in _shares(left)
            if whole - _points(share, deal.worths[1 - proposer]) >= needed
        ),
        default=0,
    )


@lru_cache(maxsize=2)
def _best_offers(deal: Deal) -> list[Counts]:
    most, needed = _value(deal, 0), _needed(deal, 0)
    whole = _points(deal.counts, deal.worths[1])
    return [
        share
        for share in _shares(deal.counts)
        if _points(share, deal.worths[0]) == most
        and whole - _points(share, deal.worths[1]) >= needed
    ]


def _frontier(deal: Deal) -> tuple[int, int]:
    """What the first one can get, and what the second one must be given for it, thing by thing."""
    needed, taken = 0, deal.fallback[1 - len(deal.lost) % 2]
    for turn in range(len(deal.lost), -1, -1):
        own, others = deal.worths[turn % 2], deal.worths[1 - turn % 2]
        needed = taken
        best = {0: 0}  # the other one's points, and the most that is then left for one's own
        for kind, many in enumerate(_left(deal, turn)):
            for _ in range(many):
                grown: dict[int, int] = {}
                for points, mine in best.items():
                    for then, kept in (
                        (points, mine + own[kind]),
                        (points + others[kind], mine),
                    ):
                        grown[then] = max(grown.get(then, 0), kept)
                best = grown
        taken = max((mine for points, mine in best.items() if points >= needed), default=0)
    return taken, needed


@lru_cache(maxsize=256)
def _results(deal: Deal, left: Counts, turn: int) -> tuple[tuple[Counts, tuple[int, int]], ...]:
    """Of each offer, what it brings the one who makes it and the other one, in the end."""
    own, others = deal.worths[turn % 2], deal.worths[1 - turn % 2]
    # To the one who makes the offer, and to the other one.
    refused = (deal.fallback[turn % 2], deal.fallback[1 - turn % 2])
    if turn < len(deal.lost):
        kind = deal.lost[turn]
        fewer = (*left[:kind], left[kind] - 1, *left[kind + 1 :])
        later = [pair for _, pair in _results(deal, fewer, turn + 1)]
        theirs = max(pair[0] for pair in later)
        # Of the other one's best offers any may come: the least that they bring is sure.
        refused = (min(pair[1] for pair in later if pair[0] == theirs), theirs)
    found = []
    for share in _shares(left):
        given = tuple(have - kept for have, kept in zip(left, share))
        pair = (_points(share, own), _points(given, others))
        found.append((share, pair if pair[1] >= refused[1] else refused))
    return tuple(found)


LADDER = (
    Knobs(2, 6, 6, 1),
    Knobs(3, 5, 8, 1),
    Knobs(3, 6, 10, 2),
    Knobs(4, 5, 12, 3),
    Knobs(4, 6, 20, 5),
)
FAMILY = Family(
    Deal,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="all shares, from the last round back",
    guess_rate=0.12,
    steps=steps,
    redraws=True,
    skills=("games", "planning"),
    peers=("TextArena/SimpleNegotiation",),
    version=4,
)
