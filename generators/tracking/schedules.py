"""Schedules: calendars and rules; when is the first time, or the longest, at which enough can meet?

`solve` sweeps over the moments at which somebody gets busy or free; `verify` goes through the day
in steps of five minutes, of which all times are multiples.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from operator import and_
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES

Span = tuple[int, int]  # minutes since midnight, from and to

STEP = 5
STEPS = 24 * 60 // STEP  # of a day
OPEN, CLOSE = 8 * 60, 19 * 60


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # with calendars
    busy: int  # appointments of each
    ruled: float  # share of people with a rule of their own: another time zone, breaks
    spare: int  # people who may be missing, at most


@dataclass(frozen=True, slots=True)
class Calendar:
    people: tuple[str, ...]
    hours: tuple[Span, ...]  # from when to when each can be met, on their own clock
    busy: tuple[tuple[Span, ...], ...]  # on their own clock
    ahead: tuple[int, ...]  # minutes by which the clock of each is ahead of the first one's
    rests: tuple[int, ...]  # minutes that each needs after every appointment
    needed: tuple[str, ...]  # these must come
    enough: int  # and at least so many in all
    length: int  # of the meeting in minutes; 0: the longest stretch of time is wanted


def generate(rng: Random, knobs: Knobs) -> Calendar | None:
    people = tuple(rng.sample(NAMES, knobs.people))
    longest = rng.random() < 0.4
    length = 0 if longest else rng.choice((25, 30, 40, 45, 50, 60, 75, 90))
    hours, busy, ahead, rests = [], [], [], []
    for place in range(knobs.people):
        ruled = rng.random() < knobs.ruled
        shift = rng.choice((-120, -60, 60, 120)) if ruled and place and rng.random() < 0.5 else 0
        rests.append(rng.choice((10, 15, 20)) if ruled and not shift else 0)
        ahead.append(shift)
        start = OPEN + STEP * rng.randrange(0, 18)
        end = CLOSE - STEP * rng.randrange(0, 24)
        hours.append((start + shift, end + shift))
        busy.append(_appointments(rng, knobs.busy, start + shift, end + shift))
    missing = rng.randint(min(1, knobs.spare), knobs.spare)
    enough = max(2, knobs.people - missing)
    certain = rng.randint(0, enough - 1) if enough < knobs.people else 0
    needed = tuple(sorted(rng.sample(people, certain)))
    calendar = Calendar(
        people, tuple(hours), tuple(busy), tuple(ahead), tuple(rests), needed, enough, length
    )
    stretches = _stretches(calendar)
    longer = sorted((end - start for start, end in stretches), reverse=True)
    if length:
        # The first time must not be found without looking at the appointments.
        fitting = [start for start, end in stretches if end - start >= length]
        opening = max(start - shift for (start, _), shift in zip(hours, ahead))
        return calendar if fitting and fitting[0] > opening and len(stretches) > 1 else None
    if len(longer) < 2 or longer[0] == longer[1] or longer[0] < 15:
        return None
    return calendar


def solve(calendar: Calendar) -> int | None:
    """A sweep: who gets free or busy at which moment."""
    stretches = _stretches(calendar)
    if calendar.length:
        return next((start for start, end in stretches if end - start >= calendar.length), None)
    sizes = sorted(((end - start, start) for start, end in stretches), reverse=True)
    if not sizes or (len(sizes) > 1 and sizes[0][0] == sizes[1][0]):
        return None
    return sizes[0][1]


def verify(calendar: Calendar, minute: int) -> float:
    """Every five minutes of the first person's day."""
    free = [_free_steps(calendar, place) for place in range(len(calendar.people))]
    possible = [sum(here) >= calendar.enough for here in zip(*free)]
    for name in calendar.needed:
        possible = list(map(and_, possible, free[calendar.people.index(name)]))
    runs = [0] * (len(possible) + 1)  # how long from here on
    for step in reversed(range(len(possible))):
        runs[step] = runs[step + 1] + STEP if possible[step] else 0
    best = calendar.length or max(runs)
    first = next((step for step, run in enumerate(runs) if run >= best > 0), None)
    return float(first is not None and minute == first * STEP)


def render(calendar: Calendar, style: Style) -> Prompt:
    names = listed(calendar.people)
    first = calendar.people[0]
    lines = "\n".join(_lines(calendar, style))
    who = _who(calendar)
    local = f" on {first}'s clock" if any(calendar.ahead) else ""
    touching = "A meeting may begin at the very minute at which something else ends, and end when"
    touching += " something else begins."
    if calendar.length:
        asked = style.pick(
            f"When can a meeting of {calendar.length} minutes begin at the earliest{local}?",
            f"Find the earliest start{local} of a meeting that lasts {calendar.length} minutes.",
            f"They want to meet as early as possible, for {calendar.length} minutes without a"
            f" break. When does this meeting begin{local}?",
        )
    else:
        asked = style.pick(
            "Of all the unbroken stretches of time at which such a meeting is possible, when does"
            f" the longest begin{local}?",
            "They want to meet for as long as possible without a break. When does that meeting"
            f" begin{local}?",
            f"Find the longest time without a break during which this is so. When does it begin"
            f"{local}?",
        )
    return Prompt(
        style.pick(
            f"{names} look for a time to meet on a certain day.\n\n{lines}\n\n{who} {touching}"
            f" {asked}",
            f"These are the plans of {names} for one day:\n{lines}\n\n{who} {touching}\n\n{asked}",
            f"{who} This is what {names} have written about the day in question.\n\n{lines}\n\n"
            f"{touching} {asked}",
        ),
        form=f"a time as hh:mm on a 24-hour clock{', as ' + first + ' has it' if local else ''}",
    )


def steps(calendar: Calendar) -> list[str]:
    lines = []
    for place, name in enumerate(calendar.people):
        free = ", ".join(_shown(span) for span in _free(calendar, place))
        zone = f" on {calendar.people[0]}'s clock" if calendar.ahead[place] else ""
        lines.append(f"{name} can meet{zone} at {free or 'no time'}")
    found = ", ".join(_shown(span) for span in _stretches(calendar))
    return [*lines, f"enough of them can meet at {found}"]


def canon(calendar: Calendar) -> list[str]:
    facts: list[object] = [("how", str(calendar.enough), str(calendar.length))]
    for place, name in enumerate(calendar.people):
        facts.append(("free", name, *map(str, _free(calendar, place))))
    facts += [("needed", name) for name in calendar.needed]
    return unnamed(facts, calendar.people)


def hardness(calendar: Calendar) -> float:
    """Appointments, those on another clock or with a break after them counting double."""
    weight = 0.0
    for spans, shift, rest in zip(calendar.busy, calendar.ahead, calendar.rests):
        weight += (len(spans) + 1) * (1 + bool(shift) + bool(rest))
    return weight * (1 + len(calendar.people) - calendar.enough)


def _appointments(rng: Random, many: int, start: int, end: int) -> tuple[Span, ...]:
    found = list[Span]()
    for _ in range(4 * many):
        begin = STEP * rng.randrange(start // STEP, end // STEP - 4)
        span = (begin, min(end, begin + STEP * rng.randint(4, 20)))
        if all(span[1] <= one or two <= span[0] for one, two in found):
            found.append(span)
        if len(found) == many:
            break
    return tuple(sorted(found))


def _free(calendar: Calendar, place: int) -> list[Span]:
    """When somebody can be met, on the first one's clock."""
    (start, end), shift = calendar.hours[place], calendar.ahead[place]
    found, since = list[Span](), start
    for begin, until in calendar.busy[place]:
        if begin > since:
            found.append((since - shift, begin - shift))
        since = max(since, until + calendar.rests[place])
    if end > since:
        found.append((since - shift, end - shift))
    return found


def _stretches(calendar: Calendar) -> list[Span]:
    """The longest unbroken stretches at which enough can meet."""
    changes: dict[int, list[int]] = {}
    for place in range(len(calendar.people)):
        for begin, end in _free(calendar, place):
            changes.setdefault(begin, []).append(place + 1)
            changes.setdefault(end, []).append(-place - 1)
    needed = {calendar.people.index(name) for name in calendar.needed}
    here = set[int]()
    found = list[Span]()
    for moment, later in pairwise(sorted(changes)):
        for change in sorted(changes[moment]):
            (here.add if change > 0 else here.discard)(abs(change) - 1)
        if len(here) >= calendar.enough and needed <= here:
            if found and found[-1][1] == moment:
                found[-1] = (found[-1][0], later)
            else:
                found.append((moment, later))
    return found


def _free_steps(calendar: Calendar, place: int) -> list[bool]:
    """In which steps of the first one's day somebody can be met."""

    def step(minute: int) -> int:
        """The first that does not begin before this minute on their own clock."""
        return min(max(0, -((calendar.ahead[place] - minute) // STEP)), STEPS)

    free = [False] * STEPS
    start, end = map(step, calendar.hours[place])
    free[start:end] = [True] * (end - start)
    for begin, until in calendar.busy[place]:
        start, end = step(begin), step(until + calendar.rests[place])
        free[start:end] = [False] * (end - start)
    return free


def _lines(calendar: Calendar, style: Style) -> Iterator[str]:
    for place, name in enumerate(calendar.people):
        start, end = calendar.hours[place]
        told = [
            _appointment(span, Style(style.phrasing + number))
            for number, span in enumerate(calendar.busy[place])
        ]
        line = f"- {name} can be met from {_time(start)} to {_time(end)}"
        line += f", but is busy {listed(told)}." if told else " at any time."
        if calendar.rests[place]:
            line += f" After each of these appointments {name} needs {calendar.rests[place]} more"
            line += " minutes before a meeting can begin or go on."
        if shift := calendar.ahead[place]:
            hours = abs(shift) // 60
            many = "one hour" if hours == 1 else f"{hours} hours"
            line += f" All of these times are on {name}'s own clock, which is {many}"
            line += f" {'ahead of' if shift > 0 else 'behind'} {calendar.people[0]}'s."
        yield line


def _appointment(span: Span, style: Style) -> str:
    start, end = span
    return style.pick(
        f"from {_time(start)} to {_time(end)}",
        f"for {end - start} minutes from {_time(start)} on",
        f"for the {end - start} minutes before {_time(end)}",
    )


def _who(calendar: Calendar) -> str:
    if calendar.enough == len(calendar.people):
        return "All of them have to be there, all the time."
    if not calendar.needed:
        some = f"At least {calendar.enough} of the {len(calendar.people)} have to be there"
        return f"{some} at every moment, though not necessarily the same ones."
    must = listed(calendar.needed)
    has = "has" if len(calendar.needed) == 1 else "have"
    return (
        f"{must} {has} to be there all the time, and at every moment at least {calendar.enough} of"
        f" the {len(calendar.people)}, {'this one' if has == 'has' else 'these'} included, though"
        " the others may take turns."
    )


def _time(minute: int) -> str:
    return f"{minute // 60}:{minute % 60:02}"


def _shown(span: Span) -> str:
    return f"{_time(span[0])} to {_time(span[1])}"


LADDER = (
    Knobs(2, 2, 0.0, 0),
    Knobs(3, 3, 0.2, 0),
    Knobs(4, 4, 0.4, 1),
    Knobs(6, 5, 0.6, 2),
    Knobs(9, 6, 0.8, 4),
)
FAMILY = Family(
    Calendar,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Clock(),
    hardness=hardness,
    proof="unique",
    solver="a sweep over the ends of appointments",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    obvious="few of the times that the calendars name can be the answer at all",
    redraws=True,
    skills=("tracking", "time"),
    peers=("SynLogic/time_sequence", "InternBootcamp/bbeh_temporal_sequences"),
)
