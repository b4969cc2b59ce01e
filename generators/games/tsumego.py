"""Tsumego: a small Go board and the one move that leads to the capture of marked stones.

Black has so many moves for it, and White may answer as he likes. `solve` looks at sets of bits; it
notes on which points a capture depends, so that it need not try White's moves elsewhere. `verify`
tries every move of White's on plain sets of points. Both give up where there are more liberties
than Black has moves: White need only pass.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from math import inf
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import Board, Cell, beside, cells, turns

TRIES = 400  # boards set up, for one draw
LIMIT = 1200  # positions looked at, for one board
HIDDEN = 0.4  # share of draws that look for a move elsewhere than on the most open liberty
PATIENCE = 6000  # positions looked at before they take what comes
KILLERS = 2  # White's moves that are tried first
FILES = "abcdefghi"


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board; one side may be one shorter
    moves: int  # that Black needs
    spare: int  # how many more they are than the marked stones' liberties


@dataclass(frozen=True, slots=True)
class Position:
    rows: Board[str]  # from the top: X Black, O White, @ White and marked, a dot for no stone
    moves: int


def generate(rng: Random, knobs: Knobs) -> Position | None:
    rows, columns = knobs.side, knobs.side - (knobs.side > 5 and rng.random() < 0.4)
    if rng.random() < 0.5:
        rows, columns = columns, rows
    liberties = max(knobs.moves - knobs.spare, min(knobs.moves, 2))
    patience = PATIENCE if liberties > 1 and rng.random() < HIDDEN else 0
    for _ in range(TRIES):
        stones = _set_up(rng, rows, columns, liberties)
        if stones is None:
            continue
        position = Position(stones, knobs.moves)
        fight = Fight(position, LIMIT)
        if any(fight.attack(*fight.start, 0, moves) for moves in range(liberties, knobs.moves)):
            continue
        usual = sum(fight.most_open()) if patience > 0 else 0
        if knobs.spare:
            plain = bool(fight.winners(1, usual))
            right = not plain and len(fight.winners(2, ~usual)) == 1
        else:
            # To refute the few other moves takes less than to prove that a capture works.
            right = len(fight.winners(2, ~usual)) == 1 and not fight.winners(1, usual)
        if right and fight.looked < LIMIT:
            return position
        patience -= fight.looked
    return None


def solve(position: Position) -> str | None:
    fight = Fight(position)
    winners = fight.winners(2)
    return fight.named(winners[0]) if len(winners) == 1 else None


def verify(position: Position, answer: str) -> float:
    said = re.fullmatch("([a-i])([1-9])", answer)
    if not said:
        return 0.0
    rows, columns = len(position.rows), len(position.rows[0])
    point = (rows - int(said[2]), FILES.index(said[1]))
    if not (point[0] >= 0 and point[1] < columns) or position.rows[point[0]][point[1]] != ".":
        return 0.0
    stones: Stones = {"X": frozenset(), "O": frozenset()}
    for sign, colour in (("X", "X"), ("O", "O"), ("@", "O")):
        stones[colour] |= {
            (row, column)
            for row, line in enumerate(position.rows)
            for column, it in enumerate(line)
            if it == sign
        }
    marked = next(it for it in sorted(stones["O"]) if position.rows[it[0]][it[1]] == "@")
    size, known = (rows, columns), _known(position)
    return float(_captures(stones, stones, point, marked, position.moves, size, known))


def render(position: Position, style: Style) -> Prompt:
    rows, columns = len(position.rows), len(position.rows[0])
    lines = [f"{rows - row} {' '.join(line)}" for row, line in enumerate(position.rows)]
    board = "\n".join([*lines, f"# {' '.join(FILES[:columns])}"])
    taken = next(
        f"{FILES[column]}{rows - row}"
        for row, column in reversed(cells(rows, columns))
        if position.rows[row][column] != "."
    )
    signs = (
        "X is a black stone, O a white stone, @ a marked white stone (white like any other), and a"
        " dot an empty point."
    )
    many = position.moves
    within = "with this move" if many == 1 else f"within {many} black moves, this one included"
    against = "" if many == 1 else ", " + style.pick("whatever White does", "however White answers")
    rules = style.pick(
        "Players take turns to put one stone of their colour on an empty point. Points that share a"
        " side (not just a corner) are neighbours, and stones of one colour that are connected"
        " through neighbours form a chain; the empty neighbours of a chain are its liberties. When"
        " a stone has been put down, all of the opponent's chains that are left without a liberty"
        " are taken off the board (captured). A move is forbidden if the new stone's own chain"
        " still has no liberty after that, or if the whole board then looks just as it did before"
        " the opponent's last move (ko); on the first move there is no ko.",
        "The players move in turn; a move puts a stone of one's colour on an empty point."
        " Orthogonally adjacent stones of one colour form a group. A group's liberties are the"
        " empty points orthogonally adjacent to it. After a move every enemy group without"
        " liberties is captured and removed. Suicide is not allowed: after these captures the"
        " group of the stone just played must have a liberty. Ko: a move may not recreate the"
        " whole-board position that stood right before the opponent's last move (this bars nothing"
        " on the first move).",
    )
    turns_told = style.pick(
        "White may pass in any turn; Black may not.",
        "White can pass instead of moving at any time; Black cannot.",
        "Instead of making a move White is free to pass; Black has to move.",
    )
    return Prompt(
        style.pick(
            f"A Go problem on {rows} rows of {columns} points. Black is to move.\n\n{board}\n\n"
            f"{signs}\n\n{rules} {turns_told}\n\nWhich move makes sure that Black captures the"
            f" marked stones {within}{against}? There is just one.",
            f"{board}\n\nThis is a position in the game of Go; {signs} {rules} {turns_told}\n\n"
            f"It is Black's turn. Find the only move by which Black can force the capture of the"
            f" marked stones {within}{against}.",
            f"Black to play and to capture the marked white stones {within}{against}:"
            f" where must Black play? One move does it, and no other.\n\n{board}\n\n{signs}\n\n"
            f"{rules} {turns_told}",
        ),
        form="the point of Black's first move, as its column's letter and its row's number, as in"
        f" {taken}",
    )


def steps(position: Position) -> list[str]:
    """What White answers to moves on the liberties, and how the right move captures."""
    fight = Fight(position)
    told = ", ".join(map(fight.named, fight.nearest()))
    lines = [f"liberties of the marked stones: {told}; Black's moves: {position.moves}"]
    right = fight.winners(2)
    lines += [
        f"{fight.named(it)}: {fight.refuted(it)}" for it in fight.nearest() if it not in right
    ]
    return lines + [fight.line(it) for it in right]


def canon(position: Position) -> object:
    return min(turns(position.rows)), position.moves


def hardness(position: Position) -> float:
    """About how many plies there are to think ahead, and over how many points."""
    empty = sum(row.count(".") for row in position.rows)
    spare = position.moves - len(Fight(position).nearest())
    return 20 * position.moves + 10 * spare + empty / 9


class Fight:
    """The search on bits. A zone is a set of points outside of which nothing bears on a capture.

    If Black can capture, he still can on any board that is the same within the zone. So where he
    can although White passes, White's moves outside that zone are as good as passing. Black's
    chains that reach into a zone belong to it with their liberties: to take them is to change it.
    """

    def __init__(self, position: Position, limit: float = inf) -> None:
        rows, columns = len(position.rows), len(position.rows[0])
        self.width, self.rows = columns + 1, rows  # a column between a row's end and the next
        where = _where(position.rows)
        self.full = sum(where.values())
        self.marked = where["@"]
        self.start = where["X"], where["O"] | where["@"]
        self.moves = position.moves
        self.looked, self.limit = 0, limit  # past the limit it gives up
        self.memory: dict[tuple[int, int, int, int], int] = {}
        self.beside = _beside(rows, self.width)
        self.chains: dict[tuple[int, int], tuple[int, int]] = {}  # most stand through many moves
        # White's moves that have last foiled a capture: what does so once often does so again.
        self.killers: list[list[int]] = [[] for _ in range(self.moves)]

    def winners(self, most: int, among: int = -1) -> list[int]:
        """First moves, of all or of some, that force the capture, as bits; at most so many."""
        found: list[int] = []
        for point in _bits(self.worth_trying(*self.start, self.moves) & among):
            if self.strike(*self.start, 0, point, self.moves):
                found.append(point)
                if len(found) == most:
                    break
        return found

    def attack(self, black: int, white: int, ko: int, moves: int) -> int:
        """The zone of a capture within so many moves, Black to move; 0 if White escapes."""
        if self.looked >= self.limit:
            return 0
        key = (black, white, ko, moves)
        if key in self.memory:
            return self.memory[key]
        liberties = self.liberties(white, black)
        count = liberties.bit_count()
        if count > moves:
            return 0
        self.looked += 1
        zone = self.attack(black, white, ko, moves - 1) if count < moves else 0
        if not zone:
            points = self.worth_trying(black, white, moves)
            for group in (points & liberties, points & ~liberties):
                for point in _bits(group):
                    zone = zone or self.strike(black, white, ko, point, moves)
        self.memory[key] = zone
        return zone

    def strike(self, black: int, white: int, ko: int, point: int, moves: int) -> int:
        """The zone of a capture that begins with a move."""
        after = self.play(black, white, ko, point)
        if after is None:
            return 0
        then, left, barred = after
        zone = 0 if left & self.marked else self.full
        if moves > 1 and not zone:
            zone = self.defend(then, left, barred, moves - 1)
            return zone and zone | self.bearing(black, white, point)
        return self.bearing(black, white, point) if zone else 0

    def defend(self, black: int, white: int, ko: int, moves: int) -> int:
        """The zone of a capture within so many moves of Black's, White to move."""
        liberties = self.liberties(white, black)
        count, empty = liberties.bit_count(), self.full & ~(black | white)
        if count > moves:
            return 0
        for point in _bits(liberties):
            # What is free beside the point and no liberty yet becomes one; a ko has nothing free.
            if count - 1 + (self.beside[point] & empty & ~liberties).bit_count() > moves:
                return 0
        for point in _bits(liberties):
            after = self.play(white, black, ko, point)
            if after and self.liberties(after[0], after[1]).bit_count() > moves:
                return 0
        killers = self.killers[moves]
        for point in killers:
            after = self.play(white, black, ko, point) if point & empty else None
            if after and not self.attack(after[1], after[0], after[2], moves):
                return 0
        zone = self.attack(black, white, 0, moves)
        if not zone:
            return 0
        chains = _flooded(zone & black, black, self.width)
        zone |= chains | self.around(chains)
        tried = zone & empty
        for points in (tried & liberties, tried & ~liberties):
            for point in _bits(points):
                after = self.play(white, black, ko, point)
                if after:
                    more = self.attack(after[1], after[0], after[2], moves)
                    if not more:
                        killers[:] = [point, *killers[: KILLERS - 1]]
                        return 0
                    zone |= more
        return zone | self.bearing(white, black, tried)

    def worth_trying(self, black: int, white: int, moves: int) -> int:
        """Black's moves on liberties and, with a move to spare, elsewhere: not where White then
        gets away at once, on a liberty and without a capture. A capture of Black's is looked at in
        any case."""
        liberties = self.liberties(white, black)
        if liberties.bit_count() >= moves:
            return liberties
        empty = self.full & ~(black | white)
        points, captures, left = empty & ~liberties, 0, white
        while left:
            chain, ring = self.chain(left & -left, white)
            left &= ~chain
            last = ring & empty
            if not last & (last - 1):
                captures |= last
        for point in _bits(liberties):
            after = self.play(white, black, 0, point)
            if after and after[1] == black:
                free = self.liberties(after[0], black)
                if free.bit_count() >= moves:
                    points &= captures | (free if free.bit_count() == moves else 0)
        return points | liberties

    def play(self, own: int, other: int, ko: int, point: int) -> tuple[int, int, int] | None:
        """Own stones and the other's after a move, and the ko; None where it is forbidden.

        A ko is the point of a single stone that was taken and the one that took it: it is barred
        to play on the one and take the other alone.
        """
        own |= point
        beside, empty = self.beside[point], self.full & ~(own | other)
        taken, near = 0, beside & other
        while near:
            stone = near & -near
            if self.beside[stone] & empty:
                near ^= stone
                continue
            chain, ring = self.chain(stone, other)
            near &= ~chain
            if not ring & empty:
                taken |= chain
        if not taken and not beside & empty and not self.chain(point, own)[1] & empty:
            return None
        if ko and point | taken == ko:
            return None
        return own, other & ~taken, point | taken if taken and not taken & (taken - 1) else 0

    def bearing(self, own: int, other: int, moves: int) -> int:
        """The points that decide what moves to some points do."""
        beside = self.around(moves)
        points = moves | beside
        for stones in (own, other):
            chains = _flooded(beside & stones, stones, self.width)
            points |= chains | self.around(chains)
        return points

    def liberties(self, white: int, black: int) -> int:
        """Those of the marked stones."""
        return self.chain(self.marked, white)[1] & ~(white | black)

    def nearest(self) -> list[int]:
        """The liberties at the start."""
        return list(_bits(self.liberties(self.start[1], self.start[0])))

    def most_open(self) -> list[int]:
        """The liberties with the most empty points beside them."""
        free = self.full & ~(self.start[0] | self.start[1])
        empty = {it: (self.around(it) & free).bit_count() for it in self.nearest()}
        return [it for it, many in empty.items() if many == max(empty.values())]

    def chain(self, seed: int, within: int) -> tuple[int, int]:
        """The points within a set that hang together with the first ones, which are within it; and
        all points beside them."""
        found = self.chains.get((seed, within))
        if found is None:
            points = _flooded(seed, within, self.width)
            found = self.chains[seed, within] = points, self.around(points)
        return found

    def around(self, points: int) -> int:
        width = self.width
        return (points << 1 | points >> 1 | points << width | points >> width) & self.full

    def named(self, point: int) -> str:
        row, column = divmod(point.bit_length() - 1, self.width)
        return f"{FILES[column]}{self.rows - row}"

    def refuted(self, point: int) -> str:
        """How White escapes after a wrong first move."""
        after = self.play(*self.start, 0, point)
        if after is None:
            return "forbidden"
        black, white, ko = after
        for reply in (0, *_bits(self.liberties(white, black)), *_bits(self.full & ~black & ~white)):
            then = self.play(white, black, ko, reply) if reply else (white, black, 0)
            if then and not self.attack(then[1], then[0], then[2], self.moves - 1):
                many = self.liberties(then[0], then[1]).bit_count()
                told = f"White plays {self.named(reply)}" if reply else "White may pass"
                left = self.moves - 1
                why = "" if many > left else ", and can get away"
                return f"{told}: liberties {many}, moves left {left}{why}"
        return "captures"

    def line(self, point: int) -> str:
        """A line in which White holds out as long as he can, to the capture."""
        told, moves, (black, white), ko = "", self.moves, self.start, 0
        while after := self.play(black, white, ko, point):
            black, white, ko = after
            if not white & self.marked:
                return f"{told}Black {self.named(point)} captures"
            told, moves = f"{told}Black {self.named(point)}, ", moves - 1
            liberties = self.liberties(white, black)
            replies = [0, *_bits(liberties), *_bits(self.full & ~(black | white | liberties))]
            thens = {
                it: then
                for it in replies
                if (then := self.play(white, black, ko, it) if it else (white, black, 0))
            }
            longest = max(thens, key=lambda it: (self.needed(thens[it]), bool(it & liberties)))
            white, black, ko = thens[longest]
            told += f"White {self.named(longest) if longest else 'passes'}, "
            point = next(
                it
                for it in _bits(self.full & ~(black | white))
                if self.strike(black, white, ko, it, moves)
            )
        raise AssertionError("the move is forbidden")

    def needed(self, then: tuple[int, int, int]) -> int:
        """Black's moves to the capture, once White has moved."""
        white, black, ko = then
        return next(it for it in range(1, self.moves) if self.attack(black, white, ko, it))


def _where(rows: Board[str]) -> dict[str, int]:
    """The points with each sign, in bits, row by row; a point between a row's end and the next."""
    text = "|".join(map("".join, rows))[::-1]
    return {sign: int(text.translate(only), 2) for sign, only in _ONLY.items()}


# For each sign, how a text says 1 where the sign is and 0 elsewhere.
_ONLY = {sign: {ord(it): str(int(it == sign)) for it in "XO@.|"} for sign in "XO@."}


@cache
def _beside(rows: int, width: int) -> dict[int, int]:
    """For each point of a board, as a bit, those beside it; the last column is none."""
    points = [1 << row * width + column for row in range(rows) for column in range(width - 1)]
    full = sum(points)
    return {it: (it << 1 | it >> 1 | it << width | it >> width) & full for it in points}


def _flooded(seed: int, within: int, width: int) -> int:
    found = 0
    while found != seed:
        found = seed
        seed |= (seed << 1 | seed >> 1 | seed << width | seed >> width) & within
    return found


def _bits(points: int) -> Iterator[int]:
    while points:
        yield points & -points
        points &= points - 1


Stones = dict[str, frozenset[Cell]]


@lru_cache(4)
def _known(position: Position) -> dict[object, bool]:
    """What has been found out about a position, for the next answer to it."""
    return {}


def _captures(
    stones: Stones,
    before: Stones,
    point: Cell,
    marked: Cell,
    moves: int,
    size: tuple[int, int],
    known: dict[object, bool],
) -> bool:
    """Whether a move of Black's leads to the capture of a marked stone within so many moves."""
    after = _put(stones, before, "X", point, size)
    if after is None:
        return False
    if marked not in after["O"]:
        return True
    if moves == 1 or len(_chain(after, marked, size)[1]) >= moves:
        return False
    gone = stones["O"] - after["O"]
    key = (*after.values(), gone and (point, gone), moves)  # what a ko may forbid White
    if key not in known:
        known[key] = all(
            _caught(then, after, marked, moves - 1, size, known)
            for it in _replies(after, marked, moves - 1, size)
            if (then := _put(after, stones, "O", it, size))
        ) and _caught(after, after, marked, moves - 1, size, known)
    return known[key]


def _replies(stones: Stones, marked: Cell, moves: int, size: tuple[int, int]) -> list[Cell]:
    """White's moves, where Black has so many left; those that do nothing may be missing."""
    chain, liberties = _chain(stones, marked, size)
    near = sorted(liberties)
    if moves > 1:
        return near + _elsewhere(stones, liberties, size)
    # Black is about to take. White can make a liberty by growing or by taking stones beside.
    foes = {it for stone in chain for it in _neighbours(size)[stone] if it in stones["X"]}
    last = [free for it in sorted(foes) if len(free := _chain(stones, it, size)[1]) == 1]
    return near + sorted(frozenset().union(*last) - liberties)


def _caught(
    stones: Stones,
    before: Stones,
    marked: Cell,
    moves: int,
    size: tuple[int, int],
    known: dict[object, bool],
) -> bool:
    """Whether Black, to move, can capture."""
    _, liberties = _chain(stones, marked, size)
    if len(liberties) > moves:
        return False
    if any(_captures(stones, before, it, marked, moves, size, known) for it in sorted(liberties)):
        return True
    # Elsewhere only with a move to spare, or else each must take a liberty.
    others = _elsewhere(stones, liberties, size) if len(liberties) < moves else []
    return any(_captures(stones, before, it, marked, moves, size, known) for it in others)


def _elsewhere(stones: Stones, liberties: frozenset[Cell], size: tuple[int, int]) -> list[Cell]:
    """The empty points other than these."""
    occupied = liberties.union(*stones.values())
    return [it for it in _neighbours(size) if it not in occupied]


def _put(
    stones: Stones, before: Stones, colour: str, point: Cell, size: tuple[int, int]
) -> Stones | None:
    """The stones after a move; None if it is forbidden."""
    other = "O" if colour == "X" else "X"
    after = {**stones, colour: stones[colour] | {point}}
    for near in _neighbours(size)[point]:
        if near in after[other]:
            after[other] -= _stifled(after, near, size)
    if _stifled(after, point, size) or after == before:
        return None
    return after


def _stifled(stones: Stones, point: Cell, size: tuple[int, int]) -> set[Cell]:
    """The chain of a stone if it has no liberty; of most the first looked at is one."""
    own, other = stones["X"], stones["O"]
    if point in other:
        own, other = other, own
    around = _neighbours(size)
    chain, waiting = {point}, [point]
    while waiting:
        for near in around[waiting.pop()]:
            if near in own:
                if near not in chain:
                    chain.add(near)
                    waiting.append(near)
            elif near not in other:
                return set()
    return chain


def _chain(
    stones: Stones, point: Cell, size: tuple[int, int]
) -> tuple[frozenset[Cell], frozenset[Cell]]:
    """The chain of a stone, and its liberties."""
    own, other = stones["X"], stones["O"]
    if point in other:
        own, other = other, own
    around = _neighbours(size)
    chain, liberties, waiting = {point}, set(), [point]
    while waiting:
        for near in around[waiting.pop()]:
            if near in own:
                if near not in chain:
                    chain.add(near)
                    waiting.append(near)
            elif near not in other:
                liberties.add(near)
    return frozenset(chain), frozenset(liberties)


@cache
def _neighbours(size: tuple[int, int]) -> dict[Cell, list[Cell]]:
    """All points of a board, and those beside each."""
    return {point: beside(point, *size) for point in cells(*size)}


def _set_up(rng: Random, rows: int, columns: int, liberties: int) -> Board[str] | None:
    """A white chain with so many liberties amid other stones, none of them without a liberty."""
    size = (rows, columns)
    chain, around = [(rng.randrange(rows), rng.randrange(columns))], _neighbours(size)
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4))):
        near = around[rng.choice(chain)]
        chain += [it for it in rng.sample(near, 1) if it not in chain]
    border = sorted({near for it in chain for near in around[it]} - set(chain))
    if len(border) < liberties:
        return None
    signs = dict.fromkeys(border, "X") | dict.fromkeys(rng.sample(border, liberties), ".")
    signs |= dict.fromkeys(chain, "@")
    black, white = rng.uniform(0.15, 0.4), rng.uniform(0.1, 0.3)
    for point in cells(rows, columns):
        share = rng.random()
        signs.setdefault(point, "X" if share < black else "O" if share < black + white else ".")
    board = tuple(tuple(signs[row, column] for column in range(columns)) for row in range(rows))
    width, where = columns + 1, _where(board)
    free = where["."]
    beside_free = free << 1 | free >> 1 | free << width | free >> width
    for stones in (where["X"], where["O"] | where["@"]):
        if _flooded(stones & beside_free, stones, width) != stones:
            return None
    return board


LADDER = (
    Knobs(5, 1, 0),
    Knobs(6, 2, 0),
    Knobs(7, 3, 0),
    Knobs(8, 3, 1),
    Knobs(8, 4, 1),
)
FAMILY = Family(
    Position,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Phrase(),
    hardness=hardness,
    proof="unique",
    solver="search of moves and replies, with memory and zones",
    guess_rate=0.12,
    steps=steps,
    canon=canon,
    skills=("games", "search"),
    peers=("reasoning-gym/tsumego", "InternBootcamp/GO"),
    version=4,
)
