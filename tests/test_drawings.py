"""Drawings: which families have one, and what every drawing keeps to."""

from xml.etree import ElementTree

from puzzlemill.core import registry
from puzzlemill.core.item import generate
from puzzlemill.outputs.drawings import svg_of
from puzzlemill.outputs.drawings.boards import BOARDS

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
