"""Syllogism: from "all", "no", "some" and "only", which conclusions must be true?

Whether a group may be empty is said in every prompt, for much hangs on it. `verify` looks at the
kinds of people there can be, one for each way of belonging to the groups (the regions of a Venn
diagram); `solve` gives every "some" a person of its own and asks SAT whether the premises and the
opposite of a conclusion can be true of those people.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import capital, listed
from puzzlemill.generators import _sat
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.logic._wording import LABELS, lettered, numbered

Claim: TypeAlias = tuple[str, str, str]  # one of KINDS, subject, predicate
Person: TypeAlias = tuple[bool, ...]  # whether in each of the groups

KINDS = ("all", "no", "some", "some not", "only")
UNIVERSAL = ("all", "no", "only")
NON = "non-"  # before a subject: those who are not in the group
GROUPS = (
    "bakers", "cyclists", "dancers", "farmers", "gardeners", "hunters", "jugglers", "knitters",
    "lawyers", "miners", "painters", "poets", "sailors", "singers", "skaters", "swimmers",
    "tailors", "weavers",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Knobs:
    groups: int  # that the claims speak of
    premises: int  # that are told
    negated: float  # share of claims about those who are not in a group
    conclusions: int  # to choose from


@dataclass(frozen=True, slots=True)
class Village:
    groups: tuple[str, ...]
    inhabited: bool  # whether every group has a member; if not, a group may be empty
    premises: tuple[Claim, ...]
    conclusions: tuple[Claim, ...]


def generate(rng: Random, knobs: Knobs) -> Village | None:
    groups = tuple(rng.sample(GROUPS, knobs.groups))
    venn = _Venn(groups, inhabited=rng.random() < 0.5)
    premises: list[Claim] = []
    for _ in range(60):
        # The first claims link each group to one before it, the others any two.
        linking = len(premises) + 1 < knobs.groups
        linked = groups[: 2 + len(premises)] if linking else groups
        new = linked[-1] if linking else rng.choice(groups)
        pair = [new, rng.choice([group for group in linked if group != new])]
        claim = _claim(rng, knobs, pair)
        if not venn.follows(premises, claim) and venn.consistent([*premises, claim]):
            premises.append(claim)
        if len(premises) == knobs.premises:
            break
    if len(premises) < knobs.premises or not _all_needed(venn, premises):
        return None
    left = {True: rng.randrange(1, knobs.conclusions), False: 0}
    left[False] = knobs.conclusions - left[True]
    chosen: list[Claim] = []
    known = set(map(venn.meaning, premises))
    following: dict[tuple[bool, int], bool] = {}
    for _ in range(200):
        claim = _claim(rng, knobs, rng.sample(groups, 2))
        meaning = venn.meaning(claim)
        if meaning in known:
            continue
        if meaning not in following:
            following[meaning] = venn.follows(premises, claim)
        follows = following[meaning]
        if not left[follows]:
            continue
        alone = knobs.premises > 2 and any(venn.follows([each], claim) for each in premises)
        if alone and rng.random() < 0.8:
            continue
        chosen.append(claim)
        known.add(meaning)
        left[follows] -= 1
        if not any(left.values()):
            rng.shuffle(premises)
            rng.shuffle(chosen)
            return Village(groups, venn.inhabited, tuple(premises), tuple(chosen))
    return None


def solve(village: Village) -> tuple[str, ...] | None:
    """SAT over people: one for every "some", one for every group that has a member, and one more.

    No claim speaks of two people at once, so these are enough: others could be left out.
    """
    sound, *possible = _possible(village, [_opposite(claim) for claim in village.conclusions])
    if not sound:
        return None  # from premises that cannot all be true anything follows
    return tuple(label.lower() for label, can in zip(LABELS, possible) if not can)


def verify(village: Village, chosen: tuple[str, ...]) -> float:
    following = {
        label.lower()
        for label, claim in zip(LABELS, village.conclusions)
        if _counterexample(village, village.premises, claim) is None
    }
    return float(set(chosen) == following)


def render(village: Village, style: Style) -> Prompt:
    groups = listed(village.groups)
    members = (
        "Each of these groups has at least one member."
        if village.inhabited
        else "Any of these groups may be empty."
    )
    notes = " ".join([members, *_notes(village)])
    premises = numbered(_sentence(claim) for claim in village.premises)
    conclusions = lettered(_sentence(claim) for claim in village.conclusions)
    return Prompt(
        style.pick(
            "In a village, where at least one person lives, these groups are distinguished:"
            f" {groups}. A villager may belong to several of them, or to none. {notes}\n\nThis is"
            f" known about the villagers:\n{premises}\n\nWhich of the statements below follow from"
            f" that, so that they must be true?\n{conclusions}",
            f"{premises}\n\nThese sentences are true of the people in a club, of whom there is at"
            f" least one. The groups that they speak of ({groups}) may overlap in any way that the"
            f" sentences allow, and there may be people in none of them. {notes}\n\nDecide which"
            f" of the conclusions below are valid, that is, cannot be false.\n\n{conclusions}",
            f"Premises about the people on a ship (there is at least one person on it):\n{premises}"
            f"\n\nPossible conclusions about the people on the ship:\n{conclusions}\n\nA person can"
            f" belong to none, one or more of the groups {groups}. {notes} Find every conclusion"
            " that is true whenever all the premises are.",
        ),
        form="the labels of all conclusions that follow (at least one does, and not all),"
        " separated by commas",
    )


def steps(village: Village) -> list[str]:
    """For each conclusion the premises that force it, or people among whom it is false."""
    lines = []
    for label, claim in zip(LABELS, village.conclusions):
        people = _counterexample(village, village.premises, claim)
        if people is None:
            used = _enough(village, claim)
            if used:
                premises = f"premise{'s' if len(used) > 1 else ''} {listed(used)}"
            else:
                premises = "what is said of the groups alone"
            against = _clause(_opposite(claim))
            lines.append(f"{label} follows: with {premises} it cannot be that {against}")
        else:
            kinds = "; ".join(_told(village, person) for person in people)
            lines.append(f"{label} is false if there are just these people: {kinds}")
    return lines


def canon(village: Village) -> list[str]:
    """The groups' names do not matter, nor the order of anything."""
    facts: list[object] = [("inhabited", str(village.inhabited))]
    for role, claims in (("given", village.premises), ("asked", village.conclusions)):
        for kind, subject, predicate in claims:
            sign = "non" if subject.startswith(NON) else "in"
            facts.append((role, (kind, (sign, subject.removeprefix(NON)), ("in", predicate))))
    return unnamed(facts, village.groups, ("no", "some"))


def hardness(village: Village) -> float:
    """What has to be kept in mind: regions of the Venn diagram, premises and negations."""
    claims = (*village.premises, *village.conclusions)
    negated = sum(claim[1].startswith(NON) for claim in claims)
    return float(2 ** len(village.groups) + len(claims) + negated)


def _claim(rng: Random, knobs: Knobs, pair: Sequence[str]) -> Claim:
    subject, predicate = pair if rng.random() < 0.5 else reversed(pair)
    if rng.random() < knobs.negated:
        subject = NON + subject
    return rng.choice(KINDS), subject, predicate


class _Venn:
    """Sets of regions as integers: bit r for region r, which lies in group i where r has bit i."""

    def __init__(self, groups: Sequence[str], inhabited: bool) -> None:
        self.inhabited = inhabited
        self.everywhere = (1 << (1 << len(groups))) - 1
        self.inside: dict[str, int] = {}
        self.known: dict[Claim, int] = {}
        for place, group in enumerate(groups):
            half = 1 << place
            self.inside[group] = self.everywhere // ((1 << half) + 1) << half
            self.inside[NON + group] = self.everywhere ^ self.inside[group]
        members = [self.inside[group] for group in groups] if inhabited else []
        self.peopled = [self.everywhere, *members]  # in each of these sets there is somebody

    def regions(self, claim: Claim) -> int:
        """What a universal claim empties; where a particular one says that somebody is."""
        if claim not in self.known:
            kind, subject, predicate = claim
            one, other = self.inside[subject], self.inside[predicate]
            only = other & ~one if kind == "only" else one & other
            self.known[claim] = one & ~other if kind in ("all", "some not") else only
        return self.known[claim]

    def consistent(self, claims: Sequence[Claim], emptied: int = 0) -> bool:
        left = self.everywhere & ~emptied
        for claim in claims:
            if claim[0] in UNIVERSAL:
                left &= ~self.regions(claim)
        somewhere = [self.regions(claim) for claim in claims if claim[0] not in UNIVERSAL]
        return all(regions & left for regions in (*self.peopled, *somewhere))

    def follows(self, premises: Sequence[Claim], claim: Claim) -> bool:
        """From premises that are consistent."""
        if claim[0] not in UNIVERSAL:
            return not self.consistent(premises, emptied=self.regions(claim))
        emptied = [self.regions(premise) for premise in premises if premise[0] in UNIVERSAL]
        left = self.regions(claim)
        for regions in emptied:
            left &= ~regions
        return not left

    def meaning(self, claim: Claim) -> tuple[bool, int]:
        """The same for claims that say the same."""
        return claim[0] in UNIVERSAL, self.regions(claim)


def _all_needed(venn: _Venn, premises: list[Claim]) -> bool:
    return not any(
        venn.follows([other for other in premises if other != premise], premise)
        for premise in premises
    )


def _opposite(claim: Claim) -> Claim:
    kind, subject, predicate = claim
    if kind == "only":
        return _opposite(("no", predicate, _other_side(subject)))
    return {"all": "some not", "some not": "all", "no": "some", "some": "no"}[kind], *claim[1:]


def _other_side(term: str) -> str:
    return term.removeprefix(NON) if term.startswith(NON) else NON + term


def _possible(village: Village, others: Sequence[Claim]) -> list[bool]:
    """Whether the premises can all be true; then, of each other claim, whether it can be so too.

    By SAT: a variable for each person and group, and one for each claim that may be supposed.
    """
    given, supposed = map(_split, (village.premises, others))
    people: list[list[str]] = [[], *(terms for exists, terms in given if exists)]
    if village.inhabited:
        people += [[group] for group in village.groups]
    more = len(people)  # one more person, of whom any of the others may say that there is one
    places = {group: place for place, group in enumerate(village.groups, 1)}
    signed = places | {NON + group: -place for group, place in places.items()}

    def literal(person: int, term: str) -> int:
        number, before = signed[term], person * len(places)
        return number + before if number > 0 else number - before

    clauses = [[literal(at, term)] for at, terms in enumerate(people) for term in terms]
    suppositions: list[list[int]] = [[]]
    for number, (exists, terms) in enumerate(supposed, (more + 1) * len(places) + 1):
        suppositions.append([literal(more, term) for term in terms] if exists else [number])
    nobody: list[tuple[list[int], list[str]]] = [
        *(([], terms) for exists, terms in given if not exists),
        *(
            ([-guard], terms)
            for (exists, terms), (guard, *_) in zip(supposed, suppositions[1:])
            if not exists
        ),
    ]
    clauses += [
        [*guard, *(-literal(at, term) for term in terms)]
        for at in range(more + 1)
        for guard, terms in nobody
    ]
    return _sat.possible(clauses, suppositions)


def _split(claims: Iterable[Claim]) -> list[tuple[bool, list[str]]]:
    """Each claim as whether somebody, or nobody, is all of some things at once."""
    split = []
    for kind, subject, predicate in claims:
        match kind:
            case "all" | "some not":
                terms = [subject, _other_side(predicate)]
            case "only":
                terms = [predicate, _other_side(subject)]
            case _:
                terms = [subject, predicate]
        split.append((kind not in UNIVERSAL, terms))
    return split


def _counterexample(
    village: Village, premises: Sequence[Claim], denied: Claim
) -> list[Person] | None:
    """People of whom the premises are true and a conclusion is false; None if there are none."""
    groups, general = village.groups, denied[0] in UNIVERSAL
    kinds = [
        person
        for person in _allowed(groups, tuple(premises))
        if general or not _shows(groups, person, denied)
    ]
    found = [
        [kind for kind in kinds if _shows(groups, kind, claim)]
        for claim in premises
        if claim[0] not in UNIVERSAL
    ]
    if general:
        found.append([kind for kind in kinds if _breaks(groups, kind, denied)])
    if village.inhabited:
        found += [[kind for kind in kinds if kind[place]] for place in range(len(groups))]
    if not kinds or not all(found):
        return None
    simplest = {min(fitting, key=sum) for fitting in found}
    return sorted(simplest or {kinds[-1]}, reverse=True)


@lru_cache(maxsize=16)  # asked for each conclusion
def _allowed(groups: tuple[str, ...], premises: tuple[Claim, ...]) -> list[Person]:
    """The kinds of people that there may be, if premises are true."""
    return [
        person
        for person in product((True, False), repeat=len(groups))
        if not any(_breaks(groups, person, claim) for claim in premises)
    ]


def _enough(village: Village, conclusion: Claim) -> list[str]:
    """The numbers of premises from which the conclusion follows, none of them idle."""
    numbers = list(range(len(village.premises)))
    for number in tuple(numbers):
        fewer = [other for other in numbers if other != number]
        told = [village.premises[other] for other in fewer]
        if _counterexample(village, told, conclusion) is None:
            numbers = fewer
    return [str(number + 1) for number in numbers]


def _is(groups: Sequence[str], person: Person, term: str) -> bool:
    if term.startswith(NON):
        return not person[groups.index(term[len(NON) :])]
    return person[groups.index(term)]


def _breaks(groups: Sequence[str], person: Person, claim: Claim) -> bool:
    """Whether a universal claim is false because of this person."""
    kind, subject, predicate = claim
    if kind == "all":
        return _is(groups, person, subject) and not _is(groups, person, predicate)
    if kind == "no":
        return _is(groups, person, subject) and _is(groups, person, predicate)
    if kind == "only":
        return _is(groups, person, predicate) and not _is(groups, person, subject)
    return False


def _shows(groups: Sequence[str], person: Person, claim: Claim) -> bool:
    """Whether a "some" is true because of this person."""
    kind, subject, predicate = claim
    return _is(groups, person, subject) and _is(groups, person, predicate) == (kind == "some")


def _told(village: Village, person: Person) -> str:
    names = [group.removesuffix("s") for group, inside in zip(village.groups, person) if inside]
    return f"one who is a {listed(names)}" if names else "one who is none of these"


def _notes(village: Village) -> list[str]:
    """What a reader has to be told about the words that occur."""
    claims = (*village.premises, *village.conclusions)
    kinds, subjects = {claim[0] for claim in claims}, [claim[1] for claim in claims]
    notes = []
    if not kinds.isdisjoint(("some", "some not")):
        notes.append('"Some" means at least one, and perhaps all.')
    if "all" in kinds:
        notes.append(
            '"All X are Y" means that there is no X who is not a Y; so it is true if there is no X'
            " at all."
        )
    if "only" in kinds:
        notes.append('"Only X are Y" means that nobody is a Y without being an X.')
    if example := next((subject for subject in subjects if subject.startswith(NON)), ""):
        notes.append(
            f"{capital(example)} are all the people who are not {example.removeprefix(NON)};"
            " there may be nobody like that."
        )
    return notes


def _sentence(claim: Claim) -> str:
    return f"{capital(_clause(claim))}."


def _clause(claim: Claim) -> str:
    kind, subject, predicate = claim
    if kind == "some not":
        return f"some {subject} are not {predicate}"
    return f"{kind} {subject} are {predicate}"


LADDER = (
    Knobs(3, 2, 0.0, 5),
    Knobs(3, 3, 0.1, 6),
    Knobs(4, 4, 0.2, 7),
    Knobs(5, 6, 0.3, 8),
    Knobs(6, 8, 0.4, 9),
)
FAMILY = Family(
    Village,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(items="letters"),
    hardness=hardness,
    proof="unique",
    solver="SAT over one person for every claim that there is somebody",
    guess_rate=0.1,  # some of five, not none and not all
    steps=steps,
    canon=canon,
    known=lambda village: LABELS[: len(village.conclusions)],
    skills=("logic", "sets"),
    peers=("reasoning-gym/syllogism",),
    version=2,
)
