"""Inventory: what happened to some stocks is told forward; how large was one at the start?

`solve` goes back from the end, undoing one event after another, and then checks that every event
could happen; `verify` goes forward with unknown beginnings, so that every stock is a sum of these,
and solves the equations that the end gives.
"""

from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.core.prose import capital, listed
from puzzlemill.generators.arithmetic._story_words import SCENES, THINGS, their

Event: TypeAlias = tuple[str, int, int, int]  # kind, whose stock, another's, a number


@dataclass(frozen=True, slots=True)
class Knobs:
    owners: int  # of stocks
    events: int  # that change the stocks
    most: int  # the largest stock


@dataclass(frozen=True, slots=True)
class Stocks:
    owners: tuple[str, ...]
    thing: str
    kinds: tuple[tuple[str, int, int], ...]  # of event: what, whose stock, another's
    numbers: tuple[int, ...]  # of each event; 0 where it needs none
    end: tuple[int, ...]  # of each owner
    asked: int  # whose stock at the start

    @property
    def events(self) -> list[Event]:
        return [(*kind, number) for kind, number in zip(self.kinds, self.numbers)]


def generate(rng: Random, knobs: Knobs) -> Stocks | None:
    owners, thing = _cast(rng, knobs.owners)
    stocks = [rng.randint(knobs.most // 8 + 4, knobs.most // 2) for _ in owners]
    events: list[Event] = []
    for _ in range(knobs.events):
        event = _event(rng, stocks, knobs.most, events[-1] if events else None)
        if event is None:
            return None
        events.append(event)
        stocks = _after(event, stocks) or stocks
    touched = {owner for _, *both, _ in events for owner in both}
    if len(touched) < len(owners) or max(stocks) < 2:
        return None
    return _stocks(owners, thing, events, stocks, rng.randrange(len(owners)))


def solve(stocks: Stocks) -> int | None:
    """Undo the events from the last to the first."""
    now: list[int] | None = list(stocks.end)
    for event in reversed(stocks.events):
        now = _before(event, now) if now else None
    if now is None:
        return None
    start, again = now[stocks.asked], list(now)
    for event in stocks.events:
        after = _after(event, again)
        if after is None:
            return None
        again = after
    return start if again == list(stocks.end) else None


def verify(stocks: Stocks, answer: int) -> float:
    owners = range(len(stocks.owners))
    # A row for each owner: how often each beginning is in the stock, and a number.
    rows = [[Fraction(one == other) for other in owners] + [Fraction(0)] for one in owners]
    for event in stocks.events:
        _forward(event, rows)
    for row, end in zip(rows, stocks.end):
        row[-1] = end - row[-1]
    for column in owners:
        able = [row for row in rows[column:] if row[column]]
        if not able:
            return 0.0
        place = next(at for at in owners if rows[at] is able[0])
        rows[column], rows[place] = rows[place], rows[column]
        pivot = rows[column]
        for place in owners:
            if place != column and rows[place][column]:
                share = rows[place][column] / pivot[column]
                rows[place] = [mine - share * other for mine, other in zip(rows[place], pivot)]
    return float(rows[stocks.asked][-1] / rows[stocks.asked][stocks.asked] == answer)


def render(stocks: Stocks, style: Style) -> Prompt:
    things, names = THINGS[stocks.thing], stocks.owners
    told = [
        _told(event, names, things, Style(style.phrasing + place))
        for place, event in enumerate(stocks.events)
    ]
    left = listed([f"{name} has {end}" for name, end in zip(names, stocks.end)])
    who, some = names[stocks.asked], listed(names)
    events = " ".join(capital(sentence) for sentence in told)
    some_have = f"{some} {'has' if len(names) == 1 else 'each have'}"
    return Prompt(
        style.pick(
            f"{capital(some_have)} some {things}. {events} In the end, {left} {things}. How many"
            f" {things} did {who} have at the beginning?",
            f"One morning, {some_have} some {things}; nobody has counted them. {events} Then they"
            f" are counted: {left}. How many {things} did {who} have that morning?",
            f"Here is what happens to the {things} of {some}, in this order. {events} After"
            f" that, {left} {things}. Find out how many {things} {who} had before all this.",
        ),
        form=f"the number of {things}, as one integer",
    )


def steps(stocks: Stocks) -> list[str]:
    """Backwards, with all stocks after each event undone."""
    now, lines = list(stocks.end), ["Go back from the end."]
    for event in reversed(stocks.events):
        now = _before(event, now) or now
        said = _told(event, stocks.owners, THINGS[stocks.thing], Style())
        had = listed([f"{name} {count}" for name, count in zip(stocks.owners, now)])
        lines.append(f"Before this: {said[:-1]}; the numbers were {had}.")
    return lines


def progress(stocks: Stocks, lines: Lines) -> float:
    return states_followed(FAMILY, stocks, lines)


def hardness(stocks: Stocks) -> float:
    work = sum(1 if kind in ("in", "out", "give") else 2 for kind, *_ in stocks.events)
    return work * len(stocks.owners)


def canon(stocks: Stocks) -> tuple[object, ...]:
    """Without names."""
    return stocks.kinds, stocks.numbers, stocks.end, stocks.asked


def twin(rng: Random, knobs: Knobs, stocks: Stocks) -> Stocks | None:
    for _ in range(TRIES):
        now = [rng.randint(knobs.most // 8 + 4, knobs.most // 2) for _ in stocks.owners]
        events: list[Event] = []
        for kind, owner, other, _ in stocks.events:
            event = _numbered(rng, kind, owner, other, now, knobs.most)
            after = _after(event, now) if event else None
            if event is None or after is None:
                break
            events.append(event)
            now = after
        if len(events) == len(stocks.events) and max(now) > 1:
            return _stocks(stocks.owners, stocks.thing, events, now, stocks.asked)
    return None


def renamed(rng: Random, knobs: Knobs, stocks: Stocks) -> Stocks:
    owners, thing = _cast(rng, len(stocks.owners))
    return Stocks(owners, thing, stocks.kinds, stocks.numbers, stocks.end, stocks.asked)


def _cast(rng: Random, count: int) -> tuple[tuple[str, ...], str]:
    """Owners, and a thing that they may have."""
    owners, things, _ = rng.choice(SCENES)
    return tuple(rng.sample(owners, count)), rng.choice(things)


def _stocks(
    owners: tuple[str, ...], thing: str, events: list[Event], end: list[int], asked: int
) -> Stocks:
    kinds = tuple(event[:3] for event in events)
    return Stocks(owners, thing, kinds, tuple(event[3] for event in events), tuple(end), asked)


def _event(rng: Random, stocks: list[int], most: int, last: Event | None) -> Event | None:
    for _ in range(TRIES):
        kind = rng.choice(ALONE if len(stocks) == 1 else ALONE + TOGETHER)
        owner = rng.randrange(len(stocks))
        other = owner
        if kind in TOGETHER:
            other = rng.choice([place for place in range(len(stocks)) if place != owner])
        event = _numbered(rng, kind, owner, other, stocks, most)
        if event and (last is None or event[:3] != last[:3]):
            return event
    return None


def _numbered(
    rng: Random, kind: str, owner: int, other: int, stocks: list[int], most: int
) -> Event | None:
    have = stocks[owner]
    if kind in ("share", "part"):
        able = [number for number in (2, 3, 4, 5, 6, 7, 8) if have % number == 0]
        number = rng.choice(able) if able and have > 8 else 0
    elif kind in ("double", "match"):
        number = 0
    else:
        number = rng.randint(2, max(2, (most if kind == "in" else have) // 3))
    event = kind, owner, other, number
    after = _after(event, stocks) if number or kind in ("double", "match") else None
    return event if after and max(after) <= most and min(after) > 0 else None


def _after(event: Event, stocks: list[int]) -> list[int] | None:
    """None where the event cannot happen."""
    kind, owner, other, number = event
    now = list(stocks)
    have = now[owner]
    if kind in ("share", "part") and have % number:
        return None
    amount = {
        "double": have,
        "match": now[other],
        "share": have // number if number else 0,
        "part": have // number if number else 0,
    }.get(kind, number)
    now[owner] += amount if kind in ("in", "double") else -amount
    if kind in TOGETHER:
        now[other] += amount
    return now if min(now) >= 0 else None


def _before(event: Event, stocks: list[int]) -> list[int] | None:
    """None where no whole numbers lead to what is there."""
    kind, owner, other, number = event
    now = list(stocks)
    match kind:
        case "in":
            now[owner] -= number
        case "out":
            now[owner] += number
        case "give":
            now[owner], now[other] = now[owner] + number, now[other] - number
        case "double":
            if now[owner] % 2:
                return None
            now[owner] //= 2
        case "match":
            if now[other] % 2:
                return None
            now[other] //= 2
            now[owner] += now[other]
        case _:  # a share is gone, the others are left
            if number < 2 or now[owner] % (number - 1):
                return None
            gone = now[owner] // (number - 1)
            now[owner] += gone
            now[other] -= gone if kind == "part" else 0
    return now if min(now) >= 0 else None


def _forward(event: Event, rows: list[list[Fraction]]) -> None:
    kind, owner, other, number = event
    mine = rows[owner]
    match kind:
        case "double":
            amount = list(mine)
        case "match":
            amount = list(rows[other])
        case "share" | "part":
            amount = [each / number for each in mine]
        case _:
            amount = [Fraction(0)] * (len(mine) - 1) + [Fraction(number)]
    sign = 1 if kind in ("in", "double") else -1
    rows[owner] = [each + sign * more for each, more in zip(mine, amount)]
    if kind in TOGETHER:
        rows[other] = [each + more for each, more in zip(rows[other], amount)]


def _told(event: Event, names: tuple[str, ...], things: str, style: Style) -> str:
    kind, owner, other, number = event
    one, two = names[owner], names[other]
    whose = their(one)
    match kind:
        case "in":
            return style.pick(
                f"{one} buys {number} {things}.",
                f"{one} orders {number} more {things} and receives them.",
                f"{number} {things} are delivered to {one}.",
            )
        case "out":
            return style.pick(
                f"{one} sells {number} {things}.",
                f"{one} gives {number} {things} to charity.",
                f"{number} of {one}'s {things} are stolen.",
            )
        case "give":
            return style.pick(
                f"{one} gives {number} {things} to {two}.",
                f"{one} hands over {number} {things} to {two}.",
                f"{two} receives {number} {things} from {one}.",
            )
        case "double":
            return style.pick(
                f"{one} buys as many {things} as {HOLDERS[whose]} already has.",
                f"a delivery doubles the number of {one}'s {things}.",
                f"{one} orders and receives just enough {things} to have twice as many as before.",
            )
        case "match":
            return style.pick(
                f"{one} gives {two} as many {things} as {two} already has.",
                f"{two} receives from {one} just as many {things} as {two} already has.",
                f"{one} gives {two} just enough {things} to double the number that {two} has.",
            )
        case "share":
            return style.pick(
                f"{one} sells 1/{number} of {whose} {things}.",
                f"1/{number} of {one}'s {things} are stolen.",
                f"{one} gives 1/{number} of {whose} {things} to charity.",
            )
        case _:
            return style.pick(
                f"{one} gives 1/{number} of {whose} {things} to {two}.",
                f"{two} receives 1/{number} of {one}'s {things} from {one}.",
                f"{one} hands over 1/{number} of {whose} {things} to {two}.",
            )


HOLDERS = {"his": "he", "her": "she", "its": "it"}
ALONE = ("in", "out", "out", "double", "share", "share")
TOGETHER = ("give", "give", "match", "part", "part")
TRIES = 40
LADDER = (
    Knobs(1, 2, 40),
    Knobs(1, 4, 120),
    Knobs(2, 5, 240),
    Knobs(3, 8, 500),
    Knobs(4, 14, 999),
)
FAMILY = Family(
    Stocks,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="undoing the events from the last to the first",
    guess_rate=0.12,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("numbers", "end"),
    twin=twin,
    renamed=renamed,
    skills=("reading", "calculation", "fractions"),
    peers=("reasoning-core/process_inversion",),
    version=2,
)
