"""Coin flips: how likely a row of flips is to look in some way, given that it looks in another.

`solve` flips one coin after another and carries on only what the events look at. `verify` writes
out every row of heads and tails, a bit for each flip, and sorts them all at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Any, TypeAlias

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.probability._chance import PROBABILITY, ratio, trivial

Event: TypeAlias = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Knobs:
    flips: int  # in the row, at most
    events: int  # how many sorts of event there may be
    biased: float  # the share of coins that are not fair
    parts: int  # the largest denominator of a biased coin's chance
    given: float  # the share of questions that tell something of the flips


@dataclass(frozen=True, slots=True)
class Flips:
    name: str
    flips: int
    chance: tuple[int, ...]  # of heads: numerator and denominator; none for a fair coin
    event: Event
    given: tuple[Event, ...]  # none or one


def generate(rng: Random, knobs: Knobs) -> Flips | None:
    flips = rng.randint(max(3, knobs.flips - 2), knobs.flips)
    biased = rng.random() < knobs.biased
    kinds = rng.sample(EVENTS[: knobs.events], 1 + (rng.random() < knobs.given))
    return _filled(rng, knobs, Flips(rng.choice(NAMES), flips, (1, 3) * biased, NOTHING, ()), kinds)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(flips: Flips) -> Fraction | None:
    """Flip one coin after another; the states of both events, and the weight of each."""
    if not _sensible(flips):
        return None
    *_, states = _flipped(flips)
    given, event = _summed(flips, states)
    return Fraction(event, given) if given else None


def verify(flips: Flips, answer: Fraction) -> float:
    up, below = flips.chance or (1, 2)
    rows = np.arange(2**flips.flips)
    heads = _heads(rows, flips.flips)
    known = np.ones(len(rows), dtype=bool)
    for each in flips.given:
        known &= _looks(each, rows, flips.flips)
    weights = []
    for chosen in (known, known & _looks(flips.event, rows, flips.flips)):
        ways = np.bincount(heads[chosen], minlength=flips.flips + 1).tolist()
        weights.append(
            sum(
                count * up**number * (below - up) ** (flips.flips - number)
                for number, count in enumerate(ways)
            )
        )
    return float(weights[0] > 0 and answer * weights[0] == weights[1])


def render(flips: Flips, style: Style) -> Prompt:
    name, count = flips.name, flips.flips
    if flips.chance:
        up, below = flips.chance
        coin = f"a biased coin {count} times"
        note = f"Each flip lands heads with probability {up}/{below}, independently of the others."
    else:
        coin = f"a fair coin {count} times"
        note = "The flips are independent of one another."
    event = _told(flips.event)
    if flips.given:
        known = _told(flips.given[0])
        question = style.pick(
            f"{name} flips {coin}. Given that {known}, what is the probability that {event}?",
            f"{name} flips {coin}. A friend who saw it all says truthfully that {known}. What is"
            f" now the probability that {event}?",
            f"Suppose that {name} flips {coin}. Find the conditional probability that {event},"
            f" given that {known}.",
        )
    else:
        question = style.pick(
            f"{name} flips {coin}. What is the probability that {event}?",
            f"Find the probability that {event} when {name} flips {coin}.",
            f"{name} is going to flip {coin}. How likely is it that {event}?",
        )
    return Prompt(f"{question}\n\n{note}", form=PROBABILITY)


def steps(flips: Flips) -> list[str]:
    """The weight of every state after each flip while they are few; then the quotient."""
    asked = (flips.event, *flips.given)
    up, below = flips.chance or (1, 2)
    watched = " and ".join(dict.fromkeys(WATCHED[kind] for kind, _ in asked))
    lines = [
        f"A state tells {watched}. Heads multiplies its weight by {up}, tails by {below - up}."
    ]
    for done, states in enumerate(_flipped(flips), 1):
        weights = ", ".join(f"{_state(state)}: {states[state]}" for state in sorted(states))
        many = f"{len(states)} states, found from the last ones in the same way"
        lines.append(f"After flip {done}: {weights if len(states) <= SHOWN else many}")
    given, event = _summed(flips, states)
    known = f"Those in which {_told(flips.given[0])}" if flips.given else "All weights"
    lines.append(f"{known} add up to {given}.")
    lines.append(f"Those of them in which {_told(flips.event)} add up to {event}.")
    return [*lines, f"The probability is {ratio(event, given)}."]


def hardness(flips: Flips) -> float:
    looks = 1 + len(flips.given)
    return flips.flips * (looks + bool(flips.chance) + 0.2 * EVENTS.index(flips.event[0]))


def canon(flips: Flips) -> list[Any]:
    return [flips.flips, flips.chance, flips.event, flips.given]


def twin(rng: Random, knobs: Knobs, flips: Flips) -> Flips | None:
    kinds = [kind for kind, _ in (flips.event, *flips.given)]
    count = rng.randint(max(3, knobs.flips - 2), knobs.flips)
    return _filled(rng, knobs, replace(flips, flips=count), kinds)


def renamed(rng: Random, knobs: Knobs, flips: Flips) -> Flips:
    return replace(flips, name=rng.choice(NAMES))


def _filled(rng: Random, knobs: Knobs, draft: Flips, kinds: list[str]) -> Flips | None:
    """Numbers for which what is asked, and what is told, happens at least once."""
    chance: tuple[int, ...] = ()
    if draft.chance:
        below = rng.randint(3, knobs.parts)
        chance = (rng.randint(1, below - 1), below)
        if Fraction(*chance).denominator != below:
            return None
    seen = [rng.random() < 0.55 for _ in range(draft.flips)]
    event, *given = [(kind, _numbers(rng, kind, seen)) for kind in kinds]
    flips = replace(draft, chance=chance, event=event, given=tuple(given))
    parts = [replace(flips, event=each, given=()) for each in (event, *given)]
    if any(trivial(solve(part)) for part in parts) or trivial(solve(flips)):
        return None
    return flips


def _numbers(rng: Random, kind: str, seen: list[bool]) -> tuple[int, ...]:
    match kind:
        case "heads" | "least":
            return (sum(seen),)
        case "place":
            return (rng.choice([at for at, head in enumerate(seen, 1) if head] or [1]),)
        case "part":
            first = rng.randint(2, len(seen) - 1)
            return first, sum(seen[:first])
        case "run" | "longest":
            return (max(len(run) for run in _runs(seen)),)
        case "changes":
            return (sum(one != other for one, other in pairwise(seen)),)
        case _:
            return ()


def _runs(seen: list[bool]) -> list[str]:
    return "".join("H" if head else " " for head in seen).split() or [""]


def _sensible(flips: Flips) -> bool:
    if not 1 <= flips.flips <= 16:
        return False
    if flips.chance and not 0 < flips.chance[0] < flips.chance[1]:
        return False
    for kind, numbers in (flips.event, *flips.given):
        most = flips.flips - (kind == "changes")
        least = kind in ("place", "run", "longest", "part")
        if any(not least <= number <= most for number in numbers[:1]):
            return False
        if kind == "part" and not 0 <= numbers[1] <= numbers[0]:
            return False
    return True


def _flipped(flips: Flips) -> Iterator[dict[Any, int]]:
    """The weight of every state after each flip; all weights add up to a power."""
    events = (flips.event, *flips.given)
    up, below = flips.chance or (1, 2)
    placed = any(kind in ("part", "place") for kind, _ in events)  # steps that differ by the place
    states: dict[Any, int] = {tuple(START[kind] for kind, _ in events): 1}
    known: dict[Any, list[Any]] = {}  # where each state leads, by heads and by tails
    for place in range(1, flips.flips + 1):
        if placed:
            known = {}
        after: dict[Any, int] = {}
        for state, weight in states.items():
            if state not in known:
                known[state] = [
                    tuple([_after(each, part, place, head) for each, part in zip(events, state)])
                    for head in (1, 0)
                ]
            for new, times in zip(known[state], (up, below - up)):
                after[new] = after.get(new, 0) + weight * times
        states = after
        yield states


def _summed(flips: Flips, states: dict[Any, int]) -> tuple[int, int]:
    """The weights of what is told, and of those in which the event happens too."""
    given = event = 0
    for state, weight in states.items():
        if all(_holds(each, part) for each, part in zip(flips.given, state[1:])):
            given += weight
            event += weight * _holds(flips.event, state[0])
    return given, event


def _after(event: Event, state: Any, place: int, head: int) -> Any:
    kind, numbers = event
    match kind:
        case "heads" | "least":
            return state + head
        case "more":
            return state + 2 * head - 1
        case "part":
            return state + (head if place <= numbers[0] else 0)
        case "place":
            return head if place == numbers[0] else state
        case "run" | "longest":
            now, best = state
            now = now + 1 if head else 0
            return now, max(now, best)
        case "changes":
            last, changes = state
            return head, changes + (last not in (head, -1))
        case _:  # never behind: the lead, or -1 for good
            return -1 if state < 0 else state + 2 * head - 1


def _holds(event: Event, state: Any) -> bool:
    kind, numbers = event
    match kind:
        case "heads":
            return bool(state == numbers[0])
        case "least":
            return bool(state >= numbers[0])
        case "more":
            return bool(state > 0)
        case "part":
            return bool(state == numbers[1])
        case "place":
            return bool(state)
        case "run":
            return bool(state[1] >= numbers[0])
        case "longest" | "changes":
            return bool(state[1] == numbers[0])
        case _:
            return bool(state >= 0)


def _looks(event: Event, rows: Any, flips: int) -> Any:
    """For which rows of flips, each the bits of a number, an event happens."""
    kind, numbers = event
    heads = _heads(rows, flips)
    match kind:
        case "heads":
            return heads == numbers[0]
        case "least":
            return heads >= numbers[0]
        case "more":
            return heads > flips - heads
        case "part":
            return _heads(rows, numbers[0]) == numbers[1]
        case "place":
            return (rows >> numbers[0] - 1 & 1) == 1
        case "run":
            return _in_a_row(rows, numbers[0]) != 0
        case "longest":
            return (_in_a_row(rows, numbers[0]) != 0) & (_in_a_row(rows, numbers[0] + 1) == 0)
        case "changes":
            differ = (rows ^ rows >> 1) & (1 << flips - 1) - 1
            return _heads(differ, flips) == numbers[0]
        case _:
            fits, lead = rows >= 0, 0 * rows
            for place in range(flips):
                lead = lead + 2 * (rows >> place & 1) - 1
                fits = fits & (lead >= 0)
            return fits


def _heads(rows: Any, first: int) -> Any:
    """The number of heads among the first flips of every row."""
    return sum(rows >> place & 1 for place in range(first))


def _in_a_row(rows: Any, length: int) -> Any:
    """Bits where so many heads in a row begin."""
    starts = rows
    for step in range(1, length):
        starts = starts & rows >> step
    return starts


def _told(event: Event) -> str:
    kind, numbers = event
    first, second = (*numbers, 0, 0)[:2]
    return {
        "heads": f"the number of heads is exactly {first}",
        "least": f"the number of heads is at least {first}",
        "place": f"flip number {first} is heads",
        "more": "there are more heads than tails",
        "part": f"the number of heads among the first {first} flips is exactly {second}",
        "run": "there is at least one head"
        if first == 1
        else f"there are at least {first} heads in a row somewhere",
        "changes": f"the number of flips that differ from the flip just before is exactly {first}",
        "longest": f"the longest run of heads in a row has length exactly {first}",
        "never": "at no point are there more tails than heads so far",
    }[kind]


def _state(state: tuple[Any, ...]) -> str:
    parts = [" ".join(map(str, part)) if isinstance(part, tuple) else f"{part}" for part in state]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


EVENTS = ("heads", "least", "run", "part", "more", "changes", "longest", "never", "place")
SHOWN = 24  # states, in a line of the worked solution
NOTHING: Event = ("more", ())
START: dict[str, Any] = {
    **dict.fromkeys(EVENTS, 0),
    "run": (0, 0),
    "longest": (0, 0),
    "changes": (-1, 0),
}
WATCHED = {
    "heads": "the number of heads",
    "least": "the number of heads",
    "place": "whether the flip asked for was heads (1)",
    "more": "heads minus tails",
    "part": "the number of heads in the first part",
    "run": "the run of heads now and the longest so far",
    "changes": "the last flip (1 for heads) and the number of changes",
    "longest": "the run of heads now and the longest so far",
    "never": "heads minus tails (-1 once tails were ahead)",
}
NAMES = ("Amir", "Bella", "Cora", "Diego", "Edith", "Frida", "Goran", "Helen", "Igor", "Jasmin")
LADDER = (
    Knobs(5, 2, 0.6, 5, 0.0),
    Knobs(7, 6, 1.0, 24, 1.0),
    Knobs(9, 7, 1.0, 24, 1.0),
    Knobs(12, 9, 1.0, 24, 1.0),
    Knobs(15, 9, 1.0, 24, 1.0),
)
FAMILY = Family(
    Flips,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="chances of states, flip by flip",
    guess_rate=0.2,
    steps=steps,
    canon=canon,
    inputs=("flips", "chance", "event", "given"),
    twin=twin,
    renamed=renamed,
    skills=("probability", "counting", "fractions"),
    peers=("reasoning-gym/coin_flip",),
    version=3,
)
