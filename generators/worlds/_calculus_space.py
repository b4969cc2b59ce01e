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
    by_size = {size: [it for it in known if len(it) == size] for size in (2, 3)}
    for shape in shapes:
        premises, conclusion, apart = shape
        ways: list[tuple[dict[str, str], tuple[Atom, ...]]] = [({}, ())]
        for part in premises.split():
            variables = part[1:]
            ways = [
                (more, (*used, atom))
                for given, used in ways
                for atom in by_size[len(variables) + 1]
                if (more := _bound(variables, atom, given)) is not None
            ]
        names = _predicates(conclusion, relations, properties)
        for given, used in ways:
            if apart and given[apart[0]] == given[apart[1]]:
                continue
            things = tuple(given[variable] for variable in conclusion[1:])
            before = tuple(atom[0] for atom in used)
            for name in names:
                yield _ruled(shape, (*before, name)), used, (name, *things)


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
    seen = set[frozenset[Rule]]()

    def chosen(rules: frozenset[Rule]) -> Iterator[frozenset[Rule]]:
        if rules in seen:
            return
        seen.add(rules)
        for it in tables:
            reached = _reached(it, rules)
            if reached == it.known:
                continue
            if len(rules) < most:
                for rule, steps in it.steps.items():
                    if rule not in wrong and any(
                        need & reached == need and give & ~reached for need, give in steps
                    ):
                        yield from chosen(rules | {rule})
            return
        yield rules

    return chosen(frozenset())


def _reached(table: Table, rules: Iterable[Rule]) -> int:
    steps = [step for rule in rules for step in table.steps.get(rule, ())]
    reached, size = table.given, -1
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


def _bound(variables: Sequence[str], atom: Atom, given: dict[str, str]) -> dict[str, str] | None:
    """The variables' things, with those of a statement for these ones."""
    if any(given.get(variable, thing) != thing for variable, thing in zip(variables, atom[1:])):
        return None
    more = dict(given)
    for variable, thing in zip(variables, atom[1:], strict=True):
        if more.setdefault(variable, thing) != thing:
            return None
    return more
