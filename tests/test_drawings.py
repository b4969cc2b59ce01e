"""Drawings: which families have one, and what every drawing keeps to."""

import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from puzzlemill.core import registry
from puzzlemill.core.drawings import BOARDS, PICTURES, drawing_of, svg_of
from puzzlemill.core.errors import UserError
from puzzlemill.core.item import Item, generate
from puzzlemill.outputs.row_drawings import row_drawing
from puzzlemill.outputs.sheet import ONE_WORDING, write_puzzles

ELEMENTS = {"svg", "g", "line", "text", "rect", "circle", "polygon"}
# Their problems are formulas, numbers, words, programs or statements, which a text shows as well.
# Some are drawn all the same, where a table, a graph or a matrix helps; nothing asks for it.
OF_TEXT = {
    *("algebra", "algorithms", "arithmetic", "basics", "calculus", "ciphers", "combinatorics"),
    *("digits", "induction", "instructions", "languages", "logic", "number_theory", "probability"),
    *("programs", "science", "statements", "stories", "strings", "tracking", "words", "worlds"),
}
# Of other categories: what would have to be drawn.
UNDRAWN = {
    "coordinates_3d": "points in space, which no plane shows",
    "interval_relations": "intervals of which only relations are known",
    "quantum_lock": "buttons with conditions",
    "strips": "actions with conditions",
    "town_walk": "a map that is the solution",
    "transformations": "images of points, which are the solution",
}
# What drawings write of their own: headings, signs of a board, and an axis's or a row's numbers.
LABELS = {
    *("first", "second", "start", "goal", "arrive", "leave", "east", "rows", "v", "oo", "ω"),
    *("box", "card", "house", "item", "weight", "value", "knapsack", "carries", "copy", "of"),
    *("to", "share", "worth", "lights", "up", "stays", "dark", "detector"),
}
LARGEST_LABEL = 200  # of numbers that count places or stand at an axis


@cache
def _drawn(name: str, level: float) -> tuple[Item, str]:
    item = generate(name, level=level, n=1)[0]
    return item, svg_of(name, item.puzzle) or ""


def test_families_with_a_shape_are_drawn_or_have_a_picture_of_their_own() -> None:
    undrawn = set()
    for category in set(registry.categories()) - OF_TEXT:
        for name in registry.names(category):
            item, picture = _drawn(name, 0.0)
            if not picture and not item.images:
                undrawn.add(name)
    assert undrawn == set(UNDRAWN)


def test_a_drawing_is_small_plain_and_the_same_each_time() -> None:
    drawn = 0
    for name in registry.names():
        item, picture = _drawn(name, 0.0)
        if not picture:
            assert name not in {*BOARDS, *PICTURES}
            continue
        drawn += 1
        root = ElementTree.fromstring(picture)  # well-formed
        assert {each.tag.rpartition("}")[2] for each in root.iter()} <= ELEMENTS, name
        paints = {each.get(key) for each in root.iter() for key in ("fill", "stroke")}
        assert paints <= {None, "none", "currentColor"}, name  # legible on light and on dark
        assert len(picture) < 60_000, name
        assert picture == svg_of(name, item.puzzle)
    assert drawn >= 250


@pytest.mark.parametrize("level", [0.0, 0.5])
def test_a_drawing_writes_nothing_that_the_prompt_does_not(level: float) -> None:
    """So it cannot write an answer: all it adds is headings and the numbers of places."""
    for name in registry.names():
        item, picture = _drawn(name, level)
        if not picture:
            continue
        texts = [each.text or "" for each in ElementTree.fromstring(picture).iter()]
        words = {word for text in texts for word in re.findall(r"[^\W\d_]+|\d+", text.lower())}
        new = {word for word in words - LABELS if word not in item.prompt.lower()}
        assert all(word.isdigit() and int(word) < LARGEST_LABEL for word in new), (name, new)


def test_a_drawing_shows_what_is_given_and_not_the_answer() -> None:
    item = generate("sudoku", level=0.0, n=1)[0]
    root = ElementTree.fromstring(svg_of("sudoku", item.puzzle) or "")
    texts = [each.text for each in root.iter() if each.tag.endswith("text")]
    assert texts == [str(each) for row in item.puzzle.rows for each in row if each]


def test_a_variant_is_drawn_where_it_asks_its_origin_s_puzzles() -> None:
    twin, claim = (f"nim+{each}" for each in ("twin", "claim"))
    assert drawing_of(registry.family(twin), generate(twin, n=1)[0].puzzle)
    assert drawing_of(registry.family(claim), generate(claim, n=1)[0].puzzle) is None


def test_a_puzzle_whose_numbers_are_told_by_a_picture_alone_is_not_drawn() -> None:
    for seed in range(8):
        puzzle = generate("polygon_area", level=0.25, n=1, seed=seed)[0].puzzle
        assert bool(svg_of("polygon_area", puzzle)) != puzzle.picture


def test_a_notebook_draws_an_item_above_its_prompt() -> None:
    item = generate("sudoku", level=0, n=1)[0]
    assert str(svg_of("sudoku", item.puzzle)) in item._repr_html_().partition("<pre")[0]


def test_a_row_of_another_version_or_with_a_foreign_puzzle_is_not_drawn() -> None:
    row = generate("sudoku", level=0, n=1)[0].row()
    assert row_drawing(row).startswith("<svg")
    for change in ({"version": 99}, {"puzzle": "{}"}, {"puzzle": None}, {"family": "sudoko"}):
        assert row_drawing(row | change) == ""
    nasty = row["puzzle"].replace("[0", '["<script>"', 1)
    assert "<script" not in row_drawing(row | {"puzzle": nasty})


def test_a_family_without_a_shape_is_not_drawn() -> None:
    assert svg_of("gcd", generate("gcd", level=0.0, n=1)[0].puzzle) is None


def test_a_sheet_has_drawings_then_prompts_for_people_then_answers(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.html"
    write_puzzles(["sudoku", "gcd"], 0.0, 0, 1, sheet)
    page = sheet.read_text()
    assert page.count("<svg") == 1
    assert "&lt;answer" not in page
    assert "<answer" not in page
    answer = generate("gcd", level=0.0, n=1, knobs=ONE_WORDING)[0].answer
    assert f"<pre>{answer}</pre>" in page.partition("<h2>Answers</h2>")[2]


def test_the_rules_of_a_family_stand_once_where_a_page_has_several_puzzles(tmp_path: Path) -> None:
    for per_page, said in ((1, 5), (2, 1)):
        write_puzzles(["sudoku"], 0.4, 0, 5, tmp_path / "sheet.html", per_page)
        page = (tmp_path / "sheet.html").read_text()
        assert page.count("Put a digit from 1 to 9") == said
        assert page.count("<svg") == 5
        assert page.count('<div class="page') == (5, 3)[per_page - 1]
        assert [f"<h2>{number}. sudoku" in page for number in range(1, 7)] == [True] * 5 + [False]


def test_a_pdf_without_chromium_is_refused_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "none"))
    with pytest.raises(UserError, match="CHROMIUM"):
        write_puzzles(["gcd"], 0.0, 0, 1, tmp_path / "sheet.pdf")
    assert not list(tmp_path.iterdir())
