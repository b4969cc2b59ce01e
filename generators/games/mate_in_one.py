"""Mate in one: a chess position and a move that gives checkmate.

Every mating move is right. `generate` sets up a mate and takes the last move back. `solve` makes
every move and looks for a reply to it; `verify` makes one move and reasons about the mated king:
where it may flee to, who gives check, and what could be taken or put in between.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style

FILES = "abcdefgh"
JOINT = "(?: to |[-x ])?"  # what may stand between the two squares
STRAIGHT = ((0, 1), (0, -1), (1, 0), (-1, 0))
SLANTED = ((1, 1), (1, -1), (-1, 1), (-1, -1))
JUMPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
SLIDES = {"r": STRAIGHT, "b": SLANTED, "q": STRAIGHT + SLANTED}
LEAPS = {"n": JUMPS, "k": STRAIGHT + SLANTED}
SET = "qrrbbnnpppppppp"
TRIES = 250  # positions set up until one is a mate
NAMES = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}

EXAMPLES = tuple(f"{a}{b}{c}{b}" for a, c in ("gf", "bc", "de", "ah", "cb") for b in range(3, 9))

Show = Literal["board", "list", "FEN"]
Square = tuple[int, int]  # file and rank, from 0
Pieces = dict[Square, str]  # white's in capitals
SQUARES: list[Square] = list(product(range(8), range(8)))


@dataclass(frozen=True, slots=True)
class Knobs:
    pieces: int  # on the board, kings too
    show: Show  # how the position is told


@dataclass(frozen=True, slots=True)
class Position:
    ranks: tuple[str, ...]  # from the eighth down; a dot is an empty square
    white: bool  # whether white is to move
    show: Show


def generate(rng: Random, knobs: Knobs) -> Position | None:
    for _ in range(TRIES):
        pieces, mating = _set_up(rng, min(knobs.pieces, 6))
        if mating is None or not _mated(pieces):
            continue
        before = _taken_back(rng, pieces, mating)
        if before is None:
            continue
        kings = _king(before, True), _king(before, False)
        mate = next(_mates(before), None)
        for _ in range(60):
            if len(before) >= knobs.pieces:
                break
            fuller = before | _one_more(rng, before)
            if _hit(fuller, kings[1], True):  # black must not be in check before
                continue
            # What mated so far does so still, most often.
            stays = mate and _goes(fuller, *mate[:2]) and _is_mate(fuller, mate, *kings)
            if still := mate if stays else next(_mates(fuller), None):
                before, mate = fuller, still
        mates = list(_mates(before))
        if len(before) < knobs.pieces or not 1 <= len(mates) <= 2:
            return None
        if any(_open_to_en_passant(before, move) for move in mates):
            return None
        white = rng.random() < 0.5
        return Position(_ranks(before if white else _swapped(before)), white, knobs.show)
    return None


def solve(position: Position) -> str | None:
    """Makes every move, and every reply to those that give check."""
    pieces = _pieces(position.ranks)
    mate = next(_mates(pieces if position.white else _swapped(pieces)), None)
    if mate is None:
        return None
    return _named(mate if position.white else _flipped(mate))


def verify(position: Position, answer: str) -> float:
    said = re.fullmatch(rf"([a-h])([1-8]){JOINT}([a-h])([1-8])([qrbn]?)", answer)
    if not said:
        return 0.0
    start = (FILES.index(said[1]), int(said[2]) - 1)
    end = (FILES.index(said[3]), int(said[4]) - 1)
    pieces, white = _pieces(position.ranks), position.white
    piece = pieces.get(start)
    if piece is None or piece.isupper() != white or not _goes(pieces, start, end):
        return 0.0
    promotes = piece in "Pp" and end[1] in (0, 7)
    if promotes != bool(said[5]):
        return 0.0
    after = {square: it for square, it in pieces.items() if square != start}
    after[end] = (said[5].upper() if white else said[5]) or piece
    own, king = (
        next(square for square, it in after.items() if it == sign)
        for sign in ("Kk" if white else "kK")
    )
    if _strikers(after, own, not white):
        return 0.0
    return float(_trapped(after, king, white))


def recheck(position: Position, answer: str) -> bool:
    """Whether the move is among those that leave no reply."""
    pieces = _pieces(position.ranks)
    mates = _mates(pieces if position.white else _swapped(pieces))
    named = [_named(move if position.white else _flipped(move)) for move in mates]
    return re.sub(f"(?<=[1-8]){JOINT}(?=[a-h])", "", answer) in named


def render(position: Position, style: Style) -> Prompt:
    side = "White" if position.white else "Black"
    pieces = _pieces(position.ranks)
    if position.show == "list":
        told = "\n".join(
            f"{name}: {', '.join(_told(pieces, white))}"
            for name, white in (("White", True), ("Black", False))
        )
        shown = f"The pieces on the board:\n{told}"
    elif position.show == "FEN":
        shown = f"FEN: {_fen(position)}"
    else:
        lines = [f"{8 - number} {' '.join(rank)}" for number, rank in enumerate(position.ranks)]
        board = "\n".join([*lines, f"# {' '.join(FILES)}"])
        shown = (
            f"{board}\n\nCapital letters are White's pieces, small letters Black's: K king, Q"
            " queen, R rook, B bishop, N knight, P pawn; a dot is an empty square. White's pawns"
            " move up the board."
        )
    # Examples that start from an empty square, so that they are no moves here.
    plain = next(it for it in EXAMPLES if (FILES.index(it[0]), int(it[1]) - 1) not in pieces)
    new = next((it for it in FILES if (FILES.index(it), 6) not in pieces), "a")
    new = f"{new}7{new}8q"
    none = "Nobody may castle any more, and no pawn can be taken en passant."
    return Prompt(
        style.pick(
            f"Chess. {side} is to move and can give checkmate at once. {none}\n\n{shown}\n\nWhich"
            " move mates?",
            f"Find a move for {side} that checkmates in this position.\n\n{shown}\n\n{none}",
            f"{shown}\n\nIt is {side}'s turn in this chess position, and there is a mate in one."
            f" {none} What is the move?",
        ),
        form="the move as the square it starts from and the square it goes to, without the piece's"
        f" letter, as in {plain}; for a promotion with the letter of the new piece (q, r, b or n)"
        f" after it, as in {new}",
    )


def notation(position: Position) -> answers.Phrase:
    return answers.Phrase(names=_names(position))


def steps(position: Position) -> list[str]:
    """The moves that give check, and what the other side may reply."""
    pieces = _pieces(position.ranks)
    board = pieces if position.white else _swapped(pieces)
    lines: list[str] = []
    for move in _legal(board, True):
        then = _made(board, move)
        if _sound(then):
            continue
        named = _named(move if position.white else _flipped(move))
        reply = next(_legal(then, False), None)
        if reply is None:
            return [*lines, f"{named}: check, and there is no reply: mate"]
        back = _named(reply if position.white else _flipped(reply))
        lines.append(f"{named}: check, but {back} is a reply")
    return lines


def canon(position: Position) -> object:
    """Seen by the side to move, and in a mirror."""
    pieces = _pieces(position.ranks)
    ranks = _ranks(pieces if position.white else _swapped(pieces))
    return min(ranks, tuple(rank[::-1] for rank in ranks))


def hardness(position: Position) -> float:
    return sum(sign != "." for rank in position.ranks for sign in rank)


Move = tuple[Square, Square, str]  # the last: what a pawn becomes, or ""


def _legal(pieces: Pieces, white: bool) -> Iterator[Move]:
    king = _king(pieces, white)
    for move in _pseudo(pieces, white):
        if not _hit(_made(pieces, move), move[1] if move[0] == king else king, not white):
            yield move


def _pseudo(pieces: Pieces, white: bool) -> Iterator[Move]:
    """Moves by the pieces' ways, whatever becomes of the king."""
    for start, piece in pieces.items():
        if piece.isupper() != white:
            continue
        kind, (file, rank) = piece.lower(), start
        if kind == "p":
            yield from _pawn(pieces, start, white)
        for right, up in LEAPS.get(kind, ()) or SLIDES.get(kind, ()):
            to = (file + right, rank + up)
            while 0 <= to[0] < 8 and 0 <= to[1] < 8:
                there = pieces.get(to)
                if there is None or there.isupper() != white:
                    yield start, to, ""
                if there is not None or kind in LEAPS:
                    break
                to = (to[0] + right, to[1] + up)


def _pawn(pieces: Pieces, start: Square, white: bool) -> Iterator[Move]:
    (file, rank), up = start, 1 if white else -1
    ends = []
    if (file, rank + up) not in pieces:
        ends.append((file, rank + up))
        if rank == (1 if white else 6) and (file, rank + 2 * up) not in pieces:
            ends.append((file, rank + 2 * up))
    for to in ((file - 1, rank + up), (file + 1, rank + up)):
        if to in pieces and pieces[to].isupper() != white:
            ends.append(to)
    for to in ends:
        for new in "qrbn" if to[1] in (0, 7) else ("",):
            yield start, to, new


def _made(pieces: Pieces, move: Move) -> Pieces:
    start, end, new = move
    then = dict(pieces)
    piece = then.pop(start)
    then[end] = (new.upper() if piece.isupper() else new) or piece
    return then


def _king(pieces: Pieces, white: bool) -> Square:
    sign = "K" if white else "k"
    return next(square for square, piece in pieces.items() if piece == sign)


def _hit(pieces: Pieces, square: Square, white: bool) -> bool:
    """Whether a side strikes a square: looking out from the square."""
    leaps, rays = _outlook(square, white)
    get = pieces.get
    for sign, squares in leaps:
        for at in squares:
            if get(at) == sign:
                return True
    for strikers, ray in rays:
        for at in ray:
            piece = get(at)
            if piece is not None:
                if piece in strikers:
                    return True
                break
    return False


@cache
def _outlook(
    square: Square, white: bool
) -> tuple[list[tuple[str, list[Square]]], list[tuple[str, list[Square]]]]:
    """From where pawns, knights and kings of a side strike a square; and the lines that lead away
    from it, with the pieces that strike along them."""
    file, rank = square

    def there(ways: Iterable[Square]) -> list[Square]:
        squares = [(file + right, rank + up) for right, up in ways]
        return [(x, y) for x, y in squares if 0 <= x < 8 and 0 <= y < 8]

    back = -1 if white else 1
    pawn, knight, king = "PNK" if white else "pnk"
    leaps = [
        (pawn, there((side, back) for side in (-1, 1))),
        (knight, there(JUMPS)),
        (king, there(STRAIGHT + SLANTED)),
    ]
    rays = [
        ("QR" if white else "qr", there((right * far, up * far) for far in range(1, 8)))
        for right, up in STRAIGHT
    ]
    rays += [
        ("QB" if white else "qb", there((right * far, up * far) for far in range(1, 8)))
        for right, up in SLANTED
    ]
    return leaps, rays


def _mated(pieces: Pieces) -> bool:
    """Whether black is mated."""
    king = _king(pieces, False)
    return _hit(pieces, king, True) and not _has_reply(pieces, king)


def _has_reply(pieces: Pieces, king: Square) -> bool:
    """Whether black has a legal move; the king's are the likeliest, and looked at first."""
    without = {square: piece for square, piece in pieces.items() if square != king}
    *_, (_, near) = _outlook(king, True)[0]  # those of kings
    for to in near:
        if (to not in pieces or pieces[to].isupper()) and not _hit(without, to, True):
            return True
    return any(
        not _hit(_made(pieces, move), king, True)
        for move in _pseudo(pieces, False)
        if move[0] != king
    )


def _mates(pieces: Pieces) -> Iterator[Move]:
    """White's mating moves."""
    own, other = _king(pieces, True), _king(pieces, False)
    spots, openers = _spots(other), _openers(pieces, other)
    for move in _pseudo(pieces, True):
        start, end, new = move
        checks = end in spots[new.upper() or pieces[start]] or start in openers
        if checks and _is_mate(pieces, move, own, other):
            yield move


def _is_mate(pieces: Pieces, move: Move, own: Square, other: Square) -> bool:
    """Whether one of white's moves is legal and mates; by the squares of both kings."""
    then = _made(pieces, move)
    checks = move[1] != other and _hit(then, other, True)
    safe = checks and not _hit(then, move[1] if move[0] == own else own, False)
    return safe and not _has_reply(then, other)


@cache
def _spots(king: Square) -> dict[str, frozenset[Square]]:
    """By each of white's pieces, from where it may strike black's king."""
    leaps, rays = _outlook(king, True)
    found = {sign: set(squares) for sign, squares in leaps} | {sign: set() for sign in "QRB"}
    for strikers, ray in rays:
        for sign in strikers:
            found[sign].update(ray)
    return {sign: frozenset(squares) for sign, squares in found.items()}


def _openers(pieces: Pieces, king: Square) -> list[Square]:
    """White's pieces that stand between black's king and one that would strike it."""
    found = []
    for strikers, ray in _outlook(king, True)[1]:
        on_it = [square for square in ray if square in pieces][:2]
        if len(on_it) == 2 and pieces[on_it[1]] in strikers and pieces[on_it[0]].isupper():
            found.append(on_it[0])
    return found


def _sound(pieces: Pieces) -> bool:
    """Whether white may be to move: black is not in check."""
    return not _hit(pieces, _king(pieces, False), True)


def _goes(pieces: Pieces, start: Square, end: Square) -> bool:
    """Whether a piece's way leads to a square that its own side leaves free."""
    piece, there = pieces[start], pieces.get(end)
    if there is not None and there.isupper() == piece.isupper():
        return False
    right, up = end[0] - start[0], end[1] - start[1]
    if piece in "Pp" and right == 0:
        forth = up if piece == "P" else -up
        home = start[1] == (1 if piece == "P" else 6)
        middle = (start[0], start[1] + up // 2)
        return there is None and (forth == 1 or (forth == 2 and home and middle not in pieces))
    return (there is not None or piece not in "Pp") and _strikes(pieces, start, end)


def _strikes(pieces: Pieces, start: Square, end: Square) -> bool:
    """Whether a piece could take on a square, by the distance and what stands between."""
    piece = pieces[start]
    right, up = end[0] - start[0], end[1] - start[1]
    far = max(abs(right), abs(up))
    match piece.lower():
        case "n":
            return abs(right * up) == 2
        case "k":
            return far == 1
        case "p":
            return abs(right) == 1 and up == (1 if piece == "P" else -1)
        case kind:
            straight = right == 0 or up == 0
            fits = (straight and kind != "b") or (abs(right) == abs(up) and kind != "r")
            return fits and far > 0 and not any(it in pieces for it in _between(start, end))


def _between(start: Square, end: Square) -> list[Square]:
    """The squares between two on a line; none for a knight's jump."""
    right, up = end[0] - start[0], end[1] - start[1]
    far = max(abs(right), abs(up))
    if abs(right) not in (0, far) or abs(up) not in (0, far):
        return []
    return [(start[0] + right * it // far, start[1] + up * it // far) for it in range(1, far)]


def _strikers(pieces: Pieces, square: Square, white: bool) -> list[Square]:
    return [
        start
        for start, piece in pieces.items()
        if piece.isupper() == white and start != square and _strikes(pieces, start, square)
    ]


def _trapped(pieces: Pieces, king: Square, white: bool) -> bool:
    """Whether a king is mated, by the side that is white or not."""
    checks = _strikers(pieces, king, white)
    if not checks:
        return False
    without = {square: piece for square, piece in pieces.items() if square != king}
    for right, up in STRAIGHT + SLANTED:
        to = (king[0] + right, king[1] + up)
        held = to in pieces and pieces[to].isupper() != white
        if 0 <= to[0] < 8 and 0 <= to[1] < 8 and not held:
            fled = without | {to: pieces[king]}
            if not _strikers(fled, to, white):
                return False
    if len(checks) > 1:
        return True
    for to in [checks[0], *_between(checks[0], king)]:
        for start, piece in pieces.items():
            if start != king and piece.isupper() != white and _goes(pieces, start, to):
                helped = {square: it for square, it in pieces.items() if square != start}
                helped[to] = piece
                if not _strikers(helped, king, white):
                    return False
    return True


def _set_up(rng: Random, count: int) -> tuple[Pieces, Square | None]:
    """A few pieces around black's king, one of which gives check; and where that one stands."""
    edge = rng.random() < 0.85
    king = (rng.randrange(8), rng.choice((0, 7, 7)) if edge else rng.randrange(1, 7))
    if rng.random() < 0.5:
        king = king[::-1]
    near, far = _around(king)
    pieces: Pieces = {king: "k"}
    own = rng.choice(far) if rng.random() < 0.4 else (rng.randrange(8), rng.randrange(8))
    if _away(own, king) < 2:
        return pieces, None
    pieces[own] = "K"
    kinds = list(SET)
    rng.shuffle(kinds)
    blocks = rng.randrange(1, 3) if count > 4 else rng.randrange(2)
    for _ in range(blocks):
        square, kind = rng.choice(near), rng.choice("pprnb")
        if square not in pieces and (kind != "p" or 0 < square[1] < 7):
            pieces[square] = kind
    strong = rng.choice("qqrrbnp" if count > 4 else "qqr")
    kinds.remove(strong)
    free = [square for square in SQUARES if square not in pieces]
    rng.shuffle(free)
    sign = strong.upper()
    spots = _spots(king)[sign]
    for mating in free:
        if mating in spots and (strong != "p" or 1 < mating[1] < 7):
            pieces[mating] = sign
            if _strikes(pieces, mating, king):
                break
            del pieces[mating]
    else:
        return pieces, None
    while len(pieces) < count:
        square = (rng.randrange(8), rng.randrange(8))
        kind = kinds.pop()
        if square not in pieces and (kind != "p" or 0 < square[1] < 7):
            pieces[square] = kind.upper()
    return pieces, mating


@cache
def _around(king: Square) -> tuple[list[Square], list[Square]]:
    """The squares at most two away from a king, and those of them that are two away."""
    near = [at for at in SQUARES if at != king and _away(at, king) <= 2]
    return near, [at for at in near if _away(at, king) == 2]


def _away(one: Square, other: Square) -> int:
    """The moves that a king needs from square to square."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def _taken_back(rng: Random, pieces: Pieces, mating: Square) -> Pieces | None:
    """The position one move before, sometimes with what the move took."""
    starts: list[tuple[Square, str, bool]] = []
    piece, spots = pieces[mating], _spots(mating)
    befores = (piece, "P") if mating[1] == 7 and piece in "QRN" else (piece,)
    bare = {square: it for square, it in pieces.items() if square != mating}
    for start in SQUARES:
        for before in befores:
            ahead = before == "P" and start[0] == mating[0]
            if start in pieces or not (ahead or start in spots[before]):
                continue
            if before == "P" and not 0 < start[1] < 7:
                continue
            for taken in (False, True):
                board = bare | {start: before}
                if taken:
                    board[mating] = "p" if 0 < mating[1] < 7 else "n"
                if _goes(board, start, mating):
                    starts.append((start, before, taken))
    rng.shuffle(starts)
    if rng.random() < 0.25:
        starts.sort(key=lambda it: it[1] == piece)  # a promotion first
    for start, before, taken in starts:
        board = bare | {start: before}
        if taken:
            board[mating] = rng.choice("pnbr") if 0 < mating[1] < 7 else rng.choice("nbr")
        if _sound(board):
            return board
    return None


def _one_more(rng: Random, pieces: Pieces) -> Pieces:
    """A piece of either side that its set still has."""
    white = rng.random() < 0.45
    if sum(piece.isupper() == white for piece in pieces.values()) == len(SET) + 1:
        white = not white
    left = list(SET)
    for piece in pieces.values():
        if piece.isupper() == white and piece.lower() in left:
            left.remove(piece.lower())
    kind = rng.choice(left)
    free = [
        square for square in SQUARES if square not in pieces and (kind != "p" or 0 < square[1] < 7)
    ]
    return {rng.choice(free): kind.upper() if white else kind}


def _open_to_en_passant(pieces: Pieces, move: Move) -> bool:
    """Whether a pawn goes two squares to the side of another that might take it."""
    (file, rank), end, _ = move
    return (
        pieces[file, rank] == "P"
        and end[1] - rank == 2
        and any(pieces.get((end[0] + side, end[1])) == "p" for side in (-1, 1))
    )


def _ranks(pieces: Pieces) -> tuple[str, ...]:
    return tuple(
        "".join(pieces.get((file, rank), ".") for file in range(8)) for rank in range(7, -1, -1)
    )


def _pieces(ranks: tuple[str, ...]) -> Pieces:
    return {
        (file, 7 - row): sign
        for row, rank in enumerate(ranks)
        for file, sign in enumerate(rank)
        if sign != "."
    }


def _swapped(pieces: Pieces) -> Pieces:
    """The same position with colours exchanged."""
    return {(file, 7 - rank): piece.swapcase() for (file, rank), piece in pieces.items()}


def _flipped(move: Move) -> Move:
    (file, rank), (to, up), new = move
    return (file, 7 - rank), (to, 7 - up), new


def _named(move: Move) -> str:
    (file, rank), (to, up), new = move
    return f"{FILES[file]}{rank + 1}{FILES[to]}{up + 1}{new}"


@lru_cache(maxsize=64)
def _names(position: Position) -> tuple[tuple[str, str], ...]:
    """The names that chess players give to legal moves, where a name fits one move alone."""
    pieces = _pieces(position.ranks)
    board = pieces if position.white else _swapped(pieces)
    meant: dict[str, set[str]] = {}
    for move in _legal(board, True):
        named = _named(move if position.white else _flipped(move))
        start, end, new = named[:2], named[2:4], named[4:]
        piece = board[move[0]].replace("P", "")
        fewest = ["", *start] if piece else [start[0]] if move[1] in board else [""]
        begun = [f"{piece}{some}{joint}" for some in fewest for joint in ("", "x")]
        begun += [f"{some}{start}{joint}" for some in (piece, "") for joint in ("", "x", "-")]
        turned = [f"{equals}{it}" for equals in ("", "=") for it in (new, new.upper()) if new]
        for name in product(begun, [end], turned or [""]):
            meant.setdefault("".join(name), set()).add(named)
    return tuple((name, min(moves)) for name, moves in meant.items() if len(moves) == 1)


def _told(pieces: Pieces, white: bool) -> list[str]:
    order = sorted(pieces, key=lambda it: ("kqrbnp".index(pieces[it].lower()), it))
    return [
        f"{NAMES[pieces[file, rank].lower()]} {FILES[file]}{rank + 1}"
        for file, rank in order
        if pieces[file, rank].isupper() == white
    ]


def _fen(position: Position) -> str:
    ranks = [re.sub(r"\.+", lambda dots: str(len(dots[0])), rank) for rank in position.ranks]
    return f"{'/'.join(ranks)} {'w' if position.white else 'b'} - - 0 1"


LADDER = (
    Knobs(5, "board"),
    Knobs(8, "board"),
    Knobs(12, "list"),
    Knobs(17, "board"),
    Knobs(23, "FEN"),
)
FAMILY = Family(
    Position,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Phrase(),
    notation=notation,
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="every move and every reply",
    guess_rate=0.1,
    obvious="a mate is told from other moves by its piece and its square",
    steps=steps,
    canon=canon,
    skills=("games", "search"),
    peers=("Enigmata/checkmate_in_one",),
)
