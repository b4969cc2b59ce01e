"""A mixture: items of several families, each as often as its weight says.

The families take turns by Webster's method: each place goes to the family that lags furthest behind
its share. So any first part of a mixture has the shares too, to within an item or two, and a longer
mixture begins with the shorter one.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any, overload

from puzzlemill.core import registry
from puzzlemill.core.address import whole_number
from puzzlemill.core.errors import UserError, shown
from puzzlemill.core.item import Item, Items, generate
from puzzlemill.core.row_view import RowView

if TYPE_CHECKING:
    from pandas import DataFrame

Weights = Mapping[str, float] | Iterable[str] | str
Levels = float | Sequence[float]

MOST = 10**8  # items: 1.6 GB of places


@dataclass(frozen=True, slots=True, eq=False)
class Mixture(Sequence[Item]):
    """Items of several families in turn, made when they are asked for."""

    weights: Mapping[str, float]  # by family, 1 in all
    sources: tuple[tuple[Items, ...], ...]  # of each family, one a level
    turns: "array[int]"  # whose turn it is, by place
    indices: "array[int]"  # which of its items it is

    def __len__(self) -> int:
        return len(self.turns)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> "Mixture": ...
    def __getitem__(self, place: int | slice) -> "Item | Mixture":
        if isinstance(place, slice):
            return Mixture(self.weights, self.sources, self.turns[place], self.indices[place])
        index, levels = self.indices[place], self.sources[self.turns[place]]
        return levels[index % len(levels)][index]

    def __repr__(self) -> str:
        named = [f"{name} {weight:.2g}" for name, weight in self.weights.items()]
        more = ", …" if len(named) > 6 else ""
        return f"<Mixture of {len(self):,} items: {', '.join(named[:6])}{more}>"

    def rows(self) -> RowView:
        """The items as rows of a dataset, in the same places."""
        return RowView(self)

    def to_pandas(self) -> "DataFrame":
        """A data frame with a line an item."""
        return self.rows().to_pandas()


def mixture(
    families: Weights, n: int, level: Levels = 0.5, seed: int = 0, split: str = "train"
) -> Mixture:
    """n items of several families, each as often as its weight says; names alone weigh the same.

    A name is a family's, a variant's or a category's. A category's weight is shared by its themes,
    and each theme's share by its families, which ask much the same. Of several levels, each
    family's items go through them in turn.
    """
    weights = _shares(_weights(families))
    n = whole_number("n", n)
    if n < 0:
        raise UserError(f"n is {n}; ask for 0 items or more")
    if n > MOST:
        raise UserError(f"n is {n:,}; a mixture has at most {MOST:,}, and a recipe builds more")
    levels = _levels(level)
    sources = tuple(
        tuple(generate(name, each, seed, split=split) for each in levels) for name in weights
    )
    return Mixture(weights, sources, *_turns(tuple(weights.values()), n))


def _weights(families: Any) -> dict[str, float]:
    if isinstance(families, str):
        return {families: 1.0}
    if isinstance(families, Mapping):
        for name, weight in families.items():
            number = isinstance(weight, Real) and not isinstance(weight, bool)
            if not number or not isfinite(weight) or weight <= 0:
                raise UserError(f"the weight of {name} is a number above 0, not {shown(weight)}")
        named = dict(families)
    elif isinstance(families, Iterable):
        named = dict.fromkeys(_hashable(families), 1.0)
    else:
        raise UserError(f"families are names, or names with weights, not {shown(families)}")
    if not named:
        raise UserError("a mixture needs a family: name one, such as 'sudoku'")
    return named


def _hashable(names: Iterable[Any]) -> list[str]:
    names = list(names)
    for name in names:
        if not isinstance(name, str):
            raise UserError(f"a family has a name, such as 'sudoku'; {shown(name)} is none")
    return names


def _shares(weights: Mapping[str, float]) -> dict[str, float]:
    """The share of each family; a category's is divided among its themes, and then its families."""
    shares: dict[str, float] = {}
    total = sum(weights.values())
    for name in _hashable(weights):
        themes: dict[str, list[str]] = {}
        for member in [name] if _is_variant(name) else registry.matching(name):
            themes.setdefault(registry.family(member).theme, []).append(member)
        for alike in themes.values():
            part = weights[name] / total / len(themes) / len(alike)
            for member in alike:
                shares[member] = shares.get(member, 0.0) + part
    return shares


def _is_variant(name: str) -> bool:
    return "+" in name and not name.endswith("+*")


def _levels(level: Any) -> tuple[float, ...]:
    several = isinstance(level, Sequence) and not isinstance(level, str)
    levels: tuple[Any, ...] = tuple(level) if several else (level,)
    if not levels:
        raise UserError("level is a number from 0 to 1, or several; an empty list is none")
    return levels  # `generate` says what is wrong with one


def _turns(shares: Sequence[float], n: int) -> "tuple[array[int], array[int]]":
    """Whose turn each place is, and which of its items comes."""
    turns, indices = array("Q"), array("Q")
    due = [(0.5 / share, number, 0) for number, share in enumerate(shares)]
    heapify(due)
    for _ in range(n):
        _, number, taken = due[0]
        turns.append(number)
        indices.append(taken)
        heapreplace(due, ((taken + 1.5) / shares[number], number, taken + 1))
    return turns, indices
