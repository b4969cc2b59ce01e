"""Coin flips: how likely a row of flips is to look in some way, given that it looks in another.

`solve` flips one coin after another and carries on only what the events look at. `verify` writes
out every row of heads and tails, a bit for each flip, and sorts them all at once; the rows in which
an event happens are kept as the bits of one number.
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
from puzzlemill.generators.probability._chance import PROBABILITY, ratio

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


def solve(flips: Flips) -> Fraction | None:
    """Flip one coin after another; the states of both events, and the weight of each."""
    if not _sensible(flips):
        return None
    *_, states = _flipped(flips)
    given, event = _summed(flips, states)
    return Fraction(event, given) if given else None


def verify(flips: Flips, answer: Fraction) -> float:
    up, below = flips.chance or (1, 2)
    given, event = _given(flips), _rows(flips.event, flips.flips)
    known = happens = 0
    for number, rows in enumerate(_by_heads(flips.flips)):
        weight = up**number * (below - up) ** (flips.flips - number)
        known += weight * (rows & given).bit_count()
        happens += weight * (rows & given & event).bit_count()
    return float(known > 0 and answer * known == happens)


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
    return flips if _sensible(flips) and not _settled(flips) else None


def _settled(flips: Flips) -> bool:
    """Whether one of the events, or what is asked, happens never or always."""
    every, event, given = _every(flips.flips), _rows(flips.event, flips.flips), _given(flips)
    alone = (_rows(each, flips.flips) for each in (flips.event, *flips.given))
    return given & event in (0, given) or any(rows in (0, every) for rows in alone)


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
    down = below - up
    states: dict[Any, int] = {tuple(START[kind] for kind, _ in events): 1}
    known: dict[Any, tuple[Any, ...]] = {}  # where each state leads, by heads and by tails
    watched: list[tuple[str, bool]] = []
    for place in range(1, flips.flips + 1):
        if watched != (now := [(event[0], _counted(event, place)) for event in events]):
            known, watched = {}, now
        after: dict[Any, int] = {}
        for state, weight in states.items():
            if state not in known:
                leads = [_leads(kind, counted, part) for (kind, counted), part in zip(now, state)]
                known[state] = tuple(zip(*leads))
            heads, tails = known[state]
            after[heads] = after.get(heads, 0) + weight * up
            after[tails] = after.get(tails, 0) + weight * down
        states = after
        yield states


def _summed(flips: Flips, states: dict[Any, int]) -> tuple[int, int]:
    """The weights of what is told, and of those in which the event happens too."""
    asked, *told = (
        {part for part in set(parts) if _holds(event, part)}
        for event, parts in zip((flips.event, *flips.given), zip(*states))
    )
    given = {state: states[state] for state in states if not told or state[1] in told[0]}
    return sum(given.values()), sum(given[state] for state in given if state[0] in asked)


def _counted(event: Event, place: int) -> bool:
    """Whether the event looks at a flip."""
    kind, numbers = event
    return kind not in ("part", "place") or (
        place <= numbers[0] if kind == "part" else place == numbers[0]
    )


@lru_cache(maxsize=2048)
def _leads(kind: str, counted: bool, part: Any) -> tuple[Any, Any]:
    """What an event's part of a state becomes by heads, and by tails."""
    return (_after(kind, part, 1), _after(kind, part, 0)) if counted else (part, part)


def _after(kind: str, state: Any, head: int) -> Any:
    match kind:
        case "heads" | "least" | "part":
            return state + head
        case "more":
            return state + 2 * head - 1
        case "place":
            return head
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


def _every(flips: int) -> int:
    return (1 << (1 << flips)) - 1


def _given(flips: Flips) -> int:
    """The rows of flips in which all that is told happens, as one set of bits."""
    known = _every(flips.flips)
    for each in flips.given:
        known &= _rows(each, flips.flips)
    return known


@lru_cache(maxsize=512)  # of at most 8 KiB
def _rows(event: Event, flips: int) -> int:
    """The rows of flips in which an event happens: a bit for each row that is."""
    return _bits(_looks(event, np.arange(2**flips), flips))


@lru_cache(maxsize=16)
def _by_heads(flips: int) -> list[int]:
    """The rows of flips with no heads, with one, and so on."""
    heads = _heads(np.arange(2**flips), flips)
    return [_bits(heads == number) for number in range(flips + 1)]


def _bits(chosen: Any) -> int:
    return int.from_bytes(np.packbits(chosen, bitorder="little").tobytes(), "little")


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
