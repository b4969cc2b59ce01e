"""The actions that a world may have, when its own are not told: all of them, and which explain
what was seen.

An action is taken apart: what it needs, and what it makes of two rows of values, those of X and Y.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import TypeAlias

from puzzlemill.generators.worlds._action_terms import Term

Row: TypeAlias = tuple[int, ...]  # the value of each attribute of a thing
Case: TypeAlias = tuple[int, tuple[Row, ...]]  # an action's number, and the rows of X and Y before
Example: TypeAlias = tuple[
    Case, tuple[Row, ...]
]  # and the rows after it; () where it is impossible


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
def all_met(rows: tuple[Row, ...], attributes: int, values: int) -> frozenset[Term]:
    """The conditions that hold."""
    every = conditions(len(rows), attributes, values)
    return frozenset(term for term in every if met(term, rows))


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


@lru_cache(maxsize=256)  # where an example goes, those of the other actions stay
def explaining(
    examples: tuple[Example, ...], arity: int, attributes: int, values: int
) -> tuple[list[tuple[Term, ...]], list[tuple[Term, ...]]]:
    """One condition or two that hold wherever the action could be done, and nowhere else; and one
    effect or two, on different attributes, that make what was made."""
    size = arity, attributes, values
    done = sum(1 << at for at, (_, after) in enumerate(examples) if after)
    sets = [(1 << at, all_met(rows, *size[1:])) for at, ((_, rows), _) in enumerate(examples)]
    holding = [
        (term, sum([bit for bit, terms in sets if term in terms])) for term in conditions(*size)
    ]
    needs: list[tuple[Term, ...]] = [(term,) for term, bits in holding if bits == done]
    possible = [each for each in holding if each[1] & done == done]
    needs += [(one, two) for (one, a), (two, b) in combinations(possible, 2) if a & b == done]
    # An effect changes one attribute, of X or Y or both; None leaves all of them as they are.
    seen = [(rows, after) for (_, rows), after in examples if after]
    able = [
        [
            term
            for term in (None, *(it for it in effects(*size) if it[2] == at))
            if all(
                [row[at] for row in made([term] if term else [], rows, values)]
                == [row[at] for row in after]
                for rows, after in seen
            )
        ]
        for at in range(attributes)
    ]
    makes = [
        chosen
        for terms in product(*able)
        if 1 <= len(chosen := tuple(term for term in terms if term)) <= 2
    ]
    return needs, makes
