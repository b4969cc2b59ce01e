"""Intervals: choose as many bookings as possible of which no two overlap.

Every largest choice is right. `solve` takes again and again the booking that ends first; `verify`
checks the answer's pairs and counts by a table over the hours; `recheck` finds the largest
independent set of the graph of overlaps by search.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style

Booking = tuple[int, int]  # from, to


@dataclass(frozen=True, slots=True)
class Knobs:
    bookings: int  # to choose from
    hours: int  # in all
    longest: int  # booking


@dataclass(frozen=True, slots=True)
class Room:
    bookings: tuple[Booking, ...]


def generate(rng: Random, knobs: Knobs) -> Room | None:
    """Large rooms are such that the shortest bookings first, or the earliest first, are too few."""
    bookings = []
    for _ in range(knobs.bookings):
        length = rng.randint(1, knobs.longest)
        start = rng.randint(0, knobs.hours - length)
        bookings.append((start, start + length))
    if len(set(bookings)) < len(bookings):
        return None
    room = Room(tuple(bookings))
    best = len(solve(room))
    if not 2 < best < len(bookings):
        return None
    by_length = sorted(bookings, key=lambda booking: (booking[1] - booking[0], booking))
    trapped = any(len(_taken(order)) < best for order in (by_length, sorted(bookings)))
    return room if trapped or len(bookings) < 8 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(room: Room) -> tuple[int, ...]:
    order = sorted(room.bookings, key=lambda booking: (booking[1], booking))
    return tuple(sorted(room.bookings.index(booking) + 1 for booking in _taken(order)))


def verify(room: Room, chosen: tuple[int, ...]) -> float:
    if any(number not in range(1, len(room.bookings) + 1) for number in chosen):
        return 0.0
    taken = sorted(room.bookings[number - 1] for number in chosen)
    if any(first[1] > second[0] for first, second in pairwise(taken)):
        return 0.0
    latest = max(end for _, end in room.bookings)
    most = [0] * (latest + 1)  # bookings that can be over by an hour
    for hour in range(1, latest + 1):
        ending = [most[start] + 1 for start, end in room.bookings if end == hour]
        most[hour] = max([most[hour - 1], *ending])
    return float(len(taken) == most[latest])


def recheck(room: Room, chosen: tuple[int, ...]) -> bool:
    count = len(room.bookings)
    against = [0] * count  # the others that a booking overlaps, and itself, as bits
    for one in range(count):
        for other in range(count):
            (a, b), (c, d) = room.bookings[one], room.bookings[other]
            against[one] |= (max(a, c) < min(b, d)) << other
    known: dict[int, int] = {0: 0}

    def largest(left: int) -> int:
        if left not in known:
            few = min(
                (place for place in range(count) if left >> place & 1),
                key=lambda place: (left & against[place]).bit_count(),
            )
            # A largest choice holds the booking, or one of those that it overlaps.
            near = [place for place in range(count) if left & against[few] & 1 << place]
            known[left] = 1 + max(largest(left & ~against[place]) for place in near)
        return known[left]

    if not all(1 <= number <= count for number in chosen):
        return False
    free = not any(against[one - 1] >> (two - 1) & 1 for one, two in combinations(chosen, 2))
    return free and len(chosen) == largest((1 << count) - 1)


def render(room: Room, style: Style) -> Prompt:
    table = "\n".join(
        f"{number}. from {start} to {end}" for number, (start, end) in enumerate(room.bookings, 1)
    )
    return Prompt(
        style.pick(
            "A room can be booked for these times (in hours after opening):"
            f"\n\n{table}\n\nAt most one booking can have the room at a time, but one may begin at"
            " the hour at which another ends. Accept as many bookings as possible. If there are"
            " several ways to accept that many, any of them will do.",
            f"{table}\n\nThese are intervals of the number line. Choose the greatest possible"
            " number of them such that no two of the chosen ones overlap. Intervals that only touch"
            " at an end do not overlap. Any largest choice is accepted.",
            "One machine, many jobs; each job needs the machine for the whole of its time and"
            f" cannot be moved:\n\n{table}\n\nA job can start at the moment at which another one"
            " ends, but two jobs never run at once. Which jobs should run, if the number of jobs"
            " that run is to be as large as possible? One such plan is enough.",
        ),
        form=(
            "the list numbers (1, 2, 3, ...) of the chosen entries, in any order, separated by"
            " commas"
        ),
    )


def steps(room: Room) -> list[str]:
    numbers = sorted(solve(room), key=lambda number: room.bookings[number - 1])
    free, lines = 0, []
    for number in numbers:
        start, end = room.bookings[number - 1]
        lines.append(f"from {free} on, entry {number} ends first: from {start} to {end}")
        free = end
    return lines


def canon(room: Room) -> list[Booking]:
    """The order of the bookings does not matter."""
    return sorted(room.bookings)


def hardness(room: Room) -> int:
    return len(room.bookings)


def _taken(order: list[Booking]) -> list[Booking]:
    """The bookings in this order, but for those that overlap one taken before."""
    taken: list[Booking] = []
    for start, end in order:
        if all(end <= other[0] or other[1] <= start for other in taken):
            taken.append((start, end))
    return taken


LADDER = (
    Knobs(7, 18, 6),
    Knobs(11, 24, 8),
    Knobs(18, 48, 14),
    Knobs(28, 90, 24),
    Knobs(40, 160, 40),
)
FAMILY = Family(
    Room,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntBag(called=("entrie", "entry", "interval")),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="the booking that ends first, again and again",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("optimisation", "planning"),
    peers=("CLRS-Text/activity_selector", "RLVE/cinema", "KORGym/29-Construction_Company"),
)
