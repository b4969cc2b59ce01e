"""Hidden kinship: kin terms of a people are shown by examples and not told; who is it?

A term is a chain of so many steps, each to a parent, a child, a sibling or the spouse, which may be
narrowed. All terms of this form that fit the examples lead to the same person. `solve` goes through
all chains, as sets of people, and does not look at those that were drawn; `verify` follows these
from the person that is asked about. Each example is needed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from math import log2
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.worlds._coinage import coined
from puzzlemill.generators.worlds._examples import fewest
from puzzlemill.generators.worlds._kin_space import (
    Sets,
    able_by,
    before_last,
    every,
    leading_to,
    led_by,
    led_over,
    places_of,
    steps_told,
)
from puzzlemill.generators.worlds._kin_steps import (
    Couple,
    People,
    Step,
    as_set,
    drawn_definition,
    drawn_people,
    near,
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
Example: TypeAlias = tuple[int, int, tuple[int, ...]]  # a term, a person, and all who are that

DRAWS = 80
NEEDED = 0.5  # the share of words that narrow a step that count for the answer, at least
POOL, NOBODY = 9, 3  # examples of a term to choose from; of them, with nobody, at most
COUNTS = {1: "one step", 2: "exactly two steps", 3: "exactly three steps"}
CHAINS = {
    1: "the oldest sister of P",
    2: "a son of the oldest sister of P",
    3: "the spouse of a son of the oldest sister of P",
}


@dataclass(frozen=True, slots=True)
class Knobs:
    couples: int  # with children
    terms: int  # that are shown by examples
    steps: int  # of each
    finer: int  # 1 if people may also be second oldest, or nearest older


@dataclass(frozen=True, slots=True)
class Hidden:
    skin: str
    names: tuple[str, ...]  # of the people
    sexes: str  # m or f for each of them
    couples: tuple[Couple, ...]
    terms: tuple[str, ...]  # the question asks for the last of the first one of a person
    finer: bool
    definitions: Definitions  # not told
    examples: tuple[Example, ...]
    person: int


def generate(rng: Random, knobs: Knobs) -> Hidden | None:
    sexes, couples = drawn_people(rng, knobs.couples)
    words = coined(rng, len(sexes) + knobs.terms)
    names, terms = tuple(word.title() for word in words[knobs.terms :]), words[: knobs.terms]
    skin, finer = rng.choice(sorted(SKINS)), knobs.finer > 0
    for _ in range(DRAWS):
        definitions = drawn(rng, knobs)
        if len(set(definitions)) < knobs.terms:
            continue
        person = _clear(rng, sexes, couples, finer, definitions)
        if person < 0:
            continue
        hidden = Hidden(skin, names, sexes, couples, terms, finer, definitions, (), person)
        hidden = replace(hidden, examples=_pool(rng, hidden))
        gold = min(_walked(hidden)[-1])
        if kept := fewest(hidden.examples, _reader(hidden), gold):
            return replace(hidden, examples=tuple(sorted(kept)))
    return None


def drawn(rng: Random, knobs: Knobs) -> Definitions:
    finer = knobs.finer > 0
    return tuple(tuple(drawn_definition(rng, knobs.steps, finer)) for _ in range(knobs.terms))


def solve(hidden: Hidden) -> str | None:
    person = _reader(hidden)(hidden.examples)
    return None if person is None else hidden.names[person].lower()


def verify(hidden: Hidden, name: str) -> float:
    return float({name} == {hidden.names[person].lower() for person in _walked(hidden)[-1]})


def render(hidden: Hidden, style: Style) -> Prompt:
    families = families_told(hidden.names, hidden.sexes, hidden.couples)
    shown = "\n".join(
        f"- {hidden.terms[term]} of {hidden.names[person]}: {people_told(hidden.names, people)}"
        for term, person, people in hidden.examples
    )
    count, where = len(hidden.definitions[0]), SKINS[hidden.skin]
    several = len(hidden.terms) > 1
    form = (
        f"{'Each' if several else 'The'} term leads from a person P to others in {COUNTS[count]},"
        f" as in “{CHAINS[count]}”. {'These are the steps' if count > 1 else 'It is one of these'}:"
        f"\n\n{steps_told(hidden.finer)}\n\nThe oldest sister is the oldest of a person's"
        " sisters, and so on; an older brother may be any brother who is older."
    )
    if count > 1:
        form += " Where a step leads to several people, the next step is taken from each."
    asked = (
        "".join(f"a {term} of " for term in reversed(hidden.terms)) + hidden.names[hidden.person]
    )
    sure = "All terms of this form that fit the examples lead to the same person."
    terms = "kin terms" if several else "a kin term"
    words = "these words mean" if several else "this word means"
    examples = "Examples, each with all people who are that to somebody:"
    return Prompt(
        style.pick(
            f"The people {where} have {terms} that nobody explains. {examples}\n\n{shown}\n\nThese"
            f" are the couples:\n\n{families}\n\n{USUAL}\n\n{form} {sure} Exactly one person is"
            f" {asked}. Who is it?",
            f"Who is {asked}? There is exactly one. What {words} must be found. {form} {sure}\n\n"
            f"{examples}\n\n{shown}\n\nThe people live {where}. Who is married, and their"
            f" children:\n\n{families}\n\n{USUAL}",
            f"Couples {where}:\n\n{families}\n\n{USUAL}\n\nTheir language has {terms}. {form}\n\n"
            f"{examples}\n\n{shown}\n\n{sure} Find the only person who is {asked}.",
        ),
        form="one name",
    )


def steps(hidden: Hidden) -> list[str]:
    """The terms, and whom their steps lead to, one after the other."""
    lines = [f"{it[0]}: {worded(it[1])}" for it in zip(hidden.terms, hidden.definitions)]
    taken = [step for definition in hidden.definitions for step in definition]
    walked = _walked(hidden)
    for step, people, after in zip(taken, walked, walked[1:]):
        mine, theirs = (people_told(hidden.names, each) for each in (people, after))
        lines.append(f"{called(step)} of {mine}: {theirs}")
    return lines


def slips(rng: Random, hidden: Hidden, gold: str) -> Iterator[str]:
    """A step is overlooked or taken for another one; or whom it leads to on the way is meant."""
    shortened = (_shortened(hidden.definitions, narrowed) for narrowed in (False, True))
    others = [replace(hidden, definitions=each) for each in chain(*shortened)]
    for at, definition in enumerate(hidden.definitions):
        for step in rng.sample(every(hidden.finer), 6):
            changed = (*definition[:-1], step)
            definitions = (*hidden.definitions[:at], changed, *hidden.definitions[at + 1 :])
            others.append(replace(hidden, definitions=definitions))
    for other in rng.sample(others, len(others)):
        yield from (hidden.names[person].lower() for person in sorted(_walked(other)[-1]))


def kin(hidden: Hidden) -> list[Definition]:
    return sorted(hidden.definitions)


def canon(hidden: Hidden) -> list[object]:
    names = [f"person {at}" for at in range(len(hidden.names))]
    facts: list[tuple[object, ...]] = [
        ("couple", names[man], names[woman],
         *((names[child], hidden.sexes[child]) for child in children))
        for man, woman, children in hidden.couples
    ]  # fmt: skip
    facts += [("example", str(term), names[person], ("all", *(names[it] for it in people)))
              for term, person, people in hidden.examples]  # fmt: skip
    facts.append(("asked", names[hidden.person]))
    return [hidden.definitions, hidden.finer, unnamed(facts, names, ("all",))]


def without(hidden: Hidden) -> Iterator[Hidden]:
    for at in range(len(hidden.examples)):
        yield replace(hidden, examples=hidden.examples[:at] + hidden.examples[at + 1 :])


def hardness(hidden: Hidden) -> float:
    """The terms of the told form, by order of magnitude, and people by tens."""
    steps = sum(map(len, hidden.definitions))
    return steps * log2(len(every(hidden.finer))) + len(hidden.names) / 10


def _shortened(definitions: Definitions, narrowed: bool) -> Iterator[Definitions]:
    """Without a step; or without a word that narrows one."""
    for place, definition in enumerate(definitions):
        for at, step in enumerate(definition):
            wider: list[Definition] = [(each,) for each in _wider(step)] if narrowed else [()]
            for other in wider:
                changed = (*definition[:at], *other, *definition[at + 1 :])
                yield (*definitions[:place], changed, *definitions[place + 1 :])


def _wider(step: Step) -> list[Step]:
    """A step without a word that narrows it."""
    noun, sex, rank = step
    return [(noun, "", rank)] * bool(sex) + [(noun, sex, "")] * bool(rank)


def _clear(
    rng: Random, sexes: str, couples: tuple[Couple, ...], finer: bool, definitions: Definitions
) -> int:
    """A person for whom the question has one answer, another one without any step, and another one
    without most of the words that narrow a step; or -1."""
    led, places = led_by(sexes, couples, finer), places_of(finer)
    whole = [places[step] for definition in definitions for step in definition]
    wider = [
        (at, places[other])
        for at, step in enumerate(step for definition in definitions for step in definition)
        for other in _wider(step)
    ]
    for person in rng.sample(range(len(sexes)), len(sexes)):
        start = 1 << person
        end = led_over(led, start, whole)
        if end.bit_count() != 1 or end == start:
            continue
        way = [led_over(led, start, whole[:at]) for at in range(len(whole))]
        if any(led_over(led, way[at], whole[at + 1 :]) == end for at in range(len(whole))):
            continue
        narrow = [led_over(led, way[at], (step, *whole[at + 1 :])) != end for at, step in wider]
        if sum(narrow) >= NEEDED * len(narrow):
            return person
    return -1


def _pool(rng: Random, hidden: Hidden) -> tuple[Example, ...]:
    """Examples of each term, none of which is a step of the question's own way."""
    walked, pool = _walked(hidden), list[Example]()
    size = len(hidden.definitions[0])
    for term, definition in enumerate(hidden.definitions):
        asked, nobody = walked[term * size], 0
        egos = [person for person in range(len(hidden.names)) if person not in asked]
        mine = list[Example]()
        for person in rng.sample(egos, len(egos)):
            people = tuple(sorted(_way(hidden, (definition,), person)[-1]))
            nobody += not people
            if len(mine) < POOL and (people or nobody <= NOBODY):
                mine.append((term, person, people))
        pool += mine
    return tuple(rng.sample(pool, len(pool)))


def _walked(hidden: Hidden) -> list[People]:
    """Whom the terms lead to from the person, step by step."""
    return _way(hidden, hidden.definitions, hidden.person)


def _way(hidden: Hidden, definitions: Definitions, person: int) -> list[People]:
    """The interpreter: whom definitions lead to from a person, step by step."""
    found: list[People] = [{person}]
    for definition in definitions:
        for step in definition:
            people = set[int]()
            for ego in found[-1]:
                people |= near(hidden.sexes, hidden.couples, ego, step)
            found.append(people)
    return found


def _reader(hidden: Hidden) -> Callable[[tuple[Example, ...]], int | None]:
    """The one person whom all terms that fit examples lead to; None where there is none."""
    led = led_by(hidden.sexes, hidden.couples, hidden.finer)
    able = able_by(hidden.sexes, hidden.couples, hidden.finer)
    count = len(hidden.definitions)
    shown = [[it for it in hidden.examples if it[0] == term] for term in range(count)]
    last = count - 1

    @cache
    def chains(term: int, start: int) -> set[Sets]:
        starts = (*(1 << person for _, person, _ in shown[term]), start)
        return before_last(led, starts, len(hidden.definitions[term]))

    @cache  # mostly, the examples of one term change
    def ends_of(term: int, start: int, wanted: tuple[int, ...]) -> set[int]:
        return leading_to(led, able, chains(term, start), wanted)

    def agreed(examples: tuple[Example, ...]) -> int | None:
        ends = {1 << hidden.person}
        for term, mine in enumerate(shown):
            wanted = tuple([as_set(it[2]) if it in examples else -1 for it in mine])
            found = set[int]()
            for start in sorted(ends):
                found |= ends_of(term, start, wanted)
                if len(found) > 1 and term == last:
                    return None
            ends = found
        end = ends.pop() if len(ends) == 1 else 0
        return end.bit_length() - 1 if end.bit_count() == 1 else None

    return agreed


LADDER = (
    Knobs(3, 1, 1, 0),
    Knobs(4, 1, 2, 0),
    Knobs(5, 2, 2, 0),
    Knobs(7, 2, 2, 1),
    Knobs(9, 2, 3, 1),
)
FAMILY = Family(
    Hidden,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Word(form="one name"),
    hardness=hardness,
    proof="unique",
    solver="every chain of steps, as sets of people",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    kin=kin,
    known=lambda hidden: hidden.names,
    without=without,
    slips=slips,
    skills=("induction", "relations", "rules"),
    theme="hidden_rules",
)
