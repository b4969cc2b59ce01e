"""Clock times: how long a journey takes, over midnights and time zones.

Rides and waits are told by their length, or by the local time at which they end. `solve` keeps one
time for the whole world; `verify` stays with the clock and the calendar of the place and puts the
clock forward or back at every border.
"""

from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.dates import WEEKDAYS
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived

# ride or wait; length or clock; and minutes, or the local minute of the week at which it ends.
Part: TypeAlias = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    rides: int  # of the journey
    most: int  # minutes of one ride, at most
    zones: Literal["one", "whole", "all"]  # apart by whole hours, or by quarters too
    asked: Literal["whole", "all"]  # the whole journey; or also one ride or one wait


@dataclass(frozen=True, slots=True)
class Journey:
    places: tuple[str, ...]
    zones: tuple[int, ...]  # minutes that each place is ahead of Greenwich
    start: int  # the local minute of the week, Monday 00:00 being 0
    parts: tuple[Part, ...]
    asked: Literal["whole", "ride", "wait"]
    twelve: bool  # whether times are told with am and pm


def generate(rng: Random, knobs: Knobs) -> Journey | None:
    count = knobs.rides + 1
    zone = 60 * rng.randint(-8, 9)
    zones = [zone] * count
    if knobs.zones != "one":
        step = 60 if knobs.zones == "whole" else rng.choice((15, 30, 60))
        zones = [step * rng.randint(-720 // step, 840 // step) for _ in range(count)]
    asked: Literal["whole", "ride", "wait"] = "whole"
    if knobs.asked == "all" and knobs.rides > 1:
        asked = rng.choice(("ride", "wait", "whole"))
    kinds = ["ride", *["wait", "ride"] * (knobs.rides - 1)]
    told = tuple((kind, rng.choice(("length", "clock", "clock")), 0) for kind in kinds)
    if all(how == "length" for _, how, _ in told):
        return None
    shape = Journey(
        tuple(rng.sample(PLACES, count)), tuple(zones), 0, told, asked, rng.random() < 0.4
    )
    return twin(rng, knobs, shape)


def twin(rng: Random, knobs: Knobs, journey: Journey) -> Journey:
    """Another start and other lengths, told in the same way."""
    start = rng.randrange(WEEK)
    now, place, parts = start - journey.zones[0], 0, []
    for kind, how, _ in journey.parts:
        length = rng.randint(knobs.most // 5 if kind == "ride" else 20, knobs.most)
        now, place = now + length, place + (kind == "ride")
        parts.append(
            (kind, how, length if how == "length" else (now + journey.zones[place]) % WEEK)
        )
    return Journey(
        journey.places, journey.zones, start, tuple(parts), journey.asked, journey.twelve
    )


def renamed(rng: Random, knobs: Knobs, journey: Journey) -> Journey:
    places = tuple(rng.sample(PLACES, len(journey.places)))
    return Journey(
        places, journey.zones, journey.start, journey.parts, journey.asked, journey.twelve
    )


def solve(journey: Journey) -> int | None:
    """Greenwich time all the way; what a clock tells is the next such moment of a week."""
    now, place, total = journey.start - journey.zones[0], 0, 0
    for kind, how, number in journey.parts:
        place += kind == "ride"
        length = number if how == "length" else (number - journey.zones[place] - now) % WEEK
        if not 0 < length <= LONGEST:
            return None
        now += length
        total += length if journey.asked in ("whole", kind) else 0
    return total


def verify(journey: Journey, answer: int) -> float:
    """Day and minute on the spot: the clock is put forward on arrival, then read on."""
    day, minute = divmod(journey.start, 1440)
    place, counted = 0, {"ride": 0, "wait": 0}
    for kind, how, number in journey.parts:
        if kind == "ride":
            place += 1
            minute += journey.zones[place] - journey.zones[place - 1]
        if how == "length":
            length = number
        else:
            length = number % 1440 - minute + 1440 * (number // 1440 - day)
            while length <= 0:
                length += WEEK
            while length > WEEK:
                length -= WEEK
        minute += length
        counted[kind] += length
        day, minute = day + minute // 1440, minute % 1440
    wanted = sum(counted.values()) if journey.asked == "whole" else counted[journey.asked]
    return float(wanted == answer)


def render(journey: Journey, style: Style) -> Prompt:
    same = len(set(journey.zones)) == 1
    rows, place = [], 0
    start = _moment(journey, journey.start)
    begins = style.pick("The journey starts in", "We set off from", "The trip begins in")
    rows.append(f"{begins} {journey.places[0]} on {start}.")
    for kind, how, number in journey.parts:
        if kind == "ride":
            place += 1
            here, there = journey.places[place - 1], journey.places[place]
            told = _length(number) if how == "length" else _moment(journey, number)
            rows.append(
                f"The ride from {here} to {there} takes {told}."
                if how == "length"
                else f"The ride from {here} to {there} ends on {told}."
            )
        else:
            here = journey.places[place]
            rows.append(
                f"The wait in {here} lasts {_length(number)}."
                if how == "length"
                else f"The next ride leaves {here} on {_moment(journey, number)}."
            )
    zones = "\n".join(
        f"- {name}: UTC{_zone(zone)}" for name, zone in zip(journey.places, journey.zones)
    )
    where = (
        "All places are in the same time zone."
        if same
        else f"All times are local. The places' clocks differ from UTC like this:\n\n{zones}"
    )
    story = " ".join(rows)
    bound = " No ride and no wait is as long as three days."
    if len(journey.parts) == 1:
        bound = " It takes less than three days."
    asked = ASKED[journey.asked]
    question = style.pick(
        f"{story}\n\n{where}\n\n{asked}{bound}",
        f"{where}\n\n{story}{bound}\n\n{asked}",
        f"{asked}\n\n{story}{bound}\n\n{where}",
    )
    return Prompt(question, form="the whole number of minutes, such as 90")


def steps(journey: Journey) -> list[str]:
    now, place = journey.start - journey.zones[0], 0
    lines = [f"The start is at {_day_time(now, False)} UTC"]
    for kind, how, number in journey.parts:
        place += kind == "ride"
        length = number if how == "length" else (number - journey.zones[place] - now) % WEEK
        now += length
        name = f"ride to {journey.places[place]}" if kind == "ride" else "wait"
        lines.append(f"The {name} takes {length} minutes, until {_day_time(now, False)} UTC")
    return [*lines, f"The answer is {solve(journey)} minutes"]


def progress(journey: Journey, lines: Lines) -> float:
    return results_derived(FAMILY, journey, lines, ":")


def hardness(journey: Journey) -> float:
    """Parts to be worked out; clocks and odd zones are more work than lengths."""
    clocks = sum(how == "clock" for _, how, _ in journey.parts)
    odd = sum(zone % 60 != 0 for zone in journey.zones)
    return len(journey.parts) + 2 * clocks + odd + 2 * len(set(journey.zones))


def canon(journey: Journey) -> tuple[tuple[int, ...], int, tuple[Part, ...], str]:
    """The names do not matter, nor how times are written."""
    return journey.zones, journey.start, journey.parts, journey.asked


def _moment(journey: Journey, minute: int) -> str:
    return _day_time(minute, journey.twelve)


def _day_time(minute: int, twelve: bool) -> str:
    """ "Monday at 14:05" or "Monday at 2:05 pm"."""
    day, rest = divmod(minute % WEEK, 1440)
    hour, late = divmod(rest, 60)
    if twelve:
        return f"{WEEKDAYS[day]} at {hour % 12 or 12}:{late:02} {'am' if hour < 12 else 'pm'}"
    return f"{WEEKDAYS[day]} at {hour:02}:{late:02}"


def _length(minutes: int) -> str:
    """In hours and minutes, where there is more than an hour."""
    if minutes < 100:
        return f"{minutes} minutes"
    hours, rest = divmod(minutes, 60)
    said = f"{hours} hour{'s' if hours > 1 else ''}"
    return said + (f" and {rest} minute{'s' if rest > 1 else ''}" if rest else "")


def _zone(minutes: int) -> str:
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours}" + (f":{rest:02}" if rest else "")


WEEK = 7 * 1440
LONGEST = 3 * 1440  # minutes of one part
ASKED = {
    "whole": "How many minutes does the whole journey take, from setting off to the last arrival?",
    "ride": "How many minutes are spent riding altogether?",
    "wait": "How many minutes are spent waiting between rides altogether?",
}
PLACES = (
    "Ardun", "Belmora", "Corvesk", "Dalimar", "Estwick", "Fennholt", "Garrow", "Hestia", "Ilmen",
    "Jorvane", "Kestrel Bay", "Lundra", "Marrow", "Nerida", "Ostley", "Pellam", "Quarrin",
)  # fmt: skip
LADDER = (
    Knobs(1, 300, "one", "whole"),
    Knobs(1, 900, "whole", "whole"),
    Knobs(2, 1200, "whole", "all"),
    Knobs(4, 1500, "all", "all"),
    Knobs(8, 2500, "all", "all"),
)
FAMILY = Family(
    Journey,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Duration("minutes"),
    hardness=hardness,
    proof="unique",
    solver="one time for all places",
    guess_rate=0.03,
    steps=steps,
    progress=progress,
    canon=canon,
    twin=twin,
    renamed=renamed,
    skills=("time", "calculation"),
    peers=("reasoning-gym/time_intervals", "mathematics_dataset/time"),
    version=2,
)
