"""Possessions: people buy, lose, give and swap things; how many of a kind do some of them have?

Much of the story is about other things, other people, or never comes to pass. `solve` keeps a
ledger from the beginning on; `verify` asks for each amount what it was one event before.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES

# ("start", who, kind, many), ("buy", who, kind, many), ("lose", who, kind, many), ("give", who,
# whom, kind, many), ("trade", who, many, kind, whom, many, kind), ("all", who, whom, kind),
# ("half", who, whom, kind), ("double", who, kind), ("match", who, kind, whom, other): buys as many
# as the other has of something; ("idle", who, kind, many, which way): comes to nothing
Event: TypeAlias = tuple[Any, ...]

CATEGORIES = {
    "fruits": (
        ("apple", "apples"), ("pear", "pears"), ("plum", "plums"), ("banana", "bananas"),
        ("lemon", "lemons"), ("peach", "peaches"), ("cherry", "cherries"), ("mango", "mangoes"),
    ),
    "vegetables": (
        ("carrot", "carrots"), ("onion", "onions"), ("cabbage", "cabbages"), ("leek", "leeks"),
        ("potato", "potatoes"), ("turnip", "turnips"), ("radish", "radishes"),
    ),
    "musical instruments": (
        ("violin", "violins"), ("flute", "flutes"), ("guitar", "guitars"), ("drum", "drums"),
        ("trumpet", "trumpets"), ("harp", "harps"), ("cello", "cellos"), ("piano", "pianos"),
    ),
    "animals": (
        ("cat", "cats"), ("goat", "goats"), ("rabbit", "rabbits"), ("goose", "geese"),
        ("horse", "horses"), ("sheep", "sheep"), ("parrot", "parrots"), ("duck", "ducks"),
    ),
    "tools": (
        ("hammer", "hammers"), ("saw", "saws"), ("drill", "drills"), ("spanner", "spanners"),
        ("screwdriver", "screwdrivers"), ("chisel", "chisels"),
    ),
    "pieces of furniture": (
        ("chair", "chairs"), ("table", "tables"), ("wardrobe", "wardrobes"), ("sofa", "sofas"),
        ("bed", "beds"), ("bookcase", "bookcases"),
    ),
    "vehicles": (
        ("car", "cars"), ("lorry", "lorries"), ("bus", "buses"), ("tractor", "tractors"),
        ("motorcycle", "motorcycles"), ("van", "vans"),
    ),
    "pieces of clothing": (
        ("shirt", "shirts"), ("skirt", "skirts"), ("jacket", "jackets"), ("coat", "coats"),
        ("sweater", "sweaters"), ("blouse", "blouses"),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # of the story
    kinds: int  # of things, for each of which some people have some at the beginning
    events: int  # after what everybody has at the beginning
    idle: float  # share of events that come to nothing
    indirect: float  # share of events whose amounts have to be worked out


@dataclass(frozen=True, slots=True)
class Story:
    people: tuple[str, ...]
    events: tuple[Event, ...]
    asked: tuple[str, ...]  # whose things are counted
    category: str


def generate(rng: Random, knobs: Knobs) -> Story | None:
    people = tuple(rng.sample(NAMES, knobs.people))
    category, *others = rng.sample(sorted(CATEGORIES), min(len(CATEGORIES), 2 + knobs.kinds // 4))
    wanted = rng.sample(KINDS[category], min(len(KINDS[category]), max(2, knobs.kinds // 2)))
    rest = sorted(kind for other in others for kind in KINDS[other])
    kinds = wanted + rng.sample(rest, max(1, min(len(rest), knobs.kinds - len(wanted))))
    events = list[Event]()
    owned: Counter[tuple[str, str]] = Counter()
    for kind in kinds:
        for who in rng.sample(people, rng.randint(1, min(len(people), 3))):
            owned[who, kind] = rng.randint(2, 19)
            events.append(("start", who, kind, owned[who, kind]))
    rng.shuffle(events)
    whole = len(events) + knobs.events
    for _ in range(30 * knobs.events):
        event = _event(rng, knobs, people, kinds, owned)
        if event is not None:
            _apply(owned, event)
            events.append(event)
        if len(events) == whole:
            break
    else:
        return None
    asked = tuple(sorted(rng.sample(people, rng.randint(1, max(1, len(people) - 1)))))
    story = Story(people, tuple(events), asked, category)
    touched = sum(
        part in wanted for event in events if event[0] not in ("start", "idle") for part in event
    )
    return story if touched > knobs.events // 4 and max(owned.values()) < 1000 else None


def solve(story: Story) -> int:
    owned: Counter[tuple[str, str]] = Counter()
    for event in story.events:
        _apply(owned, event)
    counted = KINDS[story.category]
    return sum(
        many for (who, kind), many in owned.items() if who in story.asked and kind in counted
    )


def verify(story: Story, answer: int) -> float:
    """Backwards, one amount at a time."""

    touching: dict[tuple[str, str], list[int]] = {}  # by person and kind, events with both
    for number, event in enumerate(story.events):
        people = {part for part in event if part in story.people}
        kinds = {part for part in event[1:] if part in PLURALS}
        for pair in product(people, kinds):
            touching.setdefault(pair, []).append(number)

    @cache
    def amount(who: str, kind: str, time: int) -> int:
        had = 0
        for number in touching.get((who, kind), ()):
            if number >= time:
                break
            had += change(who, kind, number, had)
        return had

    def change(who: str, kind: str, number: int, had: int) -> int:
        match story.events[number]:
            case ("start" | "buy", owner, what, many):
                return int(many)
            case ("lose", owner, what, many):
                return -int(many)
            case ("give", giver, taker, what, many):
                return int(many) * (int(taker == who) - int(giver == who))
            case ("trade", one, gone, left, other, come, right):
                side = int(other == who) - int(one == who)
                return side * (int(gone) * int(left == kind) - int(come) * int(right == kind))
            case ("all" | "half" as share, giver, taker, what):
                passed = amount(giver, kind, number) // (1 if share == "all" else 2)
                return passed * (int(taker == who) - int(giver == who))
            case ("double", owner, what):
                return had
            case ("match", owner, what, other, model) if (owner, what) == (who, kind):
                return amount(other, model, number)
        return 0

    total = 0
    for kind in KINDS[story.category]:
        for who in story.asked:
            total += amount(who, kind, len(story.events))
    return float(answer == total)


def render(story: Story, style: Style) -> Prompt:
    told = " ".join(_told(story, style))
    *most, last = story.asked
    whose = f"{', '.join(most)} and {last}" if most else last
    has, together = ("have", " together") if most else ("has", "")
    do = "do" if most else "does"
    return Prompt(
        style.pick(
            f"{told}\n\nHow many {story.category} {do} {whose} have{together} in the end?",
            f"Count the {story.category} that {whose} {has}{together} when this story is over."
            f"\n\n{told}",
            f"Things change hands, one event after the other.\n\n{told}\n\nAfter all of that, what"
            f" is the number of {story.category} that {whose} {has}{together}?",
        ),
        form="one integer",
    )


def steps(story: Story) -> list[str]:
    owned: Counter[tuple[str, str]] = Counter()
    counted = KINDS[story.category]
    lines = []
    for event in story.events:
        before = Counter(owned)
        _apply(owned, event)
        for who, kind in owned:
            if owned[who, kind] != before[who, kind] and kind in counted:
                lines.append(f"{who} now has {_many(owned[who, kind], kind)}")
    parts = [
        str(many) for (who, kind), many in owned.items() if who in story.asked and kind in counted
    ]
    return [*lines, f"in all {' + '.join(parts) or '0'} = {solve(story)}"]


def progress(story: Story, lines: Lines) -> float:
    return states_followed(FAMILY, story, lines)


def canon(story: Story) -> list[str]:
    start = [event for event in story.events if event[0] == "start"]
    facts: list[Any] = [tuple(map(str, event)) for event in start]
    later = [event for event in story.events if event[0] not in ("start", "idle")]
    facts += [(str(number), *map(str, event)) for number, event in enumerate(later)]
    facts += [("asked", who) for who in story.asked]
    facts += [("counted", kind) for kind in KINDS[story.category]]
    return unnamed(facts, [*story.people, *sorted(PLURALS)])


def hardness(story: Story) -> float:
    """How much is told, indirect amounts counting for three."""
    return float(sum(3 if event[0] in INDIRECT else 1 for event in story.events))


def _event(
    rng: Random,
    knobs: Knobs,
    people: tuple[str, ...],
    kinds: list[str],
    owned: Counter[tuple[str, str]],
) -> Event | None:
    who, whom = rng.sample(people, 2)
    have = [kind for kind in kinds if owned[who, kind] > 0]
    theirs = [kind for kind in kinds if owned[whom, kind] > 0]
    if rng.random() < knobs.idle:
        return "idle", who, rng.choice(kinds), rng.randint(2, 12), rng.randrange(len(IDLE))
    if not have or not theirs:
        return None
    kind, other = rng.choice(have), rng.choice(theirs)
    some = rng.randint(1, owned[who, kind])
    if rng.random() < knobs.indirect:
        match rng.choice(INDIRECT):
            case "half" if owned[who, kind] % 2 == 0:
                return "half", who, whom, kind
            case "double" if owned[who, kind] < 20:
                return "double", who, kind
            case "match" if owned[whom, other] < 30:
                return "match", who, rng.choice(kinds), whom, other
            case "all":
                return "all", who, whom, kind
        return None
    match rng.choice(("buy", "lose", "give", "give", "trade")):
        case "buy":
            return "buy", who, rng.choice(kinds), rng.randint(1, 12)
        case "lose":
            return "lose", who, kind, some
        case "give":
            return "give", who, whom, kind, some
    if other == kind:
        return None
    return "trade", who, some, kind, whom, rng.randint(1, owned[whom, other]), other


def _apply(owned: Counter[tuple[str, str]], event: Event) -> None:
    match event:
        case ("start" | "buy", who, kind, many):
            owned[who, kind] += many
        case ("lose", who, kind, many):
            owned[who, kind] -= many
        case ("give", who, whom, kind, many):
            owned[who, kind] -= many
            owned[whom, kind] += many
        case ("trade", who, many, kind, whom, back, other):
            _apply(owned, ("give", who, whom, kind, many))
            _apply(owned, ("give", whom, who, other, back))
        case ("all", who, whom, kind):
            _apply(owned, ("give", who, whom, kind, owned[who, kind]))
        case ("half", who, whom, kind):
            _apply(owned, ("give", who, whom, kind, owned[who, kind] // 2))
        case ("double", who, kind):
            owned[who, kind] *= 2
        case ("match", who, kind, whom, other):
            owned[who, kind] += owned[whom, other]


def _many(many: int, kind: str) -> str:
    return f"{many} {PLURALS[kind] if many != 1 else kind}"


def _told(story: Story, style: Style) -> Iterator[str]:
    lead = style.pick("At first,", "To begin with,", "At the beginning,")
    start = [event for event in story.events if event[0] == "start"]
    for who in story.people:
        has = [_many(many, kind) for _, owner, kind, many in start if owner == who]
        if not has:
            yield f"{lead} {who} has nothing."
        elif len(has) == 1:
            yield f"{lead} {who} has {has[0]}."
        else:
            yield f"{lead} {who} has {', '.join(has[:-1])} and {has[-1]}."
    for number, event in enumerate(story.events):
        if event[0] != "start":
            yield _said(event, Style(style.phrasing + number))


def _said(event: Event, style: Style) -> str:
    match event:
        case ("buy", who, kind, many):
            return style.pick(
                f"{who} buys {_many(many, kind)}.",
                f"{who} is sent {_many(many, kind)} as a present by an aunt.",
                f"From a shop {who} gets {_many(many, kind)}.",
            )
        case ("lose", who, kind, many):
            return style.pick(
                f"{who} sells {_many(many, kind)} to a stranger.",
                f"{_many(many, kind)} of {who}'s {'is' if many == 1 else 'are'} stolen.",
                f"{who} loses {_many(many, kind)} for good.",
            )
        case ("give", who, whom, kind, many):
            return style.pick(
                f"{who} gives {_many(many, kind)} to {whom}.",
                f"{whom} gets {_many(many, kind)} from {who}.",
            )
        case ("trade", who, many, kind, whom, back, other):
            return f"{who} trades {_many(many, kind)} for {_many(back, other)} of {whom}'s."
        case ("all", who, whom, kind):
            return style.pick(
                f"{who} gives every {kind} that is left to {whom}.",
                f"All of {who}'s {PLURALS[kind]} go to {whom}.",
            )
        case ("half", who, whom, kind):
            return f"{who} gives {whom} half of the {PLURALS[kind]} that {who} has."
        case ("double", who, kind):
            return f"{who} buys as many {PLURALS[kind]} again as {who} already has."
        case ("match", who, kind, whom, other):
            return f"{who} buys as many {PLURALS[kind]} as {whom} has {PLURALS[other]} just now."
        case ("idle", who, kind, many, way):
            return IDLE[way].format(who=who, some=_many(many, kind), kinds=PLURALS[kind])
    raise AssertionError(f"no event {event}")


IDLE = (
    "{who} would like to have {some}, but buys none.",
    "{who} admires {some} in a shop window and walks on.",
    "{who} is about to sell {some} and then decides not to.",
    "{who} borrows {some} from a neighbour and takes all of them back the same day.",
    "{who} remembers having had {some} as a child.",
    "{who} dreams of {some}.",
    "{who} counts the {kinds} in a picture book: it shows {some}.",
)
INDIRECT = ("all", "half", "double", "match")
PLURALS = {one: more for kinds in CATEGORIES.values() for one, more in kinds}
KINDS = {category: [one for one, _ in kinds] for category, kinds in CATEGORIES.items()}
LADDER = (
    Knobs(2, 4, 4, 0.1, 0.0),
    Knobs(3, 6, 10, 0.2, 0.15),
    Knobs(4, 9, 25, 0.25, 0.3),
    Knobs(5, 12, 60, 0.3, 0.4),
    Knobs(7, 14, 120, 0.3, 0.5),
)
FAMILY = Family(
    Story,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="a ledger",
    guess_rate=0.08,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("tracking", "counting"),
    peers=("SynLogic/object_counting", "InternBootcamp/bbeh_object_counting"),
)
