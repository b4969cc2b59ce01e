"""What the contract cannot see of pictures: that they show what the gold answer says."""

import hashlib
import io
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from PIL import Image

from puzzlemill.core.item import generate
from puzzlemill.core.registry import family
from puzzlemill.generators.visual import jigsaw_box, view_order
from puzzlemill.generators.visual._board import is_clear, reassembled
from puzzlemill.generators.visual._clips import MOTIONS, TICKS, orders
from puzzlemill.generators.visual._painting import painting
from puzzlemill.generators.visual._picture import corner, cut
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


def test_tiles_that_could_change_places_unseen_are_refused() -> None:
    shown = painting(Random(4), 264)
    tiles = cut(shown.pixels, 3, 3, 0)
    assert is_clear(tiles, shown.palette, 3, 0)
    assert not is_clear([*tiles[:8], tiles[0]], shown.palette, 3, 0)
    flat = [np.full_like(tile, 7) for tile in tiles]
    assert not is_clear(flat, shown.palette, 3, 0)
    assert reassembled(flat, shown.palette, 3, 0) is None


def test_part_of_an_order_is_paid_only_for_an_order() -> None:
    (item,) = generate("jigsaw_grid", level=0.4)
    gold = [int(tile) for tile in item.answer.split(",")]
    swapped = [gold[1], gold[0], *gold[2:]]
    verify = family("jigsaw_grid").verify
    assert verify(item.puzzle, tuple(swapped)) == pytest.approx(0.2 * 7 / 9)
    assert verify(item.puzzle, (gold[0],) * 9) == 0
    assert verify(item.puzzle, tuple(gold[:-1])) == 0


def test_places_of_tiles_are_the_inverse_of_tiles_in_places() -> None:
    (one,) = generate("jigsaw_grid", level=0.4)
    jigsaw = replace(one.puzzle, asked="places")
    gold = [int(tile) for tile in one.answer.split(",")]
    places = family("jigsaw_grid").solve(jigsaw)
    assert [places[tile - 1] for tile in gold] == list(range(1, 10))
    assert family("jigsaw_grid").verify(jigsaw, places) == 1


def test_a_box_is_right_from_half_an_overlap_on() -> None:
    boxes = jigsaw_box.Boxes("painting", "", 1, 40, 40, (8, 8), (120, 120))
    assert jigsaw_box.verify(boxes, (8, 8, 48, 48)) == 1
    assert jigsaw_box.verify(boxes, (120, 120, 160, 140)) == 1  # half of the other box
    assert jigsaw_box.verify(boxes, (120, 120, 160, 139)) == pytest.approx(0.2 * 19 / 40)
    assert jigsaw_box.verify(boxes, (48, 48, 8, 8)) == 0
    source = Random(4)
    for _ in range(100):
        left, top = source.randint(0, 30), source.randint(0, 30)
        said = (left, top, left + source.randint(1, 60), top + source.randint(1, 60))
        assert (jigsaw_box.verify(boxes, said) == 1) == jigsaw_box.recheck(boxes, said)


@pytest.mark.parametrize("name", MOTIONS)
def test_a_clip_is_read_in_its_order_and_not_in_the_reverse(name: str) -> None:
    motion = MOTIONS[name]
    plans = (motion.plan(Random(seed), 6, 60) for seed in range(90))
    found = 0
    for plan in plans:
        if plan is None:
            continue
        frames = [motion.draw(plan, time * TICKS) for time in range(6)]
        ways = orders(motion, frames, 0)
        assert (0, 1, 2, 3, 4, 5) in ways
        if name in ("growth", "turning"):  # the others could as well go back the same way
            assert (5, 4, 3, 2, 1, 0) not in orders(motion, frames, 5)
        found += 1
    assert found > 2


def test_pins_turn_clockwise_as_seen_from_above() -> None:
    pin = ("red", 50, 0, 30)
    (x, y), (u, v) = view_order._foot(pin, 0), view_order._foot(pin, 64)
    assert x > view_order.MIDDLE[0]
    assert (u < x, v > y) == (True, True)  # from the right towards the eye
