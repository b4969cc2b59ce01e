"""Evidence: which of the premises are needed to prove a claim?

All of them together prove it, and one selection alone does so without anything superfluous.
`generate` builds a proof and adds premises that open no other way, `solve` asks SAT of each premise
whether the others prove the claim without it, and `verify` searches for a way to meet the chosen
premises and still break the claim, then for one without each of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators import _sat
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES
from puzzlemill.generators.logic._wording import numbered

Fact: TypeAlias = tuple[str, bool]  # somebody, and whether this person comes

# ("is", fact), ("if", (fact, …), fact), ("some", who, who, who), ("not both", who, who),
# ("one", who, who) or ("same", who, who)
Premise: TypeAlias = tuple[Any, ...]
Guests: TypeAlias = dict[str, bool]  # of whom it is settled, whether they come


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # whom the premises are about
    needed: int  # premises in the proof, about
    spare: int  # premises beside it
    cases: float  # share of steps of the proof that look at two cases


@dataclass(frozen=True, slots=True)
class Dossier:
    people: tuple[str, ...]
    premises: tuple[Premise, ...]
    claim: Fact


def generate(rng: Random, knobs: Knobs) -> Dossier | None:
    people = tuple(rng.sample(NAMES, knobs.people))
    comes = {who: rng.random() < 0.5 for who in people}
    needed, claim = _proof(rng, knobs, comes)
    worlds = _Worlds(people)
    against = worlds.of(("is", (claim[0], not claim[1])))

    def breaks(premises: list[Premise]) -> bool:
        """Whether some of the needed premises could be left out of these."""
        truths = [worlds.of(premise) for premise in premises]
        return not all(
            reduce(and_, truths[:place] + truths[place + 1 :], against)
            for place in range(len(needed))
        )

    if not knobs.needed - 1 <= len(needed) <= knobs.needed + 1 or breaks(needed):
        return None
    assert not reduce(and_, map(worlds.of, needed), against), "a proof is one"
    spare: list[Premise] = []
    for _ in range(20 * knobs.spare):
        premise = _premise(rng, comes)
        if premise not in needed + spare and not breaks([*needed, *spare, premise]):
            spare.append(premise)
            if len(spare) == knobs.spare:
                premises = rng.sample(needed + spare, len(needed + spare))
                return Dossier(people, tuple(premises), claim)
    return None


def solve(dossier: Dossier) -> tuple[int, ...] | None:
    """SAT: the premises without any one of which the claim can be false must do alone."""
    numbers = {who: number for number, who in enumerate(dossier.people, 1)}
    clauses = [_clauses(premise, numbers) for premise in dossier.premises]
    who, comes = dossier.claim
    against = [[-numbers[who] if comes else numbers[who]]]

    def proved(chosen: Sequence[int]) -> bool:
        told = [clause for place in chosen for clause in clauses[place]]
        return _sat.any_model(told + against) is None

    places = range(len(clauses))
    needed = [
        place for place in places if not proved([other for other in places if other != place])
    ]
    consistent = _sat.any_model([clause for group in clauses for clause in group]) is not None
    return tuple(place + 1 for place in needed) if consistent and proved(needed) else None


def verify(dossier: Dossier, chosen: tuple[int, ...]) -> float:
    if not set(chosen) <= set(range(1, len(dossier.premises) + 1)):
        return 0.0
    premises = [dossier.premises[number - 1] for number in sorted(set(chosen))]
    who, comes = dossier.claim
    if _completed(premises, {who: not comes}) is not None:
        return 0.0
    fewer = ([other for other in premises if other != premise] for premise in premises)
    return float(all(_completed(rest, {who: not comes}) is not None for rest in fewer))


def render(dossier: Dossier, style: Style) -> Prompt:
    premises = numbered(f"{_said(premise)}." for premise in dossier.premises)
    people, claim = listed(dossier.people), _fact(dossier.claim)
    return Prompt(
        style.pick(
            f"{people} have been invited to a party. This much is certain:\n\n{premises}\n\nFrom"
            f" these premises it follows that {claim}. Most of the list may be superfluous for"
            " that: there is exactly one selection of premises that proves it and from which"
            " nothing can be left out. Which premises are in this selection?",
            f"Claim: {claim[0].upper()}{claim[1:]}.\n\nPremises:\n{premises}\n\nEach of {people}"
            " either comes or does not come. Taken together, the premises prove the claim, but not"
            " all of them are needed. Strike out what is not: keep a set of premises that still"
            " proves the claim, while no smaller part of this set does. Only one set is like that.",
            f"A host knows the following about the guests {people}:\n\n{premises}\n\nThe host"
            f" concludes that {claim}. On which of the numbered premises does this conclusion rest?"
            " Give the premises that prove it together, though they would not do so if any one of"
            " them were missing. (There is only one such group of premises.)",
        ),
        form="the numbers of these premises, separated by commas",
    )


def steps(dossier: Dossier) -> list[str]:
    """How the needed premises refute the opposite of the claim, and why each is needed."""
    needed = solve(dossier) or ()
    who, comes = dossier.claim
    told = {number: dossier.premises[number - 1] for number in needed}
    lines = [f"suppose that {_fact((who, not comes))}"]
    _refute(told, {who: not comes}, lines)
    for number in needed:
        rest = [premise for other, premise in told.items() if other != number]
        guests = _completed(rest, {who: not comes}) or {}
        coming = listed([name for name in dossier.people if guests.get(name)]) or "none"
        lines.append(f"without premise {number} the guests could be just these: {coming}")
    return lines


def canon(dossier: Dossier) -> list[str]:
    facts = [*dossier.premises, ("claim", dossier.claim)]
    return unnamed(facts, dossier.people, ("some", "not both", "one", "same"))


def hardness(dossier: Dossier) -> float:
    """How often people are mentioned."""
    return float(sum(len(_mentioned(premise)) for premise in dossier.premises))


def _proof(rng: Random, knobs: Knobs, comes: Guests) -> tuple[list[Premise], Fact]:
    """Premises that settle one person after another, and what the last of them proves."""
    unknown = rng.sample(sorted(comes), len(comes))
    proved: dict[str, list[Premise]] = {}  # all that a person's coming or not rests on
    waiting: list[str] = []  # of these no use has been made
    while True:
        who = unknown.pop()
        told: list[Premise]
        if not waiting or (rng.random() < 0.25 and len(waiting) < 3):
            told, used = [("is", (who, comes[who]))], []
        elif unknown and rng.random() < knobs.cases:
            used = [waiting.pop()]
            doubt = unknown.pop()
            given = (used[0], comes[used[0]])
            told = [
                ("if", (given, (doubt, True)), (who, comes[who])),
                ("if", ((doubt, False),), (who, comes[who])),
            ]
        else:
            used = [waiting.pop() for _ in range(min(len(waiting), rng.choice((1, 1, 2))))]
            told = [_link(rng, comes, used, who)]
        proved[who] = [*told, *(premise for other in used for premise in proved[other])]
        waiting.insert(0, who)
        last = max(proved, key=lambda name: len(proved[name]))
        if len(proved[last]) >= knobs.needed or len(unknown) < 2:
            return list(dict.fromkeys(proved[last])), (last, comes[last])


def _link(rng: Random, comes: Guests, used: list[str], who: str) -> Premise:
    """A premise by which what is known of some settles another."""
    result = (who, comes[who])
    if len(used) > 1:
        return "if", tuple((other, comes[other]) for other in used), result
    (other,) = used
    ways: list[Premise] = [
        ("if", ((other, comes[other]),), result),
        ("if", ((who, not comes[who]),), (other, not comes[other])),
        ("same" if comes[who] == comes[other] else "one", *rng.sample((who, other), 2)),
    ]
    if comes[other] and not comes[who]:
        ways.append(("not both", *rng.sample((who, other), 2)))
    return rng.choice(ways)


def _premise(rng: Random, comes: Guests) -> Premise:
    """Something true."""
    while True:
        one, other, another = rng.sample(sorted(comes), 3)
        match rng.randrange(8):
            case 0:
                return "is", (one, comes[one])
            case 1 if comes[one] or comes[other] or comes[another]:
                return "some", one, other, another
            case 2 if not (comes[one] and comes[other]):
                return "not both", one, other
            case 3:
                return "same" if comes[one] == comes[other] else "one", one, other
            case 4 | 5 | 6 | 7:
                first = (one, rng.random() < 0.5)
                conditions = (first, (other, rng.random() < 0.5))[: rng.choice((1, 1, 2))]
                met = all(comes[who] == so for who, so in conditions)
                return "if", conditions, (another, comes[another] if met else rng.random() < 0.5)


class _Worlds:
    """Sets of worlds as integers: in world w, person i comes where w has bit i."""

    def __init__(self, people: Sequence[str]) -> None:
        self.everywhere = (1 << (1 << len(people))) - 1
        self.coming = {}
        for place, who in enumerate(people):
            half = 1 << place
            self.coming[who] = self.everywhere // ((1 << half) + 1) << half

    def of(self, premise: Premise) -> int:
        """Where the premise is true."""
        match premise:
            case ("is", fact):
                return self._fact(fact)
            case ("if", conditions, result):
                met = reduce(and_, map(self._fact, conditions))
                return self.everywhere & ~met | self._fact(result)
            case ("some", one, other, another):
                return self.coming[one] | self.coming[other] | self.coming[another]
            case (kind, one, other):
                both = self.coming[one] & self.coming[other]
                differ = self.coming[one] ^ self.coming[other]
                excluded = {"not both": both, "one": self.everywhere ^ differ, "same": differ}[kind]
                return self.everywhere ^ excluded
        raise AssertionError(f"no premise {premise}")

    def _fact(self, fact: Fact) -> int:
        who, comes = fact
        return self.coming[who] if comes else self.everywhere ^ self.coming[who]


def _clauses(premise: Premise, numbers: dict[str, int]) -> list[_sat.Clause]:
    def literal(fact: Fact) -> int:
        return numbers[fact[0]] if fact[1] else -numbers[fact[0]]

    kind, *rest = premise
    if kind == "is":
        return [[literal(rest[0])]]
    if kind == "if":
        return [[*(-literal(condition) for condition in rest[0]), literal(rest[1])]]
    people = [numbers[who] for who in rest]
    apart = [-number for number in people]
    one, other = people[:2]
    return {
        "some": [people],
        "not both": [apart],
        "one": [people, apart],
        "same": [[one, -other], [-one, other]],
    }[kind]


def _completed(premises: Sequence[Premise], guests: Guests) -> Guests | None:
    """More settled guests, such that all premises are true; None where that cannot be."""
    verdicts = [_holds(premise, guests) for premise in premises]
    if False in verdicts:
        return None
    if None not in verdicts:
        return guests
    who = next(who for who in _mentioned(premises[verdicts.index(None)]) if who not in guests)
    for comes in (False, True):
        found = _completed(premises, guests | {who: comes})
        if found is not None:
            return found
    return None


def _holds(premise: Premise, guests: Guests) -> bool | None:
    """Whether a premise is true; None where that is not settled."""
    kind, *rest = premise
    if kind in ("is", "if"):
        *conditions, (who, comes) = rest
        met = [so == guests.get(one) for group in conditions for one, so in group if one in guests]
        if False in met:
            return True
        if who in guests and guests[who] == comes:
            return True
        settled = len(met) == len(rest[0] if conditions else ())
        return False if settled and who in guests else None
    seen = [guests.get(who) for who in rest]
    if kind == "some":
        return True if True in seen else None if None in seen else False
    if kind == "not both" and False in seen:
        return True
    if None in seen:
        return None
    return sum(map(bool, seen)) in {"not both": (0, 1), "one": (1,), "same": (0, 2)}[kind]


def _refute(told: dict[int, Premise], guests: Guests, lines: list[str]) -> None:
    """Draw conclusions, and suppose where there are none, until a premise is broken."""
    while True:
        forced = None
        for number, premise in told.items():
            if _holds(premise, guests) is False:
                lines.append(f"that breaks premise {number}")
                return
            for who in _mentioned(premise):
                for comes in (True, False):
                    if who not in guests and _holds(premise, guests | {who: not comes}) is False:
                        forced = forced or (number, who, comes)
        if forced is None:
            break
        number, who, comes = forced
        guests = guests | {who: comes}
        lines.append(f"by premise {number}, {_fact((who, comes))}")
    who = next(who for premise in told.values() for who in _mentioned(premise) if who not in guests)
    for comes in (True, False):
        lines.append(f"suppose that {_fact((who, comes))}")
        _refute(told, guests | {who: comes}, lines)


def _mentioned(premise: Premise) -> list[str]:
    kind, *rest = premise
    if kind == "is":
        return [rest[0][0]]
    if kind == "if":
        return [*(who for who, _ in rest[0]), rest[1][0]]
    return rest


def _fact(fact: Fact) -> str:
    who, comes = fact
    return f"{who} {'comes' if comes else 'does not come'}"


def _said(premise: Premise) -> str:
    match premise:
        case ("is", fact):
            return _fact(fact)
        case ("if", conditions, result):
            return f"If {listed([_fact(each) for each in conditions])}, then {_fact(result)}"
        case ("some", *people):
            return f"At least one of {listed(people)} comes"
        case ("not both", one, other):
            return f"{one} and {other} do not both come"
        case ("one", one, other):
            return f"Exactly one of {one} and {other} comes"
        case (_, one, other):
            return f"{one} comes if and only if {other} comes"
    raise AssertionError(f"no premise {premise}")


LADDER = (
    Knobs(6, 3, 5, 0.0),
    Knobs(8, 4, 6, 0.1),
    Knobs(10, 5, 9, 0.2),
    Knobs(12, 7, 12, 0.3),
    Knobs(14, 9, 16, 0.4),
)
FAMILY = Family(
    Dossier,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntSet(called=("premise",)),
    hardness=hardness,
    proof="unique",
    solver="SAT, once without each premise and once with the needed ones alone",
    guess_rate=0.2,  # to who knows how many premises it takes, and the first and last of them
    steps=steps,
    canon=canon,
    skills=("logic", "search"),
    peers=("reasoning-core/multistep_evidence_retrieval",),
)
