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
    size = len(names)
    clues, wrongs = list(known), dict[Clue, Places]()  # what was ruled out by which clue
    search = _Search(names, clues, true, holds)
    while (wrong := search.other()) is not None:
        for _ in range(TRIES):
            clue = drawn()
            if holds(clue, true, size) and not (wrong and holds(clue, wrong, size)):
                clues.append(clue)
                break
        else:
            return None
        search.add(clue)
        wrongs[clue] = wrong
    breaks = {clue: _swaps(*_shaped(clue, true), holds, size) for clue in clues}
    for clue in rng.sample(clues[len(known) :], len(clues) - len(known)):
        # Most clues are needed, and for most of these, two who change places show it.
        once = twice = 0
        for swaps in breaks.values():
            twice |= once & swaps
            once |= swaps
        if breaks.get(clue, 0) & ~twice:
            continue
        rest = [each for each in clues if each != clue]
        against = wrongs[clue]
        if against and all(holds(each, against, size) for each in reversed(rest)):
            continue
        if other(names, rest, true, holds) is None:
            clues = rest
            breaks.pop(clue, None)
    return clues


def other(
    names: Sequence[str], clues: Sequence[Clue], true: Places, holds: Holds
) -> dict[str, int] | None:
    """An arrangement that keeps the clues and is not the true one.

    None if there is not any; empty if it would take too long to tell.
    """
    return _Search(names, clues, true, holds).other()


@lru_cache(maxsize=16)
def one_each(size: int) -> tuple[list[_sat.Clause], list[_sat.Bound]]:
    """Clauses and bounds: each has one place, each place one. Variables count from 1, name by
    name."""
    names = [list(range(size * at + 1, size * (at + 1) + 1)) for at in range(size)]
    lines = [*names, *map(list, zip(*names))]
    return lines, [(line, 1) for line in lines]


@lru_cache(maxsize=1 << 10)  # a clue is tried with many others
def people(clue: Clue) -> tuple[str, ...]:
    return tuple([part for part in clue[1:] if isinstance(part, str)])


def _shaped(clue: Clue, true: Places) -> tuple[Clue, tuple[int, ...]]:
    """A clue with letters for names, and the places of these."""
    who = people(clue)
    shape: Clue = (clue[0], *LETTERS[: len(who)], *clue[1 + len(who) :])
    return shape, tuple([true[name] for name in who])


@lru_cache(maxsize=1 << 12)
def _swaps(shape: Clue, places: tuple[int, ...], holds: Holds, size: int) -> int:
    """A clue of those who have these places is broken once two places change hands: which two, as
    bits."""
    broken = 0
    for at, (one, two) in enumerate(combinations(range(size), 2)):
        if one in places or two in places:
            change = {one: two, two: one}
            swapped = [change.get(place, place) for place in places]
            broken |= (not holds(shape, dict(zip(LETTERS, swapped)), size)) << at
    return broken


class _Search:
    """Names are numbers here, by their order; one that has its place is open to that alone."""

    def __init__(
        self, names: Sequence[str], clues: Sequence[Clue], true: Places, holds: Holds
    ) -> None:
        self.true, self.holds, self.size = [1 << true[name] for name in names], holds, len(names)
        self.nodes = 0
        self.first = [(1 << len(names)) - 1] * len(names)
        self.pairs: list[list[tuple[int, Allowed]]] = [[] for _ in names]
        # The clue, whom it is about, the same as bits.
        self.wide: list[list[tuple[Clue, list[int], int]]] = [[] for _ in names]
        self.number = {name: at for at, name in enumerate(names)}
        self.changed = [*self.number.values()]  # since the first places were narrowed down
        for clue in clues:
            self.add(clue)

    def add(self, clue: Clue) -> None:
        who = [self.number[name] for name in people(clue)]
        shape: Clue = (clue[0], *LETTERS[: len(who)], *clue[1 + len(who) :])
        self.changed += who
        if len(who) > 2:
            for name in who:
                self.wide[name].append((shape, who, sum(1 << each for each in who)))
        elif len(who) == 1:
            self.first[who[0]] &= _alone(shape, self.holds, self.size)
        else:
            there, back = _together(shape, self.holds, self.size)
            self.pairs[who[0]].append((who[1], there))
            self.pairs[who[1]].append((who[0], back))

    def other(self) -> dict[str, int] | None:
        """The first arrangement found that is not the true one, as `other` has it."""
        self.nodes = 0
        agreed = self._agreed(self.first, self.changed)
        waiting, bits = [*self.number.values()], (1 << self.size) - 1
        if agreed and (found := self._deeper(self.first, waiting, bits)):
            return {name: place.bit_length() - 1 for name, place in zip(self.number, found)}
        return {} if self.nodes > NODES else None

    def _deeper(self, open_: list[int], waiting: list[int], bits: int) -> list[int] | None:
        if not waiting:
            return open_ if open_ != self.true else None
        self.nodes += 1
        if self.nodes > NODES:
            return None
        choices = [open_[each].bit_count() for each in waiting]
        name = waiting[choices.index(min(choices))]
        others, bits = [each for each in waiting if each != name], bits ^ 1 << name
        mask = open_[name]
        while mask:
            bit = mask & -mask
            mask ^= bit
            rest = self._narrowed(open_, others, bits, name, bit)
            if rest is not None and (found := self._deeper(rest, others, bits)):
                return found
        return None

    def _narrowed(
        self, open_: list[int], waiting: list[int], bits: int, name: int, bit: int
    ) -> list[int] | None:
        """What the others may be once a name has its place; None if one is left without any."""
        rest = [mask & ~bit for mask in open_]
        rest[name] = bit
        for partner, table in self.pairs[name]:
            rest[partner] &= table[bit]
        for shape, who, everybody in self.wide[name]:
            left = everybody & bits
            if left and not left & left - 1:  # so that it holds when nobody is waiting
                last = left.bit_length() - 1
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
