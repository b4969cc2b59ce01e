"""Algorithms: published instances with known answers, which the contract cannot see."""

import pytest

from puzzlemill.core.answers import IMPOSSIBLE
from puzzlemill.generators.algorithms import (
    best_window,
    edit_distance,
    game_of_life,
    increasing_run,
    josephus,
    knapsack,
    life_halting,
    stack_order,
)

GLIDER = (".#...", "..#..", "###..", ".....", ".....")


def test_a_glider_moves_one_cell_down_and_right_in_four_generations() -> None:
    board = game_of_life.Board(GLIDER, 4, wrapped=False)
    moved = (".....", "..#..", "...#.", ".###.", ".....")
    assert game_of_life.solve(board) == moved
    assert game_of_life.verify(board, moved) == 1
    assert game_of_life.verify(board, GLIDER) == 0


def test_a_glider_comes_home_on_a_torus_of_five_after_twenty_generations() -> None:
    board = life_halting.Board(GLIDER)
    assert life_halting.solve(board) == (0, 20)
    assert life_halting.verify(board, (0, 20)) == 1
    assert life_halting.verify(board, (0, 40)) == 0


def test_josephus_and_his_friend_stand_at_the_places_16_and_31() -> None:
    people = "".join(chr(ord("A") + place) for place in range(41))
    circle = josephus.Circle(people, start=0, count=3, growth=0, turning=False)
    order = josephus.solve(circle)
    assert [people.index(person) + 1 for person in order[-2:]] == [16, 31]
    assert josephus.verify(circle, order) == 1


def test_counting_changes_direction_after_each_departure() -> None:
    circle = josephus.Circle("abcde", start=0, count=2, growth=0, turning=True)
    # a, b: b leaves; back over a, e: e leaves; on over a, c: c leaves; back over a, d: d leaves.
    assert josephus.solve(circle) == tuple("becda")
    assert josephus.verify(circle, tuple("becda")) == 1


def test_a_published_knapsack_has_its_known_optimum() -> None:
    weights = (23, 31, 29, 44, 53, 38, 63, 85, 89, 82)
    values = (92, 57, 49, 68, 60, 43, 67, 84, 87, 72)
    sack = knapsack.Sack(tuple(zip(weights, values, strict=True)), 165)
    assert knapsack.solve(sack) == (1, 2, 3, 4, 6)
    assert knapsack.verify(sack, (6, 4, 3, 2, 1)) == 1
    assert knapsack.verify(sack, (1, 1, 2, 3, 4, 6)) == 0


@pytest.mark.parametrize("run", [(0, 2, 6, 9, 11, 15), (0, 4, 6, 9, 13, 15), (0, 4, 6, 9, 11, 15)])
def test_every_longest_run_of_the_van_der_corput_row_is_right(run: tuple[int, ...]) -> None:
    row = increasing_run.Row((0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15))
    assert increasing_run.verify(row, run) == 1
    assert increasing_run.recheck(row, run)


def test_kitten_becomes_sitting_by_three_changes() -> None:
    pair = edit_distance.Pair("KITTEN", "SITTING")
    assert edit_distance.solve(pair) == tuple("RKKKRKI")
    assert edit_distance.verify(pair, tuple("RKKKRKI")) == 1
    assert edit_distance.verify(pair, tuple("DIKKKRKI")) == 0


def test_the_best_window_of_a_textbook_list() -> None:
    row = best_window.Row((-2, 1, -3, 4, -1, 2, 1, -5, 4), 1, 9)
    assert best_window.solve(row) == (4, 7)
    assert best_window.verify(row, (4, 7)) == 1


def test_of_three_items_only_one_order_cannot_be_had_from_a_stack() -> None:
    orders = ("ABC", "ACB", "BAC", "BCA", "CAB", "CBA")
    golds = {order: stack_order.solve(stack_order.Yard("ABC", order)) for order in orders}
    assert [order for order in orders if golds[order] is IMPOSSIBLE] == ["CAB"]
    assert stack_order.verify(stack_order.Yard("ABC", "CAB"), IMPOSSIBLE) == 1
