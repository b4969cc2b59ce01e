"""Clock hands: the angle between them, or how long it takes until it is a given one again.

Some dials have another number of hours, or of minutes in an hour. `solve` lists the moments of
each turn in order; `verify` looks at the angle at the end and counts, by whole turns, how often it
was so on the way.
"""

from dataclasses import dataclass, replace
from math import floor
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction


@dataclass(frozen=True, slots=True)
class Knobs:
    step: int  # the time told is a multiple of 60 minutes over this
    times: int  # which time it comes to the angle, at most
    dial: Literal["usual", "strange"]  # strange: other numbers of hours and of minutes in an hour
    asked: Literal["angle", "wait", "exact"]  # exact: a wait from between two minutes


@dataclass(frozen=True, slots=True)
class Clock:
    hours: int  # on the dial
    minutes: int  # in an hour
    hour: int
    minute: int
    seconds: int  # in sixtieths of a minute
    asked: Literal["angle", "wait"]
    angle: int
    times: int


def generate(rng: Random, knobs: Knobs) -> Clock | None:
    hours, minutes = 12, 60
    if knobs.dial == "strange":
        hours, minutes = (
            rng.choice(tuple(range(5, 31))),
            rng.choice((20, 30, 40, 45, 50, 72, 80, 90)),
        )
    asked: Literal["angle", "wait"] = "angle" if knobs.asked == "angle" else "wait"
    return twin(rng, knobs, Clock(hours, minutes, 1, 0, 0, asked, 0, 1))


def twin(rng: Random, knobs: Knobs, clock: Clock) -> Clock | None:
    """Another time, and another angle that is waited for."""
    unit = max(clock.minutes // knobs.step, 1)
    minute = rng.randrange(0, clock.minutes, unit)
    made = replace(clock, hour=rng.randint(1, clock.hours), minute=minute)
    if clock.asked == "angle":
        return made if solve(made) else None
    return replace(
        made,
        angle=rng.choice(
            (0, 180, rng.randint(1, 179), rng.randint(1, 179), 5 * rng.randint(1, 35))
        ),
        times=rng.randint(1 + knobs.times // 3, knobs.times),
        seconds=rng.randint(1, 59) if knobs.asked == "exact" else 0,
    )


def solve(clock: Clock) -> Fraction | None:
    """The moments at which the minute hand is so far ahead, or so far behind, in their order."""
    if not _sound(clock):
        return None
    now = clock.hour * clock.minutes + clock.minute + Fraction(clock.seconds, 60)
    ahead = _ahead(clock, now)
    if clock.asked == "angle":
        return min(ahead, 360 - ahead)
    pace = Fraction(360, clock.minutes) - Fraction(360, clock.hours * clock.minutes)
    first = sorted({(goal - ahead) % 360 or Fraction(360) for goal in (clock.angle, -clock.angle)})
    if clock.angle in (0, 180):
        first = first[:1]
    turns, which = divmod(clock.times - 1, len(first))
    return (first[which] + 360 * turns) / pace


def verify(clock: Clock, answer: Fraction) -> float:
    if not _sound(clock) or answer.denominator > 10**9 or not 0 <= answer < 10**9:
        return 0.0
    whole = clock.hours * clock.minutes
    start = clock.hour * clock.minutes + clock.minute + Fraction(clock.seconds, 60)
    hour, minute = start / whole % 1, start / clock.minutes % 1  # as shares of a turn
    if clock.asked == "angle":
        apart = abs(hour - minute) * 360
        return float(answer == (apart if apart <= 180 else 360 - apart))
    end = start + answer
    apart = abs(end / whole % 1 - end / clock.minutes % 1) * 360
    if clock.angle not in (apart, 360 - apart) or not answer:
        return 0.0
    # The hands' lead in turns, without taking away whole ones, passes each goal once a turn.
    lead = [moment / clock.minutes - moment / whole for moment in (start, end)]
    goals = {Fraction(clock.angle, 360), Fraction(360 - clock.angle, 360) % 1}
    seen = sum(floor(lead[1] - goal) - floor(lead[0] - goal) for goal in goals)
    return float(seen == clock.times)


def render(clock: Clock, style: Style) -> Prompt:
    time = _time(clock)
    if clock.asked == "angle":
        question = style.pick(
            f"{_dial(clock)} At {time}, what is the angle between its two hands?",
            f"How many degrees lie between the two hands of a clock at {time}? {_dial(clock)}",
            f"{_dial(clock)} It shows {time}. Find the angle between its two hands.",
        )
        question += " Take the smaller of the two angles, in degrees (180 or less)."
        return Prompt(
            question,
            form="the number of degrees, exact: an integer, or a fraction in lowest terms such as"
            " 15/2",
        )
    goal = {0: "lie exactly on each other", 180: "point in exactly opposite directions"}.get(
        clock.angle, f"form an angle of exactly {clock.angle} degrees"
    )
    which = "the first time" if clock.times == 1 else f"the {_ordinal(clock.times)} time"
    count = "" if clock.times == 1 else ", counted from now on"
    question = style.pick(
        f"{_dial(clock)} It is {time} now. How many minutes later do the hour hand and the minute"
        f" hand {goal} for {which}{count}?",
        f"It is {time} by a clock. {_dial(clock)} After how many minutes do its two hands {goal}"
        f" for {which}{count}?",
        f"{_dial(clock)} Starting at {time}, how many minutes pass until the clock's hands {goal}"
        f" for {which}{count}?",
    )
    measured = ""
    if clock.angle not in (0, 180):
        measured = " The angle is the smaller of the two between the hands, on either side."
    question += f"{measured} If this is already so at the start, that does not count."
    return Prompt(
        question,
        form="the number of minutes, exact: an integer, or a fraction in lowest terms such as 15/2",
    )


def steps(clock: Clock) -> list[str]:
    now = clock.hour * clock.minutes + clock.minute + Fraction(clock.seconds, 60)
    slow = Fraction(360, clock.hours * clock.minutes)
    fast, ahead, found = Fraction(360, clock.minutes), _ahead(clock, now), solve(clock)
    lines = [
        f"The minute hand turns {fast} degrees a minute, the hour hand {slow}",
        f"The minute hand is at {now * fast % 360} degrees, the hour hand at {now * slow % 360}",
        f"The minute hand is {ahead} degrees ahead",
    ]
    if clock.asked == "angle":
        return [*lines, f"The smaller angle is {found} degrees"]
    lines.append(f"It gains {fast - slow} degrees a minute")
    assert found is not None, "every puzzle has an answer"
    gained = found * (fast - slow)
    return [*lines, f"It must gain {gained} degrees, which takes {found} minutes"]


def hardness(clock: Clock) -> float:
    strange = (clock.hours, clock.minutes) != (12, 60)
    work = 1 if clock.asked == "angle" else 6 + 2 * (clock.angle not in (0, 180))
    return work + clock.times + 3 * strange + 3 * (clock.seconds > 0) + (clock.minute % 15 > 0)


def _sound(clock: Clock) -> bool:
    """Whether there is such a time on such a dial, and such an angle."""
    return (
        clock.hours >= 2
        and clock.minutes >= 1
        and 1 <= clock.hour <= clock.hours
        and 0 <= clock.minute < clock.minutes
        and 0 <= clock.angle <= 180
        and clock.times >= 1
    )


def _ahead(clock: Clock, now: Fraction) -> Fraction:
    """The degrees from the hour hand on to the minute hand."""
    return (now * 360 / clock.minutes - now * 360 / (clock.hours * clock.minutes)) % 360


def _time(clock: Clock) -> str:
    if not clock.minute and not clock.seconds:
        return f"{clock.hour} o'clock"
    late = f"{clock.minute} minute{'s' if clock.minute != 1 else ''}"
    if clock.seconds:
        late += f" and {clock.seconds} second{'s' if clock.seconds != 1 else ''}"
    return f"{late} past {clock.hour}"


def _dial(clock: Clock) -> str:
    if (clock.hours, clock.minutes) == (12, 60):
        return "The clock has an ordinary 12-hour dial, and both hands move evenly."
    return (
        f"The dial of the clock is divided into {clock.hours} hours, and an hour has"
        f" {clock.minutes} minutes (of 60 seconds each): the hour hand goes round once in"
        f" {clock.hours} hours, the minute hand once an hour, both evenly and clockwise. At"
        f" {clock.hours} o'clock both point straight up."
    )


def _ordinal(number: int) -> str:
    """2nd, 3rd, 4th ... 11th ... 22nd"""
    teens = number // 10 % 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


LADDER = (
    Knobs(12, 1, "usual", "angle"),
    Knobs(60, 1, "strange", "angle"),
    Knobs(60, 8, "usual", "wait"),
    Knobs(60, 12, "strange", "wait"),
    Knobs(60, 25, "strange", "exact"),
)
FAMILY = Family(
    Clock,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="the moments of each turn in order",
    guess_rate=0.1,
    steps=steps,
    inputs=("hour", "minute", "angle", "times"),
    twin=twin,
    skills=("time", "rates", "fractions"),
    version=3,
)
