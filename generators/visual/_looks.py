"""Looks: panels that show some shapes, all alike, by form, colour, size and number."""

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
    found = {shape_at(page, x, y, RADII) for x, y in PLACES} - {None}
    number = sum(shape_at(page, x, y, RADII) is not None for x, y in PLACES)
    if len(found) != 1:
        return None
    form, colour, radius = found.pop() or ("", "", 0)
    return FORMS.index(form), HUES.index(colour), RADII.index(radius), number


def panel(look: Look) -> Pixels:
    form, hue, size, number = look
    page = blank(PANEL, PANEL)
    for x, y in PLACES[:number]:
        put(page, FORMS[form], HUES[hue], RADII[size], x, y)
    return page
