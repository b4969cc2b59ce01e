"""Cube net: a net with letters is folded to a cube; which face is where?

`verify` rolls a cube over the net and notes which of its sides each letter is printed on; `solve`
reads the letters from the drawn net and folds it in space.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import SIDES, Cell
from puzzlemill.generators.visual._drawing import area, asked, blank, frame, letter_at, write
from puzzlemill.generators.visual._picture import Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import INDEX, PALETTE

LETTERS = ("A", "B", "C", "D", "E", "F")
CELL = 56  # pixels
EDGE = 16
SLIPS = 24
ROLLS = ("right", "left", "away", "near")  # towards which side the cube is tipped over

Vector = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    kind: int  # 0: the opposite face; 1: a face beside two others; 2: the cube is rolled as well
    rolls: int  # of the cube; only where the kind is 2


@dataclass(frozen=True, slots=True)
class Net:
    cells: tuple[Cell, ...]  # of A, B, C, D, E, F
    front: str  # the face towards us, or, of the simplest question, the one asked about
    top: str  # the face on top; empty in the simplest question
    side: str  # "opposite", "right", "left", "bottom", "back"
    rolls: tuple[str, ...]


def generate(rng: Random, knobs: Knobs) -> Net:
    cells = _grown(rng)
    while not _is_net(cells):
        cells = _grown(rng)
    top, left = min(row for row, _ in cells), min(column for _, column in cells)
    cells = rng.sample([(row - top, column - left) for row, column in cells], 6)
    normals = _normals(dict(zip(cells, LETTERS)))
    front = rng.choice(LETTERS)
    if knobs.kind == 0:
        return Net(tuple(cells), front, "", "opposite", ())
    beside = [letter for letter in LETTERS if not _dot(normals[letter], normals[front])]
    rolls = tuple(rng.choice(ROLLS) for _ in range(knobs.rolls if knobs.kind > 1 else 0))
    side = rng.choice(["right", "left"] if not rolls else ["right", "left", "top", "front"])
    return Net(tuple(cells), front, rng.choice(beside), side, rolls)


def solve(net: Net) -> str | None:
    """Read the letters from the picture, and fold."""
    page = _drawn(net)
    rows, columns = (length // CELL for length in page.shape)
    letters = {}
    for row in range(rows):
        for column in range(columns):
            x, y = (EDGE + step * CELL + CELL // 2 for step in (column, row))
            if x < page.shape[1] and y < page.shape[0] and (letter := letter_at(page, x, y, 3)):
                letters[row, column] = letter
    if sorted(letters.values()) != sorted(LETTERS):
        return None
    return _asked_for(net, _normals(letters))


def _asked_for(net: Net, normals: dict[str, Vector]) -> str | None:
    faces = {normal: letter for letter, normal in normals.items()}
    front = normals[net.front]
    if net.side == "opposite":
        return faces.get(_minus(front))
    up = normals[net.top]
    right = _cross(up, front)
    for roll in net.rolls:
        if roll == "right":
            up, right = _minus(right), up
        elif roll == "left":
            up, right = right, _minus(up)
        elif roll == "away":
            up, front = front, _minus(up)
        else:
            up, front = _minus(front), up
    return faces.get({"right": right, "left": _minus(right), "top": up, "front": front}[net.side])


def verify(net: Net, letter: str) -> float:
    # A cube rolls over the net, which lies with its letters up; each cell prints its letter on the
    # side that comes to lie on it. What is printed is seen on the cube as the net shows it when it
    # is folded the other way, so that left and right change places.
    printed: dict[int, str] = {}
    names = dict(zip(net.cells, LETTERS))
    waiting = [(net.cells[0], (0, 1, 2, 3, 4, 5))]  # bottom, top, left, right, far, near
    seen = {net.cells[0]}
    for (row, column), cube in waiting:
        printed[cube[0]] = names[row, column]
        for (down, across), way in zip(SIDES, ("away", "right", "near", "left")):
            there = row + down, column + across
            if there in names and there not in seen:
                seen.add(there)
                waiting.append((there, _rolled(cube, way)))
    if len(printed) < 6:
        return 0.0
    # Every way to put the cube down: the one with these faces in front and on top.
    if net.side == "opposite":
        side = next(number for number, name in printed.items() if name == net.front)
        return float(printed[side ^ 1] == letter)
    for cube in _placings():
        if printed[cube[5]] == net.front and printed[cube[1]] == net.top:
            # In the printed cube left and right are exchanged: roll it in a mirror.
            for roll in net.rolls:
                cube = _rolled(cube, {"left": "right", "right": "left"}.get(roll, roll))
            place = {"right": 2, "left": 3, "top": 1, "front": 5}[net.side]
            return float(printed[cube[place]] == letter)
    return 0.0


def render(net: Net, style: Style) -> Prompt:
    shown = (
        "The picture shows the net of a cube, with a letter on every face. It is folded into a cube"
        " with the letters on the outside."
    )
    if net.side == "opposite":
        question = f"Which face is opposite to face {net.front}?"
    else:
        told = (
            f"The cube is put down so that face {net.front} is towards you and face {net.top} is on"
            " top."
        )
        if net.rolls:
            words = {
                "right": "to the right",
                "left": "to the left",
                "away": "away from you",
                "near": "towards you",
            }
            told += (
                " Then it is tipped over its edge by a quarter turn, again and again:"
                f" {', '.join(words[roll] for roll in net.rolls)}."
            )
        place = {
            "right": "on your right",
            "left": "on your left",
            "top": "on top",
            "front": "towards you",
        }[net.side]
        question = f"{told} Which face is{' then' if net.rolls else ''} {place}?"
    return Prompt(
        asked(style, shown, question),
        form="the letter of the face",
        images=(png(_drawn(net), PALETTE),),
    )


def slips(rng: Random, net: Net, gold: str) -> Iterator[str]:
    """A face that is not told of; where the cube is rolled, what another roll or side leads to."""
    if not net.rolls:
        faces = [letter for letter in LETTERS if letter not in (net.front, net.top)]
        yield from rng.sample(faces, len(faces))
        return
    normals = _normals(dict(zip(net.cells, LETTERS)))
    for _ in range(SLIPS):
        rolls = list(net.rolls)
        rolls[rng.randrange(len(rolls))] = rng.choice(ROLLS)
        net = replace(net, rolls=tuple(rolls), side=rng.choice(["right", "left", "top", "front"]))
        if letter := _asked_for(net, normals):
            yield letter


def hardness(net: Net) -> float:
    return 2 * (net.side != "opposite") + 2 * len(net.rolls)


def _normals(letters: dict[Cell, str]) -> dict[str, Vector]:
    """Which way every face looks: the net is folded away from us, around what lies behind it."""
    first = min(letters)
    frames = {first: ((0, 0, 1), (1, 0, 0), (0, -1, 0))}  # outwards, to the right, down
    waiting = [first]
    for row, column in waiting:
        out, right, down = frames[row, column]
        for there, frame_there in (
            ((row, column + 1), (right, _minus(out), down)),
            ((row, column - 1), (_minus(right), out, down)),
            ((row + 1, column), (down, right, _minus(out))),
            ((row - 1, column), (_minus(down), right, out)),
        ):
            if there in letters and there not in frames:
                frames[there] = frame_there
                waiting.append(there)
    return {letters[cell]: frames[cell][0] for cell in letters if cell in frames}


def _grown(rng: Random) -> list[Cell]:
    """Six squares that hang together."""
    cells = [(0, 0)]
    while len(cells) < len(LETTERS):
        row, column = rng.choice(cells)
        down, right = rng.choice(SIDES)
        if (row + down, column + right) not in cells:
            cells.append((row + down, column + right))
    return cells


def _is_net(cells: list[Cell]) -> bool:
    return len(set(_normals(dict(zip(cells, LETTERS))).values())) == 6


def _minus(vector: Vector) -> Vector:
    return -vector[0], -vector[1], -vector[2]


def _dot(a: Vector, b: Vector) -> int:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


Cube = tuple[int, int, int, int, int, int]  # which side is at the bottom, top, left, right, …


def _rolled(cube: Cube, way: str) -> Cube:
    bottom, top, left, right, far, near = cube
    if way == "right":
        return right, left, bottom, top, far, near
    if way == "left":
        return left, right, top, bottom, far, near
    if way == "away":
        return far, near, left, right, top, bottom
    return near, far, left, right, bottom, top


def _placings() -> list[Cube]:
    found: list[Cube] = [(0, 1, 2, 3, 4, 5)]
    for cube in found:
        for way in ROLLS:
            other = _rolled(cube, way)
            if other not in found:
                found.append(other)
    return found


@drawn_once
def _drawn(net: Net) -> Pixels:
    rows, columns = (max(cell[axis] for cell in net.cells) + 1 for axis in (0, 1))
    page = blank(columns * CELL + 2 * EDGE, rows * CELL + 2 * EDGE)
    for (row, column), letter in zip(net.cells, LETTERS):
        left, top = EDGE + column * CELL, EDGE + row * CELL
        area(page, left, top, left + CELL, top + CELL, INDEX["yellow"])
        frame(page, left - 1, top - 1, left + CELL + 1, top + CELL + 1, 2)
        write(page, letter, left + CELL // 2, top + CELL // 2, 3)
    return page


LADDER = (Knobs(0, 0), Knobs(1, 0), Knobs(2, 2), Knobs(2, 4), Knobs(2, 8))
FAMILY = Family(
    Net,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Choice(LETTERS),
    hardness=hardness,
    proof="unique",
    solver="the drawn net read and folded in space",
    guess_rate=0.3,
    slips=slips,
    slips_version=2,
    skills=("vision", "spatial"),
    version=3,
)
