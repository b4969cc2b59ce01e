"""Depth: order the things in a scene by their distance from the eye.

All stand on one flat floor, so that what touches the floor lower in the picture is nearer, however
large it is. `verify` goes by where the things were put. `solve` sees the picture only: it finds
each thing's lowest visible row, and whose label it bears.
"""

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from random import Random

import numpy as np
from PIL import Image, ImageDraw

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._picture import INK, Colour, Pixels, drawn_once, png
from puzzlemill.generators.visual._plates import find_plates, plate, put_plate
from puzzlemill.generators.visual._scene import INDEX, Mask
from puzzlemill.generators.visual._scene import PALETTE as SHAPES

WIDE, HIGH = 384, 264  # pixels
HORIZON = 40  # pixels from the top
FOCUS = 800  # pixels: how far the eye is from the picture
PARTIAL = 0.2  # the score of a permutation is at most this until all letters are in place
FAR, NEAR = HORIZON + 80, HIGH - 8  # rows in which things stand
LEAST = 15  # pixels: half the width of the smallest, which has room for a letter
TRIES = 100  # places tried for all things
CLEAR = 102  # per cent: each thing is at least so far away as the one before it, sideways included
LETTERS = "ABCDEFG"
FORMS = ("ball", "box", "cone", "pillar")

_SKY, _LIGHT, _DARK = range(len(SHAPES), len(SHAPES) + 3)
PALETTE: tuple[Colour, ...] = (*SHAPES, (206, 226, 240), (196, 190, 180), (176, 168, 158))

Thing = tuple[str, str, int, int, int]  # form, colour, half its width, middle and lowest row


@dataclass(frozen=True, slots=True)
class Knobs:
    things: int  # in the scene
    gap: int  # pixels between the rows in which two things stand, at least
    deceit: int  # per cent of how much larger the farthest is made than the nearest


@dataclass(frozen=True, slots=True)
class Scene:
    things: tuple[Thing, ...]  # named A, B, C … in this order


def generate(rng: Random, knobs: Knobs) -> Scene | None:
    colours = rng.sample(list(INDEX), knobs.things)
    gap = min(knobs.gap, (NEAR - FAR) // knobs.things)
    slack = NEAR - FAR - gap * (knobs.things - 1)
    cuts = sorted(rng.randint(0, slack) for _ in colours)
    rows = [FAR + gap * place + extra for place, extra in enumerate(cuts)]
    for _ in range(TRIES):
        things = [_thing(rng, *each, knobs.deceit) for each in zip(colours, rows, strict=True)]
        ranges = [_distance(thing) for thing in reversed(things)]
        if all(100 * farther >= CLEAR * nearer for nearer, farther in pairwise(ranges)) and all(
            _is_seen(thing, nearer)
            for place, thing in enumerate(things)
            for nearer in things[place + 1 :]
        ):
            scene = Scene(tuple(rng.sample(things, len(things))))
            gold = solve(scene)
            return scene if gold and verify(scene, gold) == 1 else None
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(scene: Scene) -> tuple[str, ...] | None:
    """Where each colour ends below, and the letter that is printed on it, read from the picture."""
    pixels = _page(scene)
    found = []
    names = LETTERS[: len(scene.things)]
    for name, place in zip(names.lower(), find_plates(pixels, names)):
        if place is None:
            return None
        top, left = place
        around = pixels[top - 1, left : left + plate(name.upper()).shape[1]]
        colour = int(np.bincount(around[around > INK], minlength=1).argmax())
        if colour not in INDEX.values():
            return None
        lowest = pixels.tobytes().rfind(colour) // WIDE
        found.append((-lowest, name))
    found.sort()
    rows = [row for row, _ in found]
    if any(other - one < 4 for one, other in pairwise(rows)):
        return None
    return tuple(name for _, name in found)


def verify(scene: Scene, said: tuple[str, ...]) -> float:
    names = LETTERS[: len(scene.things)].lower()
    if sorted(said) != sorted(names):
        return 0.0
    true = sorted(range(len(names)), key=lambda place: _distance(scene.things[place]))
    right = sum(names[place] == name for place, name in zip(true, said, strict=True))
    return 1.0 if right == len(names) else PARTIAL * right / len(names)


def render(scene: Scene, style: Style) -> Prompt:
    count = len(scene.things)
    floor = (
        "All of them stand on the same flat floor; they are of different sizes, so that size tells"
        " nothing."
    )
    return Prompt(
        style.pick(
            f"<image>\n{count} things stand in a room, each with a letter on it. {floor} Order"
            " them by their distance from the viewer.",
            f"Here is a scene with {count} things, marked with letters.\n<image>\n{floor} Which is"
            " the nearest to you, which the next, and so on up to the farthest?",
            f"<image>\nSort the {count} lettered things in this picture by depth, the nearest"
            f" first. {floor}",
        ),
        form=f"all {count} letters from the nearest to the farthest, separated by commas",
        images=(png(_page(scene), PALETTE),),
    )


def _thing(rng: Random, colour: str, row: int, deceit: int) -> Thing:
    # In true size the farther is smaller in the picture; with deceit it is made larger.
    share = (NEAR - row) * 100 // (NEAR - FAR)
    size = rng.randint(18, 30) * (100 + share * deceit // 100) // 100
    half = max(size * (row - HORIZON) // (NEAR - HORIZON), LEAST)
    return rng.choice(FORMS), colour, half, rng.randint(half + 2, WIDE - half - 3), row


def _is_seen(thing: Thing, nearer: Thing) -> bool:
    """Whether a nearer thing leaves the middle of another free, with its label and its foot."""
    top = nearer[4] - _height(nearer[0], nearer[2])
    return top > thing[4] or abs(thing[3] - nearer[3]) > nearer[2] + 11


def _height(form: str, half: int) -> int:
    return {"ball": 2, "box": 2, "cone": 4, "pillar": 4}[form] * half


def _distance(thing: Thing) -> float:
    """From the eye to where a thing stands, up to a scale."""
    _, _, _, x, row = thing
    depth = FOCUS / (row - HORIZON)
    return depth * math.hypot(1, (x - WIDE / 2) / FOCUS)


@drawn_once
def _page(scene: Scene) -> Pixels:
    pixels = _floor().copy()
    for thing in sorted(scene.things, key=lambda thing: thing[4]):
        _put(pixels, thing, INDEX[thing[1]])
    for place, thing in enumerate(scene.things):
        put_plate(pixels, LETTERS[place], *_middle(thing))
    return pixels


@cache
def _floor() -> Pixels:
    """A chequered floor up to the horizon."""
    down, across = np.arange(HIGH)[:, None], np.arange(WIDE)[None]
    below = np.maximum(down - HORIZON, 1)
    square = (2 * FOCUS // below + (across - WIDE // 2) * 2 // below + 64) % 2
    pixels = np.where(square == 1, _LIGHT, _DARK).astype(np.uint8)
    pixels[: HORIZON + 1] = _SKY
    pixels.setflags(write=False)
    return pixels


def _put(pixels: Pixels, thing: Thing, colour: int) -> None:
    mask, rim = _drawn(thing[0], thing[2])
    high, wide = mask.shape
    _, _, half, x, row = thing
    top = row - high + 1
    if top < 0:
        mask, rim, top = mask[-top:], rim[-top:], 0
    part = pixels[top : row + 1, x - half : x - half + wide]
    part[rim] = INK
    part[mask] = colour


@cache
def _drawn(form: str, half: int) -> tuple[Mask, Mask]:
    """Where a thing's colour is, and where it is with its outline."""
    high = _height(form, half)
    canvas = Image.new("L", (2 * half + 1, high + 1))
    pen = ImageDraw.Draw(canvas)
    if form == "ball":
        pen.ellipse((0, 0, 2 * half, high), fill=2, outline=1)
    elif form == "cone":
        pen.polygon([(half, 0), (2 * half, high), (0, high)], fill=2, outline=1)
    else:
        pen.rectangle((0, 0, 2 * half, high), fill=2, outline=1)
    drawn = np.array(canvas, dtype=np.uint8)
    return drawn == 2, drawn > 0


def _middle(thing: Thing) -> tuple[int, int]:
    """Where the label is: low on the thing, where it is wide."""
    form, _, half, x, row = thing
    return x, row - (half if form == "ball" else max(half * 2 // 3, 12))


LADDER = (
    Knobs(3, 36, 0),
    Knobs(4, 24, 40),
    Knobs(5, 16, 70),
    Knobs(6, 12, 100),
    Knobs(7, 8, 130),
)
FAMILY = Family(
    Scene,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(form="letters in order", items="letters", reorders=True),
    hardness=lambda scene: len(scene.things),
    proof="unique",
    solver="the lowest row of each thing, read from the pixels",
    guess_rate=0.17,
    known=lambda scene: LETTERS[: len(scene.things)],
    redraws=True,
    skills=("vision", "space"),
    peers=("Visual-Jigsaw/3d",),
    version=3,
)
