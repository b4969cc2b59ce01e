"""Digits: published puzzles, and instances solved by hand."""

from puzzlemill.core import registry
from puzzlemill.core.answers import IMPOSSIBLE
from puzzlemill.core.verdict import judge
from puzzlemill.generators.digits import (
    cryptarithm,
    custom_operators,
    leg_counting,
    math_path,
    nullify,
    symbol_sums,
    twenty_four,
)


def test_send_more_money() -> None:
    puzzle = cryptarithm.Calculation((("+", ("SEND",)), ("+", ("MORE",))), "MONEY", 10, ())
    gold = dict(zip("SENDMORY", (9, 5, 6, 7, 1, 0, 8, 2)))
    solved = cryptarithm.solve(puzzle)
    assert solved == tuple(sorted((letter.lower(), str(digit)) for letter, digit in gold.items()))
    assert cryptarithm.verify(puzzle, solved) == 1
    family = registry.family("cryptarithm")
    text = ", ".join(f"{letter}={digit}" for letter, digit in gold.items())
    assert judge(family, puzzle, f"<answer>{text}</answer>").correct
    assert cryptarithm.verify(puzzle, solved[1:]) == 0


def test_two_assignments_are_no_answer() -> None:
    puzzle = cryptarithm.Calculation((("+", ("AB",)), ("+", ("AC",))), "DE", 10, ())
    assert cryptarithm.solve(puzzle) is None


def test_twenty_four_needs_a_fraction_or_cannot_be() -> None:
    for numbers in ((3, 3, 8, 8), (1, 5, 5, 5), (4, 4, 7, 7), (1, 3, 4, 6)):
        table = twenty_four.Table(numbers, 24)
        assert twenty_four.verify(table, twenty_four.solve(table)) == 1
        assert twenty_four.verify(table, IMPOSSIBLE) == 0
    for numbers in ((1, 1, 1, 1), (1, 1, 1, 7), (6, 7, 7, 7), (13, 13, 13, 13)):
        table = twenty_four.Table(numbers, 24)
        assert twenty_four.solve(table) is IMPOSSIBLE
        assert twenty_four.verify(table, IMPOSSIBLE) == 1
        assert twenty_four.recheck(table, IMPOSSIBLE)


def test_four_cards_up_to_ten_make_24_in_566_of_715_cases() -> None:
    from itertools import combinations_with_replacement

    hands = [twenty_four.Table(each, 24) for each in combinations_with_replacement(range(1, 11), 4)]
    assert len(hands) == 715
    assert sum(twenty_four.solve(hand) is not IMPOSSIBLE for hand in hands) == 566


def test_pheasants_and_rabbits() -> None:
    # Sunzi's classic: 35 heads, 94 legs
    names = (("pheasant", "pheasants"), ("rabbit", "rabbits"))
    herd = leg_counting.Herd(names, ((1, 2), (1, 4)), (35, 94), (), 40, True)
    assert leg_counting.solve(herd) == (23, 12)
    assert leg_counting.verify(herd, (23, 12)) == 1
    assert leg_counting.verify(herd, (22, 13)) == 0


def test_sums_follow_without_the_values() -> None:
    # rows ab and ba: both columns are known to be equal to them, a and b are not known
    table = symbol_sums.Table(((0, 1), (1, 0)), "ab", (7, ""), ("", 7))
    assert symbol_sums.solve(table) == (7, 7)
    assert symbol_sums.verify(table, (7, 7)) == 1
    assert symbol_sums.verify(table, (7, 8)) == 0
    assert symbol_sums.solve(symbol_sums.Table(((0, 0), (1, 0)), "ab", ("", 7), ("", ""))) is None


def test_any_digits_that_make_the_equation_right_will_do() -> None:
    equation = math_path.Equation((("+", "1?"), ("-", "?", "*", "2")), "?")
    for digits, right in (
        ((2, 5, 2), True),
        ((9, 5, 9), True),
        ((0, 5, 0), True),
        ((2, 4, 2), False),
    ):
        assert math_path.verify(equation, digits) == right
        assert math_path.recheck(equation, digits) == right
    assert math_path.verify(math_path.Equation((("+", "?5"),), "5"), (0,)) == 0


def test_a_division_must_leave_no_remainder() -> None:
    cards = nullify.Cards(("+7", "-3", "/2"))
    assert nullify.verify(cards, (("a", "c"), ("a", "b"))) == 0
    cards = nullify.Cards(("+6", "-3", "/2"))
    assert nullify.verify(cards, (("a", "c"), ("a", "b"))) == 1
    assert nullify.recheck(cards, (("a", "c"), ("b", "a")))
    assert nullify.verify(cards, (("c", "a"), ("c", "b"))) == 0


def test_a_case_is_chosen_at_every_use() -> None:
    operators = (("◇", "larger", 0, (1, -1, 0, 0), (0, 0, 1, 1), ()),)
    # 5 ◇ 2 = 3, then 2 ◇ 3 = 2 * 3 + 1
    expression = custom_operators.Expression(operators, (2, 5, 2, "◇", "◇"))
    assert custom_operators.solve(expression) == 7
    assert custom_operators.verify(expression, 7) == 1
    assert custom_operators.verify(expression, -1) == 0
