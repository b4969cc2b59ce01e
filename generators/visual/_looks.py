"""Looks: panels that show some shapes, all alike, by form, colour, size and number."""

from functools import cache

from puzzlemill.generators.visual._drawing import blank
from puzzlemill.generators.visual._marks import put, shape_at
from puzzlemill.generators.visual._picture import Pixels
from puzzlemill.generators.visual._scene import COLOURS, KINDS

PANEL = 112  # pixels along a panel's side
SPACE = 35  # pixels from one shape to the next
RADII = (7, 10, 13, 16)
FORMS, HUES = tuple(KINDS), tuple(COLOURS)
MOST = 9  # shapes in a panel
PLACES = tuple(
    (PANEL // 2 + SPACE * column, PANEL // 2 + SPACE * row)
    for row in (-1, 0, 1)
    for column in (-1, 0, 1)
)

# Form, colour, size (places in FORMS, HUES, RADII) and number.
Look = tuple[int, int, int, int]
LEAST, RANGE = (0, 0, 0, 1), (len(FORMS), len(HUES), len(RADII), MOST)


def read(page: Pixels) -> Look | None:
    """What a panel shows, if all of its shapes are alike."""
    shapes = [shape for x, y in PLACES if (shape := shape_at(page, x, y, RADII))]
    if len(set(shapes)) != 1:
        return None
    form, colour, radius = shapes[0]
    return FORMS.index(form), HUES.index(colour), RADII.index(radius), len(shapes)


def panel(look: Look) -> Pixels:
    form, hue, size, number = look
    page, radius = blank(PANEL, PANEL), RADII[size]
    shape = _shape(form, hue, size)  # and paper around it, where no other shape is
    for x, y in PLACES[:number]:
        page[y - radius : y + radius + 1, x - radius : x + radius + 1] = shape
    return page


@cache
def _shape(form: int, hue: int, size: int) -> Pixels:
    radius = RADII[size]
    square = blank(2 * radius + 1, 2 * radius + 1)
    put(square, FORMS[form], HUES[hue], radius, radius, radius)
    square.setflags(write=False)
    return square
