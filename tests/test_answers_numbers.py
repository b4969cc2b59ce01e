"""Numbers and algebra as answers: what is read, what is refused, and what is equal."""

import pickle
import subprocess
import sys
import time
from collections import Counter
from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from answer_rules import (
    PIECES,
    keeps_the_rules,
    reads_any_text,
    survives_its_renderings,
    takes_no_time,
)
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from puzzlemill.core import answers
from puzzlemill.core.answers import Expr
from puzzlemill.core.answers.algebra import tree as trees
from puzzlemill.core.answers.algebra.derivative import derivative
from puzzlemill.core.answers.algebra.exact import evaluate
from puzzlemill.core.answers.algebra.grammar import parse
from puzzlemill.core.answers.algebra.printer import CODE, to_latex, to_text
from puzzlemill.core.answers.algebra.statement import Words, bare, read_tokens
from puzzlemill.core.answers.algebra.sympy_bridge import from_sympy, to_sympy
from puzzlemill.core.answers.algebra.tree import Node, Tree
from puzzlemill.core.answers.arithmetic import leaves, value
from puzzlemill.core.answers.factored import multiplied_out
from puzzlemill.core.answers.rounded import close
from puzzlemill.core.proof.batteries import hacks
from puzzlemill.core.verdict import judge
from puzzlemill.generators.arithmetic._numerals import Numeral

NUMBER, DECIMAL, FORMULA = answers.Number(), answers.Decimal(2), answers.Formula()
BINARY, HEX = answers.BaseN(2), answers.BaseN(16)
UNKNOWNS, XY = answers.Unknowns(), answers.Unknowns(names=("x", "y"))
IN_X, CLOSED = answers.Expression(), answers.Expression(())
IN_XY = answers.Expression(("x", "y"))
COMPLEX = answers.Expression((), realm="complex")
EVALUATED = answers.Expression((), evaluated=True)
GAUSSIAN = answers.Expression((), realm="complex", evaluated=True)
POSITIVE = answers.Expression(realm="positive")
WHOLE = answers.Expression(("n",), realm="whole")
INTEGRAL = answers.Expression(constant="C")
NAMED = answers.Expression(("a_1", "theta"))
POLYNOMIAL, IN_TWO = answers.Polynomial(), answers.Polynomial(("x", "y"))
FACTORED, PRIMES = answers.Factored(), answers.PrimeFactors()
SOLUTIONS, ROOTS = answers.Solutions(), answers.Solutions("t", realm="complex")
INTERVALS = answers.Intervals()

quick = settings(max_examples=20, deadline=None)
more = settings(max_examples=60, deadline=None)

# Each kind with texts of answers, which stand for all that it can hold.
HELD: list[tuple[answers.Kind[Any], list[str]]] = [
    (NUMBER, ["1/2", "-7/2", "0", "-12345", "22/7", "0.125"]),
    (DECIMAL, ["3.14", "-0.01", "1234.50", "0"]),
    (answers.Decimal(0), ["-14"]),
    (BINARY, ["0", "101101", "-101"]),
    (HEX, ["1F", "-AB", "DEADBEEF"]),
    (answers.BaseN(36), ["PUZZLE"]),
    (answers.BaseN(10), ["1234567"]),
    (FORMULA, ["(3 + 5) * 2", "8 / (3 - 8/3)", "-3 + 5*(2 - 7)", "7"]),
    (UNKNOWNS, ["x = 3, y = -1/2", "a = 5", "x_1 = 1, x_2 = 7/3", "alpha = 0"]),
    (XY, ["x = 3, y = 5/2"]),
    (IN_X, ["3x^2 - x/2 + 1", "x*e^(-x) + ln|x|", "1/(2sqrt(x))", "(x + 1)/(x - 1)", "-x", "5"]),
    (IN_XY, ["x*y + y^2", "x^2y/(x + y)"]),
    (NAMED, ["2a_1*sin(theta)"]),
    (CLOSED, ["2sqrt(3)", "pi/4", "0", "ln(2)", "(1 + sqrt(5))/2", "5!", "2^100", "e^2"]),
    (COMPLEX, ["3 - 2i", "(1 + sqrt(3)*i)/2"]),
    (EVALUATED, ["2sqrt(3)", "pi/4", "0", "(1 + sqrt(5))/2", "2^100", "50 + 4pi", "3ln(2) - 1"]),
    (GAUSSIAN, ["3 - 2i", "-11i/10 + 3/5", "i", "-7"]),
    (WHOLE, ["n(n + 1)/2", "(-1)^n*2^(n - 1)", "n!"]),
    (INTEGRAL, ["x^3/3", "ln|x|", "x*e^x - e^x"]),
    (POLYNOMIAL, ["3x^2 - x/2 + 1", "0", "-x^3", "7"]),
    (IN_TWO, ["3x^2y - x*y/2 + 1"]),
    (FACTORED, ["-2x(x - 1)^2(3x + 5)", "x^2 - 1", "6", "(x - 1)/2"]),
    (answers.Factored(("x", "y")), ["3x*y(x - y)(x + y)^2"]),
    (PRIMES, ["2^3 * 5", "7", "1", "2^2 * 3 * 1009^2"]),
    (SOLUTIONS, ["x = 2 or x = -3", "x = ±sqrt(2)", "no real solution", "all real numbers"]),
    (SOLUTIONS, ["x = (1 ± sqrt(5))/2", "x = 1/2", "x = ln(2)", "0, 1, 2"]),
    (ROOTS, ["t = 1 ± 2i", "t = i", "no solution", "all complex numbers"]),
    (answers.Solutions("theta"), ["θ = pi/6 or 5pi/6"]),
    (INTERVALS, ["(-∞, 2] ∪ [3, 5)", "x > 3", "x ≠ 1", "{3}", "x <= -1/2 or x = 4", "[0, 1]"]),
    (INTERVALS, ["all real numbers", "no solution", "ℝ ∖ {1, 2}"]),
]
held = pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in HELD for text in texts]
)
KINDS = [*{type(kind): kind for kind, _ in reversed(HELD)}.values(), INTEGRAL, WHOLE, ROOTS]


@held
def test_an_answer_is_read_in_every_way_it_may_be_written(
    kind: answers.Kind[Any], text: str
) -> None:
    answer = kind.read(text)
    assert answer is not None
    keeps_the_rules(kind, answer)
    survives_its_renderings(kind, answer)
    assert 4 <= len(kind.ways(answer)) <= 15


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
def test_nothing_is_paid_for_what_states_no_answer(kind: answers.Kind[Any]) -> None:
    gold = kind.read(next(texts[0] for held, texts in HELD if held == kind))
    paid: Any = SimpleNamespace(kind=lambda _: kind, verify=lambda _, answer: float(answer == gold))
    fair = {"<answer>{0}</answer>", "<answer>{}</answer>"}  # zero in braces, and the empty set
    for reply in hacks(kind, gold, "Compute 7*8.", "seed"):
        verdict = judge(paid, None, reply)
        assert verdict.status != "error", verdict.reason
        assert not verdict.score or reply in fair, reply


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
def test_long_texts_take_no_time(kind: answers.Kind[Any]) -> None:
    for piece in (*PIECES, "x = 1 or ", "(1,2)∪", "1 1/", "sin ", "√", "|x", "x ≠ 1, ", "²", "1_"):
        takes_no_time(kind, piece)
        start = time.process_time()
        kind.read(piece * (3900 // len(piece)))  # short enough for the grammar
        assert time.process_time() - start < 0.5, f"slow on some {piece!r}"


SYMBOLS = (
    "x", "y", "n", "C", "1", "2", "0", "34", "567", "(", ")", "[", "]", "{", "}", "|", "+", "-",
    "*", "/", "^", "!", ",", ";", "=", "<", "≤", "≠", "∪", "∞", "ℝ", "∖", " or ", " and ", "e", "i",
    "π", "²", "½", "√", "_", "₂", "±", "≈", "ⁿ", "sin ", "ln", "\\frac", "\\sqrt", "\\pm", "\\{",
    "\\}", ".", " ", "\n", "\\\\", "0x", "A", ":", '"', "'", "\\left", "x = ", "y = ", "e-3", "10^",
    " cm", "$", "\x00", "\ud800", "¹⁄₂", "**", "no solution", "log_", "where C is a constant",
    "\\cdot",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
def test_no_text_makes_a_kind_raise(kind: answers.Kind[Any]) -> None:
    @quick
    @given(
        st.text(max_size=60) | st.lists(st.sampled_from(SYMBOLS), max_size=12).map("".join),
    )
    def check(text: str) -> None:
        if not isinstance(kind, answers.Decimal):
            reads_any_text(kind, text)
        elif (answer := kind.read(text)) is not None:
            assert kind.write(kind.read(kind.write(answer))) == kind.write(answer)

    check()
    source = Random(repr(kind))
    for _ in range(150):
        check.hypothesis.inner_test("".join(source.choices(SYMBOLS, k=source.randint(1, 9))))  # type: ignore[attr-defined]


def read_as(kind: answers.Kind[Any], text: str, *texts: str) -> None:
    """All the texts are the same answer."""
    answer = kind.read(text)
    assert answer is not None, f"does not read {text!r}"
    for other in texts:
        said = kind.read(other)
        assert said == answer, f"reads {said!r} in {other!r}, not {text!r}"
        assert hash(said) == hash(answer)


def refuses(kind: answers.Kind[Any], *texts: str) -> None:
    for text in texts:
        assert kind.read(text) is None, f"reads {kind.read(text)!r} in {text!r}"


def tells_apart(kind: answers.Kind[Any], *pairs: tuple[str, str]) -> None:
    for one, other in pairs:
        left, right = kind.read(one), kind.read(other)
        assert left is not None
        assert right is not None
        assert left != right, f"{one!r} is {other!r}"


# Numbers.


def test_a_mixed_number_is_read_as_one_number() -> None:
    read_as(NUMBER, "3/2", "1 1/2", "1\\frac{1}{2}", "1 \\frac12", "1½", "1 ½", "1 and 1/2", "1¹⁄₂")
    read_as(NUMBER, "-3/2", "-1 1/2", "\u22121½", "-1\\dfrac{1}{2}", "- 1 1/2")
    refuses(NUMBER, "1 3/2", "1 234/567", "1 -1/2", "1½½", "½½", "1 1/2 1/2", "2 0/5", "½/2")


def test_a_fraction_is_read_in_every_notation() -> None:
    read_as(
        NUMBER, "3/4", "\\frac{3}{4}", "\\dfrac34", "\\tfrac{3}4", "\\frac 3 4", "¾", "3⁄4", "³⁄₄",
        "6/8", "3 / 4", "(3/4)", "{3 \\over 4}", "0.75", ".75", "0.750", "+3/4", "x = 3/4",
        "P(A) = \\frac{3}{4}", "3/4 cups", "$\\frac{3}{4}$ m", "\\(\\frac{3}{4}\\) meters",
        "3/4 = 0.75", "1/4 + 1/2 = 3/4", "3/4 ≈ 0.75", "\\left(\\frac{3}{4}\\right)",
        "The probability of that is 3/4.", "75e-2", "7.5 \\times 10^{-1}", "\\frac{-3}{-4}",
    )  # fmt: skip
    read_as(NUMBER, "-3/4", "-\\frac{3}{4}", "\\frac{-3}{4}", "\\frac{3}{-4}", "(-3)/4", "-(3/4)")
    read_as(NUMBER, "617/2839", "1,234/5,678", "1{,}234/5678")
    read_as(NUMBER, "2/3", "2/3 ≈ 0.67", "\\frac{2}{3} \\approx 0.666...")
    read_as(NUMBER, "1234.5", "1,234.5", "1{,}234.5", "$1,234.50", "1.2345 x 10^3", "1.2345×10³")
    read_as(NUMBER, "5", "five", "10/2", "5.0", "x = y = 5", "2 + 3 = 5", "\\text{5}")


def test_what_is_no_single_number_is_refused() -> None:
    refuses(
        NUMBER, "", "5/0", "0/0", "\\frac{1}{0}", "1/2/3", "1/2 or 1/3", "not 1/2", "maybe 1/2",
        "1/2, 1/3", "50%", "1/2%", "1,5", "1,23/4", "1.2.3", "0.333...", "0.\\overline{3}",
        "0.(3)", "١/٢", "¹/²", "²", "₂", "1e400", "1e", "0x10", "nan", "inf", "∞", "2x", "half",
        "2*3", "3+1/2", "1/2 dozen", "3/4 million", "--1/2", "+-1/2", "(1/2", "1/2 (0.6)",
        "1/2\n1/3", "3/4 ± 1/4", "x = 1/2, y = 2", "3:4", "1/2 is wrong", "\\frac{a}{b}",
        "\\frac{1}", "5 = 6", "2 + 3 = 6", "2/3 ≈ 0.68", "2^3", "sqrt(4)", "1/-2", "1.5/2",
        "≈ 0.33", "about 3/4", "$5 or $6", "10^3^2",
    )  # fmt: skip


def test_a_quotient_that_is_whole_must_not_be_two_numbers() -> None:
    refuses(NUMBER, "6 / 2", "0 / 7", "5 / 1")
    refuses(CLOSED, "0 / 7", "5 / 1", "5 (6)", "0(6)", "0 * 6")
    assert NUMBER.read("6/2") == 3


@given(st.fractions(max_denominator=9999), st.integers())
@more
def test_any_fraction_keeps_the_rules(number: Fraction, seed: int) -> None:
    keeps_the_rules(NUMBER, number, seed)
    assert NUMBER.read(f"\\frac{{{number.numerator}}}{{{number.denominator}}}") == number


def test_a_unit_is_taken_off_unless_none_is_allowed() -> None:
    assert NUMBER.read("3/2 hours") == Fraction(3, 2)
    assert answers.Number(units=False).read("3/2 hours") is None


def test_the_words_of_a_form_are_no_number() -> None:
    refuses(NUMBER, "one exact number", "one number", "one integer", "one whole number")
    refuses(DECIMAL, "two decimal places", "two decimal")
    read_as(NUMBER, "1", "one", "one apple")


def test_a_decimal_is_read_as_it_stands_and_written_rounded() -> None:
    read_as(
        DECIMAL, "3.14", "≈ 3.14", "x \\approx 3.14", "~3.14", "approximately 3.14 cm", "3.140",
        "3.14 (rounded to two decimal places)", "It is approximately 3.14", "157/50", "3.14 cm^2",
    )  # fmt: skip
    read_as(DECIMAL, "22/7", "22/7 ≈ 3.14")
    assert DECIMAL.write(Fraction(22, 7)) == "3.14"
    assert DECIMAL.write(Fraction(-1, 1000)) == "0.00"
    assert answers.Decimal(0).write(Fraction(7, 2)) == "4"
    refuses(DECIMAL, "3.14 or 3.15", "not ≈ 3.14", "3,14", "22/7 ≈ 3.5", "3.14 ≈ 3.2", "pi", "≈")
    refuses(DECIMAL, "3.14 ± 0.01", "between 3.13 and 3.15", "x ≈", "maybe 3.14", "3.14?")


def test_a_rounded_number_may_be_half_a_unit_off() -> None:
    truth = Fraction(314159265, 10**8)
    for text in ("3.14", "3.1416", "3.144", "22/7", "3.1367"):
        assert close(DECIMAL.read(text) or Fraction(), truth, 2), text
    for text in ("3.15", "3.13", "3", "-3.14", "3.1365", "3.1466"):
        assert not close(DECIMAL.read(text) or Fraction(), truth, 2), text
    assert close(Fraction("0.12"), Fraction("0.125"), 2)
    assert close(Fraction("0.13"), Fraction("0.125"), 2)


@given(st.integers(-(10**6), 10**6), st.integers(0, 6), st.integers())
@more
def test_a_decimal_near_a_gold_is_never_close(units: int, places: int, seed: int) -> None:
    kind, gold = answers.Decimal(places), Fraction(units, 10**places)
    assert kind.write(kind.read(kind.write(gold)) or Fraction()) == kind.write(gold)
    near = kind.near(gold, Random(seed))
    for half in (Fraction(-1, 2), Fraction(0), Fraction(1, 2)):
        assert not close(near, gold + half / 10**places, places)


def test_a_number_in_another_base_may_be_marked_rightly() -> None:
    read_as(
        BINARY, "1011", "1011_2", "1011_{2}", "(1011)_2", "(1011)_{2}", "0b1011", "1011₂",
        "0001011", "1011 (base 2)", "1011 in base 2", "1011 in binary", "x = 1011", "11 = 1011_2",
        "1011.", "1011_{\\text{two}}", "11_{10} = 1011_{2}", "\\texttt{1011}", "1011_{(2)}",
        "+1011",
    )  # fmt: skip
    read_as(
        BINARY, "10110101", "1011 0101", "1011_0101", "10 110 101", "10,110,101", "10{,}110{,}101"
    )
    read_as(HEX, "1F", "1f", "0x1F", "0X1f", "1F_{16}", "1F_16", "1F₁₆", "(1F)_{16}", "31 = 0x1F")
    read_as(HEX, "-1F", "-0x1F", "\u22121f", "-1\\text{F}_{16}")
    read_as(HEX, "DEADBEEF", "0xDEAD_BEEF", "dead beef")
    refuses(BINARY, "1012", "1011_3", "1011_{10}", "1011₃", "0x1011", "0o11", "10 or 11", "10, 11")
    refuses(
        BINARY,
        "1,01",
        "1011,0101",
        "1,011, 1",
        "1 0 1 1",
        "1011 (base 8)",
        "12 = 1011",
        "₁₀₁₁",
        "1.1",
        "1e1",
        "10 11",
    )
    refuses(HEX, "1G", "1F_8", "31_10", "0b11", "FF = 255", "1F, 2F", "1F 2F", "0x", "¹F")
    assert answers.BaseN(12).read("0b11") is None  # b is a digit there


def test_digits_in_any_base_may_stand_in_groups() -> None:
    read_as(
        Numeral(), "1084", "1,084", "1{,}084", "1 084", "1_084", "001,084", "= 1,084",
    )  # fmt: skip
    read_as(Numeral(), "-11011_2", "-11,011_2", "-11 011 (base 2)", "-11,011₂")
    read_as(Numeral(), "1A2FFF", "1A2,FFF", "1a2 fff")
    refuses(Numeral(), "1,08", "1084,084", "1,084, 5", "1,0845", ",084", "1,084 or 1,085", "1,,084")


@given(st.integers(-(10**30), 10**30), st.integers(2, 36), st.integers())
@more
def test_any_whole_number_keeps_the_rules_in_any_base(number: int, base: int, seed: int) -> None:
    keeps_the_rules(answers.BaseN(base), number, seed)
    assert int(answers.BaseN(base).write(number), base) == number


def test_prime_factors_stand_in_any_order_and_notation() -> None:
    read_as(
        PRIMES, "2^3 * 5", "2³ × 5", "2^{3} \\times 5", "2 x 2 x 2 x 5", "2*2*2*5", "5 · 2^3",
        "2**3*5", "40 = 2^3 * 5", "2^3 * 5 = 40", "(2^3)(5)", "{2: 3, 5: 1}", '{"2": 3, "5": 1}',
        "[2, 2, 2, 5]", "n = 2^3 * 5", "$2^3 \\cdot 5$", "2^(3)*5", "2^3*5^1", "*2^3*5*",
    )  # fmt: skip
    assert PRIMES.read("4 * 10") == ((4, 1), (10, 1))  # for verify to refuse
    refuses(PRIMES, "2^3 + 5", "2^3 * 5 = 41", "2^3 5", "2 3 5", "2^3 or 5", "²^³", "2^³", "-2 * 3")
    refuses(
        PRIMES, "2^0 * 3", "2^-1", "9^9^9", "2^99999", "2 * x", "2 / 5", "2 * 3 (5)", "2 * ", ""
    )


@given(st.dictionaries(st.integers(2, 10**6), st.integers(1, 9), max_size=5), st.integers())
@quick
def test_any_factors_keep_the_rules(powers: dict[int, int], seed: int) -> None:
    keeps_the_rules(PRIMES, tuple(sorted(powers.items())), seed)


# Formulas and unknowns.


def test_a_formula_keeps_how_it_is_built() -> None:
    read_as(
        FORMULA, "(3 + 5) * 2", "(3+5)×2", "[3+5]*2", "{3+5}x2", "(3+5)(2)", "(3+5)2",
        "16 = (3+5)*2", "\\left(3+5\\right) \\times 2 = 16", "$(3 + 5) \\cdot 2$",
        "*(3 + 5) * 2*", "+(3 + 5) * 2",
    )  # fmt: skip
    read_as(FORMULA, "(6 / 2) / 3", "\\frac{\\frac{6}{2}}{3}", "6 ÷ 2 ÷ 3", "6/2/3")
    for text, result in (("-3 + 5", 2), ("-(3 - 5) * 2", 4), ("3 * -2", -6), ("2(3+4)", 14)):
        tree = FORMULA.read(text)
        assert tree is not None
        assert value(tree) == result
        assert 0 not in leaves(tree)
    refuses(FORMULA, "8/2(1+3)", "3:4", "(3+5)*2 = 17", "2^3", "3**2", "3!", "(3+5", "3 5", "--3")
    refuses(
        FORMULA, "3+5 or 5+3", "x+3", "3+5=8=8", "f(3)", "3,5", "3.5+1", "(3+5]", "1" * 40, "()"
    )
    refuses(FORMULA, "\\frac{3}{}", "\\frac34", "(" * 200 + "1" + ")" * 200, "1+" * 500 + "1")


def formulas() -> st.SearchStrategy[Any]:
    return st.recursive(
        st.integers(1, 99),
        lambda inner: st.tuples(st.sampled_from("+-*/"), inner, inner),
        max_leaves=8,
    )


@given(formulas(), st.integers())
@quick
def test_any_formula_keeps_the_rules(tree: Any, seed: int) -> None:
    keeps_the_rules(FORMULA, tree, seed)


def test_unknowns_are_read_in_any_order_and_layout() -> None:
    for kind in (UNKNOWNS, XY):
        read_as(
            kind, "x = 3, y = 4", "y=4;x=3", "x = 3\ny = 4", "1. x = 3\n2. y = 4",
            "- x = 3\n- y = 4", "x: 3, y: 4", "x is 3 and y is 4", "x equals 3, y equals 4",
            '{"x": 3, "y": 4}', "```json\n{'x': 3, 'y': 4}\n```",
            "\\begin{cases} x = 3 \\\\ y = 4 \\end{cases}",
            "\\begin{aligned} x &= 3 \\\\ y &= 4 \\end{aligned}", "(x, y) = (3, 4)",
            "X = 3, Y = 4", "\\left(x, y\\right) = \\left(3, 4\\right)", "$x=3$ and $y=4$.",
            "x = 3.0, y = 8/2", "**x = 3**, **y = 4**", "x = 3 y = 4", "x, y = 3, 4",
            "x = 3 \\quad y = 4", "(y,x)=(4,3)", "\\left\\{ x = 3, y = 4 \\right\\}",
            "\\(x = 3\\), \\(y = 4\\)", "x = 3, and y = 4",
        )  # fmt: skip
        refuses(
            kind, "x = 3, y = 4 or 5", "x = 3 or y = 4", "x = 3, y", "x = 3, x = 4", "3, 4",
            "x 3 y 4", "not x = 3, y = 4", "x = 3 y, y = 4", "x > 3, y = 4", "x + y = 7",
            "2x = 6, y = 4", "(x, y) = (3, 4, 5)", "(x, x) = (3, 4)", "x = 3 = 5",
            "x = = 3, y = 4", "x = 1/0, y = 4", "x == 3, y == 4", "x = 3, y = 4?",
            "x = 3 cm, y = 4", "x = 3, y = 4 and x = 3", "'x = 3, y = 4'.strip()",
            "x = 3%, y = 4", "x = 3, not y = 4",
        )  # fmt: skip
    read_as(XY, "x = 3, y = 4", "(3, 4)", "[3, 4]", "\\left(3, 4\\right)")
    refuses(XY, "(3, 4, 5)", "3, 4", "x = 3, y = 4, z = 5", "(3)")
    refuses(UNKNOWNS, "(3, 4)")
    read_as(UNKNOWNS, "x = 3, y = 3", "x = y = 3")
    read_as(UNKNOWNS, "x_1 = 1, x_2 = 3/2", "x_{1} = 1, x_{2} = 1\\frac12", "x₁ = 1, x₂ = 1½")
    read_as(UNKNOWNS, "alpha = 1234", "\\alpha = 1,234", "α = 1234")
    given_names = answers.Unknowns(names=("x_1", "Theta"))
    assert given_names.read("x1 = 1, \\theta = 2") == (("Theta", 2), ("x_1", 1))


@given(
    st.dictionaries(
        st.from_regex(r"[a-z](_[0-9])?", fullmatch=True),
        st.fractions(max_denominator=99),
        min_size=1,
        max_size=6,
    ),
    st.integers(),
)
@quick
def test_any_values_of_unknowns_keep_the_rules(found: dict[str, Fraction], seed: int) -> None:
    keeps_the_rules(UNKNOWNS, tuple(sorted(found.items())), seed)


def test_unknowns_of_which_some_are_left_unsaid_are_not_read() -> None:
    for kind in (UNKNOWNS, XY):
        refuses(
            kind, "x = 3, y = 4, ...", "x = 3, y = 4 ...", "x = 3, y = 4...", "x = 3, ..., y = 4",
            "x = 3, y = 4, \u2026", "x = 3, y = 4, \\ldots", "x = 3, \\dots, y = 4",
        )  # fmt: skip
    read_as(UNKNOWNS, "x = 3, y = 4", "x = 3, y = 4.", "x = 3., y = 4.")


# Expressions.


def test_an_expression_is_read_in_plain_text_latex_and_code() -> None:
    read_as(
        IN_X, "x^2 + 2x + 1", "(x+1)^2", "x^{2}+2x+1", "x**2 + 2*x + 1", "x² + 2x + 1",
        "(x+1)(x+1)", "\\left(x+1\\right)^{2}", "f(x) = x^2+2x+1", "y = (x+1)²", "$x^2+2x+1$",
        "x·x + 2·x + 1", "[x+1]^2", "x^2+2x+1 = (x+1)^2", "\\frac{dy}{dx} = x^2 + 2x + 1",
        "y' = (x+1)^2", "X^2+2X+1", "x^2+2x+1, x \\neq 1", "x^2+2x+1 for x ≠ 1",
        "(x+1)^2 (x ≠ 1)", "*x*x + 2*x + 1*",
        "f^{-1}(x) = (x+1)^2", "(f \\circ g)(x) = (x+1)^2", "f(g(x)) = (x+1)^2", "f''(x) = (x+1)^2",
    )  # fmt: skip
    read_as(
        IN_X, "x/2", "\\frac{x}{2}", "\\frac12 x", "1/2 x", "0.5x", "(1/2)x", "½x", "\\tfrac x2"
    )
    read_as(
        IN_X, "sqrt(x)", "\\sqrt{x}", "x^{1/2}", "√x", "x^{\\frac12}", "x^0.5", "\\sqrt x", "sqrt x"
    )
    read_as(
        IN_X, "sin(x)^2", "\\sin^2 x", "\\sin^{2}(x)", "sin²x", "(\\sin x)^2", "1 - \\cos^2 x",
        "\\frac{1-\\cos 2x}{2}", "\\sin^{2}{\\left(x \\right)}", "sin x sin x",
        "\\sin x \\cdot \\sin x",
    )  # fmt: skip
    read_as(IN_X, "e^x*sin(x)", "e^x\\sin x", "\\exp(x)\\sin x", "\\sin x \\, e^x", "sin(x)e^x")
    read_as(IN_X, "arcsin(x)", "\\arcsin x", "asin(x)", "\\sin^{-1} x", "sin^-1(x)")
    read_as(
        IN_X, "ln|x|", "\\ln\\left|x\\right|", "\\ln \\lvert x \\rvert", "log(abs(x))", "\\log|x|"
    )
    read_as(IN_X, "log_2(x)", "\\log_2 x", "ln(x)/ln(2)", "\\frac{\\ln x}{\\ln 2}", "log₂(x)")
    read_as(IN_X, "x^(1/3)", "\\sqrt[3]{x}", "cbrt(x)", "∛x")
    read_as(IN_X, "tan(x)", "sin x/cos x", "\\frac{\\sin x}{\\cos x}", "sin x / cos x", "1/cot x")
    read_as(IN_X, "3^x*ln(3)", "3^x \\ln 3", "\\ln 3 \\cdot 3^x")
    read_as(IN_X, "cos(x)*e^(sin(x))", "\\cos x e^{\\sin x}", "e^{\\sin x}\\cos x")
    read_as(IN_X, "1/(2x)", "\\frac{1}{2x}", "(2x)^{-1}", "0.5x^{-1}", "1/(2*x)")
    read_as(IN_XY, "x^2*y", "x^2y", "yx^2", "x y x", "xxy", "x²y")
    read_as(NAMED, "a_1*sin(theta)", "a_{1} \\sin \\theta", "a₁ sin θ", "\\sin(\\theta) a_1")


def test_what_can_be_read_in_two_ways_is_not_read() -> None:
    refuses(
        IN_X, "1/2x", "x/2(x+1)", "e^2x", "2^3x", "sin x/2", "sin 2*x", "x^1/2", "√2x", "\\ln x x"
    )
    refuses(
        IN_X, "2\\frac{1}{2}", "2e-3x", "1e5x", "x3", "2 3", "x ± 1", "(1,234)", "5 (6)", "\\sqrt12"
    )
    refuses(IN_XY, "x/2y", "e^xy", "sin x y", "x^yx")
    refuses(answers.Expression(("a", "x")), "asin(x)")


def test_what_is_no_expression_is_not_read() -> None:
    refuses(
        IN_X, "", "9^9^9", "9**9**9**9", "10^10^10", "99999!", "x^99999", "2^(3^(4^5))", "x^^2",
        "x+", "+", "x^2 or x^3", "x, x", "not x", "maybe x^2", "x^2\nx^3", "y", "f(x)", "x=",
        "2x = 6", "x^2 = 4", "lambda x: x", "__import__('os')", "x)", "(x", "|x", "\\frac{x}",
        "\\sqrt{}", "x!!", "--x", "х", "x^²", "²x", "x^{2", "sine", "\\int x dx", "x...", "sin",
        "sin()", "1/0", "x/0", "x/(x-x)", "0^0", "sqrt(-1-x^2)", "ln(0)", "\\sqrt[0]{x}",
        "(" * 100 + "x" + ")" * 100, "x?", "x!", "i", "x + i",
    )  # fmt: skip
    refuses(
        CLOSED,
        "2√3 or 3√2",
        "≈ 3.46",
        "√3 ≈ 1.8",
        "sqrt(-1)",
        "ln(-1)",
        "1 1/2",
        "2e-3",
        "45°",
        "∞",
    )
    refuses(CLOSED, "3, 4", "0.333...", "2√3 dozen", "2√3 times", "5 i", "π/2x", "tan(pi/2)", "1/0")


def test_a_closed_form_is_the_number_it_comes_to() -> None:
    read_as(
        CLOSED, "2sqrt(3)", "2\\sqrt{3}", "2√3", "\\sqrt{12}", "2*3^(1/2)", "6/√3",
        "x = 2\\sqrt{3}", "2\\sqrt{3} \\approx 3.46", "$2\\sqrt{3}$ cm", "2√3 square units",
        "2 \\cdot \\sqrt 3",
    )  # fmt: skip
    read_as(
        CLOSED, "pi/4", "\\frac{\\pi}{4}", "π/4", "0.25\\pi", "arctan(1)", "1/4 π", "\\frac\\pi4"
    )
    read_as(CLOSED, "ln(2)/2", "\\frac{\\ln 2}{2}", "\\frac12\\ln 2", "ln(sqrt(2))", "ln 2 / 2")
    read_as(CLOSED, "5!", "120", "5*4*3*2*1")
    read_as(CLOSED, "2^100", "1267650600228229401496703205376", "4^50")
    read_as(CLOSED, "1000000", "1,000,000", "10^6")
    read_as(CLOSED, "(1+sqrt(5))/2", "\\frac{1+\\sqrt5}{2}", "2/(√5 - 1)", "1/2 + √5/2")
    read_as(CLOSED, "-2", "\\sqrt[3]{-8}", "(-8)^(1/3)", "-\\sqrt{4}")
    read_as(CLOSED, "0", "sin(pi)", "sqrt(2)-sqrt(2)", "ln(1)", "sqrt(2)*sqrt(3) - sqrt(6)")
    read_as(COMPLEX, "3 - 2i", "-2i+3", "(1-i)(5+i)/2", "\\frac{6-4i}{2}", "3 - 2\\mathrm{i}")
    read_as(COMPLEX, "i", "e^{i\\pi/2}", "\\sqrt{-1}", "-i^3", "(-1)^(1/2)")


# A value that was asked for, in the ways that people write one, and with work left undone.
EVALUATED_FORMS = (
    "7/2", "3.5", "2/sqrt(15)", "2sqrt(15)/15", "\\frac{2}{\\sqrt{15}}", "\\sqrt{12}", "6/√3",
    "(2*sqrt(3))/4", "2*3^(1/2)", "sqrt(2)*sqrt(3)", "1/2 + sqrt(5)/2", "(1+sqrt(5))/2",
    "2(3 + sqrt(5))", "arctan(1)", "\\frac{4}{3}\\pi", "50 + 4pi", "4e^2", "e^(-1/2)", "1/e",
    "e^{3/2}", "1 + 1/e", "3ln(2) - 1", "ln(2)/ln(3)", "4e^2*(1 + ln(2))", "sin(1)", "cos(2)/3",
    "2^10", "5!", "10^6", "1.5*10^6", "1,000,000", "3 + 2^100", "3*4 = 12",
    "2\\sqrt{3} \\approx 3.46",
)  # fmt: skip
UNEVALUATED_FORMS = (
    "2/sqrt(4*3 + 3)", "(3+1)^9999", "(5 - 2)/sqrt(7)", "\\frac{5-2}{7}", "sqrt(3^2+4^2)", "2 + 3",
    "1/2 + 1/3", "2*3", "5*4*3*2*1", "pi*3^2*4", "9pi*4", "(2pi)*3", "3pi + 4pi", "e^(1+2)",
    "ln(4 - 1)", "-\\sqrt{4}", "sqrt(2)*sqrt(2)", "(1+sqrt(2))(1-sqrt(2))", "cos(0)", "4*cos(0)",
    "sin(pi/6)", "e^0", "ln(e)", "ln(1)", "7/2 + 1 - 1", "2sqrt(3) + 1 - 1", "5! + 1", "1 + 2^3",
    "(3+sqrt(2)) - (1+sqrt(2))", "2^3*pi", "x", "2/sqrt(4x + 3)", "7 + x - x", "(x + 1)^9999",
)  # fmt: skip
GAUSSIAN_FORMS = (
    "3/2 - i", "1.5 - i", "\\frac{3}{2} - i", "-i/2", "(3 - 2i)/4", "\\frac{3-2i}{4}", "0 + 2i",
    "2i", "-i", "5", "0", "3 + 0i", "-2i + 3", "z = 3 - 2i", "3-2\\mathrm{i}", "3 - 2*i",
    "3/5 - 11i/10", "3/5 - (11/10)i", "\\frac35 - \\frac{11}{10}i", "2(3 - i)", "-(3 - 2i)",
    "(1 + i)^2 = 2i",
)  # fmt: skip
NOT_GAUSSIAN_FORMS = (
    "(6 + 8i)*(2 + i)", "(1+i)^2", "(1-i)(5+i)/2", "(-4 + 7i) + (3i)", "5 - i - 3", "i^2", "-i^3",
    "(3-2i)/(1+i)", "1/i", "(5-i) - (2i)", "(3i)*(2i)", "1/2 + 1/3 + i", "2*3 + i", "2^2 + i",
    "e^{i\\pi/2}", "\\sqrt{-1}", "\\sqrt{4} + i", "3 + 2i + x - x",
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text"),
    [(kind, text) for kind, texts in ((EVALUATED, EVALUATED_FORMS), (GAUSSIAN, GAUSSIAN_FORMS))
     for text in texts],
)  # fmt: skip
def test_a_value_may_be_written_in_many_forms(kind: answers.Expression, text: str) -> None:
    assert kind.read(text) is not None


@pytest.mark.parametrize(
    ("kind", "text"),
    [(kind, text)
     for kind, texts in ((EVALUATED, UNEVALUATED_FORMS), (GAUSSIAN, NOT_GAUSSIAN_FORMS))
     for text in texts],
)  # fmt: skip
def test_a_value_is_not_read_where_work_is_left_undone(kind: answers.Expression, text: str) -> None:
    assert kind.read(text) is None


def test_solutions_are_worked_out_but_for_what_plus_or_minus_is_before() -> None:
    read_as(SOLUTIONS, "x = 3 or x = 2", "x = (5 ± 1)/2", "x = \\frac{5 \\pm 1}{2}")
    refuses(
        SOLUTIONS, "x = (5 ± sqrt(25 - 24))/2", "x = (5 + 1)/2 or x = 2", "x = 2*3", "x = 5 - 2"
    )
    refuses(ROOTS, "t = (1 + i)^2", "t = (2 ± sqrt(-4))/2")


def test_nearly_equal_is_not_equal() -> None:
    tells_apart(
        CLOSED, ("sqrt(2)+sqrt(3)", "sqrt(10)"), ("e^(pi*sqrt(163))", "262537412640768744"),
        ("0", "sqrt(2)/10^90"), ("pi", "355/113"), ("1/3", "0." + "3" * 50),
        ("sqrt(2)", "1.41421356"), ("2^100", "2^100 + 1"), ("sqrt(2)", "sqrt(2) + 10^-50"),
    )  # fmt: skip
    tells_apart(
        IN_X, ("x", "x + 1/10^50"), ("e^x", "e^(x + 1/10^30)"), ("sqrt(x^2)", "x"), ("x^2", "x^3"),
        ("ln(2x)", "2ln(x)"), ("sin(x)", "cos(x)"), ("x", "x + 1093728475610293847561029384759"),
        ("ln(x)", "ln(-x)"), ("arcsin(x)", "arccos(x)"),
    )  # fmt: skip


def test_undefined_points_do_not_count() -> None:
    read_as(IN_X, "x", "sqrt(x)^2", "e^(ln(x))", "x^2/x", "tan(arctan(x))")
    read_as(IN_X, "ln|x|", "ln(x)")
    read_as(IN_X, "1/(2sqrt(x)*sqrt(1-x))", "1/(2sqrt(x - x^2))")


def test_the_realm_says_what_names_stand_for() -> None:
    read_as(POSITIVE, "x", "sqrt(x^2)", "|x|")
    read_as(POSITIVE, "2ln(x)", "ln(x^2)")
    read_as(WHOLE, "(-1)^n", "cos(n*pi)", "(-1)^{-n}", "a_n = (-1)^{n+2}")
    read_as(WHOLE, "n!", "n*(n-1)!")
    read_as(WHOLE, "n(n+1)/2", "\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}", "S_n = (n² + n)/2")
    read_as(WHOLE, "2*2^n", "2^{n+1}", "2 \\cdot 2^n, n ≥ 1", "2^(n+1) for all n >= 0")
    tells_apart(WHOLE, ("2^n", "n^2"), ("n", "n^3"))


def test_a_constant_of_integration_may_be_there_or_not() -> None:
    read_as(
        INTEGRAL, "x^3/3", "x^3/3 + C", "\\frac{x^3}{3} + c", "C + x^3/3", "x^3/3 + 5",
        "(x^3 + C)/3", "\\int x^2 \\, dx = \\frac{x^3}{3} + C",
        "x^3/3 + C, where C is a constant", "x^3/3 - K", "F(x) = \\frac13 x^3 + \\text{constant}",
        "x^3/3 + C_1",
    )  # fmt: skip
    read_as(INTEGRAL, "ln|x|", "ln(x) + C", "\\ln|5x| + C", "-ln|1/x|")
    read_as(INTEGRAL, "sin(x)^2", "-cos(x)^2 + C", "-\\frac12\\cos 2x + C")
    read_as(INTEGRAL, "arctan(x)", "-arctan(1/x) + C")
    refuses(INTEGRAL, "C x", "x^3/3 + C x", "C*x^3", "x^3/3 + D")
    tells_apart(INTEGRAL, ("x^3/3", "x^3/3 + x + C"), ("x^2", "x^3"), ("ln|x|", "ln|x + 1|"))


def trees_of(names: tuple[str, ...]) -> st.SearchStrategy[Tree]:
    """Trees in the normal shape, of rational numbers, names, roots and functions."""
    small = st.integers(2, 9).map(Fraction)
    ratios = st.fractions(-9, 9, max_denominator=9).filter(bool)
    leaf = st.one_of(st.sampled_from(names), small, ratios, st.sampled_from([trees.PI, trees.E]))

    def grown(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        return st.one_of(
            st.lists(inner, min_size=2, max_size=3).map(trees.add),
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: trees.multiply(*parts)),
            st.builds(trees.divide, inner, inner),
            st.builds(trees.power, inner, st.one_of(small, ratios, inner)),
            st.builds(trees.root, inner, st.integers(2, 5)),
            st.builds(trees.apply, st.sampled_from(sorted(trees.FUNCTIONS)), inner),
            st.integers(0, 6).map(lambda number: Node("!", (Fraction(number),))),
        )

    return st.recursive(leaf, grown, max_leaves=8)


@given(trees_of(("x", "y")))
@settings(max_examples=200, deadline=None)
def test_a_tree_is_written_so_that_the_grammar_builds_it_again(tree: Tree) -> None:
    for text in (to_text(tree), to_text(tree, CODE), to_latex(tree)):
        found = read_tokens(bare(text), Words(("x", "y")))
        assert found is not None
        assert parse(found) == tree, text


@given(trees_of(("x", "y")), trees_of(("x",)), st.integers())
@quick
def test_equality_of_expressions_is_an_equivalence(one: Tree, other: Tree, seed: int) -> None:
    first, second = Expr(one, "positive"), Expr(other, "positive")
    assume(first.defined())
    same = Expr(trees.add([trees.multiply(one, Fraction(2)), trees.negate(one)]), "positive")
    assert first == first
    assert first == same == first
    assert hash(first) == hash(same)
    assert (first == second) == (second == first) == (same == second)
    assert first != Expr(trees.add([one, trees.ONE]), "positive")
    assert pickle.loads(pickle.dumps(first)) == first


@given(trees_of(("x",)), st.integers())
@quick
def test_any_expression_keeps_the_rules(tree: Tree, seed: int) -> None:
    answer = IN_X.read(to_text(tree))
    assume(answer is not None)
    assert answer is not None
    keeps_the_rules(IN_X, answer, seed)


def test_expressions_go_to_sympy_and_back() -> None:
    import sympy

    x = sympy.Symbol("x", positive=True)
    for made in (
        x**2 / 2 - 1 / x, sympy.sqrt(x) / 3, sympy.exp(-x) * sympy.sin(2 * x), sympy.log(x) / x,
        sympy.atan(x) ** 2, sympy.Rational(-3, 7), sympy.pi**2 * 3, sympy.Abs(x - 2),
        sympy.sec(x),
        sympy.factorial(5) * x, x ** sympy.Rational(-3, 2), (x + 1) / (x - 1) ** 2, 2**x,
        sympy.integrate(x**2 * sympy.exp(x), x), sympy.diff(sympy.tan(x) / x, x),
    ):  # fmt: skip
        ours = from_sympy(made, "positive")
        assert POSITIVE.read(str(made)) == ours
        assert from_sympy(to_sympy(ours), "positive") == ours
        assert POSITIVE.read(sympy.latex(made)) == ours
    for root in sympy.solve(sympy.Symbol("z") ** 3 - 2 * sympy.Symbol("z") + 2):
        ours = from_sympy(root, "complex")
        assert abs(complex(ours.number()) - complex(root)) < 1e-12
    assert from_sympy(sympy.root(-8, 3), "complex") == COMPLEX.read("1 + sqrt(3)*i")
    with pytest.raises(ValueError, match="not known"):
        from_sympy(sympy.zeta(x))


@given(trees_of(("x",)))
@example(trees.apply("tanh", trees.divide(Fraction(1024), trees.add(["x", Fraction(2)]))))
@quick
def test_derivatives_are_those_of_sympy(tree: Tree) -> None:
    import sympy

    assume(not any(isinstance(node, Node) and node.sign == "!" for node in trees.nodes(tree)))
    assume(Expr(tree, "positive").defined() and "x" in trees.names_in(tree))
    x = sympy.Symbol("x", positive=True)
    theirs = sympy.diff(to_sympy(tree).subs(sympy.Symbol("x"), x), x)
    assume(not theirs.has(sympy.Derivative, sympy.sign, sympy.Subs, sympy.zoo, sympy.nan, sympy.I))
    ours = Expr(derivative(tree, "x"), "positive")
    known = from_sympy(theirs, "positive")
    assume(ours.defined() and known.defined())
    assert ours == known


def test_values_are_exact_and_bounded() -> None:
    tree = IN_XY.read("x^2/y + sqrt(4/9)")
    assert tree is not None
    assert tree.at({"x": Fraction(3), "y": Fraction(2)}) == Fraction(31, 6)
    assert tree.at({"x": Fraction(3), "y": Fraction(0)}) is None
    huge: Tree = Fraction(9)
    for _ in range(30):
        huge = trees.power(huge, Fraction(9))
    assert evaluate(huge) is None
    assert not Expr(huge).defined()


def test_many_expressions_are_counted_fast() -> None:
    found = [IN_X.read(f"{number}x*e^x + sin({number % 7 + 1}x)") for number in range(1, 121)]
    start = time.process_time()
    assert len(Counter(found)) == 120
    assert time.process_time() - start < 2


def test_hard_expressions_are_read_in_no_time() -> None:
    texts = [
        "+".join(f"sin({number}x)" for number in range(1, 60)), "x^x^x^x^x^x",
        "sin(" * 35 + "x" + ")" * 35, "exp(" * 9 + "x" + ")" * 9,
        "*".join(["(x+1)^9999"] * 30), "((((x+1)^1000)^1000)^1000)^1000", "+".join(["2^9999"] * 50),
        "500!*500!*500!", "+".join(f"(1/{number})^900" for number in range(3, 40)),
        "+".join(f"arcsin(x/{number})" for number in range(1, 40)), "tan(" * 30 + "1" + ")" * 30,
        "*".join(["9" * 60] * 150), "2^(" * 30 + "1" + ")" * 30, "sqrt(" * 30 + "x" + ")" * 30,
    ]  # fmt: skip
    for kind in (IN_X, CLOSED, INTEGRAL, POSITIVE, POLYNOMIAL, FACTORED, SOLUTIONS):
        for text in texts:
            start = time.process_time()
            if (answer := kind.read(text)) is not None:
                assert kind.read(text.replace("+", " + ")) == answer
            assert time.process_time() - start < 1, text


# Polynomials and factors.


def test_a_polynomial_must_be_multiplied_out_and_collected() -> None:
    read_as(
        POLYNOMIAL, "3x^2 - x/2 + 1", "3x^{2} - \\frac{x}{2} + 1", "1 - 0.5x + 3x²",
        "3*x**2 - x/2 + 1", "f(x) = 3x^2 - \\frac12 x + 1", "(3x^2 - x/2 + 1)",
        "3x^2 + (-1/2)x + 1", "3\\cdot x^2 - x/2 + 1",
    )  # fmt: skip
    read_as(POLYNOMIAL, "x^2 + x", "x(x + 1) = x^2 + x", "x + x^2")
    read_as(IN_TWO, "3x^2y - xy/2", "3yx^2 - \\frac{1}{2}xy", "-x*y/2 + 3*x^2*y")
    refuses(
        POLYNOMIAL,
        "(x+1)(x-1)",
        "x(x+1)",
        "(x+1)^2",
        "-(x+1)",
        "2(x+1)",
        "(x^2+1)/2",
        "x^2 - (x+1)",
    )
    refuses(POLYNOMIAL, "x^2 + x^2", "2x + 3x", "x*x", "x^2 x^3", "(2x)^2", "2^3x", "x^2 + 1 + 2")
    refuses(
        POLYNOMIAL, "1/x", "x^-1", "x^(1/2)", "sqrt(x)", "sin(x)", "pi x", "x^1001", "y", "x^2 or x"
    )
    assert POLYNOMIAL.read("x^2 - 1/2") == (((2,), 1), ((0,), Fraction(-1, 2)))


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 5), st.integers(0, 5)),
        st.fractions(-99, 99, max_denominator=9).filter(bool),
        max_size=5,
    ),
    st.integers(),
)
@quick
def test_any_polynomial_keeps_the_rules(found: dict[tuple[int, ...], Fraction], seed: int) -> None:
    text = IN_TWO.write(tuple(found.items()))
    answer = IN_TWO.read(text)
    assert answer is not None
    assert dict(answer) == found
    keeps_the_rules(IN_TWO, answer, seed)


def test_factors_are_the_same_up_to_order_sign_and_content() -> None:
    read_as(
        FACTORED, "(x-1)(x+1)", "(x+1)(x-1)", "(1-x)(-1-x)", "-(1-x)(x+1)", "(2x-2)(x+1)/2",
        "(-1+x)(1+x)", "\\left(x-1\\right)\\left(x+1\\right)", "x^2-1 = (x-1)(x+1)",
        "(x - 1) \\cdot (x - (-1))",
    )  # fmt: skip
    read_as(FACTORED, "(x-1)^2", "(x-1)(x-1)", "(1-x)^2", "(x-1)²")
    read_as(FACTORED, "x^2(x+1)", "x*x*(x+1)", "x²(x+1)")
    read_as(FACTORED, "2(x+1)(3x-2)", "(2x+2)(3x-2)", "6(x+1)(x-2/3)", "-2(x+1)(2-3x)")
    tells_apart(FACTORED, ("x^2-1", "(x-1)(x+1)"), ("x^2+x", "x(x+1)"), ("(x-1)(x+1)", "(x-1)^2"))
    refuses(FACTORED, "x(x+1)+2", "(x+1)/(x-1)", "(x+1)^-1", "(x+1)^x", "(x+x)(x-1)", "9^9^9(x+1)")
    answer = FACTORED.read("-2x(x - 1)^2(3x + 5)")
    assert answer is not None
    assert multiplied_out(answer) == POLYNOMIAL.read("-6x^4 + 2x^3 + 14x^2 - 10x")
    assert multiplied_out(answer, 1) is not None


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(-9, 9), st.integers(1, 3)), max_size=4))
@quick
def test_any_product_keeps_the_rules(found: list[tuple[int, int, int]]) -> None:
    answer = FACTORED.read("3" + "".join(f"({a}x + ({b}))^{times}" for a, b, times in found))
    assert answer is not None
    keeps_the_rules(FACTORED, answer)


# Solutions and intervals.


def test_solutions_stand_in_any_order_and_notation() -> None:
    read_as(
        SOLUTIONS, "x = 2 or x = -3", "{2, -3}", "\\{-3, 2\\}", "x = 2, x = -3",
        "x_1 = 2, x_2 = -3", "x_{1} = 2, x_{2} = -3", "x₁ = 2, x₂ = -3", "2 and -3", "[2, -3]",
        "(2, -3)", "x \\in \\{2, -3\\}", "x = 2 \\text{ or } x = -3", "x = 2 \\lor x = -3",
        "x=2\nx=-3", "$x = 2$ or $x = -3$", "x=2,-3", "1. x = 2\n2. x = -3", "- x = 2\n- x = -3",
        '{"x": [2, -3]}', "**x = 2** or **x = -3**", "x = -\\frac12 \\pm \\frac52",
        "x = (-1 ± 5)/2", "The solutions are x = 2 and x = -3.",
        "\\begin{cases} x = 2 \\\\ x = -3 \\end{cases}", "The solution set is {2, -3}",
        "S = \\{2, -3\\}", "The equation has two solutions: x = 2 and x = -3",
        "x = 2 or x = -3 or x = 2",
    )  # fmt: skip
    read_as(SOLUTIONS, "x = 2", "2", "{2}", "x = 2 (double root)", "x_1 = x_2 = 2", "x = 4/2")
    read_as(SOLUTIONS, "x = ±√2", "\\pm\\sqrt{2}", "√2, -√2", "x = √2 ≈ 1.414, x = -√2 ≈ -1.414")
    read_as(SOLUTIONS, "1, 2, 3", "x = 1, 2 and 3", "x = 1, x = 2, or x = 3")
    read_as(
        SOLUTIONS, "no real solution", "no solution", "∅", "\\emptyset", "\\{\\}",
        "No real roots.", "There are no real solutions", "The equation has no real solutions",
        "x \\in \\emptyset", "none",
    )  # fmt: skip
    read_as(
        SOLUTIONS, "all real numbers", "\\mathbb{R}", "ℝ", "x \\in \\mathbb{R}", "any real number",
        "All real numbers are solutions", "infinitely many solutions", "x can be any real number",
    )  # fmt: skip
    read_as(ROOTS, "t = 1 ± 2i", "1 + 2i, 1 - 2i", "\\{1 - 2i, 1 + 2i\\}", "t_1 = 1+2i, t_2 = 1-2i")
    refuses(
        SOLUTIONS, "x > 2", "x = 2 or y = 3", "not x = 2", "x = 2?", "x = 1,234", "x ≈ 1.41",
        "± 1 ± 2", "x^2 = 4", "2x = 4", "x = i", "y = 2", "all complex numbers", "x = 2, not 3",
        "x =", "2 or", "2,,3", "x ≠ 2", "x = 1/0", "no solution or x = 2", "infinitely",
        "[[2, 3]]", "x = 2 x = 3", "2 3", "x=2=3",
    )  # fmt: skip
    refuses(ROOTS, "no real solution", "all real numbers", "x = 3")
    tells_apart(SOLUTIONS, ("2, 3", "2, 3, 4"), ("2", "-2"), ("no solution", "0"))


@given(st.sets(st.fractions(-99, 99, max_denominator=9), max_size=5), st.integers())
@quick
def test_any_set_of_solutions_keeps_the_rules(numbers: set[Fraction], seed: int) -> None:
    answer = SOLUTIONS.collected([Expr(number) for number in numbers]) or answers.SolutionSet()
    keeps_the_rules(SOLUTIONS, answer, seed)
    source = Random(seed)
    for _ in range(5):  # a part of the answer would not be told from it in a listing of both
        near = SOLUTIONS.near(answer, source)
        assert not set(near.numbers) <= set(answer.numbers)


def test_sets_of_reals_are_read_as_intervals_and_inequalities() -> None:
    read_as(
        INTERVALS, "(-∞, 2] ∪ [3, 5)", "(-inf, 2] U [3, 5)", "(-\\infty, 2] \\cup [3, 5)",
        "\\left(-\\infty, 2\\right] \\cup \\left[3, 5\\right)", "x <= 2 or 3 <= x < 5",
        "[3,5) ∪ (-∞,2]", "x \\leq 2 \\text{ or } 3 \\le x < 5", "x ≤ 2 ∨ 5 > x ≥ 3",
        "{x | x <= 2 or 3 <= x < 5}",
        "\\{x \\in \\mathbb{R} \\mid x \\le 2 \\text{ or } 3 \\le x < 5\\}", "]-∞, 2] ∪ [3, 5[",
        "(-infinity, 2] union [3, 5)", "$(-\\infty, 2]$ ∪ $[3, 5)$", "x ≤ 2 or x ≥ 3 and x < 5",
        "The solution set is (-∞, 2] ∪ [3, 5)", "x ∈ (-∞,2]∪[3,5)", "2 >= x or 3 <= x < 5",
    )  # fmt: skip
    read_as(
        INTERVALS, "x ≠ 3", "(-∞, 3) ∪ (3, ∞)", "ℝ \\ {3}", "\\mathbb{R} \\setminus \\{3\\}",
        "x \\neq 3", "x < 3 or x > 3", "\\mathbb{R} - \\{3\\}", "x ∈ ℝ, x ≠ 3",
        "all real numbers except 3", "R \\ {3}",
    )  # fmt: skip
    read_as(INTERVALS, "x ≠ 1, x ≠ 2", "x ≠ 1, 2", "x ≠ 1 and x ≠ 2", "(-∞,1)∪(1,2)∪(2,∞)")
    read_as(INTERVALS, "[-1/2, 7/2)", "-\\frac12 \\le x < \\frac72", "x ≥ -1/2 and x < 3.5")
    read_as(INTERVALS, "(1, 5)", "(1,2] ∪ (2,5)", "1 < x < 5", "(1,2) ∪ {2} ∪ (2,5)", "]1; 5[")
    read_as(INTERVALS, "x > 0, x ≠ 3", "(0,3)∪(3,∞)", "x > 0 \\text{ and } x \\neq 3")
    read_as(INTERVALS, "{3}", "x = 3", "[3, 3]", "\\{3\\}")
    read_as(INTERVALS, "all real numbers", "(-∞, ∞)", "\\mathbb{R}", "x ∈ ℝ", "all reals")
    read_as(
        answers.Intervals("theta"), "[0, 1)", "0 ≤ θ < 1", "\\theta \\in [0, 1)", "1 > theta >= 0"
    )
    read_as(INTERVALS, "no solution", "∅", "\\emptyset", "There is no solution")
    refuses(
        INTERVALS, "x < 2, x > 5", "x < 2 and x > 5", "x <= 2 and x <= 1", "(1,3) ∪ (2,5)",
        "x < 3 or x < 2", "x ≠ 1 or x ≠ 2", "(3,2)", "(2,2)", "(1,2,3)", "y > 3", "x > sqrt(2)",
        "2 < x > 1", "x <", "x", "not x > 2", "(2, 5", "[2, 5] or no solution", "(1,2); (3,4)",
        "(1,2)\n(3,4)", "(∞, 2)", "x > ∞", "{1, 1}", "(a, b)", "(1,2) and (3,4)", "x^2 > 4",
        "2x > 4", "|x| > 2", "1,234", "(1,234, 5)", "(0,1) \\setminus {5}", "ℝ \\ {1, 1}",
        "[[1, 2]]", "x >> 2", "(1,2) or maybe (3,4)",
    )  # fmt: skip
    tells_apart(INTERVALS, ("(1,2)", "[1,2)"), ("x > 2", "x >= 2"), ("(1,2) ∪ {3}", "(1,2)"))
    assert INTERVALS.read("(1, 234)") == ((1, False, 234, False),)


@given(st.lists(st.fractions(-99, 99, max_denominator=9), max_size=6, unique=True), st.integers())
@more
def test_any_union_of_intervals_keeps_the_rules(ends: list[Fraction], seed: int) -> None:
    source = Random(seed)
    texts = []
    for low, high in zip(*[iter(sorted(ends))] * 2, strict=False):
        texts.append(f"{source.choice('([')}{low}, {high}{source.choice(')]')}")
    answer = INTERVALS.read(" ∪ ".join(texts) or "∅")
    assert answer is not None
    keeps_the_rules(INTERVALS, answer, seed)


def test_sympy_and_mpmath_are_not_imported_before_they_are_needed() -> None:
    code = (
        "import sys; from puzzlemill.core import answers;"
        "answers.Polynomial().read('x^2 + 1'); answers.Number().read('1/2');"
        "print({'sympy', 'mpmath'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_no_way_of_writing_twice_e_and_two_reads_as_two_hundred() -> None:
    answer = IN_X.read("2*e + 2")
    assert answer is not None
    for way in IN_X.ways(answer):
        assert IN_X.read(way) == answer, way
