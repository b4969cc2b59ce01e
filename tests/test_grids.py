"""Grid puzzles whose answers are known from elsewhere, and what their contract cannot see."""

from random import Random

from puzzlemill.core.answers import IMPOSSIBLE
from puzzlemill.generators import _cells
from puzzlemill.generators.grids import calcudoku, futoshiki, kakurasu, kakuro, skyscrapers, survo


def test_the_survo_puzzle_of_the_encyclopedia_has_its_answer() -> None:
    table = survo.Table(
        ((0, 6, 0, 0), (8, 0, 0, 0), (0, 0, 3, 0)), rows=(30, 18, 30), columns=(27, 16, 10, 25)
    )
    assert survo.solve(table) == ((12, 6, 2, 10), (8, 1, 5, 4), (7, 9, 3, 11))


def test_a_kakuro_whose_digits_can_change_places_has_no_gold() -> None:
    words = ((4, (0, 1)), (4, (2, 3)), (4, (0, 2)), (4, (1, 3)))
    assert kakuro.solve(kakuro.Board(((-1, -1), (-1, -1)), words)) is None
    board = kakuro.Board(((1, -1), (-1, -1)), words)
    assert kakuro.solve(board) == ((1, 3), (3, 1))
    assert not kakuro.verify(board, ((3, 1), (1, 3)))


def test_the_kakurasu_with_threes_all_around_has_two_ways_and_no_gold() -> None:
    board = kakurasu.Board((3, 3, 3), (3, 3, 3))
    assert kakurasu.solve(board) is None
    for rows in (((0, 0, 1), (0, 0, 1), (1, 1, 0)), ((1, 1, 0), (1, 1, 0), (0, 0, 1))):
        assert kakurasu.verify(board, rows)


def test_what_a_tower_hides_does_not_count() -> None:
    empty = ((0,) * 3,) * 3
    city = skyscrapers.City(3, empty, ((3, 0, 0), (0, 0, 0), (3, 0, 0), (0, 0, 0)))
    assert skyscrapers.solve(city) == ((1, 2, 3), (2, 3, 1), (3, 1, 2))
    assert not skyscrapers.verify(city, ((1, 3, 2), (2, 1, 3), (3, 2, 1)))
    assert not skyscrapers.verify(city, IMPOSSIBLE)


def test_towers_that_no_clues_allow_are_impossible_and_many_are_no_answer() -> None:
    empty = ((0,) * 3,) * 3
    none = skyscrapers.City(3, empty, ((3, 3, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)))
    assert skyscrapers.solve(none) is IMPOSSIBLE
    assert skyscrapers.verify(none, IMPOSSIBLE)
    many = skyscrapers.City(3, empty, ((3, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)))
    assert skyscrapers.solve(many) is None
    assert not skyscrapers.verify(many, IMPOSSIBLE)


def test_a_futoshiki_with_its_digits_upside_down_is_the_same_puzzle() -> None:
    board = futoshiki.Board(3, ((1, 0, 0), (0, 0, 0), (0, 0, 0)), ((1, 2), (4, 7)))
    flipped = futoshiki.Board(3, ((3, 0, 0), (0, 0, 0), (0, 0, 0)), ((2, 1), (7, 4)))
    assert futoshiki.canon(board) == futoshiki.canon(flipped)


def test_every_blank_of_a_calcudoku_lies_in_one_cage_that_hangs_together() -> None:
    rng = Random(1)
    for level in (0.5, 0.7, 0.9):
        for _ in range(5):
            board = calcudoku.generate(rng, calcudoku.FAMILY.at(level))
            digits = [digit for row in board.givens for digit in row]
            caged = [cell for _, _, cells in board.cages for cell in cells]
            assert sorted(caged) == [cell for cell, digit in enumerate(digits) if not digit]
            for _, _, cells in board.cages:
                assert len(_cells.pieces([divmod(cell, board.side) for cell in cells])) == 1
