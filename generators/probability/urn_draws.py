"""Urn draws: coloured things drawn blindly from a bag, put back or not, the bag perhaps unknown.

`solve` weighs whole hands with binomial coefficients, for every way that the bag may have come to
look. `verify` moves and draws one thing after another and follows every branch.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from math import comb, factorial, prod
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import listed
from puzzlemill.generators.probability._chance import PROBABILITY, trivial

Counts: TypeAlias = tuple[int, ...]  # of each colour


@dataclass(frozen=True, slots=True)
class Knobs:
    colours: int  # at most
    most: int  # things of one colour in a bag
    draws: int  # at most
    events: int  # how many sorts of event there may be
    bags: float  # the share of questions with a second bag
    given: float  # the share of questions that tell the first draw


@dataclass(frozen=True, slots=True)
class Urns:
    words: tuple[str, ...]  # a name, bag, bags, thing, things
    colours: tuple[str, ...]
    bags: tuple[Counts, ...]  # one, or two
    way: str  # one bag; chosen: either of two; moved: from the second, with some of the first
    moved: int  # things put from the first bag into the second
    draws: int
    replaced: bool
    event: str
    numbers: Counts
    first: int  # the colour that is drawn first, from 0; -1: not told


def generate(rng: Random, knobs: Knobs) -> Urns | None:
    colours = rng.randint(max(2, knobs.colours - 1), knobs.colours)
    way = rng.choice(("chosen", "moved")) if rng.random() < knobs.bags else "one"
    event = rng.choice(EVENTS[: knobs.events])
    told = event != "sequence" and rng.random() < knobs.given
    draft = Urns(
        words=(rng.choice(NAMES), *rng.choice(THINGS)),
        colours=tuple(rng.sample(COLOURS, colours)),
        bags=((),) if way == "one" else ((), ()),
        way=way,
        moved=0,
        draws=0,
        replaced=rng.random() < 0.25,
        event=event,
        numbers=(),
        first=0 if told else -1,
    )
    return _filled(rng, knobs, draft)


def solve(urns: Urns) -> Fraction | None:
    """The weight of all hands that fit, over the weight of those that begin as is told."""
    if not _sensible(urns):
        return None
    event = given = Fraction(0)
    for share, bag in _bags(urns):
        event += share * sum(_weight(urns, bag, hand) for hand in _hands(urns))
        given += share * (1 if urns.first < 0 else Fraction(bag[urns.first], sum(bag)))
    return event / given if given else None


def verify(urns: Urns, answer: Fraction) -> float:
    given, event = _begun(urns, urns.bags[-1], urns.moved, Fraction(1), urns.bags[0])
    if urns.way == "chosen":
        other = _begun(urns, urns.bags[0], 0, Fraction(1), urns.bags[0])
        given, event = given + other[0], event + other[1]
    return float(given > 0 and answer * given == event)


def render(urns: Urns, style: Style) -> Prompt:
    name, bag, bags, thing, things = urns.words
    scene, source = f"A {bag} contains {_content(urns, urns.bags[0])}.", f"the {bag}"
    if urns.way != "one":
        scene = (
            f"There are two {bags}. The first contains {_content(urns, urns.bags[0])}; the second"
            f" contains {_content(urns, urns.bags[1])}."
        )
    if urns.way == "chosen":
        scene += f" One of the two {bags} is chosen by flipping a fair coin."
        source = f"the chosen {bag}"
    elif urns.way == "moved":
        goods = f"one {thing} is" if urns.moved == 1 else f"{urns.moved} {things} are"
        scene += f" Unseen, {goods} moved at random from the first {bag} to the second."
        source = f"the second {bag}"
    if urns.replaced:
        rule = f"putting each {thing} back before the next draw"
    else:
        rule = f"without putting any {thing} back"
    drawing = (
        f"{name} draws {urns.draws} {things} at random from {source}, one after another, {rule}."
    )
    event, known = _told(urns), ""
    if urns.first >= 0:
        known = f"the first {thing} drawn is {urns.colours[urns.first]}"
    if known:
        question = style.pick(
            f"{scene} {drawing} It turns out that {known}. Given this, what is the probability"
            f" that {event}?",
            f"{scene} {drawing} What is the conditional probability that {event}, given that"
            f" {known}?",
            f"{scene} {drawing} Suppose that {known}. How likely is it then that {event}? (The"
            f" first {thing} counts as one of those drawn.)",
        )
    else:
        question = style.pick(
            f"{scene} {drawing} What is the probability that {event}?",
            f"{scene} {drawing} Find the probability that {event}.",
            f"What is the probability that {event}, if this is what happens? {scene} {drawing}",
        )
    return Prompt(question, form=PROBABILITY)


def steps(urns: Urns) -> list[str]:
    """For every bag that there may be: its probability and what it adds."""
    lines, events, givens = [], list[Fraction](), list[Fraction]()
    for share, bag in _bags(urns):
        fits = sum((_weight(urns, bag, hand) for hand in _hands(urns)), start=Fraction(0))
        content = f"{_content(urns, bag)}, which has probability {share}"
        told = f"Drawing from {content}"
        if urns.first >= 0:
            begins = Fraction(bag[urns.first], sum(bag))
            lines.append(
                f"{told}: the first is {urns.colours[urns.first]} with probability {begins}."
            )
            lines.append(f"There, that and the event happen with probability {fits}.")
            givens.append(share * begins)
        else:
            lines.append(f"{told}: the event has probability {fits}.")
        events.append(share * fits)
    event, given = sum(events), sum(givens)
    if len(events) > 1:
        lines.append(f"Together: {' + '.join(map(str, events))} = {event}.")
    if len(givens) > 1:
        lines.append(f"What is told: {' + '.join(map(str, givens))} = {given}.")
    if givens:
        return [*lines, f"The probability is ({event}) / ({given}) = {event / given}."]
    return [*lines, f"The probability is {event}."]


def hardness(urns: Urns) -> float:
    bags = {"one": 1.0, "chosen": 1.5, "moved": 2.0}[urns.way]
    return (urns.draws + len(urns.colours)) * bags * (1 + 0.4 * (urns.first >= 0))


def canon(urns: Urns) -> list[Any]:
    """Without names, and colours in an order of their own."""
    rows = [
        (*content, _share(urns, colour), colour == urns.first)
        for colour, content in enumerate(zip(*urns.bags))
    ]
    order = sorted(range(len(rows)), key=lambda colour: rows[colour])
    sequence = [order.index(colour) for colour in urns.numbers] if urns.event == "sequence" else []
    number = urns.numbers[1:] if urns.event in ("least", "exactly") else ()
    story = [urns.way, urns.moved, urns.draws, urns.replaced, urns.event]
    return [sorted(rows), sequence, number, *story]


def twin(rng: Random, knobs: Knobs, urns: Urns) -> Urns | None:
    return _filled(rng, knobs, urns)


def renamed(rng: Random, knobs: Knobs, urns: Urns) -> Urns:
    words = (rng.choice(NAMES), *rng.choice(THINGS))
    return replace(urns, words=words, colours=tuple(rng.sample(COLOURS, len(urns.colours))))


def _filled(rng: Random, knobs: Knobs, draft: Urns) -> Urns | None:
    """Numbers for which what is asked happens at least once."""
    bags = tuple(tuple(rng.randint(1, knobs.most) for _ in draft.colours) for _ in draft.bags)
    draws = rng.randint(max(2, knobs.draws // 2), knobs.draws)
    if draws > min(map(sum, bags)):
        return None
    things = [colour for colour, count in enumerate(bags[-1]) for _ in range(count)]
    seen = rng.sample(things, draws)
    counts = tuple(seen.count(colour) for colour in range(len(draft.colours)))
    picked = rng.choice(seen)
    numbers = {
        "sequence": tuple(seen),
        "hand": counts,
        "exactly": (picked, counts[picked]),
        "least": (picked, counts[picked]),
    }.get(draft.event, ())
    moved = rng.randint(1, min(2, sum(bags[0]))) if draft.way == "moved" else 0
    first = rng.choice(seen) if draft.first >= 0 else -1
    urns = replace(draft, bags=bags, moved=moved, draws=draws, numbers=numbers, first=first)
    return None if trivial(solve(urns)) else urns


def _share(urns: Urns, colour: int) -> int:
    """What the event says of a colour."""
    if urns.event == "hand":
        return urns.numbers[colour]
    return int(urns.event in ("least", "exactly") and urns.numbers[0] == colour)


def _sensible(urns: Urns) -> bool:
    if not 1 <= urns.draws <= 12 or not 0 <= urns.moved <= min(4, sum(urns.bags[0])):
        return False
    if urns.event == "sequence" and len(urns.numbers) != urns.draws:
        return False
    if urns.event == "hand" and sum(urns.numbers) != urns.draws:
        return False
    if urns.event in ("least", "exactly") and urns.numbers[1] > urns.draws:
        return False
    return urns.replaced or urns.draws <= min(
        sum(bag) for bag in (urns.bags if urns.way == "chosen" else urns.bags[-1:])
    )


def _bags(urns: Urns) -> Iterator[tuple[Fraction, Counts]]:
    """Every content that the bag may have when the draws begin, and how likely it is."""
    first, last = urns.bags[0], urns.bags[-1]
    if urns.way == "chosen":
        yield from ((Fraction(1, 2), bag) for bag in urns.bags)
    elif urns.way == "one":
        yield Fraction(1), first
    else:
        for taken in product(range(urns.moved + 1), repeat=len(first)):
            if sum(taken) == urns.moved:
                ways = prod(map(comb, first, taken))
                if ways:
                    bag = tuple(map(sum, zip(last, taken)))
                    yield Fraction(ways, comb(sum(first), urns.moved)), bag


@cache
def _compositions(total: int, parts: int) -> tuple[Counts, ...]:
    if parts == 1:
        return ((total,),)
    return tuple(
        (head, *tail)
        for head in range(total + 1)
        for tail in _compositions(total - head, parts - 1)
    )


def _hands(urns: Urns) -> list[Counts]:
    """The counts of colours with which the event happens."""
    colours, draws, numbers = len(urns.colours), urns.draws, urns.numbers
    if urns.event == "sequence":
        return [tuple(numbers.count(colour) for colour in range(colours))]
    if urns.event == "hand":
        return [numbers]
    hands = _compositions(draws, colours)
    match urns.event:
        case "exactly":
            return [hand for hand in hands if hand[numbers[0]] == numbers[1]]
        case "least":
            return [hand for hand in hands if hand[numbers[0]] >= numbers[1]]
        case "same":
            return [hand for hand in hands if max(hand) == draws]
        case "different":
            return [hand for hand in hands if max(hand) == 1]
        case _:
            return [hand for hand in hands if min(hand)]


def _weight(urns: Urns, bag: Counts, hand: Counts) -> Fraction:
    """How likely the hand is, beginning as is told."""
    orders = factorial(urns.draws) // prod(map(factorial, hand))
    if urns.replaced:
        chance = Fraction(orders * prod(map(pow, bag, hand)), sum(bag) ** urns.draws)
    else:
        chance = Fraction(prod(map(comb, bag, hand)), comb(sum(bag), urns.draws))
    if urns.event == "sequence":
        return chance / orders
    return chance if urns.first < 0 else chance * Fraction(hand[urns.first], urns.draws)


def _begun(
    urns: Urns, bag: Counts, moves: int, chance: Fraction, source: Counts
) -> tuple[Fraction, Fraction]:
    """How likely what is told is, and with it the event; one moved thing after another."""
    colours = range(len(bag))
    if moves:
        given = event = Fraction(0)
        for colour in colours:
            if source[colour]:
                share = chance * Fraction(source[colour], sum(source))
                parts = _begun(
                    urns, _plus(bag, colour, 1), moves - 1, share, _plus(source, colour, -1)
                )
                given, event = given + parts[0], event + parts[1]
        return given, event
    ways: dict[Counts, int] = {}
    nothing = (0,) * len(bag)
    if urns.first < 0:
        return chance, chance * _drawn(urns, bag, nothing, 0, ways) / _orders(urns, sum(bag), 0)
    chance *= Fraction(bag[urns.first], sum(bag))
    if not chance:
        return chance, chance
    after = bag if urns.replaced else _plus(bag, urns.first, -1)
    begun = _plus(nothing, urns.first, 1)
    return chance, chance * _drawn(urns, after, begun, 1, ways) / _orders(urns, sum(after), 1)


def _orders(urns: Urns, things: int, done: int) -> int:
    """In how many ways the draws that are left can go."""
    left = urns.draws - done
    return things**left if urns.replaced else prod(range(things - left + 1, things + 1))


def _drawn(urns: Urns, bag: Counts, seen: Counts, done: int, ways: dict[Counts, int]) -> int:
    """In how many of them the event happens."""
    if done == urns.draws:
        return int(_happened(urns, seen))
    if seen not in ways:
        ways[seen] = 0
        for colour, count in enumerate(bag):
            if count and (urns.event != "sequence" or urns.numbers[done] == colour):
                after = bag if urns.replaced else _plus(bag, colour, -1)
                ways[seen] += count * _drawn(urns, after, _plus(seen, colour, 1), done + 1, ways)
    return ways[seen]


def _plus(counts: Counts, colour: int, more: int) -> Counts:
    return (*counts[:colour], counts[colour] + more, *counts[colour + 1 :])


def _happened(urns: Urns, seen: Counts) -> bool:
    match urns.event:
        case "hand":
            return seen == urns.numbers
        case "exactly":
            return seen[urns.numbers[0]] == urns.numbers[1]
        case "least":
            return seen[urns.numbers[0]] >= urns.numbers[1]
        case "same":
            return sum(count > 0 for count in seen) == 1
        case "different":
            return all(count <= 1 for count in seen)
        case "every":
            return all(count > 0 for count in seen)
        case _:
            return True


def _content(urns: Urns, bag: Counts) -> str:
    thing, things = urns.words[3:]
    parts = [f"{count} {colour}" for count, colour in zip(bag, urns.colours)]
    if bag[-1] == 1:  # "4 red balls and 1 blue ball": one noun would not fit both
        return f"{listed([f'{parts[0]} {thing if bag[0] == 1 else things}', *parts[1:]])} {thing}"
    return f"{listed(parts)} {things}"


def _told(urns: Urns) -> str:
    things, numbers = urns.words[4], urns.numbers
    match urns.event:
        case "sequence":
            order = ", ".join(urns.colours[colour] for colour in numbers)
            return f"the colours drawn are, in this order, {order}"
        case "hand":
            parts = [f"{count} {colour}" for count, colour in zip(numbers, urns.colours)]
            return f"the {things} drawn are exactly {listed(parts)}, in any order"
        case "exactly":
            return (
                f"the number of {urns.colours[numbers[0]]} {things} drawn is exactly {numbers[1]}"
            )
        case "least":
            return (
                f"the number of {urns.colours[numbers[0]]} {things} drawn is at least {numbers[1]}"
            )
        case "same":
            return f"all {things} drawn have the same colour"
        case "different":
            return f"all {things} drawn have different colours"
        case _:
            return f"every one of the colours {listed(urns.colours)} is among the {things} drawn"


EVENTS = ("sequence", "exactly", "hand", "same", "least", "different", "every")
COLOURS = ("red", "blue", "green", "yellow", "white", "black", "purple", "brown", "pink", "grey")
NAMES = ("Aisha", "Boris", "Carmen", "Derek", "Esther", "Fatima", "Gustav", "Ingrid", "Jorge")
THINGS = (
    ("bag", "bags", "marble", "marbles"),
    ("box", "boxes", "button", "buttons"),
    ("jar", "jars", "sweet", "sweets"),
    ("drawer", "drawers", "sock", "socks"),
    ("basket", "baskets", "ball", "balls"),
    ("hat", "hats", "ticket", "tickets"),
    ("tin", "tins", "bead", "beads"),
)
LADDER = (
    Knobs(2, 5, 2, 2, 0.0, 0.0),
    Knobs(3, 15, 4, 4, 0.4, 0.4),
    Knobs(3, 15, 5, 7, 0.6, 0.6),
    Knobs(4, 15, 6, 7, 0.9, 0.8),
    Knobs(5, 15, 8, 7, 1.0, 1.0),
)
FAMILY = Family(
    Urns,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="binomial coefficients, hand by hand",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    inputs=("bags", "draws", "moved", "numbers"),
    twin=twin,
    renamed=renamed,
    skills=("probability", "counting", "fractions"),
    peers=(
        "mathematics_dataset/swr_p_level_set",
        "mathematics_dataset/swr_p_sequence",
    ),
    version=4,
)
