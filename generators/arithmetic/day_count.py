"""Day count: how many days from one date to another are of a certain sort.

`solve` counts month by month, where a month is known by its length and the weekday that it begins
with; `verify` turns over one leaf of the calendar after another.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.dates import MONTHS, WEEKDAYS
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived

Day: TypeAlias = tuple[int, int, int]  # year, month, day
# weekday: one of some; number: its number in the month; multiple: that is divisible by n; month:
# one of some; leap and common: the sort of its year; last: of its month; nth: of its weekday in the
# month; length: the days of its month; rest: the number leaves 1 when divided by n.
Sort: TypeAlias = tuple[str | int, ...]
Leaf: TypeAlias = tuple[int, int]  # the number of a day in its month, and its weekday


@dataclass(frozen=True, slots=True)
class Knobs:
    days: int  # from the first to the last, at most
    sorts: int  # conditions on the days
    years: int  # around 2000 from which the first day is taken
    # of conditions that may occur, from the easiest to all
    kinds: Literal["weekday", "usual", "all"]
    told: bool  # whether the weekday of the first day is told


@dataclass(frozen=True, slots=True)
class Stretch:
    first: Day
    last: Day
    sorts: tuple[Sort, ...]
    told: bool


def generate(rng: Random, knobs: Knobs) -> Stretch | None:
    kinds = list(KINDS[knobs.kinds])
    chosen = rng.sample(kinds, min(knobs.sorts, len(kinds)))
    clash = {"number", "multiple", "rest", "last", "nth"}
    if sum(kind in clash for kind in chosen) > 1 or {"month", "length"} <= set(chosen):
        return None
    sorts = tuple(_sort(rng, kind) for kind in chosen)
    return twin(rng, knobs, Stretch((1, 1, 1), (1, 1, 1), sorts, knobs.told))


def twin(rng: Random, knobs: Knobs, stretch: Stretch) -> Stretch | None:
    """Other dates, between which there are a few such days."""
    first = date(2000 - knobs.years, 1, 1).toordinal()
    for _ in range(8):
        start = rng.randrange(first, date(2000 + knobs.years, 1, 1).toordinal())
        end = start + rng.randint(max(knobs.days // 2, 5), knobs.days)
        made = Stretch(_day(start), _day(end), stretch.sorts, stretch.told)
        found = solve(made)
        if found is not None and found > min(knobs.sorts, 3):
            return made
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(stretch: Stretch) -> int | None:
    """Whole months one after another, those of the same look counted once."""
    first, last = date(*stretch.first), date(*stretch.last)
    weekday = first.replace(day=1).weekday()
    total = 0
    for place in range(first.year * 12 + first.month - 1, last.year * 12 + last.month):
        year, month = divmod(place, 12)
        length = _length(year, month + 1)
        days = _fitting((weekday, length, month + 1, _length(year, 2) == 29), stretch.sorts)
        if (year, month + 1) == (first.year, first.month):
            days = [day for day in days if day >= first.day]
        if (year, month + 1) == (last.year, last.month):
            days = [day for day in days if day <= last.day]
        total += len(days)
        weekday = (weekday + length) % 7
    return total


def verify(stretch: Stretch, answer: int) -> float:
    return float(sum(count for _, count in _turned(stretch)) == answer)


def render(stretch: Stretch, style: Style) -> Prompt:
    first, last = _said(stretch.first), _said(stretch.last)
    if stretch.told:
        first = f"{WEEKDAYS[date(*stretch.first).weekday()]}, {first}"
    told = [_told(sort) for sort in stretch.sorts]
    if not told:
        question = style.pick(
            f"How many days are there from {first} to {last}?",
            f"Count the days from {first} to {last}.",
            f"A stretch of days begins on {first} and ends on {last}. How many days does it have?",
        )
    elif len(told) == 1:
        question = style.pick(
            f"How many of the days from {first} to {last} meet this condition: the day is"
            f" {told[0]}?",
            f"Count every day from {first} to {last} that is {told[0]}.",
            f"Going from {first} to {last}, how many times do you come to a day that is {told[0]}?",
        )
    else:
        listed = "\n".join(f"- The day is {each}." for each in told)
        question = style.pick(
            f"How many days from {first} to {last} meet all of these conditions?\n\n{listed}",
            f"Look at the days from {first} to {last}. For how many of them is all of this true?"
            f"\n\n{listed}",
            f"Count the days from {first} to {last} for which all of this is true.\n\n{listed}",
        )
    gap = "\n\n" if len(told) > 1 else " "
    ends = "The first and the last day belong to the stretch and are counted like the others."
    return Prompt(f"{question}{gap}{ends} Use the Gregorian calendar.", form="one integer")


def steps(stretch: Stretch) -> list[str]:
    """How many there are in each year."""
    years: dict[int, int] = {}
    for year, count in _turned(stretch):
        years[year] = years.get(year, 0) + count
    weekday = WEEKDAYS[date(*stretch.first).weekday()]
    lines = [f"{_said(stretch.first)} is a {weekday}"]
    lines += [f"In {year}: {count}" for year, count in years.items()]
    return [*lines, f"Together: {sum(years.values())}"]


def progress(stretch: Stretch, lines: Lines) -> float:
    return results_derived(FAMILY, stretch, lines, ":")


def hardness(stretch: Stretch) -> float:
    """Months to be looked at, and what must be known of each."""
    months = (stretch.last[0] - stretch.first[0]) * 12 + stretch.last[1] - stretch.first[1] + 1
    return (1 + months) * (1 + 2 * len(stretch.sorts)) + 5 * (not stretch.told)


def canon(stretch: Stretch) -> tuple[Day, Day, list[Sort]]:
    return stretch.first, stretch.last, sorted(stretch.sorts, key=repr)


def _sort(rng: Random, kind: str) -> Sort:
    match kind:
        case "weekday":
            days = sorted(rng.sample(range(7), rng.choice((1, 1, 2))))
            return (kind, *(WEEKDAYS[day] for day in days))
        case "month":
            months = sorted(rng.sample(range(12), rng.randint(2, 4)))
            return (kind, *(MONTHS[month] for month in months))
        case "number":
            return kind, rng.choice((*range(1, 32), 13, 29, 30, 31))
        case "multiple" | "rest":
            return kind, rng.randint(2, 6)
        case "nth":
            return kind, rng.randint(1, 5)
        case "length":
            return kind, rng.choice((30, 31))
        case _:
            return (kind,)


@lru_cache(maxsize=512)
def _fitting(look: tuple[int, int, int, bool], sorts: tuple[Sort, ...]) -> list[int]:
    """The days of the sorts in a month of such a look."""
    weekday, length, month, leap = look
    days = list(range(1, length + 1))
    for kind, *what in sorts:
        match kind:
            case "weekday":
                days = [day for day in days if WEEKDAYS[(weekday + day - 1) % 7] in what]
            case "month":
                days = days if MONTHS[month - 1] in what else []
            case "number":
                days = [day for day in days if day in what]
            case "multiple" | "rest":
                left = kind == "rest"
                days = [day for day in days if day % int(what[0]) == left]
            case "leap" | "common":
                days = days if leap == (kind == "leap") else []
            case "last":
                days = [day for day in days if day == length]
            case "nth":
                days = [day for day in days if (day - 1) // 7 == int(what[0]) - 1]
            case _:
                days = days if length in what else []
    return days


def _turned(stretch: Stretch) -> Iterator[tuple[int, int]]:
    """The year of each month, and how many of its days are right, by turning leaves."""
    year, month, day = stretch.first
    shifted, before = (month, year) if month > 2 else (month + 12, year - 1)
    weekday = (day + 13 * (shifted + 1) // 5 + before + before // 4 - before // 100) % 7
    weekday = (weekday + before // 400 + 5) % 7  # Zeller counts from Saturday, we from Monday
    while (year, month) <= stretch.last[:2]:
        length = _length(year, month)
        end = stretch.last[2] if (year, month) == stretch.last[:2] else length
        leaves = [(leaf, (weekday + leaf - day) % 7) for leaf in range(day, end + 1)]
        weekday = (weekday + len(leaves)) % 7
        for sort in stretch.sorts:
            leaves = _right(leaves, year, month, sort)
        yield year, len(leaves)
        day, year, month = 1, year + month // 12, month % 12 + 1


def _right(leaves: list[Leaf], year: int, month: int, sort: Sort) -> list[Leaf]:
    """Of the leaves of a month those that a sort leaves."""
    kind = sort[0]
    if kind == "weekday":
        wanted = {WEEKDAYS.index(day) for day in sort[1:]}
        return [leaf for leaf in leaves if leaf[1] in wanted]
    if kind == "number":
        return [leaf for leaf in leaves if leaf[0] == sort[1]]
    if kind in ("multiple", "rest"):
        start, step = int(kind == "rest"), int(sort[1])
        return [leaf for leaf in leaves if (leaf[0] - start) % step == 0]
    if kind == "nth":
        return [leaf for leaf in leaves if (leaf[0] + 6) // 7 == sort[1]]
    if kind == "last":
        return [leaf for leaf in leaves if leaf[0] == _length(year, month)]
    if kind == "month":
        right = MONTHS[month - 1] in sort
    elif kind == "length":
        right = _length(year, month) == sort[1]
    else:
        right = (_length(year, 2) == 29) == (kind == "leap")
    return leaves if right else []


def _length(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _day(ordinal: int) -> Day:
    found = date.fromordinal(ordinal)
    return found.year, found.month, found.day


def _said(day: Day) -> str:
    return f"{day[2]} {MONTHS[day[1] - 1]} {day[0]}"


def _told(sort: Sort) -> str:
    """What a day is, after "is"."""
    match sort:
        case ("weekday", *days):
            return " or ".join(f"a {day}" for day in days)
        case ("month", *months):
            names = [str(month) for month in months]
            return f"in {', '.join(names[:-1])} or {names[-1]}"
        case ("number", int(number)):
            return f"the {number}{_ending(number)} of a month"
        case ("multiple", number):
            return f"one whose number in its month is divisible by {number}"
        case ("rest", number):
            return f"one whose number in its month leaves remainder 1 when divided by {number}"
        case ("nth", int(number)):
            return f"the {ORDINALS[number]} of its weekday in its month (such as the" + (
                f" {ORDINALS[number]} Monday of a month)"
            )
        case ("last",):
            return "the last day of a month"
        case ("length", number):
            return f"in a month of {number} days"
        case ("leap",):
            return "in a leap year"
        case _:
            return "in a year that is not a leap year"


def _ending(number: int) -> str:
    return "th" if number in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


ORDINALS = ("", "first", "second", "third", "fourth", "fifth")
KINDS = {
    "weekday": ("weekday",),
    "usual": ("weekday", "number", "month", "last", "multiple"),
    "all": (
        "weekday", "number", "month", "last", "multiple", "rest", "nth", "length", "leap", "common",
    ),
}  # fmt: skip
LADDER = (
    Knobs(40, 0, 20, "weekday", True),
    Knobs(150, 1, 20, "weekday", True),
    Knobs(900, 1, 40, "usual", True),
    Knobs(2500, 2, 100, "usual", False),
    Knobs(6000, 3, 200, "all", False),
)
FAMILY = Family(
    Stretch,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="counting month by month",
    guess_rate=0.15,
    steps=steps,
    progress=progress,
    canon=canon,
    twin=twin,
    skills=("time", "counting"),
    peers=("reasoning-gym/calendar_arithmetic", "KORGym/1-DateCount"),
    version=2,
)
