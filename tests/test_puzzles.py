"""Puzzles whose answers are known from elsewhere, and the forms that canon must treat alike."""

from dataclasses import replace
from random import Random

from puzzlemill.core import registry
from puzzlemill.core.verdict import judge
from puzzlemill.generators.digits import countdown
from puzzlemill.generators.grids import sudoku
from puzzlemill.generators.logic import knights_knaves, zebra

CYCLIC = tuple(tuple((3 * row + row // 3 + step) % 9 + 1 for step in range(9)) for row in range(9))


def without(*digits: int) -> sudoku.Board:
    rows = (tuple(0 if digit in digits else digit for digit in row) for row in CYCLIC)
    return sudoku.Board(3, 3, tuple(rows))


def test_a_sudoku_has_gold_only_while_one_completion_is_left() -> None:
    assert sudoku.solve(without(5)) == CYCLIC
    assert sudoku.solve(without(5, 6)) is None  # the two digits can change places


def test_a_sudoku_whose_givens_collide_has_no_gold() -> None:
    rows = ((1, 1, *CYCLIC[0][2:]), *CYCLIC[1:])
    assert sudoku.solve(sudoku.Board(3, 3, rows)) is None


def test_a_turned_and_renumbered_sudoku_is_the_same_puzzle() -> None:
    board = without(2, 7)
    turned = tuple(zip(*(tuple(digit and 10 - digit for digit in row) for row in board.rows[::-1])))
    assert sudoku.canon(replace(board, rows=turned)) == sudoku.canon(board)
    assert sudoku.canon(without(2)) != sudoku.canon(board)


def test_the_zebra_belongs_to_the_japanese() -> None:
    street = zebra.Street(
        houses=5,
        categories=(
            ("colour", ("red", "green", "ivory", "yellow", "blue")),
            ("nation", ("english", "spanish", "ukrainian", "norwegian", "japanese")),
            ("drink", ("coffee", "tea", "milk", "juice", "water")),
            ("smoke", ("old gold", "kools", "chesterfield", "lucky strike", "parliament")),
            ("pet", ("dog", "snails", "fox", "horse", "zebra")),
        ),
        clues=(
            ("same", "english", "red"),
            ("same", "spanish", "dog"),
            ("same", "coffee", "green"),
            ("same", "ukrainian", "tea"),
            ("directly left", "ivory", "green"),
            ("same", "old gold", "snails"),
            ("same", "kools", "yellow"),
            ("same", "milk", 3),
            ("same", "norwegian", 1),
            ("beside", "chesterfield", "fox"),
            ("beside", "kools", "horse"),
            ("same", "lucky strike", "juice"),
            ("same", "japanese", "parliament"),
            ("beside", "norwegian", "blue"),
        ),
    )
    gold = zebra.solve(street)
    assert gold is not None
    home = dict(gold)
    assert home["zebra"] == home["japanese"] == "5"
    assert home["water"] == home["norwegian"] == "1"
    assert zebra.verify(street, gold) == 1
    assert zebra.solve(replace(street, clues=street.clues[:-1])) is None


def test_a_street_seen_from_the_other_end_is_the_same_puzzle() -> None:
    family = registry.family("zebra")
    street = family.generate(Random(5), family.at(0.5))
    mirrored = tuple(zebra._mirrored(street.houses, clue) for clue in street.clues[::-1])
    assert mirrored != street.clues
    assert zebra.canon(replace(street, clues=mirrored)) == zebra.canon(street)


def test_who_says_that_both_are_knaves_is_one() -> None:
    said = (("and", ("knave", "Anna"), ("knave", "Ben")), ("knight", "Ben"))
    gold = (("anna", "knave"), ("ben", "knight"))
    island = knights_knaves.Island(("Anna", "Ben"), said)
    assert knights_knaves.solve(island) == gold
    assert judge(
        registry.family("knights_knaves"), island, "\\boxed{Anna: knave, Ben: knight}"
    ).correct
    both = knights_knaves.Island(("Anna", "Ben"), (("same", "Anna", "Ben"), ("knight", "Ben")))
    assert knights_knaves.solve(both) is None  # Ben is a knight in any case, Anna anything


def test_renamed_islanders_say_the_same() -> None:
    one = knights_knaves.Island(("Anna", "Ben"), (("same", "Ben", "Anna"), ("knave", "Anna")))
    other = knights_knaves.Island(("Olga", "Paul"), (("knave", "Paul"), ("same", "Paul", "Olga")))
    assert knights_knaves.canon(one) == knights_knaves.canon(other)


def test_countdown_takes_any_road_to_the_target_and_no_number_twice() -> None:
    family = registry.family("countdown")
    table = countdown.Table((3, 3, 8, 8), 24)
    assert judge(family, table, "<answer>8 / (3 - 8/3) = 24</answer>").correct  # by a fraction
    assert judge(family, table, "<answer>3 * 8</answer>").correct
    assert judge(family, table, "<answer>(3 - 3 * 3 + 9) * 8</answer>").score == 0
    assert judge(family, table, "<answer>24</answer>").score == 0
    assert judge(family, table, "<answer>3 / (8 - 8)</answer>").score == 0


def test_a_second_verifier_reads_a_leading_minus_as_the_first_does() -> None:
    table = countdown.Table((3, 3, 8, 8), 5)
    for text, right in (("-3 + 8", True), ("-(3 - 8)", True), ("-(8 - 3)", False)):
        tree = registry.family("countdown").answer.read(text)
        assert countdown.verify(table, tree) == right, text
        assert countdown.recheck(table, tree) == right, text


def test_countdown_finds_the_celebrated_952() -> None:
    table = countdown.Table((25, 50, 75, 100, 3, 6), 952)
    tree = countdown.solve(table)
    assert tree is not None
    assert countdown.verify(table, tree) == 1
