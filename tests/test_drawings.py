"""Drawings: which families have one, and what every drawing keeps to."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from puzzlemill.core import registry
from puzzlemill.core.drawings import svg_of
from puzzlemill.core.drawings.boards import BOARDS
from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate
from puzzlemill.outputs.sheet import write_puzzles

ELEMENTS = {"svg", "line", "text", "rect", "circle"}


def test_at_least_sixty_families_are_drawn_small_plain_and_the_same_each_time() -> None:
    drawn = 0
    for name in [*BOARDS, *registry.names("graphs")]:
        family = registry.family(name)
        item = generate(name, level=0.0, n=1)[0]
        picture = svg_of(name, item.puzzle)
        if picture is None:
            assert name not in BOARDS
            continue
        drawn += 1
        root = ElementTree.fromstring(picture)  # well-formed
        assert {each.tag.rpartition("}")[2] for each in root.iter()} <= ELEMENTS, name
        paints = {each.get(key) for each in root.iter() for key in ("fill", "stroke")}
        assert paints <= {None, "none", "currentColor"}, name  # legible on light and on dark
        assert len(picture) < 60_000, name
        assert picture == svg_of(family.name, item.puzzle)
    assert drawn >= 60


def test_a_drawing_shows_what_is_given_and_not_the_answer() -> None:
    item = generate("sudoku", level=0.0, n=1)[0]
    root = ElementTree.fromstring(svg_of("sudoku", item.puzzle) or "")
    texts = [each.text for each in root.iter() if each.tag.endswith("text")]
    assert texts == [str(each) for row in item.puzzle.rows for each in row if each]


def test_a_family_without_a_board_or_graph_is_not_drawn() -> None:
    assert svg_of("gcd", generate("gcd", level=0.0, n=1)[0].puzzle) is None


def test_a_sheet_has_drawings_then_prompts_for_people_then_answers(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.html"
    write_puzzles(["sudoku", "gcd"], 0.0, 0, 1, sheet)
    page = sheet.read_text()
    assert page.count("<svg") == 1
    assert "&lt;answer" not in page
    assert "<answer" not in page
    answer = generate("gcd", level=0.0, n=1)[0].answer
    assert f"<pre>{answer}</pre>" in page.partition("<h2>Answers</h2>")[2]


def test_a_pdf_without_chromium_is_refused_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "none"))
    with pytest.raises(UserError, match="CHROMIUM"):
        write_puzzles(["gcd"], 0.0, 0, 1, tmp_path / "sheet.pdf")
    assert not list(tmp_path.iterdir())
