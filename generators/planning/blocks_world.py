"""Blocks world: rebuild stacks of blocks, carrying one block at a time.

Every way within the allowed number of moves is right, so `verify` carries the blocks. `generate`
counts the fewest moves: one for each misplaced block, and another for each that has to be set aside
so that no ring of blocks waits for one another. `solve` carries blocks to where they belong as long
as it can, and searches for which ones to set aside when it cannot.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import way_travelled
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.planning._search import guided

LETTERS = "abcdefghijklmnop"
TABLE = "table"

Stack = tuple[str, ...]  # from the bottom up
Stacks = tuple[Stack, ...]
Move = tuple[str, str]  # the block, and what it is put on
# A block that leaves its place at the start (False) or comes to that of the goal as a move of its
# own (True), and the others that must do so before.
Waits = dict[tuple[str, bool], list[tuple[str, bool]]]


@dataclass(frozen=True, slots=True)
class Knobs:
    blocks: int  # to be stacked
    stacks: int  # at most, at the start and at the goal


@dataclass(frozen=True, slots=True)
class Blocks:
    start: Stacks
    goal: Stacks
    limit: int  # moves allowed


def generate(rng: Random, knobs: Knobs) -> Blocks | None:
    start, goal = _stacked(rng, knobs), _stacked(rng, knobs)
    limit = _fewest(start, goal)
    return Blocks(start, goal, limit) if limit > 1 else None


def solve(blocks: Blocks) -> tuple[Move, ...] | None:
    """A*: each block that is not yet where it belongs needs a move at least.

    To carry a block to where it belongs is never wrong. Where that cannot be done, some block must
    be set aside, on the table, where it is in no other's way.
    """
    below = {block: under for stack in blocks.goal for under, block in zip((TABLE, *stack), stack)}
    goals = set(blocks.goal)

    def settled(stack: Stack) -> int:
        """How many blocks of a stack are where they belong, from the bottom up."""
        rest = zip((TABLE, *stack), stack)
        return next((at for at, (under, it) in enumerate(rest) if below[it] != under), len(stack))

    def onward(
        state: frozenset[Stack],
    ) -> Iterator[tuple[Move, frozenset[Stack]]]:
        ready = {stack[-1]: stack for stack in state if settled(stack) == len(stack)}
        loose = [stack for stack in sorted(state) if settled(stack) < len(stack)]
        for stack in loose:
            under = below[stack[-1]]
            if under == TABLE or under in ready:
                old = ready.get(under, ())
                yield _carried(state, stack, old)
                return
        for stack in loose:
            if len(stack) > 1:
                yield _carried(state, stack, ())

    found = guided(
        frozenset(blocks.start),
        lambda state: state == goals,
        onward,
        lambda state: sum(len(stack) - settled(stack) for stack in state),
        blocks.limit,
    )
    return tuple(found) if found is not None else None


def verify(blocks: Blocks, moves: tuple[Move, ...]) -> float:
    if len(moves) > blocks.limit:
        return 0.0
    stacks = [list(stack) for stack in blocks.start]
    for block, under in moves:
        source = next((stack for stack in stacks if stack and stack[-1] == block), None)
        target = next((stack for stack in stacks if stack and stack[-1] == under), None)
        if under == TABLE:
            target = []
            stacks.append(target)
        if source is None or target is None or source is target:
            return 0.0
        target.append(source.pop())
    return float(sorted(filter(None, stacks)) == sorted(map(list, blocks.goal)))


def recheck(blocks: Blocks, moves: tuple[Move, ...]) -> bool:
    """By what lies on what: a block may move, and be built on, while nothing lies on it."""
    on, goal = (
        {block: under for stack in stacks for under, block in zip((TABLE, *stack), stack)}
        for stacks in (blocks.start, blocks.goal)
    )
    for block, under in moves:
        if block not in on or block == under or under not in {*on, TABLE}:
            return False
        if block in on.values() or (under != TABLE and under in on.values()):
            return False
        on[block] = under
    return len(moves) <= blocks.limit and on == goal


def render(blocks: Blocks, style: Style) -> Prompt:
    count = sum(map(len, blocks.start))
    start, goal = (
        "\n".join(" ".join(stack) for stack in stacks) for stacks in (blocks.start, blocks.goal)
    )
    limit = f"{blocks.limit} move{'s' if blocks.limit > 1 else ''}"
    return Prompt(
        style.pick(
            f"{count} blocks stand in stacks on a table. Each line is a stack, written from bottom"
            f" to top:\n\n{start}\n\nA move takes a block with nothing on it and puts it on top of"
            " another stack or on the table, where it begins a new stack; there is always room on"
            f" the table. Build these stacks, in at most {limit} (their order from left to right"
            f" does not matter):\n\n{goal}",
            f"Stacks of blocks, the lowest block of each first:\n{start}\n\nStacks wanted, the"
            f" lowest block of each first:\n{goal}\n\nYou can lift one block at a time, only if no"
            " other block lies on it, and set it down on the table (which is large enough) or on a"
            " block that has nothing on it. Where on the table a stack stands is of no importance."
            f" Find a plan of no more than {limit}.",
            "A robot arm carries blocks, one by one. It can only grasp a block that is the top of"
            " its stack, and can put it onto the top of another stack or down on the free table."
            f" How does it get from the first arrangement to the second with {limit} or fewer? A"
            f" line lists a stack from the bottom up; which stack is where does not matter.\n\n"
            f"First:\n{start}\n\nSecond:\n{goal}",
        ),
        form="the moves in order, each a pair in brackets: (x, y) for putting block x on block y,"
        f" (x, {TABLE}) for putting block x on the table",
    )


def steps(blocks: Blocks) -> list[str]:
    """The stacks after each move."""
    stacks, lines = [list(stack) for stack in blocks.start], []
    for block, under in solve(blocks) or ():
        next(stack for stack in stacks if stack and stack[-1] == block).pop()
        if under == TABLE:
            stacks.append([])
        next(stack for stack in stacks if (stack or [TABLE])[-1] == under).append(block)
        stacks = [stack for stack in stacks if stack]
        lines.append(f"{block} on {under}: {' | '.join(map(' '.join, stacks))}")
    return lines


def progress(blocks: Blocks, lines: Lines) -> float:
    return way_travelled(FAMILY, blocks, lines, _onward, r"(\w+) on (\w+): ")


def _onward(blocks: Blocks, move: Move) -> Blocks | None:
    block, under = move
    tops = {stack[-1]: stack for stack in blocks.start}
    if block not in tops or block == under or (under != TABLE and under not in tops):
        return None
    target = () if under == TABLE else tops[under]
    rest = [stack for stack in blocks.start if stack not in (tops[block], target)]
    moved = [stack for stack in (tops[block][:-1], (*target, block)) if stack]
    return replace(blocks, start=tuple(sorted([*rest, *moved])), limit=blocks.limit - 1)


def canon(blocks: Blocks) -> list[str]:
    """What lies on what, whatever the names of the blocks."""
    facts = [
        (when, under, block)
        for when, stacks in (("start", blocks.start), ("goal", blocks.goal))
        for stack in stacks
        for under, block in zip((TABLE, *stack), stack)
    ]
    return unnamed(facts, [block for stack in blocks.start for block in stack])


def hardness(blocks: Blocks) -> float:
    return blocks.limit


def _carried(state: frozenset[Stack], stack: Stack, target: Stack) -> tuple[Move, frozenset[Stack]]:
    """The move of a stack's top block onto another stack or, if that is empty, on the table."""
    *rest, block = stack
    left = {tuple(rest)} if rest else set()
    then = (state - {stack, target}) | left | {(*target, block)}
    return (block, target[-1] if target else TABLE), frozenset(then)


def _stacked(rng: Random, knobs: Knobs) -> Stacks:
    blocks = rng.sample(LETTERS[: knobs.blocks], knobs.blocks)
    count = rng.randint(1, min(knobs.stacks, knobs.blocks))
    cuts = [0, *sorted(rng.sample(range(1, knobs.blocks), count - 1)), knobs.blocks]
    return tuple(tuple(blocks[low:high]) for low, high in pairwise(cuts))


def _fewest(start: Stacks, goal: Stacks) -> int:
    """The fewest moves from stacks to stacks."""
    on_start, on_goal = (
        {block: under for stack in stacks for under, block in zip((TABLE, *stack), stack)}
        for stacks in (start, goal)
    )
    placed = {TABLE}
    for stack in start:
        for block in stack:
            if on_start[block] == on_goal[block] and on_goal[block] in placed:
                placed.add(block)
    misplaced = [block for stack in start for block in stack if block not in placed]
    above = {under: block for block, under in on_start.items() if under != TABLE}
    aside = [it for it in misplaced if TABLE not in (on_start[it], on_goal[it])]
    for more in range(len(aside) + 1):
        for chosen in combinations(aside, more):
            # A block leaves its place at the start, and comes to that of the goal: at one and the
            # same time, unless it is set aside. Each of these waits for some others.
            comes = {block: (block, block in chosen) for block in misplaced}
            waits: Waits = {(block, False): [] for block in misplaced}
            waits |= {comes[block]: [(block, False)] for block in chosen}
            for block in misplaced:
                if block in above:
                    waits[block, False].append((above[block], False))
                under = on_goal[block]
                if under in comes:
                    waits[comes[block]].append(comes[under])
                elif under in above and above[under] != block:
                    waits[comes[block]].append((above[under], False))
            if _can_be_ordered(waits):
                return len(misplaced) + more
    raise AssertionError("with all blocks set aside, none waits for itself")


def _can_be_ordered(waits: Waits) -> bool:
    done: set[tuple[str, bool]] = set()
    while len(done) < len(waits):
        ready = [it for it, first in waits.items() if it not in done and done.issuperset(first)]
        if not ready:
            return False
        done.update(ready)
    return True


LADDER = (
    Knobs(5, 5),
    Knobs(6, 3),
    Knobs(7, 3),
    Knobs(9, 4),
    Knobs(12, 4),
    Knobs(15, 5),
)
FAMILY = Family(
    Blocks,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs(items="words"),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="A* over the blocks to set aside",
    guess_rate=0.03,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("planning", "search"),
    peers=("reasoning-core/planning",),
)
