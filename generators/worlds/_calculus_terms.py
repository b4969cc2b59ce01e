"""Inference rules on things: drawn, applied, and worded.

A statement is a predicate and one thing or two; a rule is (premises, conclusion, apart), with
variables for things and, in `apart`, perhaps two variables that must be different.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from random import Random
from typing import Any

from puzzlemill.core.prose import listed

Atom = tuple[str, ...]
Rule = tuple[tuple[Atom, ...], Atom, tuple[str, ...]]
Lines = list[tuple[Atom, int, list[Atom]]]  # a statement, its rule, and what it follows from

VARIABLES = "XYZ"
RELATIONS = ("R1", "R2", "R3", "R4")
PROPERTIES = ("P1", "P2", "P3")
# Premises and conclusion, with R for some relation, P for some property; and what is apart.
SHAPES: tuple[tuple[str, str, str], ...] = (
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


def drawn(rng: Random) -> Rule:
    premises, conclusion, apart = rng.choice(SHAPES)
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
    """The interpreter: all that follows. Every rule is tried on all things until nothing is new."""
    known = set(facts)
    while True:
        fresh = {
            statement
            for rule in rules
            for statement, premises in instances(rule, things)
            if known.issuperset(premises)
        } - known
        if not fresh:
            return known
        known |= fresh


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
    there, before = {statement for statement, _, _ in queue}, list[Atom]()
    for statement, _, _ in queue:
        before.append(statement)
        for at, (premises, conclusion, apart) in enumerate(rules):
            for place, premise in enumerate(premises):
                first = bound(premise, statement, {})
                if first is None:
                    continue
                ways = [(first, {place: statement})]
                for other, atom in enumerate(premises):
                    if other != place:
                        ways = [
                            (more, used | {other: known})
                            for given, used in ways
                            for known in before
                            if (more := bound(atom, known, given)) is not None
                        ]
                for given, used in ways:
                    fresh = (conclusion[0], *(given[each] for each in conclusion[1:]))
                    if fresh in there or (apart and given[apart[0]] == given[apart[1]]):
                        continue
                    there.add(fresh)
                    queue.append((fresh, at, [used[it] for it in range(len(premises))]))
    return queue


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


def rule_facts(rules: Sequence[Rule]) -> tuple[list[Any], list[str]]:
    """Rules as facts for a canonical form, and the names in them that may be exchanged."""
    facts, names = list[Any](), [*PROPERTIES, *RELATIONS]
    for at, (premises, conclusion, apart) in enumerate(rules):
        own = [(name, *(f"{each}{at}" for each in rest)) for name, *rest in (*premises, conclusion)]
        unlike = ("apart", *(f"{each}{at}" for each in apart))
        facts.append(("rule", ("if", *own[:-1]), own[-1], unlike))
        names += [f"{each}{at}" for each in VARIABLES]
    return facts, names
