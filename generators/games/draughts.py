"""Draughts: an endgame on a board of six by six; which moves force a win in so many moves?

English rules: men and kings go one square aslant, and who can capture must. All the winning moves
are asked for, so that none can be hit by chance. `solve` searches forward with a memory, on bits;
`verify` has a move generator of its own, on pieces by their places, collects the positions that can
come about, and finds what is won in one move, in two, and so on.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style

FILES = "abcdefgh"
DRAWS = 150
SIDE = 6  # of the board
SQUARE = re.compile("[a-h][1-8]")

RULE = (
    "Men (w, b) go one square diagonally forward, White's up and Black's down; kings (W, B)"
    " one square diagonally in any direction. A piece captures by jumping over an enemy piece"
    " next to it, in a direction in which it may go, onto the empty square behind; the piece"
    " jumped over is removed at once, and the same piece goes on jumping as long as it can. A"
    " player who can capture must do so, but may choose how. A man that comes to the last row"
    " becomes a"
    " king, which ends the move. A player who has no piece left, or cannot move, loses."
)

Pieces = tuple[int, int, int]  # of two players, and the kings: a bit for each square
Ways = dict[int, list[tuple[int, int]]]
Move = tuple[int, ...]  # the squares that a piece comes by, numbered from the top left
Men = frozenset[tuple[int, int, bool]]  # row and column of each, and whether it is a king


@dataclass(frozen=True, slots=True)
class Knobs:
    white: int  # pieces
    black: int  # pieces
    moves: int  # of White's, the last of which wins


@dataclass(frozen=True, slots=True)
class Position:
    rows: tuple[str, ...]  # from the top: w and b are men, W and B kings; White goes up
    moves: int


def generate(rng: Random, knobs: Knobs) -> Position | None:
    side = SIDE
    dark = [it for it in range(side * side) if (it // side + it % side) % 2]
    for _ in range(DRAWS):
        squares = ["."] * (side * side)
        for place, at in enumerate(rng.sample(dark, knobs.white + knobs.black)):
            sign, crown = ("w", 0) if place < knobs.white else ("b", side - 1)
            king = at // side == crown or rng.random() < 0.4
            squares[at] = sign.upper() if king else sign
        board = "".join(squares)
        thens = _thens(*_as_bits(board), side, "w")
        if len(thens) < 3:
            continue
        if not 0 < 2 * sum(_lost(*then, side, knobs.moves - 1) for then in thens) <= len(thens):
            continue
        # Where a win can be had sooner, or with most moves, nothing is asked.
        if knobs.moves > 1 and any(_lost(*then, side, knobs.moves - 2) for then in thens):
            continue
        named = [_named(move, side) for move, _ in legal_moves(board, side, "w")]
        if len(set(named)) == len(named):
            rows = tuple(board[at : at + side] for at in range(0, side * side, side))
            return Position(rows, knobs.moves)
    return None


def solve(position: Position) -> tuple[str, ...]:
    """Forward, with a memory of what is won within how many moves."""
    side = len(position.rows)
    turns = legal_moves("".join(position.rows), side, "w")
    winning = [move for move, then in turns if _lost(*_as_bits(then), side, position.moves - 1)]
    return tuple(sorted(_named(move, side) for move in winning))


def verify(position: Position, moves: tuple[str, ...]) -> float:
    said = set()
    for move in moves:
        squares = SQUARE.findall(move)
        if len(squares) < 2 or "".join(squares) != re.sub("[-x:]", "", move):
            return 0.0
        said.add(f"{squares[0]}-{squares[-1]}")
    return float(said == _collected(position))


def render(position: Position, style: Style) -> Prompt:
    side, board = len(position.rows), picture(position.rows)
    many = position.moves
    within = "with this move" if many == 1 else f"with White's move number {many} at the latest"
    ask = style.pick(
        f"Which moves of White's force a win {within}, however Black plays? Name all of them.",
        f"Find every first move after which White, playing well, has won {within}, against any"
        " defence.",
        f"White is to win {within}, whatever Black replies. Which moves can White begin with? Name"
        " all of them.",
    )
    return Prompt(
        style.pick(
            f"An endgame of draughts (checkers) on a board of {side} x {side}:\n\n{board}\n\nIt is"
            f" White's turn. {RULE} {ask}",
            f"{board}\n\nThis is a position of English draughts, White to move, on {side} rows and"
            f" columns. {RULE} {ask}",
            f"{ask} The position, in a game of draughts with White to move:\n\n{board}\n\n{RULE}",
        ),
        form="the moves in any order, separated by commas, each as its first and its last square,"
        " such as c3-d4 (or a1-e5 for two jumps)",
    )


def steps(position: Position) -> list[str]:
    """How many replies each move leaves, and whether one of them saves Black."""
    side, lines = len(position.rows), []
    for move, board in legal_moves("".join(position.rows), side, "w"):
        saves = None
        for reply, then in legal_moves(board, side, "b"):
            if not _won(*_as_bits(then), side, position.moves - 1):
                saves = reply
                break
        told = f"Black is not lost in time after {_named(saves, side)}" if saves else "wins"
        lines.append(f"{_named(move, side)}: {told}")
    return lines


def hardness(position: Position) -> float:
    pieces = sum(sign != "." for row in position.rows for sign in row)
    return 4 * position.moves + pieces


def picture(rows: tuple[str, ...]) -> str:
    side = len(rows)
    lines = [f"{side - row} {' '.join(line)}" for row, line in enumerate(rows)]
    return "\n".join([*lines, f". {' '.join(FILES[:side])}"])


def square(at: int, side: int) -> str:
    return f"{FILES[at % side]}{side - at // side}"


def _named(move: Move, side: int) -> str:
    return f"{square(move[0], side)}-{square(move[-1], side)}"


def _as_bits(board: str) -> Pieces:
    """White's pieces, Black's, and which of them are kings."""
    signs = board[::-1]  # the first square's bit is the lowest
    return (
        int(signs.translate(_WHITE), 2),
        int(signs.translate(_BLACK), 2),
        int(signs.translate(_KING), 2),
    )


_WHITE, _BLACK, _KING = (str.maketrans(".wWbB", bits) for bits in ("01100", "00011", "00101"))


@lru_cache(maxsize=1 << 14)
def _won(white: int, black: int, kings: int, side: int, moves: int) -> bool:
    """Whether White, to move, wins within so many moves."""
    if not moves:
        return False
    # A move that takes nothing stands in the way to one square: of more, Black goes to another.
    only_hits = moves == 1 and _onto(black, white, kings, side).bit_count() > 1
    for own, other, crowned in _thens(white, black, kings, side, "w", only_hits):
        if _lost(own, other, crowned, side, moves - 1):
            return True
    return False


def _lost(white: int, black: int, kings: int, side: int, moves: int) -> bool:
    """Whether Black, to move, has lost, or will have after so many moves of White's."""
    if not moves:
        return not _can_move(black, white, kings, side)
    for own, other, crowned in _thens(black, white, kings, side, "b"):
        if not _won(other, own, crowned, side, moves):
            return False
    return True


def _can_move(own: int, other: int, kings: int, side: int) -> bool:
    """Whether Black can."""
    full, men, crowned, _ = _reach(side, "b")
    free = full & ~(own | other)
    while own:
        piece = own & -own
        own ^= piece
        for near, beyond in crowned[piece] if piece & kings else men[piece]:
            if near & free or (near & other and beyond & free):
                return True
    return False


def _onto(own: int, other: int, kings: int, side: int) -> int:
    """The free squares onto which Black's pieces may go."""
    _, men, crowned, _ = _reach(side, "b")
    rest, near = own, 0
    while rest:
        piece = rest & -rest
        rest ^= piece
        for to, _ in crowned[piece] if piece & kings else men[piece]:
            near |= to
    return near & ~(own | other)


def _thens(
    own: int, other: int, kings: int, side: int, man: str, only_hits: bool = False
) -> list[Pieces]:
    """All that a move may lead to: the player's pieces, the other's, and which are kings."""
    full, men, crowned, last = _reach(side, man)
    free, rest = full & ~(own | other), own
    hits, quiet = list[Pieces](), list[Pieces]()
    while rest:
        piece = rest & -rest
        rest ^= piece
        king = piece & kings
        hit = False
        for near, beyond in crowned[piece] if king else men[piece]:
            if near & free:
                if only_hits:
                    continue
                new = near if king or near & last else 0
                quiet.append((own ^ piece | near, other, kings ^ king | new))
            elif near & other and beyond & free:
                hit = True
        if hit:
            hits += _captures(piece, king > 0, own ^ piece, other, kings ^ king, side, man)
    return hits or quiet


def _captures(
    piece: int, king: bool, own: int, other: int, kings: int, side: int, man: str
) -> list[Pieces]:
    """What a piece's jumps lead to, each to its end; the others of its colour are own."""
    full, men, crowned, last = _reach(side, man)
    free = full & ~(own | other)
    found = list[Pieces]()
    for near, beyond in crowned[piece] if king else men[piece]:
        if near & other and beyond & free:
            left, crowns = other ^ near, kings & ~near
            if not king and beyond & last:
                found.append((own | beyond, left, crowns | beyond))
            else:
                found += _captures(beyond, king, own, left, crowns, side, man)
    return found or [(own | piece, other, kings | piece if king else kings)]


@cache
def _reach(side: int, man: str) -> tuple[int, Ways, Ways, int]:
    """The squares; by each, the next ones and those beyond, for men and for kings; and where
    men become kings."""
    squares = range(side * side)
    men, kings = (
        {
            1 << at: [
                (1 << end, 1 << over if over >= 0 else 0) for end, over in _ways(sign, at, side)
            ]
            for at in squares
        }
        for sign in (man, "W")
    )
    last = sum(1 << at for at in squares if _crowned(man, at // side, side))
    return sum(men), men, kings, last


def legal_moves(board: str, side: int, own: str) -> Iterator[tuple[Move, str]]:
    """All legal moves of a colour, with the boards after them."""
    foes = "bB" if own == "w" else "wW"
    places = [found.start() for found in _MEN[own].finditer(board)]
    if any(
        end >= 0 and board[over] in foes and board[end] == "."
        for at in places
        for over, end in _ways(board[at], at, side)
    ):
        for at in places:
            yield from _jumps(board, side, (at,), foes)
        return
    for at in places:
        for end, _ in _ways(board[at], at, side):
            if board[end] == ".":
                yield (at, end), _put(board, side, at, end)


_MEN = {"w": re.compile("[wW]"), "b": re.compile("[bB]")}


@cache
def _ways(sign: str, at: int, side: int) -> list[tuple[int, int]]:
    """Where a piece may go: the next square, and the one beyond or -1."""
    downs = {"w": (-1,), "b": (1,)}.get(sign, (-1, 1))
    row, column = divmod(at, side)
    found = []
    for down, right in product(downs, (-1, 1)):
        if 0 <= row + down < side and 0 <= column + right < side:
            step = down * side + right
            room = 0 <= row + 2 * down < side and 0 <= column + 2 * right < side
            found.append((at + step, at + 2 * step if room else -1))
    return found


def _put(board: str, side: int, start: int, end: int, over: int = -1) -> str:
    sign = board[start]
    there = sign.upper() if _crowned(sign, end // side, side) else sign
    if over >= 0:
        board = f"{board[:over]}.{board[over + 1 :]}"
    if start < end:
        return f"{board[:start]}.{board[start + 1 : end]}{there}{board[end + 1 :]}"
    return f"{board[:end]}{there}{board[end + 1 : start]}.{board[start + 1 :]}"


def _crowned(sign: str, row: int, side: int) -> bool:
    return (sign == "w" and row == 0) or (sign == "b" and row == side - 1)


def _jumps(board: str, side: int, so_far: Move, foes: str) -> Iterator[tuple[Move, str]]:
    """The captures that go on from the last of some squares, each to its end."""
    at = so_far[-1]
    sign = board[at]
    for over, end in _ways(sign, at, side):
        if end < 0 or board[over] not in foes or board[end] != ".":
            continue
        then = _put(board, side, at, end, over)
        crowned = _crowned(sign, end // side, side)
        onward = [] if crowned else list(_jumps(then, side, (*so_far, end), foes))
        if onward:
            yield from onward
        else:
            yield (*so_far, end), then


@lru_cache(maxsize=16)
def _collected(position: Position) -> frozenset[str]:
    """The winning moves, by all positions that can come about, the ones won soonest first."""
    side = len(position.rows)
    men: dict[str, set[tuple[int, int, bool]]] = {"w": set(), "b": set()}
    for row, line in enumerate(position.rows):
        for column, sign in enumerate(line):
            if sign != ".":
                men[sign.lower()].add((row, column, sign.isupper()))
    start = (frozenset(men["w"]), frozenset(men["b"]))
    firsts = _turns(*start, -1, side)
    # Each position by who is to move: White's as (white, black), Black's likewise.
    ours: set[tuple[Men, Men]] = {start}
    after: dict[tuple[Men, Men], set[tuple[Men, Men]]] = {}
    replies: dict[tuple[Men, Men], set[tuple[Men, Men]]] = {}
    border = {start}
    for _ in range(position.moves):
        fresh: set[tuple[Men, Men]] = set()
        for white, black in border:
            after[white, black] = {then for _, then in _turns(white, black, -1, side)}
            for then in after[white, black]:
                if then not in replies:
                    theirs = _turns(then[1], then[0], 1, side)
                    replies[then] = {(them, us) for _, (us, them) in theirs}
                    fresh |= replies[then]
        border = fresh - ours
        ours |= fresh
    lost = {then for then, theirs in replies.items() if not theirs}
    for _ in range(position.moves - 1):
        won = {it for it, thens in after.items() if thens & lost}
        lost |= {then for then, theirs in replies.items() if theirs <= won}
    return frozenset(
        f"{FILES[a[1]]}{side - a[0]}-{FILES[b[1]]}{side - b[0]}"
        for (a, b), then in firsts
        if then in lost
    )


def _turns(
    own: Men, other: Men, forward: int, side: int
) -> list[tuple[tuple[tuple[int, int], tuple[int, int]], tuple[Men, Men]]]:
    """What the owner of some men may do, and both players' men then; the owner's first."""
    foes = {(row, column): (row, column, king) for row, column, king in other}
    taken = {(row, column) for row, column, _ in own}
    quiet, hits = [], []
    for man in own:
        row, column, king = man
        rest = own - {man}
        waiting = [((row, column), frozenset[tuple[int, int]](), king)]
        while waiting:
            (here, there), gone, crowned = waiting.pop()
            further = False
            for down in (-1, 1):
                if down != forward and not king:
                    continue
                for right in (-1, 1):
                    over, end = (here + down, there + right), (here + 2 * down, there + 2 * right)
                    clear = end not in taken - {(row, column)} and (end not in foes or end in gone)
                    inside = 0 <= end[0] < side and 0 <= end[1] < side
                    stopped = crowned and not king
                    if over in foes and over not in gone and clear and inside and not stopped:
                        further = True
                        last = end[0] == (0 if forward < 0 else side - 1)
                        waiting.append((end, gone | {over}, crowned or last))
            if gone and not further:
                left = other - {foes[it] for it in gone}
                hits.append(
                    (((row, column), (here, there)), (rest | {(here, there, crowned)}, left))
                )
        for down in (-1, 1) if king else (forward,):
            for right in (-1, 1):
                end = (row + down, column + right)
                if 0 <= end[0] < side and 0 <= end[1] < side and end not in taken | foes.keys():
                    last = end[0] == (0 if forward < 0 else side - 1)
                    quiet.append((((row, column), end), (rest | {(*end, king or last)}, other)))
    return hits or quiet


LADDER = (
    Knobs(2, 1, 1),
    Knobs(4, 1, 2),
    Knobs(4, 2, 2),
    Knobs(4, 2, 3),
    Knobs(4, 3, 3),
)
FAMILY = Family(
    Position,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet("all the winning moves, separated by commas"),
    hardness=hardness,
    proof="unique",
    solver="search of moves and replies, with memory",
    guess_rate=0.15,
    steps=steps,
    skills=("games", "search"),
    peers=("TextArena/Checkers",),
    version=4,
)
