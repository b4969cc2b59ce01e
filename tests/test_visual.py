"""What the contract cannot see of pictures: that they show what the gold answer says."""

import hashlib
import io
from dataclasses import replace
from itertools import permutations
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from puzzlemill.core import registry
from puzzlemill.core.family import Style
from puzzlemill.core.item import Item, generate
from puzzlemill.generators._lettering import lettering
from puzzlemill.generators.visual import (
    _sources,
    clock_face,
    jigsaw_box,
    jigsaw_grid,
    jigsaw_pile,
    marked_points,
    maze_picture,
    missing_part,
    pie_chart,
    scene_difference,
    solid_views,
    sudoku_picture,
    view_order,
)
from puzzlemill.generators.visual._board import BLANK, costs, reassembled, total
from puzzlemill.generators.visual._charts import SPACE
from puzzlemill.generators.visual._clips import MOTIONS, TICKS, orders
from puzzlemill.generators.visual._painting import painting
from puzzlemill.generators.visual._patches import cut_out, patches
from puzzlemill.generators.visual._picture import INK, RESERVED, corner, cut
from puzzlemill.generators.visual._reading import read_shapes
from puzzlemill.generators.visual._scene import COLOURS, INDEX, PALETTE, draw
from puzzlemill.generators.visual._sources import picture
from puzzlemill.generators.visual.jigsaw_grid import DRAWN, SIDE


def seen(item: Item) -> NDArray[np.int64]:
    """The picture as a viewer gets it, in red, green and blue."""
    return np.array(Image.open(io.BytesIO(item.images[0])).convert("RGB"), dtype=np.int64)


def near(page: NDArray[np.int64], colour: tuple[int, int, int]) -> NDArray[np.bool_]:
    return np.abs(page - np.array(colour)).sum(axis=-1) == 0


def some(name: str, count: int = 6, level: float = 0.0, **knobs: object) -> list[Item]:
    return list(generate(name, level=level, n=count, seed=11, knobs=knobs))


DARK = RESERVED[INK]


def test_tiles_laid_out_as_gold_says_are_the_picture_again() -> None:
    (item,) = generate("jigsaw_grid", level=0.4, n=1)
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
    whole, (left, top) = picture(item.puzzle.source, item.puzzle.seed, DRAWN), item.puzzle.window
    assert (rebuilt == whole.colours[top : top + SIDE, left : left + SIDE]).all()


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
    assert seen[:16] == "186a3d90b0bb4939"


def test_a_pictures_colours_are_all_different() -> None:
    assert len(set(PALETTE)) == len(PALETTE)


def test_tiles_that_could_change_places_unseen_are_refused() -> None:
    shown = painting(Random(4), 264)
    tiles = cut(shown.pixels, 3, 3, 0)
    assert reassembled(tiles, shown.palette, 3, 3, 0) == tuple(range(9))
    assert reassembled([*tiles[:8], tiles[0]], shown.palette, 3, 3, 0) is None
    flat = [np.full_like(tile, 7) for tile in tiles]
    assert reassembled(flat, shown.palette, 3, 3, 0) is None
    assert reassembled(flat[1:], shown.palette, 3, 3, 0) is None


def test_part_of_an_order_is_paid_only_for_an_order() -> None:
    (item,) = generate("jigsaw_grid", level=0.4, n=1)
    gold = [int(tile) for tile in item.answer.split(",")]
    swapped = [gold[1], gold[0], *gold[2:]]
    turned = [gold[1], gold[2], gold[0], *gold[3:]]
    verify = registry.family("jigsaw_grid").verify
    assert verify(item.puzzle, tuple(gold)) == 1
    assert verify(item.puzzle, tuple(swapped)) == pytest.approx(0.2 * 7 / 9)
    assert verify(item.puzzle, tuple(turned)) == pytest.approx(0.1333, abs=1e-4)  # 6 of 9
    assert verify(item.puzzle, (gold[0],) * 9) == 0
    assert verify(item.puzzle, (gold[1], *gold[1:])) == 0, "8 of 9, but a tile is there twice"
    assert verify(item.puzzle, (10, *gold[1:])) == 0, "8 of 9, but there is no tile 10"
    assert verify(item.puzzle, tuple(gold[:-1])) == 0


def test_places_of_tiles_are_the_inverse_of_tiles_in_places() -> None:
    (one,) = generate("jigsaw_grid", level=0.4, n=1)
    jigsaw = replace(one.puzzle, asked="places")
    gold = [int(tile) for tile in one.answer.split(",")]
    places = registry.family("jigsaw_grid").solve(jigsaw)
    assert [places[tile - 1] for tile in gold] == list(range(1, 10))
    assert registry.family("jigsaw_grid").verify(jigsaw, places) == 1


def test_a_box_is_right_from_half_an_overlap_on() -> None:
    boxes = jigsaw_box.Boxes("painting", "", 1, 40, 40, (8, 8), (120, 120), 0.2)
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


def test_colours_are_told_apart_by_colour_blind_eyes() -> None:
    # Linear light as it is seen without red, green or blue cones (Machado and others, 2009).
    eyes = {
        "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        "no red": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
        "no green": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
        "no blue": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
    }
    light = (np.array(list(COLOURS.values())) / 255) ** 2.2
    for name, matrix in eyes.items():
        red, green, blue = np.clip(light @ np.array(matrix).T, 0, 1).T
        x, y, z = (0.434 * red + 0.376 * green + 0.190 * blue,
                   0.213 * red + 0.715 * green + 0.072 * blue,
                   0.018 * red + 0.109 * green + 0.873 * blue)  # fmt: skip
        lab = np.stack([116 * np.cbrt(y), 500 * (np.cbrt(x) - np.cbrt(y)),
                        200 * (np.cbrt(y) - np.cbrt(z))], axis=1)  # fmt: skip
        apart = np.linalg.norm(lab[:, None] - lab[None], axis=-1) + 99 * np.eye(len(lab))
        assert apart.min() > 20, name


def test_a_clock_s_hands_stand_where_the_time_says() -> None:
    for item in [*some("clock_face"), *some("clock_face", level=0.5, later=0)]:
        page = seen(item)[:, ::-1] if item.puzzle.mirrored else seen(item)
        middle = len(page) // 2
        down, right = np.nonzero(near(page, DARK))
        far = np.hypot(right - middle, down - middle)
        turn = np.degrees(np.arctan2(right - middle, middle - down)) % 360
        hour, minute = divmod(item.puzzle.minutes, 60)
        wanted = 6 * minute
        long = (far > clock_face.SHORT + 10) & (far < clock_face.LONG - 6)
        assert np.abs((turn[long] - wanted + 180) % 360 - 180).max() < 5
        short = (far > clock_face.SHORT - 16) & (far < clock_face.SHORT - 4)
        aside = np.abs((turn[short] - wanted + 180) % 360 - 180) > 5
        apart = (turn[short][aside] - (30 * hour + minute / 2) + 180) % 360 - 180
        assert np.abs(apart).max(initial=0) < 12


def test_bars_are_as_high_as_their_values() -> None:
    for item in [*some("bar_chart"), *some("bar_chart", 3, 0.7)]:
        page, chart = seen(item), item.puzzle
        bars = [near(page, COLOURS[name]).sum(axis=0) for name in ("red", "green", "blue")]
        tops = np.sum(bars, axis=0)
        changes = np.flatnonzero(np.diff(tops, prepend=0, append=0))
        found = [int(tops[at]) for at in changes[:-1] if tops[at]]
        values = [value for row in chart.values for value in row]
        # Equal bars that touch make one step.
        merged = [value for at, value in enumerate(values)
                  if at % len(chart.values[0]) == 0 or value != values[at - 1]]  # fmt: skip
        assert [high * chart.step / SPACE for high in found] == [it for it in merged if it]


def test_a_pie_s_sectors_have_their_share_of_the_pixels() -> None:
    for item in [*some("pie_chart"), *some("pie_chart", 3, 1.0)]:
        page, pies = seen(item), item.puzzle
        for place, (colours, parts) in enumerate(zip(pies.colours, pies.parts, strict=True)):
            wide = page.shape[1] // len(pies.totals)
            pie = page[:, place * wide : (place + 1) * wide]
            # A line two pixels wide runs to the rim between every two sectors, half of it in each.
            lost = 2 * pie_chart.RADIUS
            counts = [int(near(pie, COLOURS[colour]).sum()) + lost for colour in colours]
            for count, part in zip(counts, parts, strict=True):
                assert count / sum(counts) == pytest.approx(part / pies.marks, abs=0.01)


def test_a_maze_s_way_is_free_and_no_shorter_one_is() -> None:
    for item in [*some("maze_picture"), *some("maze_picture", 2, 0.6)]:
        page, cell = seen(item), maze_picture.CELL
        wall, side = near(page, DARK), len(item.puzzle.right)
        places = {
            colour: tuple(
                (int(axis.mean()) - maze_picture.EDGE) // cell
                for axis in np.nonzero(near(page, COLOURS[colour]))
            )
            for colour in ("red", "blue")
        }
        half = maze_picture.EDGE + cell // 2
        far, queue = {places["red"]: 0}, [places["red"]]
        for row, column in queue:
            y, x = half + row * cell, half + column * cell
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                other = (row + down, column + right)
                way = wall[min(y, y + down * cell) : max(y, y + down * cell) + 1,
                           min(x, x + right * cell) : max(x, x + right * cell) + 1]  # fmt: skip
                inside_it = 0 <= other[0] < side and 0 <= other[1] < side
                if inside_it and other not in far and not way.any():
                    far[other] = far[row, column] + 1
                    queue.append(other)
        assert far[places["blue"]] == len(item.answer.split())


def test_a_sudoku_s_digits_are_those_that_are_drawn() -> None:
    for item in [*some("sudoku_picture", 3), *some("sudoku_picture", 2, 0.6)]:
        ink, cell = near(seen(item), DARK), sudoku_picture.CELL
        for row, digits in enumerate(item.puzzle.rows):
            for column, digit in enumerate(digits):
                top, left = (sudoku_picture.EDGE + at * cell + 5 for at in (row, column))
                part = ink[top : top + cell - 9, left : left + cell - 9]
                down, right = np.nonzero(part)
                if not digit:
                    assert not part.any()
                    continue
                glyph = part[down.min() : down.max() + 1, right.min() : right.max() + 1]
                like = [number for number in range(1, 10) if (trimmed := _glyph(number)).shape
                        == glyph.shape and (trimmed == glyph).all()]  # fmt: skip
                assert like == [digit]


def _glyph(number: int) -> NDArray[np.bool_]:
    mask = lettering(str(number))
    down, right = np.nonzero(mask)
    return mask[down.min() : down.max() + 1, right.min() : right.max() + 1]


def test_shapes_that_nothing_covers_are_as_many_patches() -> None:
    for item in some("count_shapes", 8, hidden=0):
        numbers = seen(item) @ np.array([1 << 16, 1 << 8, 1])
        _, kinds = np.unique(numbers, return_inverse=True)
        marks, count = patches(kinds.reshape(numbers.shape).astype(np.uint8), corners=True)
        colours = [numbers[marks == number][0] for number in range(count)]
        for name, (red, green, blue) in COLOURS.items():
            drawn = sum(colour == name for _, colour, *_ in item.puzzle.shapes)
            assert colours.count((red << 16) + (green << 8) + blue) == drawn


def test_patches_are_what_a_flood_fills() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        page = rng.integers(0, 3, size=rng.integers(1, 14, size=2)).astype(np.uint8)
        for corners in (False, True):
            steps = [
                (down, right)
                for down in (-1, 0, 1)
                for right in (-1, 0, 1)
                if corners or not down or not right
            ]
            flooded = np.full(page.shape, -1)
            count = 0
            for start in np.ndindex(page.shape):
                if flooded[start] >= 0:
                    continue
                flooded[start], waiting = count, [start]
                for row, column in waiting:
                    for down, right in steps:
                        there = row + down, column + right
                        if (
                            min(there) >= 0
                            and there < (page.shape[0], 0)
                            and there[1] < page.shape[1]
                            and page[there] == page[start]
                            and flooded[there] < 0
                        ):
                            flooded[there] = count
                            waiting.append(there)
                count += 1
            marks, many = patches(page, corners)
            assert many == count
            assert (marks == flooded).all()
        cut = list(cut_out(page, {0}))
        assert len(cut) == len(np.unique(flooded[page > 0]))
        again = np.zeros_like(page)
        for colour, mask, top, left in cut:
            again[top : top + mask.shape[0], left : left + mask.shape[1]][mask] = colour
        assert (again == page).all()


def test_a_solid_s_front_moves_to_the_left_as_it_turns_clockwise() -> None:
    sides = (("red", 0), ("green", 200), ("blue", 420), ("pink", 640), ("purple", 860))
    middles = []
    for angle in (0, 20, 40, 60):
        columns = np.nonzero(solid_views._view(sides, angle) == INDEX["red"])[1]
        middles.append(columns.mean())
    assert middles == sorted(middles, reverse=True)
    assert middles[0] > solid_views.MIDDLE[0]


def test_a_room_is_as_deep_where_it_is_drawn_as_where_it_is_measured() -> None:
    box = (0, -60, 20, 80, 400, 520)
    pixels, depths = (each.copy() for each in marked_points._empty())
    marked_points._draw(pixels, depths, box)
    faces = set()
    for x in range(5, marked_points.WIDE, 9):
        for y in range(5, marked_points.HIGH, 9):
            around = depths[y - 2 : y + 3, x - 2 : x + 3]
            if around.max() < 1.1 * around.min():  # not at an edge
                measured = marked_points._depth([box], (x, y))
                assert measured == pytest.approx(float(depths[y, x]), rel=0.03)
                faces.add(int(pixels[y, x]))
    assert len(faces) > 6


@pytest.mark.parametrize("asked", ["tiles", "places"])
@pytest.mark.parametrize("spare", ["missing", "stranger"])
def test_a_jigsaw_with_a_tile_too_few_or_too_many_is_put_together(asked: str, spare: str) -> None:
    knobs = {"asked": asked, "spare": spare}
    for item in [*some("jigsaw_grid", 3, 0.4, **knobs), *some("jigsaw_grid", 2, 1.0, **knobs)]:
        page, jigsaw = seen(item), item.puzzle
        rows, columns = jigsaw.rows, jigsaw.columns
        high, wide = SIDE // rows, SIDE // columns
        side = jigsaw_grid.LARGE if spare == "stranger" else DRAWN
        whole = picture(jigsaw.source, jigsaw.seed, side).colours
        left, top, *_ = jigsaw.window
        whole = whole[top : top + SIDE, left : left + SIDE]
        said = tuple(int(number) for number in item.answer.split(","))
        placed = said if asked == "tiles" else [
            said.index(cell + 1) + 1 if cell + 1 in said else 0 for cell in range(rows * columns)
        ]  # fmt: skip
        assert (0 in said) == ((asked, spare) in {("tiles", "missing"), ("places", "stranger")})
        for cell, tile in enumerate(placed):
            row, column = divmod(cell, columns)
            if tile:
                y, x = corner(tile - 1, columns + (spare == "stranger"), high, wide)
                shown = page[y : y + high, x : x + wide]
                true = whole[row * high :, column * wide :][:high, :wide]
                assert (shown == true).all()


@pytest.mark.parametrize(("rows", "columns", "trim", "missing"), [(2, 3, 2, 0), (2, 2, 1, 1)])
def test_no_other_order_of_the_tiles_comes_near_to_the_one_found(
    rows: int, columns: int, trim: int, missing: int
) -> None:
    found = 0
    for seed, kind in enumerate(_sources.KINDS.values()):
        shown = kind(Random(seed), SIDE)
        cells = Random(seed).sample(range(rows * columns), rows * columns - missing)
        tiles = [cut(shown.pixels, rows, columns, trim)[cell] for cell in cells]
        placed = reassembled(tiles, shown.palette, rows, columns, trim)
        if placed is None:
            continue
        found += 1
        assert [cells[tile] if tile != BLANK else -1 for tile in placed] == [
            cell if cell in cells else -1 for cell in range(rows * columns)
        ]
        across, down = costs(tiles, shown.palette, trim)
        each = [
            (total(across, down, columns, order) / seams(order, columns), order)
            for order in permutations([*range(len(tiles)), *[BLANK] * missing])
        ]
        (best, order), (second, _), *_ = sorted(each)
        assert order == placed
        assert second > 1.05 * best
    assert found > 3


def seams(placed: tuple[int, ...], columns: int) -> int:
    """How many, without those of a blank."""
    left = [(place, place - 1) for place in range(len(placed)) if place % columns]
    above = [(place, place - columns) for place in range(columns, len(placed))]
    return sum(BLANK not in (placed[one], placed[other]) for one, other in left + above)


@pytest.mark.parametrize("level", [0.0, 0.75])
def test_a_pile_laid_out_and_turned_back_as_gold_says_is_the_picture_again(level: float) -> None:
    for item in some("jigsaw_pile", 3, level):
        page, pile = seen(item), item.puzzle
        side = jigsaw_pile.SIDE // pile.cells
        inner = side - 2 * pile.trim
        whole = picture(pile.source, pile.seed, jigsaw_pile.SIDE).colours
        said = registry.family("jigsaw_pile").answer.read(item.answer)
        for cell, (number, degrees) in enumerate(said):
            y, x = corner(number - 1, pile.cells, inner, inner)
            tile = np.rot90(page[y : y + inner, x : x + inner], degrees // 90)  # anticlockwise
            top, left = (side * part + pile.trim for part in divmod(cell, pile.cells))
            assert (tile == whole[top : top + inner, left : left + inner]).all()
            assert number != pile.upright or degrees == 0


def test_tiles_in_place_but_turned_wrongly_are_paid_only_for_the_others() -> None:
    (item,) = some("jigsaw_pile", 1)
    verify, pile = registry.family("jigsaw_pile").verify, item.puzzle
    (number, degrees), *rest = registry.family("jigsaw_pile").answer.read(item.answer)
    assert verify(pile, ((number, degrees), *rest)) == 1
    assert verify(pile, ((number, (degrees + 90) % 360), *rest)) == pytest.approx(0.2 * 3 / 4)
    assert verify(pile, ((number, degrees + 360), *rest)) == 0
    assert verify(pile, (rest[0], *rest)) == 0


def test_neighbours_that_belong_together_are_paid_where_that_is_asked() -> None:
    verify = registry.family("jigsaw_grid").verify
    (item,) = some("jigsaw_grid", 1, 0.4, paid="neighbours")
    gold = tuple(int(number) for number in item.answer.split(","))
    # The rows moved down by one: no tile is in its place, and of twelve pairs nine are kept.
    moved = gold[6:] + gold[:6]
    assert verify(item.puzzle, moved) == pytest.approx(0.2 * 9 / 12)
    assert verify(replace(item.puzzle, paid="places"), moved) == 0
    assert verify(replace(item.puzzle, partial=1.0), moved) == pytest.approx(9 / 12)
    assert verify(replace(item.puzzle, partial=0.0), moved) == 0
    places = replace(item.puzzle, asked="places")
    inverse = tuple(gold.index(tile) + 1 for tile in range(1, 10))
    assert verify(places, inverse) == 1
    said = tuple((place + 2) % 9 + 1 for place in inverse)
    assert verify(places, said) == pytest.approx(0.2 * 9 / 12)


@pytest.mark.parametrize(
    ("name", "level", "tiles", "high", "zoom"),
    [("jigsaw_grid", 0.2, 6, 132, 1), ("jigsaw_tile", 0.25, 6, 132, 1),
     ("jigsaw_pair", 0.25, 1, 88, 2)],
)  # fmt: skip
def test_a_mask_blacks_out_its_share_of_every_border_and_nothing_else(
    name: str, level: float, tiles: int, high: int, zoom: int
) -> None:
    (item,) = some(name, 1, level, mask=0.04)
    assert item.puzzle.mask == 4, "0.04 of 88 pixels"
    assert "black border" in item.prompt
    bare = registry.family(name).render(replace(item.puzzle, mask=0), Style()).images[0]
    plain = np.array(Image.open(io.BytesIO(bare)).convert("RGB"), dtype=np.int64)
    page, trim = seen(item), item.puzzle.trim
    changed, black = (page != plain).any(axis=-1), near(page, DARK)
    wide, high = (88 - 2 * trim) * zoom, (high - 2 * trim) * zoom
    frame = tiles * (wide * high - (wide - 8 * zoom) * (high - 8 * zoom))
    assert (changed <= black).all()
    assert 0.95 * frame < changed.sum() <= frame


def test_two_scenes_differ_where_gold_says_and_nowhere_else() -> None:
    """As a viewer gets them: outside of the squares named, not one pixel differs."""
    for item in some("scene_difference", 4, 0.5):
        first, second = (
            np.array(Image.open(io.BytesIO(each)).convert("RGB")) for each in item.images
        )
        unlike = (first != second).any(axis=-1)
        for row, column in registry.family("scene_difference").solve(item.puzzle):
            top, left = (
                scene_difference.EDGE + scene_difference.SQUARE * (place - 1)
                for place in (row, column)
            )
            square = unlike[top:, left:][: scene_difference.SQUARE, : scene_difference.SQUARE]
            assert square.any()
            square[:] = False
        assert not unlike.any()


def test_a_pattern_of_a_side_that_no_block_divides_has_another_regularity() -> None:
    for seed in range(30):
        made = missing_part.generate(Random(seed), missing_part.Knobs(7, 2, 2, 4))
        assert made is None or missing_part.verify(made, missing_part.solve(made) or 0) == 1
