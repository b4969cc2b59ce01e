"""Places for names, one each: clues that leave one arrangement, by a search with domains.

A clue is a kind, the names that it speaks of, and a number at the end if it needs one. A family
says by `Holds` whether places keep a clue; what names can do together is tabulated once for each
kind.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from random import Random
from typing import TypeAlias

from puzzlemill.generators import _sat
from puzzlemill.generators._bits import union

Clue: TypeAlias = tuple[str | int, ...]
Places: TypeAlias = Mapping[str, int]  # from 0
Allowed: TypeAlias = dict[int, int]  # by the places that a name may have, those of another
Holds: TypeAlias = Callable[[Clue, Places, int], bool]  # the last is how many places there are

TRIES = 300
NODES = 300  # of one search; a set of clues that takes more is no better for being short


def clues_for(
    rng: Random,
    names: Sequence[str],
    true: Places,
    holds: Holds,
    drawn: Callable[[], Clue],
    known: Sequence[Clue] = (),
) -> list[Clue] | None:
    """Clues that leave the true arrangement only, few of which can be spared; None: no luck.

    Each is drawn to rule out an arrangement that the clues before it allow. `known` are kept.
    """
    clues = list(known)
    while (wrong := other(names, clues, true, holds)) is not None:
        for _ in range(TRIES):
            clue = drawn()
            if holds(clue, true, len(names)) and not (wrong and holds(clue, wrong, len(names))):
                clues.append(clue)
                break
        else:
            return None
    swaps = _swaps(clues, true, holds)
    for clue in rng.sample(clues[len(known) :], len(clues) - len(known)):
        # Most clues are needed, and for most of these, two who change places show it.
        if {clue} in swaps:
            continue
        rest = [each for each in clues if each != clue]
        if other(names, rest, true, holds) is None:
            clues = rest
            for broken in swaps:
                broken.discard(clue)
    return clues


def other(
    names: Sequence[str], clues: Sequence[Clue], true: Places, holds: Holds
) -> dict[str, int] | None:
    """An arrangement that keeps the clues and is not the true one.

    None if there is not any; empty if it would take too long to tell.
    """
    search = _Search(names, clues, true, holds)
    if found := search.found():
        return {name: place.bit_length() - 1 for name, place in zip(names, found)}
    return {} if search.nodes > NODES else None


@lru_cache(maxsize=16)
def one_each(size: int) -> list[_sat.Clause]:
    """Clauses: each has one place, each place one. Variables count from 1, name by name."""
    names = [list(range(size * at + 1, size * (at + 1) + 1)) for at in range(size)]
    return [clause for line in [*names, *zip(*names)] for clause in _sat.exactly_one(line)]


@lru_cache(maxsize=1 << 10)  # a clue is tried with many others
def people(clue: Clue) -> tuple[str, ...]:
    return tuple([part for part in clue[1:] if isinstance(part, str)])


def _swaps(clues: Sequence[Clue], true: Places, holds: Holds) -> list[set[Clue]]:
    """The clues that are broken once two names change places, for each two."""
    found = []
    for one, two in combinations(true, 2):
        swapped = {**true, one: true[two], two: true[one]}
        found.append({
            clue for clue in clues
            if (one in clue or two in clue) and not holds(clue, swapped, len(true))
        })  # fmt: skip
    return found


class _Search:
    """Names are numbers here, by their order; one that has its place is open to that alone."""

    def __init__(
        self, names: Sequence[str], clues: Sequence[Clue], true: Places, holds: Holds
    ) -> None:
        self.true, self.holds, self.size = [1 << true[name] for name in names], holds, len(names)
        self.nodes = 0
        self.first = [(1 << len(names)) - 1] * len(names)
        self.pairs: list[list[tuple[int, Allowed]]] = [[] for _ in names]
        self.wide: list[list[tuple[Clue, list[int]]]] = [[] for _ in names]
        number = {name: at for at, name in enumerate(names)}
        for clue in clues:
            who = [number[name] for name in people(clue)]
            shape: Clue = (clue[0], *LETTERS[: len(who)], *clue[1 + len(who) :])
            if len(who) > 2:
                for name in who:
                    self.wide[name].append((shape, who))
            elif len(who) == 1:
                self.first[who[0]] &= _alone(shape, holds, self.size)
            else:
                there, back = _together(shape, holds, self.size)
                self.pairs[who[0]].append((who[1], there))
                self.pairs[who[1]].append((who[0], back))

    def found(self) -> list[int] | None:
        """The first arrangement found that is not the true one."""
        everybody = list(range(self.size))
        agreed = self._agreed(self.first, everybody.copy())
        return self._deeper(self.first, everybody) if agreed else None

    def _deeper(self, open_: list[int], waiting: list[int]) -> list[int] | None:
        if not waiting:
            return open_ if open_ != self.true else None
        self.nodes += 1
        if self.nodes > NODES:
            return None
        choices = [open_[each].bit_count() for each in waiting]
        name = waiting[choices.index(min(choices))]
        others = [each for each in waiting if each != name]
        mask = open_[name]
        while mask:
            bit = mask & -mask
            mask ^= bit
            rest = self._narrowed(open_, others, name, bit)
            if rest is not None and (found := self._deeper(rest, others)):
                return found
        return None

    def _narrowed(
        self, open_: list[int], waiting: list[int], name: int, bit: int
    ) -> list[int] | None:
        """What the others may be once a name has its place; None if one is left without any."""
        rest = [mask & ~bit for mask in open_]
        rest[name] = bit
        for partner, table in self.pairs[name]:
            rest[partner] &= table[bit]
        for shape, who in self.wide[name]:
            without_place = [each for each in who if each in waiting]
            if len(without_place) == 1:  # so that it holds when nobody is waiting
                last = without_place[0]
                places = tuple([-1 if it == last else rest[it].bit_length() - 1 for it in who])
                rest[last] &= _last(shape, places, self.holds, self.size)
        if 0 in rest:
            return None
        changed = [each for each in waiting if rest[each] != open_[each]]
        return rest if self._agreed(rest, changed) else None

    def _agreed(self, open_: list[int], changed: list[int]) -> bool:
        """Takes away what no place of a partner allows, until nothing changes."""
        while changed:
            name = changed.pop()
            mask = open_[name]
            for partner, table in self.pairs[name]:
                before = open_[partner]
                if mask not in table:
                    table[mask] = union(table, mask)
                after = before & table[mask]
                if after != before:
                    if not after:
                        return False
                    open_[partner] = after
                    changed.append(partner)
        return 0 not in open_


LETTERS = ("A", "B", "C", "D")


@lru_cache(maxsize=2000)
def _alone(shape: Clue, holds: Holds, size: int) -> int:
    return sum(1 << place for place in range(size) if holds(shape, {"A": place}, size))


@lru_cache(maxsize=2000)
def _together(shape: Clue, holds: Holds, size: int) -> tuple[Allowed, Allowed]:
    """For each place of the first name, where the second may be; and the other way round."""
    there, back = (dict.fromkeys((1 << place for place in range(size)), 0) for _ in "AB")
    for one, two in product(range(size), repeat=2):
        if holds(shape, {"A": one, "B": two}, size):
            there[1 << one] |= 1 << two
            back[1 << two] |= 1 << one
    return there, back


@lru_cache(maxsize=1 << 14)
def _last(shape: Clue, others: tuple[int, ...], holds: Holds, size: int) -> int:
    """Where the last of several names may be, who stands as -1 among the places of the others."""
    places = dict(zip(LETTERS, others, strict=False))
    name = LETTERS[others.index(-1)]
    return sum(1 << place for place in range(size) if holds(shape, places | {name: place}, size))
