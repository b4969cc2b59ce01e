"""Ball sort: pour balls from tube to tube, like onto like, until each tube holds one colour.

Every way within the allowed number of moves is right, so `verify` moves the balls. `generate` deals
the balls out and allows as many moves as a hasty search needs, which keeps only the tidiest racks
after each move and may miss the shortest way; `solve` finds that by A*.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import way_travelled
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.planning._search import guided

COLOURS = ("black", "blue", "brown", "green", "orange", "pink", "red", "white", "yellow")

SPARE = 2  # tubes more than colours
BREADTH = 12  # racks that `generate` goes on from

Tube = tuple[str, ...]  # from the bottom up
Move = tuple[int, int]  # from tube, to tube; the first tube is 1


@dataclass(frozen=True, slots=True)
class Knobs:
    colours: int  # of balls
    height: int  # balls of a colour, and room in a tube


@dataclass(frozen=True, slots=True)
class Rack:
    height: int
    tubes: tuple[Tube, ...]
    limit: int  # moves allowed


def generate(rng: Random, knobs: Knobs) -> Rack | None:
    colours = rng.sample(COLOURS, knobs.colours)
    tubes: list[list[str]] = [[] for _ in range(knobs.colours + SPARE)]
    balls = colours * knobs.height
    rng.shuffle(balls)
    for ball in balls:
        rng.choice([tube for tube in tubes if len(tube) < knobs.height]).append(ball)
    rack = tuple(map(tuple, tubes))
    moves = _hasty(rack, knobs.height)
    return Rack(knobs.height, rack, moves) if moves > 1 else None


def solve(rack: Rack) -> tuple[Move, ...] | None:
    """A*: whatever lies on another colour has to move, and so has all of a colour but one stack.

    Which tube is which does not matter, so a state is the tubes sorted, and a move two of them.
    """

    def onward(state: tuple[str, ...]) -> Iterator[tuple[tuple[str, str], tuple[str, ...]]]:
        kinds = sorted(set(state))
        room = _room(kinds, rack.height)
        for source in filter(None, kinds):
            top, less = source[-1], source[:-1]
            for at in room[""] + room[top]:
                target = kinds[at]
                if source == target and state.count(source) < 2:
                    continue
                rest = list(state)
                rest.remove(source)
                rest.remove(target)
                rest += [less, target + top]
                rest.sort()
                yield (source, target), tuple(rest)

    total = sum(map(len, rack.tubes))
    known: dict[tuple[str, ...], int] = {}

    def left(state: tuple[str, ...]) -> int:
        if state not in known:
            stays: dict[str, int] = {}
            for tube in state:
                if tube and (depth := _depth(tube)) > stays.get(tube[0], 0):
                    stays[tube[0]] = depth
            known[state] = total - sum(stays.values())
        return known[state]

    tubes, moves = list(_lettered(rack.tubes)), []
    start = tuple(sorted(tubes))
    found = guided(start, lambda state: left(state) == 0, onward, left, rack.limit)
    if found is None:
        return None
    for source, target in found:
        here = tubes.index(source)
        there = next(at for at, tube in enumerate(tubes) if tube == target and at != here)
        tubes[here], tubes[there] = source[:-1], target + source[-1]
        moves.append((here + 1, there + 1))
    return tuple(moves)


def verify(rack: Rack, moves: tuple[Move, ...]) -> float:
    if len(moves) > rack.limit:
        return 0.0
    tubes = dict(enumerate(map(list, rack.tubes), start=1))
    for here, there in moves:
        if here == there or here not in tubes or there not in tubes or not tubes[here]:
            return 0.0
        ball, target = tubes[here].pop(), tubes[there]
        if len(target) == rack.height or (target and target[-1] != ball):
            return 0.0
        target.append(ball)
    full = [tube for tube in tubes.values() if tube]
    return float(all(len(tube) == rack.height and len(set(tube)) == 1 for tube in full))


def recheck(rack: Rack, moves: tuple[Move, ...]) -> bool:
    """On texts: a tube is its balls as letters, filled up with dots to its height."""
    letter = {colour: chr(ord("A") + number) for number, colour in enumerate(COLOURS)}
    tubes = ["".join(map(letter.__getitem__, it)).ljust(rack.height, ".") for it in rack.tubes]
    for here, there in moves:
        if not (0 < here <= len(tubes) and 0 < there <= len(tubes)) or here == there:
            return False
        source, target = tubes[here - 1].rstrip("."), tubes[there - 1].rstrip(".")
        if not source or "." not in tubes[there - 1] or target[-1:] not in ("", source[-1]):
            return False
        tubes[here - 1] = source[:-1].ljust(rack.height, ".")
        tubes[there - 1] = (target + source[-1]).ljust(rack.height, ".")
    return len(moves) <= rack.limit and all(tube == tube[0] * rack.height for tube in tubes)


def render(rack: Rack, style: Style) -> Prompt:
    listed = "\n".join(
        f"{number}: {' '.join(tube) or 'empty'}" for number, tube in enumerate(rack.tubes, 1)
    )
    limit = f"{rack.limit} move{'s' if rack.limit > 1 else ''}"
    return Prompt(
        style.pick(
            f"{len(rack.tubes)} tubes, each with room for {rack.height} balls, hold these balls"
            f" (from bottom to top):\n\n{listed}\n\nA move takes the top ball of a tube and drops"
            " it into another tube, which must be empty, or have a ball of the same colour on top"
            " and room left. Sort the balls: in the end all balls of a colour must be in one tube,"
            f" with no other colour there. You have at most {limit}.",
            f"Sort coloured balls into tubes, so that every tube is either empty or holds all"
            f" {rack.height} balls of a single colour. Only the uppermost ball of a tube can be"
            " taken out. It can go into an empty tube, or onto a ball of its own colour in a tube"
            f" that is not full; a tube is full with {rack.height} balls. These are the tubes, the"
            f" lowest ball of each first:\n\n{listed}\n\nFind a plan of {limit} or fewer.",
            f"Ball sort puzzle. The tubes, from the bottom up:\n{listed}\n\nEvery tube can hold"
            f" {rack.height} balls. One ball is moved at a time: from the top of a tube to the top"
            " of another tube that has room, but never onto a ball of a different colour (an empty"
            " tube takes any ball). The puzzle is solved when no tube holds two colours and no"
            f" colour is in two tubes. Solve it with no more than {limit}.",
        ),
        form="the moves in order, each a pair of tube numbers in brackets: (x, y) for moving the"
        " top ball of tube x to tube y",
    )


def steps(rack: Rack) -> list[str]:
    """The two tubes of each move, after it."""
    tubes, lines = [list(tube) for tube in rack.tubes], []
    for here, there in solve(rack) or ():
        ball = tubes[here - 1].pop()
        tubes[there - 1].append(ball)
        after = (f"{it} is {' '.join(tubes[it - 1]) or 'empty'}" for it in (here, there))
        lines.append(f"{ball} from {here} to {there}: {', '.join(after)}")
    return lines


def progress(rack: Rack, lines: Lines) -> float:
    return way_travelled(FAMILY, rack, lines, _onward, r"\w+ from (\d{1,4}) to (\d{1,4})\b")


def _onward(rack: Rack, move: tuple[int | str, int | str]) -> Rack | None:
    tubes = {number: list(tube) for number, tube in enumerate(rack.tubes, 1)}
    here, there = map(int, move)
    if here == there or not tubes.get(here) or there not in tubes:
        return None
    ball, target = tubes[here].pop(), tubes[there]
    if len(target) == rack.height or (target and target[-1] != ball):
        return None
    target.append(ball)
    return replace(rack, tubes=tuple(map(tuple, tubes.values())), limit=rack.limit - 1)


def canon(rack: Rack) -> list[str]:
    """What the tubes hold, whatever the colours are and in whatever order the tubes stand."""
    facts: list[tuple[object, ...]] = [("tube", *tube) for tube in rack.tubes]
    return unnamed([*facts, ("limits", rack.height, rack.limit)], COLOURS)


def hardness(rack: Rack) -> float:
    """Moves to find, and tubes to choose from."""
    return rack.limit + len(rack.tubes)


@lru_cache(maxsize=1 << 14)
def _depth(tube: str) -> int:
    """How many balls of one colour lie at the bottom."""
    return next((at for at, it in enumerate(tube) if it != tube[0]), len(tube))


def _hasty(rack: tuple[Tube, ...], height: int) -> int:
    """The moves by which a beam search sorts the tubes; 0 where it does not, or none are needed."""
    colours = len(set().union(*rack))
    tubes = _lettered(rack)
    # A rack's kind, whatever the order of its tubes: of each tube how many there are, in four bits.
    ones: defaultdict[str, int] = defaultdict(lambda: 1 << 4 * len(ones))
    border = [(sum(map(_runs, rack)) - colours, tubes, sum(ones[tube] for tube in tubes))]
    seen, moves = set[int](), 0
    while border and border[0][0]:
        fresh = []
        for runs, tubes, kind in border:
            room = _room(tubes, height)
            empty = room[""][:1]  # another empty tube comes to the same
            for here, source in enumerate(tubes):
                if not source:
                    continue
                less, top = source[:-1], source[-1]
                bared = (2 if less[-1] != top else 0) if less else 1
                lighter = kind - ones[source] + ones[less]
                for there in empty + room[top]:
                    target = tubes[there]
                    more = target + top
                    new = lighter - ones[target] + ones[more]
                    if here != there and new not in seen:
                        seen.add(new)
                        then = list(tubes)
                        then[here], then[there] = less, more
                        fresh.append((runs - bared + (not target), tuple(then), new))
        border, moves = sorted(fresh)[:BREADTH], moves + 1
    return moves if border else 0


def _room(tubes: Sequence[str], height: int) -> defaultdict[str, list[int]]:
    """By the ball on top, the tubes that take another; "" for those that are empty."""
    room: defaultdict[str, list[int]] = defaultdict(list)
    for at, tube in enumerate(tubes):
        if len(tube) < height:
            room[tube[-1:]].append(at)
    return room


def _lettered(tubes: tuple[Tube, ...]) -> tuple[str, ...]:
    """A letter for each ball, which is faster to work with; in the order of the colours."""
    return tuple("".join(map(_LETTER.__getitem__, tube)) for tube in tubes)


_LETTER = {colour: chr(ord("A") + number) for number, colour in enumerate(COLOURS)}


def _runs(tube: Tube) -> int:
    """The runs of a colour in a tube, and those of them that stand on others. Of all tubes together
    there are as many as colours when they are sorted."""
    return max(2 * sum(1 for _ in groupby(tube)) - 1, 0)


LADDER = (
    Knobs(3, 3),
    Knobs(3, 4),
    Knobs(4, 4),
    Knobs(5, 4),
    Knobs(6, 5),
    Knobs(7, 5),
)
FAMILY = Family(
    Rack,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs(),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="A* by the balls that lie in the wrong place",
    guess_rate=0.02,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("planning", "search"),
    peers=("KORGym/31-ball_arrange",),
)
