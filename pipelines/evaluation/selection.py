"""Which items a batch asks, by all replies before: a pure function of them and of the seed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from puzzlemill.core import registry
from puzzlemill.difficulty.ability import LEVELS, Ability, Floats, fit
from puzzlemill.difficulty.item_choice import next_cells

Cell = tuple[str, int]  # a family, and a place in LEVELS

BATCH = 16  # items, until there are more than GROWTH batches of them
GROWTH = 4
DRAWS = 200  # from the posterior, to choose a batch by
AT_RANDOM = 0.2  # of a batch: where the model is wrong, they find out


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The families under test, and each one's share of the level: themes count alike."""

    families: tuple[str, ...]
    categories: tuple[str, ...]
    weights: Floats

    def targets(self, per: str) -> Floats:
        """A row of weights for each level that is to be known."""
        if per == "family":
            return np.eye(len(self.families))
        if per == "all":
            return self.weights[None]
        names = list(dict.fromkeys(self.categories))
        rows = np.array([[each == name for each in self.categories] for name in names])
        weighted = rows * self.weights
        shares: Floats = weighted / weighted.sum(1, keepdims=True)
        return shares


def scope_of(families: Sequence[str], without: Sequence[str] = ()) -> Scope:
    names = tuple(name for name in families if name not in {*without})
    known = [registry.family(name) for name in names]
    themes = [each.theme for each in known]
    weights = np.array([1 / themes.count(theme) for theme in themes])
    return Scope(names, tuple(each.category for each in known), weights / max(weights.sum(), 1e-9))


def tallies(scope: Scope, lines: Sequence[Mapping[str, Any]]) -> tuple[Floats, Floats]:
    """Trials and successes of each family at each level. Several replies to one item are one trial,
    and their mean one outcome: they say little more of the family than one does."""
    places = {name: number for number, name in enumerate(scope.families)}
    trials, successes = np.zeros((2, len(places), len(LEVELS)))
    for line in lines:
        judged = [reply for reply in line["replies"] if reply["status"] != "error"]
        if line["way"] or line["family"] not in places or not judged:
            continue
        cell = places[line["family"]], line["level"]
        trials[cell] += 1
        successes[cell] += np.mean([reply["status"] == "correct" for reply in judged])
    return trials, successes


def ability_of(scope: Scope, lines: Sequence[Mapping[str, Any]], draws: int = DRAWS) -> Ability:
    return fit(scope.categories, *tallies(scope, lines), draws)


def half_widths(ability: Ability, scope: Scope, per: str) -> Floats:
    """Half of the 90% interval of each level that is to be known."""
    drawn = ability.rates.mean(2) @ scope.targets(per).T
    low, high = np.quantile(drawn, (0.05, 0.95), axis=0)
    widths: Floats = (high - low) / 2
    return widths


def batch_size(asked: int) -> int:
    return max(BATCH, asked // GROWTH)


def spread_cells(scope: Scope, count: int, rng: np.random.Generator) -> list[Cell]:
    """Cells for a fixed test, or to begin with: families in turn, by their weights, and levels
    evenly."""
    order = rng.permutation(len(scope.families))
    edges = np.cumsum(scope.weights[order])
    starts = (np.arange(count) + rng.random()) / count
    places = np.minimum(np.searchsorted(edges, starts), len(edges) - 1)
    levels = np.resize(rng.permutation(len(LEVELS)), count)
    chosen = zip(order[places].tolist(), levels.tolist(), strict=True)
    return [(scope.families[family], level) for family, level in chosen]


def telling_cells(
    scope: Scope, ability: Ability, per: str, count: int, rng: np.random.Generator
) -> list[Cell]:
    """The cells whose replies tell most, and a few at random."""
    blind = round(count * AT_RANDOM)
    chosen = next_cells(ability.curves, scope.targets(per), count - blind, rng)
    chosen += [
        (int(rng.choice(len(scope.families), p=scope.weights)), int(rng.integers(len(LEVELS))))
        for _ in range(blind)
    ]
    return [(scope.families[family], level) for family, level in chosen]
