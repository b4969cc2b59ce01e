"""River crossing: get everybody across in a small boat, keeping apart those who must be kept apart.

Three kinds: a farmer whose animals must not be left alone together, merchants who fear the
bodyguards of others, and guards whom prisoners must not outnumber. Every way within the allowed
number of crossings is right, so `verify` rows and looks who is where.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache, reduce
from itertools import combinations
from operator import and_, or_
from random import Random
from typing import Any, Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES
from puzzlemill.generators.planning._search import from_both_ends

ANIMALS = (
    "boar", "calf", "deer", "dog", "emu", "foal", "goat", "llama", "lynx", "pig", "ram", "wolf",
)  # fmt: skip
FARMER = "farmer"
TRIES = 15  # parties drawn to find one that needs many crossings

Kind = Literal["farmer", "merchants", "guards"]
State = tuple[int, bool]  # who is on the west bank, a bit for each; whether the boat is there


@dataclass(frozen=True, slots=True)
class Knobs:
    travellers: int  # an even number of them, unless there is a farmer
    crossings: int  # the fewest that do it; fewer where none of some parties takes as many
    kind: Literal["farmer", "any"]  # a farmer with animals, or any of the three kinds


@dataclass(frozen=True, slots=True)
class Party:
    kind: Kind
    names: tuple[str, ...]  # the farmer first; merchants or guards first, then the others
    weights: tuple[int, ...]  # kilograms
    load: int  # kilograms that the boat carries
    rowers: tuple[str, ...]
    foes: tuple[tuple[str, str, str], ...]  # the first two must not be together without the third
    limit: int  # crossings allowed


def generate(rng: Random, knobs: Knobs) -> Party | None:
    kinds: tuple[Kind, ...] = ("farmer", "merchants", "guards")
    kind = "farmer" if knobs.kind == "farmer" else rng.choice(kinds)
    best = None
    for _ in range(TRIES):
        party = _party(rng, kind, knobs.travellers)
        crossings = _crossings(party, knobs.crossings)
        if crossings is not None and (best is None or crossings > best.limit):
            best = replace(party, limit=crossings)
        if crossings == knobs.crossings:
            break
    return best


def solve(party: Party) -> tuple[str, ...] | None:
    """Breadth first from both ends, on the people of the west bank; a crossing can be undone."""
    weight = dict(zip(party.names, party.weights))
    bits = {name: 1 << number for number, name in enumerate(party.names)}
    everyone = sum(bits.values())
    loads = [
        (sum(map(bits.__getitem__, load)), " ".join(load))
        for size in range(1, len(weight) + 1)
        for load in combinations(party.names, size)
        if sum(map(weight.__getitem__, load)) <= party.load
        and not set(party.rowers).isdisjoint(load)
        and _at_peace(party, load)
    ]

    @cache
    def peaceful(group: int) -> bool:
        return _at_peace(party, [name for name, bit in bits.items() if group & bit])

    def onward(state: State) -> Iterator[tuple[str, State]]:
        west, boat_is_west = state
        here = west if boat_is_west else everyone ^ west
        for load, said in loads:
            if load & here == load:
                left = here ^ load
                joined = everyone ^ left
                if peaceful(left) and peaceful(joined):
                    yield said, (left if boat_is_west else joined, not boat_is_west)

    found = from_both_ends((everyone, True), (0, False), onward, onward, party.limit)
    return tuple(map(str.lower, found)) if found is not None else None


def verify(party: Party, loads: tuple[str, ...]) -> float:
    if len(loads) > party.limit:
        return 0.0
    weight = {name.lower(): kilograms for name, kilograms in zip(party.names, party.weights)}
    rowers = {name.lower() for name in party.rowers}
    banks = set(weight), set[str]()
    for count, load in enumerate(loads):
        here, there = banks if count % 2 == 0 else banks[::-1]
        aboard = load.split()
        if len(set(aboard)) < len(aboard) or not here.issuperset(aboard):
            return 0.0
        if rowers.isdisjoint(aboard) or sum(weight[name] for name in aboard) > party.load:
            return 0.0
        here.difference_update(aboard)
        safe = _keeps_the_rule(party, here) and _keeps_the_rule(party, set(aboard))
        there.update(aboard)
        if not safe or not _keeps_the_rule(party, there):
            return 0.0
    return float(not banks[0])


def recheck(party: Party, loads: tuple[str, ...]) -> bool:
    """By the moments of the journey: who is where, and which groups of people that makes."""
    names = [name.lower() for name in party.names]
    at, moments = ["west"] * len(names), []
    if len(loads) > party.limit or sum(party.weights) == 0:
        return False
    for count, load in enumerate(loads):
        shore, other = ("east", "west") if count % 2 else ("west", "east")
        for name in load.split(" "):
            if name not in names or at[names.index(name)] != shore:
                return False
            at[names.index(name)] = "boat"
        moments.append(list(at))
        at = [other if place == "boat" else place for place in at]
        moments.append(list(at))
    half = len(names) // 2
    for places in moments:
        for place in ("west", "boat", "east"):
            group = [name for name, here in zip(party.names, places) if here == place]
            firsts = sum(here == place for here in places[:half])
            if party.kind == "guards" and 0 < firsts < len(group) - firsts:
                return False
            for one, other, keeper in party.foes:
                if [name in group for name in (one, other, keeper)] == [True, True, False]:
                    return False
    for places in moments[::2]:
        aboard = [number for number, place in enumerate(places) if place == "boat"]
        if sum(party.weights[number] for number in aboard) > party.load:
            return False
        if not any(party.names[number] in party.rowers for number in aboard):
            return False
    return "west" not in at


def render(party: Party, style: Style) -> Prompt:
    half = len(party.names) // 2
    firsts, seconds = party.names[:half], party.names[half:]
    kilograms = ", ".join(f"{name} {weight} kg" for name, weight in zip(party.names, party.weights))
    if party.kind == "farmer":
        pairs = "; ".join(f"{one} and {other}" for one, other, _ in party.foes)
        who = f"A farmer and {len(party.names) - 1} animals"
        rule = (
            "When the farmer is not there, these animals must not be together on a bank:"
            f" {pairs}. Only the farmer can row."
        )
    elif party.kind == "merchants":
        pairs = "; ".join(f"{one} (guarded by {other})" for one, other in zip(firsts, seconds))
        who = f"{len(firsts)} merchants and their {len(firsts)} bodyguards"
        rule = (
            f"The merchants are {pairs}. No merchant may be where another merchant's bodyguard is,"
            " unless the merchant's own bodyguard is there as well. This holds on either bank and"
            " in the boat."
        )
    else:
        who = f"{len(firsts)} guards and {len(seconds)} prisoners"
        rule = (
            f"The guards are {listed(firsts)}; the prisoners are {listed(seconds)}. Wherever there"
            " is at least one guard, there must not be more prisoners than guards. This holds on"
            " either bank and in the boat."
        )
    if party.kind != "farmer":
        all_row = len(party.rowers) == len(party.names)
        rule += " Everyone can row." if all_row else f" Only {listed(party.rowers)} can row."
    boat = (
        f"The boat carries at most {party.load} kg, and somebody who can row must be aboard on"
        " every crossing. All who are in it get out on the other side before it goes back."
    )
    crossings = f"{party.limit} crossing{'s' if party.limit > 1 else ''}"
    return Prompt(
        style.pick(
            f"{who} are on the west bank of a river, with a boat, and want to get to the east bank."
            f" Their weights: {kilograms}. {boat} {rule} How do they all get across in at most"
            f" {crossings}? (A trip in either direction is one crossing.)",
            f"{who} have to cross a river from west to east in one boat. {rule} {boat} They weigh:"
            f" {kilograms}. Find a plan of no more than {crossings}, each trip west to east and"
            " each trip back counted as one.",
            f"A river, a boat on its west bank, and beside it: {kilograms}. ({who}.) Everyone must"
            f" reach the east bank. {boat} {rule} No more than {crossings} may be made, trips there"
            " and trips back taken together. Who crosses when?",
        ),
        form="the crossings in order, separated by commas; for each of them the names of all who"
        " are in the boat, separated by spaces: x y, x, x z",
    )


def steps(party: Party) -> list[str]:
    """Who is where after each crossing."""
    west, lines = [name.lower() for name in party.names], []
    everyone = list(west)
    for count, load in enumerate(solve(party) or ()):
        aboard = load.split()
        if count % 2 == 0:
            west = [name for name in west if name not in aboard]
        else:
            west = [name for name in everyone if name in west or name in aboard]
        east = [name for name in everyone if name not in west]
        way = "back" if count % 2 else "over"
        lines.append(
            f"{load} {way}: west {listed(west) or 'nobody'}; east {listed(east) or 'nobody'}"
        )
    return lines


def canon(party: Party) -> list[str]:
    """What is known of the travellers, whatever their names."""
    half = len(party.names) // 2
    facts: list[tuple[Any, ...]] = [("kind", party.kind), ("boat", party.load, party.limit)]
    facts += [("weight", *pair) for pair in zip(party.names, party.weights)]
    facts += [("rows", name) for name in party.rowers]
    facts += [("foes", ("both", one, other), keeper) for one, other, keeper in party.foes]
    if party.kind == "guards":
        facts += [("guard", name) for name in party.names[:half]]
    return unnamed(facts, party.names, symmetric=("both",))


def hardness(party: Party) -> float:
    """Crossings to plan, of so many travellers."""
    return party.limit + len(party.names)


def _at_peace(party: Party, group: Collection[str]) -> bool:
    """Whether these may be together, as `solve` sees it."""
    if party.kind != "guards":
        return not any(
            one in group and other in group and keeper not in group
            for one, other, keeper in party.foes
        )
    guards = len(set(party.names[: len(party.names) // 2]).intersection(group))
    return guards == 0 or 2 * guards >= len(group)


def _keeps_the_rule(party: Party, group: set[str]) -> bool:
    """Whether these may be together, by the rule as the prompt words it; names in lower case."""
    names = [name.lower() for name in party.names]
    half = len(names) // 2
    firsts, seconds = names[:half], names[half:]
    match party.kind:
        case "guards":
            prisoners = sum(name in group for name in seconds)
            return not group.intersection(firsts) or prisoners <= len(group) - prisoners
        case "merchants":
            return all(
                guard in group or group.isdisjoint(seconds)
                for merchant, guard in zip(firsts, seconds)
                if merchant in group
            )
        case "farmer":
            feuds = [{one, other} for one, other, _ in party.foes]
            return FARMER in group or not any(feud <= group for feud in feuds)


def _party(rng: Random, kind: Kind, travellers: int) -> Party:
    """Travellers, weights and enmities at random; the boat carries about two of them."""
    if kind == "farmer":
        animals = rng.sample(ANIMALS, travellers - 1)
        names = (FARMER, *animals)
        weights = (5 * rng.randrange(12, 19), *(5 * rng.randrange(4, 16) for _ in animals))
        second, heaviest = sorted(weights[1:])[-2:]
        load = weights[0] + heaviest + 5 * rng.randrange(second // 5 + 1)
        pairs = list(combinations(animals, 2))
        count = rng.randint(len(pairs) // 4 + 1, len(pairs) // 2 + 1)
        foes = [(one, other, FARMER) for one, other in sorted(rng.sample(pairs, count))]
        return Party(kind, names, weights, load, (FARMER,), tuple(foes), 0)
    half = travellers // 2
    people = tuple(rng.sample(NAMES, 2 * half))
    weights = tuple([5 * rng.randrange(9, 21) for _ in people])
    load = sum(sorted(weights)[-2:]) + 5 * rng.randrange(13)
    rowers = tuple(name for name in people if rng.random() < 0.7) or people
    enemies = [
        (people[one], people[half + other], people[half + one])
        for one in range(half)
        for other in range(half)
        if one != other and kind == "merchants"
    ]
    return Party(kind, people, weights, load, rowers, tuple(enemies), 0)


def _crossings(party: Party, most: int) -> int | None:
    """The fewest crossings, if no more than so many; a group is an integer with a bit for each of
    its people, and a set of groups one with a bit for each of them."""
    size = len(party.names)
    everyone, having = (1 << size) - 1, _having(size)
    place = {name: number for number, name in enumerate(party.names)}
    safe = (1 << (1 << size)) - 1
    for one, other, keeper in party.foes:
        safe &= ~(having[place[one]] & having[place[other]]) | having[place[keeper]]
    if party.kind == "guards":
        safe = _guarded(size)
    heavy = [0]  # by group, in kilograms
    for kilograms in party.weights:
        heavy += [each + kilograms for each in heavy]
    rowers = sum(1 << place[name] for name in party.rowers)
    loads = [
        (load, *_with_and_without(size, load))
        for load, kilograms in enumerate(heavy)
        if kilograms <= party.load and load & rowers and safe >> load & 1
    ]
    # West banks where both banks are safe; a bank's opposite has its bit at the other end.
    fine = safe & int(f"{safe:0{everyone + 1}b}"[::-1], 2)
    border = 1 << everyone
    seen = [border, 0]  # west banks, with the boat there or not
    for crossings in range(1, most + 1):
        east = crossings % 2  # where the boat goes
        fresh = 0
        for load, with_, without in loads:
            fresh |= (border & with_) >> load if east else (border & without) << load
        border = fresh & fine & ~seen[east]
        seen[east] |= border
        if east and border & 1:
            return crossings
        if not border:
            break
    return None


@lru_cache(maxsize=8)
def _having(size: int) -> list[int]:
    """The groups that each is in: by turns so many without and with the traveller."""
    all_groups = (1 << (1 << size)) - 1
    return [all_groups ^ all_groups // ((1 << (1 << it)) + 1) for it in range(size)]


@lru_cache(maxsize=8)
def _guarded(size: int) -> int:
    """The groups without guards, and those that have no more prisoners; guards come first."""
    half = (1 << size // 2) - 1
    return sum(
        1 << group
        for group in range(1 << size)
        if not group & half or (group & half).bit_count() >= (group & ~half).bit_count()
    )


@lru_cache(maxsize=256)
def _with_and_without(size: int, load: int) -> tuple[int, int]:
    """The groups that all of a load are in, and those that none of it is in."""
    all_groups = (1 << (1 << size)) - 1
    aboard = [groups for number, groups in enumerate(_having(size)) if load >> number & 1]
    return reduce(and_, aboard), all_groups & ~reduce(or_, aboard)


LADDER = (
    Knobs(4, 5, "farmer"),
    Knobs(5, 7, "farmer"),
    Knobs(6, 9, "any"),
    Knobs(6, 11, "any"),
    Knobs(8, 13, "any"),
    Knobs(10, 17, "any"),
)
FAMILY = Family(
    Party,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(items="phrases", idle=("and", "with", "&", "+", "the")),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="breadth-first search from both ends",
    guess_rate=0.02,
    steps=steps,
    canon=canon,
    known=lambda party: party.names,
    skills=("planning", "search", "logic"),
    version=2,
)
