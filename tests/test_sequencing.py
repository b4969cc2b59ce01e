"""Sequencing games: questions with one right option, as in tests of analytical reasoning."""

from dataclasses import replace

import pytest

from puzzlemill.generators.logic import sequencing
from puzzlemill.generators.logic.sequencing import Game

# A before B, C in the second of four places: ACBD, ACDB, DCAB, BCAD no.
GAME = Game(
    ("Anna", "Ben", "Carla", "David"), 0, (("before", 0, 1), ("at", 2, 1)), (), "must",
    (("not at", 1, 0), ("before", 0, 3), ("at", 3, 3), ("next", 0, 1), ("before", 3, 1)),
)  # fmt: skip


def test_what_holds_in_all_orders_must_be_true() -> None:
    assert sequencing.solve(GAME) == "A"
    assert [sequencing.verify(GAME, letter) for letter in "ABCDE"] == [1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("goal", "supposed", "options", "right"),
    [
        ("could", (), (("at", 1, 0), ("at", 2, 0), ("before", 1, 0), ("at", 3, 1), ("at", 3, 0)),
         "E"),
        ("cannot", (), (("next", 1, 2), ("at", 0, 3), ("at", 0, 2), ("at", 1, 3), ("at", 1, 2)),
         "B"),
        ("must", (("at", 3, 0),), (("at", 0, 0), ("at", 0, 2), ("at", 1, 2), ("next", 1, 3),
                                   ("before", 1, 2)), "B"),
        ("list", (), ((0, 1, 2, 3), (1, 2, 0, 3), (0, 2, 3, 1), (2, 0, 1, 3), (3, 2, 1, 0)), "C"),
    ],
)  # fmt: skip
def test_each_goal_has_its_option(
    goal: sequencing.Goal,
    supposed: tuple[sequencing.Rule, ...],
    options: tuple[sequencing.Rule, ...],
    right: str,
) -> None:
    game = replace(GAME, goal=goal, supposed=supposed, options=options)
    assert sequencing.solve(game) == right
    assert [sequencing.verify(game, each) == 1 for each in "ABCDE"] == [
        each == right for each in "ABCDE"
    ]


def test_two_right_options_are_no_question() -> None:
    assert (
        sequencing.solve(replace(GAME, options=(GAME.options[0],) * 2 + GAME.options[2:])) is None
    )
