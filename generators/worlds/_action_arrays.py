"""Worlds of drawn actions as arrays: all states at once, and how far each is from the start."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from random import Random
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from puzzlemill.generators.worlds._action_world import Setting, compiled

Numbers = NDArray[np.int32]
Truth = NDArray[np.bool_]

UNREACHED, FORBIDDEN = -1, -2


class Priced(Setting, Protocol):
    @property
    def costs(self) -> tuple[int, ...]: ...  # of the actions; none where each costs 1


@dataclass(frozen=True, slots=True)
class Arrays:
    digits: list[Numbers]  # by attribute of a thing, its value in each state
    # By action: a row for the things it is done to, with the state that each state leads to, which
    # is itself where the action cannot be done.
    then: list[Numbers]
    costs: tuple[int, ...]
    bans: list[Truth]  # by ban: the states that it allows
    start: int

    def distances(self, actions: Iterable[int], bans: Iterable[int], most: float = inf) -> Numbers:
        """What it costs to reach each state under some of the rules; -1 where it cannot be done, or
        costs more."""
        kept = [self.bans[at] for at in bans]
        by_cost = dict[int, list[Numbers]]()
        for at in actions:
            by_cost.setdefault(self.costs[at], []).append(self.then[at])
        # All at once: a layer is small, and each call of numpy costs more than its states.
        every = {cost: np.concatenate(rows) for cost, rows in by_cost.items()}
        far = np.full(len(self.digits[0]), UNREACHED, np.int32)
        if kept:
            far[~np.logical_and.reduce(kept)] = FORBIDDEN
        far[self.start] = 0
        layers = [np.array([self.start])]
        dearest = max(by_cost, default=1)
        while len(layers) <= most and any(map(len, layers[-dearest:])):
            for cost, then in every.items():
                if cost <= len(layers) and len(layer := layers[-cost]):
                    found = then.take(layer, axis=1)
                    far[found[far.take(found) == UNREACHED]] = len(layers)
            layers.append(np.flatnonzero(far == len(layers)))
        far[far == FORBIDDEN] = UNREACHED
        return far


def arrays_of(world: Priced) -> Arrays:
    wide, count = len(world.attributes), len(world.things) * len(world.attributes)
    digits, weights = _digits(world.values, count)
    whole = np.arange(len(digits[0]), dtype=np.int32)
    then: list[list[Numbers]] = [[] for _ in world.actions]
    for name, tests, changes in compiled(world):
        at = world.verbs.index(name.split(" ")[0])
        holds = np.ones(len(whole), bool)
        for kind, here, other in tests:
            value = other if kind in ("is", "is not") else digits[other]
            holds &= (digits[here] == value) == (kind in ("is", "same"))
        state = whole.copy()
        for kind, here, other in changes:
            new: Any = (digits[here] + 1) % world.values
            if kind != "turn":
                new = other if kind == "set" else digits[other]
            state += (new - digits[here]) * weights[here]
        then[at].append(np.where(holds, state, whole))
    bans = []
    for attribute, value, *more in world.bans:
        having = [each == value for each in digits[attribute::wide]]
        if len(more) == 1:
            bans.append(sum(each.astype(np.int8) for each in having) <= more[0])
        else:
            others = [each == more[1] for each in digits[more[0] :: wide]]
            bans.append(~np.logical_or.reduce([a & b for a, b in zip(having, others)]))
    start = sum(value * weight for value, weight in zip(world.start, weights, strict=True))
    rows = [np.array(each) for each in then]
    return Arrays(digits, rows, world.costs or (1,) * len(world.actions), bans, start)


def telling(rng: Random, arrays: Arrays, distances: Numbers, least: int) -> list[tuple[int, int]]:
    """Places and values that some state at this distance has, and no nearer one; few of them."""
    number = rng.choice(np.flatnonzero(distances == least).tolist())
    nearer = np.flatnonzero((distances >= 0) & (distances < least))
    chosen = [int(digits[number]) for digits in arrays.digits]
    alike = [digits[nearer] == value for digits, value in zip(arrays.digits, chosen, strict=True)]
    places = list(range(len(chosen)))
    for at in rng.sample(places, len(places)):
        less = [it for it in places if it != at]
        if less and not np.logical_and.reduce([alike[it] for it in less]).any():
            places = less
    return [(at, chosen[at]) for at in places]


def needed_rules(
    arrays: Arrays, goal: Iterable[tuple[int, int]], least: int
) -> tuple[list[int], list[int]]:
    """Actions and bans, each of which is needed for the goal to cost so much."""
    wanted = np.logical_and.reduce([arrays.digits[at] == value for at, value in goal])
    actions, bans = list(range(len(arrays.then))), list(range(len(arrays.bans)))

    def costs_as_much(actions: list[int], bans: list[int]) -> bool:
        found = arrays.distances(actions, bans, least)[wanted]
        return min((each for each in found.tolist() if each >= 0), default=None) == least

    while True:  # once more, since a rule that was needed may be so no more
        fewer_actions, fewer_bans = actions, bans
        for at in reversed(bans):
            less = [each for each in fewer_bans if each != at]
            fewer_bans = less if costs_as_much(fewer_actions, less) else fewer_bans
        for at in reversed(actions):
            less = [each for each in fewer_actions if each != at]
            fewer_actions = less if costs_as_much(less, fewer_bans) else fewer_actions
        if (fewer_actions, fewer_bans) == (actions, bans):
            return actions, bans
        actions, bans = fewer_actions, fewer_bans


@lru_cache(maxsize=16)
def _digits(values: int, count: int) -> tuple[list[Numbers], list[int]]:
    weights = [values**at for at in range(count)]
    whole = np.arange(values**count, dtype=np.int32)
    return [whole // weight % values for weight in weights], weights
