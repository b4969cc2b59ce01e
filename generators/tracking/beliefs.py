"""Beliefs: things are moved while some are away or watch in secret; who thinks who thinks what?

What A thinks that B thinks is the last news of those that reached A and, as far as A knows, also B.
`solve` retells the story as A lived it, retells that as A takes B to have lived it, and so on;
`verify` keeps a table of all chains of people and brings it up to date event by event.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.mapping import Pairs
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES

# ("leave", who), ("enter", who), ("move", who, thing, place), ("watch", hidden, who, thing, place):
# a move that somebody outside watches unnoticed, ("message", sender, reader, thing, place)
Event: TypeAlias = tuple[str, ...]
Question: TypeAlias = tuple[tuple[str, ...], str]  # whose thoughts inside one another, of what

THINGS = ("ball", "coin", "key", "ring", "watch", "spoon", "letter", "marble")
PLACES = (
    "bag", "basket", "box", "bucket", "chest", "crate", "cupboard", "drawer", "jar", "suitcase",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # of the story
    things: int  # that are moved
    events: int  # of the story
    order: int  # people in a question, at most
    covert: float  # share of moves that are watched in secret, or only told of
    questions: int  # asked at once


@dataclass(frozen=True, slots=True)
class Room:
    people: tuple[str, ...]
    places: tuple[str, ...]
    start: tuple[tuple[str, str], ...]  # each thing with its place
    events: tuple[Event, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class News:
    thing: str
    place: str
    known: frozenset[str]  # who learns of it and knows that the others of these do
    hidden: str = ""  # who learns of it unnoticed
    sender: str = ""  # who made it up
    believed: bool = True  # by the one whose story it stands in


def generate(rng: Random, knobs: Knobs) -> Room | None:
    people = tuple(rng.sample(NAMES, knobs.people))
    places = tuple(sorted(rng.sample(PLACES, 4 + (knobs.people > 3))))
    things = rng.sample(THINGS, knobs.things)
    where = {thing: rng.choice(places) for thing in things}
    events = _events(rng, knobs, people, places, where)
    room = Room(people, places, tuple(where.items()), events, ())
    beliefs = _table(room, knobs.order)
    truth = _truth(room)
    told = list[Question]()
    for number in range(knobs.questions):
        order = knobs.order if number % 2 == 0 else max(1, knobs.order - 1)
        asked = [
            (chain, thing)
            for (chain, thing), place in beliefs.items()
            if len(chain) == order
            and (chain, thing) not in told
            # Every other question is about somebody who is wrong, or takes another to be.
            and (number % 3 == 2 or place not in (truth[thing], beliefs.get((chain[1:], thing))))
        ]
        if not asked:
            return None
        told.append(rng.choice(asked))
    if len({beliefs[question] for question in told}) < 2:
        return None
    rng.shuffle(told)
    return Room(people, places, room.start, room.events, tuple(told))


def solve(room: Room) -> Pairs:
    found = []
    for number, (chain, thing) in enumerate(room.questions, 1):
        lived = _lived(room, chain)
        last = [news.place for news in lived if news.thing == thing and news.believed][-1]
        found.append((str(number), last))
    return tuple(sorted(found))


def verify(room: Room, pairs: Pairs) -> float:
    longest = max(len(chain) for chain, _ in room.questions)
    beliefs = _table(room, longest)
    right = {str(number): beliefs[question] for number, question in enumerate(room.questions, 1)}
    return float(len(pairs) == len(right) and dict(pairs) == right)


def render(room: Room, style: Style) -> Prompt:
    start = " ".join(f"The {thing} is in the {place}." for thing, place in room.start)
    story = style.pick(" ", "\n").join(_said(event, style) for event in room.events)
    asked = "\n".join(
        f"{number}. {_asked(question)}" for number, question in enumerate(room.questions, 1)
    )
    people = f"{', '.join(room.people[:-1])} and {room.people[-1]}"
    places = f"{', '.join(room.places[:-1])} and {room.places[-1]}"
    rules = " ".join(_rules(room))
    return Prompt(
        style.pick(
            f"{people} are together in a room with closed containers: {places}. {start} All of them"
            f" know this, all know that all know it, and so on.\n\n{story}\n\n{rules}\n\n{asked}",
            f"Read the story and answer the questions at its end.\n\n{people} are in a room. It"
            f" holds these containers, all of them closed: {places}. {start} Everybody has just"
            f" seen this, in the presence of all the others.\n\n{story}\n\nThis is how they think:"
            f" {rules}\n\n{asked}",
            f"{rules}\n\nNow to what happened. {people} were in a room with these closed"
            f" containers: {places}. {start} All of this was common knowledge among them."
            f" Then:\n\n{story}\n\n{asked}",
        ),
        form="one line for each question with the container, such as 1 = pocket",
    )


def steps(room: Room) -> list[str]:
    lines = []
    for number, (chain, thing) in enumerate(room.questions, 1):
        for depth in range(len(chain)):
            lived = _lived(room, chain[: depth + 1])
            whose = "".join(f"{name}'s idea of " for name in chain[:depth])
            places = [news.place for news in lived if news.thing == thing and news.believed]
            lines.append(f"{number}: {whose}what {chain[depth]} learnt: {', '.join(places)}")
        lines.append(f"{number} = {places[-1]}")
    return lines


def canon(room: Room) -> list[str]:
    facts: list[object] = [("start", *pair) for pair in room.start]
    facts += [("then", str(number), event) for number, event in enumerate(room.events)]
    facts += [("asked", *question) for question in room.questions]
    things = [thing for thing, _ in room.start]
    return unnamed(facts, [*room.people, *room.places, *things])


def hardness(room: Room) -> float:
    """News that have to be sorted, for each thought inside a thought."""
    news = sum(event[0] in ("move", "watch", "message") for event in room.events)
    covert = sum(event[0] in ("watch", "message") for event in room.events)
    return (news + covert) * sum(len(chain) for chain, _ in room.questions)


def _events(
    rng: Random,
    knobs: Knobs,
    people: tuple[str, ...],
    places: tuple[str, ...],
    where: dict[str, str],
) -> tuple[Event, ...]:
    inside, where = list(people), dict(where)
    events = list[Event]()
    while len(events) < knobs.events:
        outside = [who for who in people if who not in inside]
        if rng.random() < 0.4 and (not outside or rng.random() < len(inside) / len(people)):
            if len(inside) > 1:
                who = rng.choice(inside)
                inside.remove(who)
                events.append(("leave", who))
            continue
        if rng.random() < 0.35 and outside and events[-1][0] != "leave":
            who = rng.choice(outside)
            inside.append(who)
            events.append(("enter", who))
            continue
        thing = rng.choice(sorted(where))
        place = rng.choice([each for each in places if each != where[thing]])
        if rng.random() >= knobs.covert or not outside:
            events.append(("move", rng.choice(inside), thing, place))
        elif rng.random() < 0.5:
            events.append(("watch", rng.choice(outside), rng.choice(inside), thing, place))
        else:
            events.append(("message", *rng.sample(people, 2), thing, rng.choice(places)))
            continue
        where[thing] = place
    return tuple(events)


def _truth(room: Room) -> dict[str, str]:
    where = dict(room.start)
    for event in room.events:
        if event[0] in ("move", "watch"):
            where[event[-2]] = event[-1]
    return where


def _news(room: Room) -> list[News]:
    everybody = frozenset(room.people)
    found = [News(thing, place, everybody) for thing, place in room.start]
    inside = everybody
    for event in room.events:
        match event:
            case ("leave", who):
                inside -= {who}
            case ("enter", who):
                inside |= {who}
            case ("move", _, thing, place):
                found.append(News(thing, place, inside))
            case ("watch", hidden, _, thing, place):
                found.append(News(thing, place, inside, hidden=hidden))
            case ("message", sender, reader, thing, place):
                found.append(News(thing, place, frozenset((sender, reader)), sender=sender))
    return found


def _lived(room: Room, chain: tuple[str, ...]) -> list[News]:
    """What the last of a chain learnt, as the one before sees it, and so on."""
    lived = _news(room)
    for who in chain:
        lived = [_as_seen(news, who) for news in lived if who in news.known or who == news.hidden]
    return lived


def _as_seen(news: News, who: str) -> News:
    """Nobody else is thought to know of secret watching; one does not believe what one sent."""
    return News(news.thing, news.place, news.known, believed=who != news.sender)


def _table(room: Room, longest: int) -> dict[Question, str]:
    """What every chain of people takes for the place of every thing."""
    chains = [
        chain
        for length in range(1, longest + 1)
        for chain in product(room.people, repeat=length)
        if all(one != other for one, other in pairwise(chain))
    ]
    beliefs = {(chain, thing): place for thing, place in room.start for chain in chains}
    away = set[str]()
    for kind, *rest in room.events:
        if kind == "leave":
            away.add(rest[0])
        elif kind == "enter":
            away.discard(rest[0])
        elif kind == "message":
            sender, reader, thing, place = rest
            for chain in chains:
                if chain != (sender,) and {sender, reader}.issuperset(chain):
                    beliefs[chain, thing] = place
        else:
            hidden = rest[0] if kind == "watch" else ""
            for chain in chains:
                seen = chain[1:] if chain[0] == hidden else chain
                if away.isdisjoint(seen):
                    beliefs[chain, rest[-2]] = rest[-1]
    return beliefs


def _rules(room: Room) -> Iterator[str]:
    kinds = {event[0] for event in room.events}
    yield (
        "Whoever is in the room sees everything that is done there and who else is there, but"
        " nobody can look into a closed container, and those outside see nothing."
        if "watch" not in kinds
        else "Whoever is in the room sees everything that is done there and who else is there, but"
        " nobody can look into a closed container, and of those outside only somebody who watches"
        " through the window sees anything: then it is as for those inside, but nobody else"
        " notices or suspects that this person is watching."
    )
    if "message" in kinds:
        yield (
            "A message is read at once, and only its sender and its reader know that there is one."
            " The reader believes what it says, and that the sender believes it, too. The sender"
            " knows that, but still believes what he or she believed before."
        )
    yield (
        "Everybody goes by the latest news about a thing, that is, by what was last seen or read,"
        " and never considers anything else. They think about others in the same way: A assumes"
        " that B goes by the latest news that A knows B to have."
    )


def _said(event: Event, style: Style) -> str:
    match event:
        case ("leave", who):
            return style.pick(f"{who} leaves the room.", f"{who} goes out.")
        case ("enter", who):
            return style.pick(f"{who} comes back in.", f"{who} returns to the room.")
        case ("move", who, thing, place):
            return style.pick(
                f"{who} moves the {thing} to the {place}.",
                f"{who} takes the {thing} and puts it into the {place}.",
                f"The {thing} is put into the {place} by {who}.",
            )
        case ("watch", hidden, who, thing, place):
            return (
                f"{who} moves the {thing} to the {place}, while {hidden} secretly watches through"
                " the window."
            )
        case ("message", sender, reader, thing, place):
            return f"{sender} sends {reader} a message: the {thing} is in the {place}."
    raise AssertionError(f"no event {event}")


def _asked(question: Question) -> str:
    (first, *others), thing = question
    inner = "".join(f" {name} thinks that" for name in others)
    if not inner:
        return f"Where does {first} think that the {thing} is?"
    return f"Where does {first} think that{inner} the {thing} is?"


LADDER = (
    Knobs(3, 1, 6, 1, 0.0, 3),
    Knobs(3, 1, 10, 2, 0.15, 3),
    Knobs(4, 2, 16, 2, 0.3, 4),
    Knobs(5, 2, 24, 3, 0.4, 4),
    Knobs(6, 3, 40, 4, 0.5, 5),
)
FAMILY = Family(
    Room,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Mapping(),
    hardness=hardness,
    proof="unique",
    solver="retelling the story from inside one another's heads",
    guess_rate=0.08,
    steps=steps,
    canon=canon,
    skills=("tracking", "theory of mind"),
    peers=("reasoning-core/belief_tracking",),
    version=2,
)
