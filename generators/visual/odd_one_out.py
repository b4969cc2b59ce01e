"""Odd one out: all panels show the same shapes but one, in which a single shape is changed.

The puzzle lists what each panel shows. `verify` compares the lists; `solve` compares the drawn
panels pixel by pixel and needs all but one to be alike.
"""

from collections import Counter
from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._picture import Pixels, corner, drawn_once, png, sheet
from puzzlemill.generators.visual._scene import COLOURS, KINDS, PALETTE, Shape, apart, draw, fits

PANEL = 112  # pixels along a panel's side
RADII = range(9, 15)  # pixels
GAP = 3  # pixels between the squares around two shapes, at least
TRIES = 60  # places tried for one shape

CHANGES = ("missing", "recoloured", "reshaped", "resized", "moved")


@dataclass(frozen=True, slots=True)
class Knobs:
    panels: int  # of which one differs
    shapes: int  # in a panel
    nudge: (
        int  # pixels that a moved shape moves; a third of it is what a resized one gains or loses
    )


@dataclass(frozen=True, slots=True)
class Panels:
    scenes: tuple[tuple[Shape, ...], ...]  # what each panel shows


def generate(rng: Random, knobs: Knobs) -> Panels | None:
    scene: list[Shape] = []
    for _ in range(knobs.shapes):
        shape = _placed(rng, scene)
        if shape is None:
            return None
        scene.append(shape)
    other = _changed(rng, scene, knobs.nudge)
    if other is None:
        return None
    scenes = [tuple(scene)] * knobs.panels
    scenes[rng.randrange(knobs.panels)] = tuple(other)
    return Panels(tuple(scenes))


def solve(panels: Panels) -> int | None:
    """Compare the panels as drawn: one must look unlike all the others, and those alike."""
    page, count = _page(panels), len(panels.scenes)
    looks = []
    for place in range(count):
        top, left = corner(place, _columns(count), PANEL, PANEL)
        looks.append(page[top : top + PANEL, left : left + PANEL].tobytes())
    counts = Counter(looks)
    alone = [place for place, look in enumerate(looks) if counts[look] == 1]
    return alone[0] + 1 if len(alone) == 1 and len(counts) == 2 else None


def verify(panels: Panels, panel: int) -> float:
    if not 1 <= panel <= len(panels.scenes):
        return 0.0
    return float(panels.scenes.count(panels.scenes[panel - 1]) == 1)


def render(panels: Panels, style: Style) -> Prompt:
    count = len(panels.scenes)
    change = (
        "One shape in it is missing, or has another colour, another form, another size or another"
        " place."
    )
    return Prompt(
        style.pick(
            f"<image>\nAll {count} panels show the same picture, except for one. {change} Which"
            " panel is it? The number of each panel stands above it.",
            f"Here are {count} panels, each with its number above it.\n<image>\nExactly one of them"
            f" differs from all the others, which are alike. {change} Find it.",
            f"Find the odd one out among these {count} numbered panels (the number is above the"
            f" panel): the others are exactly the same. {change}\n<image>",
        ),
        form="the number of the panel that differs, as one integer",
        images=(png(_page(panels), PALETTE),),
    )


@drawn_once
def _page(panels: Panels) -> Pixels:
    drawn = [draw(scene, PANEL, PANEL) for scene in panels.scenes]
    return sheet(drawn, _columns(len(drawn)))


def _columns(panels: int) -> int:
    return 2 if panels <= 4 else 3 if panels <= 9 else 4


def _placed(rng: Random, scene: list[Shape]) -> Shape | None:
    """A random shape that keeps clear of the others."""
    for _ in range(TRIES):
        shape = (
            rng.choice(list(KINDS)),
            rng.choice(list(COLOURS)),
            rng.choice(RADII),
            rng.randrange(PANEL),
            rng.randrange(PANEL),
        )
        if _is_free(shape, scene):
            return shape
    return None


def _changed(rng: Random, scene: list[Shape], nudge: int) -> list[Shape] | None:
    """The scene with one shape changed, if the first attempt leaves the shape room."""
    place = rng.randrange(len(scene))
    rest = scene[:place] + scene[place + 1 :]
    change = rng.choice(CHANGES)
    if change == "missing":
        return rest
    kind, colour, radius, x, y = scene[place]
    match change:
        case "recoloured":
            colour = rng.choice([other for other in COLOURS if other != colour])
        case "reshaped":
            kind = rng.choice([other for other in KINDS if other != kind])
        case "resized":
            step = max(3, nudge // 3)
            radius += step if radius - step < min(RADII) or rng.random() < 0.5 else -step
        case _:
            right, down = rng.choice([(0, 1), (1, 0), (0, -1), (-1, 0)])
            x, y = x + right * nudge, y + down * nudge
    shape = (kind, colour, radius, x, y)
    return [*scene[:place], shape, *scene[place + 1 :]] if _is_free(shape, rest) else None


def _is_free(shape: Shape, others: list[Shape]) -> bool:
    return fits(shape, PANEL, PANEL) and all(apart(shape, other, GAP) for other in others)


LADDER = (Knobs(4, 2, 24), Knobs(6, 3, 18), Knobs(9, 4, 12), Knobs(9, 6, 9), Knobs(12, 7, 6))
FAMILY = Family(
    Panels,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(called=("panel",)),
    hardness=lambda panels: len(panels.scenes) * max(map(len, panels.scenes)),
    proof="unique",
    solver="comparison of the drawn panels by pixels",
    guess_rate=0.25,
    skills=("vision", "comparison"),
    version=2,
)
