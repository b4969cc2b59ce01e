"""Jugs: measure out an amount by pouring water to and fro.

Every way within the allowed number of moves is right, so `verify` pours. `generate` looks at which
amounts come up first after how many moves; `solve` works backwards, over all states at once: how
many moves are left from a state is one more than from the best state that follows it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from math import prod, sqrt
from operator import and_, mul
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import way_travelled
from puzzlemill.generators._bits import members

NAMES = ("red", "blue", "green", "white")
TAP, DRAIN = "tap", "drain"
TRIES, TRIES_CLOSED = 6, 60  # jugs drawn to find some that need many moves

Move = tuple[str, str]  # from where, to where
Amounts = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    jugs: int  # of different sizes
    most: int  # litres that the largest jug may hold
    moves: int  # the fewest that do it, or up to a quarter less; fewer where the jugs allow no more
    goals: int  # jugs of which it is said how much they must hold
    closed: float  # share of puzzles without a tap and a drain


@dataclass(frozen=True, slots=True)
class Jugs:
    names: tuple[str, ...]
    sizes: Amounts  # litres
    start: Amounts
    closed: bool
    goals: tuple[tuple[str, int], ...]  # jugs, and what they must hold
    limit: int  # moves allowed


def generate(rng: Random, knobs: Knobs) -> Jugs | None:
    wanted = max(2, rng.randint(knobs.moves * 3 // 4, knobs.moves))
    closed = rng.random() < knobs.closed
    found = []
    for _ in range(TRIES_CLOSED if closed else TRIES):
        sizes = tuple(rng.sample(range(2, knobs.most + 1), knobs.jugs))
        start = tuple(rng.choice((0, rng.randint(0, size))) for size in sizes)
        limit, goals = _last(sizes, start, closed, wanted, min(knobs.goals, knobs.jugs))
        if goals:
            found.append((limit, sizes, start, rng.choice(goals)))
        if limit == wanted:
            break
    if not found or max(found)[0] < 2:
        return None
    limit, sizes, start, goal = max(found)
    names = tuple(rng.sample(NAMES, knobs.jugs))
    named = tuple((names[jug], amount) for jug, amount in goal)
    return Jugs(names, sizes, start, closed, named, limit)


def solve(jugs: Jugs) -> tuple[Move, ...] | None:
    """Value iteration on the states of all jugs: full tables, one number for each state."""
    import numpy

    shape = [size + 1 for size in jugs.sizes]
    units = [prod(shape[jug + 1 :]) for jug in range(len(shape))]  # of a litre, in states' numbers
    held = numpy.indices(shape).reshape(len(shape), -1)  # for each jug, its amount by state
    states = numpy.arange(prod(shape))
    follows: dict[Move, Any] = {}  # the state that comes of each
    for here, there in permutations(range(len(shape)), 2):
        poured = numpy.minimum(held[here], jugs.sizes[there] - held[there])
        move = jugs.names[here], jugs.names[there]
        follows[move] = states + poured * (units[there] - units[here])
    for jug, name in enumerate(jugs.names if not jugs.closed else ()):
        follows[TAP, name] = states + (jugs.sizes[jug] - held[jug]) * units[jug]
        follows[name, DRAIN] = states - held[jug] * units[jug]
    never = jugs.limit + 1
    met = [held[jugs.names.index(name)] == amount for name, amount in jugs.goals]
    left = numpy.where(numpy.all(met, axis=0), 0, never).astype("int16")
    for _ in range(jugs.limit):
        best = left - 1
        for then in follows.values():
            numpy.minimum(best, left[then], out=best)
        left = best + 1
    state = sum(map(mul, jugs.start, units))
    if left[state] == never:
        return None
    moves = []
    while left[state]:
        move = next(it for it, then in follows.items() if left[then[state]] == left[state] - 1)
        moves.append(move)
        state = int(follows[move][state])
    return tuple(moves)


def verify(jugs: Jugs, moves: tuple[Move, ...]) -> float:
    if len(moves) > jugs.limit:
        return 0.0
    size = dict(zip(jugs.names, jugs.sizes))
    held = dict(zip(jugs.names, jugs.start))
    for here, there in moves:
        if here in held and there in held and here != there:
            poured = min(held[here], size[there] - held[there])
            held[here] -= poured
            held[there] += poured
        elif here == TAP and there in held and not jugs.closed:
            held[there] = size[there]
        elif here in held and there == DRAIN and not jugs.closed:
            held[here] = 0
        else:
            return 0.0
    return float(all(held[name] == amount for name, amount in jugs.goals))


def recheck(jugs: Jugs, moves: tuple[Move, ...]) -> bool:
    """Litre by litre; the tap is a jug that never runs dry, the drain one that never fills up."""
    endless = sum(jugs.sizes) * (len(moves) + 1)
    room = {name: size - at for name, size, at in zip(jugs.names, jugs.sizes, jugs.start)}
    water = dict(zip(jugs.names, jugs.start))
    if not jugs.closed:
        water[TAP] = room[DRAIN] = endless
    for here, there in moves:
        if here == there or here not in water or there not in room:
            return False
        if (here, there) == (TAP, DRAIN):
            return False
        while water[here] and room[there]:
            water[here] -= 1
            room[there] -= 1
            if here in room:
                room[here] += 1
            if there in water:
                water[there] += 1
    return len(moves) <= jugs.limit and {**water, **dict(jugs.goals)} == water


def render(jugs: Jugs, style: Style) -> Prompt:
    listed = "\n".join(
        f"{name}: {size} litres, {f'holds {held}' if held else 'empty'}"
        for name, size, held in zip(jugs.names, jugs.sizes, jugs.start)
    )
    goal = " and ".join(
        f"exactly {amount} litre{'s' if amount > 1 else ''} in the {name} jug"
        if amount
        else f"nothing in the {name} jug"
        for name, amount in jugs.goals
    )
    if jugs.closed:
        more = style.pick(
            "There is no other water, and none may be spilt.",
            "No water can be added or poured away.",
            "All the water there is stands in the jugs, and it must stay there.",
        )
    else:
        more = style.pick(
            "You may also fill a jug to the brim from the tap, or empty it into the drain; each of"
            " these is a move too.",
            "Besides, a move can fill a jug up completely at the tap, or empty a jug completely"
            " into the drain.",
            "Two other moves are to fill a jug up from the tap and to tip all its water into the"
            " drain.",
        )
    pairs = "(x, y) for pouring from the x jug into the y jug"
    if not jugs.closed:
        pairs += f", ({TAP}, x) for filling the x jug, (x, {DRAIN}) for emptying it"
    full = "until the first is empty or the second is full, whichever comes first"
    return Prompt(
        style.pick(
            f"You have these jugs:\n{listed}\n\nThey have no marks. You may pour water from one jug"
            f" into another {full}. {more} Find at most {jugs.limit} moves that leave"
            f" {goal}.",
            f"Here are {len(jugs.names)} jugs without any marks, with what they hold now:\n{listed}"
            f"\n\nHow can you end up with {goal}? A move pours one jug into another {full}. {more}"
            f" Use {jugs.limit} moves or fewer.",
            f"In the end there must be {goal}. A move pours one jug into another {full}. {more} No"
            f" more than {jugs.limit} moves are allowed. The jugs, with the most that each can hold"
            f" and what is in it:\n{listed}",
        ),
        form=f"the moves in order, each a pair in brackets: {pairs}",
    )


def steps(jugs: Jugs) -> list[str]:
    """What the jugs hold after each move."""
    held, lines = jugs.start, []
    for here, there in solve(jugs) or ():
        then = dict(_poured(jugs.sizes, held, jugs.closed))
        ends = (
            jugs.names.index(here) if here != TAP else -1,
            jugs.names.index(there) if there != DRAIN else -1,
        )
        held = then[ends]
        amounts = ", ".join(f"{name} {amount}" for name, amount in zip(jugs.names, held))
        lines.append(f"{here} to {there}: {amounts}")
    return lines


def progress(jugs: Jugs, lines: Lines) -> float:
    return way_travelled(FAMILY, jugs, lines, _onward, r"(\w+) to (\w+): ")


def _onward(jugs: Jugs, move: Move) -> Jugs | None:
    known = {name: jug for jug, name in enumerate(jugs.names)}
    ends = known.get(move[0], -1), known.get(move[1], -1)
    odd = any(end < 0 and name != pipe for end, name, pipe in zip(ends, move, (TAP, DRAIN)))
    held = None if odd else dict(_poured(jugs.sizes, jugs.start, jugs.closed)).get(ends)
    return None if held is None else replace(jugs, start=held, limit=jugs.limit - 1)


def slips(rng: Random, jugs: Jugs, gold: tuple[Move, ...]) -> Iterator[tuple[Move, ...]]:
    """Shortest ways to other amounts; then other ways, as long as they are."""
    names = {-1: "", **dict(enumerate(jugs.names))}
    ways = {jugs.start: tuple[Move, ...]()}
    border, met = [jugs.start], set[Any](combinations(enumerate(jugs.start), len(jugs.goals)))
    for _ in gold:
        detours, fresh = list[tuple[Move, ...]](), dict[Amounts, tuple[Move, ...]]()
        for held in border:
            # In the order in which `solve` tries them, so that the ways are like gold.
            moves = _poured(jugs.sizes, held, jugs.closed)
            for (here, there), then in sorted(moves, key=lambda move: -1 in move[0]):
                way = (*ways[held], (names[here] or TAP, names[there] or DRAIN))
                if then in ways and then != held:
                    detours.append(way)
                elif then != held:
                    fresh.setdefault(then, way)
        ways |= fresh
        border = list(fresh)
        goals = dict[Any, tuple[Move, ...]]()
        for held, way in fresh.items():
            for goal in combinations(enumerate(held), len(jugs.goals)):
                goals.setdefault(goal, way)
        new = list(dict.fromkeys(way for goal, way in goals.items() if goal not in met))
        met |= goals.keys()
    yield from rng.sample(new, len(new))
    others = [way for each in ([*fresh.values()], detours) for way in rng.sample(each, len(each))]
    # A way that ends at the tap or the drain is no way to an amount that is new.
    yield from sorted(others, key=lambda way: bool({TAP, DRAIN}.intersection(way[-1])))


def canon(jugs: Jugs) -> Any:
    """The jugs by size; their names do not matter."""
    goals = dict(jugs.goals)
    wanted = [goals.get(name, -1) for name in jugs.names]
    return [sorted(zip(jugs.sizes, jugs.start, wanted)), jugs.closed, jugs.limit]


def hardness(jugs: Jugs) -> float:
    """Moves to find, among so many at each turn."""
    count = len(jugs.names)
    moves = count * (count - 1) + (0 if jugs.closed else 2 * count)
    return jugs.limit * sqrt(moves)


def _last(
    sizes: Amounts, start: Amounts, closed: bool, most: int, jugs: int
) -> tuple[int, list[tuple[tuple[int, int], ...]]]:
    """What so many jugs can hold after a number of moves, but no fewer: up to `most`, or the last.

    The number of moves, and the goals as pairs of a jug and its amount; no jug alone is to be
    empty, and not all of several. A set of states is a number with a bit for each.
    """
    spans = [size + 1 for size in sizes]
    units = [prod(spans[:jug]) for jug in range(len(spans))]  # of a litre, in states' numbers
    # For each jug, by powers of two: the states in which it holds as much, or has as much room.
    held = [_holding(unit, span, prod(spans)) for unit, span in zip(units, spans)]
    room = [[at >> (unit << power) for power, at in enumerate(masks)]
            for unit, masks in zip(units, held)]  # fmt: skip
    moves: list[tuple[int, list[int]]] = [
        (units[there] - units[here], [*map(and_, held[here], room[there])])
        for here, there in permutations(range(len(sizes)), 2)
    ]
    drains = [(-unit, masks) for unit, masks in zip(units, held)]
    if not closed:
        moves += [*drains, *zip(units, room)]
    chosen = [*combinations(range(len(sizes)), jugs)]
    others = [[drain for jug, drain in enumerate(drains) if jug not in each] for each in chosen]
    met = [1 | 1 << sum(start[jug] * units[jug] for jug in each) for each in chosen]
    states = seen = 1 << sum(map(mul, start, units))
    depth, last = 0, list[int]()
    for count in range(1, most + 1):
        after = 0
        for move in moves:
            after |= _flowed(states, *move)
        states = after & ~seen
        if not states:
            break
        seen |= states
        new = []
        for place, left_out in enumerate(others):
            amounts = states
            for drain in left_out:
                amounts = _flowed(amounts, *drain)
            new.append(amounts & ~met[place])
            met[place] |= amounts
        if any(new):
            depth, last = count, new
    goals = [
        tuple((jug, state // units[jug] % spans[jug]) for jug in each)
        for each, amounts in zip(chosen, last)
        for state in members(amounts)
    ]
    return depth, sorted(goals)


def _holding(unit: int, span: int, count: int) -> list[int]:
    """Of so many states, those in which a jug holds at least 1, 2, 4 litres and so on."""
    whole = (1 << unit * span) - 1
    repeated = ((1 << count) - 1) // whole
    amounts = (1 << power for power in range((span - 1).bit_length()))
    return [(whole ^ (1 << unit * amount) - 1) * repeated for amount in amounts]


def _flowed(states: int, step: int, masks: list[int]) -> int:
    """Where states come to by steps that are taken for as long as possible.

    The masks are the states from which 1, 2, 4 steps and so on can be taken.
    """
    for can in masks:
        go = states & can
        if not go:
            break
        states |= go << step if step > 0 else go >> -step
        step *= 2
    return states & ~masks[0]


def _poured(sizes: Amounts, held: Amounts, closed: bool) -> list[tuple[tuple[int, int], Amounts]]:
    """What the jugs hold after each move; the tap and the drain are number -1."""
    found = []
    jugs = range(len(sizes))
    for here in jugs:
        for there in jugs:
            space = sizes[there] - held[there]
            if here != there and held[here] and space:
                both = held[here] + held[there]
                then = list(held)
                then[here], then[there] = max(both - sizes[there], 0), min(both, sizes[there])
                found.append(((here, there), tuple(then)))
        if not closed:
            found.append(((-1, here), (*held[:here], sizes[here], *held[here + 1 :])))
            found.append(((here, -1), (*held[:here], 0, *held[here + 1 :])))
    return found


LADDER = (
    Knobs(2, 9, 3, 1, 0.0),
    Knobs(3, 9, 5, 1, 0.0),
    Knobs(3, 20, 7, 1, 0.25),
    Knobs(3, 20, 10, 2, 0.25),
    Knobs(3, 23, 13, 2, 0.25),
    Knobs(3, 26, 18, 2, 0.25),
)
FAMILY = Family(
    Jugs,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs(items="words"),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="value iteration over all states",
    guess_rate=0.07,
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=True,
    slips=slips,
    slips_version=2,
    skills=("planning", "calculation"),
    peers=("reasoning-gym/jugs", "RLVE/jug_puzzle"),
    version=2,
)
