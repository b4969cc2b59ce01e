"""The actions that a world may have, when its own are not told: all of them, and which explain
what was seen.

An action is taken apart: what it needs, and what it makes of two rows of values, those of X and Y.
"""

from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from itertools import combinations
from operator import and_
from typing import TypeAlias

from puzzlemill.generators.worlds._action_terms import Term

Row: TypeAlias = tuple[int, ...]  # the value of each attribute of a thing
Case: TypeAlias = tuple[int, tuple[Row, ...]]  # an action's number, and the rows of X and Y before
Example: TypeAlias = tuple[
    Case, tuple[Row, ...]
]  # and the rows after it; () where it is impossible
Effects: TypeAlias = frozenset[Term | None]  # None leaves things as they are


@lru_cache(maxsize=64)
def conditions(arity: int, attributes: int, values: int) -> list[Term]:
    found: list[Term] = [
        (kind, place, at, value)
        for kind in ("is", "is not")
        for place in range(arity)
        for at in range(attributes)
        for value in range(values)
    ]
    if arity == 2:
        found += [(kind, 0, at) for kind in ("same", "differ") for at in range(attributes)]
    return found


@lru_cache(maxsize=64)
def effects(arity: int, attributes: int, values: int) -> list[Term]:
    found = list[Term]()
    for at in range(attributes):
        for place in range(arity):
            found += [("set", place, at, value) for value in range(values)]
            found.append(("turn", place, at))
            found += [("copy", place, at)] * (arity == 2)
        found += [("swap", 0, at)] * (arity == 2)
    return found


def met(term: Term, rows: Sequence[Row]) -> bool:
    """The engine: whether a condition holds."""
    kind, place, at, *value = term
    if value:
        return (rows[place][at] == value[0]) is (kind == "is")
    return (rows[0][at] == rows[1][at]) is (kind == "same")


@lru_cache(maxsize=1 << 12)
def all_met(rows: tuple[Row, ...], attributes: int, values: int) -> int:
    """The conditions that hold, as bits by their places."""
    every = conditions(len(rows), attributes, values)
    return sum(1 << at for at, term in enumerate(every) if met(term, rows))


def made(terms: Iterable[Term], rows: Sequence[Row], values: int) -> tuple[Row, ...]:
    """The engine: the rows after all effects."""
    then = [list(row) for row in rows]
    for kind, place, at, *value in terms:
        if kind == "set":
            then[place][at] = value[0]
        elif kind == "turn":
            then[place][at] = (rows[place][at] + 1) % values
        else:
            then[place][at] = rows[1 - place][at]
            if kind == "swap":
                then[1 - place][at] = rows[place][at]
    return tuple(map(tuple, then))


@lru_cache(maxsize=1 << 12)
def _making(
    rows: tuple[Row, ...], after: tuple[Row, ...], attributes: int, values: int
) -> list[frozenset[Term | None]]:
    """By attribute: the effects that change it so; None leaves it as it is."""
    columns = [[row[at] for row in after] for at in range(attributes)]
    fitting: list[set[Term | None]] = [
        {None} if [row[at] for row in rows] == column else set()
        for at, column in enumerate(columns)
    ]
    for term in effects(len(rows), attributes, values):
        at = term[2]
        if [row[at] for row in made((term,), rows, values)] == columns[at]:
            fitting[at].add(term)
    return [*map(frozenset, fitting)]


@lru_cache(maxsize=256)  # where an example goes, those of the other actions stay
def explaining(
    examples: tuple[Example, ...], arity: int, attributes: int, values: int
) -> tuple[list[int], list[Effects]]:
    """One condition or two, as bits, that hold wherever the action could be done, and nowhere else;
    and by attribute, the effects that make what was made."""
    size = arity, attributes, values
    every = conditions(*size)
    holding, others = (1 << len(every)) - 1, list[int]()
    # An effect changes one attribute, of X or Y or both; None leaves all of them as they are.
    able: list[Effects] = [
        frozenset((None, *(term for term in effects(*size) if term[2] == at)))
        for at in range(attributes)
    ]
    for (_, rows), after in examples:
        held = all_met(rows, attributes, values)
        if after:
            holding &= held
            able = [*map(and_, able, _making(rows, after, attributes, values))]
        else:
            others.append(held)
    # Where a condition holds besides.
    besides = [(1 << at, sum([1 << it for it, held in enumerate(others) if held >> at & 1]))
               for at in range(len(every)) if holding >> at & 1]  # fmt: skip
    needs = [term for term, bits in besides if not bits]
    needs += [one | two for (one, a), (two, b) in combinations(besides, 2) if not a & b]
    return needs, able


def changes(able: Sequence[Effects], at: int) -> Set[Term | None]:
    """What becomes of an attribute by one effect or two, each on another attribute."""
    others = [*able[:at], *able[at + 1 :]]
    needed = sum(None not in each for each in others)  # attributes that have changed
    if not all(able) or needed > 2:
        return set()
    found = set(able[at]) if needed < 2 else able[at] & {None}
    return found if any(each - {None} for each in others) else found - {None}
