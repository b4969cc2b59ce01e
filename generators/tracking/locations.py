"""Locations: people swap and pass things on; who has each of them in the end?

A person may be mentioned as whoever has a certain thing, and an event may depend on that. `solve`
plays the story forwards with everybody's hands; `verify` asks of each thing in the answer where it
was one event before, back to the beginning.
"""

from dataclasses import dataclass
from functools import cache
from math import sqrt
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.mapping import Pairs
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES

# Somebody is a name, or ("with", thing): whoever has it just then.
Who: TypeAlias = Any
# ("swap", who, who): all that they hold; ("give", thing, who); ("trade", thing, thing): their
# holders exchange them; ("round", step): everybody passes everything on to the next (1) or the one
# before (-1); ("if", thing, name, event, event): the first if that person has it
Event: TypeAlias = tuple[Any, ...]

THINGS = (
    "apple", "bell", "book", "candle", "clock", "coin", "compass", "cup", "feather", "flute",
    "hammer", "key", "lamp", "letter", "map", "mirror", "ring", "rope", "shell", "whistle",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # and as many things
    events: int  # that move things
    indirect: float  # share of mentions by what somebody has
    tricky: float  # share of events that concern everybody, or hang on a condition


@dataclass(frozen=True, slots=True)
class Story:
    people: tuple[str, ...]  # in a circle
    things: tuple[str, ...]  # one each, in the same order
    events: tuple[Event, ...]


def generate(rng: Random, knobs: Knobs) -> Story | None:
    people = tuple(rng.sample(NAMES, knobs.people))
    things = tuple(rng.sample(THINGS, knobs.people))
    hands = {name: {thing} for name, thing in zip(people, things)}
    events = list[Event]()
    for _ in range(20 * knobs.events):
        event = _event(rng, knobs, people, things)
        after = _after(hands, people, event)
        if after is not None and after != hands:
            hands = after
            events.append(event)
            if len(events) == knobs.events:
                break
    story = Story(people, things, tuple(events))
    moved = sum(things[people.index(name)] not in held for name, held in hands.items())
    return story if 2 * moved >= len(people) and len(events) == knobs.events else None


def solve(story: Story) -> Pairs | None:
    hands = {name: {thing} for name, thing in zip(story.people, story.things)}
    for event in story.events:
        after = _after(hands, story.people, event)
        if after is None:
            return None
        hands = after
    return tuple(sorted((thing, name.lower()) for name, held in hands.items() for thing in held))


def verify(story: Story, pairs: Pairs) -> float:
    """Backwards: who has a thing after an event depends on who had some things before it."""

    @cache
    def holder(thing: str, time: int) -> str:
        if time == 0:
            return story.people[story.things.index(thing)]
        had = holder(thing, time - 1)
        event = story.events[time - 1]
        if event[0] == "if":
            event = event[3 if holder(event[1], time - 1) == event[2] else 4]

        def named(who: Who) -> str:
            return holder(who[1], time - 1) if isinstance(who, tuple) else who

        match event:
            case ("swap", one, other):
                return {named(one): named(other), named(other): named(one)}.get(had, had)
            case ("give", given, who):
                return named(who) if given == thing else had
            case ("trade", one, other):
                if thing in (one, other):
                    return holder(other if thing == one else one, time - 1)
                return had
        place = story.people.index(had) + event[1]
        return str(story.people[place % len(story.people)])

    # Step by step from the first event on, or a long story would nest too deep.
    for time in range(len(story.events)):
        for thing in story.things:
            holder(thing, time)
    right = {thing: holder(thing, len(story.events)).lower() for thing in story.things}
    return float(len(pairs) == len(right) and dict(pairs) == right)


def render(story: Story, style: Style) -> Prompt:
    start = ", ".join(f"{name} has the {thing}" for name, thing in zip(story.people, story.things))
    said = [_said(event, style) for event in story.events]
    circle = ", ".join(story.people)
    ring = ""
    if any(part[0] == "round" for event in story.events for part in (event, *event[3:])):
        ring = (
            f" They sit in a circle, clockwise in the order {circle}, and then {story.people[0]}"
            " again."
        )
    return Prompt(
        style.pick(
            f"At first, {start}.{ring} Nobody has anything else. Then this happens, one thing after"
            f" the other:\n{_lines(said)}\n\nWho has what in the end?",
            f"{len(story.people)} friends have brought one thing each: {start}.{ring}\n\n"
            f"{' '.join(said)}\n\nNothing else has changed hands. Say who has each thing"
            " now.",
            f"Follow where each thing goes. In the beginning {start}.{ring} What they do then is"
            f" listed in the order in which it happens.\n\n{_lines(said)}\n\nWho has each of the"
            " things in the end? Somebody may have several, or nothing.",
        ),
        form="one line for each thing with the name of the person who has it, such as pencil = Zoe",
    )


def steps(story: Story) -> list[str]:
    hands = {name: {thing} for name, thing in zip(story.people, story.things)}
    lines = []
    for number, event in enumerate(story.events, 1):
        after = _after(hands, story.people, event)
        assert after is not None, "a story that was told can be followed"
        changed = [name for name in story.people if after[name] != hands[name]]
        now = "; ".join(f"{name} has {_all(after[name])}" for name in changed)
        lines.append(f"after event {number}: {now}")
        hands = after
    return lines


def progress(story: Story, lines: Lines) -> float:
    return states_followed(FAMILY, story, lines)


def canon(story: Story) -> list[str]:
    facts: list[object] = [("has", name, thing) for name, thing in zip(story.people, story.things)]
    facts += [
        ("next", one, other)
        for one, other in zip(story.people, story.people[1:] + story.people[:1])
    ]
    facts += [("then", str(number), event) for number, event in enumerate(story.events)]
    return unnamed(facts, [*story.people, *story.things], ("swap", "trade"))


def hardness(story: Story) -> float:
    """Events, those with an indirect mention, with a condition or with everybody counting more."""
    weight = 0.0
    for event in story.events:
        parts = [event, *(part for part in event if isinstance(part, tuple))]
        deep = sum(part[0] == "with" for each in parts for part in each if isinstance(part, tuple))
        weight += 1 + deep + 2 * (event[0] == "if") + (event[0] == "round")
    return weight * sqrt(len(story.people))


def _event(rng: Random, knobs: Knobs, people: tuple[str, ...], things: tuple[str, ...]) -> Event:
    def who() -> Who:
        return ("with", rng.choice(things)) if rng.random() < knobs.indirect else rng.choice(people)

    def plain() -> Event:
        match rng.choice(("swap", "swap", "give", "trade")):
            case "swap":
                return "swap", who(), who()
            case "give":
                return "give", rng.choice(things), who()
        return "trade", *rng.sample(things, 2)

    if rng.random() >= knobs.tricky:
        return plain()
    if rng.random() < 0.4:
        return "round", rng.choice((1, -1))
    return "if", rng.choice(things), rng.choice(people), plain(), plain()


def _after(
    hands: dict[str, set[str]], people: tuple[str, ...], event: Event
) -> dict[str, set[str]] | None:
    """What everybody holds after an event; None if somebody would deal with themselves."""

    def named(who: Who) -> str:
        if isinstance(who, tuple):
            return next(name for name in people if who[1] in hands[name])
        return str(who)

    match event:
        case ("if", thing, name, then, otherwise):
            tried = [_after(hands, people, each) for each in (then, otherwise)]
            if None in tried:
                return None
            return tried[0 if thing in hands[name] else 1]
        case ("round", step):
            size = len(people)
            return {name: hands[people[(at - step) % size]] for at, name in enumerate(people)}
        case ("swap", one, other):
            one, other = named(one), named(other)
            if one == other:
                return None
            return {**hands, one: hands[other], other: hands[one]}
        case ("give", thing, who):
            one, other = named(("with", thing)), named(who)
            if one == other:
                return None
            return {**hands, one: hands[one] - {thing}, other: hands[other] | {thing}}
        case ("trade", left, right):
            one, other = named(("with", left)), named(("with", right))
            if one == other:
                return None
            return {
                **hands,
                one: hands[one] - {left} | {right},
                other: hands[other] - {right} | {left},
            }
    raise AssertionError(f"no event {event}")


def _said(event: Event, style: Style) -> str:
    match event:
        case ("if", thing, name, then, otherwise):
            one, other = _clause(then, style), _clause(otherwise, style)
            return f"If {name} has the {thing} at this point, {one}; if not, {other}."
        case ("round", step):
            way = "clockwise" if step == 1 else "anticlockwise"
            return style.pick(
                f"All at the same time, everybody passes everything on to the next person {way}.",
                f"Everybody hands all that they hold to the next person {way}, all at once.",
            )
    clause = _clause(event, style)
    return f"{clause[0].upper()}{clause[1:]}."


def _clause(event: Event, style: Style) -> str:
    def named(who: Who) -> str:
        return f"whoever has the {who[1]}" if isinstance(who, tuple) else str(who)

    match event:
        case ("swap", one, other):
            return style.pick(
                f"{named(one)} and {named(other)} swap everything that they hold",
                f"{named(one)} exchanges everything with {named(other)}",
            )
        case ("give", thing, who):
            return style.pick(
                f"the {thing} is given to {named(who)}",
                f"whoever has the {thing} gives it to {named(who)}",
                f"{named(who)} is handed the {thing}",
            )
        case ("trade", left, right):
            return f"the {left} and the {right} are exchanged for one another by their holders"
    raise AssertionError(f"no clause for {event}")


def _lines(said: list[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(said, 1))


def _all(things: set[str]) -> str:
    return " and ".join(f"the {thing}" for thing in sorted(things)) or "nothing"


LADDER = (
    Knobs(4, 4, 0.0, 0.0),
    Knobs(5, 8, 0.2, 0.1),
    Knobs(7, 16, 0.4, 0.25),
    Knobs(9, 35, 0.6, 0.4),
    Knobs(12, 80, 0.8, 0.5),
)
FAMILY = Family(
    Story,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Mapping(),
    hardness=hardness,
    proof="unique",
    solver="playing the story forwards",
    guess_rate=0.03,
    steps=steps,
    progress=progress,
    canon=canon,
    known=lambda story: story.people,
    skills=("tracking",),
    peers=("reasoning-core/reference_tracking", "SynLogic/goods_exchange"),
    version=3,
)
