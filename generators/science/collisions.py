"""Collisions: carts on a frictionless track hit one another; what are their velocities in the end?

Some pairs bounce elastically, others couple. `solve` lets them move from hit to hit and applies the
conservation of momentum and energy; `verify` follows the gaps between them, and treats each hit in
the frame of its centre of mass.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import listed
from puzzlemill.generators.science._quantities import shown

MOST = 60  # hits


@dataclass(frozen=True, slots=True)
class Knobs:
    carts: int  # on the track
    least: int  # hits
    coupling: float  # the share of pairs that couple when they meet


@dataclass(frozen=True, slots=True)
class Track:
    masses: tuple[int, ...]  # kg, from left to right
    places: tuple[int, ...]  # m
    speeds: tuple[int, ...]  # m/s, to the right where positive
    coupled: tuple[int, ...]  # carts, from 0, that couple to their right neighbour when they meet


def generate(rng: Random, knobs: Knobs) -> Track | None:
    count = knobs.carts
    places = sorted(rng.sample(range(8 * count), count))
    speeds = [rng.randint(-9, 9) for _ in range(count)]
    coupled = tuple(at for at in range(count - 1) if rng.random() < knobs.coupling)
    masses = tuple(rng.randint(1, 9) for _ in range(count))
    made = Track(masses, tuple(places), tuple(speeds), coupled)
    hits = _run(made)
    least = knobs.least if count > 2 else 1  # two carts meet once
    if hits is None or not least <= len(hits[1]) <= MOST:
        return None
    return made if max(value.denominator for value in hits[0]) < 2000 else None


def solve(track: Track) -> tuple[Fraction, ...] | None:
    found = _run(track)
    return None if found is None else found[0]


def verify(track: Track, answer: tuple[Fraction, ...]) -> float:
    """Gaps shrink at the difference of speeds; in the frame of the centre of mass of a hit, elastic
    bodies turn round and coupling ones stand still."""
    speeds = list(map(Fraction, track.speeds))
    gaps = [Fraction(b - a) for a, b in pairwise(track.places)]
    joined = [False] * len(gaps)
    for _ in range(MOST + 1):
        waits = {
            at: gap / (speeds[at] - speeds[at + 1])
            for at, gap in enumerate(gaps)
            if not joined[at] and speeds[at] > speeds[at + 1]
        }
        if not waits:
            return float(answer == tuple(speeds))
        soon = min(waits.values())
        now = [at for at, wait in waits.items() if wait == soon]
        gaps = [gap + (speeds[at + 1] - speeds[at]) * soon for at, gap in enumerate(gaps)]
        if any(b - a == 1 for a, b in pairwise(now)):
            return 0.0
        for at in now:
            left, right = at, at + 1
            while left and joined[left - 1]:
                left -= 1
            while right < len(gaps) and joined[right]:
                right += 1
            masses = track.masses[left : right + 1]
            pushes = (mass * speeds[left + i] for i, mass in enumerate(masses))
            whole = sum(pushes, Fraction(0))
            centre = whole / sum(masses)
            joined[at] = at in track.coupled
            for each in range(left, right + 1):
                speeds[each] = centre if joined[at] else 2 * centre - speeds[each]
    return 0.0


def render(track: Track, style: Style) -> Prompt:
    lines = [
        f"cart {at}: mass {mass} kg, position {place} m, velocity {speed} m/s"
        for at, (mass, place, speed) in enumerate(zip(track.masses, track.places, track.speeds), 1)
    ]
    pairs = [f"{at + 1} and {at + 2}" for at in track.coupled]
    every = len(pairs) == len(track.masses) - 1
    rule = "All collisions are perfectly elastic."
    if pairs:
        which = "any two carts" if every else f"carts {listed(pairs, 'or')}"
        rule = f"When {which} meet, they couple and move on as one body."
        if not every:
            rule += " All other collisions are perfectly elastic."
    table = "\n".join(lines)
    question = style.pick(
        f"Carts roll without friction along a straight track. Positions are at time 0, and a"
        f" positive velocity points to the right, where positions grow. The carts are points."
        f"\n\n{table}\n\n{rule} What are the velocities of the carts when no further collision"
        " can happen?",
        f"These point-like carts are on a straight frictionless track at time 0 (positive"
        f" velocities point to larger positions):\n\n{table}\n\n{rule} Find the velocity of every"
        " cart after the last collision.",
        f"{rule} Which velocities do the following point-like carts have in the end, on a straight"
        f" track without friction, once all collisions are over? A positive velocity points to"
        f" larger positions.\n\n{table}",
    )
    return Prompt(
        question,
        form="the velocities in m/s from cart 1 to the last one, separated by commas, each an"
        " integer or a fraction in lowest terms, such as -7/2",
    )


def steps(track: Track) -> list[str]:
    found = _run(track)
    assert found is not None, "generate keeps tracks that can be followed"
    return [*found[1], f"The answer is {', '.join(map(str, found[0]))}"]


def hardness(track: Track) -> int:
    found = _run(track)
    return len(track.masses) + (2 * len(found[1]) if found else 0)


def canon(track: Track) -> tuple[object, ...]:
    """Wherever the track begins."""
    places = [place - track.places[0] for place in track.places]
    return track.masses, places, track.speeds, track.coupled


@lru_cache(maxsize=2)
def _run(track: Track) -> tuple[tuple[Fraction, ...], list[str]] | None:
    """The velocities in the end, and a line for each hit; None where three bodies meet at once."""
    # Each body: its carts, mass, place and velocity.
    bodies: list[tuple[tuple[int, ...], Fraction, Fraction, Fraction]] = [
        ((at,), Fraction(mass), Fraction(place), Fraction(speed))
        for at, (mass, place, speed) in enumerate(zip(track.masses, track.places, track.speeds))
    ]
    clock, lines = Fraction(0), list[str]()
    while len(lines) <= MOST:
        meets = [
            ((two[2] - one[2]) / (one[3] - two[3]), at)
            for at, (one, two) in enumerate(pairwise(bodies))
            if one[3] > two[3]
        ]
        if not meets:
            speeds = {cart: body[3] for body in bodies for cart in body[0]}
            return tuple(speeds[at] for at in range(len(track.masses))), lines
        soon, at = min(meets)
        if any(wait == soon and abs(other - at) == 1 for wait, other in meets):
            return None
        clock += soon
        bodies = [(carts, mass, x + v * soon, v) for carts, mass, x, v in bodies]
        one, two = bodies[at], bodies[at + 1]
        total, momentum = one[1] + two[1], one[1] * one[3] + two[1] * two[3]
        names = f"{_named(one[0])} and {_named(two[0])}"
        if one[0][-1] in track.coupled:
            bodies[at : at + 2] = [((*one[0], *two[0]), total, one[2], momentum / total)]
            lines.append(f"At {shown(clock)} s {names} couple: {shown(momentum / total)} m/s")
        else:
            first = ((one[1] - two[1]) * one[3] + 2 * two[1] * two[3]) / total
            second = ((two[1] - one[1]) * two[3] + 2 * one[1] * one[3]) / total
            bodies[at] = (one[0], one[1], one[2], first)
            bodies[at + 1] = (two[0], two[1], two[2], second)
            after = f"{shown(first)} m/s and {shown(second)} m/s"
            lines.append(f"At {shown(clock)} s {names} bounce: {after}")
    return None


def _named(carts: tuple[int, ...]) -> str:
    return "+".join(str(cart + 1) for cart in carts)


LADDER = (
    Knobs(2, 1, 0.5),
    Knobs(3, 2, 0.5),
    Knobs(3, 3, 0.2),
    Knobs(4, 4, 0.25),
    Knobs(5, 6, 0.2),
)
FAMILY = Family(
    Track,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.NumberList(),
    hardness=hardness,
    proof="unique",
    solver="hit by hit, by momentum and energy",
    guess_rate=0.03,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("physics", "simulation", "fractions"),
    peers=("Guru/science",),
)
