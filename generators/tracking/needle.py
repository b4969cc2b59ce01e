"""Needle: many statements about many people; who fits a description that is worded otherwise?

The question names a kind ("a string instrument", "lives in Italy") where the statements name the
thing, people may be called by their job, and things are also denied, wished for or given up.
`solve` keeps for every thing the set of those who have it; `verify` hears person by person.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES

# ("job", name, job), ("has", who, topic, thing), ("stops", who, topic, thing), ("idle", who, topic,
# thing, way): does not have it; who is a name, or the job of a person
Statement: TypeAlias = tuple[Any, ...]
Wish: TypeAlias = tuple[str, str]  # a topic, and a thing of it or a kind of things

# For each topic its kinds of things, each as it is asked for, with its things.
TOPICS = {
    "instrument": {
        "a string instrument": ("the violin", "the cello", "the guitar", "the harp", "the banjo"),
        "a wind instrument": ("the flute", "the clarinet", "the trumpet", "the oboe", "the tuba"),
    },
    "town": {
        "Italy": ("Rome", "Milan", "Naples", "Venice", "Turin"),
        "France": ("Paris", "Lyon", "Marseille", "Nice", "Toulouse"),
        "Germany": ("Berlin", "Hamburg", "Munich", "Cologne", "Leipzig"),
        "Japan": ("Tokyo", "Osaka", "Kyoto", "Nagoya", "Sapporo"),
    },
    "pet": {
        "a bird": ("a parrot", "a canary", "a raven", "a falcon", "a parakeet"),
        "a reptile": ("a tortoise", "a lizard", "a python", "an iguana", "a gecko"),
        "a dog": ("a poodle", "a terrier", "a greyhound", "a dachshund", "a spaniel"),
    },
    "sport": {
        "a sport with a ball": ("tennis", "football", "basketball", "volleyball", "handball"),
        "a sport in or on the water": ("swimming", "rowing", "diving", "surfing", "water skiing"),
        "a martial art": ("judo", "karate", "jujitsu", "aikido", "taekwondo"),
    },
    "food": {
        "some fruit": ("bananas", "strawberries", "grapes", "mangoes", "peaches"),
        "some vegetable": ("broccoli", "spinach", "cabbage", "carrots", "leeks"),
        "some cheese": ("Gouda", "Camembert", "Cheddar", "Parmesan", "Roquefort"),
    },
    "language": {
        "a Romance language": ("Spanish", "Portuguese", "Romanian", "Catalan", "Italian"),
        "a Slavic language": ("Polish", "Russian", "Czech", "Slovak", "Bulgarian"),
    },
}  # fmt: skip
THINGS = {
    topic: [thing for things in kinds.values() for thing in things]
    for topic, kinds in TOPICS.items()
}
WORDS = {  # what one says of somebody who has it, and with "not"
    "instrument": ("plays {}", "play {}"),
    "town": ("lives in {}", "live in {}"),
    "pet": ("keeps {}", "keep {}"),
    "sport": ("goes in for {}", "go in for {}"),
    "food": ("likes {}", "like {}"),
    "language": ("speaks {}", "speak {}"),
}
JOBS = (
    "actor", "architect", "baker", "barber", "butcher", "carpenter", "chemist", "cook", "dentist",
    "doctor", "driver", "farmer", "fisher", "florist", "gardener", "hunter", "jeweller", "judge",
    "lawyer", "librarian", "mechanic", "miner", "nurse", "painter", "pilot", "plumber", "poet",
    "potter", "printer", "sailor", "singer", "surgeon", "tailor", "teacher", "waiter", "weaver",
)  # fmt: skip
MORE = (
    "Adele", "Alan", "Beth", "Boris", "Cecil", "Celia", "Derek", "Doris", "Edith", "Ernest",
    "Fiona", "Frank", "Gina", "Gregor", "Hanna", "Henry", "Ida", "Igor", "Jacob", "Judith",
    "Kevin", "Kira", "Laura", "Leon", "Marta", "Milo", "Nadia", "Nils", "Oscar", "Petra",
    "Quentin", "Ralph", "Rita", "Sofia", "Stefan", "Theo", "Ursula", "Vera", "Walter", "Zoe",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # whom the statements are about
    facts: int  # about each person
    wishes: int  # what the question asks for
    kinds: float  # share of wishes that name a kind, not a thing
    aliased: float  # share of statements that call somebody by the job
    idle: float  # share of statements about what somebody does not have


@dataclass(frozen=True, slots=True)
class Haystack:
    people: tuple[str, ...]
    statements: tuple[Statement, ...]
    wishes: tuple[Wish, ...]


def generate(rng: Random, knobs: Knobs) -> Haystack | None:
    people = tuple(sorted(rng.sample(NAMES + MORE, knobs.people)))
    jobs = dict(zip(people, rng.sample(JOBS, min(len(JOBS), knobs.people))))
    topics = rng.sample(sorted(TOPICS), min(len(TOPICS), knobs.wishes + 2))
    wishes = tuple(
        (topic, _wished(rng, knobs, topic)) for topic in rng.sample(topics, knobs.wishes)
    )
    wanted: dict[str, tuple[str, ...]] = {
        topic: TOPICS[topic].get(asked, (asked,)) for topic, asked in wishes
    }
    found = list[Statement]()
    for name in people:
        found += _about(rng, knobs, name, topics, wanted)
    rng.shuffle(found)
    statements = _in_order(found)
    used = set[str]()
    random, aliased = rng.random, knobs.aliased
    for place, (kind, name, *rest) in enumerate(statements):
        if name in jobs and random() < aliased:
            statements[place] = (kind, jobs[name], *rest)
            used.add(name)
    for name in people:
        if name in used or (name in jobs and random() < 0.3 * (aliased > 0)):
            statements.insert(rng.randint(0, len(statements)), ("job", name, jobs[name]))
    haystack = Haystack(people, tuple(statements), wishes)
    fitting = solve(haystack)
    return haystack if fitting is not None and 1 <= len(fitting) <= 3 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(haystack: Haystack) -> tuple[str, ...] | None:
    """Sets of people by thing; a kind is a union of them, the question an intersection."""
    names = {job: name for kind, name, job, *_ in haystack.statements if kind == "job"}
    having: dict[tuple[str, str], set[str]] = {}
    topics = {topic for topic, _ in haystack.wishes}
    for kind, who, *rest in haystack.statements:
        if kind in ("has", "stops") and rest[0] in topics:
            topic, thing = rest
            group = having.setdefault((topic, thing), set())
            (group.add if kind == "has" else group.discard)(str(names.get(who, who)))
    fitting = set(haystack.people)
    for topic, asked in haystack.wishes:
        things = TOPICS[topic].get(asked, (asked,))
        fitting &= set().union(*(having.get((topic, thing), set()) for thing in things))
    return tuple(sorted(name.lower() for name in fitting)) or None


def verify(haystack: Haystack, chosen: tuple[str, ...]) -> float:
    if not {name.lower() for name in haystack.people}.issuperset(chosen):
        return 0.0
    heard = _heard(haystack)
    return float(
        all(_fits(haystack, heard[name]) == (name.lower() in chosen) for name in haystack.people)
    )


def render(haystack: Haystack, style: Style) -> Prompt:
    told = " ".join(
        _said(statement, number)
        for number, statement in enumerate(haystack.statements, style.phrasing)
    )
    who = " and ".join(WORDS[topic][0].format(asked) for topic, asked in haystack.wishes)
    note = (
        "Later statements may overrule earlier ones; what is not said about a person is not true."
    )
    return Prompt(
        style.pick(
            f"{told}\n\n{note} Who {who}?",
            f"We are looking for somebody who {who}. There may be several such people; find all of"
            f" them in the following text.\n\n{told}\n\n{note}",
            f"Read this and remember who is who.\n\n{told}\n\n{note} Name everybody who {who}.",
        ),
        form="the names of all such people (at least one), separated by commas",
    )


def steps(haystack: Haystack) -> list[str]:
    names = {job: name for kind, name, job, *_ in haystack.statements if kind == "job"}
    lines = []
    for topic, asked in haystack.wishes:
        things = TOPICS[topic].get(asked, (asked,))
        for statement in haystack.statements:
            kind, who, *rest = statement
            if kind in ("has", "stops") and rest[0] == topic and rest[1] in things:
                named = f" (that is {names[who]})" if who in names else ""
                lines.append(f"{_said(statement)}{named}")
    heard = _heard(haystack)
    fitting = [name for name in haystack.people if _fits(haystack, heard[name])]
    return [*lines, f"all of it is true of {' and '.join(fitting)}"]


def canon(haystack: Haystack) -> list[str]:
    facts: list[Any] = [statement for statement in haystack.statements if statement[0] != "idle"]
    facts += [("wish", *wish) for wish in haystack.wishes]
    return unnamed(facts, [*haystack.people, *JOBS])


def hardness(haystack: Haystack) -> float:
    """Statements, one about somebody called by the job counting double, for each wish."""
    aliased = sum(statement[1] not in haystack.people for statement in haystack.statements)
    return (len(haystack.statements) + aliased) * (1 + len(haystack.wishes)) / 2


def _wished(rng: Random, knobs: Knobs, topic: str) -> str:
    kind = rng.choice(sorted(TOPICS[topic]))
    return kind if rng.random() < knobs.kinds else rng.choice(TOPICS[topic][kind])


def _about(
    rng: Random, knobs: Knobs, name: str, topics: list[str], wanted: dict[str, tuple[str, ...]]
) -> Iterator[Statement]:
    """What is said of somebody, who is likely to fulfil some of the wishes, and unlikely all."""
    for topic in rng.sample(topics, min(knobs.facts, len(topics))):
        near, anything = wanted.get(topic, ()), THINGS[topic]
        thing = rng.choice(near) if near and rng.random() < 0.45 else rng.choice(anything)
        if rng.random() < knobs.idle:
            yield "idle", name, topic, thing, rng.randrange(len(IDLE))
            if rng.random() < 0.5:
                others = [other for other in anything if other not in (thing, *near)]
                yield "has", name, topic, rng.choice(others)
        else:
            yield "has", name, topic, thing
            if rng.random() < knobs.idle / 2:
                yield "stops", name, topic, thing
                if rng.random() < 0.5:
                    yield "has", name, topic, rng.choice([it for it in anything if it != thing])


def _in_order(statements: list[Statement]) -> list[Statement]:
    """Of each person and topic: first what was, then how it ended, then what is new."""
    found = list(statements)
    ended = {each[1:3]: each[3] for each in statements if each[0] == "stops"}
    places: dict[tuple[str, str], list[int]] = {}
    for place, each in enumerate(statements):
        if each[1:3] in ended:
            places.setdefault(each[1:3], []).append(place)
    for who, where in places.items():
        about = [statements[place] for place in where]
        about.sort(key=lambda each: (each[0] == "stops") + 2 * (each[3] != ended[who]))
        for place, each in zip(where, about):
            found[place] = each
    return found


def _heard(haystack: Haystack) -> dict[str, list[Wish]]:
    """What everybody has, topic by thing, when all has been said."""
    heard: dict[str, list[Wish]] = {name: [] for name in haystack.people}
    called = heard | {each[2]: heard[each[1]] for each in haystack.statements if each[0] == "job"}
    for kind, who, *rest in haystack.statements:
        having = called.get(who, [])
        if kind == "has":
            having.append((rest[0], rest[1]))
        elif kind == "stops":
            having[:] = [each for each in having if each != (rest[0], rest[1])]
    return heard


def _fits(haystack: Haystack, having: list[Wish]) -> bool:
    """Whether somebody has all that is asked for."""
    for topic, asked in haystack.wishes:
        if asked in TOPICS[topic]:
            if not any(area == topic and thing in TOPICS[topic][asked] for area, thing in having):
                return False
        elif (topic, asked) not in having:
            return False
    return True


def _said(statement: Statement, phrasing: int = 0) -> str:
    kind, who, *rest = statement
    if kind == "job":
        return JOB[phrasing % len(JOB)].format(job=rest[0], who=who)
    topic, thing, *way = rest
    ways = IDLE[way[0] : way[0] + 1] if way else HAS if kind == "has" else STOPS
    does, do = _doing(topic, thing)
    named = who if who[0].isupper() else f"the {who}"
    text = ways[phrasing % len(ways)].format(who=named, does=does, do=do)
    return f"{text[0].upper()}{text[1:]}."


@lru_cache(maxsize=1024)  # things
def _doing(topic: str, thing: str) -> tuple[str, str]:
    does, do = WORDS[topic]
    return does.format(thing), do.format(thing)


JOB = ("{who} is the {job}.", "The {job} is called {who}.")
HAS = ("{who} {does}", "{who}, by the way, {does}", "as is well known, {who} {does}")
STOPS = ("{who} no longer {does}", "{who} does not {do} any more")
IDLE = (
    "{who} does not {do}",
    "{who} would love to {do} some day, but does not yet",
    "{who} used to {do}, but that was long ago",
    "{who} is wrongly believed to {do}",
)
LADDER = (
    Knobs(8, 2, 1, 0.0, 0.0, 0.1),
    Knobs(12, 3, 2, 0.5, 0.2, 0.2),
    Knobs(20, 4, 2, 0.7, 0.4, 0.25),
    Knobs(32, 5, 3, 0.9, 0.6, 0.3),
    Knobs(55, 6, 4, 1.0, 0.8, 0.35),
)
FAMILY = Family(
    Haystack,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(),
    hardness=hardness,
    proof="unique",
    solver="sets of people by thing",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    known=lambda haystack: haystack.people,
    skills=("tracking", "search"),
    peers=("reasoning-gym/needle_haystack",),
    version=3,
)
