"""A polygon drawn on squared paper, its axes numbered."""

from collections.abc import Sequence
from io import BytesIO

from puzzlemill.generators.geometry._points import Spot

CELL, MARGIN = 34, 34  # pixels
PAPER, GRID, INK, FILL = (255, 255, 255), (205, 214, 224), (20, 20, 20), (214, 230, 250)


def on_grid(corners: Sequence[Spot]) -> bytes:
    """As a PNG; no coordinate is negative."""
    from PIL import Image, ImageDraw, ImageFont

    wide, high = (max(corner[axis] for corner in corners) + 1 for axis in (0, 1))
    size = wide * CELL + 2 * MARGIN, high * CELL + 2 * MARGIN
    image, font = Image.new("RGB", size, PAPER), ImageFont.load_default(14)
    draw = ImageDraw.Draw(image)

    def at(spot: Spot) -> Spot:
        return MARGIN + spot[0] * CELL, size[1] - MARGIN - spot[1] * CELL

    draw.polygon([at(corner) for corner in corners], fill=FILL)
    for x in range(wide + 1):
        draw.line((at((x, 0)), at((x, high))), fill=GRID)
        u, v = at((x, 0))
        draw.text((u, v + 16), str(x), fill=INK, font=font, anchor="mm")
    for y in range(high + 1):
        draw.line((at((0, y)), at((wide, y))), fill=GRID)
        u, v = at((0, y))
        draw.text((u - 16, v), str(y), fill=INK, font=font, anchor="mm")
    draw.line([*(at(corner) for corner in corners), at(corners[0])], fill=INK, width=3)
    for corner in corners:
        x, y = at(corner)
        draw.ellipse((x - 4, y - 4, x + 4, y + 4), fill=INK)
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()
