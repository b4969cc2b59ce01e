"""Calculating and equations: instances solved by hand, and the ways in which values are written."""

from fractions import Fraction

import pytest

from puzzlemill.core.answers import Unknowns
from puzzlemill.core.family import Style
from puzzlemill.generators.algebra import linear_system
from puzzlemill.generators.arithmetic import arithmetic_chain, modular_arithmetic, word_problem

HALF = (("x", Fraction(3)), ("y", Fraction(-1, 2)))


@pytest.mark.parametrize(
    "text",
    [
        "x=3, y=-1/2",
        "y = -0.5 and x = 3.0",
        "(x, y) = (3, -1/2)",
        "x = 6/2; y = -2/4",
        '{"x": 3, "y": "-1/2"}',
        "- x = 3\n- y = -1/2",
        r"$x = 3$, $y = -\frac{1}{2}$",
        r"\begin{cases} x &= 3 \\ y &= -\dfrac12 \end{cases}",
        r"\left(x, y\right) = \left(3, -\frac{1}{2}\right)",
    ],
)
def test_values_of_unknowns_may_be_written_in_many_ways(text: str) -> None:
    assert Unknowns().read(text) == HALF


@pytest.mark.parametrize(
    "text",
    [
        *("-x = 3", "2x = 6", "x = 3y", "x = 9**9", "x = 1/0", "x = 1/2/3", "x = 1.2.3"),
        *("x = 3 + 4", "x + y = 3", "3, 4", "x = 3, x = 4", "x = 3 or x = 4", "(x, y) = (3)"),
    ],
)
def test_what_does_not_state_a_value_is_not_read(text: str) -> None:
    assert Unknowns().read(text) is None


def test_a_linear_system_without_a_single_solution_is_not_solved() -> None:
    one = linear_system.System(("x", "y"), ((2, 1, 4), (1, -1, 5)))
    none = linear_system.System(("x", "y"), ((1, 1, 2), (2, 2, 5)))
    many = linear_system.System(("x", "y"), ((1, 1, 2), (2, 2, 4)))
    assert linear_system.solve(one) == (("x", 3), ("y", -2))
    assert linear_system.solve(none) is None
    assert linear_system.solve(many) is None


def test_brackets_are_written_where_and_only_where_the_tree_needs_them() -> None:
    tree = ("-", ("*", ("+", 2, 3), 4), ("-", 9, ("/", 8, ("*", 2, 2))))
    expression = arithmetic_chain.Expression(tree)
    assert arithmetic_chain.steps(expression)[-1] == "20 - 7 = 13"
    assert arithmetic_chain.solve(expression) == 13
    prompt = arithmetic_chain.render(expression, Style())
    assert "(2 + 3) * 4 - (9 - 8 / (2 * 2))" in prompt.question


def test_fermat_shortens_a_power() -> None:
    # 2^100 = 1 modulo 101, so 2^1003 = 2^3, and 8 - 5 * 2 = -2
    residue = modular_arithmetic.Residue((("+", ((2, 1003),)), ("-", ((5, 1), (2, 1)))), 101)
    assert modular_arithmetic.solve(residue) == 99
    assert [r for r in range(-101, 303) if modular_arithmetic.verify(residue, r)] == [99]


def test_a_story_is_read_backwards_too() -> None:
    anna, ben, cleo = ("Anna", "apple"), ("Ben", "apple"), ("Cleo", "apple")
    facts = (("sum", (anna, ben, cleo), 0), ("share", (ben, anna), 3), ("count", (anna,), 12))
    story = word_problem.Story(facts, ("gap", (cleo, ben), 0))
    assert word_problem.solve(story) == 4  # 12 = 4 + 8, 8 - 4
    assert [n for n in range(-20, 20) if word_problem.verify(story, n)] == [4]
    assert word_problem.solve(word_problem.Story(facts[:2], story.question)) is None
