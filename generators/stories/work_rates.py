"""Work rates: workers or pipes who come and go; how long does the whole take?

`solve` adds up rates, phase by phase; `verify` asks the other way round: with the answer put in, do
the shares of all who worked, each by its own hours, make exactly one whole?
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.core.prose import capital, counted, listed
from puzzlemill.generators.arithmetic._story_words import PEOPLE


@dataclass(frozen=True, slots=True)
class Knobs:
    workers: int  # or pipes
    phases: int  # stretches of time with the same workers
    drains: float  # the share of stories of a tank that has a leak besides
    unknown: float  # the share of questions for how long one takes alone


@dataclass(frozen=True, slots=True)
class Work:
    names: tuple[str, ...]
    job: str
    alone: tuple[int, ...]  # hours that each needs alone; the last one may be a leak's
    leak: bool
    phases: tuple[tuple[str, ...], ...]  # who works in each
    hours: tuple[int, ...]  # of each phase but the last; of all where a worker is unknown
    unknown: str  # whose hours alone are asked for; "" where all are known


def generate(rng: Random, knobs: Knobs) -> Work | None:
    leak = rng.random() < knobs.drains
    job = rng.choice(TANKS if leak else (*TANKS, *JOBS))
    if job in TANKS:
        names = tuple(f"the {word} pipe" for word in ORDINALS[: knobs.workers])
    else:
        names = tuple(rng.sample(PEOPLE, knobs.workers))
    phases = [tuple(sorted(rng.sample(names, rng.randint(1, len(names))), key=names.index))]
    for _ in range(knobs.phases - 1):
        change = rng.choice([name for name in names if (name,) != phases[-1]])
        phases.append(tuple(name for name in names if (name in phases[-1]) != (name == change)))
    used = tuple(name for name in names if any(name in phase for phase in phases))
    unknown = rng.choice(used) if rng.random() < knobs.unknown else ""
    if len(used) < len(names):
        return None
    return _filled(rng, knobs, names, job, leak, tuple(phases), unknown)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(work: Work) -> Fraction | None:
    """The share of the whole that is done by the end of each phase."""
    rates = {name: Fraction(1, alone) for name, alone in zip(work.names, work.alone)}
    drip = Fraction(1, work.alone[-1]) if work.leak else Fraction(0)
    if work.unknown:
        return _alone(work, rates, drip)
    flow = _flow(work, rates, drip)
    last = sum(rates[name] for name in work.phases[-1]) - drip
    if flow is None or flow[0] == 1 or last <= 0:
        return None
    return flow[1] + (1 - flow[0]) / last


def verify(work: Work, answer: Fraction) -> float:
    """Each one's own hours, and the share done in them."""
    alone = dict(zip(work.names, map(Fraction, work.alone)))
    hours = list(map(Fraction, work.hours))
    if work.unknown:
        if answer <= 0:
            return 0.0
        alone[work.unknown] = answer
    else:
        hours.append(answer - sum(hours))
        if hours[-1] <= 0:
            return 0.0
    shares = [
        sum(time for time, phase in zip(hours, work.phases) if name in phase) / alone[name]
        for name in work.names
    ]
    leaked = sum(hours) / work.alone[-1] if work.leak else 0
    return float(sum(shares) - leaked == 1)


def render(work: Work, style: Style) -> Prompt:
    tank = work.job in TANKS
    verb, base = ("fills", "fill") if tank else VERBS[work.job]
    thing = work.job
    able = [
        f"{name} {style.pick('alone', 'on its own' if tank else 'working alone')} {verb} {thing} in"
        f" {alone} hours"
        for name, alone in zip(work.names, work.alone)
        if name != work.unknown
    ]
    known = f"{capital(listed(able))}. " if able else ""
    empty = f"At first, {thing} is empty. " if tank else ""
    flow = (
        "All pipes flow at steady rates, but as long as there is water, it also runs out through a"
        f" leak, at a steady rate that would empty {thing}, once full, in {work.alone[-1]} hours. "
        if work.leak
        else "All pipes flow at steady rates. "
        if tank
        else "Everyone works at a steady rate. "
    )
    story = " ".join(_phases(work, base))
    goal = (
        style.pick(
            f"How many hours would {work.unknown} need to {base} {thing} alone?",
            f"In how many hours would {work.unknown} alone {base} {thing}?",
            f"How long, in hours, does it take {work.unknown} alone to {base} {thing}?",
        )
        + (" (Ignore the leak.)" if work.leak else "")
        if work.unknown
        else style.pick(
            f"After how many hours, counted from the beginning, is {thing} {DONE[tank]}?",
            f"How many hours does it take in all until {thing} is {DONE[tank]}?",
            f"What is the total time in hours from the beginning until {thing} is {DONE[tank]}?",
        )
    )
    return Prompt(
        style.pick(
            f"{known}{flow}{empty}{story} {goal}",
            f"{flow}{known}{empty}{story} {goal}",
            f"{empty}{known}{flow}{story} {goal}",
        ),
        form="the number of hours, as an integer or an exact fraction such as 17/4",
    )


def steps(work: Work) -> list[str]:
    rates = {name: Fraction(1, alone) for name, alone in zip(work.names, work.alone)}
    drip = Fraction(1, work.alone[-1]) if work.leak else Fraction(0)
    lines, done = [], Fraction(0)
    if work.unknown:
        lines.append(f"Let r be the share that {work.unknown} does in an hour.")
    for phase, hours in zip(work.phases, work.hours):
        known = sum((rates[name] for name in phase if name != work.unknown), -drip)
        more = " + r" if work.unknown in phase else ""
        done += known * hours
        lines.append(f"{capital(listed(phase))}: {counted(hours, 'hour')} at {known}{more} an hour")
    if work.unknown:
        time = sum(time for phase, time in zip(work.phases, work.hours) if work.unknown in phase)
        lines.append(f"So {done} + {time} r = 1, and r = {1 / (solve(work) or Fraction(1))}.")
        return lines
    last = sum(rates[name] for name in work.phases[-1]) - drip
    lines.append(f"By then {done} is done, and {1 - done} is left.")
    who = capital(listed(work.phases[-1]))
    lines.append(f"{who}: {last} an hour, so {(1 - done) / last} hours")
    return [*lines, f"In all: {solve(work)} hours"]


def progress(work: Work, lines: Lines) -> float:
    return states_followed(FAMILY, work, lines)


def hardness(work: Work) -> float:
    return 2 * len(work.phases) + len(work.names) + 2 * work.leak + 2 * bool(work.unknown)


def canon(work: Work) -> tuple[object, ...]:
    """Without names."""
    place = {name: str(at) for at, name in enumerate(work.names)} | {"": ""}
    phases = [[place[name] for name in phase] for phase in work.phases]
    alone = [0 if name == work.unknown else time for name, time in zip(work.names, work.alone)]
    return alone, work.leak and work.alone[-1], phases, work.hours, place[work.unknown]


def twin(rng: Random, knobs: Knobs, work: Work) -> Work | None:
    return _filled(rng, knobs, work.names, work.job, work.leak, work.phases, work.unknown)


def renamed(rng: Random, knobs: Knobs, work: Work) -> Work:
    if work.job in TANKS:
        job = rng.choice([job for job in TANKS if job != work.job])
        return Work(work.names, job, work.alone, work.leak, work.phases, work.hours, work.unknown)
    names = tuple(rng.sample(PEOPLE, len(work.names)))
    new = dict(zip(work.names, names)) | {"": ""}
    phases = tuple(tuple(new[name] for name in phase) for phase in work.phases)
    job = rng.choice(JOBS)
    return Work(names, job, work.alone, work.leak, phases, work.hours, new[work.unknown])


def _filled(
    rng: Random,
    knobs: Knobs,
    names: tuple[str, ...],
    job: str,
    leak: bool,
    phases: tuple[tuple[str, ...], ...],
    unknown: str,
) -> Work | None:
    least = 3 * len(phases)
    for _ in range(TRIES):
        times = TIMES if len(phases) > 3 else range(4, 50)
        alone = rng.sample([time for time in times if time > least], len(names))
        if leak:
            alone.append(rng.choice([time for time in TIMES if time > least + 20]))
        hours = tuple(rng.randint(1, 5) for _ in (phases if unknown else phases[:-1]))
        if unknown:
            alone[names.index(unknown)] = 1
        made = Work(names, job, tuple(alone), leak, phases, hours, unknown)
        found = solve(made)
        if found and found.denominator <= 360 and found <= 200:
            return made
    return None


def _flow(
    work: Work, rates: dict[str, Fraction], drip: Fraction
) -> tuple[Fraction, Fraction] | None:
    """What is done, and the hours, after the phases that are told; None where something is
    negative, or the whole is done too early."""
    done, total = Fraction(0), Fraction(0)
    for phase, hours in zip(work.phases, work.hours):
        if not 0 <= done < 1:
            return None
        done += (sum(rates[name] for name in phase) - drip) * hours
        total += hours
    return (done, total) if 0 <= done <= 1 else None


def _alone(work: Work, rates: dict[str, Fraction], drip: Fraction) -> Fraction | None:
    """What the unknown one has left to do, in its hours."""
    missing, time = Fraction(1), Fraction(0)
    for phase, hours in zip(work.phases, work.hours):
        missing -= sum((rates[name] for name in phase if name != work.unknown), -drip) * hours
        time += hours if work.unknown in phase else 0
    if missing <= 0:
        return None
    rates = rates | {work.unknown: missing / time}
    return time / missing if _flow(work, rates, drip) else None


def _phases(work: Work, base: str) -> list[str]:
    """Who begins, who comes and who goes."""
    tank = work.job in TANKS
    start, many = listed(work.phases[0]), len(work.phases[0]) > 1
    opened = f"{start} {'are' if many else 'is'} opened"
    told = [capital(opened if tank else f"{start} {'begin' if many else 'begins'}") + "."]
    for place, (before, after) in enumerate(pairwise(work.phases)):
        change = next(name for name in work.names if (name in before) != (name in after))
        comes = "is opened too" if tank else "joins in"
        goes = "is closed" if tank else "leaves"
        when = counted(work.hours[place], "hour")
        told.append(f"{when} later, {change} {comes if change in after else goes}.")
    if work.unknown:
        last = counted(work.hours[-1], "hour")
        last = f"After another {last}" if len(told) > 1 else f"{last} later"
        told.append(f"{last}, {work.job} is just {DONE[tank]}.")
    else:
        told.append("From then on, nothing changes until the end.")
    return told


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
TANKS = ("the tank", "the basin", "the pool")
VERBS = {
    "the fence": ("paints", "paint"),
    "the wall": ("builds", "build"),
    "the field": ("ploughs", "plough"),
    "the archive": ("sorts", "sort"),
}
JOBS = tuple(VERBS)
DONE = {True: "full", False: "done"}
TIMES = (4, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24, 30, 36, 40, 45, 48, 50, 54, 60, 72, 75, 80, 90)
TRIES = 80
LADDER = (
    Knobs(2, 1, 0.0, 0.0),
    Knobs(2, 2, 0.0, 0.1),
    Knobs(3, 3, 0.3, 0.3),
    Knobs(4, 4, 0.5, 0.4),
    Knobs(5, 7, 0.6, 0.5),
)
FAMILY = Family(
    Work,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="rates added up phase by phase",
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("alone", "hours"),
    twin=twin,
    renamed=renamed,
    skills=("reading", "rates", "fractions", "time"),
    version=3,
)
