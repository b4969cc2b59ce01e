"""Dice sums: how likely a roll of several dice is to come out in some way.

`solve` rolls one die after another and counts the ways to every state that the question asks for.
`verify` never rolls: it multiplies generating functions of the faces from a lowest to a highest
one, and takes away what does not reach both ends.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import prod
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import capital, counted, listed
from puzzlemill.generators.probability._chance import PROBABILITY, ratio, trivial

Dice: TypeAlias = tuple[int, int, tuple[int, ...]]  # how many, sides, faces if not 1 to sides
Event: TypeAlias = tuple[str, int]
Tally: TypeAlias = dict[Any, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    dice: int  # in all
    kinds: int  # of dice, at most
    sides: int  # of a die, at most
    odd: float  # the share of kinds whose faces are not 1, 2, 3, ...
    events: int  # how many sorts of event there may be
    given: float  # the share of questions that tell something of the roll


@dataclass(frozen=True, slots=True)
class Roll:
    name: str
    dice: tuple[Dice, ...]
    event: Event
    given: tuple[Event, ...]  # none or one


def generate(rng: Random, knobs: Knobs) -> Roll | None:
    kinds = min(knobs.dice, rng.randint(max(1, knobs.kinds - 1), knobs.kinds))
    counts = [1] * kinds
    for _ in range(knobs.dice - kinds):
        counts[rng.randrange(kinds)] += 1
    shapes = [(count, rng.randint(4, knobs.sides), rng.random() < knobs.odd) for count in counts]
    sorts = rng.sample(EVENTS[: knobs.events], 1 + (rng.random() < knobs.given))
    return _filled(rng, rng.choice(NAMES), shapes, sorts)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(roll: Roll) -> Fraction | None:
    """Roll one die after another, keeping of the roll only what the events look at."""
    if not _sensible(roll):
        return None
    *_, tally = _rolled(roll)
    watched = _watched(roll)
    parts = list(zip(*tally))

    def happening(event: Event) -> tuple[int, set[Any]]:
        at = _looked_at(event, watched)
        return at, {part for part in set(parts[at]) if _happens(event, watched[at][0], part)}

    told, (at, asked) = [happening(event) for event in roll.given], happening(roll.event)
    given = {
        state: ways
        for state, ways in tally.items()
        if all(state[place] in right for place, right in told)
    }
    both = sum(ways for state, ways in given.items() if state[at] in asked)
    return Fraction(both, sum(given.values())) if given else None


def verify(roll: Roll, answer: Fraction) -> float:
    given = _counted(roll.dice, roll.given)
    return float(given > 0 and _counted(roll.dice, (roll.event, *roll.given)) == answer * given)


def render(roll: Roll, style: Style) -> Prompt:
    name = roll.name
    dice = listed([_said(each) for each in roll.dice])
    event = _told(roll.event)
    if roll.given:
        known = _told(roll.given[0])
        question = style.pick(
            f"{name} rolls {dice}. You are told that {known}. Given this, what is the"
            f" probability that {event}?",
            f"{name} rolls {dice}. Find the conditional probability that {event}, given that"
            f" {known}.",
            f"{capital(dice)} are rolled together, and {name} sees that {known}. How likely is it,"
            f" knowing this, that {event}?",
        )
    else:
        question = style.pick(
            f"{name} rolls {dice}. What is the probability that {event}?",
            f"Find the probability that {event} when {name} rolls {dice}.",
            f"{name} is about to roll {dice}, once and all together. How likely is it that"
            f" {event}?",
        )
    return Prompt(
        f"{question}\n\nEvery face of a die is equally likely, and the dice do not influence one"
        " another.",
        form=PROBABILITY,
    )


def steps(roll: Roll) -> list[str]:
    """The ways to each state after every die, and the two counts."""
    asked = (roll.event, *roll.given)
    seen = listed([LOOKS[kind].format(number) for kind, number in _watched(roll)])
    lines = [f"Count outcomes by {seen}."]
    for done, tally in enumerate(_rolled(roll), 1):
        ways = ", ".join(f"{_state(state)}: {tally[state]}" for state in sorted(tally))
        lines.append(f"After {counted(done, 'die', 'dice')}: {ways}")
    given, both = _counted(roll.dice, roll.given), _counted(roll.dice, asked)
    if roll.given:
        lines.append(f"Outcomes in which {_told(roll.given[0])}: {given}")
    else:
        lines.append(f"Outcomes in all: {given}")
    lines.append(f"Outcomes of these in which {_told(roll.event)}: {both}")
    return [*lines, f"The probability is {ratio(both, given)}."]


def hardness(roll: Roll) -> float:
    """The digits of the number of outcomes, more of them with more to look at."""
    outcomes = prod(sides**count for count, sides, _ in roll.dice)
    return len(str(outcomes)) * (1 + 0.5 * len(roll.given) + 0.1 * len(roll.dice))


def canon(roll: Roll) -> list[Any]:
    return [sorted(roll.dice), roll.event, roll.given]


def twin(rng: Random, knobs: Knobs, roll: Roll) -> Roll | None:
    shapes = [
        (count, rng.randint(max(4, sides - 2), min(knobs.sides, sides + 2)), bool(faces))
        for count, sides, faces in roll.dice
    ]
    sorts = [kind for kind, _ in (roll.event, *roll.given)]
    return _filled(rng, roll.name, shapes, sorts)


def renamed(rng: Random, knobs: Knobs, roll: Roll) -> Roll:
    return Roll(rng.choice(NAMES), roll.dice, roll.event, roll.given)


def _filled(
    rng: Random, name: str, shapes: list[tuple[int, int, bool]], sorts: list[str]
) -> Roll | None:
    """A roll in which what is asked, and what is told, happens at least once."""
    kept = [(count, min(sides, 8) if odd else sides, odd) for count, sides, odd in shapes]
    dice = tuple((count, sides, _faces(rng, sides) if odd else ()) for count, sides, odd in kept)
    if len({die[1:] for die in dice}) < len(dice) or any(len(set(die[2])) == 1 for die in dice):
        return None
    seen = [rng.choice(_all_faces(die)) for die in dice for _ in range(die[0])]
    event, *given = [(kind, _number(rng, kind, seen)) for kind in sorts]
    roll = Roll(name, dice, event, tuple(given))
    certain = any(trivial(solve(Roll(name, dice, known, ()))) for known in given)
    return None if certain or trivial(solve(roll)) else roll


def _faces(rng: Random, sides: int) -> tuple[int, ...]:
    return tuple(sorted(rng.randint(1, sides + 4) for _ in range(sides)))


def _number(rng: Random, kind: str, seen: list[int]) -> int:
    match kind:
        case "exactly" | "least" | "most":
            return sum(seen)
        case "multiple":
            return rng.choice([n for n in range(3, 12) if sum(seen) % n == 0] or [3])
        case "highest":
            return max(seen)
        case "lowest":
            return min(seen)
        case "gap":
            return max(seen) - min(seen)
        case _:
            return rng.choice(seen)


def _all_faces(die: Dice) -> tuple[int, ...]:
    return die[2] or tuple(range(1, die[1] + 1))


def _sensible(roll: Roll) -> bool:
    """Whether there are such dice, few and small enough to be looked through."""
    numbers = [number for _, number in (roll.event, *roll.given)]
    return (
        all(1 <= count <= 10 and 1 <= sides <= 40 for count, sides, _ in roll.dice)
        and sum(count for count, _, _ in roll.dice) <= 10
        and all(1 <= face <= 60 for _, _, faces in roll.dice for face in faces)
        and all(0 <= number <= 1000 for number in numbers)
        and all(number > 0 for kind, number in (roll.event, *roll.given) if kind == "multiple")
    )


def _watched(roll: Roll) -> tuple[Event, ...]:
    """What has to be known of the dice so far; the number only where it matters."""
    events = (roll.event, *roll.given)
    if any(kind in SUMS for kind, _ in events):
        events = tuple(("sum", 0) if event[0] in (*SUMS, "multiple") else event for event in events)
    kept = ((kind, number if kind in ("multiple", "shown") else 0) for kind, number in events)
    return tuple(dict.fromkeys(kept))


def _rolled(roll: Roll) -> Iterator[Tally]:
    """The ways to each state after one die, two dice, and so on."""
    watched = _watched(roll)
    tally: Tally = {tuple(() if kind == "gap" else 0 for kind, _ in watched): 1}
    for die in roll.dice:
        faces = Counter(_all_faces(die))
        known: list[dict[Any, list[Any]]] = [{} for _ in watched]  # what parts become, by face
        for _ in range(die[0]):
            grown: Tally = {}
            for state, ways in tally.items():
                leads = []
                for event, part, found in zip(watched, state, known):
                    if part not in found:
                        found[part] = [_after(*event, part, face) for face in faces]
                    leads.append(found[part])
                for after, times in zip(zip(*leads), faces.values()):
                    grown[after] = grown.get(after, 0) + ways * times
            tally = grown
            yield tally


def _after(kind: str, number: int, state: Any, face: int) -> Any:
    match kind:
        case "sum":
            return state + face
        case "multiple":
            return (state + face) % number
        case "highest":
            return max(state, face)
        case "lowest":
            return min(state or face, face)
        case "gap":
            low, high = state or (face, face)
            return min(low, face), max(high, face)
        case _:
            return int(state or face == number)


def _looked_at(event: Event, watched: tuple[Event, ...]) -> int:
    """Which part of a state tells whether an event happens."""
    if event[0] == "shown":
        return watched.index(event)
    looks = [look for look, _ in watched]
    return looks.index(event[0] if event[0] in looks else "sum")


def _happens(event: Event, look: str, part: Any) -> bool:
    kind, number = event
    match look:
        case "shown":
            return bool(part)
        case "gap":
            return bool(part[1] - part[0] == number)
        case "multiple":
            return bool(part == 0)
        case "sum":
            return _sum_fits(kind, number, part)
        case _:
            return bool(part == number)


def _counted(dice: tuple[Dice, ...], events: tuple[Event, ...]) -> int:
    """In how many outcomes all the events happen.

    With some of the faces that must show left out, with signs: inclusion and exclusion.
    """
    must = sorted({number for kind, number in events if kind == "shown"})
    others = [event for event in events if event[0] != "shown"]
    total = 0
    for size in range(len(must) + 1):
        for left_out in combinations(must, size):
            kept = [
                (
                    count,
                    [face for face in _all_faces((count, sides, faces)) if face not in left_out],
                )
                for count, sides, faces in dice
            ]
            total += (-1) ** size * _spanned(kept, others)
    return total


def _spanned(dice: list[tuple[int, list[int]]], events: list[Event]) -> int:
    ends = sorted({face for _, faces in dice for face in faces})
    if not ends:
        return 0
    if not any(kind in ("highest", "lowest", "gap") for kind, _ in events):
        return _with_sums(_product(dice, ends[0], ends[-1]), events)
    total = 0
    for at, low in enumerate(ends):
        for to, high in enumerate(ends[at:], at):
            if not _ends_fit(events, low, high):
                continue
            exact = _product(dice, low, high)  # neither end has to be reached yet
            if at < to:
                exact -= _product(dice, ends[at + 1], high) + _product(dice, low, ends[to - 1])
            if at + 1 < to:
                exact += _product(dice, ends[at + 1], ends[to - 1])
            total += _with_sums(exact, events)
    return total


def _ends_fit(events: list[Event], low: int, high: int) -> bool:
    reached = {"highest": high, "lowest": low, "gap": high - low}
    return all(reached.get(kind, number) == number for kind, number in events)


def _product(dice: list[tuple[int, list[int]]], low: int, high: int) -> int:
    """The generating function of the sum, all faces from low to high, packed into one number."""
    return prod(
        sum(1 << BITS * face for face in faces if low <= face <= high) ** count
        for count, faces in dice
    )


def _with_sums(packed: int, events: list[Event]) -> int:
    sums = [(kind, number) for kind, number in events if kind in (*SUMS, "multiple")]
    length = packed.bit_length() // BITS + 1
    ways = memoryview(packed.to_bytes(length * 8, "little")).cast("Q")
    return sum(
        count
        for total, count in enumerate(ways)
        if count and all(_sum_fits(kind, number, total) for kind, number in sums)
    )


def _sum_fits(kind: str, number: int, total: int) -> bool:
    match kind:
        case "exactly":
            return total == number
        case "least":
            return total >= number
        case "most":
            return total <= number
        case _:
            return total % number == 0


def _said(dice: Dice) -> str:
    count, sides, faces = dice
    a = "a " if count == 1 else ""
    number = "" if count == 1 else f"{count} "
    noun = "die" if count == 1 else "dice"
    each = "" if count == 1 else ("each with " if faces else "each ")
    if faces:
        shown = ", ".join(f"{face}" for face in faces)
        return f"{a}{number}{noun} {each or 'with '}the {len(faces)} faces ({shown})"
    return f"{a}{number}{noun} {each}numbered from 1 to {sides}"


def _told(event: Event) -> str:
    kind, number = event
    return {
        "exactly": f"the sum is exactly {number}",
        "least": f"the sum is at least {number}",
        "most": f"the sum is at most {number}",
        "multiple": f"the sum is a multiple of {number}",
        "highest": f"the highest number shown is exactly {number}",
        "lowest": f"the lowest number shown is exactly {number}",
        "shown": f"at least one of the dice shows {number}",
        "gap": f"the highest number shown minus the lowest number shown is exactly {number}",
    }[kind]


def _state(state: tuple[Any, ...]) -> str:
    parts = [f"{part[0]} to {part[1]}" if isinstance(part, tuple) else f"{part}" for part in state]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


EVENTS = ("exactly", "least", "most", "highest", "multiple", "lowest", "shown", "gap")
SUMS = ("exactly", "least", "most")
LOOKS = {
    "sum": "the sum",
    "multiple": "the remainder of the sum divided by {}",
    "highest": "the highest number",
    "lowest": "the lowest number",
    "shown": "whether {} has shown (1) or not (0)",
    "gap": "the lowest and highest number",
}
NAMES = ("Ada", "Bruno", "Clara", "Dmitri", "Elena", "Farid", "Gloria", "Hana", "Ivan", "Julia")
BITS = 64  # of a coefficient; ten dice with forty sides have fewer than 2**64 outcomes
LADDER = (
    Knobs(2, 1, 6, 0.0, 3, 0.0),
    Knobs(3, 2, 12, 0.9, 5, 0.8),
    Knobs(4, 2, 12, 0.9, 7, 0.8),
    Knobs(5, 3, 12, 0.9, 8, 0.9),
    Knobs(7, 4, 14, 0.9, 8, 1.0),
)
FAMILY = Family(
    Roll,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="counting states die by die",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    inputs=("dice", "event", "given"),
    twin=twin,
    renamed=renamed,
    skills=("probability", "counting", "fractions"),
    peers=("reasoning-gym/dice",),
)
