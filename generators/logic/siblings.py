"""Siblings: how many sisters, cousins or great-aunts somebody has, from what a family says.

Whoever tells how many brothers and sisters he has leaves himself out, and there the trap lies.
`solve` counts with the sizes of the groups of siblings; `verify` puts every person on a list, each
with a parent, and counts those who stand in the relation.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import NamedTuple, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._vocabulary import NAMES

Person: TypeAlias = tuple[int, int]  # the group, and the place among all of it: boys come first

BOYS = frozenset(NAMES[1::2])
# (how many generations up, then how many down): what boys and girls are called.
KIN = {
    (1, 1): ("brothers", "sisters"),
    (0, 2): ("grandsons", "granddaughters"),
    (1, 2): ("nephews", "nieces"),
    (2, 1): ("uncles", "aunts"),
    (2, 2): ("male cousins", "female cousins"),
    (0, 3): ("great-grandsons", "great-granddaughters"),
    (3, 1): ("great-uncles", "great-aunts"),
    (3, 3): ("male second cousins", "female second cousins"),
}
# What the words mean that people use in more than one sense.
KINSHIP = {
    (2, 2): "Cousins are first cousins: children of an uncle or an aunt.",
    (3, 1): "Great-uncles and great-aunts are the brothers and sisters of a grandparent.",
    (3, 3): "Second cousins are the grandchildren of a great-uncle or a great-aunt, that is, of a"
    " brother or sister of a grandparent.",
}


@dataclass(frozen=True, slots=True)
class Knobs:
    groups: int  # of brothers and sisters
    generations: int  # of the family, at most
    most: int  # boys of a group, and girls
    reach: int  # generations up and down to the relation that is asked for


class Group(NamedTuple):
    parent: Person  # (-1, -1) for the first group
    boys: int
    girls: int
    by_child: bool  # whether a child tells the numbers, and not the parent
    named: tuple[tuple[int, str], ...]  # places in the group; the first of them tells


@dataclass(frozen=True, slots=True)
class Clan:
    told: tuple[tuple[Person, int, int, bool, tuple[tuple[int, str], ...]], ...]
    order: tuple[int, ...]  # in which the groups are told of
    asked: Person
    sibling: bool  # whether a sibling of the same sex is asked about instead, without a name
    up: int
    down: int
    girls: bool

    @property
    def groups(self) -> list[Group]:
        return [each if isinstance(each, Group) else Group(*each) for each in self.told]


def generate(rng: Random, knobs: Knobs) -> Clan | None:
    names = rng.sample(NAMES, len(NAMES))
    sizes: list[tuple[int, int]] = []
    parents: list[Person] = []
    depths: list[int] = []
    for number in range(knobs.groups):
        open_groups = [each for each, depth in enumerate(depths) if depth < knobs.generations]
        parent = (-1, -1)
        if number and not open_groups:
            break
        if number:
            group = open_groups[-1] if rng.random() < 0.4 else rng.choice(open_groups)
            parent = (group, rng.randrange(sum(sizes[group])))
        if parent in parents:
            return None
        parents.append(parent)
        depths.append(depths[parent[0]] + 1 if number else 1)
        sizes.append((rng.randint(1, knobs.most), rng.randint(1, knobs.most)))
    groups = []
    for number, (boys, girls) in enumerate(sizes):
        places = {place for group, place in parents if group == number}
        places.add(rng.randrange(boys + girls))
        named = []
        for place in rng.sample(sorted(places), len(places)):
            fitting = [each for each in names if (each in BOYS) == (place < boys)]
            if not fitting:
                return None
            names.remove(fitting[0])
            named.append((place, fitting[0]))
        by_child = number == 0 or rng.random() < 0.5
        groups.append(Group(parents[number], boys, girls, by_child, tuple(named)))
    order = (0, *rng.sample(range(1, len(groups)), len(groups) - 1))
    for far in range(knobs.reach, 0, -1):
        if found := list(_questions(groups, order, far)):
            return rng.choice(found)
    return None


def _questions(groups: list[Group], order: tuple[int, ...], far: int) -> Iterator[Clan]:
    """Whatever may be asked at a distance, if the answer is not 0; of a nameless sibling only what
    is the same for all of them."""
    told = tuple(groups)
    kinships = [each for each in KIN if sum(each) == far]
    for number, group in enumerate(groups):
        for place, _ in group.named:
            alone = (group.boys if place < group.boys else group.girls) == 1
            for up, down in kinships:
                asked = (
                    Clan(told, order, (number, place), False, up, down, girls)
                    for girls in (False, True)
                )
                found = [clan for clan in asked if solve(clan)]
                yield from found
                if not alone and up > 0 and (up, down) != (1, 2):
                    yield from (replace(clan, sibling=True) for clan in found)


def solve(clan: Clan) -> int:
    """With the sizes of the groups."""
    groups = clan.groups
    sizes = [group.girls if clan.girls else group.boys for group in groups]
    child = clan.asked  # of the ancestor, in the line of who is asked about
    for _ in range(clan.up - 1):
        child = groups[child[0]].parent
        if child[0] < 0:
            return 0
    group, place = child
    if clan.up and clan.down == 1:
        return sizes[group] - ((place >= groups[group].boys) == clan.girls)
    heads = {child}
    if clan.up:
        heads = {each.parent for each in groups if each.parent[0] == group} - {child}
    born = [number for number, each in enumerate(groups) if each.parent in heads]
    for _ in range(clan.down - 1 - (clan.up > 0)):
        born = [number for number, each in enumerate(groups) if each.parent[0] in born]
    return sum(sizes[number] for number in born)


def verify(clan: Clan, said: int) -> float:
    """With everybody on a list: up to an ancestor, and down again by other children."""
    groups = clan.groups
    people = [
        (number, place)
        for number, group in enumerate(groups)
        for place in range(group.boys + group.girls)
    ]
    asked = clan.asked
    if clan.sibling:
        boys = groups[asked[0]].boys
        asked = next(
            each
            for each in people
            if each[0] == asked[0] and each != asked and (each[1] < boys) == (asked[1] < boys)
        )
    above = [asked]
    while above[-1][0] >= 0:
        above.append(groups[above[-1][0]].parent)
    if clan.up >= len(above):
        return float(said == 0)
    count = 0
    for person in people:
        line = [person]
        while line[-1][0] >= 0:
            line.append(groups[line[-1][0]].parent)
        # The first group's children have one parent, whom nobody names.
        related = (
            len(line) > clan.down
            and line[clan.down] == above[clan.up]
            and (clan.up == 0 or line[clan.down - 1] != above[clan.up - 1])
        )
        count += related and (person[1] >= groups[person[0]].boys) == clan.girls
    return float(count == said)


def render(clan: Clan, style: Style) -> Prompt:
    facts = " ".join(sentence for number in clan.order for sentence in _told(clan, number, style))
    name = dict(clan.groups[clan.asked[0]].named)[clan.asked[1]]
    boy = clan.asked[1] < clan.groups[clan.asked[0]].boys
    who = f"a {'brother' if boy else 'sister'} of {name}'s" if clan.sibling else name
    kin = KIN[clan.up, clan.down][clan.girls]
    note = "All brothers and sisters have the same two parents."
    if (clan.up, clan.down) in KINSHIP:
        note += f" {KINSHIP[clan.up, clan.down]}"
    if len(clan.told) > 1:
        note += (
            " Only people whom the text mentions, by name or by number, count: leave out wives,"
            " husbands and their families. Nobody has children except those who are said to."
        )
    return Prompt(
        style.pick(
            f"{facts}\n\nHow many {kin} does {who} have? {note}",
            f"How many {kin} does {who} have, if the following is true?\n\n{facts}\n\n{note}",
            f"A family is described like this: {facts}\n\n{note}\n\nFind out how many {kin}"
            f" {who} has.",
        ),
        form="one whole number",
    )


def steps(clan: Clan) -> list[str]:
    """The size of each group, and the count."""
    lines = []
    for number in clan.order:
        group = clan.groups[number]
        names = listed([name for _, name in group.named])
        boys, girls = _many(group.boys, "boy"), _many(group.girls, "girl")
        lines.append(f"{names}: {boys} and {girls} altogether")
    kin = KIN[clan.up, clan.down][clan.girls]
    return [*lines, f"{kin}: {solve(clan)}"]


def canon(clan: Clan) -> list[object]:
    """Without names, and in the order of the groups. Which of the boys somebody is makes no
    difference, only that he is one, and of which group's named ones."""
    places = [[place for place, _ in each.named] for each in clan.groups]

    def known(person: Person) -> tuple[int, int]:
        group, place = person
        return group, places[group].index(place) if group >= 0 else -1

    groups = [
        [known(each.parent), *each[1:4], [place < each.boys for place, _ in each.named]]
        for each in clan.groups
    ]
    return [groups, known(clan.asked), clan.sibling, clan.up, clan.down, clan.girls]


def hardness(clan: Clan) -> int:
    """Groups to keep apart, and generations to go."""
    return 2 * len(clan.groups) + 3 * (clan.up + clan.down) + clan.sibling


def _told(clan: Clan, number: int, style: Style) -> Iterator[str]:
    """The sentences about a group."""
    group = clan.groups[number]
    (teller, name), *others = group.named
    boy = teller < group.boys
    parent = dict(clan.groups[group.parent[0]].named)[group.parent[1]] if number else ""
    if number and not group.by_child:
        sons, daughters = _many(group.boys, "son"), _many(group.girls, "daughter")
        yield style.pick(
            f"{parent} has {sons} and {daughters}.",
            f"{parent}'s children are {sons} and {daughters}.",
            f"{parent} is the parent of {sons} and {daughters}.",
        )
        for place, child in group.named:
            yield f"{child} is a {'son' if place < group.boys else 'daughter'} of {parent}."
        return
    if number:
        yield f"{name} is a {'son' if boy else 'daughter'} of {parent}."
    brothers = _many(group.boys - boy, "brother")
    sisters = _many(group.girls - (not boy), "sister")
    yield style.pick(
        f"{name} has {brothers} and {sisters}.",
        f"{name} says: I have {brothers} and {sisters}.",
        f"{name} has {sisters} and {brothers}.",
    )
    for place, other in others:
        yield f"{other} is a {'brother' if place < group.boys else 'sister'} of {name}."


def _many(count: int, word: str) -> str:
    if count == 1:
        return f"one {word}"
    return f"{count or 'no'} {word}s"


LADDER = (
    Knobs(1, 1, 6, 2),
    Knobs(3, 2, 6, 3),
    Knobs(5, 3, 8, 4),
    Knobs(7, 4, 9, 4),
    Knobs(9, 4, 9, 6),
)
FAMILY = Family(
    Clan,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="the sizes of the groups of siblings",
    guess_rate=0.25,
    steps=steps,
    canon=canon,
    version=3,
    redraws=True,
    skills=("deduction", "reading"),
    peers=("reasoning-gym/aiw",),
)
