"""Invented kinship: who is a person's "zab", where the kin terms of a people are drawn?

`solve` spells the terms out and joins relations that are tabulated for everybody; `verify` follows
each definition step by step, through the couples. Without any step of a needed definition, or a
word of a step that narrows it, the answer is another one, or there are several.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._bits import union
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.worlds._coinage import coined
from puzzlemill.generators.worlds._kin_steps import (
    Couple,
    People,
    Step,
    drawn_definition,
    drawn_people,
    near,
    relation,
)
from puzzlemill.generators.worlds._kin_words import (
    SKINS,
    USUAL,
    called,
    families_told,
    people_told,
    worded,
)

Definition: TypeAlias = tuple[Step, ...]
Definitions: TypeAlias = tuple[Definition, ...]
Joined: TypeAlias = dict[Step, dict[int, int]]  # whom steps lead to, from one person or several

DRAWS = 80


@dataclass(frozen=True, slots=True)
class Knobs:
    couples: int  # with children
    terms: int  # that the question uses
    nested: int  # of them, within the definition of another
    steps: int  # of a definition
    words: int  # that narrow their steps, at least
    spare: int  # terms that are not needed
    finer: int  # 1 if people may also be second oldest, or nearest older


@dataclass(frozen=True, slots=True)
class Kin:
    skin: str
    names: tuple[str, ...]  # of the people
    sexes: str  # m or f for each of them
    couples: tuple[Couple, ...]
    terms: tuple[str, ...]
    definitions: Definitions  # of each term
    person: int
    asked: tuple[int, ...]  # places of terms: a term of a term of the person


def generate(rng: Random, knobs: Knobs) -> Kin | None:
    sexes, couples = drawn_people(rng, knobs.couples)
    count = knobs.terms + knobs.spare
    words = coined(rng, len(sexes) + count)
    names, terms = tuple(word.title() for word in words[count:]), words[:count]
    skin = rng.choice(sorted(SKINS))
    for _ in range(DRAWS):
        definitions, asked = drawn_terms(rng, knobs)
        kin = _clear(rng, Kin(skin, names, sexes, couples, terms, definitions, 0, asked))
        narrowing = sum(1 for _ in _wider(kin)) if kin else 0
        if kin and narrowing >= knobs.words and len(set(kin.definitions)) == knobs.terms:
            spare = _spare(rng, knobs, kin.definitions)
            return _shuffled(rng, replace(kin, definitions=kin.definitions + spare))
    return None


def drawn_terms(rng: Random, knobs: Knobs) -> tuple[Definitions, tuple[int, ...]]:
    """The definitions that the question uses, and the places of those that it names."""
    count, nested = knobs.terms, min(knobs.nested, knobs.terms - 1)
    definitions = [drawn_definition(rng, knobs.steps, knobs.finer > 0) for _ in range(count)]
    for place in range(nested):
        at = rng.randrange(len(definitions[place + 1]))
        definitions[place + 1][at] = ("term", "", str(place))
    asked = rng.sample(range(nested, count), count - nested)
    return tuple(map(tuple, definitions)), tuple(asked)


def solve(kin: Kin) -> str | None:
    people = _led(_joined(kin.sexes, kin.couples), kin, kin.person, kin.definitions)
    return kin.names[people.bit_length() - 1].lower() if people.bit_count() == 1 else None


def verify(kin: Kin, name: str) -> float:
    return float({name} == {kin.names[person].lower() for person in _walked(kin)})


def render(kin: Kin, style: Style) -> Prompt:
    families = families_told(kin.names, kin.sexes, kin.couples)
    told = "\n".join(
        f"- {term}: {worded(definition, kin.terms)}"
        for term, definition in zip(kin.terms, kin.definitions)
    )
    person, where = kin.names[kin.person], SKINS[kin.skin]
    asked = "".join(f"a {kin.terms[place]} of " for place in reversed(kin.asked)) + person
    return Prompt(
        style.pick(
            f"The people {where} have kin terms of their own. Each tells what somebody is to a"
            f" person P:\n\n{told}\n\nThese are the couples:\n\n{families}\n\n{USUAL}\n\nExactly"
            f" one person is {asked}. Who is it?",
            f"Who is {asked}? There is exactly one. The words mean, for any person P:\n\n{told}"
            f"\n\nThe people live {where}. Who is married, and their children:\n\n{families}\n\n"
            f"{USUAL}",
            f"Couples {where}:\n\n{families}\n\n{USUAL}\n\nIn their language there are these"
            f" words for the kin of a person P:\n\n{told}\n\nFind the only person who is {asked}.",
        ),
        form="one name",
    )


def steps(kin: Kin) -> list[str]:
    """Whom the terms lead to, one after the other, and within them their steps."""
    lines: list[str] = []
    _walked(kin, lines)
    return lines


@lru_cache(maxsize=2)  # it is part of the canonical form, too
def kin_of(kin: Kin) -> list[str]:
    """The definitions that are needed, whatever they are called."""
    needed = _needed(kin)
    facts = [
        (
            f"term {place}",
            *(
                (*step[:2], f"term {step[2]}") if step[0] == "term" else step
                for step in kin.definitions[place]
            ),
        )
        for place in needed
    ]
    return unnamed(facts, [f"term {place}" for place in needed])


def canon(kin: Kin) -> list[object]:
    names = [f"person {at}" for at in range(len(kin.names))]
    facts: list[tuple[object, ...]] = [
        (
            "couple",
            names[man],
            names[woman],
            *((names[child], kin.sexes[child]) for child in children),
        )
        for man, woman, children in kin.couples
    ]
    facts.append(("asked", names[kin.person]))
    return [kin_of(kin), len(kin.asked), unnamed(facts, names)]


def without(kin: Kin) -> Iterator[Kin]:
    """A needed definition without one of its steps, or a step without its sex or its rank."""
    for definitions in chain(_shorter(kin), _wider(kin)):
        yield replace(kin, definitions=definitions)


def hardness(kin: Kin) -> float:
    """The steps to take, and people by tens."""
    return len(steps(kin)) + len(kin.names) / 10


def _needed(kin: Kin) -> list[int]:
    """The places of terms that the question uses, or that these use."""
    needed = list(kin.asked)
    for place in needed:  # it grows
        used = [int(rank) for noun, _, rank in kin.definitions[place] if noun == "term"]
        needed += [each for each in used if each not in needed]
    return sorted(needed)


def _shorter(kin: Kin) -> Iterator[Definitions]:
    for place in _needed(kin):
        definition = kin.definitions[place]
        for at in range(len(definition) if len(definition) > 1 else 0):
            yield _changed(kin, place, definition[:at] + definition[at + 1 :])


def _wider(kin: Kin) -> Iterator[Definitions]:
    for place in _needed(kin):
        definition = kin.definitions[place]
        for at, (noun, sex, rank) in enumerate(definition):
            if sex:
                yield _changed(kin, place, _put(definition, at, (noun, "", rank)))
            if rank and noun != "term":
                yield _changed(kin, place, _put(definition, at, (noun, sex, "")))


def _put(definition: Definition, at: int, step: Step) -> Definition:
    return (*definition[:at], step, *definition[at + 1 :])


def _changed(kin: Kin, place: int, definition: Definition) -> Definitions:
    return (*kin.definitions[:place], definition, *kin.definitions[place + 1 :])


def _clear(rng: Random, kin: Kin) -> Kin | None:
    """The question about a person for whom it has one answer, and another one without any part;
    words that change nothing are left out. None where a step changes nothing."""
    joined = _joined(kin.sexes, kin.couples)
    found = _asked(joined, kin).items()
    alone = [(people, whose) for people, whose in found if people.bit_count() == 1]
    able = [(ego, gold) for gold, whose in alone for ego in whose if gold != 1 << ego]
    if not able:
        return None
    person, gold = rng.choice(able)
    leads = partial(_led, joined, kin, person)
    if any(leads(fewer) == gold for fewer in _shorter(kin)):
        return None
    narrow = kin = replace(kin, person=person)
    while wider := next((each for each in _wider(kin) if leads(each) == gold), None):
        kin = replace(kin, definitions=wider)
    needed = kin is narrow or all(leads(fewer) != gold for fewer in _shorter(kin))
    return kin if needed else None


def _spare(rng: Random, knobs: Knobs, needed: Definitions) -> Definitions:
    """Other definitions."""
    spare = list[Definition]()
    while len(spare) < knobs.spare:
        definition = tuple(drawn_definition(rng, knobs.steps, knobs.finer > 0))
        if definition not in (*needed, *spare):
            spare.append(definition)
    return tuple(spare)


def _shuffled(rng: Random, kin: Kin) -> Kin:
    """With the terms in another order."""
    order = rng.sample(range(len(kin.terms)), len(kin.terms))
    new = {str(place): str(at) for at, place in enumerate(order)}
    moved = tuple(
        tuple((*step[:2], new[step[2]]) if step[0] == "term" else step for step in definition)
        for definition in (kin.definitions[place] for place in order)
    )
    asked = tuple(int(new[str(place)]) for place in kin.asked)
    return replace(kin, definitions=moved, asked=asked)


def _led(joined: Joined, kin: Kin, person: int, definitions: Definitions) -> int:
    """Whom the question would mean of a person by these definitions, as bits."""
    people = 1 << person
    for place in kin.asked:
        for step in _flat(definitions, place):
            led = joined.get(step) or _join(joined, kin, step)
            if people not in led:
                led[people] = union(led, people)
            if not (people := led[people]):
                return 0
    return people


def _asked(joined: Joined, kin: Kin) -> dict[int, list[int]]:
    """Whom the question would mean, as bits, each with those of whom it would be asked: relations
    joined one after the other. Those for whom it means nobody are left out."""
    found = {1 << ego: [ego] for ego in range(len(kin.names))}
    for place in kin.asked:
        for step in _flat(kin.definitions, place):
            led, after = joined.get(step) or _join(joined, kin, step), dict[int, list[int]]()
            for people, whose in found.items():
                if people not in led:
                    led[people] = union(led, people)
                if reached := led[people]:
                    after.setdefault(reached, []).extend(whose)
            found = after
    return found


@lru_cache(maxsize=2)
def _joined(sexes: str, couples: tuple[Couple, ...]) -> Joined:
    """The relations of steps, as far as they were needed."""
    return {}


def _join(joined: Joined, kin: Kin, step: Step) -> dict[int, int]:
    """Adds a step's relation, from one person each."""
    ahead = enumerate(relation(kin.sexes, kin.couples, step))
    led = joined[step] = {1 << ego: others for ego, others in ahead}
    return led


def _flat(definitions: Definitions, place: int) -> Iterator[Step]:
    """The steps of a definition, terms within it being spelled out."""
    for step in definitions[place]:
        if step[0] == "term":
            yield from _flat(definitions, int(step[2]))
        else:
            yield step


def _walked(kin: Kin, lines: list[str] | None = None) -> People:
    """The interpreter: whom the question means, from its person on."""
    people = {kin.person}
    for place in kin.asked:
        people = _stepped(kin, people, ("term", "", str(place)), lines if lines is not None else [])
    return people


def _stepped(kin: Kin, people: People, step: Step, lines: list[str]) -> People:
    noun, _, rank = step
    if noun == "term":
        reached = people
        for each in kin.definitions[int(rank)]:
            reached = _stepped(kin, reached, each, lines)
    else:
        reached = set()
        for ego in people:
            reached |= near(kin.sexes, kin.couples, ego, step)
    name = called(step, kin.terms)
    lines.append(f"{name} of {people_told(kin.names, people)}: {people_told(kin.names, reached)}")
    return reached


LADDER = (
    Knobs(3, 1, 0, 2, 1, 0, 0),
    Knobs(4, 1, 0, 3, 1, 1, 0),
    Knobs(5, 2, 0, 2, 2, 1, 0),
    Knobs(8, 2, 1, 3, 2, 1, 0),
    Knobs(13, 3, 1, 3, 3, 2, 1),
)
FAMILY = Family(
    Kin,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Word(form="one name"),
    hardness=hardness,
    proof="unique",
    solver="relations joined as sets",
    guess_rate=0.1,
    steps=steps,
    canon=canon,
    kin=kin_of,
    known=lambda kin: kin.names,
    without=without,
    skills=("relations", "rules"),
    version=4,
)
