"""Scene relations: how many shapes lie on one side of a shape that is told by way of others.

A question is a chain: it begins with one shape ("the highest red star"), goes on to others ("the
circle nearest to it") and ends with a count. Every step is clear by a margin. `verify` walks the
chain over the puzzle's list; `solve` reads the shapes back from the drawn picture first, and walks
in another way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._drawing import asked
from puzzlemill.generators.visual._marks import find_shapes
from puzzlemill.generators.visual._picture import png
from puzzlemill.generators.visual._prose import Term, meets, plural, singular
from puzzlemill.generators.visual._scene import (
    COLOURS,
    KINDS,
    PALETTE,
    Shape,
    apart,
    draw,
    fits,
)

SIDE = 360  # pixels of the picture
SIZES = {"small": 10, "large": 17}  # radius in pixels
NAMES = {radius: size for size, radius in SIZES.items()}
GAP = 6  # pixels between shapes
CLEAR = 14  # pixels by which one shape must be further left, say, than another
TRIES = 300

# What is compared: the axis of a centre (0 across, 1 down), and whether the least is meant.
SIDES = {
    "left of": (0, True),
    "right of": (0, False),
    "above": (1, True),
    "below": (1, False),
}
TOLD = {
    "left of": "to the left of",
    "right of": "to the right of",
    "above": "above",
    "below": "below",
}
ENDS = {
    "leftmost": (0, True),
    "rightmost": (0, False),
    "highest": (1, True),
    "lowest": (1, False),
}

# How a shape is found, and its description: ("highest", …), ("nearest", …) to the one before,
# ("left of highest", …) of those left of the one before.
Step = tuple[str, Term]


@dataclass(frozen=True, slots=True)
class Knobs:
    shapes: int  # in the picture
    steps: int  # shapes that the question goes by way of
    detail: int  # attributes that the description of the counted ones names


@dataclass(frozen=True, slots=True)
class Scene:
    shapes: tuple[Shape, ...]
    steps: tuple[Step, ...]
    side: str  # of the last of these shapes, where the counted ones lie
    counted: Term


def generate(rng: Random, knobs: Knobs) -> Scene | None:
    shapes: list[Shape] = []
    hues, kinds = rng.sample(list(COLOURS), 4), rng.sample(list(KINDS), 4)
    for _ in range(TRIES):
        if len(shapes) == knobs.shapes:
            break
        shape = (
            rng.choice(kinds),
            rng.choice(hues),
            rng.choice(list(SIZES.values())),
            rng.randrange(SIDE),
            rng.randrange(SIDE),
        )
        if fits(shape, SIDE, SIDE) and all(apart(shape, other, GAP) for other in shapes):
            shapes.append(shape)
    if len(shapes) < knobs.shapes:
        return None
    steps: list[Step] = []
    for _ in range(20 * knobs.steps):
        if len(steps) == knobs.steps:
            break
        end, side = rng.choice(list(ENDS)), rng.choice(list(SIDES))
        way = rng.choice(["nearest", f"{side} {end}"]) if steps else end
        step = way, _term(rng, shapes, rng.randint(1, 2))
        if _reached(shapes, [*steps, step]) is not None:
            steps.append(step)
    here = _reached(shapes, steps) if len(steps) == knobs.steps else None
    if here is None:
        return None
    last = rng.choice(list(SIDES))
    scene = Scene(tuple(shapes), tuple(steps), last, _term(rng, shapes, knobs.detail))
    axis, _ = SIDES[last]
    counted = [shape for shape in shapes if _meets(shape, scene.counted) and shape != here]
    clear = all(abs(shape[3:][axis] - here[3:][axis]) >= CLEAR for shape in counted)
    return scene if clear and len(counted) > 1 else None


def solve(scene: Scene) -> int | None:
    """Read the picture back, and go from shape to shape."""
    found = find_shapes(draw(scene.shapes, SIDE, SIDE), list(SIZES.values()))
    if found is None:
        return None
    here: Shape | None = None
    for way, term in scene.steps:
        some = [shape for shape in found if _meets(shape, term) and shape != here]
        *side, last = way.rsplit(" ", 1)
        if side and here is not None:
            axis, least = SIDES[side[0]]
            some = [s for s in some if (s[3:][axis] < here[3:][axis]) == least]
        if not some:
            return None
        if last == "nearest" and here is not None:
            here = min(some, key=_distance(here))
        else:
            axis, least = ENDS[last]
            here = sorted(some, key=itemgetter(3 + axis))[0 if least else -1]
    if here is None:
        return None
    axis, least = SIDES[scene.side]
    many = [s for s in found if _meets(s, scene.counted) and s != here]
    return sum((s[3:][axis] < here[3:][axis]) == least for s in many)


def verify(scene: Scene, count: int) -> float:
    x = y = -1
    for way, term in scene.steps:
        options = []
        for kind, colour, radius, right, down in scene.shapes:
            if not meets((NAMES[radius], colour, kind), term) or (right, down) == (x, y):
                continue
            if not _lies(right - x, down - y, way):
                continue
            if way.endswith("leftmost"):
                options.append((right, right, down))
            elif way.endswith("rightmost"):
                options.append((-right, right, down))
            elif way.endswith("highest"):
                options.append((down, right, down))
            elif way.endswith("lowest"):
                options.append((-down, right, down))
            else:
                options.append(((right - x) ** 2 + (down - y) ** 2, right, down))
        if not options:
            return 0.0
        _, x, y = min(options)
    right_count = 0
    for kind, colour, radius, right, down in scene.shapes:
        fits_term = meets((NAMES[radius], colour, kind), scene.counted)
        if fits_term and (right, down) != (x, y) and _lies(right - x, down - y, scene.side + " "):
            right_count += 1
    return float(count == right_count)


def render(scene: Scene, style: Style) -> Prompt:
    lines = []
    for place, (way, term) in enumerate(scene.steps):
        *side, last = way.rsplit(" ", 1)
        before, here = (_letter(number) for number in (place - 1, place))
        if last == "nearest":
            lines.append(f"{here} is the {singular(term)} nearest to {before}.")
        elif side:
            lines.append(f"{here} is the {last} of all {plural(term)} {TOLD[side[0]]} {before}.")
        else:
            lines.append(f"{here} is the {last} of all {plural(term)}.")
    shown = (
        "The picture shows small and large shapes. A shape lies where its centre is, and is"
        " never compared with itself: the shape nearest to A is not A."
    )
    last = _letter(len(scene.steps) - 1)
    question = f"{' '.join(lines)} How many {plural(scene.counted)} lie {TOLD[scene.side]} {last}?"
    return Prompt(
        asked(style, shown, question),
        form="one integer (0 if there are none)",
        images=(png(draw(scene.shapes, SIDE, SIDE), PALETTE),),
    )


def hardness(scene: Scene) -> float:
    return len(scene.shapes) + 5 * len(scene.steps)


def _term(rng: Random, shapes: Sequence[Shape], detail: int) -> Term:
    """A description of some shape that there is."""
    kind, colour, radius, *_ = rng.choice(shapes)
    named = rng.sample(range(3), detail)
    parts = [
        part if place in named else "" for place, part in enumerate((NAMES[radius], colour, kind))
    ]
    return parts[0], parts[1], parts[2]


def _meets(shape: Shape, term: Term) -> bool:
    size, colour, kind = term
    return kind in ("", shape[0]) and colour in ("", shape[1]) and size in ("", NAMES[shape[2]])


def _lies(right: int, down: int, way: str) -> bool:
    """Whether something so far to the right and down lies on the side that a way begins with."""
    return not (
        (way.startswith("left of ") and right >= 0)
        or (way.startswith("right of ") and right <= 0)
        or (way.startswith("above ") and down >= 0)
        or (way.startswith("below ") and down <= 0)
    )


def _distance(here: Shape) -> Callable[[Shape], int]:
    return lambda shape: (shape[3] - here[3]) ** 2 + (shape[4] - here[4]) ** 2


def _letter(place: int) -> str:
    return chr(ord("A") + place)


def _reached(shapes: Sequence[Shape], steps: Sequence[Step]) -> Shape | None:
    """Where a chain leads, unless something that it compares is nearly a tie."""
    here: Shape | None = None
    for way, term in steps:
        some = [shape for shape in shapes if _meets(shape, term) and shape != here]
        *side, last = way.rsplit(" ", 1)
        if side and here is not None:
            axis, least = SIDES[side[0]]
            if any(abs(s[3:][axis] - here[3:][axis]) < CLEAR for s in some):
                return None
            some = [s for s in some if (s[3:][axis] < here[3:][axis]) == least]
        if len(some) < 2:
            return None  # there should be something to choose from
        if last == "nearest" and here is not None:
            some.sort(key=_distance(here))
            first, second = (_distance(here)(s) for s in some[:2])
            if 3 * second < 4 * first:
                return None
        else:
            axis, least = ENDS[last]
            some.sort(key=itemgetter(3 + axis), reverse=not least)
            if abs(some[0][3:][axis] - some[1][3:][axis]) < CLEAR:
                return None
        here = some[0]
    return here


LADDER = (
    Knobs(6, 1, 1),
    Knobs(10, 1, 1),
    Knobs(14, 2, 1),
    Knobs(18, 3, 1),
    Knobs(24, 4, 1),
)
FAMILY = Family(
    Scene,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="shapes read back from the picture's pixels",
    guess_rate=0.4,
    skills=("vision", "relations", "counting"),
    version=4,
)
