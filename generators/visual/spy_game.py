"""Spy game: pictures of the same things, differently laid out; in one a single thing differs.

`verify` compares what the puzzle lists for each picture; `solve` reads each drawn picture back.
"""

from collections import Counter
from dataclasses import dataclass
from random import Random

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._marks import find_shapes
from puzzlemill.generators.visual._picture import Pixels, drawn_once, png
from puzzlemill.generators.visual._prose import Term
from puzzlemill.generators.visual._scene import COLOURS, KINDS, PALETTE, Shape, apart, draw, fits

SIDE = 200  # pixels of a picture
SIZES = {"small": 9, "large": 15}  # radius in pixels
GAP = 3  # pixels between the squares around two shapes, at least
TRIES = 80  # places tried for one shape


@dataclass(frozen=True, slots=True)
class Knobs:
    pictures: int  # of which one differs
    shapes: int  # in a picture
    variety: int  # colours and forms that there are


@dataclass(frozen=True, slots=True)
class Pictures:
    scenes: tuple[tuple[Shape, ...], ...]


def generate(rng: Random, knobs: Knobs) -> Pictures | None:
    hues = rng.sample(list(COLOURS), knobs.variety)
    kinds = rng.sample(list(KINDS), min(knobs.variety, len(KINDS)))
    looks = [_look(rng, hues, kinds) for _ in range(knobs.shapes)]
    spy = rng.randrange(knobs.pictures)
    scenes = []
    for place in range(knobs.pictures):
        mine = rng.sample(looks, len(looks))
        if place == spy:
            first = list(mine[0])
            attribute = rng.randrange(3)
            others = [list(SIZES), hues, kinds][attribute]
            first[attribute] = rng.choice([value for value in others if value != first[attribute]])
            mine[0] = first[0], first[1], first[2]
            rng.shuffle(mine)
        scene = _laid_out(rng, mine)
        if scene is None:
            return None
        scenes.append(scene)
    return Pictures(tuple(scenes))


def solve(pictures: Pictures) -> int | None:
    """Read the pictures back, from one below the other: nothing reaches an edge. One must hold
    other things than the rest."""
    found = find_shapes(np.concatenate(_drawn(pictures)), list(SIZES.values()))
    if found is None:
        return None
    looks: list[list[tuple[str, str, int]]] = [[] for _ in pictures.scenes]
    for kind, colour, radius, _, y in found:
        looks[y // SIDE].append((kind, colour, radius))
    held = [tuple(sorted(things)) for things in looks]
    counts = Counter(held)
    alone = [place for place, things in enumerate(held, start=1) if counts[things] == 1]
    return alone[0] if len(alone) == 1 and len(counts) == 2 else None


def verify(pictures: Pictures, number: int) -> float:
    if not 1 <= number <= len(pictures.scenes):
        return 0.0
    tallies = [
        {look: [shape[:3] for shape in scene].count(look) for look in {s[:3] for s in scene}}
        for scene in pictures.scenes
    ]
    return float(tallies.count(tallies[number - 1]) == 1)


def render(pictures: Pictures, style: Style) -> Prompt:
    count = len(pictures.scenes)
    images = tuple(png(page, PALETTE) for page in _drawn(pictures))
    shown = "\n".join(f"Picture {number}: <image>" for number in range(1, count + 1))
    same = (
        "show exactly the same shapes (with the same form, colour and size), laid out differently"
    )
    odd = "one shape has another colour, another form or another size"
    return Prompt(
        style.pick(
            f"{shown}\nAll but one of these {count} pictures {same}. In the other one, {odd}. Which"
            " picture is it?",
            f"Here are {count} pictures. One of them is a spy.\n{shown}\nThe others {same}. In the"
            f" spy picture, {odd}. Where the shapes lie does not matter. Which picture is the"
            " spy?",
            f"Find the picture that does not fit.\n{shown}\nThe other {count - 1} {same}; in the"
            f" one to be found, {odd}.",
        ),
        form="the number of that picture, as one integer",
        images=images,
    )


def hardness(pictures: Pictures) -> float:
    return len(pictures.scenes) * len(pictures.scenes[0])


@drawn_once
def _drawn(pictures: Pictures) -> tuple[Pixels, ...]:
    return tuple(draw(scene, SIDE, SIDE) for scene in pictures.scenes)


def _look(rng: Random, hues: list[str], kinds: list[str]) -> Term:
    return rng.choice(list(SIZES)), rng.choice(hues), rng.choice(kinds)


def _laid_out(rng: Random, looks: list[Term]) -> tuple[Shape, ...] | None:
    scene: list[Shape] = []
    for size, colour, kind in looks:
        for _ in range(TRIES):
            shape = (kind, colour, SIZES[size], rng.randrange(SIDE), rng.randrange(SIDE))
            if fits(shape, SIDE, SIDE) and all(apart(shape, other, GAP) for other in scene):
                scene.append(shape)
                break
        else:
            return None
    return tuple(scene)


LADDER = (
    Knobs(3, 3, 5),
    Knobs(4, 5, 5),
    Knobs(4, 8, 5),
    Knobs(5, 11, 5),
    Knobs(6, 15, 6),
)
FAMILY = Family(
    Pictures,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(called=("picture",)),
    hardness=hardness,
    proof="unique",
    solver="shapes read back from the pictures' pixels",
    guess_rate=0.36,
    redraws=True,
    skills=("vision", "comparison", "counting"),
    version=3,
)
