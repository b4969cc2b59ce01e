"""What the contract cannot see of pictures: that they show what the gold answer says."""

import hashlib
import io
from random import Random

import numpy as np
from PIL import Image

from puzzlemill.core.item import generate
from puzzlemill.generators.visual._painting import painting
from puzzlemill.generators.visual._picture import corner
from puzzlemill.generators.visual._reading import read_shapes
from puzzlemill.generators.visual._scene import PALETTE, draw
from puzzlemill.generators.visual._sources import picture
from puzzlemill.generators.visual.jigsaw_grid import SIDE


def test_tiles_laid_out_as_gold_says_are_the_picture_again() -> None:
    (item,) = generate("jigsaw_grid", level=0.4)
    page = np.array(Image.open(io.BytesIO(item.images[0])).convert("RGB"))
    rows, columns = item.puzzle.rows, item.puzzle.columns
    high, wide = SIDE // rows, SIDE // columns
    rebuilt = np.zeros((SIDE, SIDE, 3), dtype=np.uint8)
    for place, tile in enumerate(map(int, item.answer.split(","))):
        top, left = corner(tile - 1, columns, high, wide)
        row, column = divmod(place, columns)
        rebuilt[row * high : (row + 1) * high, column * wide : (column + 1) * wide] = page[
            top : top + high, left : left + wide
        ]
    assert (rebuilt == picture(item.puzzle.source, item.puzzle.seed, SIDE).colours).all()


def test_a_partly_covered_shape_is_read_back() -> None:
    shapes = [("circle", "red", 21, 40, 40), ("star", "red", 12, 64, 40)]
    found = read_shapes(draw(shapes, 100, 80), [12, 21])
    assert sorted(found or []) == [("circle", "red", 21), ("star", "red", 12)]


def test_a_patch_that_nothing_hides_and_no_shape_explains_is_not_read() -> None:
    pixels = draw([("circle", "red", 21, 40, 40)], 100, 80)
    pixels[:, 40:] = 0
    assert read_shapes(pixels, [12, 21]) is None


def test_a_seed_paints_the_same_pixels_for_good() -> None:
    made = painting(Random(7), 64)
    seen = hashlib.sha256(made.pixels.tobytes() + repr(made.palette).encode()).hexdigest()
    assert seen[:16] == "f296f97119738fd6"


def test_a_pictures_colours_are_all_different() -> None:
    assert len(set(PALETTE)) == len(PALETTE)
