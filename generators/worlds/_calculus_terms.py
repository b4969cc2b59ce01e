"""Inference rules on things: drawn, applied, and worded.

A statement is a predicate and one thing or two; a rule is (premises, conclusion, apart), with
variables for things and, in `apart`, perhaps two variables that must be different.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

from puzzlemill.core.prose import listed
from puzzlemill.generators._renaming import unnamed

Atom = tuple[str, ...]
Rule = tuple[tuple[Atom, ...], Atom, tuple[str, ...]]
Places = tuple[int, ...]  # of things
Lines = list[tuple[Atom, int, list[Atom]]]  # a statement, its rule, and what it follows from

VARIABLES = "XYZ"
RELATIONS = ("R1", "R2", "R3", "R4")
FEW_RELATIONS = RELATIONS[:3]  # of facts, where the fourth is left to what follows from them
PROPERTIES = ("P1", "P2", "P3")
# Premises and conclusion, with R for some relation, P for some property; and what is apart.
Shape = tuple[str, str, str]
SHAPES: tuple[Shape, ...] = (
    ("RXY RYZ", "RXZ", ""),
    ("RXY RYZ", "RXZ", "XZ"),
    ("RXY RXZ", "RYZ", "YZ"),
    ("RXZ RYZ", "RXY", "XY"),
    ("RXY", "RYX", ""),
    ("PX RXY", "PY", ""),
    ("PY RXY", "PX", ""),
    ("RXY PY", "RXY", ""),
    ("RXY RYX", "PX", ""),
    ("PX PY RXY", "RYX", ""),
    ("PX PX", "PX", ""),
    ("RXY RYZ PZ", "PX", ""),
    ("RXY RXZ", "PX", "YZ"),
    ("PX RXY RYZ", "RXZ", ""),
)
MORE_SHAPES: tuple[Shape, ...] = (
    *SHAPES,
    ("RXY", "PX", ""),
    ("RXY", "PY", ""),
    ("RXY RXY", "RXY", ""),
    ("RXY RYX", "RXY", ""),
    ("PX RXY", "RYX", ""),
    ("PY RXY", "RYX", ""),
    ("PX PY RXY", "RXY", ""),
    ("RXY RYZ", "RZX", ""),
    ("RXY RYZ", "PY", ""),
    ("RXZ RYZ", "PZ", "XY"),
    ("RXY RYZ PX", "PZ", ""),
    ("RXY RYZ PY", "RXZ", ""),
    ("RXY RYZ PZ", "RXZ", ""),
    ("PX RXY RXZ", "RYZ", "YZ"),
)
# Names of the predicates, of a thing X and of X and Y; the things.
SKINS: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "symbols": (
        {"R1": "{} ~ {}", "R2": "{} > {}", "R3": "{} # {}", "R4": "{} @ {}",
         "P1": "p({})", "P2": "q({})", "P3": "r({})"},
        ("alpha", "beta", "gamma", "delta", "kappa", "sigma", "theta", "omega"),
    ),
    "people": (
        {"R1": "{} admires {}", "R2": "{} owes {} a favour", "R3": "{} guards {}",
         "R4": "{} mentors {}", "P1": "{} is a scout", "P2": "{} is a singer",
         "P3": "{} is a healer"},
        ("Anna", "Ben", "Clara", "David", "Emma", "Felix", "Grace", "Hugo"),
    ),
    "towers": (
        {"R1": "{} signals {}", "R2": "{} overlooks {}", "R3": "{} supplies {}",
         "R4": "{} shadows {}", "P1": "{} is lit", "P2": "{} is sealed", "P3": "{} is manned"},
        ("Ardon", "Belm", "Corvo", "Drax", "Elmar", "Fenn", "Gorst", "Hald"),
    ),
}  # fmt: skip


def drawn(rng: Random, shapes: Sequence[Shape] = SHAPES) -> Rule:
    premises, conclusion, apart = rng.choice(shapes)
    return (
        tuple(_predicate(rng, part) for part in premises.split()),
        _predicate(rng, conclusion),
        tuple(apart),
    )


def _predicate(rng: Random, part: str) -> Atom:
    return (rng.choice(RELATIONS if part[0] == "R" else PROPERTIES), *part[1:])


def sensible(rule: Rule) -> bool:
    premises, conclusion, _ = rule
    return conclusion not in premises and len(set(premises)) == len(premises)


def closed(facts: Iterable[Atom], rules: Sequence[Rule], things: Sequence[str]) -> set[Atom]:
    """The interpreter: all that follows. Every rule is tried on all things until nothing is new.

    A case is a thing for each variable; so many bits tell in which cases something holds.
    """
    at, count = {thing: place for place, thing in enumerate(things)}, len(things)
    known: dict[str, set[Places]] = {name: set() for name in (*RELATIONS, *PROPERTIES)}
    for name, *on in facts:
        known[name].add(tuple(at[thing] for thing in on))
    size = -1
    while size < (size := sum(map(len, known.values()))):
        for premises, (name, *to), apart in rules:
            holds = _unlike(apart, count)
            for other, *on in premises:
                if not holds:
                    break
                cases, met = _cases(tuple(on), count), 0
                for places in known[other]:
                    met |= cases[places]
                holds &= met
            if holds:
                cases = _cases(tuple(to), count)
                known[name].update(places for places in cases if holds & cases[places])
    return {
        (name, *(things[place] for place in places))
        for name, true in known.items()
        for places in true
    }


@lru_cache(maxsize=128)
def _cases(on: tuple[str, ...], count: int) -> dict[Places, int]:
    """By things for some of the variables, the cases with them."""
    found = dict[Places, int]()
    for bit, things in enumerate(product(range(count), repeat=len(VARIABLES))):
        case = dict(zip(VARIABLES, things))
        places = tuple(case[each] for each in on)
        found[places] = found.get(places, 0) | 1 << bit
    return found


@lru_cache(maxsize=128)
def _unlike(apart: tuple[str, ...], count: int) -> int:
    """The cases in which some variables are different."""
    if not apart:
        return -1
    return sum(bits for (one, other), bits in _cases(apart, count).items() if one != other)


def instances(rule: Rule, things: Sequence[str]) -> Iterator[tuple[Atom, list[Atom]]]:
    """A rule with things for its variables: its conclusion and premises."""
    premises, conclusion, apart = rule
    variables = sorted({name for atom in premises for name in atom[1:]})
    for chosen in product(things, repeat=len(variables)):
        given = dict(zip(variables, chosen))
        if apart and given[apart[0]] == given[apart[1]]:
            continue
        whole = [(name, *(given[each] for each in rest)) for name, *rest in premises]
        yield (conclusion[0], *(given[each] for each in conclusion[1:])), whole


def derived(facts: Iterable[Atom], rules: Sequence[Rule]) -> Lines:
    """The engine: all that follows, each statement joined with those that were taken before it.

    Each has the rule and the statements that gave it first; facts have rule -1.
    """
    queue: Lines = [(fact, -1, []) for fact in facts]
    there = {statement for statement, _, _ in queue}
    before = dict[tuple[Any, ...], list[Atom]]()  # by predicate, and by a place and the thing there
    places = dict[str, list[tuple[int, int]]]()  # by predicate, the premises that it can meet
    for at, (premises, _, _) in enumerate(rules):
        for place, premise in enumerate(premises):
            places.setdefault(premise[0], []).append((at, place))
    for statement, _, _ in queue:
        before.setdefault((statement[0],), []).append(statement)
        for place, thing in enumerate(statement[1:]):
            before.setdefault((statement[0], place, thing), []).append(statement)
        for at, place in places.get(statement[0], ()):
            premises, conclusion, apart = rules[at]
            first = bound(premises[place], statement, {})
            ways = [(first, {place: statement})] if first is not None else []
            for other, atom in enumerate(premises):
                if other != place:
                    ways = [
                        (more, used | {other: known})
                        for given, used in ways
                        for known in before.get(_indexed(atom, given), ())
                        if (more := bound(atom, known, given)) is not None
                    ]
            for given, used in ways:
                fresh = (conclusion[0], *(given[each] for each in conclusion[1:]))
                if fresh in there or (apart and given[apart[0]] == given[apart[1]]):
                    continue
                there.add(fresh)
                queue.append((fresh, at, [used[it] for it in range(len(premises))]))
    return queue


def _indexed(atom: Atom, given: dict[str, str]) -> tuple[Any, ...]:
    """Where to look for statements that an atom may become."""
    for place, variable in enumerate(atom[1:]):
        if variable in given:
            return atom[0], place, given[variable]
    return (atom[0],)


def bound(atom: Atom, statement: Atom, given: dict[str, str]) -> dict[str, str] | None:
    """The variables' things, with those that make the atom the statement."""
    if atom[0] != statement[0]:
        return None
    more = dict(given)
    for variable, thing in zip(atom[1:], statement[1:]):
        if more.setdefault(variable, thing) != thing:
            return None
    return more


def worded(atom: Atom, skin: str) -> str:
    return SKINS[skin][0][atom[0]].format(*atom[1:])


def rule_worded(rule: Rule, skin: str) -> str:
    premises, conclusion, apart = rule
    told = listed(worded(atom, skin) for atom in premises)
    unlike = f", and {apart[0]} and {apart[1]} are different," if apart else ","
    return f"If {told}{unlike} then {worded(conclusion, skin)}."


def drawn_fact(rng: Random, things: tuple[str, ...], relations: Sequence[str] = RELATIONS) -> Atom:
    if rng.random() < 0.25:
        return rng.choice(PROPERTIES), rng.choice(things)
    return (rng.choice(relations), *rng.sample(things, 2))


def rules_form(
    rules: Sequence[Rule], more: Sequence[Sequence[str]] = (), things: Sequence[str] = ()
) -> list[str]:
    """The rules and more facts, whatever predicates, variables and things are called."""
    facts, names = rule_facts(rules)
    return unnamed([*facts, *more], [*names, *things], ("if", "apart"))


def rule_facts(rules: Sequence[Rule]) -> tuple[list[Any], list[str]]:
    """Rules as facts for a canonical form, and the names in them that may be exchanged."""
    facts, names = list[Any](), [*PROPERTIES, *RELATIONS]
    for at, (premises, conclusion, apart) in enumerate(rules):
        own = [(name, *(f"{each}{at}" for each in rest)) for name, *rest in (*premises, conclusion)]
        unlike = ("apart", *(f"{each}{at}" for each in apart))
        facts.append(("rule", ("if", *own[:-1]), own[-1], unlike))
        names += [f"{each}{at}" for each in VARIABLES]
    return facts, names
