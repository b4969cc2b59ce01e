"""Counting shapes: how many of those in a picture fit a description.

`verify` goes through the list of shapes by their attributes. `solve` sees the drawn picture only:
it tells the patches of colour apart and finds which kind and size each must be, hidden parts
included; so every shape can be recognised.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._picture import Pixels, drawn_once, png
from puzzlemill.generators.visual._prose import Term, meets, plural
from puzzlemill.generators.visual._reading import read_shapes
from puzzlemill.generators.visual._scene import (
    COLOURS,
    KINDS,
    PALETTE,
    Shape,
    apart,
    draw,
    fits,
    silhouette,
)

SIDE = 320  # pixels of the picture
SIZES = {"small": 12, "large": 21}  # radius in pixels
GAP = 3  # pixels between shapes where none may be covered
TRIES = 200  # places tried for one shape


@dataclass(frozen=True, slots=True)
class Knobs:
    shapes: int  # in the picture
    terms: int  # descriptions joined by "or"
    detail: int  # attributes that a description names, of size, colour and kind
    hidden: int  # per cent of a shape that others may cover


@dataclass(frozen=True, slots=True)
class Question:
    shapes: tuple[Shape, ...]  # in the order of drawing: later ones lie on top
    terms: tuple[Term, ...]


def generate(rng: Random, knobs: Knobs) -> Question | None:
    terms = _terms(rng, knobs.terms, knobs.detail)
    if terms is None:
        return None
    wanted = rng.randint(0, min(knobs.shapes, 3 + knobs.shapes // 2))
    looks = [_look(rng, terms, place < wanted) for place in range(knobs.shapes)]
    rng.shuffle(looks)
    shapes = _laid_out(rng, looks, knobs.hidden)
    if shapes is None:
        return None
    question = Question(tuple(shapes), tuple(terms))
    return question if solve(question) == wanted else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(question: Question) -> int | None:
    """Read the picture back from its pixels and count."""
    found = read_shapes(_drawn(question.shapes), list(SIZES.values()))
    if found is None:
        return None
    names = {radius: size for size, radius in SIZES.items()}
    looks = [(names[radius], colour, kind) for kind, colour, radius in found]
    return sum(any(meets(look, term) for term in question.terms) for look in looks)


def verify(question: Question, count: int) -> float:
    fitting: set[int] = set()
    for size, colour, kind in question.terms:
        fitting |= {
            place
            for place, shape in enumerate(question.shapes)
            if kind in ("", shape[0])
            and colour in ("", shape[1])
            and (not size or SIZES[size] == shape[2])
        }
    return float(count == len(fitting))


def render(question: Question, style: Style) -> Prompt:
    wanted = " or ".join(plural(term) for term in question.terms)
    notes = []
    if len(question.terms) > 1:
        notes.append("A shape that fits more than one of these descriptions counts once.")
    if any(size for size, _, _ in question.terms):
        notes.append("Shapes come in two sizes, small and large.")
    notes.append("A shape that is partly covered by another counts as well.")
    note = " ".join(notes)
    return Prompt(
        style.pick(
            f"<image>\nHow many {wanted} are there in the picture? {note}",
            f"Look at the picture and count the {wanted}. {note}\n<image>",
            f"<image>\nIn this picture of coloured shapes, count all {wanted}. {note} How many are"
            " there?",
        ),
        form="the number of these shapes, as one integer (0 if there are none)",
        images=(png(_drawn(question.shapes), PALETTE),),
    )


def steps(question: Question) -> list[str]:
    lines: list[str] = []
    counted: set[int] = set()
    for term in question.terms:
        places = {place for place, shape in enumerate(question.shapes) if meets(_of(shape), term)}
        again = len(places & counted)
        less = f", {again} of them counted already" if again else ""
        lines.append(f"{plural(term)}: {len(places)}{less}".capitalize())
        counted |= places
    return [*lines, f"Together: {len(counted)}"]


@drawn_once
def _drawn(shapes: tuple[Shape, ...]) -> Pixels:
    return draw(shapes, SIDE, SIDE)


def _terms(rng: Random, count: int, detail: int) -> list[Term] | None:
    """Descriptions none of which includes another."""
    terms: list[Term] = []
    for _ in range(count):
        named = rng.sample(range(3), detail)
        size, colour, kind = (
            part if place in named else "" for place, part in enumerate(_any_look(rng))
        )
        terms.append((size, colour, kind))
    clash = any(
        meets(one, other)
        for place, one in enumerate(terms)
        for other in terms[:place] + terms[place + 1 :]
    )
    return None if clash else terms


def _any_look(rng: Random) -> Term:
    return rng.choice(list(SIZES)), rng.choice(list(COLOURS)), rng.choice(list(KINDS))


def _look(rng: Random, terms: list[Term], fitting: bool) -> Term:
    """What a shape looks like that fits, or that does not but often nearly does."""
    while True:
        look, term = list(_any_look(rng)), rng.choice(terms)
        share = 1.0 if fitting else 0.6
        for place, part in enumerate(term):
            if part and rng.random() < share:
                look[place] = part
        made = look[0], look[1], look[2]
        if any(meets(made, other) for other in terms) == fitting:
            return made


def _of(shape: Shape) -> Term:
    names = {radius: size for size, radius in SIZES.items()}
    return names[shape[2]], shape[1], shape[0]


def _laid_out(rng: Random, looks: list[Term], hidden: int) -> list[Shape] | None:
    """Shapes at random places, of each of which at most `hidden` per cent is covered."""
    shapes: list[Shape] = []
    top = np.full((SIDE, SIDE), -1, dtype=np.int16)  # which shape is seen at each pixel
    for size, colour, kind in looks:
        for _ in range(TRIES):
            shape = (kind, colour, SIZES[size], rng.randrange(SIDE), rng.randrange(SIDE))
            if fits(shape, SIDE, SIDE) and _put_down(shape, shapes, top, hidden):
                shapes.append(shape)
                break
        else:
            return None
    return shapes


def _put_down(shape: Shape, shapes: list[Shape], top: NDArray[np.int16], hidden: int) -> bool:
    """Lay a shape on top of the others, unless too much of one of them would be covered."""
    near = [place for place, other in enumerate(shapes) if not apart(shape, other, GAP)]
    if near and not hidden:
        return False
    kind, _, radius, x, y = shape
    part = top[y - radius : y + radius + 1, x - radius : x + radius + 1]
    before = part.copy()
    part[silhouette(kind, radius)] = len(shapes)
    for place in near:
        other_kind, _, r, u, v = shapes[place]
        whole = int(silhouette(other_kind, r).sum())
        left = np.count_nonzero(top[v - r : v + r + 1, u - r : u + r + 1] == place)
        if left * 100 < whole * (100 - hidden):
            part[:] = before
            return False
    return True


LADDER = (
    Knobs(4, 1, 1, 0),
    Knobs(8, 1, 2, 0),
    Knobs(13, 2, 2, 10),
    Knobs(20, 2, 2, 20),
    Knobs(30, 3, 2, 30),
)
FAMILY = Family(
    Question,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=lambda question: len(question.shapes) * len(question.terms),
    proof="unique",
    solver="shapes read back from the picture's pixels",
    guess_rate=0.25,
    steps=steps,
    redraws=True,
    skills=("vision", "counting"),
    version=2,
)
