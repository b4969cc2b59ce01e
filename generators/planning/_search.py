"""Shortest plans: breadth first from both ends, and from the start with a bound on what is left."""

from collections.abc import Callable, Hashable, Iterable
from math import inf
from typing import TypeVar

S = TypeVar("S", bound=Hashable)
M = TypeVar("M")

Steps = Callable[[S], Iterable[tuple[M, S]]]


def guided(
    start: S,
    done: Callable[[S], bool],
    onward: Steps[S, M],
    left: Callable[[S], int],
    most: int,
    patience: float = inf,
) -> list[M] | None:
    """The fewest moves to a state that is done, or None where that takes more than `most`.

    A*: `left` says of a state how many moves are still needed at least. With patience it gives up,
    with None, after going on from so many states.
    """
    came: dict[S, tuple[S, M] | None] = {start: None}
    cost, far = {start: 0}, most + 1
    known = cost.get
    waiting: list[list[tuple[S, int]]] = [[] for _ in range(far)]
    if left(start) <= most:
        waiting[left(start)].append((start, 0))
    for total, states in enumerate(waiting):
        while states:
            state, made = states.pop()
            if made > cost[state]:
                continue
            patience -= 1
            if patience < 0:
                return None
            if done(state):
                return _traced(came, state)
            made += 1
            for move, then in onward(state):
                if made < known(then, far):
                    cost[then], came[then] = made, (state, move)
                    least = made + left(then)
                    if least < total:
                        least = total
                    if least <= most:
                        waiting[least].append((then, made))
    return None


def from_both_ends(
    start: S, goal: S, onward: Steps[S, M], backward: Steps[S, M], most: int
) -> list[M] | None:
    """The fewest moves from start to goal, or None where that takes more than `most`.

    `backward` gives the states from which a move leads here, with that move.
    """
    if start == goal:
        return []
    behind: dict[S, tuple[S, M] | None] = {start: None}
    ahead: dict[S, tuple[S, M] | None] = {goal: None}
    firsts, lasts = [start], [goal]
    for _ in range(most):
        if len(firsts) <= len(lasts):
            firsts, met = _layer(firsts, behind, ahead, onward)
        else:
            lasts, met = _layer(lasts, ahead, behind, backward)
        if met is not None:
            return _traced(behind, met) + _traced(ahead, met)[::-1]
    return None


def _layer(
    border: list[S],
    seen: dict[S, tuple[S, M] | None],
    others: dict[S, tuple[S, M] | None],
    moves: Steps[S, M],
) -> tuple[list[S], S | None]:
    """The next states on one side, and one that the other side has seen."""
    fresh: list[S] = []
    for state in border:
        for move, then in moves(state):
            if then not in seen:
                seen[then] = (state, move)
                if then in others:
                    return fresh, then
                fresh.append(then)
    return fresh, None


def _traced(came: dict[S, tuple[S, M] | None], state: S) -> list[M]:
    """The moves by which a state was come to, the first one first."""
    moves = []
    while (step := came[state]) is not None:
        state, move = step
        moves.append(move)
    return moves[::-1]
