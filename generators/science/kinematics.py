"""Kinematics: a vehicle moves in phases of constant acceleration; find a time, a way or a speed.

`solve` uses the equations of motion, phase by phase; `verify` draws the speed over time and takes
the area below it.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.science._quantities import exactly, shown

Phase: TypeAlias = tuple[str, int, int]  # a kind, and two numbers


@dataclass(frozen=True, slots=True)
class Knobs:
    phases: int  # of the ride
    kinds: int  # of phases that there are
    goals: int  # of questions that there are


@dataclass(frozen=True, slots=True)
class Ride:
    vehicle: str
    start: int  # its speed at first, m/s
    phases: tuple[Phase, ...]
    goal: str
    at: int  # the time that is asked about, s; 0 where none


def generate(rng: Random, knobs: Knobs) -> Ride | None:
    start = rng.choice((0, rng.randint(1, 30)))
    speed, total, phases = start, Fraction(0), list[Phase]()
    for _ in range(knobs.phases):
        steady = bool(phases) and phases[-1][0] == "steady"  # two such phases would be one
        allowed = MOVING[steady:] if speed else ()
        kind = rng.choice([it for it in KINDS[: knobs.kinds] if it in allowed or it not in MOVING])
        phase, speed, seconds = _drawn(rng, kind, speed)
        if seconds <= 0 or not 0 <= speed <= 60:
            return None
        phases.append(phase)
        total += seconds
    changing = any(kind != "steady" for kind, *_ in phases)
    goal = rng.choice([goal for goal in GOALS[: knobs.goals] if changing or goal in WAYS])
    latest = max(int(total) - 1, 1)
    at = rng.randint((latest + 1) // 2, latest) if goal in TIMED else 0
    made = Ride(rng.choice(VEHICLES), start, tuple(phases), goal, at)
    answer = solve(made)
    if not answer or answer in {start, *(number for _, *each in phases for number in each)}:
        return None  # what the prompt says is no question
    return made if (not at or at < total) and answer.denominator < 1000 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(ride: Ride) -> Fraction | None:
    """Speed, time and way at the end of each phase."""
    speed, clock, way = Fraction(ride.start), Fraction(0), Fraction(0)
    for phase in ride.phases:
        pushed = _acceleration(phase, speed)
        if pushed is None:
            return None
        acceleration, seconds = pushed
        if ride.at and clock + seconds >= ride.at:
            seconds = ride.at - clock
        if speed + acceleration * seconds < 0 or seconds < 0:
            return None
        way += speed * seconds + acceleration * seconds**2 / 2
        speed += acceleration * seconds
        clock += seconds
        if ride.at and clock == ride.at:
            break
    match ride.goal:
        case "time":
            return clock
        case "way" | "way_at":
            return way
        case "speed" | "speed_at":
            return speed
        case _:
            return way / clock if clock else None


def verify(ride: Ride, answer: Fraction) -> float:
    """Corners of the diagram of speed over time, and the trapezia between them."""
    corners = [(Fraction(0), Fraction(ride.start))]
    for kind, first, second in ride.phases:
        clock, speed = corners[-1]
        match kind:
            case "steady":
                corners.append((clock + first, speed))
            case "gain":
                corners.append((clock + second, speed + first * second))
            case "lose":
                corners.append((clock + second, speed - first * second))
            case "reach":
                corners.append((clock + second, Fraction(first)))
            case "rate":
                corners.append((clock + abs(first - speed) / second, Fraction(first)))
            case "over":
                if first + speed == 0:
                    return 0.0
                # A trapezium whose area is the way.
                corners.append((clock + 2 * second / (first + speed), Fraction(first)))
    if ride.at:
        corners = _cut(corners, Fraction(ride.at))
    area = sum(
        ((b - a) * (low + high) / 2 for (a, low), (b, high) in pairwise(corners)),
        Fraction(0),
    )
    clock, speed = corners[-1]
    if ride.goal == "mean":
        return float(answer * clock == area)
    truth = {"time": clock, "way": area, "way_at": area}.get(ride.goal, speed)
    return float(answer == truth)


def render(ride: Ride, style: Style) -> Prompt:
    thing = ride.vehicle
    begins = f"moving at {ride.start} m/s" if ride.start else "at rest"
    opening = style.pick(
        f"A {thing} on a straight track starts {begins}.",
        f"At time 0, a {thing} on a straight course is {begins}.",
        f"A {thing} travels along a straight line. When the clock starts, it is {begins}.",
    )
    told = " ".join(
        f"{'First' if not place else 'Then'}, {_told(phase)}."
        for place, phase in enumerate(ride.phases)
    )
    goal, unit = {
        "time": ("How long do these phases take together?", "seconds"),
        "way": ("How far does it travel in all?", "metres"),
        "speed": ("What is its speed at the end?", "metres per second"),
        "mean": (
            "What is its average speed over the whole time, that is, distance divided by time?",
            "metres per second",
        ),
        "way_at": (f"How far has it travelled {ride.at} s after time 0?", "metres"),
        "speed_at": (f"What is its speed {ride.at} s after time 0?", "metres per second"),
    }[ride.goal]
    rule = "Acceleration is constant within each phase."
    return Prompt(
        style.pick(
            f"{opening} {told} {rule} {goal}",
            f"{opening} {rule} {told} {goal}",
            f"{opening} Its motion has {len(ride.phases)} phase{'s' * (len(ride.phases) > 1)}, each"
            f" with a constant acceleration. {told} {goal}",
        ),
        form=exactly(unit),
    )


def steps(ride: Ride) -> list[str]:
    lines, speed, clock, way = [], Fraction(ride.start), Fraction(0), Fraction(0)
    for place, phase in enumerate(ride.phases, 1):
        pushed = _acceleration(phase, speed)
        assert pushed is not None, "generate makes phases that go on"
        acceleration, seconds = pushed
        last = bool(ride.at) and clock + seconds >= ride.at
        seconds = ride.at - clock if last else seconds
        metres = speed * seconds + acceleration * seconds**2 / 2
        speed, clock, way = speed + acceleration * seconds, clock + seconds, way + metres
        lines.append(
            f"Phase {place}: acceleration {shown(acceleration)} m/s^2 for {shown(seconds)} s over"
            f" {shown(metres)} m, then the speed is {shown(speed)} m/s"
        )
        if last:
            break
    lines.append(f"In all {shown(way)} m in {shown(clock)} s")
    return [*lines, f"The answer is {solve(ride)}"]


def hardness(ride: Ride) -> float:
    return sum(3 + KINDS.index(kind) for kind, _, _ in ride.phases) + GOALS.index(ride.goal)


def canon(ride: Ride) -> tuple[object, ...]:
    return ride.start, ride.phases, ride.goal, ride.at


def _drawn(rng: Random, kind: str, speed: int) -> tuple[Phase, int, Fraction]:
    """A phase, the speed after it, and how long it takes."""
    seconds = rng.randint(2, 25)
    if kind == "steady":
        return (kind, seconds, 0), speed, Fraction(seconds)
    if kind in ("gain", "lose"):
        push = rng.randint(1, 5)
        seconds = rng.randint(2, 12)
        sign = 1 if kind == "gain" else -1
        return (kind, push, seconds), speed + sign * push * seconds, Fraction(seconds)
    other = rng.choice([value for value in range(1, 41) if value != speed])
    if kind == "reach":
        return (kind, other, seconds), other, Fraction(seconds)
    if kind == "rate":
        rate = rng.randint(1, 6)
        return (kind, other, rate), other, Fraction(abs(other - speed), rate)
    metres = rng.randint(2, 40) * 10
    return (kind, other, metres), other, Fraction(2 * metres, other + speed)


def _acceleration(phase: Phase, speed: Fraction) -> tuple[Fraction, Fraction] | None:
    """The acceleration of a phase, and how long it takes."""
    kind, first, second = phase
    match kind:
        case "steady":
            return Fraction(0), Fraction(first)
        case "gain" | "lose":
            return Fraction(first if kind == "gain" else -first), Fraction(second)
        case "reach":
            return ((first - speed) / second, Fraction(second)) if second else None
        case "rate":
            rate = Fraction(second if first > speed else -second)
            return (rate, (first - speed) / rate) if rate else None
        case _:
            if not second or first == speed:
                return None
            rate = (first**2 - speed**2) / (2 * second)
            return rate, (first - speed) / rate


def _cut(corners: list[tuple[Fraction, Fraction]], at: Fraction) -> list[tuple[Fraction, Fraction]]:
    """The diagram up to a time."""
    kept = [corner for corner in corners if corner[0] <= at]
    after = next((corner for corner in corners if corner[0] > at), None)
    if after and kept[-1][0] < at:
        (clock, speed), (later, other) = kept[-1], after
        kept.append((at, speed + (other - speed) * (at - clock) / (later - clock)))
    return kept


def _told(phase: Phase) -> str:
    kind, first, second = phase
    return {
        "steady": f"it keeps its speed for {first} s",
        "gain": f"it speeds up at {first} m/s^2 for {second} s",
        "lose": f"it slows down at {first} m/s^2 for {second} s",
        "reach": f"its speed changes to {first} m/s within {second} s",
        "rate": f"its speed changes to {first} m/s at a rate of {second} m/s^2",
        "over": f"its speed changes to {first} m/s over a distance of {second} m",
    }[kind]


KINDS = ("gain", "steady", "lose", "reach", "rate", "over")
MOVING = ("steady", "lose")
GOALS = ("speed", "way", "time", "mean", "speed_at", "way_at")
TIMED = ("speed_at", "way_at")
WAYS = ("way", "way_at")  # which are worth asking where the speed stays the same
VEHICLES = ("train", "tram", "car", "cart", "sledge", "motorcycle", "rail car", "bus", "boat")
LADDER = (Knobs(1, 2, 2), Knobs(2, 4, 3), Knobs(3, 4, 4), Knobs(4, 6, 6), Knobs(7, 6, 6))
FAMILY = Family(
    Ride,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(units=True),
    hardness=hardness,
    proof="unique",
    solver="equations of motion, phase by phase",
    guess_rate=0.1,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("physics", "fractions", "calculation"),
    peers=("Guru/science",),
    version=4,
)
