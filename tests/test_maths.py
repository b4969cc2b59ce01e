"""Calculating and equations: instances solved by hand, and the ways in which values are written."""

import re
from fractions import Fraction

import pytest

from puzzlemill.core import registry
from puzzlemill.core.answers import Unknowns
from puzzlemill.core.family import PHRASINGS, Style
from puzzlemill.core.item import address_of, make
from puzzlemill.core.proof.batteries import tagged
from puzzlemill.core.verdict import judge
from puzzlemill.generators.algebra import complex_arithmetic, linear_system
from puzzlemill.generators.arithmetic import arithmetic_chain, modular_arithmetic, word_problem
from puzzlemill.generators.calculus import derivative
from puzzlemill.generators.stories import ages

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


@pytest.mark.parametrize("level", [0, 0.25, 0.5, 0.75, 1])
def test_the_expression_of_the_problem_is_no_complex_number(level: float) -> None:
    family = registry.family("complex_arithmetic")
    for seed in range(20):
        item = make(family, address_of(family, family.at(level), seed=seed), level)
        text = complex_arithmetic._text(item.puzzle.parts)
        assert text in item.prompt
        assert judge(family, item.puzzle, tagged(text)).status == "unparsed"
        assert judge(family, item.puzzle, f"\\boxed{{{text}}}").score == 0


@pytest.mark.parametrize(
    ("text", "point", "right", "wrong"),
    [
        (
            *("sqrt(4x + 3)", 3, ("2/sqrt(15)", "2sqrt(15)/15", "\\frac{2}{\\sqrt{15}}")),
            ("2/sqrt(4x + 3)", "2/sqrt(4*3 + 3)", "4/(2sqrt(12 + 3))", "2/sqrt(15) + x - x"),
        ),
        ("x + 1", 0, ("1", "1.0"), ("(x + 1)^9999", "x^0", "e^0", "cos(0)", "(0 + 1)^2", "x'")),
        ("sin(x)", 0, ("1",), ("cos(x)", "cos(0)", "cos(3x)")),
    ],
)
def test_a_derivative_at_a_point_is_a_number(
    text: str, point: int, right: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    family, function = registry.family("derivative"), derivative.Function(text, 1, (point,))
    for reply in right:
        assert judge(family, function, tagged(reply)).correct, reply
    for reply in wrong:
        assert judge(family, function, tagged(reply)).score == 0, reply
    anywhere = derivative.Function("sqrt(4x + 3)", 1, ())
    assert judge(family, anywhere, tagged("2/sqrt(4x + 3)")).correct


def test_another_year_of_a_story_is_counted_from_now() -> None:
    people, told = ("Ann", "Ben"), (3, 40, 2)
    kinds = ("sum", "sum_later", "older", *ages.STILL, *ages.MOVED)
    for later in (0, 7):
        facts = tuple((kind, *people) for kind in kinds)
        story = ages.Ages(people, facts, (told,) * len(facts), "Ann", later)
        for phrasing in range(PHRASINGS):
            text = ages.render(story, Style(phrasing)).question
            rest = re.sub(
                r"\b[Ii]n \d+ years\b(?:' time)?|\d+ years (?:from now|ago|older|younger|old)\b"
                r"|add up to \d+ years|(?:will be|are) \d+ years old",
                "",
                text,
            )
            assert "year" not in rest, text
