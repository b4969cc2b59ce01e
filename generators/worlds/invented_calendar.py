"""Invented calendar: which date follows so many days after another, by drawn months and leap years?

`solve` counts the days since the year 0 and turns the count back into a date. `verify` walks from
day to day. Without any rule of the leap years another date is right.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import capital, listed
from puzzlemill.generators.worlds._coinage import coined

Date: TypeAlias = tuple[int, int, int]  # the day from 1 on, the place of the month, the year

SKINS = {
    "planet": ("the calendar of a far planet", "the landing"),
    "kingdom": ("the old calendar of a kingdom", "the coronation"),
    "game": ("the calendar of a board game", "the first move"),
}
DRAWS = 60


@dataclass(frozen=True, slots=True)
class Knobs:
    months: int  # in a year
    days: int  # that pass, at most
    week: int  # days of the week
    rules: int  # of leap years: 0 to 2


@dataclass(frozen=True, slots=True)
class Calendar:
    skin: str
    months: tuple[tuple[str, int], ...]  # names, and days in a common year
    week: tuple[str, ...]  # names of the days
    leap: int  # leap years can be divided by it; 0 where there are none
    never: int  # but not by this one; 0 where there is no such rule
    longer: int  # the place of the month that has one more day then
    start: Date
    weekday: int  # of the start
    passed: int  # days
    wanted: int  # the weekday to go on to


def generate(rng: Random, knobs: Knobs) -> Calendar | None:
    names = coined(rng, knobs.months + knobs.week)
    lengths = [rng.randint(9, 40) for _ in range(knobs.months)]
    leap = rng.randint(3, 7) if knobs.rules else 0
    calendar = Calendar(
        rng.choice(sorted(SKINS)),
        tuple((capital(name), days) for name, days in zip(names, lengths)),
        tuple(map(capital, names[knobs.months :])),
        leap,
        leap * rng.randint(2, 5) if knobs.rules > 1 else 0,
        rng.randrange(knobs.months),
        (1, 0, 0),
        0,
        0,
        0,
    )
    for _ in range(DRAWS):
        month = rng.randrange(knobs.months)
        start = rng.randint(1, lengths[month]), month, rng.randint(100, 400)
        asked = replace(
            calendar,
            start=start,
            weekday=rng.randrange(knobs.week),
            passed=rng.randint(knobs.days // 2, knobs.days),
            wanted=rng.randrange(knobs.week),
        )
        gold = solve(asked)
        if gold and all(solve(fewer) != gold for fewer in without(asked)):
            return asked
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(calendar: Calendar) -> str | None:
    end = _ordinal(calendar, calendar.start) + calendar.passed
    end += (calendar.wanted - calendar.weekday - calendar.passed) % len(calendar.week)
    return _said(calendar, _date(calendar, end))


def verify(calendar: Calendar, answer: str) -> float:
    day, month, year = calendar.start
    weekday, passed = calendar.weekday, 0
    while passed < calendar.passed or weekday != calendar.wanted:
        passed += 1
        length = calendar.months[month][1]
        leap = calendar.leap > 0 and year % calendar.leap == 0
        if calendar.never and year % calendar.never == 0:
            leap = False
        if day < length + (leap and month == calendar.longer):
            day += 1
        elif month + 1 < len(calendar.months):
            day, month = 1, month + 1
        else:
            day, month, year = 1, 0, year + 1
        weekday = (weekday + 1) % len(calendar.week)
    name = calendar.months[month][0]
    return float(answer.split() == [str(day), name.lower(), str(year)])


def render(calendar: Calendar, style: Style) -> Prompt:
    what, origin = SKINS[calendar.skin]
    months = ", ".join(f"{name} ({days} days)" for name, days in calendar.months)
    rules = [f"A year has these months, in this order: {months}."]
    if calendar.leap:
        name = calendar.months[calendar.longer][0]
        unless = f", unless it can be divided by {calendar.never}" if calendar.never else ""
        rules.append(
            f"A year that can be divided by {calendar.leap} is a leap year{unless}: {name} then has"
            " one more day, its last."
        )
    rules.append(
        f"The days of the week are {listed(calendar.week)}, and then {calendar.week[0]} again."
    )
    intro = f"These are the rules of {what}; its years are counted from {origin}.\n\n"
    told = "\n".join(f"- {rule}" for rule in rules)
    start, passed = _written(calendar), calendar.passed
    today, wanted = calendar.week[calendar.weekday], calendar.week[calendar.wanted]
    either = f"the first {wanted} from then on (the same day, if it is a {wanted})"
    question = style.pick(
        f"{start} is a {today}. Go {passed} days on from it, and then to {either}. Which date is"
        " that?",
        f"Today is {today}, {start}. A debt falls due {passed} days from now, and it is paid on"
        f" {either}. On which date is it paid?",
        f"A ship sets out on {today}, {start}, and arrives {passed} days later. The feast is on"
        f" {either}. What is the date of the feast?",
    )
    return Prompt(
        style.pick(
            f"{intro}{told}\n\n{question}",
            f"{question} The date is to be found in {what}, whose years are counted from"
            f" {origin}.\n\n{told}",
            f"{capital(what)} counts its years from {origin}.\n\n{told}\n\n{question}",
        ),
        form="the day, the name of the month and the year, separated by spaces",
    )


def steps(calendar: Calendar) -> list[str]:
    """What is left of the days at the end of each year."""
    first = _ordinal(calendar, calendar.start)
    year = calendar.start[2]
    lines = []
    while (past := _before(calendar, year + 1)) <= first + calendar.passed:
        lines.append(f"year {year + 1} begins after {past - first} days")
        year += 1
    after = _date(calendar, first + calendar.passed)
    lines.append(f"after {calendar.passed} days: {_said(calendar, after)}")
    return [*lines, f"the first {calendar.week[calendar.wanted]} from then on: {solve(calendar)}"]


def kin(calendar: Calendar) -> list[object]:
    """The rules, whatever the months and the days are called."""
    rules = [calendar.leap, calendar.never, calendar.longer if calendar.leap else 0]
    return [[days for _, days in calendar.months], len(calendar.week), rules]


def canon(calendar: Calendar) -> list[object]:
    ahead = (calendar.wanted - calendar.weekday) % len(calendar.week)
    return [kin(calendar), calendar.start, calendar.passed, ahead]


def without(calendar: Calendar) -> Iterator[Calendar]:
    if calendar.leap:
        yield replace(calendar, leap=0, never=0)
    if calendar.never:
        yield replace(calendar, never=0)


def hardness(calendar: Calendar) -> float:
    """The months that pass, and the rules to keep in mind."""
    days = sum(days for _, days in calendar.months) / len(calendar.months)
    return calendar.passed / days + len(calendar.months) + 3 * sum(1 for _ in without(calendar))


def _leaps(calendar: Calendar, years: int) -> int:
    """Leap years among the first so many, the year 0 being one where there are any."""
    if not calendar.leap:
        return 0
    never = -(-years // calendar.never) if calendar.never else 0
    return -(-years // calendar.leap) - never


def _before(calendar: Calendar, year: int) -> int:
    """Days before a year."""
    return year * sum(days for _, days in calendar.months) + _leaps(calendar, year)


def _is_leap(calendar: Calendar, year: int) -> bool:
    return _leaps(calendar, year + 1) > _leaps(calendar, year)


def _lengths(calendar: Calendar, year: int) -> list[int]:
    lengths = [days for _, days in calendar.months]
    lengths[calendar.longer] += _is_leap(calendar, year)
    return lengths


def _ordinal(calendar: Calendar, date: Date) -> int:
    day, month, year = date
    return _before(calendar, year) + sum(_lengths(calendar, year)[:month]) + day - 1


def _date(calendar: Calendar, ordinal: int) -> Date:
    year = ordinal // (sum(days for _, days in calendar.months) + 1)
    while _before(calendar, year + 1) <= ordinal:
        year += 1
    ends = [*accumulate(_lengths(calendar, year))]
    day = ordinal - _before(calendar, year)
    month = bisect_right(ends, day)
    return day - (ends[month - 1] if month else 0) + 1, month, year


def _said(calendar: Calendar, date: Date) -> str:
    day, month, year = date
    return f"{day} {calendar.months[month][0].lower()} {year}"


def _written(calendar: Calendar) -> str:
    day, month, year = calendar.start
    return f"{day} {calendar.months[month][0]} {year}"


LADDER = (
    Knobs(4, 60, 3, 0),
    Knobs(5, 400, 4, 1),
    Knobs(6, 900, 5, 1),
    Knobs(8, 2500, 7, 2),
    Knobs(12, 6000, 9, 2),
)
FAMILY = Family(
    Calendar,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Phrase(),
    hardness=hardness,
    proof="unique",
    solver="days counted since the year 0",
    guess_rate=0.02,
    steps=steps,
    canon=canon,
    kin=kin,
    known=lambda calendar: [name for name, _ in calendar.months],
    without=without,
    skills=("calculation", "rules"),
    version=2,
)
