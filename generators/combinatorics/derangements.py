"""Derangements: in how many ways can people and things be matched, when some matches are barred?

`solve` gives a thing to one person after another and remembers which are gone; `verify` never
matches anybody: it counts the ways to break so many bars at once (rook numbers), and subtracts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import comb, factorial
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._vocabulary import NAMES

Bar: TypeAlias = tuple[int, int]  # a person, and a thing that he or she must not get


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # and as many things
    barred: int  # matches that are barred besides one's own
    own: float  # how often everybody owns a thing, which nobody (or so many) may get back


@dataclass(frozen=True, slots=True)
class Exchange:
    people: tuple[str, ...]
    story: int  # which one
    things: tuple[str, ...]  # empty: everybody brings one of his own
    own: int  # how many get their own; -1: any number
    barred: tuple[Bar, ...]  # in order


def generate(rng: Random, knobs: Knobs) -> Exchange | None:
    count = knobs.people
    owned = rng.random() < knobs.own
    puzzle = Exchange((), 0, ("", "")[: 0 if owned else 2], -1, ())
    named = renamed(rng, knobs, replace(puzzle, people=("",) * count))
    number = rng.choice((0, 0, 0, 1, 2, -1)) if owned else -1
    pairs = [
        (person, thing)
        for person in range(count)
        for thing in range(count)
        if person != thing or not owned
    ]
    number_barred = rng.randint((knobs.barred + 1) // 2, knobs.barred)
    barred = tuple(sorted(rng.sample(pairs, min(number_barred, len(pairs) - count))))
    made = replace(named, own=number, barred=barred)
    return made if (solve(made) or 0) > 1 and (barred or number >= 0) else None


def renamed(rng: Random, knobs: Knobs, puzzle: Exchange) -> Exchange:
    count = len(puzzle.people)
    people = tuple(sorted(rng.sample(NAMES, count)))
    if not puzzle.things:
        return replace(puzzle, people=people, story=rng.randrange(len(OWNED)))
    story = rng.randrange(len(OTHERS))
    things = tuple(rng.sample(OTHERS[story][1], count))
    return replace(puzzle, people=people, story=story, things=things)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(puzzle: Exchange) -> int | None:
    """Person by person, over the set of things that are gone and the number that own theirs."""
    size = len(puzzle.people)
    barred = set(puzzle.barred)

    @cache
    def ways(person: int, gone: int, own: int) -> int:
        if person == size:
            return int(own == 0)
        total = 0
        for thing in range(size):
            left = own - (thing == person and puzzle.own >= 0)
            if not gone >> thing & 1 and left >= 0 and (person, thing) not in barred:
                total += ways(person + 1, gone | 1 << thing, left)
        return total

    return ways(0, 0, max(puzzle.own, 0))


def verify(puzzle: Exchange, answer: int) -> float:
    return float(_by_rooks(puzzle) == answer)


def render(puzzle: Exchange, style: Style) -> Prompt:
    people, size = listed(puzzle.people), len(puzzle.people)
    get, gets = OTHERS[puzzle.story][2:] if puzzle.things else ("get", "gets")
    lines = []
    for person, name in enumerate(puzzle.people):
        things = [_thing(puzzle, thing) for who, thing in puzzle.barred if who == person]
        if things:
            lines.append(f"- {name} must not {get} {listed(things, 'or')}.")
    if puzzle.things:
        kind = OTHERS[puzzle.story][0]
        stock = listed(puzzle.things)
        question = style.pick(
            f"The {size} {kind} ({stock}) are assigned to {people}, one to each.",
            f"{people} divide {size} {kind} among themselves: {stock}. Everybody {gets} exactly"
            " one.",
            f"There are {size} people, {people}, and {size} {kind}, {stock}. Each person {gets}"
            " exactly one of them, and none is left over.",
        )
    else:
        thing, verb = OWNED[puzzle.story]
        question = style.pick(
            f"{people} each {verb} a {thing}. The {size} {thing}s are mixed up and given back, one"
            " to each of them.",
            f"Everybody in the group {people} has to {verb} a {thing}. Then the {thing}s are dealt"
            f" out again among these {size} people, so that each gets one.",
            f"A group of {size} people, {people}, collect their {thing}s, one from each, and hand"
            " them out again, one to each.",
        )
    if puzzle.own >= 0:
        many = (
            ["Nobody gets", "Exactly one person gets"][puzzle.own]
            if puzzle.own < 2
            else (f"Exactly {puzzle.own} people get")
        )
        whose = "his or her" if puzzle.own < 2 else "their"
        lines.insert(0, f"- {many} {whose} own {OWNED[puzzle.story][0]}.")
    conditions = "these conditions" if lines[1:] else "this condition"
    asked = style.pick(
        f"In how many ways can this happen under {conditions}?",
        "How many such distributions obey the following?",
        "Count the distributions in which this holds:",
    )
    told = "\n".join(lines)
    return Prompt(f"{question} {asked}\n\n{told}", form="one integer, the number of ways")


def slips(rng: Random, puzzle: Exchange, gold: int) -> Iterator[int]:
    """What comes of other bars, one or two of them misread, or of another number who get their
    own."""
    size, barred = len(puzzle.people), set(puzzle.barred)
    free = [(a, b) for a in range(size) for b in range(size) if a != b or puzzle.own < 0]
    free = [pair for pair in free if pair not in barred]
    for _ in range(SLIPS):
        count = min(rng.randint(1, 2), len(barred), len(free))
        read = barred - {*rng.sample(sorted(barred), count)} | {*rng.sample(free, count)}
        own = rng.choice((0, 0, 0, 1, 2)) if puzzle.own >= 0 and rng.random() < 0.3 else puzzle.own
        ways = solve(replace(puzzle, own=own, barred=tuple(sorted(read))))
        if ways and ways > 1:
            yield ways


def hardness(puzzle: Exchange) -> float:
    return len(puzzle.people) ** 2 + 2 * len(puzzle.barred) + (puzzle.own > 0)


def canon(puzzle: Exchange) -> tuple[object, ...]:
    """Without the names of people and things."""
    return len(puzzle.people), puzzle.own, not puzzle.things, puzzle.barred


def _thing(puzzle: Exchange, thing: int) -> str:
    if puzzle.things:
        return puzzle.things[thing]
    return f"{puzzle.people[thing]}'s {OWNED[puzzle.story][0]}"


@lru_cache(maxsize=64)
def _by_rooks(puzzle: Exchange) -> int:
    """Ways that keep so many of one's own: rooks on the diagonal (chosen), and none on a bar.

    With r(i, j) ways to put i rooks on the diagonal and j on bars, none attacking another, exactly
    k own and no bar is the sum of (-1)^(i-k+j) C(i, k) r(i, j) (n-i-j)!.
    """
    size = len(puzzle.people)
    own = [(person, person) for person in range(size)] if puzzle.own >= 0 else []
    rooks: dict[tuple[int, int, int], int] = {(0, 0, 0): 1}  # columns taken, rooks of both sorts
    for row in range(size):
        free = [(column, 0) for person, column in puzzle.barred if person == row]
        free += [(column, 1) for person, column in own if person == row]
        grown = dict(rooks)
        for (columns, mine, bars), number in rooks.items():
            for column, is_own in free:
                if not columns >> column & 1:
                    key = (columns | 1 << column, mine + is_own, bars + 1 - is_own)
                    grown[key] = grown.get(key, 0) + number
        rooks = grown
    wanted = max(puzzle.own, 0)
    return sum(
        (-1) ** (mine - wanted + bars) * comb(mine, wanted) * number * factorial(size - mine - bars)
        for (_, mine, bars), number in rooks.items()
        if mine >= wanted
    )


SLIPS = 40  # mistakes that are tried
OWNED = (
    ("hat", "hand in"),
    ("present", "bring"),
    ("coat", "leave"),
    ("bag", "check in"),
    ("book", "bring along"),
)
OTHERS = (
    ("tasks", ("cooking", "cleaning", "shopping", "gardening", "painting", "driving", "baking",
               "sewing", "typing"), "do", "does"),
    ("instruments", ("the flute", "the violin", "the drum", "the harp", "the trumpet", "the guitar",
                     "the piano", "the cello", "the organ"), "play", "plays"),
    ("rooms", ("room 1", "room 2", "room 3", "room 4", "room 5", "room 6", "room 7", "room 8",
               "room 9"), "get", "gets"),
    ("towns", ("Rome", "Oslo", "Paris", "Cairo", "Lima", "Quito", "Delhi", "Kyoto", "Tunis"),
     "visit", "visits"),
)  # fmt: skip
LADDER = (
    Knobs(4, 4, 0.5),
    Knobs(5, 8, 0.5),
    Knobs(6, 9, 0.6),
    Knobs(7, 12, 0.6),
    Knobs(9, 18, 0.7),
)
FAMILY = Family(
    Exchange,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="counting over sets of things that are gone",
    guess_rate=0.25,
    canon=canon,
    renamed=renamed,
    redraws=True,
    slips=slips,
    skills=("counting",),
    version=2,
)
