"""Answer kinds and replies: strict about meaning, lenient about form, never a crash."""

import time
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlemill.core import answers
from puzzlemill.core.answers.arithmetic import leaves, value
from puzzlemill.core.replies import answer_text

KINDS = [
    answers.Integer(),
    answers.Number(),
    answers.Choice(("yes", "no")),
    answers.IntList(),
    answers.WordList(),
    answers.Grid(),
    answers.Mapping(),
    answers.Formula(),
    answers.OrImpossible(answers.IntList()),
]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("42", 42),
        ("-7", -7),
        ("\u22127", -7),
        ("+7", 7),
        ("1,234,567", 1234567),
        ("1{,}234", 1234),
        ("$1,234$", 1234),
        ("x = 12", 12),
        ("**12**", 12),
        ("12.", 12),
        ("12.0", 12),
        ("12 apples", 12),
        ("The answer is 12.", 12),
        ("\\boxed{12}", 12),
        ("\\text{12}", 12),
        ("\uff11\uff12", 12),
    ],
)
def test_an_integer_is_read_in_many_forms(text: str, number: int) -> None:
    assert answers.Integer().read(text) == number


@pytest.mark.parametrize(
    "text",
    ["", "12 or 13", "12, 13", "1.5", "12 dozen", "5 thousand", "1,23", "2+3", "0x10", "ten", "nan",
     "1e5", "\u0663", "5%", "not 5"],
)  # fmt: skip
def test_what_is_no_integer_is_not_read_as_one(text: str) -> None:
    assert answers.Integer().read(text) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [("1/2", Fraction(1, 2)), ("\\frac{2}{4}", Fraction(1, 2)), ("-\\dfrac{1}{3}", Fraction(-1, 3)),
     ("0.125", Fraction(1, 8)), ("3", Fraction(3)), ("x = -7/2", Fraction(-7, 2))],
)  # fmt: skip
def test_a_number_is_exact(text: str, number: Fraction) -> None:
    assert answers.Number().read(text) == number


def test_a_formula_is_read_by_grammar_and_never_evaluated() -> None:
    tree = answers.Formula().read("(3 + 5) \\times 2 = 16")
    assert tree is not None
    assert value(tree) == 16
    assert leaves(tree) == [3, 5, 2]
    assert value(answers.Formula().read("1 / (2 - 2)") or 0) is None
    for hostile in ("9**9**9", "__import__('os')", "(" * 5000, "1+" * 5000, "2^3", "f(1)"):
        assert answers.Formula().read(hostile) is None


def test_a_list_of_every_kind_of_bracket_is_the_same_list() -> None:
    for text in ("1, 2, 3", "[1, 2, 3]", "(1 2 3)", "1 -> 2 -> 3", "$1 \\to 2 \\to 3$", "1,2,3,"):
        assert answers.IntList().read(text) == (1, 2, 3)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("<answer>5</answer>", "5"),
        ("<answer>4</answer> no: <answer>5</answer>", "5"),
        ("<think><answer>4</answer></think><answer>5</answer>", "5"),
        ("<answer><answer>5</answer></answer>", "5"),
        ("so \\boxed{5}", "5"),
        ("\\boxed{4} then \\boxed{\\frac{1}{2}}", "\\frac{1}{2}"),
        ("<answer>5</answer> or \\boxed{6}", "5"),
        ("<answer>5", None),
        ("5</answer>", None),
        ("<think><answer>5</answer>", None),
        ("<think><answer>5</answer></think>", None),
        ("\\boxed{5", None),
        ("", None),
    ],
)
def test_the_answer_is_the_last_complete_one_after_thinking(reply: str, answer: str | None) -> None:
    assert answer_text(reply) == answer


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
@given(text=st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_no_text_makes_a_kind_raise(kind: answers.Kind, text: str) -> None:
    answer = kind.read(text)
    if answer is not None:
        assert kind.read(kind.write(answer)) == answer


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
@pytest.mark.parametrize("piece", ["(", "[", "1,", "1 ", "a=", "{", "*", "```", "\\text{", "-"])
def test_long_texts_are_read_or_refused_in_no_time(kind: answers.Kind, piece: str) -> None:
    start = time.process_time()
    kind.read(piece * (20_000 // len(piece)))
    assert time.process_time() - start < 2


@given(numbers=st.lists(st.integers(-999, 999), min_size=1, max_size=9), seed=st.integers())
@settings(max_examples=50, deadline=None)
def test_what_is_written_is_read_back(numbers: list[int], seed: int) -> None:
    listed = answers.IntList()
    assert listed.read(listed.write(tuple(numbers))) == tuple(numbers)
    near = listed.near(tuple(numbers), Random(seed))
    assert listed.read(listed.write(near)) == near or not near
    rows = (tuple(numbers), tuple(reversed(numbers)))
    assert answers.Grid().read(answers.Grid().write(rows)) == rows
