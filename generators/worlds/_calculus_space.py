"""The inference rules that there may be, when they are not told: what a rule of a form gives."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TypeAlias

from puzzlemill.core.prose import listed
from puzzlemill.generators.worlds._calculus_terms import (
    PROPERTIES,
    RELATIONS,
    Atom,
    Rule,
    Shape,
    sensible,
    worded,
)

Predicates: TypeAlias = tuple[str, ...]
Things: TypeAlias = tuple[str, ...]
Places: TypeAlias = tuple[int, ...]
Use: TypeAlias = tuple[Rule, tuple[Atom, ...], Atom]  # a rule, premises that are met, what it gives
Steps: TypeAlias = list[tuple[int, int]]  # what is needed and what is given, as bits of statements

COUNTS = {1: "one rule", 2: "two rules", 3: "three rules"}


@dataclass(frozen=True, slots=True)
class Table:
    """What the rules of some forms do with all that is known in an example."""

    given: int  # the facts, as bits
    known: int
    wrong: frozenset[Rule]  # rules that would give more
    steps: dict[Rule, Steps]  # by rule, what it gives


@lru_cache(maxsize=256)
def rules_of(shape: Shape, relations: int, properties: int) -> list[Rule]:
    """All rules of a form with so many predicates, but those that never give anything new."""
    premises, conclusion, _ = shape
    parts = [*premises.split(), conclusion]
    kinds = [_predicates(part, relations, properties) for part in parts]
    return [rule for names in product(*kinds) if sensible(rule := _ruled(shape, names))]


def uses(
    known: Sequence[Atom], shapes: Iterable[Shape], relations: int, properties: int
) -> Iterator[Use]:
    """Each way in which a rule of a form has its premises met by what is known."""
    tables = dict[tuple[int, Places], dict[Things, list[Atom]]]()  # by things at some places
    for shape in shapes:
        steps, to, apart = _joined(shape)
        ways: list[tuple[Things, tuple[Atom, ...]]] = [((), ())]
        for size, places, bound, fresh in steps:
            if (size, places) not in tables:
                table = tables[size, places] = {}
                for atom in known:
                    if len(atom) == size:
                        table.setdefault(tuple([atom[at] for at in places]), []).append(atom)
            fitting = tables[size, places]
            ways = [
                ((*things, *[atom[at] for at in fresh]), (*used, atom))
                for things, used in ways
                for atom in fitting.get(tuple([things[at] for at in bound]), ())
            ]
        names = _predicates(shape[1], relations, properties)
        for given, used in ways:
            if apart and given[apart[0]] == given[apart[1]]:
                continue
            things = tuple([given[at] for at in to])
            before = tuple([atom[0] for atom in used])
            for name in names:
                yield _ruled(shape, (*before, name)), used, (name, *things)


@lru_cache(maxsize=64)  # more than there are forms
def _joined(shape: Shape) -> tuple[list[tuple[int, Places, Places, Places]], Places, Places]:
    """How what meets each premise is joined with what meets those before it: the size of its atom,
    its places that are bound, to which things so far, and its places that are not; and the things
    that the conclusion is about, and those that must be apart."""
    premises, conclusion, apart = shape
    variables, steps = list[str](), list[tuple[int, Places, Places, Places]]()
    for part in premises.split():
        own = [*enumerate(part[1:], 1)]
        places = tuple(at for at, name in own if name in variables)
        bound = tuple(variables.index(name) for _, name in own if name in variables)
        fresh = tuple(at for at, name in own if name not in variables)
        steps.append((len(part), places, bound, fresh))
        variables += [name for _, name in own if name not in variables]
    to, unlike = (tuple(map(variables.index, names)) for names in (conclusion[1:], apart))
    return steps, to, unlike


def table(
    facts: Sequence[Atom],
    more: Sequence[Atom],
    shapes: Iterable[Shape],
    relations: int,
    properties: int,
) -> Table:
    """Of an example in which so much is given, and so much more follows."""
    bits = {atom: 1 << at for at, atom in enumerate((*facts, *more))}
    wrong, steps = set[Rule](), dict[Rule, Steps]()
    for rule, used, fresh in uses([*bits], shapes, relations, properties):
        if fresh not in bits:
            wrong.add(rule)
        elif fresh not in facts:
            need = 0
            for atom in used:
                need |= bits[atom]
            steps.setdefault(rule, []).append((need, bits[fresh]))
    return Table((1 << len(facts)) - 1, (1 << len(bits)) - 1, frozenset(wrong), steps)


def explaining(tables: Sequence[Table], most: int) -> Iterator[frozenset[Rule]]:
    """Sets of rules that give all that follows in each example, and nothing else. Every such set of
    so many rules at most has one of these in it."""
    wrong = frozenset[Rule]().union(*(it.wrong for it in tables))
    able = [[each for each in it.steps.items() if each[0] not in wrong] for it in tables]
    seen = set[frozenset[Rule]]()

    def chosen(rules: frozenset[Rule]) -> Iterator[frozenset[Rule]]:
        if rules in seen:
            return
        seen.add(rules)
        for it, others in zip(tables, able, strict=True):
            reached = _reached(it, rules)
            if reached == it.known:
                continue
            if len(rules) < most:
                for rule, steps in others:
                    if any(not need & ~reached and give & ~reached for need, give in steps):
                        yield from chosen(rules | {rule})
            return
        yield rules

    return chosen(frozenset())


def _reached(table: Table, rules: Iterable[Rule]) -> int:
    reached, size = table.given, -1
    steps = [step for rule in rules if rule in table.steps for step in table.steps[rule]]
    while size != reached:
        size = reached
        for need, give in steps:
            if need & reached == need:
                reached |= give
    return reached


def forms_told(
    skin: str, shapes: Iterable[Shape], relations: int, properties: int, most: int
) -> str:
    """So many rules at most of these forms, with letters for relations and properties."""
    kind = skin if skin != "symbols" else "things"
    forms, letters = list[str](), ""
    for premises, conclusion, apart in shapes:
        names = {"R": iter("ABC"), "P": iter("FGH")}
        *atoms, last = (
            f"{next(names[part[0]])}({', '.join(part[1:])})"
            for part in (*premises.split(), conclusion)
        )
        unlike = f", and {apart[0]} and {apart[1]} are different," if apart else ","
        forms.append(f"- If {listed(atoms)}{unlike} then {last}.")
        letters += "".join((*atoms, last))
    told = "\n".join(forms)
    stand = list[str]()
    for capitals, predicates, count, noun, on in (
        ("ABC", RELATIONS, relations, "relations", "XY"),
        ("FGH", PROPERTIES, properties, "properties", "X"),
    ):
        used = [letter for letter in capitals if letter in letters]
        each = "; ".join(worded((name, *on), skin) for name in predicates[:count])
        verb = "stands" if len(used) == 1 else "stand"
        if used and count == 1:
            stand.append(f"{listed(used)} {verb} for this property: {each}.")
        elif used:
            stand.append(f"{listed(used)} {verb} for any of these {noun}: {each}.")
    number = COUNTS[most]
    which = f"is {number}," if most == 1 else f"are at most {number}, each"
    return (
        f"There {which} of one of these forms:\n\n{told}\n\n{' '.join(stand)} Different letters"
        f" may stand for the same relation or property. X, Y and Z stand for any of the {kind}, and"
        " may stand for the same one unless the form says that they are different."
    )


def shown_told(skin: str, facts: Sequence[Atom], more: Sequence[Atom]) -> str:
    """An example: what is given, and what follows."""
    given, found = ("; ".join(worded(each, skin) for each in atoms) for atoms in (facts, more))
    return f"given: {given}. {f'It follows: {found}.' if more else 'Nothing follows.'}"


@lru_cache(maxsize=1 << 14)
def _ruled(shape: Shape, names: Predicates) -> Rule:
    """A form with names for its predicates."""
    premises, conclusion, apart = shape
    parts = [*premises.split(), conclusion]
    *atoms, last = ((name, *part[1:]) for name, part in zip(names, parts, strict=True))
    return tuple(atoms), last, tuple(apart)


def _predicates(part: str, relations: int, properties: int) -> Predicates:
    return RELATIONS[:relations] if part[0] == "R" else PROPERTIES[:properties]
