"""Kinship: facts about a family; who are, say, the nieces of the brothers of somebody?

The answer is all the people of whom this is true, which no guess hits. `generate` grows a family
tree and tells just enough of it; `solve` merges households until all facts are equations that hold,
and follows relations as sets of pairs; `verify` applies the facts as rules and asks of each person
whether the definition of the relation fits.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._renaming import unnamed

Fact: TypeAlias = tuple[str, str, str]  # a word such as those of FEMALE, who is that, of whom
Pairs: TypeAlias = set[tuple[str, str]]

WOMEN = (
    "Alice", "Anna", "Carla", "Clara", "Diana", "Emma", "Frieda", "Grace", "Helen", "Iris",
    "Julia", "Karin", "Laura", "Maya", "Nora", "Olga", "Rosa", "Sonja", "Tara", "Vera",
)  # fmt: skip
MEN = (
    "Adam", "Ben", "Bruno", "David", "Erik", "Felix", "Georg", "Hugo", "Ivan", "Jonas", "Leo",
    "Liam", "Max", "Noah", "Oscar", "Paul", "Simon", "Theo", "Victor", "Walter",
)  # fmt: skip

FEMALE = ("wife", "daughter", "sister", "mother", "mother-in-law", "maternal grandmother",
          "paternal grandmother")  # fmt: skip

# What can be asked for, as the ways that lead there from somebody, step by step.
RELATIONS: dict[str, tuple[tuple[str, ...], ...]] = {
    "parents": (("parent",),),
    "children": (("child",),),
    "sons": (("child", "man"),),
    "daughters": (("child", "woman"),),
    "siblings": (("sibling",),),
    "brothers": (("sibling", "man"),),
    "sisters": (("sibling", "woman"),),
    "grandparents": (("parent", "parent"),),
    "grandchildren": (("child", "child"),),
    "grandsons": (("child", "child", "man"),),
    "granddaughters": (("child", "child", "woman"),),
    "uncles": (("parent", "sibling", "man"),),
    "aunts": (("parent", "sibling", "woman"),),
    "nephews": (("sibling", "child", "man"),),
    "nieces": (("sibling", "child", "woman"),),
    "cousins": (("parent", "sibling", "child"),),
    "parents-in-law": (("spouse", "parent"),),
    "sons-in-law": (("child", "woman", "spouse"),),
    "daughters-in-law": (("child", "man", "spouse"),),
    "brothers-in-law": (("spouse", "sibling", "man"), ("sibling", "woman", "spouse")),
    "sisters-in-law": (("spouse", "sibling", "woman"), ("sibling", "man", "spouse")),
    "great-uncles": (("parent", "parent", "sibling", "man"),),
    "great-aunts": (("parent", "parent", "sibling", "woman"),),
    "great-grandparents": (("parent", "parent", "parent"),),
    "second cousins": (("parent", "parent", "sibling", "child", "child"),),
}
# For `verify`: whose relatives of which kind they are.
BY_WAY_OF = {
    "grandparents": ("parents", "parents"),
    "great-grandparents": ("grandparents", "parents"),
    "grandchildren": ("children", "children"),
    "grandsons": ("children", "sons"),
    "granddaughters": ("children", "daughters"),
    "uncles": ("parents", "brothers"),
    "aunts": ("parents", "sisters"),
    "great-uncles": ("grandparents", "brothers"),
    "great-aunts": ("grandparents", "sisters"),
    "nephews": ("siblings", "sons"),
    "nieces": ("siblings", "daughters"),
    "cousins of parents": ("parents", "cousins"),
    "parents-in-law": ("spouses", "parents"),
}
DEFINITIONS = {
    "uncles": "An uncle is a brother of the father or mother; the husband of an aunt does"
    " not count.",
    "aunts": "An aunt is a sister of the father or mother; the wife of an uncle does not count.",
    "nephews": "A nephew is a son of a brother or sister.",
    "nieces": "A niece is a daughter of a brother or sister.",
    "cousins": "Cousins are the children of a brother or sister of the father or mother.",
    "parents-in-law": "Parents-in-law are the parents of the wife or husband.",
    "sons-in-law": "A son-in-law is the husband of a daughter.",
    "daughters-in-law": "A daughter-in-law is the wife of a son.",
    "brothers-in-law": "A brother-in-law is a brother of the wife or husband, or the husband of a"
    " sister.",
    "sisters-in-law": "A sister-in-law is a sister of the wife or husband, or the wife of a"
    " brother.",
    "great-uncles": "A great-uncle is a brother of a grandparent.",
    "great-aunts": "A great-aunt is a sister of a grandparent.",
    "second cousins": "Second cousins are the children of a cousin of the father or mother; cousins"
    " are the children of a brother or sister of the father or mother.",
}


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # of the family tree
    relations: int  # how many of RELATIONS are asked for
    chain: int  # relations of relations
    winding: float  # share of facts that say something by way of a third person


@dataclass(frozen=True, slots=True)
class Clan:
    facts: tuple[Fact, ...]
    chain: tuple[str, ...]  # what is asked for, of whom, of whom …
    start: str


def generate(rng: Random, knobs: Knobs) -> Clan | None:
    tree = _grown(rng, knobs.people)
    facts = _told(rng, tree, knobs.winding)
    words = list(RELATIONS)[: knobs.relations]
    for _ in range(60):
        start, found = rng.choice(tree.people), set[str]()
        chain: list[str] = []
        people = {start}
        while len(chain) < knobs.chain:
            word = rng.choice(words[-12:] if rng.random() < 0.5 else words)
            people = {other for one in people for other in tree.related(word, one)}
            chain.insert(0, word)
            if not people or start in people:
                break
            found = people if len(chain) == knobs.chain else set()
        # One name alone is a good guess now and then; three are not.
        if 0 < len(found) <= 6 and (len(found) > 1 or rng.random() < 0.2):
            return Clan(facts, tuple(chain), start)
    return None


def solve(clan: Clan) -> tuple[str, ...]:
    """Congruence closure: households that must be the same are merged, then steps taken."""
    women, people = _women(clan), _people(clan)
    merged = _Merged()
    for word, who, whom in clan.facts:
        match word:
            case "wife" | "husband":
                merged.unite(merged.get("home", who), merged.get("home", whom))
            case "daughter" | "son":
                merged.unite(merged.get("origin", who), merged.get("home", whom))
            case "mother" | "father":
                merged.unite(merged.get("origin", whom), merged.get("home", who))
            case "sister" | "brother":
                merged.unite(merged.get("origin", who), merged.get("origin", whom))
            case "mother-in-law" | "father-in-law":
                spouse = merged.get("man" if whom in women else "woman", merged.get("home", whom))
                merged.unite(merged.get("origin", spouse), merged.get("home", who))
            case _:
                side = "woman" if word.startswith("maternal") else "man"
                parent = merged.get(side, merged.get("origin", whom))
                merged.unite(merged.get("origin", parent), merged.get("home", who))
    for who in people:  # each is the woman, or the man, of the own home
        merged.unite(merged.get("woman" if who in women else "man", merged.get("home", who)), who)
    homes = {who: merged.find(merged.get("home", who)) for who in people}
    origins = {who: merged.find(merged.get("origin", who)) for who in people}
    living: defaultdict[str, set[str]] = defaultdict(set)
    born: defaultdict[str, set[str]] = defaultdict(set)
    for who in people:
        living[homes[who]].add(who)
        born[origins[who]].add(who)
    steps: dict[str, dict[str, set[str]]] = {
        "parent": {who: living[origins[who]] - {who} for who in people},
        "child": {who: born[homes[who]] - {who} for who in people},
        "sibling": {who: born[origins[who]] - {who} for who in people},
        "spouse": {who: living[homes[who]] - {who} for who in people},
        "woman": {who: {who} & women for who in people},
        "man": {who: {who} - women for who in people},
    }
    reached = {clan.start}
    for relation in reversed(clan.chain):
        ends = set[str]()
        for way in RELATIONS[relation]:
            here = reached
            for step in way:
                here = {other for one in here for other in steps[step].get(one, ())}
            ends |= here
        reached = ends
    return tuple(sorted(who.lower() for who in reached))


def verify(clan: Clan, chosen: tuple[str, ...]) -> float:
    kin, right = _deduced(clan), {clan.start}
    for relation in reversed(clan.chain):
        right = {one for whom in right for one in _those(kin, relation, whom)}
    return float(set(chosen) == {who.lower() for who in right})


def render(clan: Clan, style: Style) -> Prompt:
    facts = " ".join(_sentence(fact, style) for fact in clan.facts)
    asked = f"{' of '.join(f'the {word}' for word in clan.chain)} of {clan.start}"
    notes = "".join(
        f" {DEFINITIONS[word]}" for word in dict.fromkeys(clan.chain) if word in DEFINITIONS
    )
    if len(clan.chain) > 1:
        *_, outer, inner = clan.chain
        notes += (
            f" The {outer} of the {inner} of {clan.start} are all people who are among the {outer}"
            f" of at least one of the {inner}. Everybody who fits counts, even {clan.start} and the"
            f" {inner} themselves."
        )
    rules = (
        "Everybody's parents are married to one another, each marriage joins a woman and a man, and"
        " nobody was married twice."
    )
    closed = "People are related only where that follows from what is said here."
    return Prompt(
        style.pick(
            f"{facts}\n\n{rules} {closed}{notes}\n\nWho are {asked}?",
            f"This is known about a family. {rules}\n\n{facts}\n\n{closed} Find all the people who"
            f" are {asked}.{notes}",
            f"Read this description of a family and then name all of {asked}.\n\n{facts}\n\n"
            f"{rules} {closed}{notes}",
        ),
        form="the names of all of them, separated by commas",
    )


def steps(clan: Clan) -> list[str]:
    """Who are the parents of whom, and then the relations one after the other."""
    kin = _deduced(clan)
    lines = []
    for who in kin.people:
        parents = [one for one in kin.people if (one, who) in kin.parents]
        if parents:
            lines.append(f"the parents of {who}: {listed(parents)}")
    right, told = {clan.start}, clan.start
    for relation in reversed(clan.chain):
        right = {one for whom in right for one in _those(kin, relation, whom)}
        told = f"the {relation} of {told}"
        lines.append(f"{told}: {listed(sorted(right))}")
    return lines


def canon(clan: Clan) -> list[str]:
    """The names do not matter, nor the order of the facts."""
    return unnamed([*clan.facts, ("asked", clan.chain, clan.start)], _people(clan))


def hardness(clan: Clan) -> float:
    """How much is told, and how far the question leads."""
    far = sum(max(map(len, RELATIONS[word])) for word in clan.chain)
    return float(len(clan.facts) + 4 * far)


@dataclass(slots=True)
class _Tree:
    people: list[str] = field(default_factory=list)
    women: set[str] = field(default_factory=set)
    spouse: dict[str, str] = field(default_factory=dict)
    parents: dict[str, tuple[str, str]] = field(default_factory=dict)  # mother, father
    children: dict[str, list[str]] = field(default_factory=dict)  # by either parent

    def related(self, relation: str, start: str) -> set[str]:
        found = set[str]()
        for way in RELATIONS[relation]:
            here = {start}
            for step in way:
                here = {other for one in here for other in self._next(step, one)}
            found |= here
        return found

    def _next(self, step: str, one: str) -> Iterable[str]:
        match step:
            case "parent":
                return self.parents.get(one, ())
            case "child":
                return self.children.get(one, [])
            case "sibling":
                mother = self.parents.get(one, ("",))[0]
                return [child for child in self.children.get(mother, []) if child != one]
            case "spouse":
                return [self.spouse[one]] if one in self.spouse else []
            case _:
                return [one] if (one in self.women) == (step == "woman") else []


def _grown(rng: Random, size: int) -> _Tree:
    """One couple and its offspring or, with many people, two of them with marriages between."""
    tree, names = _Tree(), {True: rng.sample(WOMEN, len(WOMEN)), False: rng.sample(MEN, len(MEN))}
    lines: dict[str, str] = {}  # whose offspring somebody is; those of both lines marry outside
    couples: list[tuple[str, str]] = []

    def named(woman: bool, line: str) -> str:
        who = names[woman].pop()
        tree.people.append(who)
        tree.women |= {who} if woman else set()
        lines[who] = line
        return who

    def wed(one: str, other: str) -> None:
        tree.spouse |= {one: other, other: one}
        tree.children |= {one: [], other: []}
        couples.append((one, other) if one in tree.women else (other, one))

    for line in ("A", "B")[: 2 if size >= 14 else 1]:
        wed(named(True, line), named(False, line))
    while len(tree.people) < size:
        single = [who for who in tree.parents if who not in tree.spouse]
        childless = [couple for couple in couples if not tree.children[couple[0]]]
        if single and not childless and rng.random() < 0.5:
            one = rng.choice(single)
            woman = one not in tree.women
            fitting = [
                other
                for other in single
                if (other in tree.women) == woman and {lines[one], lines[other]} == {"A", "B"}
            ]
            if fitting or names[woman]:
                wed(one, rng.choice(fitting) if fitting else named(woman, ""))
            continue
        small = [couple for couple in couples if len(tree.children[couple[0]]) < 4]
        mother, father = rng.choice(childless or small or couples)
        woman = not names[False] or (bool(names[True]) and rng.random() < 0.5)
        of_both = {lines[mother], lines[father]} == {"A", "B"}
        child = named(woman, "AB" if of_both else lines[mother] or lines[father])
        tree.parents[child] = (mother, father)
        for parent in (mother, father):
            tree.children[parent].append(child)
    return tree


def _told(rng: Random, tree: _Tree, winding: float) -> tuple[Fact, ...]:
    """One fact for each marriage and each child: enough to know the whole tree."""
    facts = list[Fact]()
    placed = set[str]()  # children of whom it has been said whose they are
    for who in tree.people:
        if who in tree.women and who in tree.spouse:
            couple = (who, tree.spouse[who])
            facts.append(("wife", *couple) if rng.random() < 0.5 else ("husband", *couple[::-1]))
    for who in rng.sample(tree.people, len(tree.people)):
        if who not in tree.parents:
            continue
        woman, parent = who in tree.women, rng.choice(tree.parents[who])
        by_mother = parent in tree.women
        facts.append(("daughter" if woman else "son", who, parent))
        ways = list[Fact]()
        if who in tree.spouse:  # the marriage says whether this is a man
            word = "mother" if by_mother else "father"
            ways.append((word, parent, who))
            ways.append((f"{word}-in-law", parent, tree.spouse[who]))
            side = "maternal" if woman else "paternal"
            grand = f"{side} {'grandmother' if by_mother else 'grandfather'}"
            ways += [(grand, parent, child) for child in tree.children[who][:1]]
        siblings = [child for child in tree.children[parent] if child in placed]
        if siblings:
            ways += [("sister" if woman else "brother", who, rng.choice(siblings))] * 2
        if ways and rng.random() < winding:
            facts[-1] = rng.choice(ways)
        placed.add(who)
    rng.shuffle(facts)
    return tuple(facts)


def _people(clan: Clan) -> list[str]:
    return sorted({name for _, *names in clan.facts for name in names})


def _women(clan: Clan) -> set[str]:
    """Who is called a wife, a mother and so on, and who has a husband."""
    called = {who for word, who, _ in clan.facts if word in FEMALE}
    return called | {whom for word, _, whom in clan.facts if word == "husband"}


class _Merged:
    """People and homes, known or not, some of which turn out to be the same.

    Of everybody there is a home, where the person is a wife or husband, and an origin, the home of
    the parents; of every home there are a woman and a man. What is the same has the same of these.
    """

    def __init__(self) -> None:
        self.same: dict[str, str] = {}
        self.of: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self.unknown = 0

    def find(self, node: str) -> str:
        while node in self.same:
            node = self.same[node]
        return node

    def get(self, what: str, node: str) -> str:
        known = self.of[self.find(node)]
        if what not in known:
            self.unknown += 1
            known[what] = f"unknown {self.unknown}"
        return self.find(known[what])

    def unite(self, one: str, other: str) -> None:
        one, other = self.find(one), self.find(other)
        if one != other:
            self.same[one] = other
            for what, node in self.of.pop(one, {}).items():
                self.unite(node, self.of[self.find(other)].setdefault(what, node))


@dataclass(slots=True)
class _Kin:
    people: list[str]
    women: set[str]
    parents: Pairs  # (parent, child)
    spouses: Pairs  # both ways round
    known: dict[tuple[str, str], set[str]] = field(default_factory=dict)  # what _those has found


def _deduced(clan: Clan) -> _Kin:
    """What the facts say of parents and marriages, once nothing more follows."""
    kin = _Kin(_people(clan), _women(clan), set(), set())
    for word, who, whom in clan.facts:
        if word in ("wife", "husband"):
            kin.spouses |= {(who, whom), (whom, who)}
        elif word in ("mother", "father"):
            kin.parents.add((who, whom))
        elif word in ("daughter", "son"):
            kin.parents.add((whom, who))
    before = -1
    while before < len(kin.parents):
        before = len(kin.parents)
        for parent, child in tuple(kin.parents):
            kin.parents |= {(other, child) for one, other in kin.spouses if one == parent}
        for word, who, whom in clan.facts:
            if word in ("sister", "brother"):
                ours = {parent for parent, child in kin.parents if child in (who, whom)}
                kin.parents |= {(parent, child) for parent in ours for child in (who, whom)}
            elif word.endswith("-in-law"):
                kin.parents |= {(who, other) for one, other in kin.spouses if one == whom}
            elif " " in word:
                side = word.startswith("maternal")
                kin.parents |= {
                    (who, parent)
                    for parent, child in tuple(kin.parents)
                    if child == whom and (parent in kin.women) == side
                }
    return kin


def _those(kin: _Kin, relation: str, whom: str) -> set[str]:
    """Who is that of somebody."""
    asked = (relation, whom)
    if asked not in kin.known:
        kin.known[asked] = _defined(kin, relation, whom)
    return kin.known[asked]


def _defined(kin: _Kin, relation: str, whom: str) -> set[str]:
    """By the relation's definition."""

    def by_way_of(first: str, then: str) -> set[str]:
        return {one for other in _those(kin, first, whom) for one in _those(kin, then, other)}

    match relation:
        case "parents":
            return {parent for parent, child in kin.parents if child == whom}
        case "children":
            return {child for parent, child in kin.parents if parent == whom}
        case "spouses":
            return {one for one, other in kin.spouses if other == whom}
        case "daughters":
            return _those(kin, "children", whom) & kin.women
        case "sons":
            return _those(kin, "children", whom) - kin.women
        case "siblings":
            return by_way_of("parents", "children") - {whom}
        case "sisters":
            return _those(kin, "siblings", whom) & kin.women
        case "brothers":
            return _those(kin, "siblings", whom) - kin.women
        case "cousins":
            return by_way_of("uncles", "children") | by_way_of("aunts", "children")
        case "second cousins":
            return by_way_of("cousins of parents", "children")
        case "sons-in-law":
            return by_way_of("daughters", "spouses") - kin.women
        case "daughters-in-law":
            return by_way_of("sons", "spouses") & kin.women
        case "brothers-in-law":
            wed = by_way_of("sisters", "spouses") - kin.women
            return wed | by_way_of("spouses", "brothers")
        case "sisters-in-law":
            wed = by_way_of("brothers", "spouses") & kin.women
            return wed | by_way_of("spouses", "sisters")
    return by_way_of(*BY_WAY_OF[relation])


def _sentence(fact: Fact, style: Style) -> str:
    word, who, whom = fact
    if word in ("daughter", "son", "sister", "brother"):  # there may be more of them
        return style.pick(
            f"{who} is a {word} of {whom}.",
            f"{who} is {whom}'s {word}.",
            f"{whom} has a {word} called {who}.",
        )
    return style.pick(
        f"{who} is the {word} of {whom}.",
        f"{who} is {whom}'s {word}.",
        f"{whom}'s {word} is called {who}.",
    )


LADDER = (
    Knobs(8, 7, 1, 0.0),
    Knobs(11, 16, 1, 0.2),
    Knobs(16, 19, 2, 0.4),
    Knobs(22, 25, 2, 0.6),
    Knobs(30, 25, 3, 0.8),
)
FAMILY = Family(
    Clan,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(),
    hardness=hardness,
    proof="unique",
    solver="congruence closure over households, relations as sets of pairs",
    guess_rate=0.1,
    steps=steps,
    canon=canon,
    known=_people,
    skills=("logic", "tracking"),
    peers=("reasoning-gym/family_relationships",),
    version=3,
)
