"""Rubik's cube: turn the faces of a scrambled 2x2 or 3x3 cube until each face has one colour.

Any way within the allowed number of turns is right, so `verify` turns the cube: there the stickers
are points in space. `solve` searches from both ends on permutations of the net's stickers, which
are written down face by face, and knows nothing of the scramble.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style

FACES = "URFDLB"
AGAINST = {"U": "D", "D": "U", "R": "L", "L": "R", "F": "B", "B": "F"}
TURNS = tuple(face + how for face in FACES for how in ("", "'", "2"))
COLOURS = "WYROGB"
NEAR = 4  # turns from the solved cube up to which all states are kept

# For each face, the rims of its neighbours in the order in which a clockwise turn hands them on.
# A rim is a face, a row (t top, b bottom) or column (l, r) of it in the net, and + or - for whether
# it is read from left to right or top to bottom, or the other way.
RIMS = {
    "U": ("Ft+", "Lt+", "Bt+", "Rt+"),
    "D": ("Fb+", "Rb+", "Bb+", "Lb+"),
    "F": ("Ub+", "Rl+", "Dt-", "Lr-"),
    "B": ("Ut+", "Ll-", "Db-", "Rr+"),
    "R": ("Fr+", "Ur+", "Bl-", "Dr+"),
    "L": ("Fl+", "Dl+", "Br-", "Ul+"),
}
# In space x goes right, y up, z to the viewer: for each face its outward direction, and where the
# net's columns and rows run on it.
SPACE = {
    "U": ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
    "D": ((0, -1, 0), (1, 0, 0), (0, 0, -1)),
    "F": ((0, 0, 1), (1, 0, 0), (0, -1, 0)),
    "B": ((0, 0, -1), (-1, 0, 0), (0, -1, 0)),
    "R": ((1, 0, 0), (0, 0, -1), (0, -1, 0)),
    "L": ((-1, 0, 0), (0, 0, 1), (0, -1, 0)),
}

Vector = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    size: int  # 2 or 3
    turns: int  # by which the cube was scrambled; fewer may do


@dataclass(frozen=True, slots=True)
class Cube:
    faces: tuple[str, ...]  # each face's stickers row by row as in the net, in the order of FACES
    limit: int  # turns allowed


def generate(rng: Random, knobs: Knobs) -> Cube | None:
    size = knobs.size
    colours = "".join(rng.sample(COLOURS, 6))
    state = "".join(colour * size**2 for colour in colours).encode()
    last = ""
    for _ in range(knobs.turns):
        turn = rng.choice([it for it in TURNS if _follows(it[0], last)])
        state = _tables(size)[turn].translate(state.ljust(256))
        last = turn[0]
    text = state.decode()
    faces = tuple(text[at : at + size**2] for at in range(0, len(text), size**2))
    return None if all(len(set(face)) == 1 for face in faces) else Cube(faces, knobs.turns)


def solve(cube: Cube) -> tuple[str, ...] | None:
    """The fewest turns: breadth first, until a state is among those near the solved cube."""
    size = 2 if len(cube.faces[0]) == 4 else 3
    tables, near = _tables(size), _near(size)
    # A cube of 2x2 may be solved without turning the corner between D, L and B.
    moves = [(turn, tables[turn]) for turn in TURNS if size == 3 or turn[0] in "URF"]
    after = {
        last: [(turn, table) for turn, table in moves if _follows(turn[0], last)]
        for last in ("", *FACES)
    }
    start = _numbered(cube.faces, size)
    if start in near:
        found = tuple(_homeward(start, size))
        return found if len(found) <= cube.limit else None
    layer: list[tuple[bytes, tuple[str, ...]]] = [(start, ())]
    for left in reversed(range(cube.limit - NEAR)):
        fresh = []
        for state, path in layer:
            padded = state.ljust(256)
            for turn, table in after[path[-1][0] if path else ""]:
                then = table.translate(padded)
                if then in near:
                    return *path, turn, *_homeward(then, size)
                if left:
                    fresh.append((then, (*path, turn)))
        layer = fresh
    return None


def verify(cube: Cube, turns: tuple[str, ...]) -> float:
    if len(turns) > cube.limit:
        return 0.0
    size = 2 if len(cube.faces[0]) == 4 else 3
    where = list(_stickers(size))
    for turn in turns:
        moved = _quarter(turn[0], size)
        for _ in range({"": 1, "2": 2, "'": 3}[turn[1:]]):
            where = [moved.get(sticker, sticker) for sticker in where]
    shown = {(facing, colour) for (_, facing), colour in zip(where, "".join(cube.faces))}
    return float(len(shown) == 6)


def recheck(cube: Cube, turns: tuple[str, ...]) -> bool:
    """Sticker by sticker of the net: where each one is carried by the turns."""
    size = 2 if len(cube.faces[0]) == 4 else 3
    colours, seen = "".join(cube.faces), {}
    for place in range(6 * size**2):
        source = place
        for turn in reversed(turns):
            source = _tables(size)[turn][source]
        seen[place] = colours[source]
    return len(turns) <= cube.limit and all(
        len({seen[face * size**2 + it] for it in range(size**2)}) == 1 for face in range(6)
    )


def render(cube: Cube, style: Style) -> Prompt:
    size = 2 if len(cube.faces[0]) == 4 else 3
    limit = f"{cube.limit} turn{'s' if cube.limit > 1 else ''}"
    folded = style.pick(
        "Folded up, the net shows the cube from outside: in its middle row stand, from left to"
        " right, the left face (L), the front face (F), the right face (R) and the back face (B);"
        " above the front face is the upper face (U), and below it the lower face (D).",
        "Face names: the front F is in the middle of the cross; U (up) is above it, D (down) below"
        " it, L (left) to its left, R (right) to its right, and B (back) at the right end. Fold all"
        " of them backwards around F, with the colours outside, to get the cube.",
    )
    turning = style.pick(
        "The letter of a face stands for turning that face, with the layer of the cube that belongs"
        " to it, by 90 degrees clockwise as seen when one looks straight at that face from outside."
        " With ' after the letter the turn is anticlockwise, and with 2 it is by 180 degrees.",
        "A turn is written as a face's letter: the layer at that face goes a quarter clockwise,"
        " looking at the face from outside the cube (R). A prime means anticlockwise (R'), and a 2"
        " a half turn (R2). Each of these counts as one turn.",
        "Turns: X turns the layer of face X clockwise by a quarter, X' anticlockwise by a quarter,"
        " X2 by a half, where X is U, D, L, R, F or B and clockwise is as you see it when that"
        " face is towards you. A half turn counts as one turn.",
    )
    goal = "every face shows only one colour"
    return Prompt(
        style.pick(
            f"This is the net of a {size}x{size}x{size} Rubik's cube; each letter is the colour of"
            f" a sticker, and dots are no part of it.\n\n{_net(cube, size)}\n\n{folded} {turning}"
            f" Solve the cube, so that {goal}, with at most {limit}.",
            f"Solve this scrambled cube ({size} layers each way) in {limit} or fewer; it is solved"
            f" when {goal}.\n\n{_net(cube, size)}\n\nLetters are colours; dots are only there to"
            f" fill the lines. {folded} {turning}",
            f"{_net(cube, size)}\n\nAbove, a {size}x{size} Rubik's cube is unfolded; W, Y, R, O, G"
            f" and B are the colours of its stickers, and a dot means nothing. {folded}\n{turning}"
            f" Which turns make it so that {goal}? You may use up to {limit}.",
        ),
        form="the turns in order, separated by spaces, as in: R U' F2 D B' L R2 U F'",
    )


def steps(cube: Cube) -> list[str]:
    """The net's faces after each turn."""
    size = 2 if len(cube.faces[0]) == 4 else 3
    state, lines = "".join(cube.faces).encode(), []
    for turn in solve(cube) or ():
        state = _tables(size)[turn].translate(state.ljust(256))
        text = state.decode()
        faces = [text[at : at + size**2] for at in range(0, len(text), size**2)]
        told = ", ".join(f"{face} {stickers}" for face, stickers in zip(FACES, faces))
        lines.append(f"{turn}: {told}")
    return lines


def hardness(cube: Cube) -> float:
    return cube.limit * len(cube.faces[0])


def _follows(face: str, last: str) -> bool:
    """Whether a turn after another is worth a turn: not of the same face, and of two faces that
    lie against each other in one order only."""
    return face != last and not (AGAINST.get(last) == face and face < last)


@cache
def _tables(size: int) -> dict[str, bytes]:
    """For each turn, the place in the net that each sticker comes from."""
    found: dict[str, bytes] = {}
    for face, rims in RIMS.items():
        source = list(range(6 * size**2))
        first = FACES.index(face) * size**2
        for row in range(size):
            for column in range(size):
                source[first + row * size + column] = first + (size - 1 - column) * size + row
        for rim, before in zip(rims, (rims[-1], *rims)):
            for to, from_ in zip(_rim(rim, size), _rim(before, size)):
                source[to] = from_
        once = bytes(source)
        twice = once.translate(once.ljust(256))
        found |= {face: once, face + "2": twice, face + "'": once.translate(twice.ljust(256))}
    return found


def _rim(rim: str, size: int) -> list[int]:
    face, edge, way = tuple(rim)
    first, last = FACES.index(face) * size**2, size - 1
    places = [
        first + {"t": it, "b": last * size + it, "l": it * size, "r": it * size + last}[edge]
        for it in range(size)
    ]
    return places if way == "+" else places[::-1]


@cache
def _near(size: int) -> dict[bytes, str]:
    """The states up to so many turns from the solved one, and the turn that leads towards it."""
    tables = _tables(size)
    solved = bytes(face for face in range(6) for _ in range(size**2))
    found, layer = {solved: ""}, [solved]
    back = [
        (turn[0] + {"": "'", "'": "", "2": "2"}[turn[1:]], table)
        for turn, table in tables.items()
        if size == 3 or turn[0] in "URF"
    ]
    for _ in range(NEAR):
        fresh = []
        for state in layer:
            padded = state.ljust(256)
            for turn, table in back:
                then = table.translate(padded)
                if then not in found:
                    found[then] = turn
                    fresh.append(then)
        layer = fresh
    return found


def _homeward(state: bytes, size: int) -> Iterator[str]:
    near, tables = _near(size), _tables(size)
    while turn := near[state]:
        yield turn
        state = tables[turn].translate(state.ljust(256))


def _numbered(faces: tuple[str, ...], size: int) -> bytes:
    """The stickers by the number of the face that they belong to when the cube is solved."""
    if size == 3:
        home = {stickers[4]: number for number, stickers in enumerate(faces)}
    else:
        home = {faces[number][place]: number for number, place in ((3, 2), (4, 2), (5, 3))}
        # Colours of opposite faces never meet at a corner.
        corners: dict[tuple[int, ...], set[str]] = {}
        for face, stickers in zip(FACES, faces):
            for place, colour in zip(_places(face, 2), stickers):
                corners.setdefault(place, set()).add(colour)
        colours = sorted({colour for stickers in faces for colour in stickers})
        for one, other in combinations(colours, 2):
            if not any({one, other} <= corner for corner in corners.values()):
                one, other = (one, other) if one in home else (other, one)
                home[other] = (home[one] + 3) % 6
    return bytes(home[colour] for stickers in faces for colour in stickers)


def _places(face: str, size: int) -> list[Vector]:
    """Where a face's stickers are in space, row by row; two steps from one to the next."""
    out, along, down = SPACE[face]
    steps = range(1 - size, size, 2)
    return [
        (
            out[0] * (size - 1) + along[0] * column + down[0] * row,
            out[1] * (size - 1) + along[1] * column + down[1] * row,
            out[2] * (size - 1) + along[2] * column + down[2] * row,
        )
        for row in steps
        for column in steps
    ]


@cache
def _stickers(size: int) -> tuple[tuple[Vector, Vector], ...]:
    """Where each sticker of the net is in space, and which way it faces."""
    return tuple((place, SPACE[face][0]) for face in FACES for place in _places(face, size))


@cache
def _quarter(face: str, size: int) -> dict[tuple[Vector, Vector], tuple[Vector, Vector]]:
    """Where a clockwise quarter turn of a face takes the stickers of its layer."""
    axis = SPACE[face][0]
    return {
        (place, facing): (_spun(place, axis), _spun(facing, axis))
        for place, facing in _stickers(size)
        # The cube's middle is at 0 and its edge at size - 1.
        if sum(a * b for a, b in zip(place, axis)) == size - 1
    }


def _spun(v: Vector, axis: Vector) -> Vector:
    """A quarter turn clockwise, seen against the axis: v x axis, and what lies along it."""
    along = sum(a * b for a, b in zip(v, axis))
    return (
        v[1] * axis[2] - v[2] * axis[1] + along * axis[0],
        v[2] * axis[0] - v[0] * axis[2] + along * axis[1],
        v[0] * axis[1] - v[1] * axis[0] + along * axis[2],
    )


def _net(cube: Cube, size: int) -> str:
    rows = {
        face: [list(stickers[at : at + size]) for at in range(0, size**2, size)]
        for face, stickers in zip(FACES, cube.faces)
    }
    blank = [["."] * size] * size
    lines = []
    for band in ((None, "U", None, None), ("L", "F", "R", "B"), (None, "D", None, None)):
        for row in range(size):
            signs = [it for face in band for it in (rows[face] if face else blank)[row]]
            lines.append(" ".join(signs))
    return "\n".join(lines)


LADDER = (
    Knobs(2, 2),
    Knobs(2, 4),
    Knobs(3, 5),
    Knobs(3, 6),
    Knobs(3, 7),
    Knobs(3, 8),
)
FAMILY = Family(
    Cube,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Moves(TURNS),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="breadth-first search from both ends",
    guess_rate=0.05,
    steps=steps,
    skills=("spatial", "planning", "search"),
    peers=("reasoning-gym/rubiks_cube",),
)
