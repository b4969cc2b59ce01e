"""Stack order: push items in a given order, popping in between, to take them out in another.

The items are all different, so at most one sequence of pushes and pops does it. `solve` pops
whenever it can and else pushes; `verify` plays the answer out, and finds an order impossible
by its pattern: three items of which the last pushed comes out first, then the first pushed, then
the middle one.
"""

from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.family import Family, Prompt, Style

Answer: TypeAlias = tuple[str, ...] | Impossible

PUSH, POP = "push", "pop"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Knobs:
    items: int  # to be pushed and popped
    impossible: float  # share of puzzles that cannot be done


@dataclass(frozen=True, slots=True)
class Yard:
    pushed: str  # letters, all different
    popped: str  # the same letters in the order wanted


def generate(rng: Random, knobs: Knobs) -> Yard | None:
    """An order from random pushes and pops; for an impossible one, two neighbours are swapped."""
    pushed = "".join(rng.sample(LETTERS, knobs.items))
    left, stack, popped = list(pushed), list[str](), list[str]()
    while left or stack:
        if left and (not stack or rng.random() < 0.55):
            stack.append(left.pop(0))
        else:
            popped.append(stack.pop())
    if rng.random() < knobs.impossible:
        for place in rng.sample(range(knobs.items - 1), knobs.items - 1):
            changed = list(popped)
            changed[place], changed[place + 1] = changed[place + 1], changed[place]
            yard = Yard(pushed, "".join(changed))
            if solve(yard) is IMPOSSIBLE:
                return yard
        return None
    if popped in (list(pushed), list(pushed)[::-1]):
        return None
    return Yard(pushed, "".join(popped))


def solve(yard: Yard) -> Answer:
    moves: list[str] = []
    stack: list[str] = []
    coming = iter(yard.pushed)
    for wanted in yard.popped:
        while not stack or stack[-1] != wanted:
            item = next(coming, None)
            if item is None:
                return IMPOSSIBLE
            stack.append(item)
            moves.append(PUSH)
        stack.pop()
        moves.append(POP)
    return tuple(moves)


def verify(yard: Yard, answer: Answer) -> float:
    if isinstance(answer, Impossible):
        # Of any three, in the order of their pops: never the third, the first, the second pushed.
        return float(
            any(
                middle < last < first
                for first, middle, last in combinations(map(yard.pushed.index, yard.popped), 3)
            )
        )
    pushes, taken = 0, ""
    inside: list[int] = []  # places in the order of pushes
    for move in answer:
        if move == PUSH and pushes < len(yard.pushed):
            inside.append(pushes)
            pushes += 1
        elif move == POP and inside:
            taken += yard.pushed[inside.pop()]
        else:
            return 0.0
    return float(taken == yard.popped)


def render(yard: Yard, style: Style) -> Prompt:
    pushed, popped = ", ".join(yard.pushed), ", ".join(yard.popped)
    return Prompt(
        style.pick(
            f"The items {pushed} are pushed onto an empty stack, in this order. Between the pushes,"
            " and after them, the item on top of the stack may be popped at any time. Which"
            f" sequence of pushes and pops makes the items come off in the order {popped}? Some"
            " orders are impossible.",
            f"Railway cars {pushed} arrive in this order on a track that leads to a dead-end"
            f' siding. "{PUSH}" moves the next arriving car into the siding; "{POP}" moves the car'
            " that entered the siding last, of those still in it, out to the exit track. No car can"
            f" leave except by way of the siding. The cars must leave in the order {popped}. Give"
            " the moves, or say that it cannot be done.",
            f"You take plates from a queue one by one and lay each on a pile ({PUSH}); whenever the"
            f" pile is not empty you may take its top plate away ({POP}). The queue, from the first"
            f" plate on: {pushed}. You want to take the plates away in this order: {popped}. Which"
            f" sequence of {PUSH} and {POP} does that, if any does? All plates must be taken away.",
        ),
        form=(
            f'all the moves in order, each "{PUSH}" or "{POP}", separated by spaces, or the word'
            ' "impossible" if the order cannot be reached'
        ),
    )


def steps(yard: Yard) -> list[str]:
    lines: list[str] = []
    stack, coming = "", yard.pushed
    for wanted in yard.popped:
        needed = coming.find(wanted) + 1
        if not needed and stack[-1:] != wanted:
            return [*lines, f"{wanted} lies under {stack[-1]} and cannot come out"]
        stack, coming = stack + coming[:needed], coming[needed:]
        pushes = f"{PUSH} " * needed
        stack = stack[:-1]
        lines.append(f"{pushes}{POP}: {wanted} comes out, the stack is {stack or 'empty'}")
    return lines


def canon(yard: Yard) -> list[int]:
    """The names of the items do not matter."""
    return [yard.pushed.index(item) for item in yard.popped]


def hardness(yard: Yard) -> int:
    return len(yard.pushed)


LADDER = (
    Knobs(7, 0.0),
    Knobs(13, 0.15),
    Knobs(17, 0.2),
    Knobs(21, 0.2),
    Knobs(26, 0.2),
)
FAMILY = Family(
    Yard,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.Moves((PUSH, POP), ())),
    hardness=hardness,
    proof="unique",
    solver="pop whenever possible, else push: no other move can help",
    guess_rate=0.2,
    steps=steps,
    canon=canon,
    skills=("tracking", "planning"),
    peers=("Enigmata/stack_permutation", "RLVE/single_stack_sorting"),
    version=2,
)
