"""Tower of Hanoi: carry discs from peg to peg, never a larger one onto a smaller one.

Start and goal are any two arrangements, and some pairs of pegs may be barred, so no known recursion
fits. Every way within the allowed number of moves is right: `verify` plays the moves. `generate`
takes the goal from a layer of all arrangements around the start, `solve` searches from both ends.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, permutations
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import way_travelled
from puzzlemill.core.prose import listed
from puzzlemill.generators.planning._search import from_both_ends

LETTERS = "abcd"

Places = tuple[int, ...]  # the peg of each disc, that of the smallest first
Move = tuple[str, str]  # from peg, to peg
Barred = tuple[tuple[int, int], ...]  # pairs of pegs, the smaller first


@dataclass(frozen=True, slots=True)
class Knobs:
    discs: int  # of different sizes
    pegs: int  # to put them on
    moves: int  # the fewest that lead to the goal, or up to a quarter less
    barred: int  # pairs of pegs between which no disc may go; fewer where pegs would be cut off


@dataclass(frozen=True, slots=True)
class Tower:
    pegs: int
    barred: Barred
    start: Places
    goal: Places
    limit: int  # moves allowed


def generate(rng: Random, knobs: Knobs) -> Tower:
    """The goal is as far from the start as wanted, or as far as one can get."""
    barred = _barred(rng, knobs.pegs, knobs.barred)
    wanted = rng.randint(max(1, knobs.moves * 3 // 4), knobs.moves)
    start = tuple(rng.randrange(knobs.pegs) for _ in range(knobs.discs))
    tops, known = _tops(knobs.discs, knobs.pegs), _known(knobs.discs, knobs.pegs, barred)
    state = sum(peg * knobs.pegs**disc for disc, peg in enumerate(start))
    seen, border, limit = {state}, [state], 0
    while limit < wanted:
        fresh = []
        for state in border:
            top = tops[state]
            if top not in known:
                known[top] = _changes(top, barred)
            for change in known[top]:
                moved = state + change
                if moved not in seen:
                    seen.add(moved)
                    fresh.append(moved)
        if not fresh:
            break
        border, limit = fresh, limit + 1
    return Tower(knobs.pegs, barred, start, _places(rng.choice(border), knobs), limit)


def solve(tower: Tower) -> tuple[Move, ...] | None:
    """Breadth first from both ends, on the sets of discs that the pegs hold."""
    legal = _legal(tower.pegs, len(tower.start), tower.barred)

    def onward(state: int) -> Iterable[tuple[Move, int]]:
        return [(move, state ^ switched) for move, switched in legal(state)]

    def backward(state: int) -> Iterable[tuple[Move, int]]:
        return [(move[::-1], state ^ switched) for move, switched in legal(state)]

    start, goal = (_state(places) for places in (tower.start, tower.goal))
    found = from_both_ends(start, goal, onward, backward, tower.limit)
    return tuple(found) if found is not None else None


def verify(tower: Tower, moves: tuple[Move, ...]) -> float:
    if len(moves) > tower.limit:
        return 0.0
    pegs, goal = _stacks(tower.pegs, tower.start), _stacks(tower.pegs, tower.goal)
    for move in moves:
        here, there = (LETTERS[: tower.pegs].find(letter) for letter in move)
        if min(here, there) < 0 or here == there or not pegs[here]:
            return 0.0
        if (here, there) in tower.barred or (there, here) in tower.barred:
            return 0.0
        disc = pegs[here].pop()
        if pegs[there] and pegs[there][-1] < disc:
            return 0.0
        pegs[there].append(disc)
    return float(pegs == goal)


def recheck(tower: Tower, moves: tuple[Move, ...]) -> bool:
    """By the discs: the one that moves is the smallest of all on either of the two pegs."""
    at = dict(enumerate(map(LETTERS.__getitem__, tower.start)))
    barred = {frozenset({LETTERS[one], LETTERS[other]}) for one, other in tower.barred}
    for move in moves:
        both = [disc for disc, peg in at.items() if peg in move]
        if not both or len(set(move)) < 2 or at[min(both)] != move[0] or set(move) in barred:
            return False
        if move[1] not in LETTERS[: tower.pegs]:
            return False
        at[min(both)] = move[1]
    return len(moves) <= tower.limit and "".join(at.values()) == "".join(
        LETTERS[peg] for peg in tower.goal
    )


def render(tower: Tower, style: Style) -> Prompt:
    start, goal = (
        "\n".join(
            f"{LETTERS[peg]}: {' '.join(map(str, stack)) or 'empty'}"
            for peg, stack in enumerate(_stacks(tower.pegs, places))
        )
        for places in (tower.start, tower.goal)
    )
    discs, limit = len(tower.start), f"{tower.limit} move{'s' if tower.limit > 1 else ''}"
    names = f"{', '.join(LETTERS[: tower.pegs - 1])} and {LETTERS[tower.pegs - 1]}"
    pairs = listed(
        [f"between {LETTERS[one]} and {LETTERS[other]}" for one, other in tower.barred], "or"
    )
    barred = f" No disc may be moved directly {pairs}, in either direction." if pairs else ""
    return Prompt(
        style.pick(
            f"There are {tower.pegs} pegs, {names}, and {discs} discs; disc 1 is the smallest and"
            f" disc {discs} the largest. A move takes the top disc of one peg and puts it on"
            f" another peg, which must be empty or have a larger disc on top.{barred} Get from the"
            f" start to the goal in at most {limit}. Each line lists the discs of a peg from bottom"
            f" to top.\n\nStart:\n{start}\n\nGoal:\n{goal}",
            f"Discs of different sizes (1 to {discs}, by size) are stacked on the pegs {names}."
            f" These are the stacks, the lowest disc of each first:\n\n{start}\n\nThey are to be"
            f" rearranged like this:\n\n{goal}\n\nOne move carries one disc, the topmost of its"
            f" peg, to another peg, and a disc may never be put on a smaller one.{barred} Find a"
            f" sequence of no more than {limit}.",
            f"Tower of Hanoi with {discs} discs and {tower.pegs} pegs ({names}). The number of a"
            f" disc is its size. Only the uppermost disc of a peg can be moved, one disc at a time,"
            f" and only to an empty peg or onto a disc that is larger.{barred}\n\nThe pegs now,"
            f" from the bottom up:\n{start}\n\nThe pegs as they should be, from the bottom up:\n"
            f"{goal}\n\nHow is that done? You have {limit} at most.",
        ),
        form="the moves in order, each a pair of pegs in brackets: (x, y) for a disc that goes from"
        " peg x to peg y",
    )


def steps(tower: Tower) -> list[str]:
    """Which disc goes where, and how the pegs stand then, from the bottom up."""
    places, lines = tower.start, []
    for here, there in solve(tower) or ():
        moved = _moved(places, LETTERS.index(here), LETTERS.index(there))
        assert moved is not None, "gold makes no forbidden move"
        disc = next(disc for disc, pair in enumerate(zip(places, moved), 1) if len(set(pair)) > 1)
        places = moved
        pegs = " | ".join(
            " ".join([LETTERS[peg], *map(str, stack)])
            for peg, stack in enumerate(_stacks(tower.pegs, places))
        )
        lines.append(f"disc {disc} from {here} to {there}: {pegs}")
    return lines


def progress(tower: Tower, lines: Lines) -> float:
    return way_travelled(FAMILY, tower, lines, _onward, r"disc \d+ from (\w) to (\w)\b")


def _onward(tower: Tower, move: Move) -> Tower | None:
    here, there = (LETTERS[: tower.pegs].find(letter) for letter in move)
    if min(here, there) < 0 or here == there or _pair(here, there) in tower.barred:
        return None
    moved = _moved(tower.start, here, there)
    return None if moved is None else replace(tower, start=moved, limit=tower.limit - 1)


def canon(tower: Tower) -> Any:
    """The least under all ways to name the pegs: those of the start in the order of its discs."""
    first = dict.fromkeys(tower.start)
    others = [peg for peg in range(tower.pegs) if peg not in first]
    return min(
        (
            tuple([names[peg] for peg in tower.start]),
            tuple([names[peg] for peg in tower.goal]),
            sorted(_pair(names[one], names[other]) for one, other in tower.barred),
            tower.pegs,
        )
        for rest in permutations(others)
        for names in [{peg: name for name, peg in enumerate((*first, *rest))}]
    )


def hardness(tower: Tower) -> float:
    """Moves to find, and discs to keep in mind."""
    return tower.limit + len(tower.start)


def _moved(places: Places, here: int, there: int) -> Places | None:
    """The places of the discs after a move from peg to peg, if there is one."""
    disc = places.index(here) if here in places else len(places)
    if disc == len(places) or there in places[:disc]:
        return None
    return (*places[:disc], there, *places[disc + 1 :])


def _state(places: Places) -> int:
    """An integer with a field for each peg, and in that a bit for each disc.

    The lowest bit of a field is the disc on top.
    """
    discs = len(places)
    return sum(1 << peg * discs + disc for disc, peg in enumerate(places))


def _places(arrangement: int, knobs: Knobs) -> Places:
    """The peg of each disc: the digits of a number, that of the smallest disc last."""
    return tuple([arrangement // knobs.pegs**disc % knobs.pegs for disc in range(knobs.discs)])


@lru_cache(maxsize=8)
def _tops(discs: int, pegs: int) -> list[Places]:
    """The smallest disc on each peg, one too many where there is none, for all arrangements."""
    shared: dict[Places, Places] = {}
    tops: list[Places] = [(discs,) * pegs]
    for disc in range(discs - 1, -1, -1):  # put down the largest disc first
        put = ((*top[:peg], disc, *top[peg + 1 :]) for top in tops for peg in range(pegs))
        tops = [shared.setdefault(top, top) for top in put]
    return tops


@lru_cache(maxsize=16)
def _known(discs: int, pegs: int, barred: Barred) -> dict[Places, list[int]]:
    """What moves add to the number of an arrangement, by the discs on top: found as they come."""
    return {}


def _changes(tops: Places, barred: Barred) -> list[int]:
    pegs = len(tops)
    return [
        (there - here) * pegs ** tops[here]
        for here, there in permutations(range(pegs), 2)
        if tops[here] < tops[there] and _pair(here, there) not in barred
    ]


def _legal(pegs: int, discs: int, barred: Barred) -> Callable[[int], list[tuple[Move, int]]]:
    """The moves in a state, each with the bits that it switches."""
    fields = [peg * discs for peg in range(pegs)]
    full, none = (1 << discs) - 1, 1 << discs  # the top of an empty peg is greater than all discs
    ways = [
        (here, there, (LETTERS[here], LETTERS[there]), 1 << fields[here] | 1 << fields[there])
        for here, there in permutations(range(pegs), 2)
        if _pair(here, there) not in barred
    ]
    known: dict[tuple[int, ...], list[tuple[Move, int]]] = {}  # by the discs on top

    def legal(state: int) -> list[tuple[Move, int]]:
        held = [state >> field & full for field in fields]
        tops = tuple([peg & -peg or none for peg in held])
        if tops not in known:
            known[tops] = [
                (move, tops[here] * both)
                for here, there, move, both in ways
                if tops[here] < tops[there]
            ]
        return known[tops]

    return legal


def _stacks(pegs: int, places: Places) -> list[list[int]]:
    """The discs on each peg from the bottom up; the smallest disc is 1."""
    discs = range(len(places), 0, -1)
    return [[disc for disc in discs if places[disc - 1] == peg] for peg in range(pegs)]


def _barred(rng: Random, pegs: int, count: int) -> Barred:
    """Pairs of pegs to bar; those that are left join all pegs, by way of one another."""
    tree = {_pair(peg, rng.randrange(peg)) for peg in range(1, pegs)}
    names = rng.sample(range(pegs), pegs)
    kept = {_pair(names[one], names[other]) for one, other in tree}
    rest = [pair for pair in combinations(range(pegs), 2) if pair not in kept]
    return tuple(sorted(rng.sample(rest, min(count, len(rest)))))


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


LADDER = (
    Knobs(5, 3, 4, 0),
    Knobs(6, 3, 7, 0),
    Knobs(6, 4, 10, 1),
    Knobs(6, 4, 14, 2),
    Knobs(7, 4, 22, 3),
    Knobs(8, 4, 36, 3),
)
FAMILY = Family(
    Tower,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs(items="letters"),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="breadth-first search from both ends",
    guess_rate=0.06,
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=True,
    skills=("planning", "search"),
    peers=("reasoning-gym/tower_of_hanoi", "KORGym/30-Tower_of_Hanoi", "TextArena/TowerOfHanoi"),
    version=2,
)
