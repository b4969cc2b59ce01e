"""One stroke: walk over every free square of a board exactly once, from a given start.

Any such walk is right, so `verify` walks it. The answer "impossible" is right only where there is
none, and that `verify` decides itself, by carrying across the board, square by square, how the
walk's pieces so far end. Boards that look alike, with and without a way, come about alike: from a
walk, with the start moved.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import Board, Cell, beside, cells, drawn, turns
from puzzlemill.generators._sat import Clause, any_model

Answer: TypeAlias = tuple[str, ...] | Impossible
State: TypeAlias = tuple[tuple[int, ...], bool]  # see _has_walk

WAYS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
TRIES = 12  # starts, or boards, that `generate` looks at
TURNS = 150  # of a walk, to have it begin at a given start


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of squares; rows and columns may change places
    columns: int  # of squares
    blocked: float  # share of the squares; up to a tenth more where no walk is so long
    impossible: float  # share of boards that have no such walk


@dataclass(frozen=True, slots=True)
class Strip:
    squares: tuple[str, ...]  # . is free, # is blocked
    start: Cell


def generate(rng: Random, knobs: Knobs) -> Strip | None:
    feasible = rng.random() >= knobs.impossible
    for _ in range(TRIES):
        rows, columns = rng.sample((knobs.rows, knobs.columns), 2)
        walk = _walk(rng, rows, columns, knobs.blocked)
        free = set(walk)
        if len(free) < rows * columns * (0.9 - knobs.blocked):
            continue
        squares = tuple(
            "".join("#."[(row, column) in free] for column in range(columns)) for row in range(rows)
        )
        # The start of the walk made, or any that could be one by the colours of a chessboard.
        even = sum((row + column) % 2 == 0 for row, column in free)
        major = 0 if even > len(free) - even else 1
        starts = [cell for cell in sorted(free) if 2 * even == len(free) or sum(cell) % 2 == major]
        start = rng.choice(starts)
        strip = Strip(squares, start)
        possible = _turned(walk, start, rows, columns) or solve(strip) is not IMPOSSIBLE
        if possible is feasible:
            return strip
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(strip: Strip) -> Answer:
    """SAT: sides between squares, two at each, but one at the start and at some other square.

    Rings that come of it beside the walk are forbidden as they appear.
    """
    rows, columns = len(strip.squares), len(strip.squares[0])
    free = _free(strip.squares)
    pairs = [
        (cell, other)
        for cell in sorted(free)
        for other in beside(cell, rows, columns)
        if cell < other and other in free
    ]
    number = {pair: at for at, pair in enumerate(pairs, 1)}
    last = {cell: at for at, cell in enumerate(sorted(free - {strip.start}), len(pairs) + 1)}
    clauses: list[Clause] = [list(last.values())]
    clauses += [[-one, -other] for one, other in combinations(last.values(), 2)]
    for cell in sorted(free):
        at = [it for pair, it in number.items() if cell in pair]
        clauses += _exactly(at, 1) if cell == strip.start else _exactly([*at, last[cell]], 2)

    def cuts(true: set[int]) -> list[Clause]:
        near: dict[Cell, list[Cell]] = {cell: [] for cell in free}
        for one, other in (pair for pair, it in number.items() if it in true):
            near[one].append(other)
            near[other].append(one)
        left, broken = free - set(_along(near, strip.start)), []
        while left:
            ring = set(_along(near, min(left)))
            left -= ring
            broken.append([it for pair, it in number.items() if len(ring.intersection(pair)) == 1])
        return broken

    true = any_model(clauses, cuts)
    if true is None:
        return IMPOSSIBLE
    near: dict[Cell, list[Cell]] = {cell: [] for cell in free}
    for one, other in (pair for pair, it in number.items() if it in true):
        near[one].append(other)
        near[other].append(one)
    walk = _along(near, strip.start)
    letter = {step: way for way, step in WAYS.items()}
    return tuple(letter[after[0] - here[0], after[1] - here[1]] for here, after in pairwise(walk))


def verify(strip: Strip, moves: Answer) -> float:
    if isinstance(moves, Impossible):
        return float(not _has_walk(strip.squares, strip.start))
    left = _free(strip.squares)
    row, column = strip.start
    left.remove(strip.start)
    for move in moves:
        row, column = row + WAYS[move][0], column + WAYS[move][1]
        if (row, column) not in left:
            return 0.0
        left.remove((row, column))
    return float(not left)


def recheck(strip: Strip, moves: Answer) -> bool:
    """As a walk along the board as one line, with a border; that there is none, by `solve`."""
    if isinstance(moves, Impossible):
        return solve(strip) is IMPOSSIBLE
    width = len(strip.squares[0]) + 1
    line = "#" * width + "".join(f"{row}#" for row in strip.squares) + "#" * width
    places = [(strip.start[0] + 1) * width + strip.start[1]]
    for move in moves[: len(line)]:
        places.append(places[-1] + {"U": -width, "D": width, "L": -1, "R": 1}[move])
        if not 0 <= places[-1] < len(line) or line[places[-1]] == "#":
            return False
    count = line.count(".")
    return len(moves) + 1 == count and len(set(places)) == count


def render(strip: Strip, style: Style) -> Prompt:
    free, blocked, start = tuple(style.pick(".#S", "-X@", "_#A", "o=S", ".%*"))
    board = drawn(
        [
            [
                start if (row, column) == strip.start else blocked if sign == "#" else free
                for column, sign in enumerate(line)
            ]
            for row, line in enumerate(strip.squares)
        ]
    )
    count = len(_free(strip.squares))
    holes = "#" in "".join(strip.squares)
    key = f'"{free}" is a free square' + (f', "{blocked}" a blocked one' if holes else "")
    return Prompt(
        style.pick(
            f'A board ({key}, and "{start}" the free square where you stand):\n\n{board}\n\nWalk'
            " over all free squares, so that you are on each of them exactly once; the start counts"
            " as visited. A step goes to the next square up, down, left or right. You may end on"
            " any square. If there is no such walk, say so.",
            f"Draw a single line through all {count} free squares of this board, without lifting"
            f' the pen. The line begins at "{start}", goes from square to square up, down, left or'
            " right, and must not come to any square twice, nor leave the board. Where it ends does"
            f" not matter. It may also be that this cannot be done. Here {key}.\n\n{board}",
            f'{key}; a cat sits at "{start}", which is free as well.\n\n{board}\n\nThe cat wants to'
            f" step on every free square once and only once (there are {count}, counting its own)."
            " It steps to squares that share a side with its own. Which way can it go, if there is"
            " one?",
        ),
        form="the steps in order, each as one letter (U for up, D for down, L for left, R for"
        ' right), separated by spaces, or the word "impossible" if there is no way',
    )


def canon(strip: Strip) -> Board[str]:
    board = [list(line) for line in strip.squares]
    board[strip.start[0]][strip.start[1]] = "S"
    return min(turns(board))


def hardness(strip: Strip) -> float:
    """Squares to visit."""
    return len(_free(strip.squares))


def _free(squares: tuple[str, ...]) -> set[Cell]:
    return {cell for cell in cells(len(squares), len(squares[0]))
            if squares[cell[0]][cell[1]] == "."}  # fmt: skip


def _exactly(literals: list[int], many: int) -> list[Clause]:
    """Clauses for so many of a few literals, which is one or two."""
    over = [[-it for it in some] for some in combinations(literals, many + 1)]
    size = len(literals) - many + 1
    return over + [list(some) for some in combinations(literals, size)] if size > 0 else [[]]


def _along(near: dict[Cell, list[Cell]], start: Cell) -> list[Cell]:
    """The squares of a line or a ring, from one of them on."""
    walk, seen = [start], {start}
    while onward := [cell for cell in near[walk[-1]] if cell not in seen]:
        walk.append(onward[0])
        seen.add(onward[0])
    return walk


def _walk(rng: Random, rows: int, columns: int, blocked: float) -> list[Cell]:
    """A walk that is on no square twice, and leaves out about that share of the board.

    Half of what it leaves out is drawn before. Where it cannot go on, it is led into itself: the
    rest of it, from there on, is turned round.
    """
    everything = cells(rows, columns)
    length = round(len(everything) * (1 - blocked))
    open_squares = set(rng.sample(everything, (length + len(everything) + 1) // 2))
    beyond = {
        cell: [near for near in beside(cell, rows, columns) if near in open_squares]
        for cell in open_squares
    }
    walk = [rng.choice(sorted(open_squares))]
    on_it, best = set(walk), list(walk)
    for _ in range(10 * len(everything)):
        if len(walk) == length:
            return walk
        near = beyond[walk[-1]]
        fresh = [cell for cell in near if cell not in on_it]
        if fresh:
            walk.append(rng.choice(fresh))
            on_it.add(walk[-1])
        elif near:
            if len(walk) > len(best):
                best = list(walk)
            at = walk.index(rng.choice(near))
            walk[at + 1 :] = walk[:at:-1]
        else:
            break  # a square by itself
    return best if len(best) == len(walk) else walk


def _turned(walk: list[Cell], start: Cell, rows: int, columns: int) -> bool:
    """Whether a walk is soon turned into one of the same squares that begins or ends at the start:
    an end is led into the walk, and what was behind it there becomes the end."""
    free = set(walk)
    beyond = {cell: [it for it in beside(cell, rows, columns) if it in free] for cell in walk}
    queue, seen = [walk], {frozenset((walk[0], walk[-1]))}
    for one in queue:
        if start in (one[0], one[-1]):
            return True
        if len(queue) < TURNS:
            for line in (one, one[::-1]):
                for cell in beyond[line[-1]]:
                    at = line.index(cell) + 1
                    ends = frozenset((line[0], line[at]))
                    if ends not in seen:
                        seen.add(ends)
                        queue.append(line[:at] + line[: at - 1 : -1])
    return False


@lru_cache(maxsize=64)
def _has_walk(squares: tuple[str, ...], start: Cell) -> bool:
    """Whether there is a walk, square by square, row by row.

    A state says what crosses below each column and (last) to the right: 0 nothing, -1 the piece
    that begins at the start, -2 the piece that ends at the other end of the walk, or a label that
    the two ends of any other piece share. And whether that other end has been set.
    """
    if len(squares) < len(squares[0]):  # fewer columns have fewer states
        squares, start = tuple(map("".join, zip(*squares))), start[::-1]
    columns = len(squares[0])
    total = len(_free(squares))
    states: dict[State, None] = {((0,) * (columns + 1), False): None}
    done = 0
    for row, line in enumerate(squares):
        for column in range(columns):
            done += line[column] == "."
            states = dict.fromkeys(
                _tidied(after, ended)
                for crossing, ended in states
                for after, ended in _stepped(
                    crossing, ended, column, line[column] == ".", (row, column) == start,
                    _open(squares, row + 1, column), _open(squares, row, column + 1),
                    done == total,
                )
            )  # fmt: skip
    return any(not any(crossing) for crossing, _ in states)


def _open(squares: tuple[str, ...], row: int, column: int) -> bool:
    return row < len(squares) and column < len(squares[0]) and squares[row][column] == "."


def _stepped(
    crossing: tuple[int, ...], ended: bool, column: int, free: bool, is_start: bool,
    down: bool, right: bool, is_last: bool,
) -> list[State]:  # fmt: skip
    """The states after a square, by which of its sides the walk crosses."""
    above, before = crossing[column], crossing[-1]
    if not free:
        return [] if above or before else [(crossing, ended)]
    outs = [(0, 0), (1, 0), (0, 1), (1, 1)]
    found = []
    comes = (above != 0) + (before != 0)
    for go_down, go_right in outs:
        sides = comes + go_down + go_right
        if (go_down and not down) or (go_right and not right) or sides > 2 or sides == 0:
            continue
        new = list(crossing)
        new[column] = new[-1] = 0
        if is_start or sides == 1:
            if sides > 1 or (ended and not is_start):
                continue
            mark = -1 if is_start else -2
            if comes:
                if not _joined(new, above or before, mark, is_last):
                    continue
            else:
                new[column if go_down else -1] = mark
            found.append((tuple(new), ended or not is_start))
            continue
        if comes == 2:
            if above == before or not _joined(new, above, before, is_last):
                continue  # a ring
        elif comes == 1:
            new[column if go_down else -1] = above or before
        else:
            new[column] = new[-1] = max(0, *crossing) + 1
        found.append((tuple(new), ended))
    return found


def _joined(new: list[int], one: int, other: int, is_last: bool) -> bool:
    """Two line ends meet: their other ends become those of one piece. False if that is the whole
    walk before all squares are visited."""
    if one < 0 and other < 0:
        return is_last and not any(new)
    if one < 0:
        one, other = other, one
    new[new.index(one)] = other
    return True


def _tidied(crossing: tuple[int, ...], ended: bool) -> State:
    """Labels numbered in the order in which they come."""
    names: dict[int, int] = {}
    tidy = (it if it <= 0 else names.setdefault(it, len(names) + 1) for it in crossing)
    return tuple(tidy), ended


LADDER = (
    Knobs(4, 5, 0.2, 0.0),
    Knobs(6, 6, 0.2, 0.1),
    Knobs(6, 7, 0.2, 0.15),
    Knobs(7, 7, 0.2, 0.2),
    Knobs(8, 8, 0.2, 0.2),
)
FAMILY = Family(
    Strip,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.Moves()),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="SAT with rings forbidden as they appear",
    guess_rate=0.2,
    canon=canon,
    skills=("planning", "search", "spatial"),
    peers=("KORGym/6-LongCat", "KORGym/13-play_lines"),
    version=2,
)
