"""Sentence order: the sentences of a short story were mixed up; put them back.

A sentence says what somebody did or how things stood, and makes sense only where what came before
allows it: one can pick up only what lies in one's room. `generate` tells a story and searches, set
by set of told sentences, for a second order that makes sense; `solve` proves by SAT that there is
none; `verify` plays the story.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import log2
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _sat
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES

# ("went", who, from, to), ("came", who, to), ("together", who, who, to), ("took", who, thing),
# ("put", who, thing), ("gave", who, to whom, thing), ("talked", who, who, room), ("alone", who,
# room), ("opened", who, chest), ("shut", who, chest), ("stowed", who, thing, chest),
# ("fetched", who, thing, chest).
Event: TypeAlias = tuple[str, ...]
# Where everything is: a person's room; a thing's room, holder or chest; a chest is open or shut.
State: TypeAlias = dict[str, str]
Node: TypeAlias = tuple[int, int]  # sentences that are done, as bits, and the number of the state
Moves = dict[int, list[tuple[int, int]]]  # from a state: sentences (as bits), and states after them

ROOMS = ("kitchen", "hall", "cellar", "attic", "garden", "library", "workshop", "stable")
THINGS = ("lamp", "rope", "map", "violin", "clock", "kettle", "basket", "telescope")
CHESTS = ("trunk", "wardrobe", "cupboard")
WEIGHTS = {"went": 3, "came": 3, "together": 2, "took": 5, "put": 5, "gave": 5, "talked": 2,
           "alone": 2, "opened": 4, "shut": 3, "stowed": 6, "fetched": 6}  # fmt: skip
SYMMETRIC = ("together", "talked")
TRIES = 6  # events tried for each that is wanted
PATIENCE = 4  # failures after which the last events are taken back
NODES = 5_000  # sets of sentences looked at before a story is given up


@dataclass(frozen=True, slots=True)
class Knobs:
    sentences: int  # of the story
    people: int  # in the story
    things: int  # that can be picked up
    rooms: int  # in the story
    chests: int  # in which things may lie


@dataclass(frozen=True, slots=True)
class Story:
    people: tuple[str, ...]
    rooms: tuple[str, ...]
    things: tuple[str, ...]
    chests: tuple[str, ...]
    start: tuple[str, ...]  # rooms of the people, then rooms or chests of the things
    stands: tuple[str, ...]  # rooms of the chests
    sentences: tuple[Event, ...]  # as they are shown


def generate(rng: Random, knobs: Knobs) -> Story | None:
    people = rng.sample(NAMES, knobs.people)
    rooms = rng.sample(ROOMS, knobs.rooms)
    things = rng.sample(THINGS, knobs.things)
    chests = rng.sample(CHESTS, knobs.chests)
    start = [rng.choice(rooms) for _ in people]
    start += [rng.choice([*rooms, *chests]) for _ in things]
    story = Story(tuple(people), tuple(rooms), tuple(things), tuple(chests), tuple(start),
                  tuple(rng.choice(rooms) for _ in chests), ())  # fmt: skip
    told = _told(rng, story, knobs.sentences)
    return None if told is None else _with(story, rng.sample(told, len(told)))


def solve(story: Story) -> tuple[int, ...] | None:
    """SAT: which sentence is told when, and where everything is before and after it."""
    many = len(story.sentences)
    circuit = _sat.Circuit()
    told = [[circuit.variable(("told", number, time)) for time in range(many)]
            for number in range(many)]  # fmt: skip
    for line in [*told, *zip(*told)]:
        circuit.clauses += _sat.exactly_one(line)
    holds = _worlds(circuit, story, many + 1)
    meanings = [_meaning(story, event) for event in story.sentences]
    bringing = {
        (entity, place): [now for now, meaning in zip(told, meanings, strict=True)
                          if meaning.may_bring(entity, place)]
        for entity, worlds in holds.items() for place in worlds[0]
    }  # fmt: skip
    for time in range(many):
        for number, meaning in enumerate(meanings):
            circuit.clauses += _happens(story, holds, meaning, told[number][time], time)
        for entity, worlds in holds.items():
            for place, after in worlds[time + 1].items():
                brought = [now[time] for now in bringing[entity, place]]
                circuit.clauses.append([-after, worlds[time][place], *brought])
    true = _sat.only_model(circuit.clauses, [variable for line in told for variable in line])
    if true is None:
        return None
    return tuple(
        next(number + 1 for number in range(many) if told[number][time] in true)
        for time in range(many)
    )


def verify(story: Story, order: tuple[int, ...]) -> float:
    if sorted(order) != list(range(1, len(story.sentences) + 1)):
        return 0.0
    state: State | None = _first(story)
    for number in order:
        state = _after(story, state, story.sentences[number - 1])
        if state is None:
            return 0.0
    return 1.0


def render(story: Story, style: Style) -> Prompt:
    lines = "\n".join(
        f"{number}. {_sentence(event, style)}" for number, event in enumerate(story.sentences, 1)
    )
    start, rules = _start(story), _rules(story)
    many = len(story.sentences)
    question = style.pick(
        f"The sentences of a short story were mixed up:\n\n{lines}\n\nHow it all began: {start}\n\n"
        f"{rules}\n\nOnly one order of the sentences makes sense from beginning to end. Which one?",
        f"{start}\n\nWhat happened then was told in {many} sentences, one event after another, but"
        f" they were shuffled:\n\n{lines}\n\n{rules}\n\nFind the only order in which all of this"
        " can have happened.",
        f"Put these {many} sentences back into the order of the story.\n\n{lines}\n\nBefore the"
        f" first of them: {start}\n\n{rules}\n\nThere is exactly one order in which every sentence"
        " is possible at its point in the story.",
    )
    return Prompt(
        question,
        form=f"the numbers 1 to {many}, each once, in the order in which the sentences belong,"
        " separated by spaces",
    )


def steps(story: Story) -> list[str]:
    order = solve(story)
    state: State | None = _first(story)
    left, lines = set(range(1, len(story.sentences) + 1)), []
    for number in order or ():
        assert state is not None, "the order makes sense"
        could = [each for each in sorted(left) if _after(story, state, story.sentences[each - 1])]
        said = " or ".join(map(str, could))
        lines.append(
            f"possible now: {said}"
            + (f"; only {number} leads to an end" if len(could) > 1 else "")
            + f": {_sentence(story.sentences[number - 1], Style())}"
        )
        state = _after(story, state, story.sentences[number - 1])
        left.remove(number)
    return [*lines, f"order: {' '.join(map(str, order or ()))}"]


def canon(story: Story) -> list[str]:
    """Names, and the order in which the sentences are shown, do not matter."""
    facts: list[Event] = [*story.sentences]
    facts += [("at first", *pair) for pair in zip((*story.people, *story.things), story.start)]
    facts += [("stands", *pair) for pair in zip(story.chests, story.stands)]
    names = (*story.people, *story.rooms, *story.things, *story.chests)
    return unnamed(facts, names, SYMMETRIC)


def hardness(story: Story) -> float:
    """Sentences, and how far a search without foresight may stray."""
    play = _Play(story)
    reached = _spread(play, story.sentences, {(0, play.first)}, NODES, {})
    assert reached, "no end was given"
    return len(story.sentences) * (1 + log2(len(reached)))


def _told(rng: Random, story: Story, many: int) -> list[Event] | None:
    """A story of which each beginning has one order only; events that spoil that are let go."""
    play = _Play(story)
    told: list[Event] = []
    states, reached = [play.first], [{(0, play.first)}]
    fitting, moves, failed = list[Event](), Moves(), 0
    for _ in range(TRIES * many):
        if len(told) == many:
            return told
        fitting = fitting or _fitting(play, told, states)
        event = _next(rng, fitting)
        fits = event and not _slips_in(play, told, states, event)
        more = _reached_with(play, told, reached, event, moves) if event and fits else None
        if event and more is not None:
            after = play.after(states[-1], event)
            assert after is not None, "the event is possible"
            told.append(event)
            states.append(after)
            reached.append(more | {((1 << len(told)) - 1, after)})
            fitting, moves = [], {}
            continue
        failed += 1
        if failed % PATIENCE == 0 or event is None:
            back = min(2, len(told))
            for each in (told, states, reached):
                del each[len(each) - back :]
            fitting, moves = [], {}
    return None


def _fitting(play: "_Play", told: list[Event], states: list[int]) -> list[Event]:
    """The new events that could not as well have come before the last."""
    return [
        event
        for event, after in play.possible(states[-1])
        if event not in told and not (told and _commute(play, states[-2], told[-1], event, after))
    ]


def _next(rng: Random, fitting: list[Event]) -> Event | None:
    kinds = sorted({event[0] for event in fitting})
    if not kinds:
        return None
    kind = rng.choices(kinds, [WEIGHTS[kind] for kind in kinds])[0]
    return rng.choice([event for event in fitting if event[0] == kind])


def _slips_in(play: "_Play", told: list[Event], states: list[int], event: Event) -> bool:
    """Whether all can be told with an event at an earlier place, the rest in its order. This is
    most of the other orders that there are."""
    for at in reversed(range(len(told))):
        state = play.after(states[at], event)
        for later in told[at:]:
            if state is None:
                break
            state = play.after(state, later)
        if state is not None:
            return True
    return False


def _reached_with(
    play: "_Play", told: list[Event], reached: list[set[Node]], event: Event, moves: Moves
) -> set[Node] | None:
    """What is reached when an event comes before the end of what is told; None where all can then
    be told, so that there is another order, or where there is too much to search.

    `reached` has what is reached without it, by the last sentence of the story that is done.
    """
    bit, whole = 1 << len(told), (1 << len(told)) - 1
    known = play.nexts[event]
    starts = {
        (done | bit, after)
        for each in reached
        for done, state in each
        if done != whole
        and (after := known[state] if state in known else play.after(state, event)) is not None
    }
    most = NODES - sum(map(len, reached))
    more = _spread(play, told, starts, most, moves, whole | bit)
    return more if more is not None and len(more) < most else None


def _commute(play: "_Play", before: int, last: Event, event: Event, after: int) -> bool:
    """Whether an event could as well have come before the last one."""
    early = play.after(before, event)
    return early is not None and play.after(early, last) == after


def _imaginable(story: Story) -> Iterator[Event]:
    for who in story.people:
        for room in story.rooms:
            yield "came", who, room
            yield from (("went", who, left, room) for left in story.rooms if left != room)
            if len(story.people) > 1:
                yield "alone", who, room
        for thing in story.things:
            yield "took", who, thing
            yield "put", who, thing
            for chest in story.chests:
                yield "stowed", who, thing, chest
                yield "fetched", who, thing, chest
        for chest in story.chests:
            yield "opened", who, chest
            yield "shut", who, chest
    for one, other in permutations(story.people, 2):
        yield from (("gave", one, other, thing) for thing in story.things)
        if one < other:
            for room in story.rooms:
                yield "together", one, other, room
                yield "talked", one, other, room


def _first(story: Story) -> State:
    state = dict(zip((*story.people, *story.things), story.start))
    return state | dict.fromkeys(story.chests, "shut")


def _after(story: Story, state: State | None, event: Event) -> State | None:
    """Where everything is after an event, or None where it cannot happen."""
    if state is None:
        return None
    kind, who, *rest = event
    here = state[who]
    change: State | None = None
    match kind:
        case "went":
            left, room = rest
            if here == left:
                change = {who: room}
        case "came":
            (room,) = rest
            if here != room:
                change = {who: room}
        case "together":
            other, room = rest
            if here == state[other] != room:
                change = {who: room, other: room}
        case "took":
            (thing,) = rest
            if state[thing] == here and not _holds(story, state, who):
                change = {thing: who}
        case "put":
            (thing,) = rest
            if state[thing] == who:
                change = {thing: here}
        case "gave":
            other, thing = rest
            if state[thing] == who and state[other] == here and not _holds(story, state, other):
                change = {thing: other}
        case "talked":
            other, room = rest
            if here == state[other] == room:
                change = {}
        case "alone":
            (room,) = rest
            if here == room and [state[each] for each in story.people].count(room) == 1:
                change = {}
        case "opened" | "shut":
            (chest,) = rest
            if here == _room(story, chest) and (state[chest] == "shut") == (kind == "opened"):
                change = {chest: "open" if kind == "opened" else "shut"}
        case "stowed":
            thing, chest = rest
            if state[thing] == who and state[chest] == "open" and here == _room(story, chest):
                change = {thing: chest}
        case "fetched":
            thing, chest = rest
            if state[thing] == chest and state[chest] == "open" and here == _room(story, chest):
                change = None if _holds(story, state, who) else {thing: who}
    return None if change is None else state | change


def _holds(story: Story, state: State, who: str) -> bool:
    return who in [state[thing] for thing in story.things]


class _Play:
    """What can happen when, remembered: states by number, and what each event makes of them."""

    first = 0

    def __init__(self, story: Story):
        self.story = story
        self.numbers: dict[tuple[str, ...], int] = {}
        self.states: list[State] = []
        self.nexts = defaultdict[Event, dict[int, int | None]](dict)
        self.possibles: dict[int, list[tuple[Event, int]]] = {}
        self._number(_first(story))

    def after(self, state: int, event: Event) -> int | None:
        known = self.nexts[event]
        if state not in known:
            after = _after(self.story, self.states[state], event)
            known[state] = None if after is None else self._number(after)
        return known[state]

    def possible(self, state: int) -> list[tuple[Event, int]]:
        if state not in self.possibles:
            now = self.states[state].items()
            afters = ((event, self.after(state, event)) for event, needs in self.imaginable
                      if needs is None or needs in now)  # fmt: skip
            self.possibles[state] = [(event, after) for event, after in afters if after is not None]
        return self.possibles[state]

    @cached_property
    def imaginable(self) -> list[tuple[Event, tuple[str, str] | None]]:
        """All events, each with something that must be so, if there is."""
        return [(event, next(iter(_meaning(self.story, event).is_so), None))
                for event in _imaginable(self.story)]  # fmt: skip

    def _number(self, state: State) -> int:
        number = self.numbers.setdefault(tuple(state.values()), len(self.states))
        if number == len(self.states):
            self.states.append(state)
        return number


def _spread(
    play: _Play, told: Sequence[Event], starts: set[Node], most: int, moves: Moves, end: int = -1
) -> set[Node] | None:
    """All that is reached from some nodes, and they themselves; no more is searched once there are
    so many. None where an end is met."""
    found, waiting = set(starts), sorted(starts)  # first those with least left to do
    events = [(1 << number, event, play.nexts[event]) for number, event in enumerate(told)]
    while waiting and len(found) < most:
        done, state = waiting.pop()
        if state not in moves:
            afters = [
                (bit, known[state] if state in known else play.after(state, event))
                for bit, event, known in events
            ]
            moves[state] = [(bit, after) for bit, after in afters if after is not None]
        for bit, after in moves[state]:
            if done & bit:
                continue
            node = done | bit, after
            if node not in found:
                if node[0] == end:
                    return None
                found.add(node)
                waiting.append(node)
    return found


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What an event asks for and changes, without saying where anybody is."""

    is_so: tuple[tuple[str, str], ...] = ()  # entity, place
    is_not_so: tuple[tuple[str, str], ...] = ()
    same_room: tuple[str, ...] = ()  # two entities
    becomes: tuple[tuple[str, str], ...] = ()
    falls: tuple[str, ...] = ()  # a thing comes into the room of a person

    def may_bring(self, entity: str, place: str) -> bool:
        return (entity, place) in self.becomes or entity in self.falls[:1]


def _meaning(story: Story, event: Event) -> _Meaning:
    match event:
        case ("went", who, left, room):
            return _Meaning(((who, left),), becomes=((who, room),))
        case ("came", who, room):
            return _Meaning((), ((who, room),), becomes=((who, room),))
        case ("together", who, other, room):
            moves = ((who, room), (other, room))
            return _Meaning((), moves, (who, other), moves)
        case ("took", who, thing):
            return _Meaning((), _free(story, who), (who, thing), ((thing, who),))
        case ("put", who, thing):
            return _Meaning(((thing, who),), falls=(thing, who))
        case ("gave", who, other, thing):
            return _Meaning(((thing, who),), _free(story, other), (who, other), ((thing, other),))
        case ("talked", who, other, room):
            return _Meaning(((who, room), (other, room)))
        case ("alone", who, room):
            others = tuple((other, room) for other in story.people if other != who)
            return _Meaning(((who, room),), others)
        case ("opened", who, chest):
            near = (who, _room(story, chest))
            return _Meaning((near, (chest, "shut")), becomes=((chest, "open"),))
        case ("shut", who, chest):
            near = (who, _room(story, chest))
            return _Meaning((near, (chest, "open")), becomes=((chest, "shut"),))
        case ("stowed", who, thing, chest):
            near = (who, _room(story, chest))
            return _Meaning(((thing, who), near, (chest, "open")), becomes=((thing, chest),))
        case ("fetched", who, thing, chest):
            near = (who, _room(story, chest))
            return _Meaning(((thing, chest), near, (chest, "open")), _free(story, who),
                            becomes=((thing, who),))  # fmt: skip
    raise AssertionError(f"no event {event}")


def _free(story: Story, who: str) -> tuple[tuple[str, str], ...]:
    return tuple((thing, who) for thing in story.things)


def _worlds(circuit: _sat.Circuit, story: Story, times: int) -> dict[str, list[dict[str, int]]]:
    """A variable for each entity, time and place; it is in no two places at once."""
    places = dict.fromkeys(story.people, story.rooms)
    places |= dict.fromkeys(story.things, (*story.rooms, *story.people, *story.chests))
    places |= dict.fromkeys(story.chests, ("open", "shut"))
    holds = {
        entity: [
            {place: circuit.variable((entity, place, time)) for place in places[entity]}
            for time in range(times)
        ]
        for entity in places
    }
    for each in holds.values():
        for world in each:
            circuit.clauses += _sat.exactly_one(list(world.values()))
    circuit.clauses += [[holds[entity][0][place]] for entity, place in _first(story).items()]
    return holds


def _happens(
    story: Story,
    holds: dict[str, list[dict[str, int]]],
    meaning: _Meaning,
    told: int,
    time: int,
) -> Iterator[_sat.Clause]:
    for entity, place in meaning.is_so:
        yield [-told, holds[entity][time][place]]
    for entity, place in meaning.is_not_so:
        yield [-told, -holds[entity][time][place]]
    for entity, place in meaning.becomes:
        yield [-told, holds[entity][time + 1][place]]
    for room in story.rooms:
        if meaning.same_room:
            one, other = meaning.same_room
            yield [-told, -holds[one][time][room], holds[other][time][room]]
        if meaning.falls:
            thing, who = meaning.falls
            yield [-told, -holds[who][time][room], holds[thing][time + 1][room]]


def _room(story: Story, chest: str) -> str:
    return story.stands[story.chests.index(chest)]


def _with(story: Story, sentences: list[Event]) -> Story:
    return Story(story.people, story.rooms, story.things, story.chests, story.start, story.stands,
                 tuple(sentences))  # fmt: skip


def _sentence(event: Event, style: Style) -> str:
    kind, *rest = event
    return style.pick(*SAID[kind]).format(*rest)


def _start(story: Story) -> str:
    parts = [f"{who} was in the {room}" for who, room in zip(story.people, story.start)]
    lies = dict(zip(story.things, story.start[len(story.people) :]))
    parts += [f"the {chest} stood in the {room}, shut" for chest, room in
              zip(story.chests, story.stands)]  # fmt: skip
    parts += [
        f"the {thing} was {'in' if place in story.chests else 'on the floor of'} the {place}"
        for thing, place in lies.items()
    ]
    return f"{'; '.join([parts[0][0].upper() + parts[0][1:], *parts[1:]])}."


def _rules(story: Story) -> str:
    kinds = {event[0] for event in story.sentences}
    rules = [
        "Nothing happens but what the sentences say, one after the other.",
        "From each room one can go straight to any other, and whoever goes to a room was not in it"
        " before.",
    ]
    if kinds & {"took", "put", "gave", "stowed", "fetched"}:
        rules.append(
            "Everybody begins with empty hands, holds at most one thing at a time, and takes it"
            " along from room to room. One can pick up only what lies on the floor of the room one"
            " is in, put down only what one holds (it then lies on the floor of that room), and"
            " hand a thing only to somebody in the same room whose hands are empty."
        )
    if kinds & {"opened", "shut", "stowed", "fetched"}:
        which = _or([f"the {chest}" for chest in story.chests])
        still = "They stay" if len(story.chests) > 1 else "It stays"
        rules.append(
            f"Only somebody in the same room can do anything with {which}: open it while it is"
            " shut, shut it while it is open, and while it is open put in what they hold, or take"
            f" something out of it with empty hands. {still} in place throughout."
        )
    if "together" in kinds:
        rules.append("People who go somewhere together come from the same room.")
    if "alone" in kinds:
        rules.append(
            f"Whoever is alone in a room has none of the others there; there are"
            f" {len(story.people)} people in all."
        )
    return " ".join(rules)


def _or(parts: list[str]) -> str:
    return f"{', '.join(parts[:-1])} or {parts[-1]}" if len(parts) > 1 else parts[0]


SAID = {
    "went": ("{0} went from the {1} to the {2}.", "{0} left the {1} for the {2}.",
             "From the {1}, {0} walked to the {2}."),
    "came": ("{0} went to the {1}.", "{0} came into the {1}.", "{0} walked to the {1}."),
    "together": ("{0} and {1} went to the {2} together.", "{0} and {1} came into the {2} together.",
                 "{0} and {1} walked to the {2} together."),
    "took": ("{0} picked up the {1}.", "{0} picked the {1} up from the floor.",
             "The {1} was picked up by {0}."),
    "put": ("{0} put down the {1}.", "{0} put the {1} on the floor.",
            "The {1} was put down by {0}."),
    "gave": ("{0} gave the {2} to {1}.", "{0} handed {1} the {2}.",
             "{1} was given the {2} by {0}."),
    "talked": ("{0} and {1} talked in the {2}.", "In the {2}, {0} and {1} had a chat.",
               "{0} and {1} stood side by side in the {2}."),
    "alone": ("{0} was alone in the {1}.", "In the {1}, {0} had nobody for company.",
              "{0} stood in the {1}, all alone."),
    "opened": ("{0} opened the {1}.", "The {1} was opened by {0}."),
    "shut": ("{0} shut the {1}.", "The {1} was shut by {0}."),
    "stowed": ("{0} put the {1} into the {2}.", "Into the {2} {0} put the {1}."),
    "fetched": ("{0} took the {1} out of the {2}.", "Out of the {2} {0} took the {1}."),
}  # fmt: skip
LADDER = (
    Knobs(5, 2, 1, 3, 0),
    Knobs(9, 2, 2, 5, 0),
    Knobs(11, 2, 2, 5, 1),
    Knobs(14, 3, 3, 5, 1),
    Knobs(18, 3, 4, 5, 2),
)
FAMILY = Family(
    Story,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Permutation(chain=True),
    hardness=hardness,
    proof="unique",
    solver="SAT with a blocking clause",
    guess_rate=0.03,
    steps=steps,
    canon=canon,
    skills=("search", "ordering", "tracking"),
    peers=("reasoning-gym/sentence_reordering",),
)
