"""Curricula: which items to train on next, by what came of those before.

A file here is a curriculum, and its name is the recipe's. Each is three pure functions over a state
that is plain data, so that a run's checkpoint holds it whole and going on is exact.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core.address import digest
from puzzlemill.core.choices import Choices

State: TypeAlias = dict[str, Any]  # plain data
Cell: TypeAlias = tuple[str, float]  # family and level


@dataclass(frozen=True, slots=True)
class Seen:
    """A group of replies to one item."""

    place: int
    mean: float  # of its scores
    spread: float  # mean distance of a score from that: what a policy gradient has to work with


@dataclass(frozen=True)
class Pool:
    """The items there are, by place; in the order of their rank."""

    cells: Sequence[Cell]  # of each item
    means: Sequence[float]  # each one's pass rate, as it was scored

    @cached_property
    def members(self) -> dict[Cell, list[int]]:
        found: dict[Cell, list[int]] = {}
        for place, cell in enumerate(self.cells):
            found.setdefault(cell, []).append(place)
        return dict(sorted(found.items()))

    @cached_property
    def key(self) -> str:
        return digest(repr(self.cells))

    def __len__(self) -> int:
        return len(self.cells)


@dataclass(frozen=True, slots=True)
class Curriculum:
    # So many places, when the run has come so far, 0 to 1; and the state behind them.
    pick: Callable[[Pool, State, int, float, Random], tuple[list[int], State]]
    start: Callable[[Pool], State] = field(default=lambda pool: {})
    told: Callable[[Pool, State, Sequence[Seen]], State] = field(
        default=lambda pool, state, seen: state
    )


CURRICULA = Choices("curriculum", __name__, "CURRICULUM", "puzzlemill.curricula")


def in_turn(pool: Pool, places: Sequence[int], taken: int, purpose: str) -> int:
    """The next of some places, when so many have been taken: each once an epoch, each epoch in an
    order of its own."""
    epoch, within = divmod(taken, len(places))
    return places[_order(f"{pool.key} {purpose} {epoch}", len(places))[within]]


@lru_cache(maxsize=256)
def _order(purpose: str, count: int) -> list[int]:
    return Random(purpose).sample(range(count), count)


def drawn_apart(weights: Sequence[float], count: int, source: Random) -> list[int]:
    """Places by weight, none twice while there are others: the largest of u ** (1 / weight)."""
    keys = [source.random() ** (1 / weight) for weight in weights]
    order = sorted(range(len(weights)), key=lambda place: -keys[place])
    return [order[n % len(order)] for n in range(count)]


def from_cells(pool: Pool, state: State, cells: Sequence[Cell]) -> tuple[list[int], State]:
    """The next item of each of some cells, and the state that remembers it."""
    taken: dict[str, int] = dict(state.get("taken", {}))
    places = []
    for cell in cells:
        name = name_of(cell)
        places.append(in_turn(pool, pool.members[cell], taken.get(name, 0), name))
        taken[name] = taken.get(name, 0) + 1
    return places, {**state, "taken": taken}


def name_of(cell: Cell) -> str:
    """A cell as a key of plain data."""
    return f"{cell[0]} {cell[1]:g}"


def by_cell(pool: Pool, seen: Sequence[Seen]) -> Mapping[Cell, list[Seen]]:
    found: dict[Cell, list[Seen]] = {}
    for each in seen:
        found.setdefault(pool.cells[each.place], []).append(each)
    return found
