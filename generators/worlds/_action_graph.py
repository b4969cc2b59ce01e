"""All states of a world of drawn actions at once, as arrays, with what each action does in each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from puzzlemill.generators.worlds._action_terms import VARIABLES, State, allowed, done
from puzzlemill.generators.worlds._action_world import Setting

W = TypeVar("W", bound=Setting)
Numbers = NDArray[np.int64]

MOVE = 1 << 10  # a cost is that many times the price, and one more for each action
FAR = 1 << 40  # what costs as much is not reached


@dataclass(frozen=True, slots=True)
class Graph(Generic[W]):
    world: W
    values: (
        Numbers  # a row a state: the values of the first thing's attributes, then of the second's
    )
    start: int  # the place of the state at the start
    edges: tuple[Numbers, Numbers, Numbers]  # from, to, and the place of the action
    bad: list[NDArray[np.bool_]]  # for each rule on states, the states that it forbids


def graph_of(world: W, forbidden: Sequence[Callable[[Numbers], NDArray[np.bool_]]]) -> Graph[W]:
    """Each function tells which states are forbidden, from values by state, thing and attribute."""
    wide, many = len(world.attributes), len(world.things)
    kinds = list(product(range(world.values), repeat=wide))
    digits = np.indices((len(kinds),) * many).reshape(many, -1)
    weights = len(kinds) ** np.arange(many - 1, -1, -1)
    values = np.array(kinds)[digits.T]
    found = [list[Numbers](), list[Numbers](), list[Numbers]()]
    for number, table in enumerate(_tables(world, kinds)):
        for where in permutations(range(many), world.actions[number][0]):
            change = table[tuple(digits[at] for at in where)]
            able = np.flatnonzero(change[:, 0] >= 0)
            then = able.copy()
            for place, at in enumerate(where):
                then += (change[able, place] - digits[at, able]) * weights[at]
            moved = then != able
            for kept, more in zip(found, (able, then, np.full(len(able), number))):
                kept.append(more[moved])
    start = sum(
        kinds.index(tuple(world.start[at * wide : (at + 1) * wide])) * int(weights[at])
        for at in range(many)
    )
    sources, targets, actions = (np.concatenate(each) for each in found)
    return Graph(
        world,
        values.reshape(len(values), -1),
        start,
        (sources, targets, actions),
        [each(values) for each in forbidden],
    )


def _tables(world: Setting, kinds: list[tuple[int, ...]]) -> list[Numbers]:
    """What the interpreter says that each action makes of the values of its things; -1: nothing."""
    sizes = (world.values,) * len(world.attributes)
    of = {kind: at for at, kind in enumerate(kinds)}
    tables = list[Numbers]()
    for action in world.actions:
        names = VARIABLES[: action[0]]
        table = np.full((*[len(kinds)] * len(names), len(names)), -1)
        for chosen in product(range(len(kinds)), repeat=len(names)):
            state: State = {
                (name, at): value
                for name, it in zip(names, chosen)
                for at, value in enumerate(kinds[it])
            }
            if allowed(action, names, state):
                then = done(action, names, state, sizes)
                table[chosen] = [
                    of[tuple(then[name, at] for at in range(len(sizes)))] for name in names
                ]
        tables.append(table)
    return tables


def least_costs(
    graph: Graph[W], prices: Sequence[int], rules: Sequence[int], price: int = 0
) -> Numbers:
    """What it costs to come to each state, by Bellman and Ford; actions of price 0 are left out.

    With a price, it is that of all the others.
    """
    sources, targets, actions = graph.edges
    cost = np.array([min(each, price or each) for each in prices])[actions]
    good = np.ones(len(graph.values), bool)
    for rule in rules:
        good &= ~graph.bad[rule]
    use = (cost > 0) & good[targets]
    sources, targets, cost = sources[use], targets[use], cost[use] * MOVE + 1
    best = np.full(len(graph.values), FAR)
    best[graph.start] = 0
    while True:
        fresh = best.copy()
        np.minimum.at(fresh, targets, best[sources] + cost)
        if (fresh == best).all():
            return best
        best = fresh
