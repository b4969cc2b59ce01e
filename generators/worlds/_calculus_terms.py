"""Inference rules on things: drawn, applied, and worded.

A statement is a predicate and one thing or two; a rule is (premises, conclusion, apart), with
variables for things and, in `apart`, perhaps two variables that must be different.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product
from operator import itemgetter
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core.prose import listed
from puzzlemill.generators._renaming import unnamed

Atom = tuple[str, ...]
Rule = tuple[tuple[Atom, ...], Atom, tuple[str, ...]]
Lines = list[tuple[Atom, int, list[Atom]]]  # a statement, its rule, and what it follows from
Things: TypeAlias = tuple[str, ...]
Places: TypeAlias = tuple[int, ...]  # of things
# By predicate, and by what rules say with it of their variables, the cases in which that holds; a
# case is a thing for each variable, and has a bit.
Known: TypeAlias = dict[str, dict[Atom, int]]
Pick = Callable[[Things], Things]
Table = dict[Things, list[Things]]  # by the things at some places, those at the others

FRUITLESS = 8  # rules that are drawn for each one that is wanted, at most
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
SYMMETRIC = "in any order"  # in a canonical form
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


@dataclass(frozen=True, slots=True)
class _Join:
    """How a statement that meets a premise is joined with others: variables are bound in turn."""

    steps: list[tuple[int, Places, Pick]]  # a premise, its places that are bound, and by what
    conclusion: Pick  # of what is bound in the end
    apart: Pick | None
    premises: list[Pick]


def drawn(rng: Random, shapes: Sequence[Shape] = SHAPES) -> Rule:
    return rng.choice(_rules_of(rng.choice(shapes)))


def drawn_rules(
    rng: Random,
    facts: Iterable[Atom],
    things: Sequence[str],
    count: int,
    enough: int,
    shapes: Sequence[Shape] = SHAPES,
) -> tuple[Rule, ...]:
    """So many rules at most, until enough statements follow. Each gives something new by what is
    known when it is drawn: of others, most would be left out later."""
    known, rules, follow = _known(facts, things, _said_by(shapes)), list[Rule](), 0
    for _ in range(FRUITLESS * count):
        if len(rules) == count or follow >= enough:
            break
        rule = drawn(rng, shapes)
        if fresh := _grown(known, (rule,), len(things)):
            rules.append(rule)
            while fresh:
                follow += len(fresh)
                fresh = _grown(known, rules, len(things))
    return tuple(rules)


@lru_cache(maxsize=2)
def _said_by(shapes: Sequence[Shape]) -> set[Atom]:
    """What rules of these shapes say of their variables."""
    return {*_said([rule for shape in shapes for rule in _rules_of(shape)])}


@lru_cache(maxsize=64)  # more than there are shapes of rules
def _rules_of(shape: Shape) -> list[Rule]:
    """All rules of a shape that may give something new."""
    premises, conclusion, apart = shape
    parts = [(RELATIONS if part[0] == "R" else PROPERTIES, part[1:])
             for part in (*premises.split(), conclusion)]  # fmt: skip
    rules = list[Rule]()
    for names in product(*(predicates for predicates, _ in parts)):
        *given, last = [(name, *on) for name, (_, on) in zip(names, parts)]
        rules.append((tuple(given), last, tuple(apart)))
    return [rule for rule in rules if sensible(rule)]


def sensible(rule: Rule) -> bool:
    premises, conclusion, _ = rule
    return conclusion not in premises and len(set(premises)) == len(premises)


def closed(facts: Iterable[Atom], rules: Sequence[Rule], things: Sequence[str]) -> set[Atom]:
    """The interpreter: all that follows. Every rule is tried on all things until nothing is new."""
    statements = set(facts)
    known = _known(statements, things, _said(rules))
    while fresh := _grown(known, rules, len(things)):
        statements |= {(name, *(things[place] for place in places)) for name, places in fresh}
    return statements


def holding(
    facts: Iterable[Atom], rules: Sequence[Rule], things: Sequence[str]
) -> Iterator[tuple[Atom, frozenset[Atom]]]:
    """Rules with things for their variables, wherever all the premises follow: what is concluded
    and the premises."""
    known, count = _known(facts, things, _said(rules)), len(things)
    while _grown(known, rules, count):
        pass
    for premises, conclusion, apart in rules:
        holds = _holds(known, premises, apart, count)
        for other in set(VARIABLES).difference(*premises):  # it would stand for each thing in turn
            holds &= _cases((other,), count)[0,]
        while holds:
            bit = holds.bit_length() - 1
            holds ^= 1 << bit
            of = {name: things[place] for name, place in _things(bit, count).items()}
            made, *given = [(name, *map(of.__getitem__, on))
                            for name, *on in (conclusion, *premises)]  # fmt: skip
            yield made, frozenset(given)


def _said(rules: Sequence[Rule]) -> Iterator[Atom]:
    """What rules say of their variables."""
    return (atom for premises, conclusion, _ in rules for atom in (*premises, conclusion))


def _known(facts: Iterable[Atom], things: Sequence[str], said: Iterable[Atom]) -> Known:
    at = {thing: place for place, thing in enumerate(things)}
    known: Known = {name: {} for name in (*RELATIONS, *PROPERTIES)}
    for atom in said:
        known[atom[0]][atom] = 0
    for name, *on in facts:
        _add(known, name, tuple([at[thing] for thing in on]), len(things))
    return known


def _add(known: Known, name: str, places: Places, count: int) -> None:
    true, met = known[name], _met(name, places, count)
    for atom in true:
        true[atom] |= met[atom]


def _grown(known: Known, rules: Sequence[Rule], count: int) -> list[tuple[str, Places]]:
    """Adds what each rule gives; what of it is new."""
    grown: list[tuple[str, Places]] = []
    for premises, conclusion, apart in rules:
        name = conclusion[0]
        fresh = _holds(known, premises, apart, count) & ~known[name][conclusion]
        while fresh:
            case = _things(fresh.bit_length() - 1, count)
            places = tuple([case[each] for each in conclusion[1:]])
            grown.append((name, places))
            _add(known, name, places, count)
            fresh &= ~known[name][conclusion]
    return grown


def _holds(known: Known, premises: tuple[Atom, ...], apart: tuple[str, ...], count: int) -> int:
    """The cases in which all premises hold."""
    holds = _unlike(apart, count) if apart else -1
    for atom in premises:
        holds &= known[atom[0]][atom]
    return holds


@lru_cache(maxsize=1 << 10)
def _met(name: str, places: Places, count: int) -> dict[Atom, int]:
    """By what may be said of variables, the cases in which they stand for these things."""
    on_each = permutations(VARIABLES, len(places))
    return {(name, *on): _cases(on, count)[places] for on in on_each}


@lru_cache(maxsize=1 << 12)
def _things(case: int, count: int) -> dict[str, int]:
    return {name: case // count**power % count for power, name in enumerate(reversed(VARIABLES))}


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
    """The cases in which two variables are different."""
    return sum(bits for (one, other), bits in _cases(apart, count).items() if one != other)


def instances(
    rule: Rule, things: Sequence[str], wanted: Atom = ()
) -> Iterator[tuple[Atom, list[Atom]]]:
    """A rule with things for its variables: its conclusion and premises. Where a conclusion is
    wanted, its things are put in at once."""
    premises, conclusion, apart = rule
    variables = sorted({name for atom in premises for name in atom[1:]})
    put_in = {name: (thing,) for name, thing in zip(conclusion[1:], wanted[1:])}
    whole = [
        (name, _pick(tuple(map(variables.index, on)))) for name, *on in (*premises, conclusion)
    ]
    unlike = _pick(tuple(map(variables.index, apart)))
    for chosen in product(*(put_in.get(name, things) for name in variables)):
        if apart and len(set(unlike(chosen))) == 1:
            continue
        *given, made = [(name, *on(chosen)) for name, on in whole]
        yield made, given


def derived(facts: Iterable[Atom], rules: Sequence[Rule]) -> Lines:
    """The engine: all that follows, each statement joined with those that were taken before it.

    Each has the rule and the statements that gave it first; facts have rule -1.
    """
    queue: Lines = [(fact, -1, []) for fact in facts]
    there = {statement for statement, _, _ in queue}
    # By predicate, and by the places looked at: what is there, what is at the others, the table.
    tables = dict[str, dict[Places, tuple[Pick, Pick, Table]]]()
    meets = dict[str, list[tuple[int, _Join, list[tuple[Table, Pick]]]]]()  # by predicate
    for at, (premises, conclusion, apart) in enumerate(rules):
        joins = _joins(tuple([atom[1:] for atom in premises]), conclusion[1:], apart)
        for premise, join in zip(premises, joins, strict=True):
            steps = list[tuple[Table, Pick]]()
            for other, places, key in join.steps:
                name, size = premises[other][0], len(premises[other]) - 1
                looked_up = tables.setdefault(name, {})
                if places not in looked_up:
                    looked_up[places] = (*_split(places, size), {})
                steps.append((looked_up[places][2], key))
            meets.setdefault(premise[0], []).append((at, join, steps))
    for statement, _, _ in queue:
        name, things = statement[0], statement[1:]
        for looked_at, others, table in tables.get(name, {}).values():
            table.setdefault(looked_at(things), []).append(others(things))
        for at, join, steps in meets.get(name, ()):
            ways = [things]
            for table, key in steps:
                wider: list[Things] = []
                for given in ways:
                    if more := table.get(key(given)):
                        wider += map(given.__add__, more)
                ways = wider
            for given in ways:
                fresh = (rules[at][1][0], *join.conclusion(given))
                if fresh in there or (join.apart and len(set(join.apart(given))) == 1):
                    continue
                there.add(fresh)
                used = zip(rules[at][0], join.premises, strict=True)
                queue.append((fresh, at, [(atom[0], *of(given)) for atom, of in used]))
    return queue


@lru_cache(maxsize=256)  # more than there are shapes of rules
def _joins(premises: tuple[Atom, ...], conclusion: Atom, apart: tuple[str, ...]) -> list[_Join]:
    """How a statement that meets one of a rule's premises is joined with others, for each premise.

    A rule is told by its variables, of which none is twice in a premise.
    """
    joins = []
    for first in range(len(premises)):
        variables, steps = list(premises[first]), list[tuple[int, Places, Pick]]()
        for other, atom in enumerate(premises):
            if other != first:
                places = tuple(at for at, each in enumerate(atom) if each in variables)
                key = _pick(tuple(variables.index(atom[at]) for at in places))
                steps.append((other, places, key))
                variables += [each for each in atom if each not in variables]

        def of(each: Sequence[str], variables: list[str] = variables) -> Pick:
            return _pick(tuple(map(variables.index, each)))

        joins.append(
            _Join(steps, of(conclusion), of(apart) if apart else None, [*map(of, premises)])
        )
    return joins


@lru_cache(maxsize=64)
def _split(places: Places, size: int) -> tuple[Pick, Pick]:
    """What is at some places of a tuple, and what is at the others."""
    return _pick(places), _pick(tuple(at for at in range(size) if at not in places))


def _pick(places: Places) -> Pick:
    """What is at some places of a tuple, as a tuple."""
    if len(places) > 1:
        return itemgetter(*places)
    return itemgetter(slice(places[0], places[0] + 1) if places else slice(0))


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
    return unnamed([*facts, *more], [*names, *things], (SYMMETRIC,))


def rule_facts(rules: Sequence[Rule]) -> tuple[list[Any], list[str]]:
    """Rules as facts for a canonical form, and the predicates, which may be exchanged in them.

    A rule has its variables from its shape, so that they are called alike in like rules.
    """
    facts = list[Any]()
    for premises, conclusion, apart in rules:
        shape, either_first = _form(tuple([atom[1:] for atom in (*premises, conclusion)]), apart)
        order = SYMMETRIC if either_first else "in order"
        facts.append(("rule", shape, (order, *(atom[0] for atom in premises)), conclusion[0]))
    return facts, [*PROPERTIES, *RELATIONS]


@lru_cache(maxsize=64)  # more than there are shapes of rules
def _form(variables: tuple[Atom, ...], apart: tuple[str, ...]) -> tuple[str, bool]:
    """A shape as a text, and whether it is the same with its two premises exchanged."""
    *given, last = variables
    exchanged = False
    for others in permutations(VARIABLES):
        name = dict(zip(VARIABLES, others))
        one, two = ([tuple([name[each] for each in on]) for on in it] for it in (given, [last]))
        same = two == [last] and {name[each] for each in apart} == set(apart)
        exchanged = exchanged or (same and len(given) == 2 and one == given[::-1])
    return " ".join(["".join(on) for on in (*variables, apart)]), exchanged
