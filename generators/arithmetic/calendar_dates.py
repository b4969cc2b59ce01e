"""Calendar dates: a chain of steps through the calendar, and the day on which it ends.

`solve` walks with the library's dates, one day at a time where working days are counted; `verify`
numbers the days by a formula of its own and counts working days in weeks.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.dates import MONTHS, WEEKDAYS
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.core.prose import capital

Day: TypeAlias = tuple[int, int, int]  # year, month, day
# days and back: a number of days later and earlier; weekday: a weekday and how many times; work: a
# number of working days; months: a number of months; end: the last day of the month; nth: a weekday
# and which of the following month, 5 for the last.
Leg: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    legs: int  # steps of the chain
    most: int  # days in one leg, at most
    years: int  # around 2000 from which the start is taken
    kinds: Literal["days", "weeks", "all"]  # of steps that may occur, from the easiest to all
    told: bool  # whether the weekday of the start is told


@dataclass(frozen=True, slots=True)
class Chain:
    start: Day
    legs: tuple[Leg, ...]
    told: bool


def generate(rng: Random, knobs: Knobs) -> Chain | None:
    """The first leg, or another, is one that tells a number."""
    first = date(2000 - knobs.years, 1, 1).toordinal()
    start = date.fromordinal(rng.randrange(first, date(2000 + knobs.years, 12, 31).toordinal()))
    kinds = [rng.choice(COUNTED[knobs.kinds])]
    while len(kinds) < knobs.legs:
        allowed = [kind for kind in KINDS[knobs.kinds] if kind != kinds[-1] or kind == "days"]
        kinds.append(rng.choice(allowed))
    if knobs.legs > 1:
        rng.shuffle(kinds)
    legs = tuple(_leg(rng, knobs, kind) for kind in kinds)
    chain = Chain((start.year, start.month, start.day), legs, knobs.told)
    return None if _has_idle_leg(chain) else chain


def twin(rng: Random, knobs: Knobs, chain: Chain) -> Chain | None:
    """Of many legs one is often idle, so that several are drawn."""
    for _ in range(TRIES):
        made = generate(rng, knobs)
        legs = tuple(_leg(rng, knobs, str(leg[0])) for leg in chain.legs)
        if made and not _has_idle_leg(other := Chain(made.start, legs, chain.told)):
            return other
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(chain: Chain) -> date | None:
    try:
        day = date(*chain.start)
        for leg in chain.legs:
            day = _walked(day, leg)
    except (ValueError, OverflowError, IndexError):  # no such day, or one after the year 9999
        return None
    return day


def verify(chain: Chain, answer: date) -> float:
    number = _number(*chain.start)
    for leg in chain.legs:
        number = _moved(number, leg)
    return float(_number(answer.year, answer.month, answer.day) == number)


def render(chain: Chain, style: Style) -> Prompt:
    start = _said(chain.start)
    if chain.told:
        start = f"{WEEKDAYS[date(*chain.start).weekday()]}, {start}"
    kinds = {leg[0] for leg in chain.legs}
    notes = "".join(f" {NOTES[kind]}" for kind in NOTES if kind in kinds)
    form = "a date as YYYY-MM-DD, such as 1987-03-05"
    if len(chain.legs) == 1:
        move = _move(chain.legs[0])
        question = style.pick(
            f"Start on {start} and {move}. Which date do you reach?{notes}",
            f"A calendar shows {start}. Now {move}. Which date is that?{notes}",
            f"Which date do you come to when you start on {start} and {move}?{notes}",
        )
        return Prompt(question, form)
    moves = [_move(leg) for leg in chain.legs]
    legs = "\n".join(f"{n}. {capital(move)}." for n, move in enumerate(moves, 1))
    question = style.pick(
        f"Start on {start} and follow these steps, each from the day on which the one before it"
        f" ended.\n\n{legs}\n\nOn which date do you end?{notes}",
        f"Someone leafs through a calendar, beginning on {start}:\n\n{legs}\n\nWhich date is"
        f" reached after the last step?{notes}",
        f"Follow the steps one after another through the Gregorian calendar, the one in use"
        f" today.{notes}\n\nStart: {start}\n{legs}\n\nFind the final date.",
    )
    return Prompt(question, form)


def steps(chain: Chain) -> list[str]:
    day = date(*chain.start)
    lines = [f"{day.isoformat()} is a {WEEKDAYS[day.weekday()]}"]
    for leg in chain.legs:
        day = _walked(day, leg)
        lines.append(f"{_move(leg)}: {WEEKDAYS[day.weekday()]}, {day.isoformat()}")
    return lines


def progress(chain: Chain, lines: Lines) -> float:
    return results_derived(FAMILY, chain, lines, ":")


def without(chain: Chain) -> Iterator[Chain]:
    legs = chain.legs
    return (replace(chain, legs=legs[:place] + legs[place + 1 :]) for place in range(len(legs)))


def hardness(chain: Chain) -> float:
    """The work of each leg; not knowing the weekday is one more."""
    work = {"days": 2, "back": 2, "end": 1}
    total = sum(
        work.get(str(leg[0]), 3) + (leg[1] ** 0.3 if isinstance(leg[1], int) else 1)
        for leg in chain.legs
    )
    return total + 3 * (not chain.told) + abs(chain.start[0] - 2000) / 200


def _has_idle_leg(chain: Chain) -> bool:
    """As the last day of a month is after another, or after the last weekday but one."""
    return any(solve(fewer) == solve(chain) for fewer in without(chain))


def _leg(rng: Random, knobs: Knobs, kind: str) -> Leg:
    match kind:
        case "days" | "back":
            return kind, rng.randint(2, knobs.most)
        case "weekday":
            return kind, rng.choice(WEEKDAYS), rng.randint(1, 4)
        case "work":
            return kind, rng.randint(3, max(knobs.most // 4, 10))
        case "months":
            return kind, rng.randint(2, max(knobs.most // 8, 11))
        case "nth":
            return kind, rng.choice(WEEKDAYS), rng.randint(1, 5)
        case _:
            return kind, 1


def _walked(day: date, leg: Leg) -> date:
    kind = leg[0]
    count = leg[-1]
    assert isinstance(count, int), "a leg ends in a number"
    match kind:
        case "days":
            return day + timedelta(days=count)
        case "back":
            return day - timedelta(days=count)
        case "weekday":
            ahead = (WEEKDAYS.index(str(leg[1])) - day.weekday() - 1) % 7 + 1
            return day + timedelta(days=ahead + 7 * (count - 1))
        case "work":
            if count > MOST:
                raise OverflowError
            while count:
                day += timedelta(days=1)
                count -= day.weekday() < 5
            return day
        case "months":
            return _months_on(day, count)
        case "end":
            return _months_on(day.replace(day=1), 1) - timedelta(days=1)
        case _:
            first = _months_on(day.replace(day=1), 1)
            after = _months_on(first, 1)
            days = [first + timedelta(days=place) for place in range((after - first).days)]
            right = [each for each in days if WEEKDAYS[each.weekday()] == leg[1]]
            return right[-1] if count == 5 else right[count - 1]


def _months_on(day: date, count: int) -> date:
    """The same day of a later month, or its last where it has no such day."""
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    for last in (day.day, 30, 29, 28):
        try:
            return date(year, month + 1, min(day.day, last))
        except ValueError:  # no such day, or no such year
            continue
    raise OverflowError


def _number(year: int, month: int, day: int) -> int:
    """Days since a Sunday long ago, in years that begin in March."""
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day + 2


def _named(number: int) -> Day:
    """The day of a number: the year is guessed from below, the month from what is left."""
    year = (number - 400) * 400 // 146097 - 1
    while _number(year + 1, 1, 1) <= number:
        year += 1
    month = max(m for m in range(1, 13) if _number(year, m, 1) <= number)
    return year, month, number - _number(year, month, 1) + 1


def _moved(number: int, leg: Leg) -> int:
    kind, count = leg[0], leg[-1]
    assert isinstance(count, int), "a leg ends in a number"
    year, month, day = _named(number)
    begun = year * 12 + month - 1
    match kind:
        case "days":
            return number + count
        case "back":
            return number - count
        case "weekday":
            wanted = (WEEKDAYS.index(str(leg[1])) + 1) % 7
            return number + 7 * count - (number - wanted) % 7
        case "work":
            friday = number - {6: 1, 0: 2}.get(number % 7, 0)  # a weekend adds nothing
            sunday = friday - friday % 7
            weeks, rest = divmod(friday % 7 + count - 1, 5)
            return sunday + 7 * weeks + rest + 1
        case "months":
            first, after = _first(begun + count), _first(begun + count + 1)
            return min(first + day - 1, after - 1)
        case "end":
            return _first(begun + 1) - 1
        case _:
            wanted = (WEEKDAYS.index(str(leg[1])) + 1) % 7
            if count == 5:
                last = _first(begun + 2) - 1
                return last - (last - wanted) % 7
            first = _first(begun + 1)
            return first + (wanted - first) % 7 + 7 * (count - 1)


def _first(months: int) -> int:
    """The number of the first day of a month, months counted from the year 0 on."""
    return _number(months // 12, months % 12 + 1, 1)


def _said(day: Day) -> str:
    year, month, number = day
    return f"{number} {MONTHS[month - 1]} {year}"


def _move(leg: Leg) -> str:
    """What to do, after "you"."""
    kind, count = leg[0], leg[-1]
    assert isinstance(count, int), "a leg ends in a number"
    match kind:
        case "days":
            return f"go forward {count} days"
        case "back":
            return f"go back {count} days"
        case "weekday":
            return f"go to the {ORDINALS[count]} {leg[1]} after the day reached so far"
        case "work":
            return f"go forward {count} working days"
        case "months":
            return f"go forward {count} months, to the same day of the month"
        case "end":
            return "go to the last day of the current month"
        case _:
            return f"go to the {ORDINALS[count]} {leg[1]} of the following month"


MOST = 5000  # working days that are counted one by one
ORDINALS = ("", "first", "second", "third", "fourth", "last")
COUNTED = {
    "days": ("days",),
    "weeks": ("days", "back", "work"),
    "all": ("days", "back", "work", "months"),
}
KINDS = {
    "days": ("days",),
    "weeks": ("days", "back", "weekday", "work", "end"),
    "all": ("days", "back", "weekday", "work", "months", "end", "nth"),
}
NOTES = {
    "weekday": 'Here "after" does not count the day itself.',
    "work": "Working days are Monday to Friday, holidays are ignored, and the first one counted is"
    " the first working day after the day reached so far.",
    "months": "Where a month has no such day, take its last day.",
}
TRIES = 20  # at a twin
LADDER = (
    Knobs(1, 20, 20, "days", True),
    Knobs(2, 60, 30, "weeks", True),
    Knobs(3, 120, 50, "all", True),
    Knobs(5, 400, 100, "all", False),
    Knobs(9, 1000, 300, "all", False),
)
FAMILY = Family(
    Chain,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Date(),
    hardness=hardness,
    proof="unique",
    solver="the library's dates, step by step",
    guess_rate=0.01,
    steps=steps,
    progress=progress,
    inputs=("legs",),
    twin=twin,
    without=without,
    skills=("time", "calculation"),
    peers=("reasoning-gym/calendar_arithmetic", "KORGym/1-DateCount"),
    version=3,
)
